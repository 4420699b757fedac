"""The plan: the one that is given, or the one that a trace states, by grammar and never by guess.

A trace states a plan by a call of a plan tool, by a field named ``plan``, or by a numbered list in what the agent says.
The first statement that names a tool is the plan; what comes later are changes of it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from validator.adherence.calls import Argument, CallKind, Planned, read_arguments
from validator.adherence.items import Known, list_items, read_call, read_item
from validator.adherence.recording import PLAN_FIELDS, Recording, Said, Statement, folded
from validator.errors import PlanError
from validator.plan import Dialect, Plan, Step, Unparsed
from validator.prepared import read_plan_text
from validator.tokens import Vocabulary, tokenize

__all__ = ["StatedPlan", "given_plan", "known_tools", "stated_plan"]


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


# --- stated in the trace -------------------------------------------------------------------------


def stated_plan(recording: Recording, known: Known) -> StatedPlan:
    """Return the plan that a trace states."""
    statements = [*recording.statements, *_spoken(recording.said)]
    found: list[StatedPlan] = []
    in_words: list[str] = []
    for statement in statements:
        reader = _Reader(known)
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


# --- values --------------------------------------------------------------------------------------

_INSIDE = ("plan", "steps", "todos", "tasks", "actions", "items", "planned_steps", "plan_steps", "calls", "tool_calls")
_TOOLS = ("tool", "tool_name", "toolName", "name", "function", "action")
_ARGUMENTS = ("arguments", "args", "input_parameters", "inputParameters", "parameters", "params", "input", "tool_input")
_WORDS = ("step", "content", "description", "task", "title", "text", "activeForm", "name", "action")
_NUMBERED = re.compile(r"(?:step[ _-]?)?(\d+)", re.IGNORECASE)


class _Reader:
    """Reads the steps of one plan value: lists, objects and texts; what names no tool is kept as unreadable."""

    def __init__(self, known: Known) -> None:
        self.known = known
        self.steps: list[Planned] = []
        self.batches = 0

    def read(self, value: object, batch: int | None = None) -> None:
        if isinstance(value, str):
            self._text(value, batch)
        elif isinstance(value, Mapping):
            self._object(value, batch)
        elif isinstance(value, Sequence):
            for each in value:
                if isinstance(each, str):
                    self._item(each, batch)
                elif isinstance(each, list | tuple):
                    self.batches += 1
                    self.read(each, self.batches)
                else:
                    self.read(each, batch)
        else:
            self._unreadable(json.dumps(value, default=str), batch)

    def _object(self, value: Mapping[str, object], batch: int | None) -> None:
        inner = value.get("function")
        spec = inner if isinstance(inner, Mapping) else value
        tool = next((spec[key] for key in _TOOLS if isinstance(spec.get(key), str)), None)
        given = [key for key in _ARGUMENTS if key in spec]
        if isinstance(tool, str) and (given or folded(tool) in self.known or "tool" in value or "tool_name" in value):
            self._add(tool.strip(), read_arguments(spec[given[0]]) if given else None, batch)
            return
        inside = next((value[key] for key in _INSIDE if isinstance(value.get(key), list | Mapping)), None)
        words = next((value[key] for key in (*_WORDS, *_INSIDE) if isinstance(value.get(key), str)), None)
        numbered = [each for key, each in value.items() if _NUMBERED.fullmatch(str(key))]
        if inside is not None:
            self.read(inside, batch)
        elif isinstance(words, str):
            whole = "\n" in words or any(key in value for key in _INSIDE)
            (self._text if whole else self._item)(words, batch)
        elif numbered:
            for each in numbered:
                self._item(each, batch) if isinstance(each, str) else self.read(each, batch)
        else:
            self._unreadable(json.dumps(value, default=str, ensure_ascii=False), batch)

    def _text(self, text: str, batch: int | None) -> None:
        """Read a text that is a plan: JSON, a numbered list, or a line a step."""
        if text.lstrip()[:1] in ("[", "{"):
            try:
                self.read(json.loads(text), batch)
                return
            except (ValueError, RecursionError):
                pass
        items = list_items(text, headed=False)
        if not items:
            lines = (line.strip().lstrip("-*•+").strip() for line in text.splitlines())
            items = [line for line in lines if line and not line.endswith(":")]
        if len(items) == 1 and items[0].count(",") and "(" not in items[0]:
            pieces = [piece.strip() for piece in items[0].split(",")]
            if all(" " not in piece for piece in pieces):
                items = pieces
        for item in items:
            self._item(item, batch)

    def _item(self, text: str, batch: int | None) -> None:
        found = read_item(text, self.known)
        for name, arguments in found:
            self._add(name, arguments, batch)
        if not found and text.strip():
            self._unreadable(text, batch)

    def _add(self, name: str, arguments: object, batch: int | None) -> None:
        read = arguments if isinstance(arguments, tuple) else None
        self.steps.append(Planned(index=len(self.steps), name=name, arguments=read, batch=batch))

    def _unreadable(self, text: str, batch: int | None) -> None:
        token = Unparsed(text=" ".join(text.split()), reason="it names no tool")
        self.steps.append(Planned(index=len(self.steps), name=token.text, batch=batch, token=token, is_readable=False))


def _at(index: int, step: Planned) -> Planned:
    if step.index == index:
        return step
    return Planned(index=index, name=step.name, arguments=step.arguments, batch=step.batch, token=step.token)


# --- given ---------------------------------------------------------------------------------------


def given_plan(
    plan: str | Path | Plan | Mapping[str, object] | Sequence[object],
    known: Known,
    vocabulary: Vocabulary | None = None,
) -> StatedPlan:
    """Return a plan that is given: a path or a text in any dialect, JSON, a Plan, or a list of steps.

    A list may hold Steps, texts such as ``search(a, b)`` and objects with a tool's name and its arguments. What cannot
    be read stays a step, which nothing can execute. Raises PlanError for a text in which there is no step at all.
    """
    if isinstance(plan, Plan):
        return _tokens(plan)
    if isinstance(plan, str | Path):
        return _given_text(read_plan_text(plan), known, vocabulary)
    if isinstance(plan, Sequence) and all(isinstance(step, Planned) for step in plan):
        return StatedPlan(source="given", steps=tuple(step for step in plan if isinstance(step, Planned)))
    if isinstance(plan, Sequence) and all(isinstance(step, Step) for step in plan):
        return _tokens(Plan(parts=tuple(step for step in plan if isinstance(step, Step))))
    reader = _Reader(known)
    reader.read(plan)
    return _given(reader)


def _given(reader: _Reader) -> StatedPlan:
    warnings = tuple(f"a step of the plan names no tool: {step}" for step in reader.steps if not step.is_readable)
    return StatedPlan(source="given", steps=tuple(reader.steps), warnings=warnings)


def _given_text(text: str, known: Known, vocabulary: Vocabulary | None) -> StatedPlan:
    if text.lstrip()[:1] in ("[", "{") and _is_plan_json(text):
        reader = _Reader(known)
        reader.read(json.loads(text))
        return _given(reader)
    plan = tokenize(text, vocabulary)
    items = list_items(text, headed=False)
    if plan.is_unreadable or (items and len(items) != len(plan.steps)):
        reader = _Reader(known)
        for item in items or text.splitlines():
            reader.read([item])
        if reader.steps and all(step.is_readable for step in reader.steps) and items:
            return _given(reader)
        if plan.is_unreadable and not any(step.is_readable for step in reader.steps):
            raise PlanError("no step could be read from the plan", text=text, offset=0)
        if plan.is_unreadable:
            return _given(reader)
    return _tokens(plan)


def _is_plan_json(text: str) -> bool:
    """Return whether a text is JSON and none of the dialects of plans that look like it."""
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return False
    if isinstance(value, Mapping):
        return any(key in value for key in (*_INSIDE, *_TOOLS))
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
