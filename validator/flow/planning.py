"""``plan_flow``: the cheapest plans of a flow, from its start or behind what has already happened."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from validator.checking.check import DEFAULT_MEMORY_LIMIT, DEFAULT_TIME_LIMIT
from validator.checking.prepared import prepare
from validator.errors import PlanError
from validator.execution.faults import sentences
from validator.execution.simulator import Simulator
from validator.flow.check import read_plan
from validator.flow.model import Flow
from validator.flow.plans.checked import Checked
from validator.flow.plans.shape import Expanded
from validator.flow.plans.tokens import Tokenizer
from validator.grounding.planner import Limits, Status
from validator.grounding.task import Task
from validator.model.values import Model
from validator.reading.plan import Step, Token
from validator.repair.nearest import Optimum, find_optimum

__all__ = ["FlowPlan", "FlowPlans", "plan_flow"]

_FOR_OTHERS = 2.0
"""seconds for looking for other plans of the same cost, once one is proven cheapest"""


@dataclass(frozen=True, slots=True, kw_only=True)
class FlowPlan:
    """A plan in the steps that people see, and its cost."""

    steps: tuple[Token, ...]
    cost: int


@dataclass(frozen=True, slots=True, kw_only=True)
class FlowPlans:
    """Plans of the least cost, no two of the same steps.

    ``status`` is "solved", "unsolvable", or the limit that was met; ``proven`` says whether the plans are proven
    cheapest or, where there are none, whether that is proven. ``lower_bound`` is a proven bound of the cost.
    """

    plans: tuple[FlowPlan, ...]
    status: str
    proven: bool
    lower_bound: int = 0


def plan_flow(
    flow: Flow,
    *,
    most: int = 1,
    prefix: str | Iterable[str | Token] = (),
    tokenizer: Tokenizer | None = None,
    time_limit: float = DEFAULT_TIME_LIMIT,
    memory_limit: int = DEFAULT_MEMORY_LIMIT,
) -> FlowPlans:
    """Return up to ``most`` of the cheapest plans of a flow.

    ``prefix`` are steps that have happened, as a plan of the flow: the plans are what is to follow. For more than one
    plan, others of the same cost are looked for during two seconds more. Raises PlanError when the steps of the prefix
    cannot have happened in this flow, ModelError for a flow that cannot be compiled.
    """
    limits = Limits(deadline=time.monotonic() + time_limit, memory=memory_limit)
    happened, _ = read_plan(prefix, flow, tokenizer)
    checked = Checked(flow, Expanded(happened, tuple(range(len(happened)))), compare_outputs=False)
    prepared = prepare(_behind(checked, happened))
    task = prepared.task(limits)
    if isinstance(task, Status):
        return FlowPlans(plans=(), status=task.value, proven=False)
    optimum = find_optimum(task, None, limits)
    found = [] if optimum.plan is None else [optimum.plan]
    if most > 1 and optimum.is_proven and optimum.plan:
        deadline = min(limits.deadline, time.monotonic() + _FOR_OTHERS)
        found += _others(task, optimum, replace(limits, deadline=deadline), most - 1)
    scale = task.encoding.scale
    simulator = Simulator(prepared.model)
    plans = (FlowPlan(steps=checked.seen(simulator, steps), cost=(optimum.upper or 0) // scale) for steps in found)
    return FlowPlans(
        plans=tuple(plans),
        status=optimum.status.value,
        proven=optimum.is_proven,
        lower_bound=optimum.lower // scale,
    )


def _behind(checked: Checked, happened: Sequence[Token]) -> Model:
    """Return the flow's model in the state behind the steps that happened."""
    model = checked.compiled.model
    if not happened:
        return model
    trace = Simulator(model).run(checked.plan)
    faults = [failure for failure in checked.failures(trace.failures) if failure.step is not None]
    if faults:
        said = "; ".join(sentences(faults, happened))
        raise PlanError(f"these steps cannot have happened in the flow: {said}")
    *_, state = trace.states()
    return replace(model, problem=replace(model.problem, init=state), _of_type={})


def _others(task: Task, optimum: Optimum, limits: Limits, most: int) -> Iterator[tuple[Step, ...]]:
    """Yield plans of the same cost with other steps.

    Such a plan lacks some step of every plan that is known (else it would hold all its steps, and one more cost), so
    that leaving out each step in turn, and so on with the plans that come out, finds them.
    """
    known = {_steps(optimum.plan or ())}
    tried: set[frozenset[Step]] = set()
    waiting = [(frozenset[Step](), optimum.plan or ())]
    while waiting and len(known) <= most:
        without, plan = waiting.pop(0)
        for step in dict.fromkeys(plan):
            banned = without | {step}
            if banned in tried or limits.seconds == 0:
                continue
            tried.add(banned)
            found = find_optimum(_without(task, banned), None, limits)
            if found.plan is None or found.upper != optimum.upper:
                continue
            waiting.append((banned, found.plan))
            if _steps(found.plan) not in known:
                known.add(_steps(found.plan))
                yield found.plan
                if len(known) > most:
                    return


def _steps(plan: Sequence[Step]) -> frozenset[tuple[Step, int]]:
    return frozenset(Counter(plan).items())


def _without(task: Task, banned: frozenset[Step]) -> Task:
    gone = {number for step in banned for number in task.by_step[step]}
    operators = (operator for number, operator in enumerate(task.operators) if number not in gone)
    return replace(task, operators=tuple(operators))
