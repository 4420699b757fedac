"""The weights of pairs: nothing for two names, else the share of equal arguments over the union of their keys."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from functools import lru_cache
from math import lcm
from typing import TypeAlias

from validator.reading.arguments import alike, named_places
from validator.reading.calls import Argument, Arguments, Call, Planned, same
from validator.reading.traces.recording import folded

__all__ = [
    "Schemas",
    "Values",
    "Weights",
    "by_name",
    "integer",
    "is_of_one_kind",
    "kinds",
    "number_of_pairs",
    "share",
    "values",
]

_MAX_PAIRS = 2_000_000
"""Of more pairs of a step and a call with one name, those without an equal argument are not looked at."""

Schemas: TypeAlias = Mapping[str, tuple[str, ...]]
"""The parameters of each tool, in order, as far as they are known."""

Values: TypeAlias = frozenset[tuple[str | int, str]]
"""Arguments by their names or places, each as a text that is the same where two values may be equal."""


def share(planned: Arguments | None, executed: Arguments | None, order: Sequence[str] = ()) -> Fraction:
    """Return the share of equal arguments over the union of their keys.

    What is unknown is not wrong: arguments that one side does not tell, and placeholders of the plan, count neither
    way. A value by position stands for the parameter at its place: in ``order``, or in the order in which the other
    side writes its names where ``order`` is not known. Values whose names are not in it have no place.
    """
    if planned is None or executed is None:
        return _ONE
    if planned == executed and not any(argument.is_open for argument in planned):
        return _ONE
    names = [argument.name for argument in planned]
    if None not in names and names == [argument.name for argument in executed] and len(set(names)) == len(names):
        return _of_pairs(planned, executed)  # as most are, told faster
    ours, theirs = _by_key(planned, executed, order), _by_key(executed, planned, order)
    named = [set(_names(planned)), set(_names(executed))]
    if order and not all(named) and not named[0] | named[1] <= {*order}:
        ours, theirs = _by_value(_by_parameter(planned, order), _by_parameter(executed, order))
    equal, union = 0, len(theirs)
    for key, argument in ours.items():
        other = theirs.get(key)
        if argument.is_open:
            union -= other is not None
        elif other is None:
            union += 1
        else:
            equal += same(argument, other)
    return _ratio(equal, union) if equal != union else _ONE


def _of_pairs(planned: Arguments, executed: Arguments) -> Fraction:
    """Return the share of equal arguments where both sides have the same names in the same order."""
    equal = union = 0
    for argument, other in zip(planned, executed, strict=True):
        if not argument.is_open:
            union += 1
            equal += same(argument, other)
    return _ratio(equal, union) if equal != union else _ONE


_ONE, _ZERO = Fraction(1), Fraction(0)


@lru_cache(maxsize=1024)
def _ratio(equal: int, union: int) -> Fraction:
    """Return a share, of which there are few; to make a fraction takes longer than to compare two steps."""
    return Fraction(equal, union)


def _names(arguments: Arguments) -> list[str]:
    return [argument.name for argument in arguments if argument.name is not None]


def _by_key(arguments: Arguments, others: Arguments, order: Sequence[str]) -> Mapping[str | int | None, Argument]:
    """Return arguments by the name of their parameter, or by their position where that has no name."""
    found: dict[str | int | None, Argument] = {argument.name: argument for argument in arguments}
    if found.pop(None, None) is None:
        return found
    theirs = _names(others)
    if not order or not {*found, *theirs} <= {*order}:  # no schema, or not that of these arguments
        order = theirs
    free = iter([name for name in order if name not in found])
    for place, argument in enumerate(each for each in arguments if each.name is None):
        found[next(free, place)] = argument
    return found


def _by_parameter(arguments: Arguments, order: Sequence[str]) -> dict[str | int | None, Argument]:
    """Return arguments by their parameters; those that name none by their names, those beyond all by their places."""
    places = named_places([argument.name for argument in arguments], order, folded)
    found: dict[str | int | None, Argument] = {order[place]: arguments[number] for place, number in places.items()}
    free = iter([name for name in order if name not in found])
    for number, argument in enumerate(arguments):
        if number not in places.values():
            found[next(free, number) if argument.name is None else argument.name] = argument
    return found


def _by_value(
    ours: dict[str | int | None, Argument], theirs: dict[str | int | None, Argument]
) -> tuple[Mapping[str | int | None, Argument], Mapping[str | int | None, Argument]]:
    """Return both with equal keys for values under names that say no place, first of all where they are equal."""
    for key in [key for key in theirs if key not in ours]:
        equal = (other for other, each in ours.items() if other not in theirs and same(each, theirs[key]))
        if (other := next(equal, None)) is not None:
            theirs[other] = theirs.pop(key)
    left = [key for key in theirs if key not in ours]
    for key, other in zip(left, [key for key in ours if key not in theirs], strict=False):
        theirs[other] = theirs.pop(key)
    return ours, theirs


class Weights:
    """The weights of all pairs with one name, as integers that add up exactly.

    Over _MAX_PAIRS pairs only those with equal arguments have a weight.
    """

    def __init__(self, plan: Sequence[Planned], calls: Sequence[Call], schemas: Schemas) -> None:
        self._steps_by_name, self._calls_by_name = by_name(plan), by_name(calls)
        self.base = 1 if number_of_pairs(self._steps_by_name, self._calls_by_name) <= _MAX_PAIRS else 0
        self._names = [call.name for call in calls]
        self._step_names = [step.name for step in plan]
        self._step_kinds, self._call_kinds = kinds(plan), kinds(calls)
        self._shares = self._of_kinds(plan, calls, schemas)
        scale = lcm(*{weight.denominator for weight in self._shares.values()})
        most = min(len(plan), len(calls)) + 1
        self._integers = {pair: integer(weight, scale, most) for pair, weight in self._shares.items()}
        self._near: dict[int, list[tuple[int, int]]] = {}
        self._near_steps: dict[int, list[tuple[int, int]]] = {}
        if not self.base:
            self._index()

    def _of_kinds(
        self, plan: Sequence[Planned], calls: Sequence[Call], schemas: Schemas
    ) -> dict[tuple[int, int], Fraction]:
        """Return the shares above 0 of each kind of step with each kind of call of its name."""
        found: dict[tuple[int, int], Fraction] = {}
        for name, steps in self._steps_by_name.items():
            order = schemas.get(name, ())
            of_calls = {self._call_kinds[call]: calls[call].arguments for call in self._calls_by_name.get(name, ())}
            told = [
                (kind, arguments, values(arguments), _told_whole(arguments)) for kind, arguments in of_calls.items()
            ]
            for ours, step in {self._step_kinds[step]: step for step in steps}.items():
                arguments = plan[step].arguments
                own, whole = values(arguments), _told_whole(arguments)
                for theirs, executed, others, other in told:
                    if whole is not None and other is not None:
                        equal = len(whole[1] & other[1])
                        weight = _ratio(equal, len(whole[0] | other[0])) if equal else _ZERO
                    elif own and others and own.isdisjoint(others) and is_of_one_kind(own, others):
                        continue
                    else:
                        weight = share(arguments, executed, order)
                    if weight:
                        found[ours, theirs] = weight
        return found

    def _index(self) -> None:
        """Keep the pairs that have a weight by their members, where most have none."""
        steps, calls = _members(self._step_kinds), _members(self._call_kinds)
        for (ours, theirs), weight in self._integers.items():
            for step in steps.get(ours, ()):
                for call in calls.get(theirs, ()):
                    self._near.setdefault(call, []).append((step, weight))
                    self._near_steps.setdefault(step, []).append((call, weight))

    def share(self, step: int, call: int) -> Fraction:
        """Return the weight of a pair with one name."""
        return self._shares.get((self._step_kinds[step], self._call_kinds[call]), _ZERO)

    def of_calls(self, call: int) -> Iterator[tuple[int, int]]:
        """Yield the steps that a call can be, each with its weight."""
        if not self.base:
            yield from self._near.get(call, ())
            return
        theirs = self._call_kinds[call]
        for step in self._steps_by_name.get(self._names[call], ()):
            yield step, self._integers.get((self._step_kinds[step], theirs), self.base)

    def of_steps(self, step: int) -> Iterator[tuple[int, int]]:
        """Yield the calls that a step can be, each with its weight."""
        if not self.base:
            yield from self._near_steps.get(step, ())
            return
        ours = self._step_kinds[step]
        for call in self._calls_by_name.get(self._step_names[step], ()):
            yield call, self._integers.get((ours, self._call_kinds[call]), self.base)


def integer(weight: Fraction, scale: int, most: int) -> int:
    """Return an integer for a share: the share times a multiple of all denominators, then what decides between equals.

    That is one for a pair that is equal, then one for the pair itself; each counts more than all that follows it
    together, as ``most`` is more than the pairs of any alignment.
    """
    return (weight.numerator * (scale // weight.denominator) * most + (weight == 1)) * most + 1


def values(arguments: Arguments | None) -> Values:
    """Return keys and values of arguments of which nothing is open; nothing for any others.

    Keys are names, or places from 0 where none has a name. Two such sets with keys of one kind and without a common
    member have no equal argument: values that are equal as far as both sources tell are written alike here.
    """
    if not arguments:
        return frozenset()
    placed = arguments[0].name is None
    found: list[tuple[str | int, str]] = []
    for place, each in enumerate(arguments):
        if each.is_open or (each.name is None) is not placed:
            return frozenset()
        found.append((place if each.name is None else each.name, alike(each)))
    return frozenset(found)


def _told_whole(arguments: Arguments | None) -> tuple[frozenset[str | None], frozenset[Argument]] | None:
    """Return names, each of one argument, and arguments of which all is told; None for any others, or none at all.

    Of two such sets those arguments are equal that both have.
    """
    if not arguments:
        return None
    names = set()
    for each in arguments:
        if each.name is None or each.is_string is None or each.is_open:
            return None
        names.add(each.name)
    return (frozenset(names), frozenset(arguments)) if len(names) == len(arguments) else None


def is_of_one_kind(one: Values, other: Values) -> bool:
    """Return whether two sets, neither of them empty, both have names, or both places, as their keys."""
    (key, _), (other_key, _) = next(iter(one)), next(iter(other))
    return isinstance(key, str) is isinstance(other_key, str)


def _members(kinds: Sequence[int]) -> dict[int, list[int]]:
    found: dict[int, list[int]] = {}
    for index, kind in enumerate(kinds):
        found.setdefault(kind, []).append(index)
    return found


def kinds(members: Sequence[Planned | Call]) -> list[int]:
    """Return a number for each member; those of one name and equal arguments have the same."""
    numbers: dict[tuple[str, Arguments | None], int] = {}
    return [numbers.setdefault((member.name, member.arguments), len(numbers)) for member in members]


def number_of_pairs(steps: Mapping[str, Sequence[int]], calls: Mapping[str, Sequence[int]]) -> int:
    """Return how many pairs of a step and a call have one name, which ``by_name`` found."""
    return sum(len(members) * len(calls.get(name, ())) for name, members in steps.items())


def by_name(members: Sequence[Planned | Call]) -> dict[str, list[int]]:
    """Return the indices of the calls, or of the steps that can be read, of each name."""
    found: dict[str, list[int]] = {}
    for index, member in enumerate(members):
        if not isinstance(member, Planned) or member.is_readable:
            found.setdefault(member.name, []).append(index)
    return found
