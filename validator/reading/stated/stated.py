"""The plan that a trace states, by grammar and never by guess.

A trace states a plan by a call of a plan tool, by a field named ``plan``, or by a numbered list in what the agent says.
The first statement that names a tool is the plan; what comes later are changes of it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from validator.reading.calls import CallKind, Planned
from validator.reading.stated.items import Known
from validator.reading.stated.lists import list_items
from validator.reading.stated.plan_reader import PlanReader, Written
from validator.reading.traces.recording import PLAN_FIELDS, Recording, Said, Statement, folded

__all__ = ["StatedPlan", "known_tools", "stated_plan"]


@dataclass(frozen=True, slots=True, kw_only=True)
class StatedPlan:
    """A plan with its ``source``; ``steps`` None means that there is none, and ``reason`` says why."""

    source: str = ""
    steps: tuple[Planned, ...] | None = None
    reason: str = ""
    warnings: tuple[str, ...] = ()


def known_tools(recording: Recording, actions: Sequence[str] = ()) -> dict[str, str]:
    """Return the tools that a plan can name, by their folded names."""
    names = [call.name for call in recording.calls if call.kind is not CallKind.PLAN]
    return {folded(name): name for name in (*actions, *recording.tools, *names)}


def stated_plan(recording: Recording, known: Known, written: Written | None = None) -> StatedPlan:
    """Return the plan that a trace states; ``written`` says how the model's own plans are."""
    statements = [*recording.statements, *_spoken(recording.said)]
    found: list[StatedPlan] = []
    in_words: list[str] = []
    for statement in statements:
        reader = PlanReader(known, written)
        reader.read(statement.value)
        steps = tuple(step for step in reader.steps if step.is_readable and _is_tool(step, known))
        if not steps:
            in_words += [step.name for step in reader.steps[:1]]
            continue
        passed = [step.name for step in reader.steps if not (step.is_readable and _is_tool(step, known))]
        warnings = tuple(f"an item of the plan names no tool and is not a step: {text}" for text in passed)
        renumbered = tuple(_at(index, step) for index, step in enumerate(steps))
        found.append(StatedPlan(source=statement.source, steps=renumbered, warnings=warnings))
    if not found:
        reason = "no plan is stated in the trace"
        if in_words:
            reason = f"the plan that the trace states names no tool: {in_words[0]}"
        return StatedPlan(reason=reason)
    first, *later = found
    if not later:
        return first
    wording = list(map(str, first.steps or ()))
    changed = sum(list(map(str, other.steps or ())) != wording for other in later)
    if not changed:
        return first
    note = f"the trace states {changed} other plan{'s' if changed > 1 else ''} later; the first one counts"
    return StatedPlan(source=first.source, steps=first.steps, warnings=(*first.warnings, note))


_PLAIN_WORD = re.compile(r"[^\W\d_]+")


def _is_tool(step: Planned, known: Known) -> bool:
    """Return whether a step's name can be a tool's: a plain word can only where a known tool is named so."""
    if step.arguments is not None or not _PLAIN_WORD.fullmatch(step.name) or folded(step.name) in known:
        return True
    return any(_PLAIN_WORD.fullmatch(name) for name in known)


_FENCED = re.compile(r"```(?:json)?[^\S\n]*+\n(.*?)```", re.DOTALL)


def _spoken(said: Sequence[Said]) -> Iterator[Statement]:
    """Yield the plan fields of JSON in what the agent says, then its lists: before any call, or headed as a plan."""
    lists: list[Statement] = []
    for each in said:
        for text in (each.text, *_FENCED.findall(each.text)):
            for value in _plan_fields(text):
                yield Statement(source="plan field", value=value, before=each.before)
        items = list_items(each.text, headed=each.before > 0)
        if items:
            lists.append(Statement(source="list in the reasoning", value=items, before=each.before))
    yield from lists


def _plan_fields(text: str) -> Iterator[object]:
    if text.lstrip()[:1] != "{":
        return
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return
    if isinstance(value, Mapping):
        yield from (each for name, each in value.items() if folded(name) in PLAN_FIELDS and each)


def _at(index: int, step: Planned) -> Planned:
    return step if step.index == index else replace(step, index=index)
