"""The modified problem on one variable, place by place: what the rest costs from each of its values.

As ``backward.projection``, with prices of their own for each insertion and each place, and towards the end.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from validator.records import dataclass
from validator.repair.search.backward.projection import FREE, Change
from validator.repair.search.backward.regression import Regression

__all__ = ["NEVER", "Numbers", "Prices", "Projection", "Rest"]

Numbers = npt.NDArray[np.int64]
Prices = npt.NDArray[np.signedinteger]
"""in as few bytes as the dearest one needs, as there are millions of them"""

NEVER = 2**30
"""what it costs to reach the end from where it cannot be reached: more than any cost, and within 32 bits"""

_Move = tuple[int, int]
"""A value before a step, or FREE for any, and the value behind it, or FREE for the same."""


@dataclass(frozen=True, kw_only=True)
class Rest:
    """What the rest costs at least: a row by value for so many places, one behind the other."""

    rows: Numbers
    lengths: Numbers


class Projection:
    """One variable: its classes of operators by what they do to it (a *kind*), and what the observed steps do to it."""

    def __init__(
        self, regression: Regression, variable: int, changing: Sequence[Change], places: Sequence[int]
    ) -> None:
        """Prepare it; ``changing`` are the classes that change the variable, ``places`` of steps that touch it."""
        self.size = regression.sizes[variable]
        self.start = regression.task.init[variable]
        self._length = regression.length
        kinds: dict[_Move, list[int]] = {}
        for change in changing:
            kinds.setdefault((change.need.get(variable, FREE), change.sets[variable]), []).append(change.number)
        self.members = np.array([number for numbers in kinds.values() for number in numbers], dtype=np.intp)
        self.lengths = np.array([len(numbers) for numbers in kinds.values()], dtype=np.intp)
        self._starts = np.cumsum(self.lengths) - self.lengths
        self.is_free = np.array([need == FREE for need, _ in kinds], dtype=np.bool_)
        self._arcs(list(kinds))
        self.moves = {place: _moves(variable, regression.steps[place]) for place in places}
        self._is_moved = np.zeros(self._length, dtype=np.bool_)
        self._is_moved[list(places)] = True
        self.goal = np.ones(self.size, dtype=np.bool_)
        for choices in regression.stages:
            allowed = np.zeros(self.size, dtype=np.bool_)
            for choice in choices:
                wanted = dict(choice).get(variable)
                allowed[slice(None) if wanted is None else wanted] = True
            self.goal &= allowed

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

    def prices(self, inserting: Prices) -> Prices:
        """Return what the cheapest class of each kind costs at each place; all classes by places come in."""
        if not len(self.members):
            return inserting[:0]
        every = inserting[self.members]
        return every if len(self._starts) == len(every) else np.minimum.reduceat(every, self._starts, axis=0)

    def rest(self, prices: Prices, skipping: Numbers) -> Rest:
        """Return for each place and value what the rest of the plan costs at least; prices of one place are of all."""
        prices = np.broadcast_to(prices, (len(prices), self._length + 1))
        differs = self._is_moved.copy()
        if prices.strides[1]:
            differs |= (prices[:, 1:] != prices[:, :-1]).any(axis=0)
        places = np.flatnonzero(differs)[::-1]
        row = self.closed(np.where(self.goal, 0, NEVER), prices[:, -1])
        rows = [row]
        for place in places.tolist():
            moves = self.moves.get(place)
            here = row if moves is None else _before(row, moves, int(skipping[place]))
            row = self.closed(np.minimum(here, NEVER), prices[:, place])
            rows.append(row)
        return Rest(rows=np.array(rows[::-1]), lengths=np.diff(places[::-1] + 1, prepend=0, append=self._length + 1))

    def closed(self, costs: Numbers, prices: Numbers) -> Numbers:
        """Return costs after any insertions at a place."""
        if not len(self._by_old):
            return costs
        ways, behind = prices[self.kinds[self._by_old]], self.new[self._by_old]
        while True:
            least = np.minimum.reduceat(ways + costs[behind], self._old_firsts)
            if not (least < costs[self._olds]).any():
                return costs
            costs[self._olds] = np.minimum(costs[self._olds], least)

    def shares(self, rows: Numbers) -> Numbers:
        """Return for each kind and row the least price, which may be negative, with which the rest costs as much."""
        found = np.zeros((len(self.lengths), len(rows)), dtype=np.int64)
        if len(self.kinds):
            differences = rows[:, self.old] - rows[:, self.new]
            found[self.has_arcs] = np.maximum.reduceat(differences, self._firsts, axis=1).T
        found[self.is_free] = np.maximum(found[self.is_free], 0)  # from the value itself, where nothing falls
        return found

    def saturated(self, rest: Rest) -> Numbers:
        """Return for each kind and row the least price with which ``rest`` is still what it costs at least."""
        found: Numbers = np.maximum(self.shares(rest.rows), 0)
        return found

    def saturated_skips(self, rest: Rest) -> Numbers:
        """Return the same for the steps that are skipped: between two rows, as within one nothing falls."""
        found = np.zeros(self._length, dtype=np.int64)
        here, behind = rest.rows[:-1], rest.rows[1:]
        differences = np.where(behind < NEVER, here - behind, 0).max(axis=1, initial=0)
        found[np.cumsum(rest.lengths[:-1]) - 1] = differences
        return np.where(self._is_moved, found, 0)


def _moves(variable: int, steps: Sequence[Change]) -> list[_Move]:
    """Return what the variants of a step do to a variable, which some of them read or set.

    A variant that leaves it alone is one of several ways, as (FREE, FREE): another one may set it all the same.
    """
    return [(step.need.get(variable, FREE), step.sets.get(variable, FREE)) for step in steps]


def _before(behind: Numbers, moves: Sequence[_Move], skipping: int) -> Numbers:
    """Return what the values before a step cost: it is skipped for a price, or kept for nothing."""
    found: Numbers = behind + skipping
    for need, value in moves:
        before = slice(None) if need == FREE else need
        found[before] = np.minimum(found[before], behind[before if value == FREE else value])
    return found
