"""Traces as they were read: the calls, what was said of each, what was not understood, and the plan that is stated."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence

from validator.reading.calls import Call, CallKind
from validator.reading.statements.plan_statement import StatedPlan, known_tools, stated_plan
from validator.reading.traces.recording import Recording
from validator.render.json import picked
from validator.render.terminal import safe
from validator.texts import counted, shortened

_LONGEST = 100
"""characters of a line; the JSON has all of them"""

_KINDS = {
    CallKind.NESTED: "inside another tool: a step only where the plan names it",
    CallKind.RETRIEVER: "a retrieval: a step only where the plan names it",
    CallKind.PLAN: "states the plan: no step",
}


def traces_value(text: str, found: Sequence[Recording]) -> dict[str, object]:
    """Return traces in the shape of a reading (``render.annotated.annotated_value``): no parts, no candidates."""
    calls = sum(len(each.calls) for each in found)
    missed = sum(len(each.missed) for each in found)
    said = f"{counted(len(found), 'trace')}, {calls} calls, {missed} pieces not understood"
    return {
        "text": text,
        "completeness": ("none" if not calls else "partial" if missed else "complete"),
        "no_plan": None,
        "summary": said,
        "parts": [],
        "candidates": [],
        "chosen": 0,
        "passed_over": [],
        "warnings": [warning for each in found for warning in each.warnings],
        "traces": [recording_value(each) for each in found],
    }


def recording_value(found: Recording) -> dict[str, object]:
    """Return a trace as plain values; calls count from 0."""
    plan = stated_plan(found, known_tools(found))
    return {
        **picked(found, "format", "sureness"),
        "explained": round(found.explained, 3),
        "task": found.task,
        "calls": [_call_value(call) for call in found.calls],
        "tools": {name: list(parameters) for name, parameters in found.tools.items()},
        "plan": None if plan.steps is None else {"source": plan.source, "steps": list(map(str, plan.steps))},
        "no_plan": plan.reason,
        "not_understood": list(found.missed),
        "warnings": [*found.warnings, *plan.warnings],
    }


def _call_value(call: Call) -> dict[str, object]:
    given = call.arguments
    return {
        **picked(call, "index", "name", "kind"),
        "arguments": None
        if given is None
        else [{"name": each.name, "value": each.text, "is_text": each.is_string} for each in given],
        **({"result": call.result} if call.has_result else {}),
        "error": call.error,
        "id": call.call_id,
        "inside": call.parent,
        "batch": call.batch,
    }


def traces_text(found: Sequence[Recording]) -> str:
    """Return traces as lines of text, one after the other."""
    several = len(found) > 1
    return "".join(
        f"{line}\n"
        for number, each in enumerate(found, start=1)
        for line in (
            *((f"trace {number} of {len(found)}",) if several else ()),
            *_lines(each),
            *([""] if several else []),
        )
    )


def _lines(found: Recording) -> Iterator[str]:
    yield f"format: {found.format} ({found.sureness.value}; it accounts for {found.explained:.0%} of the trace)"
    if found.task:
        yield _short(f"task: {found.task}")
    if found.tools:
        yield _short(f"tools declared: {', '.join(found.tools)}")
    yield f"calls: {len(found.calls) or 'none'}"
    batches: dict[int, int] = {}
    for call in found.calls:
        together = "" if call.batch is None else f" [at once {batches.setdefault(call.batch, len(batches) + 1)}]"
        yield _short(f"  {call.index + 1} {call}{together}")
        if call.kind in _KINDS:
            yield f"    {_KINDS[call.kind]}"
        if call.error is not None:
            yield _short(f"    failed: {call.error}")
        elif call.has_result:
            yield _short(f"    -> {_plain(call.result)}")
    yield from _plan_lines(stated_plan(found, known_tools(found)))
    yield from (f"not understood: {what}" for what in found.missed)
    yield from (f"warning: {warning}" for warning in found.warnings)


def _plan_lines(plan: StatedPlan) -> Iterator[str]:
    if plan.steps is None:
        yield _short(f"plan: {plan.reason}")
        return
    yield f"plan: {plan.source}"
    yield from (_short(f"  {step.index + 1} {step}") for step in plan.steps)
    yield from (f"warning: {warning}" for warning in plan.warnings)


def _plain(value: object) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)


def _short(text: str) -> str:
    """Return a text on one line, behind the blanks with which it begins."""
    margin = text[: len(text) - len(text.lstrip())]
    return shortened(f"{margin}{safe(' '.join(text.split()))}", _LONGEST)
