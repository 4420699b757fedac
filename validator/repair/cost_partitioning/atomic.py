"""The modified problem on one variable, place by place: what the rest costs from each of its values.

Every insertion has a price of its own at each place (atomic projections; Edelkamp 2001 for pattern databases).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from validator.records import dataclass
from validator.repair.cost_partitioning.change import FREE, Change, Map
from validator.repair.cost_partitioning.problem import Problem

__all__ = ["NEVER", "Numbers", "Prices", "Projection", "Rest"]

Numbers = npt.NDArray[np.int64]
Prices = npt.NDArray[np.signedinteger]
"""in as few bytes as the dearest one needs, as there are millions of them"""

NEVER = 2**30
"""what it costs to reach the end from where it cannot be reached: more than any cost, and within 32 bits"""

Move: TypeAlias = "tuple[int, int] | Map"
"""A value before an operator, or FREE for any, and the value behind it, or FREE for the same; or a map of all."""

_Index: TypeAlias = "slice | npt.NDArray[np.intp]"


@dataclass(frozen=True, kw_only=True)
class Rest:
    """What the rest costs at least: a row by value for so many places, one behind the other."""

    rows: Numbers
    lengths: Numbers


class Projection:
    """One variable: its classes of operators by what they do to it (a *kind*), and what the observed steps do to it."""

    def __init__(self, problem: Problem, variable: int, changing: Sequence[Change], places: Sequence[int]) -> None:
        """Prepare it; ``changing`` are the classes that change the variable, ``places`` of steps that touch it."""
        self.size = problem.sizes[variable]
        self.start = problem.init[variable]
        self._length = problem.length
        kinds: dict[Move, list[int]] = {}
        for change in changing:
            kinds.setdefault(_move(variable, change), []).append(change.number)
        self.members = np.array([number for numbers in kinds.values() for number in numbers], dtype=np.intp)
        self.lengths = np.array([len(numbers) for numbers in kinds.values()], dtype=np.intp)
        self._starts = np.cumsum(self.lengths) - self.lengths
        arcs = [self._arcs(kind) for kind in kinds]
        self.is_free = np.array([any(old == new for old, new in of_kind) for of_kind in arcs], dtype=np.bool_)
        self._index([[(old, new) for old, new in of_kind if old != new] for of_kind in arcs])
        self.moves = {place: [_move(variable, step) for step in problem.steps[place]] for place in places}
        self._is_moved = np.zeros(self._length, dtype=np.bool_)
        self._is_moved[list(places)] = True
        self.goal = np.ones(self.size, dtype=np.bool_)
        for choices in problem.stages:
            allowed = np.zeros(self.size, dtype=np.bool_)
            for choice in choices:
                wanted = dict(choice).get(variable)
                allowed[slice(None) if wanted is None else held(wanted)] = True
            self.goal &= allowed

    def _arcs(self, kind: Move) -> list[tuple[int, int]]:
        """Return which value a kind leads to from which, where that is the same one as well."""
        if isinstance(kind, Map):
            return [(old, kind.behind[old]) for old in kind.before]
        need, new = kind
        return [(old, new) for old in (range(self.size) if need == FREE else (need,))]

    def _index(self, arcs: Sequence[Sequence[tuple[int, int]]]) -> None:
        """Write down what is changed by each kind, sorted by kind, and once more by value."""
        every = [(kind, old, new) for kind, of_kind in enumerate(arcs) for old, new in of_kind]
        found = np.array(every, dtype=np.intp).reshape(-1, 3)
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


def _move(variable: int, change: Change) -> Move:
    """Return what an operator does to a variable.

    A variant of a step may leave alone, as (FREE, FREE), what another one reads or sets.
    """
    return change.maps.get(variable) or (change.need.get(variable, FREE), change.sets.get(variable, FREE))


def ends(move: Move) -> tuple[_Index, _Index]:
    """Return the values before an operator, as an index, and for each, or for all of them, the value behind it."""
    if isinstance(move, Map):
        before = np.array(move.before, dtype=np.intp)
        return before, np.array(move.behind, dtype=np.intp)[before]
    need, value = move
    of = slice(None) if need == FREE else slice(need, need + 1)
    return of, of if value == FREE else slice(value, value + 1)


def held(asked: int | Map) -> Sequence[int]:
    """Return the values of a variable that something asks for."""
    return list(asked.before) if isinstance(asked, Map) else (asked,)


def _before(behind: Numbers, moves: Sequence[Move], skipping: int) -> Numbers:
    """Return what the values before a step cost: it is skipped for a price, or kept for nothing."""
    found: Numbers = behind + skipping
    for before, after in map(ends, moves):
        found[before] = np.minimum(found[before], behind[after])
    return found
