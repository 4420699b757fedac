"""The plan that is given, or that a trace states, by grammar and never by guess.

A plan is given as a file, a text in any dialect, JSON or a list of steps. A trace states one by a call of a plan tool,
by a field named ``plan``, or by a list in what the agent says. The first statement that names a tool is the plan; what
comes later are changes of it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from validator.errors import PlanError
from validator.reading.calls import CallKind, Planned
from validator.reading.calls.plans import is_of_objects
from validator.reading.plan import Dialect, Plan
from validator.reading.statements.context import NOTHING, Around, around_items, around_plan
from validator.reading.statements.plan_reader import (
    Known,
    PlanReader,
    begins_with_tool,
    is_headed,
    items_of,
    list_items,
    planned_tokens,
)
from validator.reading.tokens import Vocabulary, tokenize
from validator.reading.tokens.phrases import unmarked
from validator.reading.traces.recording import PLAN_FIELDS, Recording, Said, Statement, folded
from validator.reading.understood import unclear
from validator.reading.values import FENCE, whole_value
from validator.records import dataclass, replace
from validator.texts import read_plan_text


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

    The first statement that names tools counts.
    """
    found: list[StatedPlan] = []
    why_not = ""
    for statement in (*recording.statements, *_spoken(recording.said)):
        reader = PlanReader(known)
        reader.read(statement.value)
        plan = _of_tools(reader, statement.source, known)
        found += [plan] if plan.steps is not None else []
        why_not = why_not or plan.reason
    if not found:
        reason = f"the plan that the trace states cannot be compared: {why_not}" if why_not else ""
        return StatedPlan(reason=reason or "no plan is stated in the trace", is_unclear=bool(why_not))
    first, *later = found
    wording = list(map(str, first.steps or ()))
    changed = sum(list(map(str, other.steps or ())) != wording for other in later)
    note = f"the trace states {changed} other plan{'s' if changed > 1 else ''} later; the first one counts"
    return replace(first, warnings=(*first.warnings, note)) if changed else first


def _of_tools(reader: PlanReader, source: str, known: Known) -> StatedPlan:
    """Return the plan that a statement is: those of its items that name tools."""
    steps = [step for step in reader.steps if step.is_readable and _is_tool(step, known)]
    if source == _LIST and all(_is_word(step, known) for step in steps):
        steps = []  # a list of headings names no tool, whatever words stand in it
    if not steps:
        return StatedPlan(reason=f"it names no tool: {reader.steps[0].name}" if reader.steps else "")
    kept = {step.index for step in steps}
    passed = [step.name for step in reader.steps if step.index not in kept]
    unread = tuple(text for text in passed if not _SAID_ONLY.match(unmarked(text)))
    said = (f"an item of the plan names no tool and is not a step: {text}" for text in passed)
    around = reader.around + Around(unread=unread)
    return StatedPlan(source=source, steps=_renumbered(steps), warnings=tuple(said), around=around)


_LIST = "list in the reasoning"
_WORD = re.compile(r"[^\W\d_]+(?P<next>-[^\W\d_]+)*")


def _is_word(step: Planned, known: Known) -> bool:
    """Return whether a step is no call, no known tool, and named as words are: ``Follow-up``."""
    is_name = step.arguments is not None or folded(step.name) in known or re.search(r"[a-z\d][A-Z]", step.name)
    return not is_name and _WORD.fullmatch(step.name) is not None


def _is_tool(step: Planned, known: Known) -> bool:
    """Return whether a step's name can be a tool's: words, with hyphens or not, only where a known tool is named so."""
    if step.arguments is not None or folded(step.name) in known:
        return True
    forms = (_WORD.fullmatch(name) for name in known.values())
    own = _WORD.fullmatch(step.name)
    return own is None or any(form is not None and (form["next"] is None) == (own["next"] is None) for form in forms)


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
    found: list[Planned] = []
    for place, step in enumerate(steps):
        after = None if step.after is None else tuple(places[each] for each in step.after if each in places)
        found.append(replace(step, index=place, after=after))
    return tuple(found)


# --- given ---------------------------------------------------------------------------------------


def given_plan(
    plan: str | Path | Plan | Mapping[str, object] | Sequence[object],
    known: Known,
    vocabulary: Vocabulary | None = None,
) -> StatedPlan:
    """Return a plan that is given: a path or a text in any dialect, JSON, a Plan, or a list of steps.

    A list may hold Steps, texts such as ``search(a, b)`` and objects with a tool's name and its arguments. What cannot
    be read stays a step, which nothing can execute; of a text that was understood in part no plan is known. Raises
    PlanError for a text in which there is no step at all, and for what is no plan by its type.
    """
    if isinstance(plan, bytes | bytearray) or not isinstance(plan, str | Path | Plan | Mapping | Sequence):
        raise PlanError(f"a plan is a path, a text, a list of steps or JSON values, not {type(plan).__name__!r}")
    reader = PlanReader(known, vocabulary, is_given=True)
    if isinstance(plan, Plan):
        return _given(reader, plan)
    if isinstance(plan, str | Path):
        try:
            return _given_text(read_plan_text(plan), reader)
        except PlanError as error:
            error.source = error.source or (str(plan) if isinstance(plan, Path) else "")
            raise
    if isinstance(plan, Sequence) and all(isinstance(step, Planned) for step in plan):
        return StatedPlan(source="given", steps=tuple(step for step in plan if isinstance(step, Planned)))
    return _given_value(plan, reader)


def _given_value(value: object, reader: PlanReader) -> StatedPlan:
    """Return the plan that a value is; a chat is none."""
    if isinstance(value, Sequence) and any(isinstance(each, Mapping) and "role" in each for each in value):
        return _not_clear("not understood: a chat is a trace of calls")
    reader.read(value)
    return _given(reader)


def _given(reader: PlanReader, plan: Plan | None = None) -> StatedPlan:
    """Return the plan that was read, or that the tokens of one are."""
    steps = reader.steps if plan is None else planned_tokens(plan)
    unread = (f"a step of the plan names no tool: {step}" for step in steps if not step.is_readable)
    return StatedPlan(
        source="given",
        steps=tuple(steps),
        warnings=(*(plan.warnings if plan is not None else ()), *unread),
        around=reader.around if plan is None else around_plan(plan),
    )


def _not_clear(why: str) -> StatedPlan:
    return StatedPlan(source="given", reason=f"the plan is {why}", is_unclear=True)


def _given_text(text: str, reader: PlanReader) -> StatedPlan:
    value = whole_value(text)
    if value is not None and not is_of_objects(value):
        return _given_value(value, reader)
    plan, items = tokenize(text, reader.vocabulary), list_items(text, headed=False)
    is_listed = bool(items)
    items = items or items_of(text)
    is_of_items = reader.vocabulary is None and _is_in_words(plan)
    is_of_items = is_of_items and (is_listed or all(begins_with_tool(item, reader.known) for item in items))
    if is_of_items or plan.is_unreadable or (is_listed and len(items) > len(plan.steps)):
        reader.is_given = is_of_items
        reader.read(items)
        reader.around += around_items(text, items)
        is_read = [step.is_readable for step in reader.steps]
        if plan.is_unreadable and not any(is_read):
            raise PlanError("no step could be read from the plan", text=text, offset=0)
        if is_of_items or plan.is_unreadable or (is_read and all(is_read)):
            return _given(reader)
    why = unclear(plan)
    if not why and reader.vocabulary is None and plan.dialect is Dialect.SETS:
        forms = {step.written is None for step in plan.steps if step.written or folded(step.name) not in reader.known}
        why = "not understood: words stand between its calls" if len(forms) > 1 else ""
    return _not_clear(why) if why else _given(PlanReader(reader.known), plan)


def _is_in_words(plan: Plan) -> bool:
    """Return whether a text says one plan, in calls or words, one after the other."""
    is_one = plan.reading is not None and len(plan.reading.candidates) == 1 and not plan.warnings
    is_in_order = all(step.concurrent is None and step.time is None for step in plan.steps)
    return is_one and is_in_order and plan.dialect in (Dialect.FUNCTIONAL, Dialect.WORDS, Dialect.SETS)
