"""What kind of plan text a text is: its lines, where each has its first step, and in which dialect it is written."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from functools import cached_property

from validator.reading.lexicon import Said
from validator.reading.plan import Dialect, Step
from validator.reading.tokens.blocks.denials import claims_no_plan
from validator.reading.tokens.layout import Piece, lines, pieces
from validator.reading.tokens.notations.spoken import Line, told_by
from validator.reading.tokens.notations.steps import (
    CALLS,
    GROUPS,
    STEP_LIKE,
    head,
    innermost,
    is_fact,
    is_named,
    is_number,
    is_prose,
    is_remark,
    read_step,
)
from validator.reading.tokens.notations.words import is_plain, read_known
from validator.reading.tokens.vocabulary import Vocabulary

__all__ = ["MARKERS", "Shape"]

MARKERS = frozenset(
    (
        "SPACE",
        "COST",
        "LOGGED",
        "STAMP",
        "LABEL",
        "NUMBERED",
        "BULLET",
        "BOLD",
        "BRACKET",
        "OPENS",
        "OUTPUTS",
        "FENCE",
        "MARK",
    )
)
_COMPOSED = frozenset(("CALL", "BROKEN_CALL", "NESTED"))
_FORMAL = GROUPS | {"SPACE", "NEWLINE", "STAMP", "NUMBERED", "BRACKET", "COMMENT", "OPENS", "CLOSES"}
"""The pieces of a text that is steps in parentheses and nothing else: each of them is meant as a step."""
_QUOTES = frozenset(("`", '"', "'", "[", '["', "['", "“", "‘"))
_BEFORE_CALL = re.compile(r";(?=\s*+(?:\(?\d{1,6}[.):]\s*+)?+(?=[\w-])[^\s()\[\]{}<>,;:=\"'`*]++\()")
_LABEL = re.compile(r"[^\n]{0,80}:[\s*_]*")
_ATTRIBUTE = re.compile(r"\.[^\W\d]|\s*:=")


class Shape:
    """The lines of a text and the index of the piece with which a step begins on each, None on the others.

    ``wrappers`` tells how many parentheses of a piece, by its place, are closed behind the steps that they enclose.
    """

    def __init__(self, text: str, vocabulary: Vocabulary, dialect: Dialect | None, hint: Dialect | None = None) -> None:
        self.text = text
        self.vocabulary = vocabulary
        self.is_literal = dialect is not None
        self._words: dict[tuple[int, bool], tuple[int, str]] = {}
        """where the words of a line begin, and the words, by where it begins: they are asked for again and again"""
        found = pieces(text) if self.is_literal else _without_definition(pieces(text))
        self.literal = dialect is Dialect.PDDL
        if self.literal:
            found = [part for piece in found for part in (innermost(piece) if piece.kind in _COMPOSED else (piece,))]
        self.lines = [(body if self.literal else _without_cost(body), newline) for body, newline in lines(found)]
        self.bodies = [body for body, _ in self.lines]
        self.scripts = dialect is Dialect.VIRTUALHOME or (dialect is None and self._has_scripts())
        self.wrappers = _wrappers(found)
        self.is_formal = _FORMAL.issuperset([piece.kind for piece in found])
        self.leads = [self._lead(body) for body in self.bodies]
        self.dialect = dialect or hint or self._recognise()
        if not self.is_literal or self.dialect in (Dialect.FUNCTIONAL, Dialect.CODE):
            self._split_at_semicolons()
        self._judge_leads()
        self.is_timed = self.dialect is Dialect.PDDL or self._has_times()

    def _has_times(self) -> bool:
        """Return whether all steps of a text of calls stand behind times: ``0.5: go(a, b) [2.0]``, ``4.1: stop(a)``.

        Numbers alone may count the steps; one with a point, or a duration behind a step, tells that they are times.
        """
        leading = [(body, lead) for body, lead in zip(self.bodies, self.leads, strict=True) if lead is not None]
        stamps = [[piece.text for piece in body[:lead] if piece.kind == "STAMP"] for body, lead in leading]
        behind = [
            next((piece.kind for piece in body[lead + 1 :] if piece.kind != "SPACE"), "") for body, lead in leading
        ]
        return all(stamps) and ("BRACKET" in behind or any("." in text for texts in stamps for text in texts))

    def is_fact(self, piece: Piece, *, is_behind: bool = False) -> bool:
        """Return whether a parenthesis is a fact, an object or a number among words and steps.

        ``is_behind`` says that a step stands before it on its line: then it may be a remark on that step.
        """
        if self.literal:
            return False
        if self.is_formal:  # there a parenthesis with a number alone is one of a list, if steps are known at all
            return bool(self.vocabulary.actions) and (
                is_number(piece) or (is_behind and is_remark(piece, self.vocabulary))
            )
        return is_fact(piece, self.vocabulary)

    def _has_scripts(self) -> bool:
        return any(piece.kind == "SCRIPT" and "<" in piece.text for body in self.bodies for piece in body)

    def _lead(self, body: Sequence[Piece]) -> int | None:
        """Return the index of the piece with which the plan begins on a line, or None on a line of prose."""
        labelled = False
        for index, piece in enumerate(body):
            if piece.kind in STEP_LIKE and self.is_fact(piece):
                if is_number(piece):
                    continue
                return None
            if piece.kind in STEP_LIKE:
                is_step = self.literal or not (is_prose(piece, self.vocabulary) or self._is_of_program(body, index))
                return index if is_step else None
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
            if self.vocabulary.written(piece.text.strip()) and following.kind in ("GROUP", "FLAT", "EMPTY"):
                return index  # `put (a, b)`: a call with a blank before its parenthesis
            if not _LABEL.fullmatch(piece.text) or head(following) in self.vocabulary.predicates:
                return None
            labelled = True
        return None

    def _is_of_program(self, body: Sequence[Piece], index: int) -> bool:
        """Return whether an unknown call is asked or given something: ``get_env().x = None``, ``at(x) := y``."""
        is_call = body[index].kind in CALLS and self.vocabulary.written(head(body[index])) is None
        return is_call and _ATTRIBUTE.match("".join(piece.text for piece in body[index + 1 : index + 3])) is not None

    def _recognise(self) -> Dialect:
        if self.scripts:
            return Dialect.VIRTUALHOME
        leading = [body[lead].kind for body, lead in zip(self.bodies, self.leads, strict=True) if lead is not None]
        calls = sum(kind in CALLS or kind == "TEXT" for kind in leading)
        if calls > len(leading) - calls and not self._leads_are_facts():
            return Dialect.CODE if self._is_code() else Dialect.FUNCTIONAL
        if leading and not self._leads_are_facts():
            return Dialect.PDDL
        if self._mentions() and not self._lists_words():
            return Dialect.PDDL
        asserts = [self.assertion(body) is not None for body in self.bodies if self.words_of(body)[1].strip()]
        return Dialect.CODE if asserts and all(asserts) else Dialect.WORDS

    def _leads_are_facts(self) -> bool:
        """Return whether nothing that stands in parentheses is a step, while items of lists are steps in words."""
        heads = {head(body[lead]) for body, lead in zip(self.bodies, self.leads, strict=True) if lead is not None}
        return not any(map(self.vocabulary.action_of, heads)) and any(
            lead is None and self.is_item(body) and self.bare_step(body) is not None
            for body, lead in zip(self.bodies, self.leads, strict=True)
        )

    def _is_code(self) -> bool:
        return any(
            piece.kind == "OUTPUTS" or (piece.kind == "BRACKET" and index < (lead or 0))
            for body, lead in zip(self.bodies, self.leads, strict=True)
            if lead is not None
            for index, piece in enumerate(body)
        ) or any(self.assertion(body) is not None for body in self.bodies)

    def _mentions(self) -> bool:
        return any(self.is_mention(piece) for body in self.bodies for piece in body)

    def _lists_words(self) -> bool:
        """Return whether items of a list are steps in words: what stands in parentheses in prose is a remark then."""
        found = (body for body in self.bodies if self.is_item(body) and self.bare_step(body) is not None)
        return next(found, None) is not None and next(found, None) is not None

    def _split_at_semicolons(self) -> None:
        """Outside of PDDL a semicolon may stand between steps: ``f(a); g(b)`` has two.

        The semicolons before calls are masked by a mark of the same length, so that the line is cut once more and
        not once for each of them; the pieces keep the text as it is.
        """
        for number, (body, newline) in enumerate(self.lines):
            last = body[-1] if body else None
            if last is None or last.kind != "COMMENT":
                continue
            are_calls = self.dialect in (Dialect.FUNCTIONAL, Dialect.CODE) and self.leads[number] is not None
            if not (are_calls or any(piece.kind == "CALL" and self.is_mention(piece) for piece in body)):
                continue
            masked = _BEFORE_CALL.sub("*", last.text)
            if masked[0] != ";":
                cut = ((piece.kind, last.start + piece.start, last.start + piece.end) for piece in pieces(masked))
                behind = (Piece(kind, self.text[start:end], start) for kind, start, end in cut)
                self.lines[number] = ((*body[:-1], *behind), newline)
                self.bodies[number] = self.lines[number][0]
                self._words.clear()

    def is_mention(self, piece: Piece) -> bool:
        return piece.kind in ("GROUP", "CALL") and self.vocabulary.written(head(piece)) is not None

    @cached_property
    def mentioned(self) -> frozenset[tuple[str, tuple[str, ...]]]:
        """Return the steps in parentheses that the text has anywhere."""
        pieces = (piece for body in self.bodies for piece in body if self.is_mention(piece))
        steps = (read_step(piece, self.vocabulary) for piece in pieces)
        return frozenset((step.name, step.args) for step in steps if isinstance(step, Step))

    def assertion(self, body: Sequence[Piece]) -> int | None:
        """Return the index of the ``assert`` that a line is, behind an index and bullets."""
        for index, piece in enumerate(body):
            if piece.kind == "ASSERT":
                return index
            if piece.kind not in MARKERS:
                return None
        return None

    def is_item(self, body: Sequence[Piece]) -> bool:
        return next((piece.kind for piece in body if piece.kind != "SPACE"), "") in ("NUMBERED", "BULLET")

    def is_list_item(self, body: Sequence[Piece]) -> bool:
        return self.is_item(body) and any(is_named(piece, self.vocabulary) for piece in body)

    def words_of(self, body: Sequence[Piece], *, with_comments: bool = False) -> tuple[int, str]:
        """Return where the words of a line begin, behind its markers, and the words.

        ``with_comments`` takes what stands behind a semicolon for words too, which it is in English.
        """
        if not body:
            return 0, ""
        key = (body[0].start, with_comments)
        known = self._words.get(key)
        if known is None:
            known = self._words[key] = self._words_of(body, with_comments)
        return known

    def _words_of(self, body: Sequence[Piece], with_comments: bool) -> tuple[int, str]:
        index = 0
        while index < len(body) and (body[index].kind in MARKERS or body[index].text in _QUOTES):
            index += 1
        rest = [piece for piece in body[index:] if piece.kind != "COST" and (with_comments or piece.kind != "COMMENT")]
        if not rest:
            return body[0].start, ""
        return rest[0].start, self.text[rest[0].start : rest[-1].end]

    def bare_step(self, body: Sequence[Piece]) -> Step | None:
        start, words = self.words_of(body)
        if self.vocabulary.lexicon is not None and not self.is_literal:
            found = told_by(self.vocabulary.lexicon, Line(words=words, start=start, indent=0, is_item=True), None)
            return found[0].step if len(found) == 1 and isinstance(found[0], Said) else None
        return read_known(words, start, self.vocabulary)

    def _judge_leads(self) -> None:
        """In a text whose steps are in parentheses, ``word(...)`` is prose unless it names an action, and so back."""
        other = {Dialect.PDDL: CALLS, Dialect.WORDS: STEP_LIKE, Dialect.VIRTUALHOME: STEP_LIKE}.get(
            self.dialect, GROUPS
        )
        for number, (body, lead) in enumerate(zip(self.bodies, self.leads, strict=True)):
            if lead is not None and body[lead].kind in other and self.vocabulary.written(head(body[lead])) is None:
                self.leads[number] = None

    def bare_items(self) -> dict[int, Step]:
        """Return the steps without parentheses that items of lists are among items with them, by line.

        There are none where they only say again what stands in parentheses.
        """
        leading = [number for number, lead in enumerate(self.leads) if lead is not None]
        if not all(self.is_item(self.bodies[number]) for number in leading):
            return {}
        others = (number for number, lead in enumerate(self.leads) if lead is None)
        items = (number for number in others if self.is_item(self.bodies[number]))
        found = {number: step for number in items if (step := self.bare_step(self.bodies[number])) is not None}
        said = {
            (token.name, token.args)
            for number in (leading if found else ())
            for piece in self.bodies[number]
            if piece.kind in STEP_LIKE and isinstance(token := read_step(piece, self.vocabulary), Step)
        }
        return found if any((step.name, step.args) not in said for step in found.values()) else {}

    def all_plain(self) -> bool:
        """Return whether every line is names only, so that the text is a plan even where no name is known."""
        if claims_no_plan(self.text):
            return False
        texts = (self.words_of(body)[1] for body in self.bodies)
        return all(is_plain(words) for words in texts if words.strip())


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


_DEFINES = re.compile(r"\(\s*define\b", re.IGNORECASE)
_TITLE = re.compile(r"\(\s*(?:plan|solution|:problem|:domain)\s+[^\s()]+\s*\)", re.IGNORECASE)
_MOST_HEAD = 12
"""pieces behind a ``define`` among which its names stand"""


def _without_definition(found: list[Piece]) -> list[Piece]:
    """Take ``(plan NAME)`` in ``(define (plan NAME) (:problem P) (:actions ...`` for what opens a list, and no step."""
    for place, piece in enumerate(found[:8]):
        if _DEFINES.match(piece.text):
            for later in range(place + 1, min(place + _MOST_HEAD, len(found))):
                if found[later].kind == "GROUP" and _TITLE.fullmatch(found[later].text):
                    found[later] = Piece("COST", found[later].text, found[later].start)
    return found
