"""What the steps before a place cost at least, and which operators may be inserted there: profiles put together.

Of each place is known which facts cost more than others, as bits: so what must hold there is asked in a few operations,
however much that is. What is asked of all operators at a place is computed in one go, over a matrix.
"""

from __future__ import annotations

from bisect import bisect
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import cached_property, reduce
from itertools import chain
from operator import itemgetter, or_
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from validator.repair.cost_partitioning.change import Change
from validator.repair.regression.problem import Facts, Needs
from validator.repair.regression.profiles import Profile, Row

__all__ = ["Alone", "Estimate", "Matrices", "priced"]

Alone: TypeAlias = tuple[Needs, int, float]
"""A fact that costs something by itself, its price, and the last place before which it does."""

_Numbers: TypeAlias = npt.NDArray[np.int32]
_Costs: TypeAlias = npt.NDArray[np.float64]

_NONE = np.zeros(0, dtype=np.int32)

_MOST_HELD = 2**26
"""costs of operators that are remembered, for all places together"""


class Matrices:
    """The operators as columns of the facts that they need, and what they bring about as bits.

    Shorter columns are filled with a last fact that costs nothing and is never needed. What is asked goes row by row:
    over columns of two or three entries the library is many times slower.
    """

    def __init__(self, facts: Facts, changes: Sequence[Change]) -> None:
        self.first = np.array(facts.first, dtype=np.int32)
        self.changes = changes
        self._facts = facts
        self._asked: dict[int, Needs] = {}
        self._brought: dict[int, Needs] = {}

    @cached_property
    def costs(self) -> _Costs:
        return np.array([change.cost for change in self.changes], dtype=np.float64)

    @cached_property
    def least(self) -> float:
        """Return what the cheapest operator costs."""
        return float(self.costs.min(initial=np.inf))

    def asks(self, number: int) -> Needs:
        """Return the facts that an operator needs."""
        found = self._asked.get(number)
        if found is None:
            found = self._asked[number] = self._facts.of(self.changes[number].need.items())
        return found

    def gains(self, number: int) -> Needs:
        """Return the facts that an operator brings about."""
        found = self._brought.get(number)
        if found is None:
            found = self._brought[number] = self._facts.of(self.changes[number].gains)
        return found

    @cached_property
    def needs(self) -> _Numbers:
        """Return the numbers of the facts that each operator needs."""
        return self._matrix([change.need.items() for change in self.changes])

    @cached_property
    def _gained(self) -> _Numbers:
        return self._matrix([change.gains for change in self.changes])

    def _matrix(self, rows: Sequence[Collection[tuple[int, int]]]) -> _Numbers:
        lengths = np.array([len(row) for row in rows], dtype=np.int32)
        found = np.full((int(lengths.max(initial=1)), len(rows)), self.first[-1], dtype=np.int32)
        pairs = np.fromiter(chain.from_iterable(chain.from_iterable(rows)), dtype=np.int32).reshape(-1, 2)
        starts = np.cumsum(lengths) - lengths
        columns = np.arange(len(pairs)) - np.repeat(starts, lengths)
        found[columns, np.repeat(np.arange(len(rows)), lengths)] = self.first[pairs[:, 0]] + pairs[:, 1]
        return found

    @cached_property
    def gaining(self) -> Mapping[int, _Numbers]:
        """Return the operators that bring about a fact, by its number."""
        found: dict[int, list[int]] = {}
        for number, change in enumerate(self.changes):
            for variable, value in change.gains:
                found.setdefault(self._facts.first[variable] + value, []).append(number)
        return {fact: np.array(numbers, dtype=np.int32) for fact, numbers in found.items()}

    def gained(self, chosen: npt.NDArray[np.bool_]) -> Needs:
        """Return the facts that some operators bring about."""
        found = np.zeros(self.first[-1] + 1, dtype=np.bool_)
        for row in self._gained:
            found[row[chosen]] = True
        return int.from_bytes(np.packbits(found[:-1], bitorder="little").tobytes(), "little")

    def gaining_all(self, needs: Needs) -> Iterator[int]:
        """Yield the operators that bring about all of some facts."""
        some = min((self.gaining.get(fact, _NONE) for fact in _numbers(needs)), key=len)
        return (number for number in some.tolist() if self.gains(number) & needs == needs)


class _Affordable:
    """The operators that may be inserted at a place for less than a cost: asked for by what they bring about."""

    def __init__(self, matrices: Matrices, chosen: npt.NDArray[np.bool_]) -> None:
        self.gained = matrices.gained(chosen)
        self._matrices = matrices
        self._chosen = chosen
        self._known: dict[int, Sequence[int]] = {}

    def bringing(self, fact: int) -> Sequence[int]:
        found = self._known.get(fact)
        if found is None:
            numbers = self._matrices.gaining[fact]
            found = self._known[fact] = numbers[self._chosen[numbers]].tolist()
        return found


class Estimate:
    """A lower bound of what the steps before a place cost, with what is needed there.

    Of several profiles with what is to be added to each, the highest bound counts.
    """

    def __init__(
        self,
        matrices: Matrices,
        start: int,
        profiles: Sequence[Profile],
        offsets: Sequence[int],
        apart: Sequence[Alone] = (),
    ) -> None:
        """Put profiles together, which all lie behind ``start`` and cover what is asked for.

        ``apart`` are facts that cost something by themselves.
        """
        self._apart = apart
        self._some_apart = reduce(or_, (fact for fact, _, _ in apart), 0)
        self._matrices = matrices
        self._start = start
        self._first: list[int] = matrices.first.tolist()
        self._rows: list[list[tuple[int, Row]]] = [[] for _ in self._first[1:]]
        """for each variable its costs, behind the place from which on they are so"""
        self._changed: list[Collection[int]] = []
        self._levels: list[list[tuple[float, Needs]]] = []
        """for each place the costs above the floor, the highest first, each with the facts that cost so much"""
        self._costly: dict[float, Needs] = {}
        self._floor: list[float] = []
        self._reaching: dict[int, _Costs] = {}
        self._useful: dict[tuple[int, float], _Affordable] = {}
        self._costs: _Costs = np.zeros(self._first[-1] + 1, dtype=np.float64)
        self._at = -1
        columns = [_Column(profile, offset) for profile, offset in zip(profiles, offsets, strict=True)]
        for place in range(start, max(profile.end for profile in profiles) + 1):
            # Between two windows, the one before says more.
            here = [column for column in columns if column.covers(place) and (place > column.start or place == start)]
            for column in columns:
                column.move(place)
            self._add(place, here)

    def _add(self, place: int, here: Sequence[_Column]) -> None:
        """Add a place: only the rows that change there are put together anew, until other profiles begin."""
        changed: Collection[int] = range(len(self._rows))
        if self._changed and all(column.start + 1 < place for column in here):
            changed = here[0].changed
        self._changed.append(changed)
        self._floor.append(max(column.least for column in here))
        rows = {variable: self._together(variable, here) for variable in changed}
        for variable, row in rows.items():
            self._rows[variable].append((place - self._start, row))
        self._level(rows)

    def _together(self, variable: int, here: Sequence[_Column]) -> Row:
        """Return the costs of a variable's values at the last place, as far as they are above the floor."""
        floor = self._floor[-1]
        rows = ((column.rows[variable], column.offset) for column in here)
        return Row.highest([row.raised(offset) for row, offset in rows if row.most + offset > floor])

    def _level(self, rows: Mapping[int, Row]) -> None:
        """Sort the facts of a place by what they cost, by moving there from the place before."""
        floor, first = self._floor[-1], self._first  # a floor gets no lower while rows are kept
        costly: dict[float, Needs] = {}
        if len(rows) < len(self._rows):
            kept = ~reduce(or_, (self._every(variable) for variable in rows), 0)
            costly = {cost: left for cost, facts in self._costly.items() if (left := facts & kept) and cost > floor}
        for variable, row in rows.items():
            own: dict[float, Needs] = {}
            for value, cost in row.known.items():
                own[cost] = own.get(cost, 0) | 1 << first[variable] + value
            if row.others > floor:
                others = self._every(variable) & ~reduce(or_, own.values(), 0)
                own[row.others] = own.get(row.others, 0) | others
            for cost, facts in own.items():
                if cost > floor:
                    costly[cost] = costly.get(cost, 0) | facts
        self._costly = costly
        self._levels.append(sorted(costly.items(), reverse=True))

    def _every(self, variable: int) -> Needs:
        """Return all facts of a variable."""
        first, end = self._first[variable : variable + 2]
        return (1 << end - first) - 1 << first

    def __call__(self, place: int, needs: Needs) -> float:
        index = place - self._start
        alone = self._alone(place, needs)
        for cost, facts in self._levels[index]:
            if needs & facts:
                return cost + alone
        return self._floor[index] + alone

    def _alone(self, place: int, needs: Needs) -> int:
        """Return what the needs cost together that cost something by themselves."""
        return sum(price for _, price in priced(self._apart, place, needs)) if needs & self._some_apart else 0

    def _highest(self, index: int, needs: Needs) -> Needs:
        """Return the needs that cost as much as all do; none where that is the floor."""
        return next((facts & needs for _, facts in self._levels[index] if needs & facts), 0)

    @property
    def least(self) -> float:
        """Return what the cheapest operator costs."""
        return self._matrices.least

    def helping(self, place: int, room: float, needs: Needs) -> Iterator[int]:
        """Yield the operators that make what stands before a place cheaper, and with it cost less than ``room``.

        They bring about all needs that cost as much as all do, or one that costs something by itself. A need that costs
        all that is left has to go.
        """
        index, matrices = place - self._start, self._matrices
        room -= self._alone(place, needs)
        for fact, price in priced(self._apart, place, needs):
            for number in matrices.gaining[fact.bit_length() - 1].tolist():
                if self._affords(index, room + price, number):
                    yield number
        if self._floor[index] >= room - self.least:
            return
        wanted = needs & self._costing(index, room - self.least) or self._highest(index, needs)
        if wanted:
            yield from (number for number in matrices.gaining_all(wanted) if self._affords(index, room, number))

    def has_others(self, place: int, room: float, needs: Needs) -> bool:
        """Return whether others may be of use: a need stays behind them that costs as much as before."""
        index, left = place - self._start, room - self._alone(place, needs) - self.least
        return self._floor[index] < left and not needs & self._costing(index, left)

    def others(self, place: int, room: float, needs: Needs) -> Iterable[int]:
        """Return all other operators that bring about a need and cost less than ``room`` with what is before them."""
        index = place - self._start
        most = self._highest(index, needs)
        affordable = self._affordable(index, room - self._alone(place, needs))
        alone = reduce(or_, (fact for fact, _ in priced(self._apart, place, needs)), 0)
        useful = map(affordable.bringing, _numbers(needs & ~alone & affordable.gained))
        found = sorted({number for numbers in useful for number in numbers})
        return (number for number in found if not most or self._matrices.gains(number) & most != most)

    def _costing(self, index: int, least: float) -> Needs:
        """Return the facts that cost at least so much, which is above the floor."""
        return reduce(or_, (facts for cost, facts in self._levels[index] if cost >= least), 0)

    def _affordable(self, index: int, room: float) -> _Affordable:
        """Return the operators that cost less than ``room`` with what comes before them."""
        found = self._useful.get((index, room))
        if found is None:
            if (len(self._useful) + 1) * len(self._matrices.changes) > _MOST_HELD:
                self._useful.clear()
            found = _Affordable(self._matrices, self._reach(index) + self._matrices.costs < room)
            self._useful[index, room] = found
        return found

    def _affords(self, index: int, room: float, number: int) -> bool:
        """Return whether an operator and what comes before it cost less than is left."""
        left = room - self._matrices.changes[number].cost
        return self._floor[index] < left and not self._matrices.asks(number) & self._costing(index, left)

    def _reach(self, index: int) -> _Costs:
        """Return for each operator the bound of what comes before it, at a place."""
        found = self._reaching.get(index)
        if found is None:
            needs, costs = self._matrices.needs, self._facts(index)
            found = np.full(needs.shape[1], self._floor[index], dtype=np.float64)
            for row in needs:
                np.maximum(found, costs[row], out=found)
            if (len(self._reaching) + 1) * len(found) > _MOST_HELD:
                self._reaching.clear()
            self._reaching[index] = found
        return found

    def _facts(self, index: int) -> _Costs:
        """Return the costs of all facts at a place, by moving there from where was asked before."""
        first = self._first
        low, high = sorted((index, self._at))
        variables: Iterable[int] = range(len(self._rows))
        if self._at >= 0 and (high - low) * 8 <= len(self._rows):
            variables = frozenset().union(*self._changed[low + 1 : high + 1])
        for variable in variables:
            row = self._row(variable, index)
            self._costs[first[variable] : first[variable + 1]] = row.others
            for value, cost in row.known.items():
                self._costs[first[variable] + value] = cost
        self._at = index
        return self._costs

    def _row(self, variable: int, index: int) -> Row:
        rows = self._rows[variable]
        return rows[bisect(rows, index, key=itemgetter(0)) - 1][1]


class _Column:
    """A profile with what is to be added to it, at a place that moves on."""

    def __init__(self, profile: Profile, offset: float) -> None:
        self.start, self._end = profile.start, profile.end
        self._profile = profile
        self.offset = offset
        self.rows = list(profile.first)
        self.changed: Mapping[int, Row] = {}
        self.least: float = offset

    def covers(self, place: int) -> bool:
        return self.start <= place <= self._end

    def move(self, place: int) -> None:
        """Move to a place, from the one before or to the beginning."""
        if self.covers(place):
            index = place - self.start
            self.changed = self._profile.changed[index]
            self.least = self._profile.least[index] + self.offset
            for variable, row in self.changed.items():
                self.rows[variable] = row


def priced(apart: Iterable[Alone], place: int, needs: Needs) -> Iterator[tuple[Needs, int]]:
    """Yield the needs that cost something by themselves before a place, each with its price."""
    return ((fact, price) for fact, price, last in apart if needs & fact and place <= last)


def _numbers(needs: Needs) -> Iterator[int]:
    """Yield the numbers of facts."""
    while needs:
        lowest = needs & -needs
        yield lowest.bit_length() - 1
        needs ^= lowest
