"""What plans cost at least that keep to wishes, and what each wish costs."""

from __future__ import annotations

import time
from collections.abc import Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from fractions import Fraction

from validator.automata.compile import constrain
from validator.checking.report import Interval
from validator.foils.answer import Price
from validator.foils.changes import Wish, changes_of, constraints_of
from validator.foils.solve import Oracle
from validator.grounding.limits import Limits, Status
from validator.grounding.planner import search
from validator.grounding.strategies import BETTER, better
from validator.grounding.task import Task
from validator.reading.plan import Step
from validator.records import dataclass, field, replace
from validator.repair.cheapest import Optimum, find_optimum, plan_cost
from validator.repair.edit import own_steps, unmodified
from validator.repair.search.neighbourhood import cheaper_plan

__all__ = ["Costs"]

_HEAD_START = 1.0
"""seconds that the proof of a cheapest cost has for itself"""


@dataclass(kw_only=True)
class Costs:
    """Cheapest costs under wishes that a plan can keep to. What a plan may cost at most is no wish here.

    ``reasons`` say what could not be proven; ``lower`` is what every plan of the unchanged model costs at least.
    """

    oracle: Oracle
    reasons: list[str]
    lower: int = 0
    _known: dict[frozenset[Wish], Optimum] = field(default_factory=dict)

    def optimum(self, wishes: Sequence[Wish], limits: Limits) -> Optimum:
        """Return what is known of the cheapest plan under wishes."""
        key = frozenset(wishes)
        if key not in self._known:
            world, lower = self.oracle.world(wishes), 0 if changes_of(wishes) else self.lower
            known = min(self.oracle.keeping(wishes), key=lambda plan: plan_cost(world.task, plan), default=None)
            if known is not None and plan_cost(world.task, known) == lower:
                found = Optimum(status=Status.SOLVED, lower=lower, upper=lower, plan=known)
            else:
                found = _climbing(constrain(world, constraints_of(wishes)), known, limits)
                found = replace(found, lower=max(lower, found.lower))
            if found.plan is not None:
                self.oracle.plans.append(found.plan)
            if not found.is_proven:
                self.reasons.append(f"the {found.status.value} was met before a cheapest cost was proven")
            self._known[key] = found
        return self._known[key]

    def interval(self, optimum: Optimum, wishes: Sequence[Wish] = ()) -> Interval:
        """Return a cost of the planner's under wishes as the metric's value."""
        world = self.oracle.world(wishes)
        scale, initial = world.task.encoding.scale, world.simulator.initial_cost
        upper = None if optimum.upper is None else Fraction(optimum.upper, scale) + initial
        return Interval(lower=Fraction(optimum.lower, scale) + initial, upper=upper)

    def prices(self, wishes: Sequence[Wish], limits: Limits) -> tuple[Price, ...]:
        """Return the cheapest cost with each of several wishes alone, and without each."""
        prices: list[Price] = []
        for place, wish in enumerate(wishes if len(wishes) > 1 else ()):
            others = (*wishes[:place], *wishes[place + 1 :])
            if any(isinstance(self.oracle.worlds.of(changes_of(part)), str) for part in ((wish,), others)):
                self.reasons.append("no time was left for what each question costs")
                break
            if not (self.oracle.possible((wish,)) and self.oracle.possible(others)):
                continue  # another model may have no plan without the other changes
            searches = 2 * (len(wishes) - place)
            alone, without = (
                self.interval(self.optimum(part, _part(limits, searches - later)), part)
                for later, part in enumerate(((wish,), others))
            )
            prices.append(Price(constraint=wish, alone=alone, without=without))
        return tuple(prices)


def _part(limits: Limits, searches: int) -> Limits:
    """Return an equal part of the time that is left for this search and those after it."""
    return replace(limits, deadline=time.monotonic() + limits.seconds / searches)


def _climbing(task: Task, known: Sequence[Step] | None, limits: Limits) -> Optimum:
    """Find the cost of a task's cheapest plan; better plans are looked for beside a proof that takes long."""
    with ThreadPoolExecutor(max_workers=2) as pool:
        proof = pool.submit(find_optimum, task, known, limits)
        wait([proof], timeout=min(_HEAD_START, limits.seconds))
        plans: list[tuple[Step, ...]] = []
        if not proof.done():
            if known is not None:
                near = pool.submit(cheaper_plan, task, known, 0, limits, proof.done)
            if (better_one := _better(task, known, limits, proof)) is not None:
                plans.append(better_one)
            if known is not None:
                plans.append(near.result())
        found = proof.result()
    if not plans:
        return found
    better_one = min(plans, key=lambda plan: plan_cost(task, plan))
    cost = plan_cost(task, better_one)
    if found.upper is not None and found.upper <= cost:
        return found
    status = Status.SOLVED if cost <= found.lower else found.status
    return replace(found, status=status, lower=min(found.lower, cost), upper=cost, plan=better_one)


def _better(
    task: Task, known: Sequence[Step] | None, limits: Limits, proof: Future[Optimum]
) -> tuple[Step, ...] | None:
    """Return the best plan found until a proof is done; None where none is better than the known one."""
    best, cost = None, None if known is None else plan_cost(task, known)
    text = unmodified(task)
    for rung in BETTER:
        outcome = search(text, better(rung, cost), limits, lambda _: proof.done())
        if outcome.status is Status.SOLVED:
            best = own_steps(task, outcome.plan)
            cost = plan_cost(task, best)
        if proof.done() or limits.seconds <= 0:
            break
    return best
