"""What was not understood of a text, as sections of a report's page."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from validator.render.html.page import folded, listed, said, section
from validator.render.reading import HELP_IN_WORDS

__all__ = ["has_plan", "no_plan", "reading_sections"]


def no_plan(value: Mapping[str, Any]) -> str | None:
    """Return what a text says that has no plan; None for one that has, or was not understood."""
    reading = value.get("reading")
    return reading["no_plan"] if reading and value.get("is_understood", True) else None


def has_plan(value: Mapping[str, Any]) -> bool:
    """Return whether the steps of a report are those of the text's plan."""
    return value.get("is_understood", True) and no_plan(value) is None


def reading_sections(value: Mapping[str, Any]) -> Iterator[str]:
    """Yield what was not understood, what was read, and which plans the text may mean."""
    reading = value.get("reading")
    if not reading:
        return
    if reading["missed"] and reading["completeness"] != "complete":
        yield section("What was not understood", listed(map(_missed, reading["missed"])))
    if value.get("is_understood", True) or value.get("read"):  # then the text stands above, beside what was read
        return
    candidates = reading["candidates"]
    if len(candidates) > 1:
        plans = (_candidate(number, one) for number, one in enumerate(candidates, 1))
        yield section("Which plan is meant?", *plans)
    elif candidates[0]["steps"]:
        yield section("Steps that were read", _steps(candidates[0]["steps"]))
    yield f"<p>{HELP_IN_WORDS}</p>"


def _missed(missed: Mapping[str, Any]) -> str:
    near = f" (did you mean <code>{said(missed['nearest'])}</code>?)" if missed["nearest"] else ""
    place = f"line {missed['line']}, column {missed['column']}"
    text, reason = said(missed["text"]), said(missed["reason"])
    return f"<li class=unknown><b aria-hidden=true>?</b> {place}: <code>{text}</code>: {reason}{near}</li>"


def _candidate(number: int, one: Mapping[str, Any]) -> str:
    count = f"{len(one['steps'])} step{'s' if len(one['steps']) != 1 else ''}"
    marked = ", marked as the answer" if one["is_marked"] else ""
    return folded(f"{number}. {said(one['said'])}: {count}{marked}", _steps(one["steps"]), is_open=False)


def _steps(steps: Sequence[str]) -> str:
    return f"<ol class=steps>{''.join(f'<li><code>{said(step)}</code></li>' for step in steps)}</ol>"
