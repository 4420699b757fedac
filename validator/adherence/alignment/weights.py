"""The weights of pairs: nothing for two names, else the share of equal arguments over the union of their keys."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from math import lcm
from typing import TypeAlias

from validator.errors import InputError
from validator.reading.calls import Argument, Arguments, Call, Planned, same

__all__ = ["Schemas", "Weights", "share"]

_MAX_PAIRS = 1_000_000
"""A plan and a trace may have this many pairs of a step and a call with the same name."""

Schemas: TypeAlias = Mapping[str, tuple[str, ...]]
"""The parameters of each tool, in order, as far as they are known."""


def share(planned: Arguments | None, executed: Arguments | None, order: Sequence[str] = ()) -> Fraction:
    """Return the share of equal arguments over the union of their keys.

    What is unknown is not wrong: arguments that one side does not tell, and placeholders of the plan, count neither
    way. A value by position stands for the parameter at its place: in ``order``, or in the order in which the other
    side writes its names.
    """
    if planned is None or executed is None:
        return _ONE
    ours, theirs = _by_key(planned, executed, order), _by_key(executed, planned, order)
    equal, union = 0, len(theirs)
    for key, argument in ours.items():
        other = theirs.get(key)
        if argument.is_open:
            union -= other is not None
        elif other is None:
            union += 1
        else:
            equal += same(argument, other)
    return Fraction(equal, union) if equal != union else _ONE


_ONE = Fraction(1)


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


class Weights:
    """The weights of all pairs with one name, as integers that add up exactly.

    An integer is the share, times a common multiple of all denominators, then one for a pair that is equal, then one
    for the pair itself; each counts more than all that follows together.
    """

    def __init__(self, plan: Sequence[Planned], calls: Sequence[Call], schemas: Schemas) -> None:
        self._steps_by_name, self._calls_by_name = _by_name(plan), _by_name(calls)
        pairs = sum(len(steps) * len(self._calls_by_name.get(name, ())) for name, steps in self._steps_by_name.items())
        if pairs > _MAX_PAIRS:
            raise InputError(f"the plan and the trace have {pairs} pairs with the same name; the limit is {_MAX_PAIRS}")
        self._names = [call.name for call in calls]
        self._step_names = [step.name for step in plan]
        self._step_kinds, self._call_kinds = _kinds(plan), _kinds(calls)
        self._shares: dict[tuple[int, int], Fraction] = {}
        for name, steps in self._steps_by_name.items():
            of_calls = {self._call_kinds[call]: call for call in self._calls_by_name.get(name, ())}
            for ours, step in {self._step_kinds[step]: step for step in steps}.items():
                for theirs, call in of_calls.items():
                    order = schemas.get(name, ())
                    self._shares[ours, theirs] = share(plan[step].arguments, calls[call].arguments, order)
        scale = lcm(*{weight.denominator for weight in self._shares.values()})
        most = min(len(plan), len(calls)) + 1
        self._integers = {
            pair: (weight.numerator * (scale // weight.denominator) * most + (weight == 1)) * most + 1
            for pair, weight in self._shares.items()
        }

    def share(self, step: int, call: int) -> Fraction:
        """Return the weight of a pair with one name."""
        return self._shares[self._step_kinds[step], self._call_kinds[call]]

    def of_calls(self, call: int) -> Iterator[tuple[int, int]]:
        """Yield the steps that a call can be, each with its weight."""
        theirs = self._call_kinds[call]
        for step in self._steps_by_name.get(self._names[call], ()):
            yield step, self._integers[self._step_kinds[step], theirs]

    def of_steps(self, step: int) -> Iterator[tuple[int, int]]:
        """Yield the calls that a step can be, each with its weight."""
        ours = self._step_kinds[step]
        for call in self._calls_by_name.get(self._step_names[step], ()):
            yield call, self._integers[ours, self._call_kinds[call]]


def _kinds(members: Sequence[Planned | Call]) -> list[int]:
    """Return a number for each member; those of one name and equal arguments have the same."""
    numbers: dict[tuple[str, Arguments | None], int] = {}
    return [numbers.setdefault((member.name, member.arguments), len(numbers)) for member in members]


def _by_name(members: Sequence[Planned | Call]) -> dict[str, list[int]]:
    found: dict[str, list[int]] = {}
    for index, member in enumerate(members):
        if not isinstance(member, Planned) or member.is_readable:
            found.setdefault(member.name, []).append(index)
    return found
