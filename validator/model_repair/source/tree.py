"""A PDDL text as nested groups with the offsets of both ends, so that parts of it can be exchanged."""

from __future__ import annotations

import re
from collections.abc import Iterator

from validator.records import dataclass, field

__all__ = ["Item", "actions_of", "groups", "parse", "part_of", "spellings"]

_TOKEN = re.compile(r";[^\n]*|[()]|\?[^\s();?]*|[^\s();?]+")
"""words as the reader of models takes them: a question mark begins one"""


@dataclass(slots=True)
class Item:
    """A word or a group: ``text[start:end]``; ``word`` is in lower case, and empty for a group."""

    start: int
    end: int
    word: str = ""
    children: list[Item] = field(default_factory=list)

    @property
    def head(self) -> str:
        """Return the first word of a group."""
        return self.children[0].word if self.children else ""


def parse(text: str) -> Item:
    """Return the ``(define ...)`` of a text whose parentheses are balanced."""
    return groups(text)[0]


def groups(text: str) -> list[Item]:
    """Return the groups of a text that stand in no other; what is never closed is left out."""
    root = Item(0, len(text))
    open_groups = [root]
    for match in _TOKEN.finditer(text):
        token = match[0]
        if token == "(":
            group = Item(match.start(), -1)
            open_groups[-1].children.append(group)
            open_groups.append(group)
        elif token == ")" and len(open_groups) > 1:
            open_groups.pop().end = match.end()
        elif token[0] not in ";)":
            open_groups[-1].children.append(Item(match.start(), match.end(), token.lower()))
    return [item for item in root.children if not item.word and item.end >= 0]


def actions_of(define: Item) -> Iterator[Item]:
    """Yield the groups ``(:action ...)``."""
    return (item for item in define.children if item.head == ":action")


def part_of(action: Item, key: str) -> Item | None:
    """Return the value of a keyword such as ``:effect``; None where it is not there."""
    words = [child.word for child in action.children]
    return action.children[words.index(key) + 1] if key in words else None


def spellings(text: str) -> dict[str, str]:
    """Return each word of a text in lower case with the way in which it is written first."""
    found: dict[str, str] = {}
    for match in _TOKEN.finditer(text):
        found.setdefault(match[0].lower(), match[0])
    return found
