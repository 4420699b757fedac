"""What the steps before a place cost at least, and which operators may be inserted there: profiles put together.

Of each place is known which facts cost more than others, as bits: so what must hold there is asked in a few operations,
however much that is. What is asked of all operators at a place is computed in one go, over a matrix.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property, reduce
from operator import or_
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from validator.repair.search.backward.projection import Change, Profile
from validator.repair.search.backward.regression import Facts, Needs

__all__ = ["Estimate", "Matrices"]

_Numbers: TypeAlias = npt.NDArray[np.int32]
_Row: TypeAlias = tuple[float, ...]
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

    @cached_property
    def costs(self) -> _Costs:
        return np.array([change.cost for change in self.changes], dtype=np.float64)

    @cached_property
    def least(self) -> float:
        """Return what the cheapest operator costs."""
        return float(self.costs.min(initial=np.inf))

    @cached_property
    def asks(self) -> Sequence[Needs]:
        return [self._facts.of(change.need.items()) for change in self.changes]

    @cached_property
    def gains(self) -> Sequence[Needs]:
        return [self._facts.of(change.gains) for change in self.changes]

    @cached_property
    def needs(self) -> _Numbers:
        """Return the numbers of the facts that each operator needs."""
        return self._matrix([list(change.need.items()) for change in self.changes])

    @cached_property
    def _gained(self) -> _Numbers:
        return self._matrix([list(change.gains) for change in self.changes])

    def _matrix(self, rows: Sequence[Sequence[tuple[int, int]]]) -> _Numbers:
        found = np.full((max(map(len, rows), default=0) or 1, len(rows)), self.first[-1], dtype=np.int32)
        lengths = [len(row) for row in rows]
        flat = np.array([pair for row in rows for pair in row], dtype=np.int32).reshape(-1, 2)
        lines = np.repeat(np.arange(len(rows)), lengths)
        columns = np.concatenate([np.arange(length) for length in lengths]) if rows else np.arange(0)
        found[columns, lines] = self.first[flat[:, 0]] + flat[:, 1]
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
        return (number for number in some.tolist() if self.gains[number] & needs == needs)


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

    def __init__(self, matrices: Matrices, start: int, profiles: Sequence[Profile], offsets: Sequence[int]) -> None:
        """Put profiles together, which all lie behind ``start`` and cover what is asked for."""
        self._matrices = matrices
        self._start = start
        self._table: list[list[_Row]] = []
        self._levels: list[list[tuple[float, Needs]]] = []
        """for each place the costs above the floor, the highest first, each with the facts that cost so much"""
        self._costly: dict[float, Needs] = {}
        self._floor: list[float] = []
        self._changed: list[frozenset[int]] = []
        self._reaching: dict[int, _Costs] = {}
        self._useful: dict[tuple[int, float], _Affordable] = {}
        self._costs: _Costs = np.zeros(matrices.first[-1] + 1, dtype=np.float64)
        self._at = -1
        ends = max(profile.end for profile in profiles)
        for place in range(start, ends + 1):
            here = [
                (profile, offset)
                for profile, offset in zip(profiles, offsets, strict=True)
                # Between two windows, the one before says more.
                if profile.start <= place <= profile.end and (place > profile.start or place == start)
            ]
            self._add(place, here)

    def _add(self, place: int, here: Sequence[tuple[Profile, int]]) -> None:
        """Add a place: only the rows that change there are put together anew, until other profiles begin."""
        found = [(profile.table[place - profile.start], offset) for profile, offset in here]
        profile, _ = here[0]
        if self._table and all(profile.start + 1 < place for profile, _ in here):
            rows, changed = list(self._table[-1]), profile.changed[place - profile.start]
        else:
            rows, changed = [()] * len(profile.table[0]), frozenset(range(len(profile.table[0])))
        for variable in changed:
            columns = [[cost + offset for cost in row[variable]] if offset else row[variable] for row, offset in found]
            rows[variable] = tuple(map(max, *columns)) if len(columns) > 1 else tuple(columns[0])
        self._table.append(rows)
        self._changed.append(changed)
        self._floor.append(max(profile.least[place - profile.start] + offset for profile, offset in here))
        self._level(rows, changed)

    def _level(self, rows: Sequence[_Row], changed: frozenset[int]) -> None:
        """Sort the facts of a place by what they cost, by moving there from the place before."""
        first = self._matrices.first.tolist() if len(changed) == len(rows) else self._first
        self._first: list[int] = first
        kept = ~reduce(or_, (((1 << first[v + 1] - first[v]) - 1) << first[v] for v in changed), 0)
        costly = {} if len(changed) == len(rows) else {c: left for c, m in self._costly.items() if (left := m & kept)}
        floor = self._floor[-1]  # which gets no lower while rows are kept
        for variable in changed:
            own: dict[float, int] = {}
            bit = 1
            for cost in rows[variable][:-1]:
                if cost > floor:
                    own[cost] = own.get(cost, 0) | bit
                bit <<= 1
            for cost, values in own.items():
                costly[cost] = costly.get(cost, 0) | values << first[variable]
        self._costly = costly
        self._levels.append(sorted(((cost, facts) for cost, facts in costly.items() if cost > floor), reverse=True))

    def __call__(self, place: int, needs: Needs) -> float:
        index = place - self._start
        for cost, facts in self._levels[index]:
            if needs & facts:
                return cost
        return self._floor[index]

    def insertable(self, place: int, room: float, needs: Needs) -> Iterator[tuple[int, bool]]:
        """Yield the operators that bring about a need, and can be inserted at a place for less than a cost.

        A need that costs all that is left has to go: only an operator that brings it about is of use. With each comes
        whether it makes what stands before it cheaper: not where a need stays that costs as much as all do.
        """
        matrices, index = self._matrices, place - self._start
        left = room - matrices.least
        if self._floor[index] >= left:
            return
        critical = needs & self._costing(index, left)
        if critical:
            for number in matrices.gaining_all(critical):
                if self._affords(index, room, number):
                    yield number, True
            return
        most = next((facts for _, facts in self._levels[index] if needs & facts), 0) & needs
        affordable = self._affordable(index, room)
        useful = map(affordable.bringing, _numbers(needs & affordable.gained))
        for number in sorted({number for numbers in useful for number in numbers}):
            yield number, most != 0 and matrices.gains[number] & most == most

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
        return self._floor[index] < left and not self._matrices.asks[number] & self._costing(index, left)

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
        first, rows = self._matrices.first, self._table[index]
        low, high = sorted((index, self._at))
        variables: Iterable[int] = range(len(rows))
        if self._at >= 0 and (high - low) * 8 <= len(rows):
            variables = frozenset().union(*self._changed[low + 1 : high + 1])
        for variable in variables:
            self._costs[first[variable] : first[variable + 1]] = rows[variable][:-1]
        self._at = index
        return self._costs


def _numbers(needs: Needs) -> Iterator[int]:
    """Yield the numbers of facts."""
    while needs:
        lowest = needs & -needs
        yield lowest.bit_length() - 1
        needs ^= lowest
