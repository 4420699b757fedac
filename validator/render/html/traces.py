"""Traces as they were read, as a page: the same lines as in a terminal, a section for each trace. No script, no net."""

from __future__ import annotations

from collections.abc import Sequence

from validator.reading.traces.recording import Recording
from validator.render.html.page import page, said, section
from validator.render.html.style import REPORT_STYLE
from validator.render.traces import traces_text

__all__ = ["traces_page"]


def traces_page(found: Sequence[Recording], title: str) -> str:
    """Return a page that stands alone."""
    shown = said(title)
    several = len(found) > 1
    sections = (
        section(f"Trace {number}" if several else "Trace", f"<pre>{said(traces_text((each,)))}</pre>\n")
        for number, each in enumerate(found, start=1)
    )
    return page(shown, REPORT_STYLE, "\n".join((f"<h1>How {shown} was read</h1>", *sections)))
