"""A PDDL text as a listing: numbered lines, its words in colours, the line of an error marked."""

from __future__ import annotations

import re
from collections.abc import Iterator

from validator.render.html.page import said

__all__ = ["listing"]

_AROUND = 40
"""lines before and behind a marked one that are shown"""
_WORD = re.compile(
    r"(?P<rem>;.*)|(?P<key>:[\w-]+|(?<=\()(?:define|domain|problem)\b)|(?P<var>\?[^\s()]+)", re.IGNORECASE
)


def listing(text: str, line: int, column: int | None = None) -> str:
    """Return the lines around one, from 1, that is marked; at a column, from 1, the word there as well."""
    lines = text.split("\n")
    first = max(1, line - _AROUND)
    shown = lines[first - 1 : line + _AROUND]
    rows = "".join(
        _line(number, one, column or 0 if number == line else None) for number, one in enumerate(shown, first)
    )
    return f"<pre class=pddl tabindex=0>{rows}</pre>"


def _line(number: int, text: str, column: int | None) -> str:
    """Return one line; ``column`` is None where it is not marked, 0 where no word of it is."""
    if column is None:
        return f"<span class=line data-line={number}>{''.join(_words(text))}</span>"
    start = column - 1 if column else len(text)
    found = re.compile(r"[^\s()]+|[()]").match(text, start)
    end = start if found is None else found.end()
    marked = f"<mark>{said(text[start:end])}</mark>" if end > start else ""
    words = f"{''.join(_words(text[:start]))}{marked}{''.join(_words(text[end:]))}"
    return f'<span class="line wrong" data-line={number}>{words}</span>'


def _words(text: str) -> Iterator[str]:
    done = 0
    for match in _WORD.finditer(text):
        yield said(text[done : match.start()])
        yield f"<span class={match.lastgroup}>{said(match[0])}</span>"
        done = match.end()
    yield said(text[done:])
