"""``adhere``: a plan and a trace in, how much of the plan was followed out, with a reason for each deviation."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING

from validator.adherence.align import Alignment, align, batches
from validator.adherence.programs import with_programs
from validator.adherence.reads import reading_tools, with_reads
from validator.adherence.result import Adherence
from validator.adherence.rows import Keys, Rows
from validator.adherence.shares import Schemas
from validator.adherence.values import FailedCalls, Outcome, RowKind
from validator.alarms import OutOfTime, alarm
from validator.grounding.limits import DEFAULT_TIME_LIMIT, TO_TELL, deadline_of, hard_limit, left_until
from validator.reading.calls import Call, CallKind, Planned
from validator.reading.plan import Plan
from validator.reading.statements.plan_statement import StatedPlan, given_plan, known_tools, stated_plan
from validator.reading.traces.read import read_trace
from validator.reading.traces.recording import Recording, folded
from validator.records import dataclass, replace

if TYPE_CHECKING:
    from validator.adherence.model import AnyModel, Interpreter, Translate


def adhere(
    plan: str | Path | Plan | Mapping[str, object] | Sequence[object] | None,
    trace: str | Path | Mapping[str, object] | Sequence[object] | Recording,
    *,
    model: AnyModel | None = None,
    translate: Translate | None = None,
    failed_calls: FailedCalls | str = FailedCalls.FOLD,
    read_only: Collection[str] | None = None,
    time_limit: float = DEFAULT_TIME_LIMIT,
) -> Adherence:
    """Say how far the calls of a trace follow a plan.

    ``plan`` is a path, a text, JSON values or a list of steps; None means the plan that the trace states. ``trace``
    is a path, a text or the values of one, in any format that ``read_trace`` knows. With a ``model`` (a domain and a
    problem, or one read before) the calls are executed as well and each deviation is judged; ``translate`` says which
    step of the model a planned step or a call stands for. ``time_limit`` is in seconds, for all: the planner is asked
    only when the goal is not reached, deviations that were not judged by then are unknown, and where the calls were not
    even compared by then, ``not_applicable`` says so. With 0 there is no limit, and the planner is never asked.
    ``read_only`` names the tools that change nothing, and no others do; without it, what the trace declares, what the
    model says and the tools' names tell.

    Raises InputError for a trace or a plan that cannot be read, ModelError, PlannerError, OSError for a file.
    """
    done, latest = _Done(), deadline_of(time_limit)
    try:
        with alarm(hard_limit(time_limit)) if time_limit > 0 else nullcontext():
            return _adhered(
                plan, trace, model, translate, FailedCalls(failed_calls), read_only, time_limit, latest, done
            )
    except OutOfTime:
        return done.late()


@dataclass
class _Done:
    """What is known when the time limit is met."""

    recording: Recording | None = None
    aligned: Adherence | None = None
    stated: StatedPlan | None = None

    def late(self) -> Adherence:
        if self.aligned is not None and self.stated is not None and self.stated.steps is not None:
            from validator.adherence.proof import unknown

            return unknown(self.aligned, "the time limit was met before this was judged")
        why = "the time limit was met before the calls were compared with the plan"
        calls = () if self.recording is None else self.recording.calls
        return Adherence(plan=None, calls=calls, not_applicable=why, why_not=Outcome.OUT_OF_TIME)


def _adhered(
    plan: str | Path | Plan | Mapping[str, object] | Sequence[object] | None,
    trace: str | Path | Mapping[str, object] | Sequence[object] | Recording,
    model: AnyModel | None,
    translate: Translate | None,
    failed_calls: FailedCalls,
    read_only: Collection[str] | None,
    time_limit: float,
    latest: float,
    done: _Done,
) -> Adherence:
    done.recording = recording = read_trace(trace)
    reader = None if model is None else _interpreter(model, translate)
    actions = {} if reader is None else reader.parameters
    known = known_tools(recording, tuple(actions))
    if plan is None:
        stated = stated_plan(recording, known)
    else:
        vocabulary = None if reader is None else reader.vocabulary
        stated = given_plan(plan, known, vocabulary)
    if not recording.says_none and all(call.kind is CallKind.PLAN for call in recording.calls):
        stated = StatedPlan(reason=f"no call of a tool was read in the trace ({recording.format})")
    told = with_programs(recording, (*(step.name for step in stated.steps or ()), *actions, *recording.tools))
    if told is not recording:
        done.recording = recording = told
    result = _aligned(stated, recording, actions, failed_calls)
    result = replace(result, rows=with_reads(result.rows, _reads(result, recording, reader, read_only)))
    if result.missed:
        result = replace(result, completable=_is_completable(result, actions, recording.tools, failed_calls))
    if reader is not None:
        from validator.adherence.proof import judged

        done.aligned, done.stated = result, stated
        left = left_until(latest - TO_TELL * len(result.rows)) if time_limit > 0 else 0
        with alarm(hard_limit(left)) if time_limit > 0 else nullcontext():
            result = judged(result, reader.interpreted(result), left)
    return result if stated.steps is not None else _without_plan(result, stated, recording)


def _reads(
    result: Adherence, recording: Recording, reader: Interpreter | None, read_only: Collection[str] | None
) -> dict[str, str]:
    """Return the tools that change nothing, with how that is known."""
    names = {side.name for row in result.rows for side in (row.planned, row.executed) if side is not None}
    if read_only is not None:
        given = set(map(folded, read_only))
        return reading_tools(names, {name: folded(name) in given for name in names}, {})
    return reading_tools(names, recording.read_only, {} if reader is None else reader.reads)


def _without_plan(result: Adherence, stated: StatedPlan, recording: Recording) -> Adherence:
    """Return what is said where no plan is known: nothing is compared, but a model executes the calls all the same."""
    execution = result.execution
    return Adherence(
        plan=None,
        calls=recording.calls,
        format=recording.format,
        sureness=recording.sureness,
        task=recording.task,
        not_applicable=stated.reason,
        why_not=_why_not(stated, recording),
        missed=recording.missed,
        execution=None if execution is None else replace(execution, plan_is_valid=None, plan_cost=None),
        warnings=_said(recording),
    )


def _why_not(stated: StatedPlan, recording: Recording) -> Outcome:
    if not recording.says_none and all(call.kind is CallKind.PLAN for call in recording.calls):
        return Outcome.NO_CALLS
    return Outcome.UNCLEAR_PLAN if stated.is_unclear else Outcome.NO_PLAN


def _said(recording: Recording) -> tuple[str, ...]:
    """Return the warnings of a reading, and what in the trace was not understood."""
    return (*recording.warnings, *(f"not understood in the trace: {what}" for what in recording.missed))


def _interpreter(model: AnyModel, translate: Translate | None) -> Interpreter:
    from validator.adherence.model import Interpreter, read_model  # with what a plain comparison does not need

    return Interpreter(read_model(model), translate)


# --- what counts ---------------------------------------------------------------------------------


def _aligned(stated: StatedPlan, recording: Recording, actions: Schemas, policy: FailedCalls) -> Adherence:
    """Align plan and calls."""
    plan = stated.steps or ()
    names = {folded(step.name) for step in plan}
    steps = [call for call in recording.calls if _is_step(call, names)]
    outside = _uncounted(steps, policy)
    counted = [call for call in steps if call.index not in outside]
    alignment, keys, schemas = _alignment(plan, counted, actions, recording.tools)
    told = " ".join(stated.warnings)
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
        sureness=recording.sureness,
        missed=recording.missed,
        unread=stated.around.unread,
        open=stated.around.open,
        task=recording.task,
        warnings=(
            *_said(recording),
            *(() if recording.calls else ("the trace has no calls",)),
            *stated.warnings,
            *(f"not understood in the plan: {what}" for what in stated.around.unread if what not in told),
            *(f"the plan leaves open what is to be done: {what}" for what in stated.around.open),
        ),
    )


def _alignment(
    plan: Sequence[Planned], calls: Sequence[Call], actions: Schemas, tools: Schemas
) -> tuple[Alignment, Keys, Schemas]:
    """Align steps with calls; return as well how names are compared, and the parameters by these names."""
    keys = Keys(plan, calls, actions)
    declared = (*actions.items(), *tools.items())
    schemas = {keys.key(name): parameters for name, parameters in declared if parameters}
    found = align(list(map(keys.named, plan)), list(map(keys.named, calls)), schemas)
    return found, keys, schemas


def _is_completable(result: Adherence, actions: Schemas, tools: Schemas, policy: FailedCalls) -> bool:
    """Return whether all calls that count, and may change something, can execute steps as planned, in order.

    Beside what was not read, calls that read may be extra ones, whatever they are aligned with now; and those whose
    results are not there may have failed.
    """
    sets = _sets(result.calls)
    outside = {
        call.index
        for made, following in zip(sets, (*sets[1:], ()), strict=bool(sets))
        for call in made
        if (call.error is not None or not call.has_result) and _may_be_outside(call, (*made, *following), policy)
    }
    made = [row.executed for row in result.rows if row.executed and not row.reads]
    made = [call for call in made if call.index not in outside]
    plan = [row.planned for row in result.rows if row.planned]
    calls, steps = sorted(made, key=lambda call: call.index), sorted(plan, key=lambda step: step.index)
    found, *_ = _alignment(steps, calls, actions, tools)
    return found.weight == len(calls)


def _may_be_outside(call: Call, others: Sequence[Call], policy: FailedCalls) -> bool:
    """Return whether a call counts for no step if it failed; arguments that are not known may be those of another."""
    if policy is not FailedCalls.FOLD:
        return policy is FailedCalls.DROP
    return any(
        call.name == each.name and (call.arguments == each.arguments or None in (call.arguments, each.arguments))
        for each in others
        if each is not call
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
    sets = _sets(calls)
    return {
        call.index: RowKind.RETRIED
        for made, following in zip(sets, (*sets[1:], ()), strict=bool(sets))
        for place, call in enumerate(made)
        if call.error is not None
        and (
            any(_is_again(call, each) for each in (*made[place + 1 :], *following))
            or any(_is_again(call, each) and each.error is None for each in made[:place])
        )
    }


def _sets(calls: Sequence[Call]) -> list[list[Call]]:
    """Return calls that were made at once together, the others alone."""
    return [[calls[place] for place in batch] for batch in batches(calls)]


def _is_again(call: Call, other: Call) -> bool:
    return call.name == other.name and call.arguments == other.arguments
