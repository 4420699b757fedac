"""The parts of a plan text that is read line by line, as they are found: steps, and what is passed over."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import lru_cache

from validator.reading.plan import Dialect, Ignored, Part, Step, Token, Unparsed
from validator.reading.tokens.layout import Piece
from validator.reading.tokens.notations.shape import Shape
from validator.reading.tokens.notations.steps import read_step
from validator.reading.tokens.notations.words import is_sentence
from validator.reading.tokens.plain import in_comments
from validator.reading.tokens.vocabulary import Vocabulary
from validator.texts import counted, decimal

__all__ = ["Parts", "read_decimal"]

_COMMENTED = re.compile(r"\(\s*([^\s()]+)(?=[\s)])")


class Parts:
    """A reading under way: the shape of a text, the parts found so far, and what is to be warned of."""

    def __init__(self, text: str, vocabulary: Vocabulary, dialect: Dialect | None, hint: Dialect | None) -> None:
        self.text = text
        self.vocabulary = vocabulary
        self.recognised = dialect is None
        self.shape = Shape(text, vocabulary, dialect, hint)
        self.parts: list[Part] = []
        self.passed: tuple[str, int, int] | None = None
        self.warnings: list[str] = []
        self.open_groups = 0
        self.skipped = 0
        self.in_comments = 0
        self.bare = 0
        self.sentences = 0
        self.waits: list[Fraction] = []

    def ignore(self, kind: str, start: int, end: int) -> None:
        """Pass over text; it is joined with ignored text of the same kind before it."""
        if self.passed is not None and self.passed[0] == kind:
            start = self.passed[1]
        else:
            self.flush()
        self.passed = (kind, start, end)

    def flush(self) -> None:
        """End the text that is passed over."""
        if self.passed is not None:
            kind, start, end = self.passed
            self.parts.append(Ignored(kind=kind, text=self.text[start:end], span=(start, end)))
            self.passed = None

    def add(self, token: Token) -> None:
        """Add a token behind what was passed over."""
        self.flush()
        self.parts.append(token)

    def prose(self, body: Sequence[Piece]) -> None:
        """Pass over pieces, each as what it is."""
        for piece in body:
            if piece.kind == "COMMENT":
                self._comment(piece)
            else:
                kind = "space" if piece.kind == "SPACE" else "markup" if piece.kind in ("FENCE", "MARK") else "prose"
                self.ignore(kind, piece.start, piece.end)

    def _comment(self, piece: Piece) -> None:
        self.in_comments += any(self.vocabulary.written(name) for name in _COMMENTED.findall(piece.text))
        self.ignore("comment", piece.start, piece.end)

    def step(
        self, piece: Piece, outputs: tuple[str, ...], time: Fraction | None, duration: Fraction | None = None
    ) -> None:
        """Add the step that a piece is."""
        token = read_step(piece, self.vocabulary, literal=not self.recognised)
        if isinstance(token, Step) and (outputs or time is not None or duration is not None):
            token = Step(
                name=token.name, args=token.args, outputs=outputs, time=time, duration=duration, span=token.span
            )
        self.add(token)

    def _opens(self, piece: Piece) -> None:
        """An opening parenthesis begins an enclosing list; one that is never closed says that the plan is cut off."""
        opened = piece.text.count("(")
        self.open_groups += opened
        if self.shape.wrappers[piece.start] < opened:
            span = (piece.start, piece.end)
            self.add(Unparsed(text=piece.text, reason="'(' is never closed", span=span))
        else:
            self.ignore("markup", piece.start, piece.end)

    def around(self, piece: Piece) -> bool:
        """Take a piece that may stand around steps: the ends of a set or a list, a comment."""
        if piece.kind == "CLOSES":
            self._closes(piece)
        elif piece.kind == "OPENS":
            self._opens(piece)
        elif piece.kind == "COMMENT":
            self._comment(piece)
        else:
            return False
        return True

    def _closes(self, piece: Piece) -> None:
        """A closing parenthesis ends an enclosing list, or nothing at all."""
        surplus = piece.text.count(")") - self.open_groups
        self.open_groups = max(0, -surplus)
        if surplus > 0:
            span = (piece.start, piece.end)
            self.add(Unparsed(text=piece.text, reason="')' has no '(' before it", span=span))
        else:
            self.ignore("markup", piece.start, piece.end)

    def mixed(self, body: Sequence[Piece], is_step: Callable[[Piece], bool]) -> None:
        """Read some pieces of a sentence as steps and pass over the rest."""
        for piece in body:
            if is_step(piece):
                self.step(piece, (), None)
            else:
                self.prose((piece,))

    def parentheses(self, body: Sequence[Piece]) -> None:
        """Take pieces that only stand around steps."""
        for piece in body:
            if not self.around(piece):
                self.ignore("space", piece.start, piece.end)

    def _between(self, body: Sequence[Piece], start: int, end: int) -> None:
        """Pass over what stands around a step in words."""
        for piece in body:
            first, last = max(start, piece.start), min(end, piece.end)
            if (first, last) == (piece.start, piece.end) and piece.kind == "COMMENT":
                self._comment(piece)
            elif first < last:
                self.ignore("space" if self.text[first:last].isspace() else "markup", first, last)

    def several(self, body: Sequence[Piece], steps: Sequence[Token]) -> None:
        """Add the steps of a line, and pass over what stands between them."""
        place = body[0].start
        for step in steps:
            self._between(body, place, step.span[0])
            self.add(step)
            place = step.span[1]
        self._between(body, place, body[-1].end)

    def among(self, body: Sequence[Piece], token: Step | Unparsed) -> None:
        """Add a step in words, and pass over what stands around it on its line."""
        first, last = token.span
        self.sentences += isinstance(token, Step) and is_sentence(self.text[first:last], token)
        self._between(body, body[0].start, first)
        self.add(token)
        self._between(body, last, body[-1].end)

    def without_events(self) -> None:
        """Pass over the events of the model that ENHSP prints among the steps: they happen by themselves."""
        happened = [part for part in self.parts if isinstance(part, Step) and part.name in self.vocabulary.events]
        if happened:
            events = counted(len(happened), "event that happens by itself is", "events that happen by themselves are")
            self.warnings.append(f"{events} not part of the plan")
            self.parts = [
                Ignored(kind="markup", text=self.text[slice(*part.span)], span=part.span) if part in happened else part
                for part in self.parts
            ]

    def warn(self) -> None:
        """Put what was passed over in words."""
        if self.skipped:
            named = counted(self.skipped, "action named in a sentence is", "actions named in sentences are")
            self.warnings.append(f"{named} not part of the plan")
        if self.bare:
            among = "without parentheses among steps with them"
            bare = counted(self.bare, f"step {among} is", f"steps {among} are")
            self.warnings.append(f"{bare} not part of the plan")
        if self.sentences:
            read = counted(self.sentences, "step was read from a sentence", "steps were read from sentences")
            self.warnings.append(f"{read}, with the objects in their order there")
        if self.waits:
            until = f"of waiting, until {decimal(max(self.waits))},"
            waits = counted(len(self.waits), f"line {until} is", f"lines {until} are")
            self.warnings.append(f"{waits} not part of the plan")
        if self.in_comments:
            self.warnings.append(in_comments(self.in_comments))


@lru_cache(maxsize=4096)
def read_decimal(text: str) -> Fraction:
    """Return the number that a text of digits is, exactly."""
    return Fraction(text)
