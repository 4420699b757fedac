"""What the steps before a place cost at least, and which operators may be inserted there: profiles put together.

What is asked of all operators at a place is computed in one go, over matrices with a row for each operator.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from operator import getitem
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from validator.repair.search.projection import FREE, Change, Needs, Profile

__all__ = ["Estimate", "Matrices"]

_Numbers: TypeAlias = npt.NDArray[np.int32]
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


class _Course:
    """The costs of all facts at one place of a profile, which moves along with what is asked."""

    def __init__(self, profile: Profile, first: _Numbers) -> None:
        self.profile = profile
        self.first = first
        self.index = -1
        self.costs: _Costs = np.zeros(first[-1] + 1, dtype=np.float64)

    def at(self, index: int) -> _Costs:
        if self.index < 0 or abs(index - self.index) * 8 > len(self.first):
            variables = frozenset(range(len(self.first) - 1))
        else:
            low, high = sorted((index, self.index))
            variables = frozenset().union(*self.profile.changed[low + 1 : high + 1])
        rows = self.profile.table[index]
        for variable in variables:
            self.costs[self.first[variable] : self.first[variable + 1]] = rows[variable][:-1]
        self.index = index
        return self.costs


class Estimate:
    """A lower bound of what the steps before a place cost, with what is needed there.

    Of several profiles with what is to be added to each, the highest bound counts.
    """

    def __init__(self, matrices: Matrices, length: int, profiles: Sequence[Profile], offsets: Sequence[int]) -> None:
        self._matrices = matrices
        self._at: list[list[tuple[float, _Course, int]]] = [[] for _ in range(length + 1)]
        self._floor: list[float] = [0] * (length + 1)
        self._reaching: dict[int, _Costs] = {}
        for profile, offset in zip(profiles, offsets, strict=True):
            course = _Course(profile, matrices.first)
            for index in range(len(profile.table)):
                place = profile.start + index
                # Between two windows, the one before says more.
                if index > 0 or place == 0 or not self._at[place]:
                    self._at[place].append((offset, course, index))
                    self._floor[place] = max(self._floor[place], offset + profile.least[index])

    def __call__(self, place: int, needs: Needs) -> float:
        best = self._floor[place]
        for offset, course, index in self._at[place]:
            best = max(best, offset + max(map(getitem, course.profile.table[index], needs)))
        return best

    def insertable(self, place: int, room: float, needs: Needs) -> list[int]:
        """Return the operators that bring about a need, and can be inserted at a place for less than a cost."""
        matrices = self._matrices
        if self._floor[place] + matrices.least >= room:
            return []
        affordable = np.flatnonzero(self._reach(place) + matrices.costs < room)
        if not len(affordable):
            return []
        needed, useful = matrices.facts(needs), np.zeros(len(affordable), dtype=np.bool_)
        for row in matrices.gains:
            useful |= needed[row[affordable]]
        return list(affordable[useful].tolist())

    def _reach(self, place: int) -> _Costs:
        """Return for each operator the bound of what comes before it, at a place."""
        found = self._reaching.get(place)
        if found is None:
            needs = self._matrices.needs
            found = np.full(needs.shape[1], self._floor[place], dtype=np.float64)
            for offset, course, index in self._at[place]:
                costs = course.at(index) + offset
                for row in needs:
                    np.maximum(found, costs[row], out=found)
            if (len(self._reaching) + 1) * len(found) > _MOST_HELD:
                self._reaching.clear()
            self._reaching[place] = found
        return found
