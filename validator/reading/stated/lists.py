"""The lists of a text: numbered, in lines or in one line, or bullets under the word plan."""

from __future__ import annotations

import re

__all__ = ["is_headed", "list_items"]

_NUMBER = re.compile(r"(?<![^\s*])(?:step\s+)?(\d{1,3})([.)]|:(?=\s))\**(?=[^\S\n]+\S|\()", re.IGNORECASE)
_HEADING = re.compile(r"\bplan(?:ned)?\b", re.IGNORECASE)
_BULLET = re.compile(r"[ \t]*[-*•+][ \t]+(?:\[[ xX]\][ \t]*)?(.*)")
_TO_DO = re.compile(r"[ \t]*[-*•+][ \t]+\[[ xX]\][ \t]*\S.*")
_BEFORE = 200
"""characters before a number that are looked at: for the word plan, for an open parenthesis"""


def list_items(text: str, *, headed: bool) -> list[str]:
    """Return the items of the first numbered list of a text, or of the first list of bullets under the word plan.

    A list counts 1, 2, 3 and so on, in lines or in one line. ``headed`` asks for the word plan before it.
    """
    if "1" not in text:
        return _bullets(text)
    found: list[list[tuple[int, int]]] = []
    sign = ""
    for match in _NUMBER.finditer(text):
        number, ending = int(match[1]), match[2]
        if number == 1 and _begins(text, match.start()):
            found.append([])
            sign = ending
        if found and number == len(found[-1]) + 1 and ending == sign and not _closes(text, match):
            found[-1].append((match.start(), match.end()))
    found = [places for places in found if places]
    for places in found:
        if headed and not is_headed(text, places[0][0]):
            continue
        ends = [start for start, _ in places[1:]] + [len(text)]
        return [
            text[start : min(end, line if (line := text.find("\n", start)) >= 0 else end)].strip()
            for (_, start), end in zip(places, ends, strict=True)
        ]
    return _bullets(text)


def _begins(text: str, place: int) -> bool:
    """Return whether a list can begin at a place: at the beginning of a line, or behind a colon or a full stop."""
    before = text[_line_start(text, place) : place].rstrip(" \t*_#>")
    return not before or before[-1] in ":.!?-–—"


def _closes(text: str, match: re.Match[str]) -> bool:
    """Return whether the sign of a number closes a parenthesis of its line: ``f(1, 2)`` has no second item."""
    start = _line_start(text, match.start())
    return match[2] == ")" and text.rfind("(", start, match.start()) > text.rfind(")", start, match.start())


def is_headed(text: str, place: int) -> bool:
    """Return whether the word plan stands before a place: in its line, or in the last one before it with a text."""
    end = place
    while end > 0 and text[end - 1].isspace():
        end -= 1
    return bool(_HEADING.search(text, _line_start(text, end), end))


def _line_start(text: str, place: int) -> int:
    """Return where the line of a place begins, at most _BEFORE characters before it."""
    first = max(0, place - _BEFORE)
    return max(first, text.rfind("\n", first, place) + 1)


def _bullets(text: str) -> list[str]:
    """Return the first list of bullets that follows a line with the word plan and a colon at its end, or of boxes."""
    items: list[str] = []
    is_headed = False
    for line in text.splitlines():
        bullet = _BULLET.fullmatch(line)
        if bullet and (is_headed or _TO_DO.fullmatch(line)):
            items.append(bullet[1].strip())
        elif line.strip():
            if items:
                break
            is_headed = line.rstrip(" *_\t").endswith(":") and bool(_HEADING.search(line))
    return items
