"""The plan that is given: a file, a text in any dialect, JSON, or a list of steps."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from validator.errors import InputError, PlanError
from validator.reading.calls import Planned
from validator.reading.calls.located import whole_value
from validator.reading.calls.plans import is_of_objects
from validator.reading.plan import Constraint, Dialect, Plan, Step, Unparsed
from validator.reading.stated.around import around_items, around_steps, is_remark, without_glosses
from validator.reading.stated.items import Known
from validator.reading.stated.lists import list_items
from validator.reading.stated.plan_reader import PlanReader, Written, planned_tokens
from validator.reading.stated.stated import StatedPlan
from validator.reading.tokens import Vocabulary, tokenize
from validator.reading.tokens.notations.values.value import json_values
from validator.reading.understood import unclear
from validator.records import replace
from validator.texts import json_lines, parse_json, read_plan_text

__all__ = ["given_plan"]


def given_plan(
    plan: str | Path | Plan | Mapping[str, object] | Sequence[object],
    known: Known,
    vocabulary: Vocabulary | None = None,
    written: Written | None = None,
    described: Mapping[str, str] | None = None,
) -> StatedPlan:
    """Return a plan that is given: a path or a text in any dialect, JSON, a Plan, or a list of steps.

    A list may hold Steps, texts such as ``search(a, b)`` and objects with a tool's name and its arguments. What cannot
    be read stays a step, which nothing can execute; of a text that was understood in part no plan is known. Where the
    model's plans are ``written`` in a way of their own, a plan with a line that is written so is read by lines. Raises
    PlanError for a text in which there is no step at all, and for what is no plan by its type.
    """
    if isinstance(plan, bytes | bytearray) or not isinstance(plan, str | Path | Plan | Mapping | Sequence):
        raise PlanError(f"a plan is a path, a text, a list of steps or JSON values, not {type(plan).__name__!r}")
    if written is not None and (found := _given_lines(plan, known, written)) is not None:
        return found
    if isinstance(plan, Plan):
        return _tokens(plan)
    if isinstance(plan, str | Path):
        try:
            return _given_text(read_plan_text(plan), known, vocabulary, written, described)
        except PlanError as error:
            error.source = error.source or (str(plan) if isinstance(plan, Path) else "")
            raise
    if isinstance(plan, Sequence) and all(isinstance(step, Planned) for step in plan):
        return StatedPlan(source="given", steps=tuple(step for step in plan if isinstance(step, Planned)))
    if isinstance(plan, Sequence) and all(isinstance(step, Step) for step in plan):
        return _tokens(Plan(parts=tuple(step for step in plan if isinstance(step, Step))))
    reader = PlanReader(known, written, vocabulary, is_text=True, described=described)
    reader.read(plan)
    return _given(reader)


def _given_lines(
    plan: str | Path | Plan | Mapping[str, object] | Sequence[object], known: Known, written: Written
) -> StatedPlan | None:
    """Return a plan that is written as the model's own are; None for one of which no line is."""
    warnings: tuple[str, ...] = ()
    if isinstance(plan, str | Path):
        lines, warnings = written.lines(read_plan_text(plan))
    elif isinstance(plan, Mapping):
        return None
    else:
        steps = plan.tokens if isinstance(plan, Plan) else plan
        if not all(isinstance(step, str | Step | Constraint | Unparsed) for step in steps):
            return None
        lines = tuple(map(str, steps))
    if not any(map(written.steps, lines)):
        return None
    reader = PlanReader(known, written)
    reader.read(list(lines))
    found = _given(reader)
    return replace(found, warnings=(*warnings, *found.warnings))


def _given(reader: PlanReader) -> StatedPlan:
    unread = (f"a step of the plan names no tool: {step}" for step in reader.steps if not step.is_readable)
    return StatedPlan(
        source="given",
        steps=tuple(reader.steps),
        warnings=(*unread, *reader.unclear, *reader.by_words),
        around=reader.around,
    )


def _given_text(
    text: str,
    known: Known,
    vocabulary: Vocabulary | None,
    written: Written | None,
    described: Mapping[str, str] | None,
) -> StatedPlan:
    value = whole_value(text)
    if value is not None and not is_of_objects(value):
        reader = PlanReader(known, written, vocabulary, is_text=True, described=described)
        reader.read(value)
        return _given(reader)
    plan = tokenize(text, vocabulary)
    if plan.dialect is Dialect.JSON and _is_cut_off(text):
        raise _unreadable(text)
    items = list_items(text, headed=False)
    if plan.is_unreadable or len(items) > len(plan.steps):
        reader = PlanReader(known, described=described)
        reader.read(items or [line for line in text.splitlines() if not is_remark(line)])
        if items:
            reader.around += around_items(text, items)
        if reader.steps and all(step.is_readable for step in reader.steps) and items:
            return _given(reader)
        if plan.is_unreadable and not any(step.is_readable for step in reader.steps):
            raise _unreadable(text)
        if plan.is_unreadable:
            return _given(reader)
    plan = without_glosses(plan, known)
    if why := unclear(plan):
        return StatedPlan(source="given", reason=f"the plan is {why}", is_unclear=True)
    return _tokens(plan)


def _is_cut_off(text: str) -> bool:
    """Return whether a text begins as values do, and has only some of them whole."""
    body = text.strip()
    if body[:1] not in ("[", "{") or any(value.span[1] - value.span[0] == len(body) for value in json_values(body)):
        return False
    try:
        return not list(json_lines(body))
    except InputError:
        return True


def _unreadable(text: str) -> PlanError:
    """Return the error for a text without any step; of one that begins as JSON does, what is wrong with that."""
    if text.lstrip()[:1] in ("[", "{"):
        try:
            parse_json(text, error=PlanError)
        except PlanError as error:
            return error
    return PlanError("no step could be read from the plan", text=text, offset=0)


def _tokens(plan: Plan) -> StatedPlan:
    """Return the tokens of a plan as steps."""
    steps = planned_tokens(plan)
    unread = (f"a piece of the plan cannot be read as a step: {step.token}" for step in steps if not step.is_readable)
    return StatedPlan(source="given", steps=tuple(steps), warnings=(*plan.warnings, *unread), around=around_steps(plan))
