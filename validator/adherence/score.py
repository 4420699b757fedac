"""``adhere``: a plan and a trace in, how much of the plan was followed out, with a reason for each deviation."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING

from validator.adherence.align import align
from validator.adherence.calls import Call, CallKind
from validator.adherence.recording import Recording, folded
from validator.adherence.rows import Keys, Rows
from validator.adherence.stated import StatedPlan, given_plan, known_tools, stated_plan
from validator.adherence.traces import read_trace
from validator.adherence.values import Adherence, FailedCalls, RowKind
from validator.adherence.weights import Schemas
from validator.plan import Plan

if TYPE_CHECKING:
    from unified_planning.model import Problem as UpProblem

    from validator.adherence.sequences import Translate
    from validator.model import Model
    from validator.prepared import Prepared

__all__ = ["adhere"]

DEFAULT_TIME_LIMIT = 30.0


def adhere(
    plan: str | Path | Plan | Mapping[str, object] | Sequence[object] | None,
    trace: str | Path | Mapping[str, object] | Sequence[object] | Recording,
    *,
    model: Prepared | Model | UpProblem | tuple[str | Path, str | Path] | None = None,
    translate: Translate | None = None,
    failed_calls: FailedCalls | str = FailedCalls.FOLD,
    time_limit: float = DEFAULT_TIME_LIMIT,
) -> Adherence:
    """Say how far the calls of a trace follow a plan.

    ``plan`` is a path, a text, JSON values or a list of steps; None means the plan that the trace states. ``trace``
    is a path, a text or the values of one, in any format that ``read_trace`` knows. With a ``model`` (a domain and a
    problem, or one read before) the calls are executed as well and each deviation is judged; ``translate`` says which
    step of the model a planned step or a call stands for, ``time_limit`` is in seconds for the planner, which is
    asked only when the goal is not reached; 0 asks it never.

    Raises InputError for a trace or a plan that cannot be read, ModelError, PlannerError, OSError for a file.
    """
    recording = read_trace(trace)
    prepared = _prepared(model)
    actions = {} if prepared is None else _parameters(prepared.model)
    known = known_tools(recording, tuple(actions))
    if plan is None:
        stated = stated_plan(recording, known)
    else:
        stated = given_plan(plan, known, None if prepared is None else prepared.vocabulary)
    if stated.steps is None:
        return Adherence(
            plan=None,
            calls=recording.calls,
            format=recording.format,
            task=recording.task,
            not_applicable=stated.reason,
            warnings=recording.warnings,
        )
    result = _aligned(stated, recording, actions, FailedCalls(failed_calls))
    if prepared is None:
        return result
    from validator.adherence.proof import judged
    from validator.adherence.sequences import pddl_steps

    return judged(result, prepared, translate or pddl_steps(prepared.model), time_limit)


def _prepared(model: Prepared | Model | UpProblem | tuple[str | Path, str | Path] | None) -> Prepared | None:
    if model is None:
        return None
    from validator.prepared import prepare

    return prepare(*model) if isinstance(model, tuple) else prepare(model)


def _parameters(model: Model) -> dict[str, tuple[str, ...]]:
    """Return the parameters of each action by name, as a tool's arguments are named."""
    return {
        name: tuple(parameter.name.lstrip("?") for parameter in action.parameters)
        for name, action in model.domain.actions.items()
    }


# --- what counts ---------------------------------------------------------------------------------


def _aligned(stated: StatedPlan, recording: Recording, actions: Schemas, policy: FailedCalls) -> Adherence:
    plan = stated.steps or ()
    names = {folded(step.name) for step in plan}
    steps = [call for call in recording.calls if _is_step(call, names)]
    outside = _uncounted(steps, policy)
    counted = [call for call in steps if call.index not in outside]
    keys = Keys(plan, counted)
    declared = (*actions.items(), *recording.tools.items())
    schemas = {keys.key(name): parameters for name, parameters in declared if parameters}
    alignment = align([keys.planned(step) for step in plan], [keys.executed(call) for call in counted], schemas)
    rows, layout = Rows(plan, counted, alignment, outside, steps, keys, schemas).build()
    return Adherence(
        plan=plan,
        calls=tuple(steps),
        passed_over=tuple(call for call in recording.calls if not _is_step(call, names)),
        rows=rows,
        layout=layout,
        weight=alignment.weight,
        source=stated.source,
        format=recording.format,
        task=recording.task,
        warnings=(*recording.warnings, *stated.warnings),
    )


def _is_step(call: Call, planned: set[str]) -> bool:
    if call.kind is CallKind.TOOL:
        return True
    return folded(call.name) in planned


def _uncounted(calls: Sequence[Call], policy: FailedCalls) -> dict[int, RowKind]:
    """Return the calls, by index, that count for no step, and why."""
    if policy is FailedCalls.DROP:
        return {call.index: RowKind.FAILED for call in calls if call.error is not None}
    if policy is FailedCalls.COUNT:
        return {}
    return {
        call.index: RowKind.RETRIED
        for call, following in pairwise(calls)
        if call.error is not None and call.name == following.name and call.arguments == following.arguments
    }
