"""Plan texts that go line by line: PDDL, functional, code-like, plain words, VirtualHome scripts.

A line whose first words are a step (behind bullets, numbers, stamps, labels) is a line of the plan; steps in
the middle of a sentence are mentions, and are steps only when no line begins with one.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Mapping, Sequence

from validator.reading.lexicon import Unclear
from validator.reading.plan import Constraint, Dialect, Ignored, Plan, Step, Unparsed
from validator.reading.tokens.blocks.phrases import claims_no_plan
from validator.reading.tokens.layout import Piece
from validator.reading.tokens.notations.formal import FormalLines, read_decimal
from validator.reading.tokens.notations.shape import TextLine
from validator.reading.tokens.notations.spoken import Line, Told, spoken
from validator.reading.tokens.notations.words import bracketed, read_chain, read_named, read_words
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
        anywhere = any(line.lead is not None for line in self.shape.lines)
        plain = self.shape.all_plain() if self.shape.dialect is Dialect.WORDS else False
        bare = {} if self.shape.literal or not anywhere else self.shape.bare_items()
        told = self._spoken()
        may_wait = self.recognised and _MAY_WAIT.search(self.text) is not None
        for number, line in enumerate(self.shape.lines):
            body, lead = line.body, line.lead
            waits = _WAITS.fullmatch(self.text, body[0].start, body[-1].end) if body and may_wait else None
            if waits is not None:
                self.waits.append(read_decimal(waits["until"] or waits["end"] or waits["time"]))
                span = (body[0].start, body[-1].end)
                self.found.append(Ignored(kind="markup", text=self.text[slice(*span)], span=span))
            elif lead is not None and isinstance(other := self._bracketed(body[:lead], line), Unparsed):
                self.among(other)
            elif lead is not None:
                self.plan_line(number, lead)
            elif told[number].tokens:
                self._told(line, told[number])
            elif number in bare:
                self.among(bare[number])
            elif told[number].mentions:
                self.skipped += told[number].mentions
            else:
                self._other_line(line, anywhere, plain)
        if self.waits:
            self.without_events()
        self.warn()
        return Plan(
            parts=self.parts(),
            dialect=self.shape.dialect,
            text=self.text,
            claims_no_plan=claims_no_plan(self.text),
            end=max(self.waits, default=None),
            warnings=tuple(self.warnings),
        )

    def _other_line(self, line: TextLine, anywhere: bool, plain: bool) -> None:
        body, assertion = line.body, line.assertion
        if assertion is not None and (self.shape.dialect is Dialect.CODE or "$" in assertion.text):
            self._constraint(assertion)
            return
        if _AROUND.issuperset([piece.kind for piece in body]):
            for piece in body:
                self.around(piece)
            return
        token = self._words(line, plain) if self.shape.dialect is Dialect.WORDS else None
        if isinstance(token, Unparsed) and (chain := read_chain(line.words[1], line.words[0], self.vocabulary)):
            self.found += chain
        elif token is not None:
            self.among(token)
        elif (other := self._bracketed(body, line)) is not None and not (anywhere and isinstance(other, Step)):
            self.among(other)
        elif not anywhere and any(map(self.shape.is_mention, body)):
            for piece in filter(self.shape.is_mention, body):
                self.step(piece)
        else:
            step = None if self.shape.dialect is Dialect.WORDS else self.shape.bare_step(line)  # there it was read
            if step is not None and not anywhere and (step.name, step.args) not in self.shape.mentioned:
                self.unread(step.span, "it may be a step, beside those in parentheses, or only speak of one")
                return
            self.bare += step is not None
            self.rest(body)

    def _bracketed(self, before: Sequence[Piece], line: TextLine) -> Step | Unparsed | None:
        """Return the step in parentheses behind a sentence, of which some pieces of a line are a part.

        It is unclear where the sentence tells another.
        """
        lexicon = self.vocabulary.lexicon
        if lexicon is None or not self.recognised or not any(piece.kind == "TEXT" for piece in before):
            return None
        start, words = line.words
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
        for line in self.shape.lines:
            start, words = line.words_and_comments
            first = self.text.rfind("\n", 0, start) + 1
            indent = next((piece.start for piece in line.body if piece.kind != "SPACE"), first) - first
            said = Line(words=words, start=start, indent=indent, is_item=line.is_item)
            found.append(said if line.lead is None else None)
        return dict(enumerate(spoken(found, self.text, lexicon)))

    def _told(self, line: TextLine, told: Told) -> None:
        """Add what a line tells; one of names alone, ``put a zzz``, is a step although the model lacks an object."""
        if not told.is_doubtful and any(isinstance(token, Unparsed) for token in told.tokens):
            start, words = line.words
            if chain := read_chain(words, start, self.vocabulary):
                self.found += chain
                return
            named = read_named(words, start, self.vocabulary)
            if named is not None and len(told.tokens) == 1:
                self.among(named)
                return
        self.found += told.tokens
        self.warnings += told.warnings

    def _words(self, line: TextLine, plain: bool) -> Step | Unparsed | None:
        start, words = line.words
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
        self.found.append(Constraint(text=condition, holds=holds, span=(piece.start, end)))
