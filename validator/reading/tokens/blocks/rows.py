"""The lines of a text with what was read on them: which count, which are missing, taken back, told again or failed."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Sequence
from itertools import pairwise

from validator.reading.plan import Plan, Step, Token
from validator.reading.tokens.blocks.phrases import (
    abridges,
    corrects,
    has_failed,
    heading,
    is_denied,
    mark_of,
    takes_back,
)
from validator.reading.tokens.layout import terminal
from validator.records import dataclass, field

__all__ = ["Row", "abridged", "backwards", "gaps", "rows_of", "taken_back", "told_again", "zone"]

_FENCE = re.compile(r"[^\S\n]*(?:```|~~~)")
_TELLS_NO_STEP = re.compile(
    r"\b(?:is|are|was|were|be|been|has|have|had|can|will|now|goals?|done|end|stop|reach\w*|achiev\w*|complet\w*|finish\w*|"
    r"satisf\w*|verif\w*|check\w*|confirm\w*|ensur\w*|result\w*|no\s+(?:further|more))\b",
    re.IGNORECASE,
)
_FEWEST_WORDS = 3
_LABEL_END = re.compile(r":[\s*_`\"']*$")


@dataclass(slots=True, kw_only=True)
class Row:
    """One line of a text: what was read on it, and how it stands among the others."""

    start: int
    end: int
    text: str
    tokens: list[Token] = field(default_factory=list)
    fence: int = 0
    """the number of the fence that it stands in, from 1; 0 outside"""

    @property
    def order(self) -> int | None:
        """Return the number, or the place of the letter, of an item of a list."""
        if any(isinstance(token, Step) and token.time is not None for token in self.tokens):
            return None  # what looks like a number is a time
        return mark_of(self.text).order

    @property
    def indent(self) -> int:
        return len(self.text) - len(self.text.lstrip())

    @property
    def label(self) -> str:
        """Return what stands before the first step, where it ends with a colon."""
        before = self.text[: self.tokens[0].span[0] - self.start] if self.tokens else ""
        before = terminal("LOGGED").sub("", before, count=1)
        return before if _LABEL_END.search(before) else ""


def rows_of(text: str, plan: Plan) -> list[Row]:
    """Return the lines of a text with the tokens that begin on each."""
    rows: list[Row] = []
    place = number = 0
    inside = False
    for line in text.split("\n"):
        is_fence = _FENCE.match(line) is not None and line.count("```") != 2
        if is_fence and not inside:
            number += 1
        rows.append(Row(start=place, end=place + len(line), text=line, fence=number if inside or is_fence else 0))
        if is_fence:
            inside = not inside
        place += len(line) + 1
    starts = [row.start for row in rows]
    for part in plan.parts:
        if isinstance(part, Token):
            rows[bisect_right(starts, part.span[0]) - 1].tokens.append(part)
    return rows


def zone(rows: Sequence[Row]) -> tuple[list[Row], str, bool]:
    """Return the rows that count alone, how their place is called, and whether the author marked it.

    A ``[PLAN]`` block counts alone: the first one, or what stands before the first ``[PLAN END]``. Without one, code
    fences that hold steps count alone. Without those, everything counts.
    """
    block = _block(rows)
    if block is not None:
        return block, "[PLAN] block", True
    if any(row.fence and row.tokens for row in rows):
        return [row for row in rows if row.fence], "code block", False
    return list(rows), "", False


def _block(rows: Sequence[Row]) -> list[Row] | None:
    first, last = -1, len(rows)
    for number, row in enumerate(rows):
        mark = terminal("MARK").search(row.text) if "[" in row.text else None
        if mark is None:
            continue
        if "/" in mark[0] or "end" in mark[0].lower() or first >= 0:  # or a second block without an end before it
            last = number
            break
        first = number
    if first < 0 and last == len(rows):
        return None
    return list(rows[max(first, 0) : last + 1])


def gaps(rows: Sequence[Row]) -> list[Row]:
    """Return the items of numbered lists from which no step was read, between items that are steps.

    Before the first and behind the last such item only those that do not look like a remark.
    """
    lists: list[list[Row]] = []
    open_lists: dict[int, list[Row]] = {}
    for row in rows:
        if (order := row.order) is None:
            continue
        items = open_lists.get(row.indent)
        if items is None or items[-1].order != order - 1:
            items = open_lists[row.indent] = []
            lists.append(items)
        items.append(row)
    found: list[Row] = []
    for items in lists:
        steps = [place for place, row in enumerate(items) if row.tokens]
        for place, row in enumerate(items if steps else ()):
            is_gap = not row.tokens and (steps[0] < place < steps[-1] or _may_be_a_step(row.text))
            if is_gap and not is_denied(row.text):
                found.append(row)
    return found


def _may_be_a_step(text: str) -> bool:
    """Return whether an item at the end of a list of steps is more than a remark on them."""
    return len(re.findall(r"[^\W\d_]{2,}", text)) >= _FEWEST_WORDS and not _TELLS_NO_STEP.search(text)


def abridged(rows: Sequence[Row]) -> list[Row]:
    """Return the lines behind the first step that stand for steps which are not written out."""
    first = next((number for number, row in enumerate(rows) if row.tokens), len(rows))
    return [row for row in rows[first:] if not row.tokens and abridges(row.text)]


def backwards(rows: Sequence[Row]) -> list[Row]:
    """Return the first item of a list of steps that counts down to 1: its author may mean the other order."""
    items = [(row, order) for row in rows if row.tokens and (order := row.order) is not None]
    orders = [order for _, order in items]
    return [items[0][0]] if len(orders) > 1 and orders == list(range(len(orders), 0, -1)) else []


def taken_back(rows: Sequence[Row]) -> list[tuple[Row, Token]]:
    """Return the lines whose words take back a step, with the last step before those words."""
    found: list[tuple[Row, Token]] = []
    before: Token | None = None
    for row in rows:
        place = row.start
        for token in (*row.tokens, None):
            words = row.text[place - row.start : (row.end if token is None else token.span[0]) - row.start]
            if before is not None and words and _takes_back(words, row, before):
                found.append((row, before))
            if token is not None:
                before, place = token, token.span[1]
    return found


def _takes_back(words: str, row: Row, before: Token) -> bool:
    """Return whether words of a row take back the step before them."""
    is_item = not row.tokens and row.order is not None
    if before in row.tokens and has_failed(words):
        return True
    return takes_back(words, is_item=is_item) or corrects(heading(words))


_BEGAN = re.compile(
    r"\b(?:execut\w+|start\w*|begin\w*|began|dispatch\w*|perform\w*|running|send\w*|request\w*|doing|next|action|act|call\w*|"
    r"try\w*|applying)\b",
    re.IGNORECASE,
)
_ENDED = re.compile(
    r"\b(?:complet\w+|finish\w*|done|succe\w+|achiev\w+|end(?:ed|s)?|executed|performed|applied|confirmed|ok(?:ay)?)\b",
    re.IGNORECASE,
)
_OFFERED = re.compile(
    r"\W*(?:(?:all\s+)?(?:the\s+)?(?:possible|available|applicable|legal|valid|admissible|feasible|alternative|candidate|other)\s+"
    r"(?:next\s+)?(?:actions?|moves?|steps?|commands?|options?|choices?)|candidates?|options?|alternatives?|choices?)"
    r"(?:\s+are)?\W*:",
    re.IGNORECASE,
)


def told_again(rows: Sequence[Row]) -> list[Row]:
    """Return the lines that say of the step of the line before that it is done, and those that offer steps.

    ``Executing lift(b)`` and ``Finished lift(b)`` are one step; behind ``Candidates:`` stands what may be chosen, where
    other lines say what is.
    """
    told = [row for row in rows if row.tokens]
    offers = [row for row in told if _OFFERED.match(row.text)]
    found = offers if len(offers) < len(told) and len(offers) > 1 else []
    for one, other in pairwise(told):
        if len(one.tokens) == len(other.tokens) == 1 and isinstance(one.tokens[0], Step):
            is_same = one.tokens[0] == other.tokens[0]
            if is_same and _BEGAN.search(_around(one)) and _ENDED.search(_around(other)):
                found.append(other)
    return sorted(found, key=lambda row: row.start)


def _around(row: Row) -> str:
    """Return what stands around the step of a line."""
    start, end = row.tokens[0].span
    return f"{row.text[: start - row.start]} {row.text[end - row.start :]}"
