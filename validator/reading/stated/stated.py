"""The plan that a trace states, by grammar and never by guess.

A trace states a plan by a call of a plan tool, by a field named ``plan``, or by a numbered list in what the agent says.
The first statement that names a tool is the plan; what comes later are changes of it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from functools import partial

from validator.reading.calls import CallKind, Planned
from validator.reading.stated.around import NOTHING, Around, is_said_only
from validator.reading.stated.items import Known
from validator.reading.stated.lists import is_headed, list_items
from validator.reading.stated.plan_reader import PlanReader, Written
from validator.reading.traces.recording import PLAN_FIELDS, Recording, Said, Statement, folded
from validator.records import dataclass, replace

__all__ = ["StatedPlan", "known_tools", "stated_plan"]


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


def stated_plan(recording: Recording, known: Known, written: Written | None = None) -> StatedPlan:
    """Return the plan that a trace states; ``written`` says how the model's own plans are.

    The first statement that names tools counts. Where a sentence of it leaves open which tool it means, or few of its
    sentences mean one at all, there is no plan to compare with.
    """
    found: list[StatedPlan] = []
    in_words: list[str] = []
    for statement in (*recording.statements, *_spoken(recording.said)):
        reader = PlanReader(known, written, described=recording.descriptions)
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
        unread = tuple(text for text in passed if not is_said_only(text))
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


_FENCED = re.compile(r"```[^\n`]*\n(.*?)```", re.DOTALL)
_PLANS = re.compile(r"<(plan|todos?)>", re.IGNORECASE)
_ITEMS = re.compile(r"<(step|item|task)\b[^<>]{0,99}>", re.IGNORECASE)
_HEADED = re.compile(r"\bplan(?:ned)?\b", re.IGNORECASE)
_ASKS = re.compile(
    r"\b(?:please|kindly)\s+(?:provide|confirm|tell|share|specify|let|choose|select|answer|send|give)\b"
    r"|\b(?:could|can|would)\s+you\b|\blet\s+me\s+know\b",
    re.IGNORECASE,
)
_LONGEST = 2_000
"""characters of a line that states a plan"""


def _spoken(said: Sequence[Said]) -> Iterator[Statement]:
    """Yield the plan fields of JSON in what the agent says, then its lists: before any call, or headed as a plan.

    A list in what the agent asks the user is none, unless it is headed as a plan.
    """
    lists: list[Statement] = []
    for each in said:
        fenced = list(_FENCED.finditer(each.text))
        for text in (each.text, *(match[1] for match in fenced)):
            for value in _plan_fields(text):
                yield Statement(source="plan field", value=value, before=each.before)
        tagged = [list(_inside(_ITEMS, text)) or text for text in _inside(_PLANS, each.text)]
        yield from (Statement(source="plan in tags", value=value, before=each.before) for value in tagged if value)
        headed = [match[1] for match in fenced if is_headed(each.text, match.start())]
        items = list_items(each.text, headed=each.before > 0 or _is_question(each.text))
        values: list[object] = [items] if items else [*headed, *_lines(each.text)]
        lists += (Statement(source=_LIST, value=value, before=each.before) for value in values[:1])
    yield from lists


def _inside(opens: re.Pattern[str], text: str) -> Iterator[str]:
    """Yield what stands between tags, none inside another, in time that grows with the text."""
    place = 0
    lower = text.lower()
    while match := opens.search(text, place):
        close = f"</{match[1].lower()}>"
        end = lower.find(close, match.end())
        if end < 0:
            return
        yield text[match.end() : end].strip()
        place = end + len(close)


def _is_question(text: str) -> bool:
    """Return whether a text asks its reader for something."""
    return text.rstrip(" *_)\"'\n").endswith("?") or _ASKS.search(text) is not None


def _lines(text: str) -> Iterator[str]:
    """Yield what stands behind the word plan and a colon in a line."""
    for line in text.splitlines():
        head, sign, rest = line[:_LONGEST].partition(":")
        if sign and rest.strip() and _HEADED.search(head):
            yield rest.strip()


def _plan_fields(text: str) -> Iterator[object]:
    if text.lstrip()[:1] != "{":
        return
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return
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
