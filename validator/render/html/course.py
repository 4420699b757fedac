"""The course of a plan in a report's page: the Gantt chart with plots, and the table of what happens when."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from html import escape
from typing import Any

from validator.execution.timeline import Bar, Row, Series, Timeline
from validator.render.html.page import scrolled
from validator.render.timeline import cells, timeline_svg
from validator.texts import from_json

__all__ = ["course_html", "read_timeline"]

_OPEN = 60
"""Rows up to which the table is shown at once."""


def course_html(value: Mapping[str, Any]) -> Iterator[str]:
    """Yield the parts of a section from a timeline as a report's JSON has it."""
    timeline = read_timeline(value)
    if timeline.has_time or timeline.series:
        yield scrolled(timeline_svg(timeline))
    rows = "".join(_row(number, cells(row)) for number, row in enumerate(timeline.rows, 1))
    head = "".join(f"<th scope=col>{name}</th>" for name in ("Time" if timeline.has_time else "Step", "Happening"))
    table = f"<table class=course><thead><tr>{head}<th scope=col>Change</th></tr></thead><tbody>{rows}</tbody></table>"
    is_open = " open" if len(timeline.rows) <= _OPEN else ""
    yield f"<details{is_open}><summary>What changes when: {len(timeline.rows)} rows</summary>{table}</details>"


def _row(number: int, texts: Iterable[str]) -> str:
    return f"<tr id=when-{number}>{''.join(f'<td>{escape(text)}</td>' for text in texts)}</tr>"


def read_timeline(value: Mapping[str, Any]) -> Timeline:
    """Return a timeline from its plain values; what is no character in a name shows itself as such."""
    return Timeline(
        end=from_json(value["end"]),
        bars=tuple(
            Bar(
                step=bar["step"],
                label=_shown(bar["label"]),
                start=from_json(bar["start"]),
                end=from_json(bar["end"]),
                is_faulty=bar["is_faulty"],
            )
            for bar in value["bars"]
        ),
        rows=tuple(
            Row(
                time=from_json(row["time"]),
                acts=tuple(map(_shown, row["acts"])),
                added=tuple(map(_shown, row["added"])),
                deleted=tuple(map(_shown, row["deleted"])),
                values=tuple((_shown(fluent), from_json(reached)) for fluent, reached in row["values"]),
            )
            for row in value["rows"]
        ),
        series=tuple(
            Series(
                fluent=_shown(series["fluent"]),
                points=tuple((from_json(at), from_json(reached), is_even) for at, reached, is_even in series["points"]),
            )
            for series in value["series"]
        ),
        has_time=value["has_time"],
    )


def _shown(text: str) -> str:
    return "".join(c if c.isprintable() else "\N{REPLACEMENT CHARACTER}" for c in text)
