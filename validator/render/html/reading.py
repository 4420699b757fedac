"""A text beside what was read of it: each line with coloured spans, and the step or the reason beside it.

The values are those of ``annotated_value``. Colour only repeats what signs and words say.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from validator.reading.annotated import Taken
from validator.render.html.elements import Element, Node, code, element, folded, listed, section, table
from validator.render.reading import HELP_IN_WORDS

__all__ = ["candidates", "reading_tree"]

_SIGNS = {"complete": ("yes", "✓"), "partial": ("unknown", "?"), "none": ("unknown", "?")}
_KINDS = {Taken.STEP.value: "step", Taken.MISSED.value: "missed", Taken.SPACE.value: None, Taken.MARKUP.value: None}
_TOLD = (Taken.STEP.value, Taken.MISSED.value)


def reading_tree(value: Mapping[str, Any]) -> Iterator[Node]:
    """Yield what stands below the heading of a page."""
    kind, sign = _SIGNS[value["completeness"]]
    yield element("p", element("b", sign, aria_hidden="true"), f" {value['summary']}", kind=kind)
    lines: dict[int, list[Mapping[str, Any]]] = {}
    for part in value["parts"]:
        for place, text in enumerate(part["text"].split("\n")):
            row = lines.setdefault(part["line"] + place, [])
            if text or part["step"]:
                row.append({**part, "text": text, "goes_on": place > 0})
    rows = (_row(number, parts) for number, parts in lines.items() if parts or number < max(lines))
    yield table(("Line", "Text", "Read as"), rows, "beside")
    if len(value["candidates"]) > 1:
        yield section(f"One of {len(value['candidates'])} plans", candidates(value))
    notes = [*(f"passed over: {text}" for text in value["passed_over"]), *value["warnings"]]
    if value["completeness"] != "complete":
        notes.append(HELP_IN_WORDS)
    if notes:
        yield listed(element("li", note) for note in notes)


def candidates(value: Mapping[str, Any]) -> Iterator[Element]:
    """Yield the plans that a text may mean."""
    yield from (_candidate(number, one) for number, one in enumerate(value["candidates"], 1))


def _candidate(number: int, one: Mapping[str, Any]) -> Element:
    marked = ", marked as the answer" if one["is_marked"] else ""
    lines = f", lines {one['lines'][0]} to {one['lines'][1]}" if one.get("lines") else ""
    count = f"{len(one['steps'])} step{'s' if len(one['steps']) != 1 else ''}"
    steps = element("ol", (element("li", code(step)) for step in one["steps"]), kind="steps")
    return folded(f"{number}. {one['said']}: {count}{lines}{marked}", steps)


def _row(number: int, parts: Sequence[Mapping[str, Any]]) -> Element:
    told = [part for part in parts if part["taken"] in _TOLD]
    if not told:
        passed = [part for part in parts if part["taken"] != Taken.SPACE.value]
        told = sorted(passed, key=lambda part: part["taken"] == Taken.MARKUP.value)[:1]
    text = (_span(part) for part in parts)
    read = (element("div", _entry(part), kind=_kind(part) or "passed") for part in told)
    return element("tr", element("td", number), element("td", element("code", text)), element("td", read))


def _kind(part: Mapping[str, Any]) -> str | None:
    return _KINDS.get(part["taken"], "passed")


def _span(part: Mapping[str, Any]) -> Node:
    kind = _kind(part)
    return element("span", part["text"], kind=kind, title=part["taken"]) if kind else part["text"]


def _entry(part: Mapping[str, Any]) -> Iterator[Node]:
    """Yield what stands beside a part: a step with its number and its pattern, or why there is none."""
    if part["goes_on"]:
        yield "…"
    elif part["taken"] == Taken.STEP.value:
        yield from (f"{part['number']} ", code(part["step"])) if part["step"] else (element("b", "?"),)
        if part.get("pattern") and part["step"] != part["pattern"]:
            yield from (" ← " if part["step"] else " ", code(part["pattern"]), " ")
            yield element("span", part["reason"], kind="why")
    elif part["taken"] == Taken.MISSED.value:
        yield element("b", "? not understood")
        yield from (", read as ", code(part["step"])) if part["step"] else ()
        yield f": {part['reason']}"
        yield from (" (did you mean ", code(part["nearest"]), "?)") if part["nearest"] else ()
        yield from ("; it can be ", code(part["pattern"])) if part.get("pattern") else ()
    else:
        yield f"– {part['taken']}{': ' if part['reason'] else ''}{part['reason']}"
