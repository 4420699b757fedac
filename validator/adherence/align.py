"""The heaviest alignment of a plan with executed calls that keeps their order, exactly.

A pair of a step and a call weighs nothing when their names differ, else the share of equal arguments over the union of
their keys. Only pairs with one name are looked at: a heaviest chain among them, kept as a front of ever later and ever
heavier ends (compare Hunt and Szymanski 1977 for the longest common subsequence). Calls that were made at once have no
order: their set is assigned to a stretch of the plan as a whole (the Hungarian method, Kuhn 1955).
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import inf, lcm
from typing import TypeAlias

from validator.adherence.calls import Argument, Arguments, Call, Planned, same
from validator.errors import InputError

__all__ = ["MAX_PAIRS", "Alignment", "Schemas", "align", "share"]

MAX_PAIRS = 1_000_000
"""A plan and a trace may have this many pairs of a step and a call with the same name."""

Schemas: TypeAlias = Mapping[str, tuple[str, ...]]
"""The parameters of each tool, in order, as far as they are known."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Alignment:
    """Which step was executed by which call.

    ``pairs`` are (index in the plan, index in the calls, weight). ``planned`` and ``executed`` are all indices in an
    order that the sets of both sides allow and in which the pairs do not cross.
    """

    pairs: tuple[tuple[int, int, Fraction], ...]
    planned: tuple[int, ...]
    executed: tuple[int, ...]
    weight: Fraction


def align(plan: Sequence[Planned], calls: Sequence[Call], schemas: Schemas | None = None) -> Alignment:
    """Return a heaviest alignment; among equally heavy ones, one with most equal pairs, then with most pairs.

    Exact where the plan or the calls have no sets; where both have, the sets of either side are put in the best order
    for the other's in turn, until nothing improves. Raises InputError over MAX_PAIRS pairs.
    """
    weights = _Weights(plan, calls, schemas or {})
    plan_batches, call_batches = _batches(plan), _batches(calls)
    has_sets = any(len(batch) > 1 for batch in plan_batches)
    planned = list(range(len(plan)))
    while True:
        total, chain = _heaviest(planned, call_batches, weights.of_calls)
        executed = _ordered(call_batches, {call: place for place, call in chain})
        if not has_sets:
            break
        better, turned = _heaviest(executed, plan_batches, weights.of_steps)
        if better <= total:
            break
        planned = _ordered(plan_batches, {step: place for place, step in turned})
    pairs = tuple((planned[place], call, weights.share(planned[place], call)) for place, call in chain)
    return Alignment(
        pairs=pairs,
        planned=tuple(planned),
        executed=tuple(executed),
        weight=sum((weight for _, _, weight in pairs), Fraction(0)),
    )


def _batches(members: Sequence[Planned | Call]) -> list[list[int]]:
    """Return the indices of what has no order among itself together, the others alone."""
    found: list[list[int]] = []
    last: int | None = None
    for index, member in enumerate(members):
        if member.batch is None or member.batch != last:
            found.append([])
        found[-1].append(index)
        last = member.batch
    return found


def _ordered(batches: Sequence[Sequence[int]], places: Mapping[int, int]) -> list[int]:
    """Return all indices, those of a set in the order of the places that they are aligned with, the others behind."""
    return [
        index
        for batch in batches
        for index in (batch if len(batch) == 1 else sorted(batch, key=lambda member: places.get(member, inf)))
    ]


# --- weights -------------------------------------------------------------------------------------


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


class _Weights:
    """The weights of all pairs with one name, as integers that add up exactly.

    An integer is the share, times a common multiple of all denominators, then one for a pair that is equal, then one
    for the pair itself; each counts more than all that follows together.
    """

    def __init__(self, plan: Sequence[Planned], calls: Sequence[Call], schemas: Schemas) -> None:
        self._steps_by_name, self._calls_by_name = _by_name(plan), _by_name(calls)
        pairs = sum(len(steps) * len(self._calls_by_name.get(name, ())) for name, steps in self._steps_by_name.items())
        if pairs > MAX_PAIRS:
            raise InputError(f"the plan and the trace have {pairs} pairs with the same name; the limit is {MAX_PAIRS}")
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


# --- the heaviest chain --------------------------------------------------------------------------

_Chain: TypeAlias = "tuple[tuple[tuple[int, int], ...], _Chain] | None"
"""Pairs (place in the sequence, member of a batch) and the chain before them."""


class _Front:
    """The best chains so far: each ends later in the sequence than the one before it, and weighs more."""

    def __init__(self) -> None:
        self._ends: list[int] = [0]
        self._values: list[int] = [0]
        self._chains: list[_Chain] = [None]

    def before(self, place: int) -> tuple[int, _Chain]:
        """Return the heaviest chain that ends before a place."""
        at = bisect_right(self._ends, place) - 1
        return self._values[at], self._chains[at]

    def offer(self, end: int, value: int, chain: _Chain) -> None:
        """Take a chain that ends before ``end``, unless there is one as heavy that ends no later."""
        at = bisect_right(self._ends, end)
        if self._values[at - 1] >= value:
            return
        first = at - (self._ends[at - 1] == end)
        last = bisect_right(self._values, value, lo=at)
        self._ends[first:last], self._values[first:last], self._chains[first:last] = [end], [value], [chain]


def _heaviest(
    sequence: Sequence[int], batches: Sequence[Sequence[int]], weigh: Callable[[int], Iterator[tuple[int, int]]]
) -> tuple[int, list[tuple[int, int]]]:
    """Return the weight and the pairs (place, member) of a heaviest chain of a sequence with batches of members."""
    place_of = {index: place for place, index in enumerate(sequence)}
    front = _Front()
    for batch in batches:
        offers: list[tuple[int, int, _Chain]] = []
        if len(batch) == 1:
            for index, weight in weigh(batch[0]):
                place = place_of[index]
                value, chain = front.before(place)
                offers.append((place + 1, value + weight, (((place, batch[0]),), chain)))
        else:
            table = {
                (place_of[index], column): weight
                for column, member in enumerate(batch)
                for index, weight in weigh(member)
            }
            offers.extend(_stretches(front, batch, table))
        for offer in offers:
            front.offer(*offer)
    value, chain = front.before(len(sequence))
    pairs: list[tuple[int, int]] = []
    while chain is not None:
        pairs += reversed(chain[0])
        chain = chain[1]
    return value, pairs[::-1]


def _stretches(
    front: _Front, batch: Sequence[int], table: Mapping[tuple[int, int], int]
) -> Iterator[tuple[int, int, _Chain]]:
    """Yield what the best assignments of a batch to each stretch of the sequence make of the chains before it."""
    places = sorted({place for place, _ in table})
    for first, start in enumerate(places):
        before, chain = front.before(start)
        rows = [[table.get((place, column), 0) for column in range(len(batch))] for place in places[first:]]
        for count, assigned in enumerate(_assignments(rows, len(batch)), start=1):
            pairs = [(places[first + row], column) for row, column in sorted(assigned) if rows[row][column]]
            gain = sum(table[pair] for pair in pairs)
            yield (
                places[first + count - 1] + 1,
                before + gain,
                (tuple((place, batch[column]) for place, column in pairs), chain),
            )


def _assignments(rows: Sequence[Sequence[int]], columns: int) -> Iterator[list[tuple[int, int]]]:
    """Yield heaviest assignments of the first row, of the first two, and so on, as pairs (row, column).

    The Hungarian method with potentials, a row at a time; a row may also go to a column of its own that weighs nothing.
    """
    width = columns + len(rows)
    far = 4 * (width + 1) * (1 + max((max(row) for row in rows), default=0))
    of_row, of_column = [0] * len(rows), [0] * (width + 1)
    owner = [-1] * (width + 1)  # the row of each column; the last one is where a new row begins
    for new in range(len(rows)):
        owner[width] = new
        column, slack, seen, back = width, [far] * width, [False] * (width + 1), [width] * width
        while owner[column] >= 0:
            seen[column] = True
            row, step, following = owner[column], far, width
            for other in range(width):
                if seen[other]:
                    continue
                cost = -rows[row][other] if other < columns else 0
                reduced = cost - of_row[row] - of_column[other]
                if reduced < slack[other]:
                    slack[other], back[other] = reduced, column
                if slack[other] < step:
                    step, following = slack[other], other
            for other in range(width + 1):
                if seen[other]:
                    of_row[owner[other]] += step
                    of_column[other] -= step
                elif other < width:
                    slack[other] -= step
            column = following
        while column != width:
            owner[column] = owner[back[column]]
            column = back[column]
        owner[width] = -1
        yield [(owner[column], column) for column in range(columns) if owner[column] >= 0]
