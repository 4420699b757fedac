"""What kind of plan text a text is: its lines, where each has its first step, and in which dialect it is written."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from functools import cached_property
from itertools import dropwhile, islice

from validator.reading.lexicon import Said
from validator.reading.plan import Dialect, Step
from validator.reading.tokens.layout import Piece, lines, pieces
from validator.reading.tokens.notations.sentences import is_plain, read_known
from validator.reading.tokens.notations.steps import (
    CALLS,
    GROUPS,
    STEP_LIKE,
    head,
    innermost,
    is_aside,
    is_number,
    read_step,
)
from validator.reading.tokens.phrases import claims_no_plan
from validator.reading.tokens.vocabulary import Vocabulary

MARKERS = frozenset(
    (
        "SPACE",
        "COST",
        "LOGGED",
        "STAMP",
        "LABEL",
        "NUMBERED",
        "QUOTE",
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
_MARKS = ("BULLET", "NUMBERED", "LOGGED")
_QUOTES = frozenset(("`", '"', "'", "[", '["', "['", "“", "‘"))
_BEFORE_CALL = re.compile(r";(?=\s*+(?:\(?\d{1,6}[.):]\s*+)?+(?=[\w-])[^\s()\[\]{}<>,;:=\"'`*]++\()")
_LABEL = re.compile(r"[^\n]{0,80}[:=>{][\s*_]*")
_ATTRIBUTE = re.compile(r"\.[^\W\d]|\s*:=")


class TextLine:
    """A line: its pieces, the one that ends it, and the index of the piece with which a step begins, if one does."""

    def __init__(self, text: str, body: tuple[Piece, ...], end: Piece | None) -> None:
        self.text = text
        self.body = body
        self.end = end
        self.lead: int | None = None

    @property
    def lead_head(self) -> str:
        """Return the first name of the piece with which a step begins, in lower case."""
        return "" if self.lead is None else head(self.body[self.lead])

    @property
    def is_item(self) -> bool:
        return next((piece.kind for piece in self.body if piece.kind != "SPACE"), "") in ("NUMBERED", "BULLET")

    @property
    def assertion(self) -> Piece | None:
        """Return the ``assert`` that a line is, behind an index and bullets."""
        first = next((piece for piece in self.body if piece.kind not in MARKERS), None)
        return first if first is not None and first.kind == "ASSERT" else None

    @cached_property
    def words(self) -> tuple[int, str]:
        """Return where the words of a line begin, behind its markers, and the words."""
        begins = dropwhile(lambda piece: piece.kind in MARKERS or piece.text in _QUOTES, self.body)
        rest = [piece for piece in begins if piece.kind not in ("COST", "COMMENT")]
        if not rest:
            return (self.body[0].start if self.body else 0), ""
        return rest[0].start, self.text[rest[0].start : rest[-1].end]


class Shape:
    """The lines of a text, each with the place at which a step begins on it.

    ``wrappers`` tells how many parentheses of a piece, by its place, are closed behind the steps that they enclose.
    """

    def __init__(self, text: str, vocabulary: Vocabulary, dialect: Dialect | None, hint: Dialect | None = None) -> None:
        self.text = text
        self.vocabulary = vocabulary
        self.is_literal = dialect is not None
        found = pieces(text)
        self.literal = dialect is Dialect.PDDL
        if self.literal:
            found = [part for piece in found for part in (innermost(piece) if piece.kind in _COMPOSED else (piece,))]
        self.lines = [
            TextLine(text, body if self.literal else _without_cost(body), newline) for body, newline in lines(found)
        ]
        has_scripts = any(piece.kind == "SCRIPT" and "<" in piece.text for piece in found)
        self.scripts = dialect is Dialect.VIRTUALHOME or (dialect is None and has_scripts)
        self.wrappers = _wrappers(found)
        self.is_formal = _FORMAL.issuperset([piece.kind for piece in found])
        for line in self.lines:
            line.lead = self._lead(line.body)
        self.dialect = dialect or hint or self._recognise()
        if not self.is_literal or self.dialect in (Dialect.FUNCTIONAL, Dialect.CODE):
            self._split_at_semicolons()
        self._judge_leads()
        self.is_timed = self.dialect is Dialect.PDDL or self._has_times()

    def _has_times(self) -> bool:
        """Return whether all steps of a text of calls stand behind times: ``0.5: go(a, b) [2.0]``, ``4.1: stop(a)``.

        Numbers alone may count the steps; one with a point, or a duration behind a step, tells that they are times.
        """
        led = [(line.body[: line.lead], line.body[line.lead + 1 :]) for line in self.lines if line.lead is not None]
        stamps = [[piece.text for piece in before if piece.kind == "STAMP"] for before, _ in led]
        behind = [next((piece.kind for piece in after if piece.kind != "SPACE"), "") for _, after in led]
        has_durations = "BRACKET" in behind or any(
            "duration" in line.body[line.lead].text for line in self.lines if line.lead is not None
        )
        return all(stamps) and (has_durations or any("." in text for texts in stamps for text in texts))

    def is_aside(self, piece: Piece, *, is_behind: bool = False) -> bool:
        """Return whether a parenthesis or a call is no step: a fact, an object, a number, a remark.

        ``is_behind`` says that a step stands before it on its line: then it may be a remark on that step.
        """
        return not self.literal and is_aside(piece, self.vocabulary, is_formal=self.is_formal, is_behind=is_behind)

    def is_mention(self, piece: Piece) -> bool:
        """Return whether a parenthesis or a call names an action of the model."""
        return piece.kind in ("GROUP", "CALL") and self.vocabulary.written(head(piece)) is not None

    def _lead(self, body: Sequence[Piece]) -> int | None:
        """Return the index of the piece with which the plan begins on a line, or None on a line of prose."""
        labelled = False
        for index, piece in enumerate(body):
            if piece.kind in STEP_LIKE:
                is_aside = self.is_aside(piece)
                if is_aside and is_number(piece):
                    continue
                return None if is_aside or (not self.literal and self._is_of_program(body, index)) else index
            if self.literal:
                continue
            if piece.kind == "SCRIPT" and self.scripts:
                return index
            if piece.kind in MARKERS or piece.text in _QUOTES:
                continue
            if piece.kind not in ("TEXT", "WORD") or labelled:
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
        led = [(line.body, line.lead) for line in self.lines if line.lead is not None]
        if led and not self._leads_are_facts():
            if 2 * sum(body[lead].kind in CALLS or body[lead].kind == "TEXT" for body, lead in led) <= len(led):
                return Dialect.PDDL
            has_outputs = any(
                piece.kind == "OUTPUTS" or (piece.kind == "BRACKET" and index < lead)
                for body, lead in led
                for index, piece in enumerate(body)
            )
            is_code = has_outputs or any(line.assertion is not None for line in self.lines)
            return Dialect.CODE if is_code else Dialect.FUNCTIONAL
        if any(self.is_mention(piece) for line in self.lines for piece in line.body):
            listed = (line for line in self.lines if line.is_item and self.bare_step(line) is not None)
            if len(list(islice(listed, 2))) < 2:  # or what stands in parentheses in prose is a remark
                return Dialect.PDDL
        asserts = [line.assertion is not None for line in self.lines if line.words[1].strip()]
        return Dialect.CODE if asserts and all(asserts) else Dialect.WORDS

    def _leads_are_facts(self) -> bool:
        """Return whether nothing that stands in parentheses is a step, while items of lists are steps in words."""
        if any(self.vocabulary.action_of(line.lead_head) for line in self.lines if line.lead is not None):
            return False
        return any(line.lead is None and line.is_item and self.bare_step(line) is not None for line in self.lines)

    def _split_at_semicolons(self) -> None:
        """Outside of PDDL a semicolon may stand between steps: ``f(a); g(b)`` has two.

        The semicolons before calls are masked by a mark of the same length, so that the line is cut once more and
        not once for each of them; the pieces keep the text as it is.
        """
        for line in self.lines:
            last = line.body[-1] if line.body else None
            if last is None or last.kind != "COMMENT":
                continue
            are_calls = self.dialect in (Dialect.FUNCTIONAL, Dialect.CODE) and line.lead is not None
            if not (are_calls or any(piece.kind == "CALL" and self.is_mention(piece) for piece in line.body)):
                continue
            masked = _BEFORE_CALL.sub("*", last.text)
            if masked[0] != ";":
                cut = ((piece.kind, last.start + piece.start, last.start + piece.end) for piece in pieces(masked))
                behind = (Piece(kind, self.text[start:end], start) for kind, start, end in cut)
                line.body = (*line.body[:-1], *behind)
                vars(line).pop("words", None)

    def _judge_leads(self) -> None:
        """In a text whose steps are in parentheses, ``word(...)`` is prose unless it names an action, and so back."""
        others = {Dialect.PDDL: CALLS, Dialect.WORDS: STEP_LIKE, Dialect.VIRTUALHOME: STEP_LIKE}
        other = others.get(self.dialect, GROUPS)
        for line in self.lines:
            is_other = line.lead is not None and line.body[line.lead].kind in other
            if is_other and self.vocabulary.written(line.lead_head) is None:
                line.lead = None

    @cached_property
    def mentioned(self) -> frozenset[tuple[str, tuple[str, ...]]]:
        """Return the steps in parentheses that the text has anywhere."""
        return self._steps(piece for line in self.lines for piece in line.body if self.is_mention(piece))

    def _steps(self, found: Iterable[Piece]) -> frozenset[tuple[str, tuple[str, ...]]]:
        steps = (read_step(piece, self.vocabulary) for piece in found)
        return frozenset((step.name, step.args) for step in steps if isinstance(step, Step))

    def bare_step(self, line: TextLine) -> Step | None:
        """Return the step without parentheses that a line is."""
        start, words = line.words
        if self.vocabulary.lexicon is None or self.is_literal:
            return read_known(words, start, self.vocabulary)
        found = self.vocabulary.lexicon.sentences(words, start)
        return found[0].step if len(found) == 1 and isinstance(found[0], Said) else None

    def bare_items(self) -> dict[int, Step]:
        """Return the steps without parentheses that items of lists are among items with them, by line.

        There are none where they only say again what stands in parentheses.
        """
        led = [line for line in self.lines if line.lead is not None]
        if not all(line.is_item for line in led):
            return {}
        others = (
            (number, line)
            for number, line in enumerate(self.lines)
            if line.lead is None and line.is_item and not any(map(self.is_mention, line.body))
        )
        found = {number: step for number, line in others if (step := self.bare_step(line)) is not None}
        return found if any((step.name, step.args) not in self.mentioned for step in found.values()) else {}

    def with_plain_marks(self) -> str:
        """Return the text with a hyphen for each mark of an item that is no number, and blanks for those of logs."""
        shown = list(self.text)
        for piece in (piece for line in self.lines for piece in line.body if piece.kind in _MARKS):
            if piece.text.strip() not in ("-", "*", "+") and not piece.text[0].isdigit():
                sign = " " if piece.kind == "LOGGED" else "-"
                shown[piece.start : piece.end] = sign.ljust(len(piece.text))
        return "".join(shown)

    def all_plain(self) -> bool:
        """Return whether every line is names only, so that the text is a plan even where no name is known."""
        words = (line.words[1] for line in self.lines)
        return not claims_no_plan(self.text) and all(is_plain(said) for said in words if said.strip())


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
