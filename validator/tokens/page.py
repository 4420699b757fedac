"""Which lines of a text are lines of a plan, and how they are written.

A line whose first words are a step (behind bullets, numbers, stamps, labels) is a line of the plan; steps in the middle
of a sentence are mentions.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

from validator.plan import Dialect
from validator.tokens.layout import Piece, lines, pieces
from validator.tokens.steps import CALLS, GROUPS, STEP_LIKE, head, innermost, is_prose
from validator.tokens.vocabulary import Vocabulary

__all__ = ["MARKERS", "Page"]

MARKERS = frozenset(
    ("SPACE", "COST", "STAMP", "LABEL", "NUMBERED", "BULLET", "BOLD", "BRACKET", "OPENS", "OUTPUTS", "FENCE", "MARK")
)
"""kinds of pieces that may stand before a step"""

_COMPOSED = frozenset(("CALL", "BROKEN_CALL", "NESTED"))
_QUOTES = frozenset(("`", '"', "'", "[", '["', "['", "“", "‘"))
_BEFORE_CALL = re.compile(r";(?=\s*+(?=[\w-])[^\s()\[\]{}<>,;:=\"'`*]++\()")
_LABEL = re.compile(r"[^\n]{0,80}:[\s*_]*")


class Page:
    """The lines of a text: their pieces, where each has its first step, and the dialect.

    ``leads`` has for each line the index of the piece with which the plan begins on it, None for a line of prose;
    ``literal`` says that every innermost parenthesis is a step; ``scripts``, that VirtualHome's lines are.
    """

    def __init__(self, text: str, vocabulary: Vocabulary, dialect: Dialect | None) -> None:
        self.text = text
        self.vocabulary = vocabulary
        found = pieces(text)
        self.literal = dialect is Dialect.PDDL
        if self.literal:
            found = [part for piece in found for part in (innermost(piece) if piece.kind in _COMPOSED else (piece,))]
        self.lines = [(body if self.literal else _without_cost(body), newline) for body, newline in lines(found)]
        self.bodies = [body for body, _ in self.lines]
        self.scripts = dialect is Dialect.VIRTUALHOME or (dialect is None and self._has_scripts())
        self.wrappers = _wrappers(found)
        self.leads = [self._lead(body) for body in self.bodies]
        self.dialect = dialect or self._recognise()
        if self.dialect in (Dialect.FUNCTIONAL, Dialect.CODE):
            self._split_at_semicolons()
        self._judge_leads()

    def _has_scripts(self) -> bool:
        return any(piece.kind == "SCRIPT" and "<" in piece.text for body in self.bodies for piece in body)

    def _lead(self, body: Sequence[Piece]) -> int | None:
        """Return the index of the piece with which the plan begins on a line, or None on a line of prose."""
        labelled = False
        for index, piece in enumerate(body):
            if piece.kind in STEP_LIKE:
                return index if self.literal or not is_prose(piece, self.vocabulary) else None
            if self.literal:
                continue
            if piece.kind == "SCRIPT" and self.scripts:
                return index
            if piece.kind in MARKERS or piece.text in _QUOTES:
                continue
            if piece.kind != "TEXT" or labelled:
                return None
            behind = (later for later in body[index + 1 :] if later.kind not in MARKERS and later.text not in _QUOTES)
            following = next(behind, None)
            if following is None or following.kind not in STEP_LIKE:
                return None
            if piece.text.strip().lower() in self.vocabulary.actions and following.kind in ("GROUP", "FLAT", "EMPTY"):
                return index  # `put (a, b)`: a call with a blank before its parenthesis
            if not _LABEL.fullmatch(piece.text) or head(following) in self.vocabulary.predicates:
                return None
            labelled = True
        return None

    def _recognise(self) -> Dialect:
        if self.scripts:
            return Dialect.VIRTUALHOME
        leading = [body[lead].kind for body, lead in zip(self.bodies, self.leads, strict=True) if lead is not None]
        calls = sum(kind in CALLS or kind == "TEXT" for kind in leading)
        if calls > len(leading) - calls:
            return Dialect.CODE if self._is_code() else Dialect.FUNCTIONAL
        if leading:
            return Dialect.PDDL
        if self._mentions():
            return Dialect.PDDL
        asserts = [self.assertion(body) is not None for body in self.bodies if self.words_of(body)[1].strip()]
        return Dialect.CODE if asserts and all(asserts) else Dialect.WORDS

    def _is_code(self) -> bool:
        return any(
            piece.kind == "OUTPUTS" or (piece.kind == "BRACKET" and index < (lead or 0))
            for body, lead in zip(self.bodies, self.leads, strict=True)
            if lead is not None
            for index, piece in enumerate(body)
        ) or any(self.assertion(body) is not None for body in self.bodies)

    def _mentions(self) -> bool:
        return any(self.is_mention(piece) for body in self.bodies for piece in body)

    def is_mention(self, piece: Piece) -> bool:
        return piece.kind in ("GROUP", "CALL") and head(piece) in self.vocabulary.actions

    def assertion(self, body: Sequence[Piece]) -> int | None:
        """Return the index of the ``assert`` that a line is, behind an index and bullets."""
        for index, piece in enumerate(body):
            if piece.kind == "ASSERT":
                return index
            if piece.kind not in MARKERS:
                return None
        return None

    def _split_at_semicolons(self) -> None:
        """Outside of PDDL a semicolon may stand between steps: ``f(a); g(b)`` has two.

        The semicolons before calls are masked by a mark of the same length, so that the line is cut once more and
        not once for each of them; the pieces keep the text as it is.
        """
        for number, (body, newline) in enumerate(self.lines):
            last = body[-1] if body else None
            if last is None or last.kind != "COMMENT" or self.leads[number] is None:
                continue
            masked = _BEFORE_CALL.sub("*", last.text)
            if masked[0] != ";":
                cut = ((piece.kind, last.start + piece.start, last.start + piece.end) for piece in pieces(masked))
                behind = (Piece(kind, self.text[start:end], start) for kind, start, end in cut)
                self.lines[number] = ((*body[:-1], *behind), newline)
                self.bodies[number] = self.lines[number][0]

    def _judge_leads(self) -> None:
        """In a text whose steps are in parentheses, ``word(...)`` is prose unless it names an action, and so back."""
        other = (
            CALLS if self.dialect is Dialect.PDDL else GROUPS if self.dialect is not Dialect.VIRTUALHOME else STEP_LIKE
        )
        for number, (body, lead) in enumerate(zip(self.bodies, self.leads, strict=True)):
            if lead is not None and body[lead].kind in other and head(body[lead]) not in self.vocabulary.actions:
                self.leads[number] = None

    def words_of(self, body: Sequence[Piece]) -> tuple[int, str]:
        """Return where the words of a line begin, behind its markers, and the words."""
        index = 0
        while index < len(body) and (body[index].kind in MARKERS or body[index].text in _QUOTES):
            index += 1
        rest = [piece for piece in body[index:] if piece.kind not in ("COMMENT", "COST")]
        if not rest:
            return (body[0].start if body else 0), ""
        return rest[0].start, self.text[rest[0].start : rest[-1].end]


def _without_cost(body: tuple[Piece, ...]) -> tuple[Piece, ...]:
    """Take ``(1)`` behind words at the end of a line for a cost, as in a planner's ``pick-up a (1)``."""
    if len(body) > 1 and body[-1].kind == "GROUP" and body[-2].kind == "TEXT" and body[-1].text[1:-1].strip().isdigit():
        return (*body[:-1], Piece("COST", body[-1].text, body[-1].start))
    return body


def _wrappers(found: Sequence[Piece]) -> Counter[int]:
    """Return how many parentheses of a piece, by its place, are closed behind the steps that they enclose."""
    opened: list[int] = []
    closed: Counter[int] = Counter()
    for piece in found:
        if piece.kind == "UNCLOSED":
            opened.append(piece.start)
        elif piece.kind == "OPENS":
            opened += [piece.start] * piece.text.count("(")
        elif piece.kind == "CLOSES":
            for _ in range(min(len(opened), piece.text.count(")"))):
                closed[opened.pop()] += 1
    return closed
