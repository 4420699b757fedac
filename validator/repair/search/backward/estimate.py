"""What the steps before a place cost at least, and which operators may be inserted there: profiles put together.

What is asked of all operators at a place is computed in one go, over matrices with a row for each operator.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from functools import cached_property
from operator import getitem
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from validator.grounding.operators import Value
from validator.repair.search.backward.projection import FREE, Change, Needs, Profile

__all__ = ["Estimate", "Matrices"]

_Numbers: TypeAlias = npt.NDArray[np.int32]
_Row: TypeAlias = tuple[float, ...]
_Costs: TypeAlias = npt.NDArray[np.float64]

_MOST_HELD = 2**26
"""costs of operators that are remembered, for all places together"""


class Matrices:
    """The operators as columns of facts; a fact is the number of a value among those of all variables.

    Shorter columns are filled with a last fact that costs nothing and is never needed. What is asked goes row by row:
    over columns of two or three entries the library is many times slower.
    """

    def __init__(self, sizes: Sequence[int], changes: Sequence[Change]) -> None:
        self.first = np.concatenate(([0], np.cumsum(sizes))).astype(np.int32)
        self.changes = changes

    @cached_property
    def costs(self) -> _Costs:
        return np.array([change.cost for change in self.changes], dtype=np.float64)

    @cached_property
    def least(self) -> float:
        """Return what the cheapest operator costs."""
        return float(self.costs.min(initial=np.inf))

    @cached_property
    def needs(self) -> _Numbers:
        return self._matrix([list(change.need.items()) for change in self.changes])

    @cached_property
    def gains(self) -> _Numbers:
        return self._matrix([list(change.gains) for change in self.changes])

    @cached_property
    def _gaining(self) -> Mapping[Value, Sequence[int]]:
        found: dict[Value, list[int]] = {}
        for index, change in enumerate(self.changes):
            for value in change.gains:
                found.setdefault(value, []).append(index)
        return found

    def gaining(self, values: Set[Value]) -> Iterator[int]:
        """Yield the operators that bring about all of some values."""
        one = min(values, key=lambda value: len(self._gaining.get(value, ())))
        return (index for index in self._gaining.get(one, ()) if values <= set(self.changes[index].gains))

    def _matrix(self, rows: Sequence[Sequence[tuple[int, int]]]) -> _Numbers:
        found = np.full((max(map(len, rows), default=0) or 1, len(rows)), self.first[-1], dtype=np.int32)
        lengths = [len(row) for row in rows]
        flat = np.array([pair for row in rows for pair in row], dtype=np.int32).reshape(-1, 2)
        lines = np.repeat(np.arange(len(rows)), lengths)
        columns = np.concatenate([np.arange(length) for length in lengths]) if rows else np.arange(0)
        found[columns, lines] = self.first[flat[:, 0]] + flat[:, 1]
        return found

    def facts(self, needs: Needs) -> npt.NDArray[np.bool_]:
        """Return for each fact whether it is needed."""
        values = np.array(needs, dtype=np.int32)
        known = np.flatnonzero(values != FREE)
        found = np.zeros(self.first[-1] + 1, dtype=np.bool_)
        found[self.first[known] + values[known]] = True
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
        self._floor: list[float] = []
        self._changed: list[frozenset[int]] = []
        self._reaching: dict[int, _Costs] = {}
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
            columns = zip(*([cost + offset for cost in row[variable]] for row, offset in found), strict=True)
            rows[variable] = tuple(map(max, columns))
        self._table.append(rows)
        self._changed.append(changed)
        self._floor.append(max(profile.least[place - profile.start] + offset for profile, offset in here))

    def __call__(self, place: int, needs: Needs) -> float:
        index = place - self._start
        return max(self._floor[index], max(map(getitem, self._table[index], needs)))

    def insertable(self, place: int, room: float, needs: Needs) -> Iterator[tuple[int, bool]]:
        """Yield the operators that bring about a need, and can be inserted at a place for less than a cost.

        A need that costs all that is left has to go: only an operator that brings it about is of use. With each comes
        whether it makes what stands before it cheaper: not where a need stays that costs as much as all do.
        """
        matrices, index = self._matrices, place - self._start
        left, floor = room - matrices.least, self._floor[index]
        if floor >= left:
            return
        costs = list(map(getitem, self._table[index], needs))
        most = max(costs)
        if most >= left:
            critical = {(variable, needs[variable]) for variable, cost in enumerate(costs) if cost >= left}
            for number in matrices.gaining(critical):
                if self._affords(index, room, number):
                    yield number, True
            return
        top = [(variable, needs[variable]) for variable, cost in enumerate(costs) if cost == most > floor]
        for number in self._useful(index, room, needs):
            gains = matrices.changes[number].gains
            yield number, 0 < len(top) <= len(gains) and all(value in gains for value in top)

    def _useful(self, index: int, room: float, needs: Needs) -> Sequence[int]:
        """Return the operators that bring about a need, and cost less than a cost with what comes before them."""
        matrices = self._matrices
        affordable = np.flatnonzero(self._reach(index) + matrices.costs < room)
        if not len(affordable):
            return ()
        needed, useful = matrices.facts(needs), np.zeros(len(affordable), dtype=np.bool_)
        for row in matrices.gains:
            useful |= needed[row[affordable]]
        found: list[int] = affordable[useful].tolist()
        return found

    def _affords(self, index: int, room: float, number: int) -> bool:
        """Return whether an operator and what comes before it cost less than is left."""
        change, rows = self._matrices.changes[number], self._table[index]
        left = room - change.cost
        costs = (rows[variable][value] for variable, value in change.need.items())
        return self._floor[index] < left and all(cost < left for cost in costs)

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
