"""Plan texts that go line by line: PDDL, functional, code-like, plain words, VirtualHome scripts.

A line whose first words are a step (behind bullets, numbers, stamps, labels) is a line of the plan; steps in
the middle of a sentence are mentions, and are steps only when no line begins with one.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Mapping, Sequence

from validator.reading.lexicon import Unclear
from validator.reading.plan import Constraint, Dialect, Plan, Step, Unparsed
from validator.reading.tokens.blocks.denials import claims_no_plan
from validator.reading.tokens.layout import Piece
from validator.reading.tokens.notations.bracketed import bracketed
from validator.reading.tokens.notations.formal import FormalLines, read_decimal
from validator.reading.tokens.notations.spoken import Line, Told, spoken
from validator.reading.tokens.notations.steps import is_named
from validator.reading.tokens.notations.words import read_chain, read_named, read_words
from validator.reading.tokens.vocabulary import Vocabulary

__all__ = ["read_lines"]

_AROUND = frozenset(("SPACE", "CLOSES", "COMMENT", "OPENS"))

_WAITS = re.compile(
    r"\s*+(?:(?P<time>\d{1,30}+(?:\.\d{1,30}+)?)\s*+:\s*+(?:@PlanEND|-++waiting-++\s*+\[(?P<until>\d{1,30}+(?:\.\d{1,30}+)?)\])"
    r"|\(\d{1,30}+(?:\.\d{1,30}+)?,(?P<end>\d{1,30}+(?:\.\d{1,30}+)?)\)(?:-++>|\s++)waiting)\s*+",
    re.IGNORECASE,
)
"""What ENHSP prints between steps and at the end: ``0.0: -----waiting---- [4.0]``, ``4.0: @PlanEND``.

For PDDL+ that is ``(0.0,4.0)------>waiting``, whose arrow may be blanked by now.
"""
_MAY_WAIT = re.compile(r"waiting|@planend", re.IGNORECASE)


def read_lines(text: str, vocabulary: Vocabulary, dialect: Dialect | None, hint: Dialect | None = None) -> Plan:
    """Read a text line by line; ``dialect`` None means that it is to be recognised, or known from the whole text."""
    reader = _Reader(text, vocabulary, dialect, hint)
    return reader.read()


class _Reader(FormalLines):
    """One reading: the lines of a text, where each has its first step, and the parts found so far."""

    def read(self) -> Plan:
        anywhere = any(lead is not None for lead in self.shape.leads)
        plain = self.shape.all_plain() if self.shape.dialect is Dialect.WORDS else False
        bare = {} if self.shape.literal or not anywhere else self.shape.bare_items()
        told = self._spoken()
        may_wait = self.recognised and _MAY_WAIT.search(self.text) is not None
        lines = zip(self.shape.lines, self.shape.leads, strict=True)
        for number, ((body, newline), lead) in enumerate(lines):
            waits = _WAITS.fullmatch(self.text, body[0].start, body[-1].end) if body and may_wait else None
            if waits is not None:
                self.waits.append(read_decimal(waits["until"] or waits["end"] or waits["time"]))
                self.ignore("markup", body[0].start, body[-1].end)
            elif lead is not None and isinstance(other := self._bracketed(body[:lead], body), Unparsed):
                self.among(body, other)
            elif lead is not None:
                self.plan_line(number, body, lead)
            elif told[number].tokens:
                self._told(body, told[number])
            elif number in bare:
                self.among(body, bare[number])
            elif told[number].mentions:
                self.skipped += told[number].mentions
                self.prose(body)
            else:
                self._other_line(body, anywhere, plain)
            if newline is not None:
                self.ignore("space", newline.start, newline.end)
        self.flush()
        if self.waits:
            self.without_events()
        self.warn()
        return Plan(
            parts=tuple(self.parts),
            dialect=self.shape.dialect,
            text=self.text,
            claims_no_plan=claims_no_plan(self.text),
            end=max(self.waits, default=None),
            warnings=tuple(self.warnings),
        )

    def _other_line(self, body: Sequence[Piece], anywhere: bool, plain: bool) -> None:
        assertion = self.shape.assertion(body)
        if assertion is not None and (self.shape.dialect is Dialect.CODE or "$" in body[assertion].text):
            for piece in body[:assertion]:
                self.ignore("markup", piece.start, piece.end)
            self._constraint(body[assertion])
            self.prose(body[assertion + 1 :])
            return
        if _AROUND.issuperset([piece.kind for piece in body]):
            self.parentheses(body)
            return
        token = self._words(body, plain) if self.shape.dialect is Dialect.WORDS else None
        if token is not None:
            self.among(body, token)
        elif (other := self._bracketed(body, body)) is not None and not (anywhere and isinstance(other, Step)):
            self.among(body, other)
        elif not anywhere and any(map(self.shape.is_mention, body)):
            self.mixed(body, self.shape.is_mention)
        elif self.shape.dialect is Dialect.PDDL and self.shape.is_list_item(body):
            # Steps stand in lists: a parenthesis of known names there is a step, if a wrong one, rather than a remark.
            self.mixed(body, lambda piece: is_named(piece, self.vocabulary))
        else:
            step = None if self.shape.dialect is Dialect.WORDS else self.shape.bare_step(body)  # there it was read
            if step is not None and not anywhere and (step.name, step.args) not in self.shape.mentioned:
                reason = "it may be a step, beside those in parentheses, or only speak of one"
                self.among(body, Unparsed(text=self.text[slice(*step.span)], reason=reason, span=step.span))
                return
            self.bare += step is not None
            self.rest(body)

    def _bracketed(self, before: Sequence[Piece], body: Sequence[Piece]) -> Step | Unparsed | None:
        """Return the step in parentheses behind a sentence, of which some pieces of a line are a part.

        It is unclear where the sentence tells another.
        """
        lexicon = self.vocabulary.lexicon
        if lexicon is None or not self.recognised or not any(piece.kind == "TEXT" for piece in before):
            return None
        start, words = self.shape.words_of(body)
        found = bracketed(lexicon, words, start)
        if not isinstance(found, Unclear):
            return None if found is None else found.step
        said = self.text[slice(*found.span)]
        return Unparsed(text=said, reason=found.reason, nearest=found.nearest, span=found.span)

    def _spoken(self) -> Mapping[int, Told]:
        """Return what the lines tell that are in words, by the lexicon of the model."""
        lexicon = self.vocabulary.lexicon
        if lexicon is None or not self.recognised or self.shape.dialect is not Dialect.WORDS:
            return defaultdict(Told)
        found: list[Line | None] = []
        for body, lead in zip(self.shape.bodies, self.shape.leads, strict=True):
            start, words = self.shape.words_of(body, with_comments=True)
            first = self.text.rfind("\n", 0, start) + 1
            indent = next((piece.start for piece in body if piece.kind != "SPACE"), first) - first
            is_item = self.shape.is_item(body)
            found.append(Line(words=words, start=start, indent=indent, is_item=is_item) if lead is None else None)
        return dict(enumerate(spoken(found, self.text, lexicon)))

    def _told(self, body: Sequence[Piece], told: Told) -> None:
        """Add what a line tells; one of names alone, ``put a zzz``, is a step although the model lacks an object."""
        if not told.is_doubtful and any(isinstance(token, Unparsed) for token in told.tokens):
            start, words = self.shape.words_of(body)
            chain = read_chain(words, start, self.vocabulary)
            if chain:
                self.several(body, chain)
                return
            named = read_named(words, start, self.vocabulary)
            if named is not None and len(told.tokens) == 1:
                self.among(body, named)
                return
        self.several(body, told.tokens)
        self.warnings += told.warnings

    def _words(self, body: Sequence[Piece], plain: bool) -> Step | Unparsed | None:
        start, words = self.shape.words_of(body)
        if not words.strip():
            return None
        token = read_words(words, start, self.vocabulary) if self.vocabulary.actions else None
        if isinstance(token, Step) or not plain or (self.recognised and self.vocabulary.actions):
            return token
        # Every line of the text is names only, so that this one is a step even where its action is not known.
        name, *args = words.lower().split()
        first = start + words.index(words.strip())
        return Step(name=name, args=tuple(args), span=(first, first + len(words.strip())))

    def _constraint(self, piece: Piece) -> None:
        words = piece.text.split(None, 1)[1].strip()
        holds = not re.match(r"not\s", words)
        condition = words if holds else words.split(None, 1)[1]
        end = piece.start + len(piece.text.rstrip())
        self.add(Constraint(text=condition, holds=holds, span=(piece.start, end)))
        if end < piece.end:
            self.ignore("space", end, piece.end)
