"""Plan texts that go line by line: PDDL, functional, code-like, plain words, VirtualHome scripts.

A line whose first words are a step (behind bullets, numbers, stamps, labels) is a line of the plan; steps in
the middle of a sentence are mentions, and are steps only when no line begins with one.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from fractions import Fraction
from functools import lru_cache
from itertools import chain

from validator.reading.calls.objects import DECIMAL
from validator.reading.lexicon import Said
from validator.reading.lexicon.english import JOINTS
from validator.reading.plan import Constraint, Dialect, Ignored, Part, Plan, Span, Step, Unparsed
from validator.reading.tokens.layout import Piece
from validator.reading.tokens.notations.sentences import is_plain, read_words, told_plan
from validator.reading.tokens.notations.shape import MARKERS, Shape, TextLine
from validator.reading.tokens.notations.steps import STEP_LIKE, head, innermost, read_step
from validator.reading.tokens.phrases import claims_no_plan
from validator.reading.tokens.plain import in_comments, is_commented
from validator.reading.tokens.vocabulary import Vocabulary
from validator.records import replace
from validator.texts import counted, decimal

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
_JOINT = re.compile(
    rf"(?:[\s,;.\"'`\]*&|:}}+•·–—➔⟶↦▶►→⇒➜➡-]|[=~]{{0,9}}>{{1,9}}|(?<!\w)\(?\d{{1,6}}[.):]|"
    rf"\b(?:{'|'.join(sorted(JOINTS))}|(?:s|state)[_ ]?\d{{1,6}})\b)*+",
    re.IGNORECASE,
)
"""What may stand between two steps on a line: ``s0 --(unstack b a)--> s1 --(put-down b)--> s2`` has states."""

_UNCLEAR = re.compile(r"[^\w()<]*+(?:\b(?:or|after|before|while)\b[^\w()<]*+)?", re.IGNORECASE)
"""What leaves open how steps of such a line follow each other; one step behind "before" is a remark."""


_CLOSING = frozenset(("`", "]", "}", '"', "'", "”", "’", ".", ",", "!"))
"""what may close a line behind its step"""

_FEW_WORDS = 3
"""words before a step that number or announce it"""

_WRAPPER = re.compile(
    r":.*|.*\d.*|and|seq|sequence|sequential|plan|steps?|actions?|list|par|parallel|do|then|progn|begin|operator|execute|apply|perform|quote"
)
"""the first name of a parenthesis around steps, which says nothing of them"""

_DURATION = re.compile(
    r"(?<![\w-])\d(?![\d.]*+\s*+:)|\b(?:duration|lasts|lasting|takes|taking|until|seconds?|minutes?|hours?)\b",
    re.IGNORECASE,
)
"""What may tell how long the step before it takes; a number with a colon is the stamp of the next one."""
_SAYS_DURATION = re.compile(
    r"(?=[^\n]*\d)[\W\d]*+(?:dur(?:ation)?|length|lasts|takes|until|(?:end|finish|complete|stop)(?:p?e?[ds])?|done)\b",
    re.IGNORECASE,
)
"""A line that may tell how long the step before it takes, or when it ends."""
_MAY_BE_DURATION = "it may say how long the step beside it takes"

_KINDS = {
    **dict.fromkeys(("SPACE", "NEWLINE"), "space"),
    "COMMENT": "comment",
    **dict.fromkeys(("FENCE", "MARK"), "markup"),
}
"""what a piece without a step is, wherever it stands"""


def read_lines(text: str, vocabulary: Vocabulary, dialect: Dialect | None, hint: Dialect | None = None) -> Plan:
    """Read a text line by line; ``dialect`` None means that it is to be recognised, or known from the whole text."""
    reader = _Reader(text, vocabulary, dialect, hint)
    lexicon = vocabulary.lexicon
    if lexicon is None or dialect is not None or reader.shape.dialect is not Dialect.WORDS:
        return reader.read()
    return told_plan(text, reader.shape.with_plain_marks(), lexicon) or reader.read()


class _Reader:
    """A reading under way: the shape of a text, what was found so far, and what is to be warned of."""

    def __init__(self, text: str, vocabulary: Vocabulary, dialect: Dialect | None, hint: Dialect | None) -> None:
        self.text = text
        self.vocabulary = vocabulary
        self.recognised = dialect is None
        self.shape = Shape(text, vocabulary, dialect, hint)
        self.found: list[Part] = []
        self.warnings: list[str] = []
        self.open_groups = 0
        self.skipped = 0
        self.bare = 0
        self.waits: list[Fraction] = []

    def read(self) -> Plan:
        anywhere = any(line.lead is not None for line in self.shape.lines)
        plain = self.shape.all_plain() if self.shape.dialect is Dialect.WORDS else False
        bare = {} if self.shape.literal or not anywhere else self.shape.bare_items()
        may_wait = self.recognised and _MAY_WAIT.search(self.text) is not None
        for number, line in enumerate(self.shape.lines):
            body, lead = line.body, line.lead
            waits = _WAITS.fullmatch(self.text, body[0].start, body[-1].end) if body and may_wait else None
            if waits is not None:
                self.waits.append(_decimal(waits["until"] or waits["end"] or waits["time"]))
                span = (body[0].start, body[-1].end)
                self.found.append(Ignored(kind="markup", text=self.text[slice(*span)], span=span))
            elif lead is not None and isinstance(other := self._bracketed(body[:lead], line), Unparsed):
                self.found.append(other)
            elif lead is not None:
                first = len(self.found)
                self.plan_line(number, lead)
                if self.vocabulary.has_time:
                    self._tell_durations(first, body, lead)
            elif number in bare:
                self.found.append(bare[number])
            else:
                self._other_line(number, anywhere, plain)
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

    def _other_line(self, number: int, anywhere: bool, plain: bool) -> None:
        line = self.shape.lines[number]
        body, assertion = line.body, line.assertion
        if self.vocabulary.has_time and self.found and body and _SAYS_DURATION.match(self.text, body[0].start):
            self.unread((body[0].start, body[-1].end), _MAY_BE_DURATION)
            return
        if assertion is not None and (self.shape.dialect is Dialect.CODE or "$" in assertion.text):
            self._constraint(assertion)
            return
        if _AROUND.issuperset([piece.kind for piece in body]):
            for piece in body:
                self.around(piece)
            return
        token = self._words(line, plain) if self.shape.dialect is Dialect.WORDS else None
        if token is not None:
            self.found.append(token)
        elif (other := self._bracketed(body, line)) is not None and not (anywhere and isinstance(other, Step)):
            self.found.append(other)
        elif anywhere and (alone := self._alone(body)) is not None:
            self.unread((alone.start, alone.end), "it may be a step that is written otherwise than the others")
        elif not anywhere and any(map(self.shape.is_mention, body)):
            for piece in filter(self.shape.is_mention, body):
                self.step(piece)
        else:
            step = None if self.shape.dialect is Dialect.WORDS else self.shape.bare_step(line)  # there it was read
            if step is not None and not anywhere and (step.name, step.args) not in self.shape.mentioned:
                self.unread(step.span, "it may be a step, beside those in parentheses, or only speak of one")
                return
            self.bare += step is not None
            if (last := self._last_step(number)) is not None:
                self.unread((last.start, last.end), "it may be a step, or only speak of one")
                return
            self.rest(body)

    def _alone(self, body: Sequence[Piece]) -> Piece | None:
        """Return the call, or the names in parentheses, that a line is by itself, and that is no fact or remark."""
        said = [piece for piece in body if piece.kind not in MARKERS and piece.text.strip() not in _CLOSING]
        if len(said) != 1 or said[0].kind not in ("GROUP", "CALL") or self.shape.is_aside(said[0]):
            return None
        return said[0] if said[0].kind == "CALL" or is_plain(said[0].text[1:-1]) else None

    def _last_step(self, number: int) -> Piece | None:
        """Return what ends a line of prose, names an action, and may be a step of the lines beside it.

        A sentence behind steps only speaks of one, and so does a line beside one that says more of the same step.
        """
        body = self.shape.lines[number].body
        behind = (piece for piece in reversed(body) if piece.kind not in MARKERS and piece.text.strip() not in _CLOSING)
        last = next(behind, None)
        if last is None or not self.shape.is_mention(last):
            return None
        has_few_words = len(self.text[body[0].start : last.start].split()) <= _FEW_WORDS
        around = self.shape.lines[max(0, number - 1) : number + 2]
        beside = [line.body[line.lead :] for line in around if line.lead is not None]
        says_more = any(led[0].text == last.text and any(piece.kind == "TEXT" for piece in led) for led in beside)
        is_before = around[-1].lead is not None
        return last if not says_more and (is_before or (beside and has_few_words)) else None

    def _bracketed(self, before: Sequence[Piece], line: TextLine) -> Step | Unparsed | None:
        """Return the step in parentheses behind a sentence, of which some pieces of a line are a part.

        It is unclear where the sentence tells another.
        """
        lexicon = self.vocabulary.lexicon
        said = "".join(piece.text for piece in before if piece.kind == "TEXT")
        if lexicon is None or not self.recognised or not any(map(str.isalpha, said)):
            return None
        start, words = line.words
        behind = lexicon.clause_reader.sentence_reader.beside_notation(words)
        if behind is None:
            return None
        span = (start + behind.span[0], start + behind.span[1])
        if behind.exact:
            return replace(behind.exact[0], span=span)
        return Unparsed.at(self.text, span, behind.reason, next(iter(behind.actions), None))

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
        if self.vocabulary.written(words.partition("(")[0]) is not None:  # ``assert load(a, b)`` does it in a program
            self.unread((piece.start, piece.end), "it may be a step, or only speak of one")
            return
        holds = not re.match(r"not\s", words)
        condition = words if holds else words.split(None, 1)[1]
        end = piece.start + len(piece.text.rstrip())
        self.found.append(Constraint(text=condition, holds=holds, span=(piece.start, end)))

    def step(
        self,
        piece: Piece,
        outputs: tuple[str, ...] = (),
        time: Fraction | None = None,
        duration: Fraction | None = None,
    ) -> None:
        """Add the step that a piece is."""
        token = read_step(piece, self.vocabulary, literal=not self.recognised)
        if isinstance(token, Step) and (outputs or time is not None or duration is not None):
            duration = token.duration if duration is None else duration
            token = replace(token, outputs=outputs, time=time, duration=duration)
        self.found.append(token)

    def unread(self, span: Span, reason: str, nearest: str | None = None) -> None:
        """Add what was not understood."""
        self.found.append(Unparsed.at(self.text, span, reason, nearest))

    def around(self, piece: Piece) -> bool:
        """Take a piece that stands around steps: a comment, or an end of a list, which needs its other end."""
        if piece.kind == "OPENS":
            opened = piece.text.count("(")
            self.open_groups += opened
            if self.shape.wrappers[piece.start] < opened:
                self.unread((piece.start, piece.end), "'(' is never closed")
        elif piece.kind == "CLOSES":
            surplus = piece.text.count(")") - self.open_groups
            self.open_groups = max(0, -surplus)
            if surplus > 0:
                self.unread((piece.start, piece.end), "')' has no '(' before it")
        return piece.kind in ("OPENS", "CLOSES", "COMMENT")

    def without_events(self) -> None:
        """Pass over the events of the model that ENHSP prints among the steps: they happen by themselves."""
        steps = [part for part in self.found if not (isinstance(part, Step) and part.name in self.vocabulary.events)]
        if happened := len(self.found) - len(steps):
            events = counted(happened, "event that happens by itself is", "events that happen by themselves are")
            self.warnings.append(f"{events} not part of the plan")
            kept = {part.span for part in steps}
            self.found = [
                part if part.span in kept else Ignored(kind="markup", text=self.text[slice(*part.span)], span=part.span)
                for part in self.found
            ]

    def parts(self) -> tuple[Part, ...]:
        """Return what was found and what was passed over between, joined where it is of one kind."""
        pieces = chain.from_iterable((*line.body, *((line.end,) if line.end else ())) for line in self.shape.lines)
        parts: list[Part] = []
        piece = next(pieces, None)
        place = commented = 0
        for part in (*self.found, None):
            stop = len(self.text) if part is None else part.span[0]
            while piece is not None and (piece.start < stop or piece.end <= place):
                first, last = max(place, piece.start), min(stop, piece.end)
                if first < last:
                    kind = self._kind(piece, self.text[first:last])
                    commented += kind == "comment" and is_commented(piece.text, self.vocabulary)
                    before = parts[-1] if parts else None
                    if isinstance(before, Ignored) and before.kind == kind:
                        first = parts.pop().span[0]
                    parts.append(Ignored(kind=kind, text=self.text[first:last], span=(first, last)))
                if piece.end > stop:
                    break
                piece = next(pieces, None)
            if part is not None:
                parts.append(part)
                place = part.span[1]
        if commented:
            self.warnings.append(in_comments(commented))
        return tuple(parts)

    def _kind(self, piece: Piece, text: str) -> str:
        kind = "space" if text.isspace() else _KINDS.get(piece.kind)
        is_markup = self.found and (piece.kind in MARKERS or piece.kind == "CLOSES" or not any(map(str.isalnum, text)))
        return kind or ("markup" if is_markup else "prose")

    def warn(self) -> None:
        """Put what was passed over in words."""
        if self.skipped:
            named = counted(self.skipped, "action named in a sentence is", "actions named in sentences are")
            self.warnings.append(f"{named} not part of the plan")
        if self.bare:
            among = "without parentheses among steps with them"
            bare = counted(self.bare, f"step {among} is", f"steps {among} are")
            self.warnings.append(f"{bare} not part of the plan")
        if self.waits:
            until = f"of waiting, until {decimal(max(self.waits))},"
            waits = counted(len(self.waits), f"line {until} is", f"lines {until} are")
            self.warnings.append(f"{waits} not part of the plan")

    # --- a line that begins with a step ---------------------------------------------------------------

    def plan_line(self, number: int, lead: int) -> None:
        """Read a line, by its number from 0, whose step begins with the piece at ``lead``."""
        body = self.shape.lines[number].body
        time: Fraction | None = None
        outputs: tuple[str, ...] = ()
        position = 0
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
                time = _decimal(piece.text.strip(" \t:st="))
            if not self.around(piece):
                passes = position < lead or self.shape.literal or piece.kind in MARKERS
                is_announced = not passes and self._is_announced(number, body[position:])
                if is_announced or not (passes or _JOINT.fullmatch(piece.text)):
                    self.rest(body[position:], is_announced=is_announced)
                    return
            position += 1

    def _tell_durations(self, first: int, body: Sequence[Piece], lead: int) -> None:
        """Add what stands beside steps of a line, from a place of what was found on, and may be their durations."""
        parts, self.found = self.found[first:], self.found[:first]
        ends = [*(part.span[0] for part in parts[1:]), body[-1].end]
        bracket = next((piece for piece in body[:lead] if piece.kind == "BRACKET"), None)
        if bracket is not None and any(isinstance(part, Step) and part.duration is None for part in parts):
            self.unread((bracket.start, bracket.end), _MAY_BE_DURATION)
        for part, end in zip(parts, ends, strict=False):
            self.found.append(part)
            start = part.span[1]
            rest, _, comment = self.text[start:end].partition(";")
            if not isinstance(part, Step):
                continue
            said = None if part.duration is not None else _DURATION.search(self.text, start, start + len(rest))
            is_same = any(part.duration == _decimal(number) for number in DECIMAL.findall(comment))
            if said is None and not is_same:
                said = _SAYS_DURATION.match(self.text, end - len(comment), end)
            if said is not None:
                self.unread(said.span(), _MAY_BE_DURATION)

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
        if self.shape.is_aside(piece, is_behind=is_behind):
            return position + 1
        if (
            piece.kind == "UNCLOSED"
            and self.shape.wrappers[piece.start]
            and self.vocabulary.written(head(piece)) is None
        ):
            self.open_groups += 1
            return position + 1
        if piece.kind == "NESTED" and _WRAPPER.fullmatch(head(piece)):
            # A wrapper such as (and (move a b) (move b c)): what is inside may be steps.
            for part in innermost(piece):
                if part.kind != "TEXT":
                    self.step(part, (), time)
            return position + 1
        if (longer := self._longer(body, position)) is not None:
            self.found.append(longer)
            return next((place for place, later in enumerate(body) if later.start >= longer.span[1]), len(body))
        self.step(piece, outputs, time, duration)
        return after

    def _longer(self, body: Sequence[Piece], position: int) -> Step | None:
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

    def _is_announced(self, number: int, body: Sequence[Piece]) -> bool:
        """Return whether the next item of a list begins with the first step that the rest of one names."""
        if not self.shape.lines[number].is_item:
            return False
        named = next((piece.text.lower() for piece in body if self.shape.is_mention(piece)), None)
        later = (line for line in self.shape.lines[number + 1 :] if line.lead is not None)
        following = next(later, None)
        return following is not None and following.body[following.lead or 0].text.lower() == named

    def _is_unclear(self, body: Sequence[Piece]) -> bool:
        """Return whether the rest of a line is steps of which it is not told how they follow each other."""
        named = sum(map(self.shape.is_mention, body))
        if len(body) < 2 or not self.shape.is_mention(body[1]):
            return False
        said = [piece.text for piece in body if not self.shape.is_mention(piece)]
        is_remark = named == 1 and any(word in said[0].lower() for word in ("after", "before", "while"))
        return not is_remark and all(_UNCLEAR.fullmatch(text) or _JOINT.fullmatch(text) for text in said)

    def rest(self, body: Sequence[Piece], *, is_announced: bool = False) -> None:
        """Pass over the remark behind a step; actions that it names are counted, not read.

        ``is_announced`` says that what it names is read behind it.
        """
        if not is_announced and self._is_unclear(body):
            last = max(index for index, piece in enumerate(body) if piece.kind != "SPACE")
            self.unread((body[1].start, body[last].end), "it is not clear how this follows")
            return
        self.skipped += sum(self.shape.is_mention(piece) for piece in body)


@lru_cache(maxsize=4096)
def _decimal(text: str) -> Fraction:
    """Return the number that a text of digits is, exactly."""
    return Fraction(text)


def _duration(bracket: str) -> Fraction:
    """Read ``[1.5]``, or LPG's ``[D:1.5; C:0.1]``."""
    return _decimal(bracket.strip("[] \t").removeprefix("D:").partition(";")[0].strip(" \ts"))
