"""A reading beside its text as HTML: each line with coloured spans, and what was read of it. No script, no net.

The values are those of ``beside_value``: the service keeps them as JSON. Colour only repeats what signs and words say.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from html import escape
from typing import Any

from validator.reading.beside import Beside, Taken
from validator.render.beside import beside_value
from validator.render.html.page import folded, listed, page, said, section
from validator.render.html.style import REPORT_STYLE
from validator.render.reading import HELP_IN_WORDS

__all__ = ["beside_body", "beside_page", "is_clear"]


def beside_page(found: Beside, title: str = "Text") -> str:
    """Return a page that stands alone."""
    shown = said(title)
    return page(shown, REPORT_STYLE, f"<h1>How {shown} was read</h1>\n{beside_body(beside_value(found))}")


def beside_body(value: Mapping[str, Any]) -> str:
    """Return what stands in the body of a page."""
    return "\n".join(_parts(value))


def is_clear(value: Mapping[str, Any]) -> bool:
    """Return whether there is nothing that a person should look at: one plan, and all of the text understood."""
    is_one = len(value["candidates"]) == 1 or any(one["is_marked"] for one in value["candidates"])
    return is_one and value["completeness"] == "complete"


_SIGNS = {"complete": ("yes", "✓"), "partial": ("unknown", "?"), "none": ("unknown", "?")}
_SPANS = {Taken.STEP.value: "step", Taken.MISSED.value: "missed", Taken.SPACE.value: "", Taken.MARKUP.value: ""}


def _parts(value: Mapping[str, Any]) -> Iterator[str]:
    kind, sign = _SIGNS[value["completeness"]]
    yield f"<p class={kind}><b aria-hidden=true>{sign}</b> {said(value['summary'])}</p>"
    yield _table(value)
    if len(value["candidates"]) > 1:
        plans = (_candidate(number, one) for number, one in enumerate(value["candidates"], 1))
        yield section(f"One of {len(value['candidates'])} plans", *plans)
    notes = [*(f"passed over: {text}" for text in value["passed_over"]), *value["warnings"]]
    if value["completeness"] != "complete":
        notes.append(HELP_IN_WORDS)
    if notes:
        yield listed(f"<li>{said(note)}</li>" for note in notes)


def _candidate(number: int, one: Mapping[str, Any]) -> str:
    steps = "".join(f"<li><code>{said(step)}</code></li>" for step in one["steps"])
    marked = ", marked as the answer" if one["is_marked"] else ""
    lines = "" if one["lines"] is None else f", lines {one['lines'][0]} to {one['lines'][1]}"
    count = f"{len(one['steps'])} step{'s' if len(one['steps']) != 1 else ''}"
    head = f"{number}. {said(one['said'])}: {count}{lines}{marked}"
    return folded(head, f"<ol class=steps>{steps}</ol>", is_open=False)


# --- the text ------------------------------------------------------------------------------------


def _table(value: Mapping[str, Any]) -> str:
    head = "<tr><th scope=col>Line</th><th scope=col>Text</th><th scope=col>Read as</th></tr>"
    lines: dict[int, list[Mapping[str, Any]]] = {}
    for part in value["parts"]:
        for place, text in enumerate(part["text"].split("\n")):
            row = lines.setdefault(part["line"] + place, [])
            if text or part["step"]:
                row.append({**part, "text": text, "goes_on": place > 0})
    rows = "".join(_row(number, parts) for number, parts in lines.items() if parts or number < max(lines))
    return f"<div class=wide><table class=beside><thead>{head}</thead><tbody>{rows}</tbody></table></div>"


def _row(number: int, parts: Sequence[Mapping[str, Any]]) -> str:
    text = "".join(map(_span, parts))
    told = [part for part in parts if part["taken"] in (Taken.STEP.value, Taken.MISSED.value)]
    if not told:
        passed = [part for part in parts if part["taken"] != Taken.SPACE.value]
        told = sorted(passed, key=lambda part: part["taken"] == Taken.MARKUP.value)[:1]
    read = "".join(f"<div class={_kind(part) or 'passed'}>{_entry(part)}</div>" for part in told)
    return f"<tr><td>{number}</td><td><code>{text}</code></td><td>{read}</td></tr>"


def _kind(part: Mapping[str, Any]) -> str:
    return _SPANS.get(part["taken"], "passed")


def _span(part: Mapping[str, Any]) -> str:
    kind = _kind(part)
    shown = said(part["text"])
    return f'<span class={kind} title="{escape(part["taken"])}">{shown}</span>' if kind else shown


def _entry(part: Mapping[str, Any]) -> str:
    if part["goes_on"]:
        return "…"
    if part["taken"] == Taken.STEP.value:
        shown = f"{part['number']} <code>{said(part['step'])}</code>" if part["step"] else "<b>?</b>"
        if not part.get("pattern") or part["step"] == part["pattern"]:
            return shown
        arrow = " ← " if part["step"] else " "
        return f"{shown}{arrow}<code>{said(part['pattern'])}</code> <span class=why>{said(part['reason'])}</span>"
    if part["taken"] == Taken.MISSED.value:
        near = f" (did you mean <code>{said(part['nearest'])}</code>?)" if part["nearest"] else ""
        read = f", read as <code>{said(part['step'])}</code>" if part["step"] else ""
        can_be = f"; it can be <code>{said(part['pattern'])}</code>" if part.get("pattern") else ""
        return f"<b>? not understood</b>{read}: {said(part['reason'])}{near}{can_be}"
    reason = f": {said(part['reason'])}" if part["reason"] else ""
    return f"– {escape(part['taken'])}{reason}"
