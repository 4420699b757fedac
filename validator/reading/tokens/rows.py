"""The lines of a text with what was read on them: which of them count, and what leaves open which steps they are."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from itertools import pairwise, starmap

from validator.reading.plan import Plan, Step, Token, Unparsed
from validator.reading.tokens.layout import terminal
from validator.reading.tokens.phrases import (
    Mark,
    abridges,
    corrected_items,
    has_failed,
    is_denied,
    is_undone,
    mark_of,
    takes_back,
    takes_back_all,
)
from validator.records import dataclass, field

_FENCE = re.compile(r"[^\S\n]*(?:```|~~~)")
_OTHER_PROBLEM = re.compile(r"\[\s*(?:statement|query|problem)\s*\]", re.IGNORECASE)
_LABEL_END = re.compile(r":[\s*_`\"']*$")


@dataclass(slots=True, kw_only=True)
class Row:
    """One line of a text: how it begins, what was read on it, and how it stands among the others."""

    start: int
    end: int
    text: str
    mark: Mark
    fence: int = 0
    """the number of the fence that it stands in, from 1; 0 outside"""
    tokens: list[Token] = field(default_factory=list)

    @property
    def order(self) -> int | None:
        """Return the number, or the place of the letter, of an item of a list."""
        if self.mark.order is None or any(isinstance(each, Step) and each.time is not None for each in self.tokens):
            return None  # what looks like a number is a time
        return self.mark.order

    @property
    def label(self) -> str:
        """Return what stands before the first step, where it ends with a colon."""
        before = self.text[: self.tokens[0].span[0] - self.start] if self.tokens else ""
        before = terminal("LOGGED").sub("", before, count=1)
        return before if _LABEL_END.search(before) else ""

    @property
    def words(self) -> list[str]:
        """Return what stands before the first token, and behind each one; what was not understood is of its words."""
        found, place = [""], self.start
        for token in self.tokens:
            start, end = (span - self.start for span in token.span)
            found[-1] += self.text[place - self.start : start]
            found += [""] if isinstance(token, Step) else [self.text[start:end], ""]
            place = token.span[1]
        return [*found[:-1], found[-1] + self.text[max(0, place - self.start) :]]


def rows_of(text: str, plan: Plan) -> list[Row]:
    """Return the lines of a text with the tokens that begin on each."""
    rows: list[Row] = []
    place = number = 0
    inside = False
    for line in text.split("\n"):
        is_fence = _FENCE.match(line) is not None and line.count("```") != 2
        number += is_fence and not inside
        fence = number if inside or is_fence else 0
        rows.append(Row(start=place, end=place + len(line), text=line, mark=mark_of(line), fence=fence))
        inside ^= is_fence
        place += len(line) + 1
    starts = [row.start for row in rows]
    for part in plan.parts:
        if isinstance(part, Token):
            rows[bisect_right(starts, part.span[0]) - 1].tokens.append(part)
    return rows


def zones(rows: Sequence[Row]) -> list[tuple[list[Row], str, bool]]:
    """Return the places of which one counts alone: its rows, how it is called, and whether the author marked it.

    They are ``[PLAN]`` blocks. Without one, code fences that hold steps count, together; without those, everything.
    """
    blocks = _blocks(rows)
    told = [block for block in blocks if any(row.tokens for row in block)]
    if len(told) > 1:  # which of them is meant, the author alone knows
        return [(block, f"[PLAN] block {number}", False) for number, block in enumerate(told, 1)]
    if blocks:
        return [(blocks[0], "[PLAN] block", True)]
    if any(row.fence and row.tokens for row in rows):
        return [([row for row in rows if row.fence], "code block", False)]
    return [(list(rows), "", False)]


def _blocks(rows: Sequence[Row]) -> list[list[Row]]:
    """Return the first ``[PLAN]`` block, or what stands before the first ``[PLAN END]``, and closed ones behind it.

    Those behind ``[STATEMENT]`` are for another problem.
    """
    blocks: list[list[Row]] = []
    block: list[Row] | None = None
    for number, row in enumerate(rows):
        mark = _plan_mark(row.text)
        if mark is None:
            if block is not None:
                block.append(row)
            elif blocks and _OTHER_PROBLEM.search(row.text):
                break
        elif "/" in mark[0] or "end" in mark[0].lower():
            if block is None:
                return blocks or [list(rows[: number + 1])]
            blocks.append([*block, row])
            block = None
        elif block is not None and not blocks:
            return [[*block, row]]
        else:
            block = [row]
    return blocks if blocks or block is None else [block]


def _plan_mark(line: str) -> re.Match[str] | None:
    return terminal("MARK").search(line) if "[" in line else None


# --- what leaves open which steps the lines are ----------------------------------------------------

_TELLS_NO_STEP = re.compile(
    r"\b(?:is|are|was|were|be|been|has|have|had|can|will|now|goals?|done|end|stop|reach\w*|achiev\w*|complet\w*|finish\w*|"
    r"satisf\w*|verif\w*|check\w*|confirm\w*|ensur\w*|result\w*|no\s+(?:further|more))\b",
    re.IGNORECASE,
)
_WORD = re.compile(r"[^\W\d_]{2,}")
_SENTENCE = re.compile(r"[^.!?;]+")
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


_WHOLE = r"""(?:(?:any|all)\s+(?:of\s+)?)?(?:it|them
    |(?:(?:this|that|these|those|the|my|above|previous|following|whole)\s+)*
     (?:this|that|these|those|above|following|plan|sequence|solution|answer|list|steps|actions))(?:\s+above)?"""
"""what may stand for all steps beside a sentence"""
_DENIES = re.compile(
    rf"""\W*(?:(?:actually|but|however|note|so|sorry|please|that|you|in\s+fact)\W+)*(?:
        (?:(?:do|must|should|shall)(?:\s+not|n['’]t)|never)\s+(?:do|execute|perform|follow|run|use|take)\s+{_WHOLE}\W*$
      | (?:avoid|ignore|disregard|forget|discard|scratch)\s+{_WHOLE}\W*$
      | {_WHOLE}\s+(?:is|are|was|were)\s+(?:(?:an?\s+)?(?:bad|wrong|incorrect|invalid|illegal|impossible|false)
          | not\s+(?:valid|correct|right|legal|possible|executable|applicable|allowed)
          | not\s+(?:the|an?|my)\s+(?:valid\s+|correct\s+)?(?:plan|answer|solution))\b
      | {_WHOLE}\s+(?:fails|(?:(?:does|do|did|will|would|can)\s*(?:not|n['’]t)|won['’]t|can['’]t)
          \s+(?:work|reach|achieve|solve)\b)
      | (?:(?:there\s+(?:is|exists)\s+)?no\s+(?:(?:valid|possible|feasible)\s+)?(?:plan|solution)
            (?:\s+(?:exists|is\s+possible))?
          | the\s+(?:problem|task|goal)\s+is\s+(?:unsolvable|unreachable|impossible))
          (?:\s+(?:for|to|of|in|from)\s+[^,]{{1,40}})?\W*$
      | (?:not\s+(?:an?|the|my)|(?:an?\s+)?(?:wrong|invalid|incorrect))\s+(?:plan|answer|solution)\W*$
      | (?:just|only)\s+kidding\b | (?:i\s+)?take\s+(?:it|that|this)\s+(?:all\s+)?back\b)""",
    re.IGNORECASE | re.VERBOSE,
)
"""a sentence that takes back all steps beside it: ``This plan is wrong``, ``Do not do the following``"""
_NOT_MEANT = re.compile(
    r"""(?:\b(?:no|not|never|skip|avoid|omit|without|^\W*before|instead\s+of|rather\s+than)|n['’]t)[\s:]++
          (?:(?:do|execute|perform|run|use|apply|the|step|action)\s++)*\W*+$
      | [!~¬]$ | \[[-~/]\]\W*$ | \btodo\W*$
      | ^\W*(?:\d+\W+)?(?:if\s+(?:possible|needed|necessary)|maybe|perhaps|possibly|optionally
          |(?:should|shall|could|would|can|may|might)(?:\s+(?:i|we|you))?)\W*$""",
    re.IGNORECASE | re.VERBOSE,
)
_NOT_SURE = re.compile(
    r"\W*?(?:[?❌✗✘✖]|\b(?:if\s+(?:possible|needed|necessary)|maybe|perhaps|or\s+not|(?:do\s+not|don['’]t)\s+do)\b"
    r"|\b(?:no|removed)\W*$)",
    re.IGNORECASE,
)
"""what stands before a step, and behind it, that denies it, asks for it, or makes it depend on something"""


def doubts(rows: Sequence[Row], text: str) -> Iterator[Unparsed]:
    """Yield what leaves open which steps the lines of a plan are in a text.

    They are items of a list that tell none, lines that stand for several, offer some or say that one is done, lists
    that count backwards, steps that are denied, asked for or taken back, and sentences that take back all of them.
    """
    told = [row for row in rows if row.tokens]
    for row in _gaps(rows):
        yield _doubt(row, "no step could be read from this item of the list", is_of_structure=False)
    for row in rows:
        if told and row.start > told[0].start and not row.tokens and abridges(row.text):
            yield _doubt(row, "it stands for steps that are not written out")
    orders = [(row, order) for row in told if (order := row.order) is not None]
    counted = [order for _, order in orders]
    if counted != sorted(counted) and sorted(counted) == list(range(min(counted), max(counted) + 1)):
        yield _doubt(orders[0][0], "the numbers of the items are not in order")
    yield from (_doubt(row, "it may only offer this step") for row in told if _OFFERED.match(row.text))
    yield from (_doubt(row, "it may be no step") for row in told if any(starmap(_is_open, pairwise(row.words))))
    for row in rows if told else ():
        if not row.tokens and any(map(_DENIES.match, _SENTENCE.findall(row.text))):
            yield _doubt(row, "it may take the plan back")
    for one, other in pairwise(told):
        is_again = len(one.tokens) == len(other.tokens) == 1 and one.tokens == other.tokens
        if is_again and _ENDED.search(_around(other)) and not _ENDED.search(_around(one)):
            yield _doubt(other, "it may only say that the step before it is done")
    for row, token in taken_back(rows):
        reason = f"the author may take it back: {row.text.strip()!r:.120}"
        if isinstance(token, Step):  # or it was not understood itself
            yield Unparsed.at(text, token.span, reason, is_of_structure=True)
        if not row.tokens and takes_back_all(row.text) and isinstance(told[0].tokens[0], Step):
            yield Unparsed.at(text, told[0].tokens[0].span, reason, is_of_structure=True)


def _is_open(before: str, behind: str) -> bool:
    return _NOT_MEANT.search(before) is not None or is_undone(before) or _NOT_SURE.match(behind) is not None


def _doubt(row: Row, reason: str, *, is_of_structure: bool = True) -> Unparsed:
    span = row.tokens[0].span if row.tokens else (row.start, row.end)
    text = row.text[span[0] - row.start : span[1] - row.start].strip()
    return Unparsed(text=text, reason=reason, is_of_structure=is_of_structure, span=span)


def _around(row: Row) -> str:
    """Return what stands around the step of a line."""
    start, end = row.tokens[0].span
    return f"{row.text[: start - row.start]} {row.text[end - row.start :]}"


def _gaps(rows: Sequence[Row]) -> Iterator[Row]:
    """Yield the items of lists from which no step was read, between items that are steps.

    Of bullets, and before the first and behind the last such item, only those that do not look like a remark.
    """
    lists: list[list[Row]] = []
    open_lists: dict[int, list[Row]] = {}
    for row in rows:
        if not row.mark.is_item and row.text.strip():  # it ends lists of bullets
            open_lists = {
                indent: items
                for indent, items in open_lists.items()
                if items[-1].order is not None or indent < row.mark.indent
            }
        if not row.mark.is_item or (row.mark.order is not None and row.order is None):
            continue
        items = open_lists.get(row.mark.indent)
        order = None if items is None or items[-1].order is None else items[-1].order + 1
        if items is None or row.order != order:
            items = open_lists[row.mark.indent] = []
            lists.append(items)
        items.append(row)
    for items in lists:
        steps = [place for place, row in enumerate(items) if row.tokens]
        for place, row in enumerate(items if steps else ()):
            is_between = row.order is not None and steps[0] < place < steps[-1]
            if not row.tokens and (is_between or _may_be_a_step(row)) and not is_denied(row.text):
                yield row


def _may_be_a_step(row: Row) -> bool:
    """Return whether an item at the end of a list of steps is more than a remark on them, or nothing as yet."""
    words = row.text[row.mark.end :]
    is_label = row.order is None and ":" in words
    return not (is_label or _TELLS_NO_STEP.search(words)) and (bool(_WORD.search(words)) or not words.strip())


def taken_back(rows: Sequence[Row]) -> Iterator[tuple[Row, Token]]:
    """Yield the lines whose words take back steps, each with the first token that may not count.

    Words are about all steps before them on their line, else about the line above; a correction of items by their
    numbers is about the first of these.
    """
    told: list[Row] = []
    for row in rows:
        before, *behind = row.words
        before += "" if not behind or isinstance(row.tokens[0], Step) else behind[0]
        if any(has_failed(words) or takes_back(words) for words in behind):
            yield row, row.tokens[0]
        if told and takes_back(before, is_item=not row.tokens and row.order is not None):
            yield row, told[-1].tokens[0]
        elif told and (numbers := corrected_items(before)):
            yield row, next((each for each in told if each.order in numbers), told[-1]).tokens[0]
        told += [row] * bool(row.tokens)
