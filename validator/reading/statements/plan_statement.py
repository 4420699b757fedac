"""The plan that is given, or that a trace states, by grammar and never by guess.

A plan is given as a file, a text in any dialect, JSON or a list of steps. A trace states one by a call of a plan tool,
by a field named ``plan``, or by a list in what the agent says. The first statement that names a tool is the plan; what
comes later are changes of it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path

from validator.errors import InputError, PlanError
from validator.reading.calls import CallKind, Planned
from validator.reading.calls.plans import is_of_objects
from validator.reading.plan import Dialect, Plan, Step
from validator.reading.statements.context import NOTHING, Around, around_items, around_steps, is_remark, without_glosses
from validator.reading.statements.plan_reader import Known, PlanReader, is_headed, list_items, planned_tokens
from validator.reading.statements.tool_lists import listed
from validator.reading.tokens import Vocabulary, tokenize
from validator.reading.tokens.phrases import unmarked
from validator.reading.traces.recording import PLAN_FIELDS, Recording, Said, Statement, folded
from validator.reading.understood import unclear
from validator.reading.values import FENCE, json_values, whole_value
from validator.records import dataclass, replace
from validator.texts import json_lines, parse_json, read_plan_text


@dataclass(frozen=True, slots=True, kw_only=True)
class StatedPlan:
    """A plan with its ``source``; ``steps`` None means that there is none, and ``reason`` says why.

    ``is_unclear`` says that one is stated, and that it is not clear what it means. ``around`` is what stands around its
    steps, and may be steps that were not read, or change those that were.
    """

    source: str = ""
    steps: tuple[Planned, ...] | None = None
    reason: str = ""
    warnings: tuple[str, ...] = ()
    is_unclear: bool = False
    around: Around = NOTHING


def known_tools(recording: Recording, actions: Sequence[str] = ()) -> dict[str, str]:
    """Return the tools that a plan can name, by their folded names."""
    names = [call.name for call in recording.calls if call.kind is not CallKind.PLAN]
    return {folded(name): name for name in (*actions, *recording.tools, *names)}


def stated_plan(recording: Recording, known: Known) -> StatedPlan:
    """Return the plan that a trace states.

    The first statement that names tools counts. Where a sentence of it leaves open which tool it means, or few of its
    sentences mean one at all, there is no plan to compare with.
    """
    found: list[StatedPlan] = []
    in_words: list[str] = []
    for statement in (*recording.statements, *_spoken(recording.said)):
        reader = PlanReader(known, in_words=True)
        reader.read(statement.value)
        steps = [step for step in reader.steps if step.is_readable and _is_tool(step, known)]
        if statement.source == _LIST and not any(map(partial(_is_named, known=known), steps)):
            steps = []  # a list of headings names no tool, whatever words stand in it
        if reader.unclear or (reader.by_words and 2 * len(steps) < len(reader.steps)):
            told = reader.unclear or [f"{len(steps)} of its {len(reader.steps)} items mean a tool"]
            in_words.append(told[0])
            continue
        if not steps:
            in_words += [f"it names no tool: {step.name}" for step in reader.steps[:1]]
            continue
        kept = {step.index for step in steps}
        passed = [step.name for step in reader.steps if step.index not in kept]
        unread = tuple(text for text in passed if not _SAID_ONLY.match(unmarked(text)))
        warnings = (
            *(f"an item of the plan names no tool and is not a step: {text}" for text in passed),
            *reader.by_words,
        )
        around = reader.around + Around(unread=unread)
        found.append(StatedPlan(source=statement.source, steps=_renumbered(steps), warnings=warnings, around=around))
    if not found:
        reason = f"the plan that the trace states cannot be compared: {in_words[0]}" if in_words else ""
        return StatedPlan(reason=reason or "no plan is stated in the trace", is_unclear=bool(in_words))
    first, *later = found
    if not later:
        return first
    wording = list(map(str, first.steps or ()))
    changed = sum(list(map(str, other.steps or ())) != wording for other in later)
    if not changed:
        return first
    note = f"the trace states {changed} other plan{'s' if changed > 1 else ''} later; the first one counts"
    return replace(first, warnings=(*first.warnings, note))


_LIST = "list in the reasoning"
_JOINED = re.compile(r"_|[a-z0-9][A-Z]|\w[./]\w")


def _is_named(step: Planned, known: Known) -> bool:
    """Return whether a step is a call, a known tool, or named as only tools are: not ``Follow-up``."""
    return step.arguments is not None or folded(step.name) in known or _JOINED.search(step.name) is not None


_PLAIN_WORD = re.compile(r"[^\W\d_]+")
_HYPHENED = re.compile(r"[^\W\d_]+(?:-[^\W\d_]+)+")


def _is_tool(step: Planned, known: Known) -> bool:
    """Return whether a step's name can be a tool's: words, with hyphens or not, only where a known tool is named so."""
    if step.arguments is not None or folded(step.name) in known:
        return True
    form = next((form for form in (_PLAIN_WORD, _HYPHENED) if form.fullmatch(step.name)), None)
    return form is None or any(form.fullmatch(name) for name in known.values())


_ASKS = re.compile(
    r"\b(?:please|kindly)\s+(?:provide|confirm|tell|share|specify|let|choose|select|answer|send|give)\b"
    r"|\b(?:could|can|would)\s+you\b|\blet\s+me\s+know\b",
    re.IGNORECASE,
)
_SAID_ONLY = re.compile(
    r"(?:(?:finally|then|lastly|next|and|at\s+last|i\s+will|i'll|we\s+will)[,\s]+)*"
    r"(?:tell|inform|report|explain|summari[sz]e|answer|reply|respond|present|thank|greet|apologi[sz]e|think|consider"
    r"|decide|choose|compare|reason|reflect|conclude|finish|done|end|stop)\b",
    re.IGNORECASE,
)
"""how an item begins that is done by saying or thinking something, which leaves no call"""


def _spoken(said: Sequence[Said]) -> Iterator[Statement]:
    """Yield the plan fields of JSON in what the agent says, then its lists: before any call, or headed as a plan.

    A list in what the agent asks the user is none, unless it is headed as a plan.
    """
    lists: list[Statement] = []
    for each in said:
        fenced = list(FENCE.finditer(each.text))
        for text in (each.text, *(match["inside"] for match in fenced)):
            for value in _plan_fields(text):
                yield Statement(source="plan field", value=value, before=each.before)
        headed = [match["inside"] for match in fenced if is_headed(each.text, match.start())]
        items = list_items(each.text, headed=each.before > 0 or _is_question(each.text))
        values: list[object] = [items] if items else list[object](headed)
        lists += (Statement(source=_LIST, value=value, before=each.before) for value in values[:1])
    yield from lists


def _is_question(text: str) -> bool:
    """Return whether a text asks its reader for something."""
    return text.rstrip(" *_)\"'\n").endswith("?") or _ASKS.search(text) is not None


def _plan_fields(text: str) -> Iterator[object]:
    value = whole_value(text)
    if isinstance(value, Mapping):
        yield from (each for name, each in value.items() if folded(name) in PLAN_FIELDS and each)


def _renumbered(steps: Sequence[Planned]) -> tuple[Planned, ...]:
    """Return steps with their own places; what depends on a step that is left out depends on nothing in its stead."""
    places = {step.index: place for place, step in enumerate(steps)}
    return tuple(
        step
        if step.index == place and step.after is None
        else replace(
            step,
            index=place,
            after=None if step.after is None else tuple(places[each] for each in step.after if each in places),
        )
        for place, step in enumerate(steps)
    )


# --- given ---------------------------------------------------------------------------------------


def given_plan(
    plan: str | Path | Plan | Mapping[str, object] | Sequence[object],
    known: Known,
    vocabulary: Vocabulary | None = None,
    *,
    in_words: bool = False,
) -> StatedPlan:
    """Return a plan that is given: a path or a text in any dialect, JSON, a Plan, or a list of steps.

    A list may hold Steps, texts such as ``search(a, b)`` and objects with a tool's name and its arguments. What cannot
    be read stays a step, which nothing can execute; of a text that was understood in part no plan is known. Raises
    PlanError for a text in which there is no step at all, and for what is no plan by its type.
    """
    if isinstance(plan, bytes | bytearray) or not isinstance(plan, str | Path | Plan | Mapping | Sequence):
        raise PlanError(f"a plan is a path, a text, a list of steps or JSON values, not {type(plan).__name__!r}")
    if isinstance(plan, Plan):
        return _tokens(plan)
    if isinstance(plan, str | Path):
        try:
            return _given_text(read_plan_text(plan), known, vocabulary, in_words)
        except PlanError as error:
            error.source = error.source or (str(plan) if isinstance(plan, Path) else "")
            raise
    if isinstance(plan, Sequence) and all(isinstance(step, Planned) for step in plan):
        return StatedPlan(source="given", steps=tuple(step for step in plan if isinstance(step, Planned)))
    if isinstance(plan, Sequence) and all(isinstance(step, Step) for step in plan):
        return _tokens(Plan(parts=tuple(step for step in plan if isinstance(step, Step))))
    return _given_value(plan, PlanReader(known, vocabulary, is_text=True, in_words=in_words))


def _given_value(value: object, reader: PlanReader) -> StatedPlan:
    """Return the plan that a value is; a chat is none."""
    if isinstance(value, Sequence) and any(isinstance(each, Mapping) and "role" in each for each in value):
        reason = "the plan is not understood: a chat is a trace of calls"
        return StatedPlan(source="given", reason=reason, is_unclear=True)
    reader.read(value)
    return _given(reader)


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
    in_words: bool,
) -> StatedPlan:
    value = whole_value(text)
    if value is not None and not is_of_objects(value):
        return _given_value(value, PlanReader(known, vocabulary, is_text=True, in_words=in_words))
    items = list_items(text, headed=False)
    lines = items or [line for line in text.splitlines() if not is_remark(line)]
    if vocabulary is None and len(lines) > 1 and any(listed(line, known) is not None for line in lines):
        reader = PlanReader(known, is_text=True, in_words=in_words)
        reader.read(lines)
        return _given(reader)
    plan = tokenize(text, vocabulary)
    if plan.dialect is Dialect.JSON and _is_cut_off(text):
        raise _unreadable(text)
    if plan.is_unreadable or len(items) > len(plan.steps):
        reader = PlanReader(known, in_words=in_words)
        reader.read(lines)
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
