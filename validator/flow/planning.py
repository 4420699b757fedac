"""``plan_flow``: a cheapest plan of a flow, from its start or after what has already happened."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

from validator.alarms import OutOfTime, alarm
from validator.checking.prepared import prepare
from validator.checking.solve import Solution, solve
from validator.errors import PlanError
from validator.execution.faults import sentences
from validator.execution.simulator import Simulator
from validator.flow.compiled.analysis import ANY, Instances, wide_operators
from validator.flow.definition.integrity import misspelt_items
from validator.flow.definition.reader import read_flow
from validator.flow.model import Flow
from validator.flow.plans.checked import Checked, is_executed
from validator.flow.plans.shape import Expanded
from validator.flow.plans.tokens import Tokenizer, written
from validator.grounding.limits import DEFAULT_MEMORY_LIMIT, DEFAULT_TIME_LIMIT, Limits, Status, hard_limit
from validator.model.values import Model
from validator.reading.plan import Step, Token
from validator.records import replace


def plan_flow(
    flow: Flow | str | Path,
    *,
    prefix: str | Iterable[str | Token] = (),
    tokenizer: Tokenizer | None = None,
    time_limit: float = DEFAULT_TIME_LIMIT,
    memory_limit: int = DEFAULT_MEMORY_LIMIT,
) -> Solution:
    """Return a cheapest plan of a flow, in the steps that people see, or the proof that there is none.

    ``flow`` is a flow, or the path of its file. ``prefix`` are steps that have happened, as a plan of the flow: the
    plan is what is to follow. Raises PlanError when the steps of the prefix cannot have happened in this flow,
    ModelError for a flow that cannot be read or compiled.
    """
    flow = read_flow(flow)
    limits = Limits.from_now(time_limit, memory_limit)
    happened = written(prefix, flow, tokenizer).tokens
    try:
        with alarm(hard_limit(time_limit)):
            return replace(_solved(flow, happened, limits), warnings=misspelt_items(flow))
    except OutOfTime:
        return Solution(status=Status.TIME_LIMIT.value, reason="the time limit was met")


def _solved(flow: Flow, happened: tuple[Token, ...], limits: Limits) -> Solution:
    """Return a plan of a flow; calls of wide operators are distinguished only where the plan needs it."""
    if not happened and wide_operators(flow):
        found = _planned(flow, happened, limits, ANY)
        if found.plan is None or is_executed(flow, found.plan, found.cost):
            return found
    return _planned(flow, happened, limits, None)


def _planned(flow: Flow, happened: tuple[Token, ...], limits: Limits, distinct: Instances | None) -> Solution:
    """Return a plan of a flow of which some calls are distinguished."""
    expanded = Expanded(happened, tuple(range(len(happened))))
    checked = Checked(flow, expanded, compare_outputs=False, distinct=distinct)
    prepared = prepare(_behind(checked, happened))
    found = solve(prepared, time_limit=limits.seconds, memory_limit=limits.memory)
    if found.plan is None:
        return found
    steps = [step for step in found.plan if isinstance(step, Step)]
    return replace(found, plan=checked.seen(prepared.simulator, steps))


def _behind(checked: Checked, happened: Sequence[Token]) -> Model:
    """Return the flow's model in the state after the steps that happened."""
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
