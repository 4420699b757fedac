"""Bounds of all variables that add up: the price of each change shared among them, place by place.

Each variable takes of the price of an insertion or a skip what its own bound needs, and leaves the rest to the next
one (saturated cost partitioning, Seipp, Keller and Helmert 2020; capped at the bound of the initial state first, which
leaves most to the others). An insertion has a price of its own at each place, so that what is paid at one fault
says nothing of another: transition cost partitioning (Keller et al. 2016) along the observed plan.

The sum is at most what any repair costs, because of each insertion and skip no more is taken than it costs, and no
variable's bound falls by more than it took: both can be checked without a search.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import accumulate
from random import Random
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from validator.grounding.limits import checked
from validator.records import dataclass
from validator.repair.canonical import NEVER
from validator.repair.cost_partitioning.problem import FREE, Change, Map, Problem

__all__ = ["NEVER", "Numbers", "Partition", "Partitions", "prices_of"]

Numbers = npt.NDArray[np.int64]
Prices = npt.NDArray[np.signedinteger]
"""in as few bytes as the dearest one needs, as there are millions of them"""

Move: TypeAlias = "tuple[int, int] | Map"
"""A value before an operator, or FREE for any, and the value behind it, or FREE for the same; or a map of all."""

_Index: TypeAlias = "slice | npt.NDArray[np.intp]"

_ANEW, _HELD = 4, 3
"""orders after which one is made anew, and partitions that are held: of the best ones the highest bound counts"""


@dataclass(frozen=True, kw_only=True)
class Partition:
    """What the rest costs at least: by place and fact, to be added up over the facts of a state and the last column.

    The last column is what is added at a place whatever the state. ``total`` is what any repair costs at least.
    """

    total: int
    rest: npt.NDArray[np.int32]


class Partitions:
    """Shares prices among the variables, in one order or another."""

    def __init__(self, problem: Problem) -> None:
        """Read classes of operators variable by variable. Raises TimeoutError as soon as it is over."""
        self.problem = problem
        self.first = [0, *accumulate(problem.sizes)]
        """the number of the first fact of each variable, a fact being a variable and its value, and of all of them"""
        changing: list[list[Change]] = [[] for _ in problem.sizes]
        for change in problem.alike.classes:
            for variable in change.changed:
                changing[variable].append(change)
        places: list[list[int]] = [[] for _ in problem.sizes]
        for place, steps in enumerate(problem.steps):
            for variable in {variable for step in steps for variable in step.touched}:
                places[variable].append(place)
        self.projections = [
            Projection(problem, variable, changes, places[variable])
            for variable, changes in enumerate(checked(changing, problem.is_over))
        ]
        self._costs = prices_of(problem.alike.classes)[:, None]
        self._skipping = np.full(problem.length, problem.skip, dtype=np.int64)
        self._tried: list[tuple[Partition, Sequence[int]]] = []
        self._random = Random(0)

    def best(self, number: int, go_on: Callable[[], bool]) -> list[Partition]:
        """Return the best ones known after trying so many orders more: the dearest variable first, then others.

        Mostly a variable of the best order is moved forward; now and then all stand anew.
        """
        if not self._tried:
            self._try(self._dearest_first())
        for count in range(number):
            _, order = self._tried[0]
            if len(order) < 2 or not go_on():
                break
            order = list(order)
            if count % _ANEW == 0:
                self._random.shuffle(order)
            else:
                place = self._random.randrange(1, len(order))
                order.insert(self._random.randrange(place), order.pop(place))
            self._try(order)
        return [partition for partition, _ in self._tried]

    def _try(self, order: Sequence[int]) -> None:
        self._tried.append((self.partition(order), order))
        self._tried = sorted(self._tried, key=lambda tried: -tried[0].total)[:_HELD]

    def _dearest_first(self) -> list[int]:
        """Return the variables that cost something by themselves."""
        alone = {}
        for variable, projection in enumerate(checked(self.projections, self.problem.is_over)):
            rest = projection.rest(projection.prices(self._costs), self._skipping)
            alone[variable] = int(rest.rows[0, projection.start])
        return sorted((variable for variable in alone if alone[variable]), key=lambda variable: -alone[variable])

    def partition(self, order: Sequence[int]) -> Partition:
        """Return the bounds for an order of variables; the others come behind, with what is left."""
        places = self.problem.length + 1
        inserting, skipping = np.repeat(self._costs, places, axis=1), self._skipping.copy()
        first = self.first
        found = np.zeros((first[-1] + 1, places), dtype=np.int32)
        others = [variable for variable in range(len(self.projections)) if variable not in set(order)]
        total = 0
        turns = [*((v, True) for v in order), *((v, False) for v in (*order, *others))]
        for variable, capped in checked(turns, self.problem.is_over):
            projection = self.projections[variable]
            own = projection.rest(projection.prices(inserting), skipping)
            total += (here := int(own.rows[0, projection.start]))
            if capped:
                own = Rest(rows=np.minimum(own.rows, here), lengths=own.lengths)
            self._take(projection, own, inserting, skipping)
            facts = found[first[variable] : first[variable + 1]]
            facts[:] = np.minimum(facts + np.repeat(own.rows.T, own.lengths, axis=1), NEVER)
        return Partition(total=total, rest=np.ascontiguousarray(found.T))

    def _take(self, projection: Projection, own: Rest, inserting: Prices, skipping: Numbers) -> None:
        """Take from the prices what a variable's bound needs."""
        taken = projection.saturated(own)
        some = taken.any(axis=1)
        if some.any():
            members = projection.members[np.repeat(some, projection.lengths)]
            shares = np.repeat(taken[some].astype(inserting.dtype), own.lengths, axis=1)
            inserting[members] -= np.repeat(shares, projection.lengths[some], axis=0)
        skipping -= projection.saturated_skips(own)


def prices_of(changes: Sequence[Change]) -> Prices:
    """Return what each insertion costs, in as few bytes as the dearest one needs."""
    costs = np.array([change.cost for change in changes], dtype=np.int64)
    found: Prices = costs.astype(np.min_scalar_type(-int(costs.max(initial=1)) - 1))
    return found


# --- one variable by itself ----------------------------------------------------------------------


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
        self.goal = np.zeros(self.size, dtype=np.bool_)
        for goal in problem.goals:
            wanted = dict(goal).get(variable)
            self.goal[slice(None) if wanted is None else held(wanted)] = True

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
