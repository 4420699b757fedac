"""What constraints cost: the cheapest plan with all of them, with each alone, and without each."""

from __future__ import annotations

import time
from collections.abc import Sequence
from fractions import Fraction

from validator.checking.report import Interval
from validator.foils.answer import Price
from validator.foils.compiled.compile import constrain
from validator.foils.compiled.constraints import Constraint
from validator.foils.compiled.solve import Oracle
from validator.grounding.limits import Limits, Status
from validator.records import dataclass, field, replace
from validator.repair.nearest import Optimum, find_optimum, plan_cost

__all__ = ["Costs"]


@dataclass(kw_only=True)
class Costs:
    """Cheapest costs under constraints. ``lower`` is what every plan of the model costs at least.

    ``initial`` is the metric's value before the first step; ``reasons`` say what could not be proven.
    """

    oracle: Oracle
    initial: Fraction
    lower: int = 0
    reasons: list[str] = field(default_factory=list)
    _known: dict[frozenset[Constraint], Interval] = field(default_factory=dict)

    def cheapest(self, constraints: Sequence[Constraint], limits: Limits) -> Interval:
        """Return bounds of the cheapest cost under constraints that a plan can keep to."""
        asked = frozenset(constraints)
        if asked not in self._known:
            self._known[asked] = self._search(constraints, limits)
        return self._known[asked]

    def _search(self, constraints: Sequence[Constraint], limits: Limits) -> Interval:
        task = self.oracle.task
        known = min(self.oracle.keeping(constraints), key=lambda plan: plan_cost(task, plan), default=None)
        if known is not None and plan_cost(task, known) == self.lower:
            return self.interval(Optimum(status=Status.SOLVED, lower=self.lower, upper=self.lower))
        found = find_optimum(constrain(task, constraints, self.oracle.show), known, limits)
        if found.plan is not None:
            self.oracle.plans.append(found.plan)
        if not found.is_proven:
            self.reasons.append(f"the {found.status.value} was met before a cheapest cost was proven")
        return self.interval(replace(found, lower=max(self.lower, found.lower)))

    def prices(self, constraints: Sequence[Constraint], limits: Limits) -> tuple[Price, ...]:
        """Return the cheapest cost with each of several constraints alone, and without each."""
        if len(constraints) < 2:
            return ()
        prices = []
        for place, constraint in enumerate(constraints):
            others = (*constraints[:place], *constraints[place + 1 :])
            searches = 2 * (len(constraints) - place)
            alone = self.cheapest((constraint,), self._part(limits, searches))
            without = self.cheapest(others, self._part(limits, searches - 1))
            prices.append(Price(constraint=constraint, alone=alone, without=without))
        return tuple(prices)

    def _part(self, limits: Limits, searches: int) -> Limits:
        """Return an equal part of the time that is left for this search and those behind it."""
        return replace(limits, deadline=time.monotonic() + limits.seconds / searches)

    def interval(self, optimum: Optimum) -> Interval:
        """Return a cost of the planner's as the metric's value."""
        scale = self.oracle.task.encoding.scale
        upper = None if optimum.upper is None else Fraction(optimum.upper, scale) + self.initial
        return Interval(lower=Fraction(optimum.lower, scale) + self.initial, upper=upper)
