"""What wishes cost: the cheapest plan with all of them, with each alone, and without each."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction

from validator.checking.report import Interval
from validator.foils.compiled.compile import constrain
from validator.foils.compiled.solve import Oracle, Wish, changes_of, constraints_of
from validator.foils.compiled.world import World
from validator.foils.findings import Price
from validator.grounding.planner import Limits, Status
from validator.repair.nearest import Optimum, find_optimum, plan_cost

__all__ = ["Costs", "interval"]


@dataclass(kw_only=True)
class Costs:
    """Cheapest costs under wishes. ``lower`` is what every plan of the model costs at least.

    ``reasons`` say what could not be proven. What a plan may cost at most is no wish here.
    """

    oracle: Oracle
    lower: int = 0
    reasons: list[str] = field(default_factory=list)
    _known: dict[frozenset[Wish], Optimum] = field(default_factory=dict)

    def optimum(self, wishes: Sequence[Wish], limits: Limits) -> Optimum:
        """Return what is known of the cheapest plan under wishes that a plan can keep to."""
        asked = frozenset(wishes)
        if asked not in self._known:
            self._known[asked] = self._search(wishes, limits)
        return self._known[asked]

    def cheapest(self, wishes: Sequence[Wish], limits: Limits) -> Interval:
        """Return bounds of the cheapest cost under wishes that a plan can keep to."""
        return interval(self.oracle.world(wishes), self.optimum(wishes, limits))

    def _search(self, wishes: Sequence[Wish], limits: Limits) -> Optimum:
        world, constraints = self.oracle.world(wishes), constraints_of(wishes)
        task, lower = world.task, 0 if changes_of(wishes) else self.lower
        known = min(self.oracle.keeping(wishes), key=lambda plan: plan_cost(task, plan), default=None)
        if known is not None and plan_cost(task, known) == lower:
            return Optimum(status=Status.SOLVED, lower=lower, upper=lower, plan=known)
        found = find_optimum(constrain(world, constraints), known, limits)
        if found.plan is not None:
            self.oracle.plans.append(found.plan)
        if not found.is_proven:
            self.reasons.append(f"the {found.status.value} was met before a cheapest cost was proven")
        return replace(found, lower=max(lower, found.lower))

    def prices(self, wishes: Sequence[Wish], limits: Limits) -> tuple[Price, ...]:
        """Return the cheapest cost with each of several wishes alone, and without each."""
        if len(wishes) < 2:
            return ()
        prices = []
        for place, wish in enumerate(wishes):
            others = (*wishes[:place], *wishes[place + 1 :])
            searches = 2 * (len(wishes) - place)
            alone = self.cheapest((wish,), _part(limits, searches))
            without = self.cheapest(others, _part(limits, searches - 1))
            prices.append(Price(constraint=wish, alone=alone, without=without))
        return tuple(prices)


def _part(limits: Limits, searches: int) -> Limits:
    """Return an equal part of the time that is left for this search and those behind it."""
    return replace(limits, deadline=time.monotonic() + limits.seconds / searches)


def interval(world: World, optimum: Optimum) -> Interval:
    """Return a cost of the planner's as the metric's value."""
    scale, initial = world.task.encoding.scale, world.simulator.initial_cost
    upper = None if optimum.upper is None else Fraction(optimum.upper, scale) + initial
    return Interval(lower=Fraction(optimum.lower, scale) + initial, upper=upper)
