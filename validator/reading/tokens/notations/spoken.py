"""Steps in words: which lines of a text tell one, read by the lexicon of the model.

A line of a list tells a step where its sentence does. Below an item that tells one stand its reasons, not further
steps; beside a list, other lines are steps only where they say nothing else.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise

from validator.reading.lexicon import Lexicon, Said, Unclear
from validator.reading.plan import Step, Token, Unparsed
from validator.reading.tokens.blocks.phrases import is_denied
from validator.reading.tokens.notations.words import bracketed
from validator.records import dataclass, replace

__all__ = ["Line", "Told", "spoken", "told_by"]

_NUMBER = re.compile(r"(?<=\s)(\d{1,3})[.)]\s")
_NUMBER_END = re.compile(r"\s\d{1,3}[.)]\s$")
_MOST_COMPARED = 50
"""lines that tell several steps, with which others are compared"""
_UNENDED = re.compile(r"(?:[,;]|\b(?:and|then))[\s*_`]*$", re.IGNORECASE)
_LONGEST_ASIDE = 300
"""characters of a line outside of a list in which something unclear may be meant as a step"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """A line in words: its text without markers, where that begins, how far it is indented, whether it is an item."""

    words: str
    start: int
    indent: int
    is_item: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Told:
    """What a line tells: its steps and what is unclear about it, how many of its words are a mention only.

    ``is_doubtful``: steps stand in it that are understood, and may only be spoken of.
    """

    tokens: tuple[Token, ...] = ()
    mentions: int = 0
    is_doubtful: bool = False
    warnings: tuple[str, ...] = ()


def spoken(lines: Sequence[Line | None], text: str, lexicon: Lexicon) -> list[Told]:
    """Return what each line tells; None stands for a line that is read in another notation."""
    read: list[tuple[Said | Unclear, ...]] = []
    before: Step | None = None
    for line in lines:
        found = () if line is None else told_by(lexicon, line, before)
        read.append(found)
        before = next((replace(one.step, span=(0, 0)) for one in reversed(found) if isinstance(one, Said)), before)
    listed = sum(
        line is not None and line.is_item and any(isinstance(one, Said) for one in found)
        for line, found in zip(lines, read, strict=True)
    )
    items = _Items()
    below = [line is not None and items.holds(line, found) for line, found in zip(lines, read, strict=True)]
    lines = list(lines)
    for place, (last, line) in enumerate(pairwise(lines), 1):
        if line is not None and last is not None and below[place] and _UNENDED.search(last.words):
            below[place], lines[place] = False, replace(line, is_item=True)
    told = [
        Told() if line is None else _told(line, found, is_below, listed > 1, text)
        for line, found, is_below in zip(lines, read, below, strict=True)
    ]
    if listed:
        return _with_doubts(told, read, lines, below, text)
    return _once(told, read, text)


def _once(told: Sequence[Told], read: Sequence[Sequence[Said | Unclear]], text: str) -> list[Told]:
    """Return what the lines of a text without a list tell, where some tell several steps of other lines once more.

    Those say the plan again. What is only a part of a longer line may do so, or be done again.
    """
    steps = [
        [(one.step.name, one.step.args) for one in found if isinstance(one, Said)] if line.tokens else []
        for line, found in zip(told, read, strict=True)
    ]
    alone = {line[0] for line in steps if len(line) == 1}
    several = [line for line in steps if len(line) > 1][:_MOST_COMPARED]
    found: list[Told] = []
    before: list[tuple[str, tuple[str, ...]]] = []
    for one, line in zip(told, steps, strict=True):
        is_again = len(line) > 1 and ((len(alone) > 1 and alone.issuperset(line)) or (len(line) > 2 and line == before))
        if is_again:
            found.append(Told(mentions=len(line)))
            continue
        before += line
        may_be_again = len(line) > 1 and any(_is_part(line, other) for other in several)
        found.append(_doubted(one, text) if may_be_again else one)
    return found


def _is_part(line: Sequence[object], other: Sequence[object]) -> bool:
    """Return whether another line has more steps, and those of a line among them, in this order."""
    left = iter(other)
    return len(other) > len(line) and all(step in left for step in line)


def _doubted(told: Told, text: str) -> Told:
    reason = "another line tells these steps too: they may be said or done again"
    tokens = tuple(Unparsed.at(text, one.span, reason) if isinstance(one, Step) else one for one in told.tokens)
    return replace(told, tokens=tokens, is_doubtful=True)


def _with_doubts(
    told: Sequence[Told],
    read: Sequence[Sequence[Said | Unclear]],
    lines: Sequence[Line | None],
    below: Sequence[bool],
    text: str,
) -> list[Told]:
    """Return what the lines of a text with a list tell, and what may be meant besides: steps that no line tells.

    A line below a step explains it, and one beside the list sums it up, yet what either orders besides may be one more
    step.
    """
    steps = {(token.name, token.args) for one in told for token in one.tokens if isinstance(token, Step)}
    found: list[Told] = []
    for one, sayings, line, is_below in zip(told, read, lines, below, strict=True):
        is_beside = line is not None and not line.is_item
        doubts = [
            Unparsed.at(text, said.span, "it may be a step, or only speak of one")
            for said in sayings
            if isinstance(said, Said) and (is_below or (is_beside and said.exact))
            if (said.step.name, said.step.args) not in steps
        ]
        if steps and doubts:
            tokens = tuple(sorted((*one.tokens, *doubts), key=lambda token: token.span))
            one = replace(one, tokens=tokens, mentions=max(0, one.mentions - len(doubts)), is_doubtful=True)
        found.append(one)
    return found


def told_by(lexicon: Lexicon, line: Line, before: Step | None) -> tuple[Said | Unclear, ...]:
    """Return what a line says of steps."""
    if not line.words.strip():
        return ()
    several = _items(line)
    if len(several) > 1:
        found: tuple[Said | Unclear, ...] = ()
        for item in several:
            found = (*found, *told_by(lexicon, item, before))
        return found
    named = bracketed(lexicon, line.words, line.start)
    return (named,) if named is not None else lexicon.sentences(line.words, line.start, before)


def _items(line: Line) -> list[Line]:
    """Return the items of a numbered list that stand on one line: ``attack a 2. succumb a 3. feast b``."""
    cuts = [0]
    wanted = 0
    for mark in _NUMBER.finditer(line.words):
        number = int(mark[1])
        if not wanted or number == wanted:
            wanted = number + 1
            cuts.append(mark.end())
    if len(cuts) < 2 or wanted < 3:
        return [line]
    bounds = [*cuts, len(line.words) + 8]
    return [
        replace(line, words=_NUMBER_END.sub("", line.words[start:end]), start=line.start + start, is_item=True)
        for start, end in pairwise(bounds)
    ]


class _Items:
    """The items that are open at a line, by their indents."""

    def __init__(self) -> None:
        self._open: list[tuple[int, bool]] = []

    def holds(self, line: Line, found: Sequence[Said | Unclear]) -> bool:
        """Return whether a line stands below an item that tells a step; the line is the next one of the text."""
        if line.is_item or line.indent == 0:
            while self._open and self._open[-1][0] >= line.indent:
                self._open.pop()
        is_below = any(tells for indent, tells in self._open if indent < line.indent)
        if line.is_item:
            self._open.append((line.indent, any(isinstance(one, Said) for one in found)))
        return is_below


def _told(line: Line, found: Sequence[Said | Unclear], is_below: bool, is_listed: bool, text: str) -> Told:
    tokens: list[Token] = []
    warnings: list[str] = []
    mentions = 0
    tells = any(isinstance(one, Said) for one in found)
    is_told_again = is_listed and not line.is_item and len(found) > 1
    for one in found:
        if isinstance(one, Unclear):
            is_beside = not is_listed and (tells or len(line.words) <= _LONGEST_ASIDE)
            if not is_below and (line.is_item or is_beside):
                said = text[slice(*one.span)]
                tokens.append(Unparsed(text=said, reason=one.reason, nearest=one.nearest, span=one.span))
        elif is_below or is_told_again or not (line.is_item or one.exact or not is_listed):
            mentions += 1
        else:
            tokens.append(one.step)
            warnings += one.warnings
    if not tokens and is_denied(line.words):
        mentions = max(mentions, 1)  # or another notation would look for a step here
    return Told(tokens=tuple(tokens), mentions=mentions, warnings=tuple(warnings))
