"""Lines on which steps stand in parentheses, as calls or as scripts, with what may stand between and behind them."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import lru_cache

from validator.reading.lexicon import Said
from validator.reading.plan import Dialect, Ignored, Part, Step, Token, Unparsed
from validator.reading.tokens.layout import Piece
from validator.reading.tokens.notations.shape import MARKERS, Shape
from validator.reading.tokens.notations.steps import BROKEN, STEP_LIKE, head, innermost, is_prose, read_step
from validator.reading.tokens.notations.words import is_sentence
from validator.reading.tokens.plain import in_comments
from validator.reading.tokens.vocabulary import Vocabulary
from validator.texts import counted, decimal

__all__ = ["FormalLines", "read_decimal"]

_COMMENTED = re.compile(r"\(\s*([^\s()]+)(?=[\s)])")
_SIGNS = r"[\s,;.\"'`\]*&|]|-{1,9}>|={1,9}>|-{2,9}|[→⇒➜➡]"
_BETWEEN = re.compile(rf"(?:{_SIGNS}|\b(?:and|then|next|finally|(?:s|state)[_ ]?\d{{1,6}})\b)*+", re.IGNORECASE)
"""What may stand between two steps on a line: ``s0 --(unstack b a)--> s1 --(put-down b)--> s2`` has states."""

_AT_ONCE = (
    r"and|then|next|finally|lastly|now|immediately|directly|promptly|afterwards?|subsequently|thereafter|"
    r"(?:right|straight)\s?(?:away|afterwards?)|at\sonce|without\s(?:any\s)?delay|"
    r"(?:(?:right|directly|immediately|just)\s)?(?:after|followed)\s(?:that|this|by)|"
    r"(?:(?:i|we|you)\s)?(?:then\s)?(?:do|execute|perform|apply|run)(?:\sthe)?(?:\s(?:action|step))?"
)
_NEXT = re.compile(rf"(?:{_SIGNS}|\b(?:{_AT_ONCE})\b)*+", re.IGNORECASE)
"""The same in an item of steps and nothing else, where other words may make a remark of those behind the first."""

_JOINS = re.compile(
    rf"(?:{_SIGNS}|[:}}+•·–—➔⟶↦▶►-]|[=~]{{0,9}}>{{1,9}}|\b(?:{_AT_ONCE})\b)*+",
    re.IGNORECASE,
)
"""The same on such a line that is no item."""

_ORDER = re.compile(r"(\d{1,6})[.):]\s*$")
_COUNTED = re.compile(r"\s*[,;.]?\s*(?:and\s+)?\(?(\d{1,6})[.):]\s*")
"""The number of a step on a line of several."""

_UNCLEAR = re.compile(r"[^\w()<]*+(?:\b(?:or|after|before|while)\b[^\w()<]*+)?", re.IGNORECASE)
"""What leaves open how steps of such a line follow each other; one step behind "before" is a remark."""


class FormalLines:
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

    # --- a line that begins with a step ---------------------------------------------------------------

    def plan_line(self, number: int, body: Sequence[Piece], lead: int) -> None:
        """Read a line, by its number from 0, whose step begins with the piece at ``lead``."""
        time: Fraction | None = None
        outputs: tuple[str, ...] = ()
        position, is_chain = 0, False
        while position < len(body):
            piece = body[position]
            if position >= lead and (joined := self._spaced_call(body, position)) is not None:
                self.step(joined, outputs, time)
                outputs, time, position = (), None, position + 2
                continue
            if position >= lead and (piece.kind in STEP_LIKE or (piece.kind == "SCRIPT" and self.shape.scripts)):
                position = self._step_and_duration(body, position, outputs, time, is_behind=position > lead)
                outputs, time = (), None
                continue
            if piece.kind == "OUTPUTS":
                outputs = tuple(name.strip() for name in piece.text.rstrip().rstrip("=").split(","))
            elif piece.kind == "STAMP" and self.shape.is_timed:
                time = read_decimal(piece.text.rstrip().rstrip(":").rstrip())
            if not self.around(piece):
                passes = position < lead or self.shape.literal or piece.kind in MARKERS
                if not (passes or is_chain or _BETWEEN.fullmatch(piece.text)):
                    is_chain = self._is_counted(body, lead) or self._is_chain(number, body[position:])
                    if not is_chain:
                        self.rest(body[position:], is_announced=self._is_announced(number, body[position:]))
                        return
                self.ignore("space" if piece.kind == "SPACE" else "markup", piece.start, piece.end)
            position += 1

    def _spaced_call(self, body: Sequence[Piece], position: int) -> Piece | None:
        """Return ``put (a, b)`` as one CALL: a known action, then a parenthesis."""
        piece = body[position]
        if piece.kind != "TEXT" or self.vocabulary.written(piece.text.strip()) is None:
            return None
        following = body[position + 1] if position + 1 < len(body) else None
        if following is None or following.kind not in ("GROUP", "FLAT", "EMPTY"):
            return None
        inside = following.text.strip()[1:-1].rstrip().removesuffix(",")  # as Python writes a tuple of one
        if inside.count(",") not in (0, max(0, len(inside.replace(",", " ").split()) - 1)):
            return None
        return Piece("CALL", piece.text + following.text, piece.start)

    def _step_and_duration(
        self,
        body: Sequence[Piece],
        position: int,
        outputs: tuple[str, ...],
        time: Fraction | None,
        *,
        is_behind: bool,
    ) -> int:
        """Add the step at a position with the ``[duration]`` behind it; return the position after both."""
        piece = body[position]
        duration = None
        after = position + 1
        if self.shape.is_timed:
            bracket = after + (after < len(body) and body[after].kind == "SPACE")
            if bracket < len(body) and body[bracket].kind == "BRACKET":
                duration = _duration(body[bracket].text)
                after = bracket + 1
                if after < len(body) and body[after].text == ")" and not self.open_groups:
                    after += 1  # LPG-td writes one too many
        if self.shape.is_fact(piece, is_behind=is_behind) or (
            piece.kind in BROKEN and not self.shape.literal and is_prose(piece, self.vocabulary)
        ):
            self.ignore("prose", piece.start, piece.end)
            return position + 1
        if (
            piece.kind == "UNCLOSED"
            and self.shape.wrappers[piece.start]
            and self.vocabulary.written(head(piece)) is None
        ):
            self.open_groups += 1
            self.ignore("markup", piece.start, piece.end)
            return position + 1
        if piece.kind == "NESTED" and self.vocabulary.written(head(piece)) is None:
            # A wrapper such as (and (move a b) (move b c)): what is inside may be steps.
            for part in innermost(piece):
                if part.kind == "TEXT":
                    self.ignore("markup", part.start, part.end)
                else:
                    self.step(part, (), time)
            return position + 1
        if (longer := self._goes_on(body, position)) is not None:
            self.add(longer)
            return self._behind(body, position, longer.span[1])
        self.step(piece, outputs, time, duration)
        for later in body[position + 1 : after]:
            self.ignore("space" if later.kind == "SPACE" else "markup", later.start, later.end)
        return after

    def _goes_on(self, body: Sequence[Piece], position: int) -> Step | None:
        """Return the step of ``feast(d) from c``, where arguments stand in words behind the parenthesis."""
        piece, lexicon = body[position], self.vocabulary.lexicon
        if piece.kind != "CALL" or lexicon is None or not self.recognised or position + 1 == len(body):
            return None
        wanted = self.vocabulary.actions.get(self.vocabulary.action_of(head(piece)) or "", 0)
        inside = piece.text[piece.text.index("(") + 1 : -1]
        if not inside.strip() or inside.count(",") + 1 >= wanted:
            return None
        said = lexicon.sentence(self.text[piece.start : body[-1].end], piece.start)
        return said.step if isinstance(said, Said) and said.span[0] == piece.start else None

    def _behind(self, body: Sequence[Piece], position: int, end: int) -> int:
        """Pass over what is left of the piece in which a step ends; return the position behind it."""
        while position < len(body) and body[position].end <= end:
            position += 1
        if position < len(body) and body[position].start < end:
            self.ignore("prose", end, body[position].end)
            position += 1
        return position

    def _is_counted(self, body: Sequence[Piece], lead: int) -> bool:
        """Return whether the steps of a line are counted: ``1. put(a), 2. lift(b)``."""
        before = body[lead - 1 : lead] if lead and body[lead - 1].kind != "SPACE" else body[lead - 2 : lead - 1]
        between = [piece.text for piece in body[lead:] if not self.shape.is_mention(piece)]
        found = [_ORDER.search(piece.text) for piece in before] + [_COUNTED.fullmatch(text) for text in between[:-1]]
        orders = [int(match[1]) for match in found if match is not None]
        return len(orders) == len(found) > 1 and orders == list(range(orders[0], orders[0] + len(orders)))

    def _is_chain(self, number: int, body: Sequence[Piece]) -> bool:
        """Return whether the rest of a line is steps and what joins them, and nothing else."""
        named = [place for place, piece in enumerate(body) if self.shape.is_mention(piece)]
        if not named or any(sign.isalnum() for piece in body[named[-1] + 1 :] for sign in piece.text):
            return False
        if self._is_announced(number, body):
            return False
        joins = _NEXT if self.shape.is_item(self.shape.bodies[number]) else _JOINS
        return all(joins.fullmatch(piece.text) for piece in body if not self.shape.is_mention(piece))

    def _is_announced(self, number: int, body: Sequence[Piece]) -> bool:
        """Return whether the next item of a list begins with the first step that the rest of one names."""
        if not self.shape.is_item(self.shape.bodies[number]):
            return False
        named = next((piece.text.lower() for piece in body if self.shape.is_mention(piece)), None)
        for later in range(number + 1, len(self.shape.leads)):
            if (lead := self.shape.leads[later]) is not None:
                return self.shape.bodies[later][lead].text.lower() == named
        return False

    def _is_unclear(self, body: Sequence[Piece]) -> bool:
        """Return whether the rest of a line is steps of which it is not told how they follow each other."""
        named = sum(map(self.shape.is_mention, body))
        if len(body) < 2 or not self.shape.is_mention(body[1]):
            return False
        said = [piece.text for piece in body if not self.shape.is_mention(piece)]
        is_remark = named == 1 and any(word in said[0].lower() for word in ("after", "before", "while"))
        return not is_remark and all(_UNCLEAR.fullmatch(text) or _JOINS.fullmatch(text) for text in said)

    def rest(self, body: Sequence[Piece], *, is_announced: bool = False) -> None:
        """Pass over the remark behind a step; actions that it names are counted, not read.

        ``is_announced`` says that what it names is read behind it.
        """
        if not is_announced and self._is_unclear(body):
            last = max(index for index, piece in enumerate(body) if piece.kind != "SPACE")
            span = (body[1].start, body[last].end)
            self.prose(body[:1])
            self.add(Unparsed(text=self.text[slice(*span)], reason="it is not clear how this follows", span=span))
            self.prose(body[last + 1 :])
            return
        self.skipped += sum(self.shape.is_mention(piece) for piece in body)
        self.prose(body)


@lru_cache(maxsize=4096)
def read_decimal(text: str) -> Fraction:
    """Return the number that a text of digits is, exactly."""
    return Fraction(text)


def _duration(bracket: str) -> Fraction:
    """Read ``[1.5]``, or LPG's ``[D:1.5; C:0.1]``."""
    return read_decimal(bracket.strip("[] \t").removeprefix("D:").partition(";")[0].strip())
