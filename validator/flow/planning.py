"""``plan_flow``: the cheapest plans of a flow, from its start or behind what has already happened."""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence
from itertools import islice

from validator.alarms import OutOfTime, alarm
from validator.checking.limits import DEFAULT_MEMORY_LIMIT, DEFAULT_TIME_LIMIT, with_patience
from validator.checking.prepared import prepare
from validator.errors import PlanError
from validator.execution.faults import sentences
from validator.execution.simulator import Simulator
from validator.flow.best import Others, cheapest
from validator.flow.compiled.compile import Compiled
from validator.flow.compiled.instances import ANY, Instances, wide_operators
from validator.flow.model import Flow
from validator.flow.plans.checked import Checked, is_executed
from validator.flow.plans.shape import Expanded
from validator.flow.plans.tokens import Tokenizer
from validator.flow.plans.written import read_plan
from validator.grounding.limits import Limits, Status
from validator.grounding.task import Task
from validator.model.values import Model
from validator.reading.plan import Step, Token
from validator.records import dataclass, replace
from validator.repair.cheapest import Optimum

__all__ = ["FOR_OTHERS", "FlowPlan", "FlowPlans", "plan_flow"]

FOR_OTHERS = 2.0
"""seconds for looking for other plans, once one is proven cheapest"""


@dataclass(frozen=True, slots=True, kw_only=True)
class FlowPlan:
    """A plan in the steps that people see, and its cost."""

    steps: tuple[Token, ...]
    cost: int


@dataclass(frozen=True, slots=True, kw_only=True)
class FlowPlans:
    """The cheapest plans, no two of the same steps, in the order of their costs.

    ``status`` is "solved", "unsolvable", or the limit that was met; ``proven`` says whether the first plan is proven
    cheapest or, where there is none, whether that is proven. ``lower_bound`` is a proven bound of its cost.
    ``complete`` says whether it is proven that no plan is missing: none that is left out is cheaper than the last one
    here or, where there are fewer than were asked for, there are no others.
    """

    plans: tuple[FlowPlan, ...]
    status: str
    proven: bool
    lower_bound: int = 0
    complete: bool = False

    def _repr_html_(self) -> str:
        """Return the plans as a notebook shows them."""
        from validator.render.html.page import preformatted

        proof = " (proven)" if self.proven else ""
        found = (
            f"# plan {number} of {len(self.plans)}, cost {plan.cost}\n" + "\n".join(map(str, plan.steps))
            for number, plan in enumerate(self.plans, start=1)
        )
        return preformatted("\n".join((f"{self.status}{proof}", *found)))


def plan_flow(
    flow: Flow,
    *,
    most: int = 1,
    dearer: bool = False,
    others_limit: float = FOR_OTHERS,
    prefix: str | Iterable[str | Token] = (),
    tokenizer: Tokenizer | None = None,
    time_limit: float = DEFAULT_TIME_LIMIT,
    memory_limit: int = DEFAULT_MEMORY_LIMIT,
) -> FlowPlans:
    """Return up to ``most`` plans of a flow: the cheapest ones, with ``dearer`` also the next best.

    A plan that has all the steps of another one, and more, is none of them. ``prefix`` are steps that have happened, as
    a plan of the flow: the plans are what is to follow. Once one plan is proven cheapest, others are looked for during
    ``others_limit`` seconds; when ``time_limit`` comes before the proof, there is the best plan that was found. Raises
    PlanError when the steps of the prefix cannot have happened in this flow, ModelError for a flow that cannot be
    compiled.
    """
    limits = Limits(deadline=time.monotonic() + time_limit, memory=memory_limit)
    happened, _ = read_plan(prefix, flow, tokenizer)
    try:
        with alarm(with_patience(time_limit)):
            return _plans(_Query(flow, happened, limits, most, dearer, others_limit))
    except OutOfTime:
        return FlowPlans(plans=(), status=Status.TIME_LIMIT.value, proven=False)


@dataclass(frozen=True, slots=True)
class _Query:
    flow: Flow
    happened: tuple[Token, ...]
    limits: Limits
    most: int
    dearer: bool
    others_limit: float


def _plans(query: _Query) -> FlowPlans:
    """Return the plans of a flow; calls of wide operators are told apart only where the plans need it."""
    if not query.happened and wide_operators(query.flow):
        found = _planned(query, ANY)
        if all(is_executed(query.flow, plan.steps, plan.cost) for plan in found.plans):
            return found
    return _planned(query, None)


def _planned(query: _Query, distinct: Instances | None) -> FlowPlans:
    """Return the plans of a flow of which some calls are told apart."""
    happened, limits = query.happened, query.limits
    expanded = Expanded(happened, tuple(range(len(happened))))
    checked = Checked(query.flow, expanded, compare_outputs=False, distinct=distinct)
    prepared = prepare(_behind(checked, happened))
    task = prepared.task(limits)
    if isinstance(task, Status):
        return FlowPlans(plans=(), status=task.value, proven=False)
    optimum = cheapest(task, limits)
    found, complete = _several(task, optimum, limits.within(query.others_limit), query.most, dearer=query.dearer)
    scale, simulator = task.encoding.scale, prepared.simulator
    plans = (
        FlowPlan(
            steps=checked.seen(simulator, _questions_first(simulator, checked.compiled, steps)), cost=cost // scale
        )
        for steps, cost in found
    )
    return FlowPlans(
        plans=tuple(plans),
        status=optimum.status.value,
        proven=optimum.is_proven,
        lower_bound=optimum.lower // scale,
        complete=complete,
    )


def _several(
    task: Task, optimum: Optimum, limits: Limits, most: int, *, dearer: bool
) -> tuple[list[tuple[tuple[Step, ...], int]], bool]:
    """Return the cheapest plans with their scaled costs, and whether none is missing."""
    if optimum.plan is None or optimum.upper is None:
        return [], optimum.is_proven
    found = [(optimum.plan, optimum.upper)]
    if not optimum.is_proven or most == 1 or not optimum.plan:
        return found, optimum.is_proven
    others = Others(task, optimum.plan, optimum.upper, limits, dearer=dearer)
    try:
        for plan in islice(others, most - 1):
            found.append(plan)  # noqa: PERF402 -- what came before an error stays
    except OutOfTime:  # in what does not look at the clock
        return found, False
    return found, others.is_complete


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


# --- the order of steps for people ---------------------------------------------------------------


def _questions_first(simulator: Simulator, compiled: Compiled, steps: Sequence[Step]) -> tuple[Step, ...]:
    """Return the steps of a valid plan, its questions as early as the plan stays valid and costs the same.

    All at once if that can be, else one by one. A last resort, which waits for operators, stays behind them.
    """
    plan = tuple(steps)
    asks = {step: getattr(compiled.outer(step), "name", "") == "ask" for step in plan}
    cost = simulator.run(plan).cost

    def is_as_good(other: Sequence[Step]) -> bool:
        trace = simulator.run(other)
        return trace.is_valid and trace.cost == cost

    front = tuple(sorted(plan, key=lambda step: not asks[step]))
    if front == plan or is_as_good(front):
        return front
    number = 0
    for place, step in enumerate(plan):
        if asks[step]:
            moved = (*plan[:number], step, *plan[number:place], *plan[place + 1 :])
            if place == number or is_as_good(moved):
                plan, number = moved, number + 1
    return plan
