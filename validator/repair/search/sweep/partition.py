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
from random import Random

import numpy as np
import numpy.typing as npt

from validator.records import dataclass
from validator.repair.search.backward.projection import Change, checked
from validator.repair.search.backward.regression import Regression
from validator.repair.search.sweep.projection import NEVER, Numbers, Projection

__all__ = ["Partition", "Partitions"]


@dataclass(frozen=True, kw_only=True)
class Partition:
    """What the rest costs at least: by place and fact, to be added up over the facts of a state."""

    total: int
    rest: Numbers


class Partitions:
    """Shares prices among the variables, in one order or another."""

    def __init__(self, regression: Regression) -> None:
        """Read the operators variable by variable. Raises TimeoutError as soon as it is over."""
        self.regression = regression
        changing: list[list[Change]] = [[] for _ in regression.sizes]
        for change in regression.changes:
            for variable, _ in change.gains:
                changing[variable].append(change)
        self._projections = [
            Projection(regression, variable, changes)
            for variable, changes in enumerate(checked(changing, regression.is_over))
        ]
        costs = np.array([change.cost for change in regression.changes], dtype=np.int32)
        self._inserting = np.repeat(costs[:, None], regression.length + 1, axis=1)
        self._skipping = np.full(regression.length, regression.skip, dtype=np.int64)

    def best(self, number: int, go_on: Callable[[], bool]) -> list[Partition]:
        """Return the best ones of some orders: the dearest variable first, then one moved forward at a time."""
        order = self._dearest_first()
        found = [self.partition(order)]
        random, orders, at = Random(0), [order], 0
        while len(found) < number and len(order) > 1 and go_on():
            changed = list(orders[at])
            place = random.randrange(1, len(changed))
            changed.insert(random.randrange(place), changed.pop(place))
            found.append(self.partition(changed))
            orders.append(changed)
            at = max(range(len(found)), key=lambda index: found[index].total)
        return sorted(found, key=lambda partition: -partition.total)

    def _dearest_first(self) -> list[int]:
        """Return the variables that cost something by themselves."""
        alone = {}
        for variable, projection in enumerate(checked(self._projections, self.regression.is_over)):
            rest = projection.rest(projection.prices(self._inserting), self._skipping)
            alone[variable] = int(rest[0, projection.start])
        return sorted((variable for variable in alone if alone[variable]), key=lambda variable: -alone[variable])

    def partition(self, order: Sequence[int]) -> Partition:
        """Return the bounds for an order of variables; the others come behind, with what is left."""
        inserting, skipping = self._inserting.copy(), self._skipping.copy()
        first = self.regression.facts.first
        rest = np.zeros((self.regression.length + 1, first[-1] + 1), dtype=np.int64)
        others = [variable for variable in range(len(self._projections)) if variable not in set(order)]
        total = 0
        for variable, capped in [*((v, True) for v in order), *((v, False) for v in (*order, *others))]:
            projection = self._projections[variable]
            prices = projection.prices(inserting)
            own = projection.rest(prices, skipping)
            total += (here := int(own[0, projection.start]))
            if capped:
                own = np.minimum(own, here)
            self._take(projection, own, inserting, skipping)
            rest[:, first[variable] : first[variable + 1]] += own
        return Partition(total=total, rest=np.minimum(rest, NEVER))

    def _take(self, projection: Projection, own: Numbers, inserting: npt.NDArray[np.int32], skipping: Numbers) -> None:
        """Take from the prices what a variable's bound needs."""
        taken = projection.saturated(own)
        if taken.any():
            inserting[projection.members] -= np.repeat(taken, projection.lengths, axis=0).astype(np.int32)
        skipping -= projection.saturated_skips(own)
