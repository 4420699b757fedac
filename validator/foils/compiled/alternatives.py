"""The two plans that answer a question: the nearest one, and of the cheapest ones the nearest."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Literal

from validator.automata.compile import ConstrainedSimulator, constrain
from validator.automata.constraints import Constraint
from validator.automata.world import World
from validator.checking.beyond.constrained import constrained
from validator.checking.check import check
from validator.checking.report import Quality
from validator.flow.plans.diffs import by_lines
from validator.grounding.limits import Limits
from validator.reading.plan import Plan, Step, Token
from validator.records import dataclass
from validator.repair.diff import StepDiff, step_diffs
from validator.repair.edit import Policy
from validator.repair.nearest import Optimum, repair

__all__ = ["Near", "nearest", "nearest_of_cheapest"]


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
