"""Whether a planner finds a plan with predicted operators, and whether that plan is one with the gold operators."""

from __future__ import annotations

import time
from enum import StrEnum

from validator.errors import ModelError, PlannerError
from validator.execution.simulator import Simulator
from validator.execution.trace import Kind, Trace
from validator.grading.eai.transition_modeling.operators import Fault
from validator.grounding.ground import ground
from validator.grounding.limits import Limits, Status
from validator.grounding.planner import search
from validator.grounding.task import Task
from validator.model.values import Model
from validator.reading.plan import Plan, Step
from validator.records import dataclass, replace
from validator.repair.edit import own_steps, unmodified

LAMA_FIRST = (
    "let(hlm, landmark_sum(lm_reasonable_orders_hps(lm_rhw()), pref=false),"
    " let(hff, ff(), lazy_greedy([hff, hlm], preferred=[hff, hlm], cost_type=one, reopen_closed=false)))"
)
"""The search that the original asks Fast Downward for (Richter and Westphal 2010), until its first plan."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Allowance:
    """``seconds`` for each planner call, ``memory`` in bytes for each planner process."""

    seconds: float
    memory: int

    def begin(self) -> Limits:
        return Limits(deadline=time.monotonic() + self.seconds, memory=self.memory)


class Answered(StrEnum):
    """What came of asking for a plan."""

    FOUND = "found"
    NONE = "none"
    """proven: there is no plan"""
    UNREADABLE = "unreadable"
    """an operator cannot be read"""
    LIMIT = "limit"
    FAILED = "failed"
    """the planner crashed"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Planning:
    """``valid`` says whether the plan reaches the goal under the gold operators; ``reason`` why not, or why no plan."""

    answered: Answered
    plan: tuple[Step, ...] = ()
    valid: bool = False
    reason: str = ""
    fault: Fault | None = None

    @property
    def is_found(self) -> bool:
        return self.answered is Answered.FOUND


def plan_with(model: Model, limits: Limits) -> Planning:
    """Look for a plan of a model. Raises ModelError for one with features that are not executed."""
    if model.features:
        raise ModelError(f"{', '.join(sorted(model.features))} cannot be executed")
    try:
        task = ground(Simulator(model), limits)
        if isinstance(task, Status):
            return Planning(answered=Answered.LIMIT, reason=f"{task.value} in the translator")
        return _searched(task, limits)
    except (PlannerError, ValueError) as error:
        return Planning(answered=Answered.FAILED, reason=str(error))


def _searched(task: Task, limits: Limits) -> Planning:
    if task.is_relaxed_unsolvable:
        return Planning(answered=Answered.NONE, reason="the goal is out of reach even if nothing is ever deleted")
    if task.goal == ():
        return Planning(answered=Answered.FOUND)
    outcome = search(unmodified(task), LAMA_FIRST, limits)
    if outcome.status is Status.SOLVED:
        return Planning(answered=Answered.FOUND, plan=own_steps(task, outcome.plan))
    if outcome.status is Status.UNSOLVABLE:
        return Planning(answered=Answered.NONE, reason="no plan: every reachable state was searched")
    return Planning(answered=Answered.LIMIT, reason=f"{outcome.status.value} in the search")


def execute_in_gold(planning: Planning, gold: Simulator) -> Planning:
    """Return the planning with its plan executed under the gold operators."""
    if not planning.is_found:
        return planning
    trace = gold.run(Plan(parts=planning.plan))
    return replace(planning, valid=trace.is_valid, reason=_why(trace))


def _why(trace: Trace) -> str:
    """Return what goes wrong first under the gold operators."""
    if trace.is_valid:
        return ""
    failure = trace.failures[0]
    where = "" if failure.step is None else f"step {failure.step + 1}: "
    if failure.kind is Kind.GOAL:
        return f"the goal is not reached: {' '.join(goal.literal for goal in trace.unmet_goals)}"
    return f"{where}{failure.kind.value} {' '.join(failure.unmet) or failure.detail}".rstrip()


def unreadable(error: ModelError, owner: str) -> Planning:
    """Return that there is no planning because a text cannot be read."""
    return Planning(answered=Answered.UNREADABLE, reason=f"{owner}: {error.message}", fault=Fault.of(error))
