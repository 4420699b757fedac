"""What the planner has to do with a draft and without one: the same search on the same grounded task."""

from __future__ import annotations

import time
from collections.abc import Sequence

from validator.checking.prepared import Prepared
from validator.checking.report import Quality
from validator.grounding.limits import Limits, Outcome, Status
from validator.grounding.planner import search
from validator.grounding.strategies import optimal_strategy
from validator.grounding.task import Task
from validator.reading.plan import Plan, Step, Token
from validator.records import dataclass
from validator.repair.cheapest import plan_cost
from validator.repair.edit import Weighting, compile_edit, kept_steps, own_steps, unmodified

__all__ = ["Effort", "Efforts", "efforts"]

_GREEDY = "let(h, ff(), lazy_greedy([h], preferred=[h]))"


@dataclass(frozen=True, slots=True, kw_only=True)
class Effort:
    """One search: states expanded, CPU seconds (None when it was stopped), how it ended, the cost of its plan.

    ``cost`` is in the planner's integers: steps, or the model's costs times a scale.
    """

    expanded: int
    seconds: float | None
    status: str
    cost: int | None = None

    def __str__(self) -> str:
        time_ = "" if self.seconds is None else f", {self.seconds:.3g} s"
        cost = "" if self.cost is None else f", cost {self.cost}"
        ended = "" if self.status == Status.SOLVED else f" ({self.status})"
        return f"{self.expanded} state{'s' if self.expanded != 1 else ''} expanded{time_}{cost}{ended}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Efforts:
    """``alone``: the planner without a draft. ``drafted``: from the draft; nothing where the draft is good as it is.

    ``spared`` is the number of expansions that the draft spared, below zero when it made the search harder; None when
    either search did not end.
    """

    alone: Effort
    drafted: Effort

    @property
    def spared(self) -> int | None:
        ended = {Status.SOLVED.value, Status.STOPPED.value}
        if not {self.alone.status, self.drafted.status} <= ended:
            return None
        return self.alone.expanded - self.drafted.expanded


def efforts(
    prepared: Prepared, draft: Plan, quality: Quality, *, is_good: bool, time_limit: float, memory_limit: int
) -> Efforts | None:
    """Return what a plan of the quality costs the planner alone, and from a draft; None when nothing can be compared.

    SOUND and VALID ask for any valid plan, by a greedy search: from the draft, on the problem modified by it. OPTIMAL
    asks for the proof by A*, which a valid draft can only end earlier, once the lower bound meets its cost. Each search
    gets the whole time limit. None for a model that cannot be grounded in time, or not with its costs.
    """
    limits = Limits(deadline=time.monotonic() + time_limit, memory=memory_limit)
    try:
        task = prepared.task(limits)
    except ValueError:
        return None
    if isinstance(task, Status) or task.is_relaxed_unsolvable or task.goal == ():
        return None
    tokens = tuple(map(prepared.simulator.resolve, draft.tokens))
    if not tokens:
        return _without_draft(task, quality, time_limit, memory_limit)
    if quality is Quality.OPTIMAL:
        return _proofs(prepared, task, tokens, time_limit, memory_limit)
    alone = search(unmodified(task), _GREEDY, _fresh(time_limit, memory_limit))
    return Efforts(
        alone=_effort(task, alone, own_steps(task, alone.plan)),
        drafted=Effort(expanded=0, seconds=0.0, status=Status.SOLVED, cost=_cost(task, tokens))
        if is_good
        else _from_draft(task, tokens, _fresh(time_limit, memory_limit)),
    )


def _without_draft(task: Task, quality: Quality, time_limit: float, memory_limit: int) -> Efforts:
    strategy = optimal_strategy(task) if quality is Quality.OPTIMAL else _GREEDY
    outcome = search(unmodified(task), strategy, _fresh(time_limit, memory_limit))
    alone = _effort(task, outcome, own_steps(task, outcome.plan))
    return Efforts(alone=alone, drafted=alone)


def _fresh(time_limit: float, memory_limit: int) -> Limits:
    return Limits(deadline=time.monotonic() + time_limit, memory=memory_limit)


def _from_draft(task: Task, tokens: Sequence[Token], limits: Limits) -> Effort:
    edit_task = compile_edit(task, tokens, Weighting.edits(), with_goal=True)
    outcome = search(edit_task.text, _GREEDY, limits)
    if outcome.status is not Status.SOLVED:
        return _effort(task, outcome, ())
    return _effort(task, outcome, kept_steps(edit_task.edits(outcome.plan)))


def _proofs(prepared: Prepared, task: Task, tokens: Sequence[Token], time_limit: float, memory_limit: int) -> Efforts:
    text, strategy = unmodified(task), optimal_strategy(task)
    alone = search(text, strategy, _fresh(time_limit, memory_limit))
    first = _effort(task, alone, own_steps(task, alone.plan))
    if not prepared.simulator.run(Plan(parts=tuple(tokens))).is_valid:
        return Efforts(alone=first, drafted=first)
    cost = _cost(task, tokens)
    drafted = search(text, strategy, _fresh(time_limit, memory_limit), lambda bound: bound >= cost)
    steps = own_steps(task, drafted.plan)
    found = _effort(task, drafted, steps)
    if drafted.status is Status.STOPPED:
        found = Effort(expanded=found.expanded, seconds=found.seconds, status=found.status, cost=cost)
    return Efforts(alone=first, drafted=found)


def _effort(task: Task, outcome: Outcome, steps: Sequence[Step]) -> Effort:
    cost = plan_cost(task, steps) if outcome.status is Status.SOLVED else None
    return Effort(expanded=outcome.expanded, seconds=outcome.seconds, status=outcome.status.value, cost=cost)


def _cost(task: Task, tokens: Sequence[Token]) -> int:
    return plan_cost(task, [Step(name=each.name, args=each.args) for each in tokens if isinstance(each, Step)])
