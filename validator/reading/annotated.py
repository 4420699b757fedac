"""A reading beside its text: what each stretch of the text was taken for, so that a person can look at it.

A reading of a text comes in, an ``AnnotatedText`` goes out: stretches that tile the text. Whatever shows a reading
shows that value; a trace of calls is shown in the same way, by making one of it.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Container, Iterable, Iterator, Sequence
from enum import StrEnum
from itertools import accumulate, zip_longest
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
    if lexicon is None:
        marks = _of_tokens(reading.candidates[chosen], lines)
        names = {step.name for one in reading.candidates for step in one.plan.steps}
        rest = [(part.span, part.kind) for part in plan.parts if isinstance(part, Ignored)]
    else:
        marks = _of_clauses(reading, lexicon, lines)
        names, rest = set[str](), [((0, len(plan.text)), Taken.MARKUP.value)]
    return AnnotatedText(
        text=plan.text,
        completeness=reading.completeness,
        no_plan=reading.no_plan,
        stretches=tuple(_filled(marks, rest, lambda line: _names_steps(line, names, known), lines)),
        candidates=tuple(_said(one, lines) for one in reading.candidates),
        chosen=chosen,
        passed_over=reading.passed_over,
        warnings=() if lexicon is not None else plan.warnings,  # the clauses say what they were read as
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


_LINE = re.compile(r"[^\n]*\n|[^\n]+")
_NAME = re.compile(r"[^\W\d][\w-]*")
_OF_KINDS = {kind.value: kind for kind in (Taken.COMMENT, Taken.MARKUP, Taken.SPACE)}


def _filled(
    marks: Iterable[Stretch], rest: Sequence[tuple[Span, str]], names_steps: Callable[[str], bool], lines: _Lines
) -> Iterator[Stretch]:
    """Yield stretches with what lies between them, line by line, by its kind, which ``rest`` tells of each place."""
    ignored = iter(rest)
    (start, end), kind = next(ignored, ((len(lines.text), len(lines.text)), ""))
    place = 0
    for mark in (*marks, None):
        until = len(lines.text) if mark is None else mark.span[0]
        while place < until:
            while end <= place:
                (start, end), kind = next(ignored)
            for line in _LINE.findall(lines.text[max(place, start) : min(end, until)]):
                span = (max(place, start), max(place, start) + len(line))
                taken = Taken.SPACE if line.isspace() else _OF_KINDS.get(kind)
                taken = taken or (Taken.OTHER_STEPS if names_steps(line) else Taken.PROSE)
                yield lines.stretch(taken, span)
                place = span[1]
        if mark is not None:
            yield mark
            place = max(place, mark.span[1])


def _names_steps(line: str, names: Container[str], known: Vocabulary) -> bool:
    """Return whether a line names an action of the model, or one of the steps that the text is read as."""
    return any(word.lower() in names or known.written(word) is not None for word in _NAME.findall(line))


# --- a plan in words -----------------------------------------------------------------------------


def _of_clauses(reading: Reading, lexicon: Lexicon, lines: _Lines) -> Iterator[Stretch]:
    """Yield the clauses of a text that tells its plan in words."""
    plan = reading.plan
    missed = {piece.span: piece.reason for piece in reading.missed}
    clauses = clauses_in(plan, lexicon)
    starts = [clause.span[0] for clause in clauses]
    steps: list[list[tuple[int, Step]]] = [[] for _ in clauses]
    for number, step in enumerate(plan.steps, 1):
        place = bisect_right(starts, step.span[0]) - 1
        if place >= 0 and step.span[0] < clauses[place].span[1]:
            steps[place].append((number, step))
    for clause, told in zip(clauses, steps, strict=True):
        reason = missed.get(clause.span)
        is_hole = clause.kind is Kind.HOLE and (bool(missed) or bool(told))
        if reason is not None or is_hole:
            near = replace(clause, kind=Kind.STEP)
            pattern = _pattern(near, lexicon) if clause.actions or clause.mentions else ""
            yield replace(lines.stretch(Taken.MISSED, clause.span, reason or clause.reason), pattern=pattern)
        elif told or clause.kind is Kind.STEP:
            yield from _told(clause, told, lexicon, lines)
        else:
            denied = "a step that is not done" if clause.kind is Kind.DENIED else ""
            yield lines.stretch(Taken.PROSE, clause.span, denied)


def _told(clause: Clause, steps: Sequence[tuple[int, Step]], lexicon: Lexicon, lines: _Lines) -> Iterator[Stretch]:
    """Yield the steps of a clause, each with its pattern, why it was chosen, and its number in the plan."""
    parts = (lexicon.patterns.lines(clause) if clause.kind is Kind.STEP else ())[:1] or ((clause,),)
    for place, (part, told) in enumerate(zip_longest(parts[0], steps)):
        part = part or parts[0][-1]
        number, step = told or (None, None)
        start, end = clause.span
        yield replace(
            lines.stretch(Taken.STEP, (start, start if place else end)),
            pattern=_pattern(part, lexicon),
            number=number,
            step="" if step is None else str(step),
            reason=_why(part, step),
        )


def _pattern(clause: Clause, lexicon: Lexicon) -> str:
    ways = lexicon.patterns.ways(clause, is_tight=True)
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


# --- a plan in a notation --------------------------------------------------------------------------


def _of_tokens(candidate: Candidate, lines: _Lines) -> Iterator[Stretch]:
    """Yield the tokens of a plan, and what was missed between them, which ends where a token begins."""
    plan = candidate.plan
    numbers = {id(token): place + 1 for token, place in zip(plan.tokens, plan.places, strict=True)}
    missed = {piece.span: piece for piece in candidate.missed}
    tokens = [part for part in plan.parts if not isinstance(part, Ignored)]
    starts = [token.span[0] for token in tokens]
    inner = frozenset(starts)
    place = 0
    for mark in sorted((*tokens, *candidate.missed), key=lambda mark: mark.span[0]):
        span = mark.span
        if isinstance(mark, Missed):
            if span[0] < place or span[0] in inner:
                continue
            after = bisect_right(starts, span[0])
            span = (span[0], min(span[1], starts[after] if after < len(starts) else span[1]))
        piece = mark if isinstance(mark, Unparsed | Missed) else missed.get(span)
        found = lines.stretch(
            Taken.STEP if piece is None else Taken.MISSED, span, "" if piece is None else piece.reason
        )
        found = found if piece is None else replace(found, nearest=piece.nearest)
        is_step = isinstance(mark, Step | Constraint)
        yield replace(found, step=str(mark), number=numbers[id(mark)]) if is_step else found
        place = span[1]
