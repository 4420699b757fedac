"""The plan that is given: a file, a text in any dialect, JSON, or a list of steps."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from validator.errors import PlanError
from validator.reading.calls import Argument, Planned
from validator.reading.plan import Constraint, Dialect, Plan, Step, Unparsed
from validator.reading.stated.items import Known, list_items, read_call
from validator.reading.stated.plan_reader import INSIDE, TOOLS, PlanReader, Written
from validator.reading.stated.stated import StatedPlan
from validator.reading.tokens import Vocabulary, tokenize
from validator.texts import parse_json, read_plan_text

__all__ = ["given_plan"]


def given_plan(
    plan: str | Path | Plan | Mapping[str, object] | Sequence[object],
    known: Known,
    vocabulary: Vocabulary | None = None,
    written: Written | None = None,
) -> StatedPlan:
    """Return a plan that is given: a path or a text in any dialect, JSON, a Plan, or a list of steps.

    A list may hold Steps, texts such as ``search(a, b)`` and objects with a tool's name and its arguments. What cannot
    be read stays a step, which nothing can execute. Where the model's plans are ``written`` in a way of their own, a
    plan with a line that is written so is read by lines. Raises PlanError for a text in which there is no step at all,
    and for what is no plan by its type.
    """
    if isinstance(plan, bytes | bytearray) or not isinstance(plan, str | Path | Plan | Mapping | Sequence):
        raise PlanError(f"a plan is a path, a text, a list of steps or JSON values, not {type(plan).__name__!r}")
    if written is not None and (found := _given_lines(plan, known, written)) is not None:
        return found
    if isinstance(plan, Plan):
        return _tokens(plan)
    if isinstance(plan, str | Path):
        try:
            return _given_text(read_plan_text(plan), known, vocabulary, written)
        except PlanError as error:
            error.source = error.source or (str(plan) if isinstance(plan, Path) else "")
            raise
    if isinstance(plan, Sequence) and all(isinstance(step, Planned) for step in plan):
        return StatedPlan(source="given", steps=tuple(step for step in plan if isinstance(step, Planned)))
    if isinstance(plan, Sequence) and all(isinstance(step, Step) for step in plan):
        return _tokens(Plan(parts=tuple(step for step in plan if isinstance(step, Step))))
    reader = PlanReader(known, written)
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
    warnings = tuple(f"a step of the plan names no tool: {step}" for step in reader.steps if not step.is_readable)
    return StatedPlan(source="given", steps=tuple(reader.steps), warnings=warnings)


def _given_text(text: str, known: Known, vocabulary: Vocabulary | None, written: Written | None = None) -> StatedPlan:
    if text.lstrip()[:1] in ("[", "{") and _is_plan_json(text):
        reader = PlanReader(known, written)
        reader.read(json.loads(text))
        return _given(reader)
    plan = tokenize(text, vocabulary)
    items = list_items(text, headed=False)
    if plan.is_unreadable or (items and len(items) != len(plan.steps)):
        reader = PlanReader(known)
        for item in items or text.splitlines():
            reader.read([item])
        if reader.steps and all(step.is_readable for step in reader.steps) and items:
            return _given(reader)
        if plan.is_unreadable and not any(step.is_readable for step in reader.steps):
            raise _unreadable(text)
        if plan.is_unreadable:
            return _given(reader)
    return _tokens(plan)


def _unreadable(text: str) -> PlanError:
    """Return the error for a text without any step; of one that begins as JSON does, what is wrong with that."""
    if text.lstrip()[:1] in ("[", "{"):
        try:
            parse_json(text, error=PlanError)
        except PlanError as error:
            return error
    return PlanError("no step could be read from the plan", text=text, offset=0)


def _is_plan_json(text: str) -> bool:
    """Return whether a text is JSON and none of the dialects of plans that look like it."""
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return False
    if isinstance(value, Mapping):
        return any(key in value for key in (*INSIDE, *TOOLS))
    return isinstance(value, list) and not any(
        isinstance(each, Mapping) and set(each) == {"action", "object"} for each in value
    )


def _tokens(plan: Plan) -> StatedPlan:
    """Return the tokens of a plan as steps; a piece that is a call with names or values of its own is read as one."""
    steps: list[Planned] = []
    warnings = list(plan.warnings)
    times: dict[object, int] = {}
    for token in plan.tokens:
        if isinstance(token, Unparsed) and (call := read_call(token.text)) is not None:
            steps.append(Planned(index=len(steps), name=call[0], arguments=call[1]))
            continue
        if not isinstance(token, Step):
            warnings.append(f"a piece of the plan cannot be read as a step: {token}")
            steps.append(Planned(index=len(steps), name=str(token), token=token, is_readable=False))
            continue
        steps.append(_of_step(len(steps), token, plan.dialect, times))
    return StatedPlan(source="given", steps=tuple(steps), warnings=tuple(warnings))


_NAMES_ONLY = frozenset((Dialect.WORDS, Dialect.SETS))
"""dialects in which a lone name says nothing of its arguments; ``f()`` and ``(f)`` say that there are none"""


def _of_step(index: int, step: Step, dialect: Dialect, times: dict[object, int]) -> Planned:
    key = step.concurrent if step.concurrent is not None else step.time
    batch = None if key is None else times.setdefault(key, len(times))
    known = bool(step.args) or dialect not in _NAMES_ONLY
    arguments = tuple(Argument(None, arg) for arg in step.args) if known else None
    return Planned(index=index, name=step.name, arguments=arguments, batch=batch, token=step)
