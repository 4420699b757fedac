"""A text beside what was read of it: each line with coloured spans, and the step or the reason beside it.

Colour only repeats what signs and words say.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import starmap

from validator.reading.annotated import AnnotatedText, Stretch, Taken
from validator.reading.plan import Completeness
from validator.records import replace
from validator.render.annotated import parts_with_entries, place_of, summary
from validator.render.html.elements import Element, Node, begun, code, element, folded, listed, section, table
from validator.render.verdict import HELP_IN_WORDS

_KINDS = {Taken.STEP: "step", Taken.MISSED: "missed", Taken.SPACE: None, Taken.MARKUP: None}


def reading_tree(found: AnnotatedText) -> Iterator[Node]:
    """Yield what stands below the heading of a page."""
    is_whole = found.completeness is Completeness.COMPLETE
    kind, sign = ("yes", "✓") if is_whole else ("unknown", "?")
    yield element("p", element("b", sign, aria_hidden="true"), f" {summary(found)}", kind=kind)
    lines: dict[int, list[Stretch]] = {}
    for part in found.stretches:
        for line, text in enumerate(part.text.split("\n"), part.line):
            row = lines.setdefault(line, [])
            if text or part.step:
                row.append(replace(part, text=text))
    last = max(lines, default=0)
    kept, more = begun([(line, parts) for line, parts in lines.items() if parts or line < last], "lines")
    yield table(("Line", "Text", "Read as"), starmap(_row, kept), "beside")
    yield from [more] if more else []
    if len(found.candidates) > 1:
        plans = [(place_of(one), one.steps) for one in found.candidates]
        yield section(f"One of {len(plans)} plans", candidates(plans))
    notes = [*(f"passed over: {text}" for text in found.passed_over), *found.warnings]
    if not is_whole:
        notes.append(HELP_IN_WORDS)
    if notes:
        yield listed(element("li", note) for note in notes)


def candidates(plans: Iterable[tuple[str, Sequence[str]]]) -> Iterator[Element]:
    """Yield the plans that a text may mean: where each stands, and its steps."""
    for number, (said, steps) in enumerate(plans, 1):
        kept, more = begun(steps, "steps")
        listed_steps = element("ol", (element("li", code(step)) for step in kept), kind="steps")
        yield folded(f"{number}. {said}", listed_steps, more)


def _row(line: int, parts: Sequence[Stretch]) -> Element:
    text = (_span(part) for part in parts)
    read = (
        element("div", _entry(part) if part.line == line else "…", kind=_KINDS.get(part.taken, "passed") or "passed")
        for part in parts_with_entries(parts)
    )
    return element("tr", element("td", line), element("td", element("code", text)), element("td", read))


def _span(part: Stretch) -> Node:
    kind = _KINDS.get(part.taken, "passed")
    return element("span", part.text, kind=kind, title=part.taken.value) if kind else part.text


def _entry(part: Stretch) -> Iterator[Node]:
    """Yield what stands beside a part: a step with its number and its pattern, or why there is none."""
    if part.taken is Taken.STEP:
        yield from (f"{part.number} ", code(part.step)) if part.step else (element("b", "?"),)
        if part.pattern and part.step != part.pattern:
            yield from (" ← " if part.step else " ", code(part.pattern), " ")
            yield element("span", part.reason, kind="why")
    elif part.taken is Taken.MISSED:
        yield element("b", "? not understood")
        yield from (", read as ", code(part.step)) if part.step else ()
        yield f": {part.reason}"
        yield from (" (did you mean ", code(part.nearest), "?)") if part.nearest else ()
        yield from ("; it can be ", code(part.pattern)) if part.pattern else ()
    else:
        yield f"– {part.taken.value}{': ' if part.reason else ''}{part.reason}"
