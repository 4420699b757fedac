"""Plan texts that go line by line: PDDL, functional, code-like, plain words, VirtualHome scripts.

A line whose first words are a step (behind bullets, numbers, stamps, labels) is a line of the plan; steps in
the middle of a sentence are mentions, and are steps only when no line begins with one.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from fractions import Fraction
from functools import lru_cache

from validator.plan import Constraint, Dialect, Ignored, Part, Plan, Step, Token, Unparsed
from validator.tokens.layout import Piece, lines, pieces, regions
from validator.tokens.steps import BROKEN, CALLS, GROUPS, STEP_LIKE, head, innermost, is_named, is_prose, read_step
from validator.tokens.vocabulary import Vocabulary
from validator.tokens.words import claims_no_plan, fits, is_plain, read_words

__all__ = ["read_lines"]

_MARKERS = frozenset(
    ("SPACE", "COST", "STAMP", "LABEL", "NUMBERED", "BULLET", "BOLD", "BRACKET", "OPENS", "OUTPUTS", "FENCE", "MARK")
)
_AROUND = frozenset(("SPACE", "CLOSES", "COMMENT", "OPENS"))
_WHOLE = frozenset(("GROUP", "CALL"))
_COMPOSED = frozenset(("CALL", "BROKEN_CALL", "NESTED"))
_QUOTES = frozenset(("`", '"', "'", "[", '["', "['", "“", "‘"))
_COMMENTED = re.compile(r"\(\s*([^\s()]+)(?=[\s)])")
_BEFORE_CALL = re.compile(r";(?=\s*+(?=[\w-])[^\s()\[\]{}<>,;:=\"'`*]++\()")
_LABEL = re.compile(r"[^\n]{0,80}:[\s*_]*")
_BETWEEN = re.compile(r"(?:[\s,;.\"'`\]*&|]|->|=>|[→⇒➜]|\b(?:and|then|next|finally)\b)*", re.IGNORECASE)


def read_lines(text: str, vocabulary: Vocabulary, dialect: Dialect | None) -> Plan:
    """Read a text line by line; ``dialect`` None means that it is to be recognised."""
    reader = _Reader(text, vocabulary, dialect)
    return reader.read()


class _Reader:
    """One reading: the lines of a text, where each has its first step, and the parts found so far."""

    def __init__(self, text: str, vocabulary: Vocabulary, dialect: Dialect | None) -> None:
        self.text = text
        self.claims_no_plan = claims_no_plan(text)
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
        self.parts: list[Part] = []
        self.passed: tuple[str, int, int] | None = None
        self.warnings: list[str] = []
        self.open_groups = 0
        self.skipped = 0
        self.in_comments = 0
        self.bare = 0

    # --- what kind of text ---------------------------------------------------------------------

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
            if piece.kind in _MARKERS or piece.text in _QUOTES:
                continue
            if piece.kind != "TEXT" or labelled:
                return None
            behind = (later for later in body[index + 1 :] if later.kind not in _MARKERS and later.text not in _QUOTES)
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
        others = (body for body in self.bodies if self._assertion(body) is None)
        has_others = any(self._words_of(body)[1].strip() for body in others)
        is_code = not has_others and any(self._assertion(body) is not None for body in self.bodies)
        return Dialect.CODE if is_code else Dialect.WORDS

    def _is_code(self) -> bool:
        return any(
            piece.kind == "OUTPUTS" or (piece.kind == "BRACKET" and index < (lead or 0))
            for body, lead in zip(self.bodies, self.leads, strict=True)
            if lead is not None
            for index, piece in enumerate(body)
        ) or any(self._assertion(body) is not None for body in self.bodies)

    def _mentions(self) -> bool:
        return any(map(self._mentioned, self.bodies))

    def _mentioned(self, body: Sequence[Piece]) -> list[Piece]:
        """Return the steps that stand somewhere in a line and name an action."""
        actions = self.vocabulary.actions
        return [piece for piece in body if piece.kind in _WHOLE and head(piece) in actions]

    def _assertion(self, body: Sequence[Piece]) -> int | None:
        """Return the index of the ``assert`` that a line is, behind an index and bullets."""
        for index, piece in enumerate(body):
            if piece.kind == "ASSERT":
                return index
            if piece.kind not in _MARKERS:
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

    # --- reading -------------------------------------------------------------------------------

    def read(self) -> Plan:
        self._judge_leads()
        has_step = [lead is not None for lead in self.leads]
        counts = [True] * len(self.bodies)
        if not self.literal:
            counts, self.warnings = regions(self.bodies, has_step)
        anywhere = any(step and counted for step, counted in zip(has_step, counts, strict=True))
        plain = self._all_plain(counts) if self.dialect is Dialect.WORDS else False
        for (body, newline), lead, counted in zip(self.lines, self.leads, counts, strict=True):
            if not counted:
                self._prose(body)
            elif lead is not None:
                self._plan_line(body, lead)
            else:
                self._other_line(body, anywhere, plain)
            if newline is not None:
                self._ignore("space", newline.start, newline.end)
        self._flush()
        self._warn()
        return Plan(
            parts=tuple(self.parts),
            dialect=self.dialect,
            text=self.text,
            claims_no_plan=self.claims_no_plan,
            warnings=tuple(self.warnings),
        )

    def _judge_leads(self) -> None:
        """In a text whose steps are in parentheses, ``word(...)`` is prose unless it names an action, and so back."""
        other = (
            CALLS if self.dialect is Dialect.PDDL else GROUPS if self.dialect is not Dialect.VIRTUALHOME else STEP_LIKE
        )
        for number, (body, lead) in enumerate(zip(self.bodies, self.leads, strict=True)):
            if lead is not None and body[lead].kind in other and head(body[lead]) not in self.vocabulary.actions:
                self.leads[number] = None

    def _all_plain(self, counts: Sequence[bool]) -> bool:
        """Return whether every line is names only, so that the text is a plan even where no name is known."""
        if self.claims_no_plan:
            return False
        texts = (self._words_of(body)[1] for body, counted in zip(self.bodies, counts, strict=True) if counted)
        return all(is_plain(words) for words in texts if words.strip())

    def _warn(self) -> None:
        if self.skipped:
            self.warnings.append(f"{self.skipped} actions named in sentences are not part of the plan")
        if self.bare:
            self.warnings.append(
                f"{self.bare} steps without parentheses among steps with them are not part of the plan"
            )
        if self.in_comments:
            self.warnings.append(f"{self.in_comments} steps stand in comments and are not part of the plan")

    def _ignore(self, kind: str, start: int, end: int) -> None:
        """Pass over text; it is joined with ignored text of the same kind before it."""
        if self.passed is not None:
            if self.passed[0] == kind:
                start = self.passed[1]
            else:
                self._flush()
        self.passed = (kind, start, end)

    def _flush(self) -> None:
        if self.passed is not None:
            kind, start, end = self.passed
            self.parts.append(Ignored(kind=kind, text=self.text[start:end], span=(start, end)))
            self.passed = None

    def _add(self, token: Token) -> None:
        self._flush()
        self.parts.append(token)

    def _prose(self, body: Sequence[Piece]) -> None:
        for piece in body:
            if piece.kind == "COMMENT":
                self._comment(piece)
            else:
                kind = "space" if piece.kind == "SPACE" else "markup" if piece.kind in ("FENCE", "MARK") else "prose"
                self._ignore(kind, piece.start, piece.end)

    def _comment(self, piece: Piece) -> None:
        self.in_comments += any(name.lower() in self.vocabulary.actions for name in _COMMENTED.findall(piece.text))
        self._ignore("comment", piece.start, piece.end)

    # --- a line of the plan --------------------------------------------------------------------

    def _plan_line(self, body: Sequence[Piece], lead: int) -> None:
        time: Fraction | None = None
        outputs: tuple[str, ...] = ()
        position = 0
        while position < len(body):
            piece = body[position]
            if position >= lead and (joined := self._spaced_call(body, position)) is not None:
                self._step(joined, outputs, time)
                outputs, time, position = (), None, position + 2
                continue
            if position >= lead and (piece.kind in STEP_LIKE or (piece.kind == "SCRIPT" and self.scripts)):
                position = self._step_and_duration(body, position, outputs, time)
                outputs, time = (), None
                continue
            if piece.kind == "OUTPUTS":
                outputs = tuple(name.strip() for name in piece.text.rstrip().rstrip("=").split(","))
            elif piece.kind == "STAMP" and self.dialect is Dialect.PDDL:
                time = _decimal(piece.text.rstrip().rstrip(":").rstrip())
            if piece.kind == "CLOSES":
                self._closes(piece)
            elif piece.kind == "OPENS":
                self._opens(piece)
            elif piece.kind == "COMMENT":
                self._comment(piece)
            elif position < lead or self.literal or piece.kind in _MARKERS or _BETWEEN.fullmatch(piece.text):
                self._ignore("space" if piece.kind == "SPACE" else "markup", piece.start, piece.end)
            else:
                self._rest(body[position:])
                return
            position += 1

    def _spaced_call(self, body: Sequence[Piece], position: int) -> Piece | None:
        """Return ``put (a, b)`` as one CALL: a known action, then a parenthesis."""
        piece = body[position]
        if piece.kind != "TEXT" or piece.text.strip().lower() not in self.vocabulary.actions:
            return None
        following = body[position + 1] if position + 1 < len(body) else None
        if following is None or following.kind not in ("GROUP", "FLAT", "EMPTY"):
            return None
        words = following.text.strip()[1:-1].replace(",", " ").split()
        if following.text.count(",") not in (0, max(0, len(words) - 1)):
            return None
        return Piece("CALL", piece.text + following.text, piece.start)

    def _step_and_duration(
        self, body: Sequence[Piece], position: int, outputs: tuple[str, ...], time: Fraction | None
    ) -> int:
        """Add the step at a position with the ``[duration]`` behind it; return the position after both."""
        piece = body[position]
        duration = None
        after = position + 1
        if self.dialect is Dialect.PDDL:
            bracket = after + (after < len(body) and body[after].kind == "SPACE")
            if bracket < len(body) and body[bracket].kind == "BRACKET":
                duration = _decimal(body[bracket].text.strip("[] \t"))
                after = bracket + 1
        if piece.kind in BROKEN and not self.literal and is_prose(piece, self.vocabulary):
            self._ignore("prose", piece.start, piece.end)
            return position + 1
        if piece.kind == "UNCLOSED" and self.wrappers[piece.start] and head(piece) not in self.vocabulary.actions:
            self.open_groups += 1
            self._ignore("markup", piece.start, piece.end)
            return position + 1
        if piece.kind == "NESTED" and head(piece) not in self.vocabulary.actions:
            # A wrapper such as (and (move a b) (move b c)): what is inside may be steps.
            for part in innermost(piece):
                if part.kind == "TEXT":
                    self._ignore("markup", part.start, part.end)
                else:
                    self._step(part, (), time)
            return position + 1
        self._step(piece, outputs, time, duration)
        for later in body[position + 1 : after]:
            self._ignore("space" if later.kind == "SPACE" else "markup", later.start, later.end)
        return after

    def _step(
        self, piece: Piece, outputs: tuple[str, ...], time: Fraction | None, duration: Fraction | None = None
    ) -> None:
        token = read_step(piece, self.vocabulary)
        if isinstance(token, Step) and (outputs or time is not None or duration is not None):
            token = Step(
                name=token.name, args=token.args, outputs=outputs, time=time, duration=duration, span=token.span
            )
        self._add(token)

    def _opens(self, piece: Piece) -> None:
        """An opening parenthesis begins an enclosing list; one that is never closed says that the plan is cut off."""
        opened = piece.text.count("(")
        self.open_groups += opened
        if self.wrappers[piece.start] < opened:
            span = (piece.start, piece.end)
            self._add(Unparsed(text=piece.text, reason="'(' is never closed", span=span))
        else:
            self._ignore("markup", piece.start, piece.end)

    def _closes(self, piece: Piece) -> None:
        """A closing parenthesis ends an enclosing list, or nothing at all."""
        surplus = piece.text.count(")") - self.open_groups
        self.open_groups = max(0, -surplus)
        if surplus > 0:
            span = (piece.start, piece.end)
            self._add(Unparsed(text=piece.text, reason="')' has no '(' before it", span=span))
        else:
            self._ignore("markup", piece.start, piece.end)

    def _rest(self, body: Sequence[Piece]) -> None:
        """Pass over the remark behind a step; actions that it names are counted, not read."""
        self.skipped += len(self._mentioned(body))
        self._prose(body)

    # --- a line without a step in parentheses --------------------------------------------------

    def _other_line(self, body: Sequence[Piece], anywhere: bool, plain: bool) -> None:
        assertion = self._assertion(body)
        if assertion is not None and (self.dialect is Dialect.CODE or "$" in body[assertion].text):
            for piece in body[:assertion]:
                self._ignore("markup", piece.start, piece.end)
            self._constraint(body[assertion])
            self._prose(body[assertion + 1 :])
            return
        if _AROUND.issuperset([piece.kind for piece in body]):
            self._parentheses(body)
            return
        token = self._words(body, plain) if self.dialect is Dialect.WORDS else None
        if token is not None:
            first, last = token.span
            self._between(body, body[0].start, first)
            self._add(token)
            self._between(body, last, body[-1].end)
        elif not anywhere and (mentioned := self._mentioned(body)):
            self._mixed(body, mentioned)
        elif self.dialect is Dialect.PDDL and self._is_list_item(body):
            # Steps stand in lists: a parenthesis of known names there is a step, if a wrong one, rather than a remark.
            self._mixed(body, [piece for piece in body if is_named(piece, self.vocabulary)])
        else:
            if self.dialect is not Dialect.WORDS:  # there, what fits has been read as a step
                self.bare += fits(self._words_of(body)[1], self.vocabulary)
            self._rest(body)

    def _mixed(self, body: Sequence[Piece], steps: Sequence[Piece]) -> None:
        """Read some pieces of a sentence as steps and pass over the rest."""
        for piece in body:
            if piece in steps:
                self._step(piece, (), None)
            else:
                self._prose((piece,))

    def _is_list_item(self, body: Sequence[Piece]) -> bool:
        first = next((piece.kind for piece in body if piece.kind != "SPACE"), "")
        return first in ("NUMBERED", "BULLET") and any(is_named(piece, self.vocabulary) for piece in body)

    def _parentheses(self, body: Sequence[Piece]) -> None:
        for piece in body:
            if piece.kind == "CLOSES":
                self._closes(piece)
            elif piece.kind == "OPENS":
                self._opens(piece)
            elif piece.kind == "COMMENT":
                self._comment(piece)
            else:
                self._ignore("space", piece.start, piece.end)

    def _between(self, body: Sequence[Piece], start: int, end: int) -> None:
        """Pass over what stands around a step in words."""
        for piece in body:
            first, last = max(start, piece.start), min(end, piece.end)
            if first < last and piece.kind == "COMMENT":
                self._comment(piece)
            elif first < last:
                self._ignore("space" if self.text[first:last].isspace() else "markup", first, last)

    def _words_of(self, body: Sequence[Piece]) -> tuple[int, str]:
        """Return where the words of a line begin, behind its markers, and the words."""
        index = 0
        while index < len(body) and (body[index].kind in _MARKERS or body[index].text in _QUOTES):
            index += 1
        rest = [piece for piece in body[index:] if piece.kind not in ("COMMENT", "COST")]
        if not rest:
            return (body[0].start if body else 0), ""
        return rest[0].start, self.text[rest[0].start : rest[-1].end]

    def _words(self, body: Sequence[Piece], plain: bool) -> Step | Unparsed | None:
        start, words = self._words_of(body)
        if not words.strip():
            return None
        token = read_words(words, start, self.vocabulary) if self.vocabulary.actions else None
        if isinstance(token, Step) or not plain:
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
        self._add(Constraint(text=condition, holds=holds, span=(piece.start, end)))
        if end < piece.end:
            self._ignore("space", end, piece.end)


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


@lru_cache(maxsize=4096)
def _decimal(text: str) -> Fraction:
    return Fraction(text)
