"""What stands before the words of a line: the number, letter, bullet or box of an item, quotation; and code fences."""

from __future__ import annotations

import re

from validator.records import dataclass

__all__ = ["FENCE", "Mark", "mark_of", "unmarked"]

_MARK = re.compile(
    r"(?P<indent>[^\S\n]*)(?P<around>[\s>|#{,\"'`_]*(?:\*\*+)?)"
    r"(?:(?P<bullet>[-+•‣▪–]|\*(?!\*))\s+(?:\[[ xX]\]\s*)?[*_`]*)?"
    r"(?:\(?(?:step[\s_-]*)?(?P<number>\d{1,6})[\"']?\s*(?:[.):]|-(?=[\s(]))[*_`]*"
    r"|\(?(?P<letter>[a-z])[.)](?=\s))?",
    re.IGNORECASE,
)
FENCE = re.compile(
    r"^[^\S\n]*+```[^\S\n]*+(?P<language>[A-Za-z]*+)[^\n]*+\n(?P<inside>.*?)(?:^[^\S\n]*+```|\Z)",
    re.DOTALL | re.MULTILINE,
)
"""a fenced block; one that is not closed reaches to the end of the text"""
_BESIDE = " \t>*_`#|-"


@dataclass(frozen=True, slots=True, kw_only=True)
class Mark:
    """How a line begins: how far it is indented, the bullet of an item, and its number or the place of its letter.

    ``is_bare`` says that nothing stands before these, ``end`` is where the words begin.
    """

    indent: int
    order: int | None
    is_bullet: bool
    is_bare: bool
    end: int

    @property
    def is_item(self) -> bool:
        return self.is_bullet or self.order is not None

    @property
    def is_plain_item(self) -> bool:
        """Return whether nothing stands before the mark: in bold, or behind a hash, it is of a heading."""
        return self.is_bare and self.is_item


def mark_of(line: str) -> Mark:
    """Return how a line begins."""
    found = _MARK.match(line)
    assert found is not None  # each of its parts may be empty
    number, letter = found["number"], found["letter"]
    order = int(number) if number else ord(letter.lower()) - ord("a") + 1 if letter else None
    return Mark(
        indent=len(found["indent"]),
        order=order,
        is_bullet=found["bullet"] is not None,
        is_bare=not found["around"],
        end=found.end(),
    )


def unmarked(line: str) -> str:
    """Return the words of a line without what marks it as an item, a quotation or a cell."""
    return line[mark_of(line).end :].strip(_BESIDE)
