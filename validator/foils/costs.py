"""The plans that answer a question, the nearest and of the cheapest the nearest; and what its wishes cost."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from fractions import Fraction
from typing import Literal

from validator.automata.compile import ConstrainedSimulator, constrain
from validator.automata.constraints import Constraint
from validator.automata.world import World
from validator.checking.beyond.constrained import constrained
from validator.checking.check import check
from validator.checking.report import Interval, Quality
from validator.flow.plans.diffs import by_lines
from validator.foils.answer import Price
from validator.foils.changes import Wish, changes_of, constraints_of
from validator.foils.solve import Oracle
from validator.grounding.limits import Limits, Status
from validator.grounding.planner import search
from validator.grounding.strategies import BETTER, better
from validator.grounding.task import Task
from validator.reading.plan import Plan, Step, Token
from validator.records import dataclass, field, replace
from validator.repair.cheapest import Optimum, find_optimum, plan_cost
from validator.repair.diff import StepDiff, step_diffs
from validator.repair.edit import Policy, unmodified
from validator.repair.nearest import repair
from validator.repair.search.neighbourhood import cheaper_plan

__all__ = ["Costs", "Near", "interval", "nearest", "nearest_of_cheapest"]

_HEAD_START = 1.0
"""seconds that a proof has for itself"""


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
        found = _climbing(constrain(world, constraints), known, limits)
        if found.plan is not None:
            self.oracle.plans.append(found.plan)
        if not found.is_proven:
            self.reasons.append(f"the {found.status.value} was met before a cheapest cost was proven")
        return replace(found, lower=max(lower, found.lower))

    def prices(self, wishes: Sequence[Wish], limits: Limits) -> tuple[Price, ...]:
        """Return the cheapest cost with each of several wishes alone, and without each."""
        if len(wishes) < 2:
            return ()
        prices: list[Price] = []
        for place, wish in enumerate(wishes):
            others = (*wishes[:place], *wishes[place + 1 :])
            searches = 2 * (len(wishes) - place)
            if any(isinstance(self.oracle.worlds.of(changes_of(part)), str) for part in ((wish,), others)):
                self.reasons.append("no time was left for what each question costs")
                return tuple(prices)
            if not (self.oracle.possible((wish,)) and self.oracle.possible(others)):
                continue  # another model may have no plan without the other changes
            alone = self.cheapest((wish,), _part(limits, searches))
            without = self.cheapest(others, _part(limits, searches - 1))
            prices.append(Price(constraint=wish, alone=alone, without=without))
        return tuple(prices)


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
            own = (int(name[2:]) for name in outcome.plan if name.startswith("i "))
            best = tuple(task.encoding.step(task.operators[number].name) for number in own)
            cost = plan_cost(task, best)
        if proof.done() or limits.seconds <= 0:
            break
    return best


def _part(limits: Limits, searches: int) -> Limits:
    """Return an equal part of the time that is left for this search and those behind it."""
    return replace(limits, deadline=time.monotonic() + limits.seconds / searches)


def interval(world: World, optimum: Optimum) -> Interval:
    """Return a cost of the planner's as the metric's value."""
    scale, initial = world.task.encoding.scale, world.simulator.initial_cost
    upper = None if optimum.upper is None else Fraction(optimum.upper, scale) + initial
    return Interval(lower=Fraction(optimum.lower, scale) + initial, upper=upper)


@dataclass(frozen=True, slots=True, kw_only=True)
class Near:
    """A plan, the changes that lead to it, and whether it is proven that no fewer would do."""

    steps: tuple[Step, ...]
    changes: tuple[StepDiff, ...]
    proven: bool


def nearest(
    world: World,
    constraints: Sequence[Constraint],
    observed: Sequence[Token],
    known: Callable[[], tuple[Step, ...] | None],
    limits: Limits,
) -> Near | Literal[False] | None:
    """Return the plan nearest to an observed one that keeps to constraints; None where none was found in time.

    ``known`` returns some plan, for want of a nearer one. False: there is none at all (proven).
    """
    report = check(
        constrained(world, constraints),
        None,
        Plan(parts=tuple(observed)),
        quality=Quality.VALID,
        time_limit=max(0.01, limits.seconds),
        memory_limit=limits.memory,
    )
    if report.planner_response.no_solution:
        return False
    if report.determination:
        same = tuple(Step(name=each.name, args=each.args) for each in observed if isinstance(each, Step))
        unchanged = tuple(StepDiff(diff_type=None, step=step) for step in observed)
        return Near(steps=same, changes=unchanged, proven=True)
    if report.repaired_plan is not None:
        steps = tuple(step for step in report.repaired_plan if isinstance(step, Step))
        return Near(steps=steps, changes=tuple(report.plan_diff_obj), proven=report.proven)
    plan = known()
    return None if plan is None else _aligned(plan, observed)


def nearest_of_cheapest(
    world: World, constraints: Sequence[Constraint], observed: Sequence[Token], optimum: Optimum, limits: Limits
) -> Near | None:
    """Return the plan nearest to an observed one among the cheapest that keep to constraints.

    Where the cheapest cost is not proven, or the time is up, it is the cheapest plan that is known.
    """
    if optimum.plan is None:
        return None
    if not optimum.is_proven or limits.seconds <= 0:
        return _aligned(optimum.plan, observed)
    task = constrain(world, constraints)
    simulator = ConstrainedSimulator(world.simulator, constraints, world.show)
    try:
        found = repair(task, simulator, observed, Policy.EDITS, limits, with_goal=True, optimum=optimum)
    except OverflowError:  # costs too large to be counted beside changes
        return _aligned(optimum.plan, observed)
    if found.edits is None or found.plan is None:
        return _aligned(optimum.plan, observed)
    return Near(steps=found.plan, changes=tuple(step_diffs(found.edits)), proven=found.proven)


def _aligned(plan: Sequence[Step], observed: Sequence[Token]) -> Near:
    return Near(steps=tuple(plan), changes=tuple(by_lines(list(observed), list(plan), str)), proven=False)
