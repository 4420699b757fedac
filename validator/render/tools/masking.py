"""A text of PDDL with one faulty form taken out, so that reading it again tells what else is wrong.

Only what nothing else refers to is taken out: an atom of a condition or an effect becomes ``()``, which is always true
and changes nothing; a fact or a whole action becomes blanks. A faulty declaration stays, and ends the search: without
it, everything that uses what it declares would look wrong. All offsets stay as they are.
"""

from __future__ import annotations

import re

from validator.records import dataclass
from validator.texts import blank

__all__ = ["Masked"]

_TOKEN = re.compile(r";[^\n]*|[()]|[^\s();]+")
_ACTS = (":action", ":durative-action", ":process", ":event")
_BODIES = (":precondition", ":condition", ":effect")
_QUANTIFIERS = ("forall", "exists")


@dataclass(frozen=True, slots=True)
class _Group:
    """A pair of parentheses from ``start`` to ``end``: the first word in it, and the word before it."""

    start: int
    end: int
    head: str
    before: str


class Masked:
    """A text of which forms are taken out, one after the other."""

    def __init__(self, text: str) -> None:
        self.text = text
        self._taken: list[tuple[int, int]] = []

    def covers(self, offset: int) -> bool:
        """Return whether something was taken out of the group at an offset: what is said of it may be due to that."""
        path = self._path(offset)
        start, end = (path[-1].start, path[-1].end) if path else (0, len(self.text))
        return any(start <= begun and ended <= end for begun, ended in self._taken)

    def take(self, offset: int) -> bool:
        """Take out the form at an offset, and return whether that leaves the rest with its meaning."""
        path = self._path(offset)
        if len(path) < 2:
            return False
        section, inner = path[1], path[2:]
        if section.head in _ACTS:
            return self._of_action(section, inner)
        if section.head == ":init" and inner:
            return self._blank(inner[0])
        is_body = section.head == ":goal" or (section.head == ":derived" and inner and inner[0].before != ":derived")
        return self._truth(inner) if is_body and inner else False

    def _of_action(self, section: _Group, inner: list[_Group]) -> bool:
        return self._truth(inner) if inner and inner[0].before in _BODIES else self._blank(section)

    def _truth(self, inner: list[_Group]) -> bool:
        """Replace the innermost group; the next one where that did not help, or is the variables of a quantifier."""
        left = [group for group in inner if (group.start, group.end) not in self._taken]
        if len(left) > 1 and left[-1].before in _QUANTIFIERS:
            left.pop()
        return bool(left) and self._replace(left[-1], "(", ")")

    def _blank(self, group: _Group) -> bool:
        return self._replace(group, " ", " ")

    def _replace(self, group: _Group, first: str, last: str) -> bool:
        if (group.start, group.end) in self._taken:
            return False
        within = blank(self.text[group.start + 1 : group.end - 1])
        self.text = f"{self.text[: group.start]}{first}{within}{last}{self.text[group.end :]}"
        self._taken.append((group.start, group.end))
        return True

    def _path(self, offset: int) -> list[_Group]:
        """Return the groups around an offset, the outermost first; none where parentheses do not match."""
        stack: list[tuple[int, str]] = []
        found: list[_Group] = []
        before = ""
        for token in _TOKEN.finditer(self.text):
            word = token[0].lower()
            if word == "(":
                stack.append((token.start(), before))
            elif word == ")" and stack:
                start, led = stack.pop()
                if start <= offset < token.end():
                    head = _TOKEN.search(self.text, start + 1)
                    found.append(_Group(start, token.end(), head[0].lower() if head else "", led))
            if not word.startswith(";"):
                before = word
        return [] if stack else found[::-1]
