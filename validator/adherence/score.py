"""``adhere``: a plan and a trace in, how much of the plan was followed out, with a reason for each deviation."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING

from validator.adherence.align import Alignment, Schemas, align, share
from validator.adherence.calls import Argument, Call, CallKind, Planned, same
from validator.adherence.recording import Recording, folded
from validator.adherence.stated import StatedPlan, given_plan, known_tools, stated_plan
from validator.adherence.traces import read_trace
from validator.adherence.values import Adherence, FailedCalls, Row, RowKind
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
    keys = _Keys(plan, counted)
    alignment = align(
        [keys.planned(step) for step in plan],
        [keys.executed(call) for call in counted],
        {keys.key(name): parameters for name, parameters in (*actions.items(), *recording.tools.items()) if parameters},
    )
    rows, layout = _Rows(plan, counted, alignment, outside, steps, keys).build()
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
    return call.kind is not CallKind.PLAN and folded(call.name) in planned


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


class _Keys:
    """Names as they are compared: folded, except where one side tells two tools apart that fold together."""

    def __init__(self, plan: Sequence[Planned], calls: Sequence[Call]) -> None:
        self._apart: set[str] = set()
        for side in ({step.name for step in plan}, {call.name for call in calls}):
            spellings: dict[str, str] = {}
            for name in side:
                if spellings.setdefault(folded(name), name) != name:
                    self._apart.add(folded(name))

    def key(self, name: str) -> str:
        key = folded(name)
        return name if key in self._apart else key

    def planned(self, step: Planned) -> Planned:
        key = self.key(step.name)
        return step if key == step.name else replace(step, name=key)

    def executed(self, call: Call) -> Call:
        key = self.key(call.name)
        return call if key == call.name else replace(call, name=key)


# --- rows ----------------------------------------------------------------------------------------


class _Rows:
    """The rows of an alignment: every step and every call once."""

    def __init__(
        self,
        plan: Sequence[Planned],
        calls: Sequence[Call],
        alignment: Alignment,
        outside: Mapping[int, RowKind],
        steps: Sequence[Call],
        keys: _Keys,
    ) -> None:
        self.plan, self.calls, self.keys = plan, calls, keys
        self.alignment = alignment
        self.outside, self.steps = outside, steps
        self.partner = {step: (call, weight) for step, call, weight in alignment.pairs}
        self.moved = self._moved()
        self.rows: list[Row] = []
        self.layout: list[tuple[int, bool, bool]] = []

    def _moved(self) -> dict[int, int]:
        """Return the steps that were executed at another place, with the call that did so."""
        aligned = {call for call, _ in self.partner.values()}
        free: defaultdict[object, list[int]] = defaultdict(list)
        for index, call in enumerate(self.calls):
            if index not in aligned:
                free[self.keys.key(call.name)].append(index)
        found = {}
        for index, step in enumerate(self.plan):
            if index in self.partner or not step.is_readable:
                continue
            rivals = free[self.keys.key(step.name)]
            equal = next((call for call in rivals if _is_equal(step, self.calls[call])), None)
            if equal is not None:
                rivals.remove(equal)
                found[index] = equal
        return found

    def build(self) -> tuple[tuple[Row, ...], tuple[tuple[int, bool, bool], ...]]:
        taken = {call: step for step, call in self.moved.items()}
        executed = iter(self._lane())
        waiting: dict[int, int] = {}  # a moved step whose row is there already
        for step in (*self.alignment.planned, None):
            if step is not None and step not in self.partner:
                if step in self.moved:
                    self._moved_row(step, waiting, is_planned=True)
                else:
                    self._add(Row(kind=RowKind.MISSING, planned=self.plan[step], reason=_missing(self.plan[step])))
                continue
            upto = self.partner[step][0] if step is not None else None
            for index, call, kind in executed:
                if index is not None and index == upto:
                    break
                if kind is not None:
                    self._add(Row(kind=kind, executed=call, reason=_uncounted_reason(call, kind)))
                elif index in taken:
                    self._moved_row(taken[index], waiting, is_planned=False)
                else:
                    self._add(Row(kind=RowKind.EXTRA, executed=call, reason=_extra(call)))
            if step is not None:
                self._pair(step)
        return tuple(self.rows), tuple(self.layout)

    def _lane(self) -> Iterator[tuple[int | None, Call, RowKind | None]]:
        """Yield all calls in their order: counted ones with their index, the others with what they are."""
        order = iter(self.alignment.executed)
        for call in self.steps:
            kind = self.outside.get(call.index)
            if kind is not None:
                yield None, call, kind
            else:
                index = next(order)
                yield index, self.calls[index], None

    def _add(self, row: Row) -> None:
        self.layout.append((len(self.rows), row.planned is not None, row.executed is not None))
        self.rows.append(row)

    def _moved_row(self, step: int, waiting: dict[int, int], *, is_planned: bool) -> None:
        """Show one end of a moved step; the row is made at the first of the two."""
        if step in waiting:
            self.layout.append((waiting[step], is_planned, not is_planned))
            return
        waiting[step] = len(self.rows)
        planned, call = self.plan[step], self.calls[self.moved[step]]
        when = "later" if is_planned else "earlier"
        reason = f"Step {planned.index + 1} {planned} was executed {when} than planned, as call {call.index + 1}."
        self.layout.append((len(self.rows), is_planned, not is_planned))
        self.rows.append(Row(kind=RowKind.MOVED, planned=planned, executed=call, weight=Fraction(1), reason=reason))

    def _pair(self, step: int) -> None:
        index, weight = self.partner[step]
        planned, call = self.plan[step], self.calls[index]
        kind = RowKind.MATCHED if weight == 1 else RowKind.CHANGED
        reason = "" if weight == 1 else _changed(planned, call)
        self._add(Row(kind=kind, planned=planned, executed=call, weight=weight, reason=reason))


def _is_equal(step: Planned, call: Call) -> bool:
    return share(step.arguments, call.arguments) == 1


# --- reasons -------------------------------------------------------------------------------------


def _missing(step: Planned) -> str:
    if not step.is_readable:
        return f"Step {step.index + 1} cannot be read as a step, so nothing executed it: {step}"
    return f"Step {step.index + 1} {step} was not executed."


def _extra(call: Call) -> str:
    return f"Call {call.index + 1} {call} is not in the plan."


def _uncounted_reason(call: Call, kind: RowKind) -> str:
    end = "was made again at once" if kind is RowKind.RETRIED else "does not count"
    return f"Call {call.index + 1} {call} failed ({call.error}) and {end}."


def _changed(step: Planned, call: Call) -> str:
    details = "; ".join(_differences(step.arguments or (), call.arguments or ()))
    return f"Step {step.index + 1} {step} was executed with other arguments, as call {call.index + 1}: {details}."


def _differences(planned: Sequence[Argument], executed: Sequence[Argument]) -> Iterator[str]:
    if any(argument.name is None for argument in (*planned, *executed)):
        ours, theirs = (" ".join(argument.text for argument in side) or "none" for side in (planned, executed))
        yield f"{theirs} instead of {ours}"
        return
    ours_by, theirs_by = ({argument.name: argument for argument in side} for side in (planned, executed))
    for name, argument in ours_by.items():
        other = theirs_by.get(name)
        if other is None:
            yield f"{name} is left out"
        elif not argument.is_open and not same(argument, other):
            typed = " (a text)" if argument.text == other.text and other.is_string else ""
            yield f"{name} is {other.text}{typed} instead of {argument.text}"
    for name, argument in theirs_by.items():
        if name not in ours_by:
            yield f"{name} is {argument.text}, which the plan does not have"
