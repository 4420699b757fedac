"""A reading beside its text: what each stretch of the text was taken for, so that a person can look at it.

A reading of a text comes in, an ``AnnotatedText`` goes out: stretches that tile the text. Whatever shows a reading
shows that value; a trace of calls is shown in the same way, by making one of it.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from enum import StrEnum
from itertools import accumulate
from typing import TYPE_CHECKING

from validator.reading.lexicon.clauses.clause import Clause, Kind
from validator.reading.lexicon.clauses.mentions import Mention
from validator.reading.plan import (
    Candidate,
    Completeness,
    Constraint,
    Ignored,
    Missed,
    NoPlan,
    Part,
    Plan,
    Reading,
    Span,
    Step,
    Unparsed,
)
from validator.reading.tokens import Vocabulary
from validator.reading.understood import clauses_in, in_prose
from validator.records import dataclass, field, replace

if TYPE_CHECKING:
    from validator.reading.lexicon import Lexicon


class Taken(StrEnum):
    """What a stretch of a text was taken for."""

    STEP = "step"
    MISSED = "not understood"
    OTHER_STEPS = "other steps"
    """they are no part of the plan: drafts, thoughts, explanations, facts, another plan"""
    PROSE = "prose"
    COMMENT = "comment"
    MARKUP = "markup"
    SPACE = "space"


@dataclass(frozen=True, slots=True, kw_only=True)
class Stretch:
    """A part of a text; ``line`` and ``column`` count from 1.

    ``step`` is what was read, ``number`` the place of a step in the plan, from 1. ``reason`` says why a piece was not
    understood, and ``nearest`` what it may mean.
    Of a clause of a plan in words, ``pattern`` is the steps that it allows, and ``reason`` why the step was chosen. The
    second and each further step of one clause has an empty stretch.
    """

    taken: Taken
    text: str
    span: Span
    line: int
    column: int
    step: str = ""
    number: int | None = None
    reason: str = ""
    nearest: str | None = None
    pattern: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Said:
    """One plan that the text may mean: where it stands, in words and as the lines of its first and last step."""

    said: str
    is_marked: bool
    steps: tuple[str, ...]
    lines: tuple[int, int] | None
    missed: int


@dataclass(frozen=True, slots=True, kw_only=True)
class AnnotatedText:
    """A text with what was read of it; ``stretches`` tile the text for the plan ``chosen`` among ``candidates``."""

    text: str
    completeness: Completeness
    no_plan: NoPlan | None
    stretches: tuple[Stretch, ...]
    candidates: tuple[Said, ...]
    chosen: int = 0
    passed_over: tuple[str, ...] = field(default=())
    warnings: tuple[str, ...] = field(default=())

    @property
    def is_clear(self) -> bool:
        """Return whether the text says one plan, or that there is none, and all of it was understood."""
        if self.no_plan is not None:
            return self.no_plan is not NoPlan.OTHER
        is_one = len(self.candidates) == 1 or any(candidate.is_marked for candidate in self.candidates)
        return is_one and self.completeness is Completeness.COMPLETE


def annotate(reading: Reading, vocabulary: Vocabulary | None = None) -> AnnotatedText:
    """Return a reading beside its text; ``vocabulary`` is the one that it was read with."""
    chosen = next((place for place, one in enumerate(reading.candidates) if one.is_marked), 0)
    plan = reading.candidates[chosen].plan
    lines = _Lines(plan.text)
    known = vocabulary or Vocabulary()
    lexicon = None if reading.is_literal or not in_prose(reading, known) else known.lexicon
    is_told = lexicon is not None
    cut = _Cut(reading, chosen, known, lines) if lexicon is None else _Clauses(reading, lexicon, lines)
    return AnnotatedText(
        text=plan.text,
        completeness=reading.completeness,
        no_plan=reading.no_plan,
        stretches=tuple(cut.stretches()),
        candidates=tuple(_said(one, lines) for one in reading.candidates),
        chosen=chosen,
        passed_over=reading.passed_over,
        warnings=() if is_told else plan.warnings,  # the clauses say what they were read as
    )


def _said(candidate: Candidate, lines: _Lines) -> Said:
    plan = candidate.plan
    spans = [part.span for part in plan.parts if isinstance(part, Step)]
    return Said(
        said=candidate.said,
        is_marked=candidate.is_marked,
        steps=tuple(map(str, plan.steps)),
        lines=(lines.place(spans[0][0])[0], lines.place(spans[-1][0])[0]) if spans else None,
        missed=len(candidate.missed),
    )


class _Lines:
    """A text, and where its lines begin."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.starts = [0, *accumulate(len(line) + 1 for line in text.split("\n"))][:-1]

    def place(self, offset: int) -> tuple[int, int]:
        """Return line and column of an offset, from 1."""
        line = bisect_right(self.starts, offset)
        return line, offset - self.starts[line - 1] + 1

    def stretch(self, taken: Taken, span: Span, reason: str = "") -> Stretch:
        line, column = self.place(span[0])
        return Stretch(taken=taken, text=self.text[slice(*span)], span=span, line=line, column=column, reason=reason)


# --- a plan in words -----------------------------------------------------------------------------


class _Clauses:
    """Cuts a text that tells its plan in words into its clauses."""

    def __init__(self, reading: Reading, lexicon: Lexicon, lines: _Lines) -> None:
        self.plan = reading.plan
        self.lexicon = lexicon
        self.lines = lines
        self.missed = {piece.span: piece.reason for piece in reading.missed}
        self.steps: dict[int, list[tuple[int, Step]]] = {}
        self.clauses = clauses_in(self.plan, lexicon)
        starts = [clause.span[0] for clause in self.clauses]
        for number, step in enumerate(self.plan.steps, 1):
            place = bisect_right(starts, step.span[0]) - 1
            if place >= 0 and step.span[0] < self.clauses[place].span[1]:
                self.steps.setdefault(place, []).append((number, step))

    def stretches(self) -> Iterator[Stretch]:
        end = 0
        for place, clause in enumerate(self.clauses):
            yield from self._between(end, clause.span[0])
            yield from self._clause(clause, self.steps.get(place, []))
            end = clause.span[1]
        yield from self._between(end, len(self.plan.text))

    def _between(self, start: int, end: int) -> Iterator[Stretch]:
        for line in _LINE.findall(self.plan.text[start:end]):
            yield self.lines.stretch(Taken.SPACE if line.isspace() else Taken.MARKUP, (start, start + len(line)))
            start += len(line)

    def _clause(self, clause: Clause, steps: Sequence[tuple[int, Step]]) -> Iterator[Stretch]:
        reason = self.missed.get(clause.span)
        is_hole = clause.kind is Kind.HOLE and (bool(self.missed) or bool(steps))
        if reason is None and not steps and not (is_hole or clause.kind is Kind.STEP):
            denied = "a step that is not done" if clause.kind is Kind.DENIED else ""
            yield self.lines.stretch(Taken.PROSE, clause.span, denied)
            return
        lines = self.lexicon.patterns.lines(clause) if clause.kind is Kind.STEP else ()
        parts = lines[0] if lines else (clause,)
        if reason is not None or is_hole:
            near = replace(clause, kind=Kind.STEP)
            pattern = self._pattern(near) if clause.actions or clause.mentions else ""
            missed = self.lines.stretch(Taken.MISSED, clause.span, reason or clause.reason)
            yield replace(missed, pattern=pattern)
            return
        for number in range(max(len(parts), len(steps))):
            part = parts[min(number, len(parts) - 1)]
            start, end = clause.span
            told = self.lines.stretch(Taken.STEP, (start, start if number else end))
            chosen = steps[number] if number < len(steps) else (None, None)
            yield replace(
                told,
                pattern=self._pattern(part),
                number=chosen[0],
                step="" if chosen[1] is None else str(chosen[1]),
                reason=_why(part, chosen[1]),
            )

    def _pattern(self, clause: Clause) -> str:
        ways = self.lexicon.patterns.ways(clause, is_tight=True)
        more = " or others" if len(ways) > _MOST_SHOWN else ""
        return " or ".join(map(str, ways[:_MOST_SHOWN])) + more


_MOST_SHOWN = 3
"""steps of a pattern"""


def _why(clause: Clause, step: Step | None) -> str:
    """Say what a clause tells of its step, and what the state decides; empty where it says the step word for word."""
    if clause.exact:
        return ""
    actions = " or ".join(clause.actions)
    verb = f"verb of {actions}" if actions else f"'{clause.verb}' names no action" if clause.verb else "no verb"
    verb = f"'{clause.verb}' is read as {actions}" if actions and clause.verb else verb
    objects = [_mentioned(mention) for mention in clause.mentions]
    named = {name for mention in clause.mentions for name in mention.objects}
    free = [] if step is None else [arg for arg in step.args if arg not in named]
    said = [verb, *([f"objects {', '.join(objects)}"] if objects else [])]
    said += [f"'{clause.pronoun}' is free"] if clause.pronoun else []
    return "; ".join([*said, *([f"from the state {', '.join(free)}"] if free else [])])


def _mentioned(mention: Mention) -> str:
    names = " or ".join(mention.objects)
    return f"{mention.role} {names}" if mention.role else names


# --- what each stretch was taken for -------------------------------------------------------------

_LINE = re.compile(r"[^\n]*\n|[^\n]+")
_NAME = re.compile(r"[^\W\d][\w-]*")
_OF_KINDS = {kind.value: kind for kind in (Taken.COMMENT, Taken.MARKUP, Taken.SPACE)}


class _Cut:
    """Cuts a text into stretches, lines at the most."""

    def __init__(self, reading: Reading, chosen: int, vocabulary: Vocabulary, lines: _Lines) -> None:
        self.reading = reading
        self.candidate = reading.candidates[chosen]
        self.plan: Plan = self.candidate.plan
        self.vocabulary = vocabulary
        self.lines = lines
        self.numbers = {id(token): place + 1 for token, place in zip(self.plan.tokens, self.plan.places, strict=True)}
        self.missed = {piece.span: piece for piece in self.candidate.missed}
        self.tokens = [part.span[0] for part in self.plan.parts if not isinstance(part, Ignored)]
        inner = set(self.tokens)
        pieces = (piece for piece in self.candidate.missed if piece.span[0] not in inner)
        self.pieces = sorted(pieces, key=lambda piece: piece.span)
        self.begins = [piece.span[0] for piece in self.pieces]
        self.known = {step.name for one in reading.candidates for step in one.plan.steps}

    def stretches(self) -> Iterator[Stretch]:
        place = 0
        for part in self.plan.parts:
            if not isinstance(part, Ignored):
                yield self._token(part)
                place = part.span[1]
                continue
            for piece in self._pieces_in(max(place, part.span[0]), part.span[1]):
                # It may reach over several parts that are no tokens.
                yield from self._ignored(part.kind, max(place, part.span[0]), piece.span[0])
                place = min([piece.span[1], *self.tokens[bisect_right(self.tokens, piece.span[0]) :][:1]])
                missed = self.lines.stretch(Taken.MISSED, (piece.span[0], place), piece.reason)
                yield replace(missed, nearest=piece.nearest)
            yield from self._ignored(part.kind, max(place, part.span[0]), part.span[1])

    def _pieces_in(self, start: int, end: int) -> list[Missed]:
        """Return the pieces that were not understood and begin in a part of the text, in their order."""
        return self.pieces[bisect_left(self.begins, start) : bisect_left(self.begins, end)]

    def _token(self, part: Part) -> Stretch:
        piece = part if isinstance(part, Unparsed) else self.missed.get(part.span)
        if piece is not None:
            found = replace(self.lines.stretch(Taken.MISSED, part.span, piece.reason), nearest=piece.nearest)
        else:
            found = self.lines.stretch(Taken.STEP, part.span)
        is_step = isinstance(part, Step | Constraint)
        return replace(found, step=str(part), number=self.numbers[id(part)]) if is_step else found

    def _ignored(self, kind: str, start: int, end: int) -> Iterator[Stretch]:
        for line in _LINE.findall(self.plan.text[start:end]):
            span = (start, start + len(line))
            start = span[1]
            if line.isspace():
                yield self.lines.stretch(Taken.SPACE, span)
            elif kind in _OF_KINDS:
                yield self.lines.stretch(_OF_KINDS[kind], span)
            else:
                yield self.lines.stretch(Taken.OTHER_STEPS if self._names_steps(line) else Taken.PROSE, span)

    def _names_steps(self, line: str) -> bool:
        """Return whether a line names an action of the model, or one of the steps that the text is read as."""
        return any(
            word.lower() in self.known or self.vocabulary.written(word) is not None for word in _NAME.findall(line)
        )
