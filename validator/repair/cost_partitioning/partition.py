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

import numpy as np
import numpy.typing as npt

from validator.grounding.limits import checked
from validator.records import dataclass
from validator.repair.cost_partitioning.atomic import NEVER, Numbers, Prices, Projection, Rest
from validator.repair.cost_partitioning.change import Change
from validator.repair.cost_partitioning.problem import Problem

__all__ = ["Partition", "Partitions", "prices_of"]

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
