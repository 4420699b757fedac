"""The modified problem on one variable, place by place: what the rest costs from each of its values.

As ``backward.projection``, with prices of their own for each insertion and each place, and towards the end.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from validator.repair.search.backward.projection import FREE, Change
from validator.repair.search.backward.regression import Regression

__all__ = ["NEVER", "Numbers", "Projection"]

Numbers = npt.NDArray[np.int64]

NEVER = 2**40
"""what it costs to reach the end from where it cannot be reached"""

_Move = tuple[int, int]
"""A value before a step, or FREE for any, and the value behind it, or FREE for the same."""


class Projection:
    """One variable: its operators by what they do to it (a *kind*), and what the observed steps do to it."""

    def __init__(self, regression: Regression, variable: int, changing: Sequence[Change]) -> None:
        """Prepare it; ``changing`` are the operators that change the variable."""
        self.size = regression.sizes[variable]
        self.start = regression.task.init[variable]
        self._length = regression.length
        kinds: dict[_Move, list[int]] = {}
        for change in changing:
            kinds.setdefault((change.need.get(variable, FREE), change.sets[variable]), []).append(change.number)
        self.members = np.array([number for numbers in kinds.values() for number in numbers], dtype=np.intp)
        self.lengths = np.array([len(numbers) for numbers in kinds.values()], dtype=np.intp)
        self._starts = np.cumsum(self.lengths) - self.lengths
        self._arcs(list(kinds))
        moves = (_moves(variable, steps) for steps in regression.steps)
        self.moves = {place: found for place, found in enumerate(moves) if found}
        self.goal = np.zeros(self.size, dtype=np.bool_)
        for target in regression.targets:
            wanted = dict(target).get(variable)
            self.goal[slice(None) if wanted is None else wanted] = True

    def _arcs(self, kinds: Sequence[_Move]) -> None:
        """Write down which value each kind leads to from which, sorted by kind, and once more by value."""
        every = range(self.size)
        arcs = [
            (kind, old, new)
            for kind, (need, new) in enumerate(kinds)
            for old in (every if need == FREE else (need,))
            if old != new
        ]
        found = np.array(arcs, dtype=np.intp).reshape(-1, 3)
        self.kinds, self.old, self.new = found[:, 0], found[:, 1], found[:, 2]
        self.has_arcs, self._firsts = np.unique(self.kinds, return_index=True)
        self._by_old = np.argsort(self.old, kind="stable")
        self._olds, self._old_firsts = np.unique(self.old[self._by_old], return_index=True)

    def prices(self, inserting: npt.NDArray[np.int32]) -> Numbers:
        """Return what the cheapest operator of each kind costs at each place; all operators by places come in."""
        if not len(self.members):
            return np.zeros((0, self._length + 1), dtype=np.int64)
        return np.minimum.reduceat(inserting[self.members], self._starts, axis=0).astype(np.int64)

    def rest(self, prices: Numbers, skipping: Numbers) -> Numbers:
        """Return for each place and value what the rest of the plan costs at least."""
        found = np.empty((self._length + 1, self.size), dtype=np.int64)
        found[-1] = self._close(np.where(self.goal, 0, NEVER), prices[:, -1])
        differs = (prices[:, 1:] != prices[:, :-1]).any(axis=0)
        for place in range(self._length - 1, -1, -1):
            moves, behind = self.moves.get(place), found[place + 1]
            if moves is None and not differs[place]:
                found[place] = behind
                continue
            here = behind.copy() if moves is None else _before(behind, moves, int(skipping[place]))
            found[place] = self._close(np.minimum(here, NEVER), prices[:, place])
        return found

    def _close(self, costs: Numbers, prices: Numbers) -> Numbers:
        """Return costs after any insertions at a place."""
        if not len(self._by_old):
            return costs
        ways, behind = prices[self.kinds[self._by_old]], self.new[self._by_old]
        while True:
            least = np.minimum.reduceat(ways + costs[behind], self._old_firsts)
            if not (least < costs[self._olds]).any():
                return costs
            costs[self._olds] = np.minimum(costs[self._olds], least)

    def saturated(self, rest: Numbers) -> Numbers:
        """Return for each kind and place the least price with which ``rest`` is still what it costs at least."""
        found = np.zeros((len(self.lengths), len(rest)), dtype=np.int64)
        if len(self.kinds):
            differences = rest[:, self.old] - rest[:, self.new]
            found[self.has_arcs] = np.maximum.reduceat(differences, self._firsts, axis=1).T
        return np.maximum(found, 0)

    def saturated_skips(self, rest: Numbers) -> Numbers:
        """Return the same for the steps that are skipped."""
        found = np.zeros(self._length, dtype=np.int64)
        for place in self.moves:
            differences = np.where(rest[place + 1] < NEVER, rest[place] - rest[place + 1], 0)
            found[place] = max(0, int(differences.max()))
        return found


def _moves(variable: int, steps: Sequence[Change]) -> list[_Move]:
    """Return what the variants of a step do to a variable; nothing when none of them reads or sets it.

    A variant that leaves it alone is one of several ways, as (FREE, FREE): another one may set it all the same.
    """
    found = [(step.need.get(variable, FREE), step.sets.get(variable, FREE)) for step in steps]
    return found if set(found) != {(FREE, FREE)} else []


def _before(behind: Numbers, moves: Sequence[_Move], skipping: int) -> Numbers:
    """Return what the values before a step cost: it is skipped for a price, or kept for nothing."""
    found: Numbers = behind + skipping
    for need, value in moves:
        before = slice(None) if need == FREE else need
        found[before] = np.minimum(found[before], behind[before if value == FREE else value])
    return found
