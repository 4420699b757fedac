"""The values that a plan text is read into: its plan, what stands in it, and the reading: how far it was understood.

A reading holds the plans that a text may mean, and a plan the reading that it is of. Not understood is not wrong: a
verdict on a plan is a statement about what its author meant, and holds only where the reading is complete.
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum
from fractions import Fraction
from itertools import pairwise
from typing import TYPE_CHECKING, TypeAlias

from validator.errors import Choice
from validator.records import cached_property, dataclass, field
from validator.texts import Span, decimal, shortened

if TYPE_CHECKING:
    from validator.reading.arguments import Arguments

__all__ = [
    "LEFT_OUT",
    "Candidate",
    "Completeness",
    "Constraint",
    "Dialect",
    "Ignored",
    "Missed",
    "NoPlan",
    "Part",
    "Plan",
    "Reading",
    "Span",
    "Step",
    "Token",
    "Unparsed",
    "bare",
    "is_reading_note",
    "reading_note",
    "tiled",
]


_NOWHERE: Span = (0, 0)

MAX_STEPS = 100_000
"""A plan may have this many steps."""
LEFT_OUT = "?"
"""stands for an argument that a text does not say"""


class Dialect(Choice):
    """How a plan text writes its steps."""

    PDDL = "pddl"
    """``(pick-up a)``, with or without time stamps ``0.5:`` and durations ``[1.0]``"""
    FUNCTIONAL = "functional"
    """``pick-up(a)``"""
    CODE = "code"
    """``[0] y = f(x)``, ``assert not $a > 10``"""
    WORDS = "words"
    """``pick-up a``, one step a line; FF's ``step 0: PICK-UP A``"""
    VIRTUALHOME = "virtualhome"
    """``[WALK] <couch> (352)``"""
    EAI_OBJECT = "eai-object"
    """``{"WALK": ["couch", "352"], ...}``, keys repeated and in order"""
    EAI_LIST = "eai-list"
    """``[{"action": "LEFT_GRASP", "object": "candle_0"}]``"""
    JSON = "json"
    """steps as values: JSON, Python's lists and tuples, YAML, tables and tags with attributes"""
    SETS = "sets"
    """``a1, {a2, a3}, a4``: names, and sets of concurrent ones"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """One action of a plan.

    ``time`` and ``duration`` are the stamp and ``[duration]`` of the text; steps with equal times, or with
    the same ``concurrent`` number, happen at once. ``outputs`` are the names on the left of a code-like
    ``y = f(x)``. ``written`` are the arguments as they were written, with names and types, where the notation tells
    them; ``args`` are what they mean. Neither it nor the span takes part in comparisons.
    """

    name: str
    args: tuple[str, ...] = ()
    outputs: tuple[str, ...] = ()
    time: Fraction | None = None
    duration: Fraction | None = None
    concurrent: int | None = None
    span: Span = field(default=_NOWHERE, compare=False)
    written: Arguments | None = field(default=None, compare=False, repr=False)

    def __hash__(self) -> int:
        return hash((self.name, self.args))  # what else is compared seldom tells two steps apart

    def __str__(self) -> str:
        return f"({' '.join((self.name, *self.args))})"


@dataclass(frozen=True, slots=True, kw_only=True)
class TimedStep(Step):
    """A step that is printed with its time and duration, as in repaired plans over time."""

    @classmethod
    def of(cls, step: Step) -> TimedStep:
        return cls(name=step.name, args=step.args, time=step.time, duration=step.duration)

    def __str__(self) -> str:
        shown = f"({' '.join((self.name, *self.args))})"
        stamp = "" if self.time is None else f"{decimal(self.time)}: "
        return f"{stamp}{shown}" if self.duration is None else f"{stamp}{shown} [{decimal(self.duration)}]"


@dataclass(frozen=True, slots=True, kw_only=True)
class Constraint:
    """``assert TEXT`` or ``assert not TEXT``."""

    text: str
    holds: bool = True
    span: Span = field(default=_NOWHERE, compare=False)

    def __str__(self) -> str:
        return f"assert {self.text}" if self.holds else f"assert not {self.text}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Unparsed:
    """A piece of the text that stands where a step should and cannot be read as one.

    ``reading`` is the step that it would be if its punctuation belonged to the names; such a piece takes
    the place of a step, any other stands between steps. ``is_of_structure`` says that not its words were not
    understood, but how it stands among the steps: it branches, repeats them, counts them backwards, takes one back.
    """

    text: str
    reason: str
    nearest: str | None = None
    reading: Step | None = None
    is_of_structure: bool = False
    span: Span = field(default=_NOWHERE, compare=False)

    @classmethod
    def at(
        cls, text: str, span: Span, reason: str, nearest: str | None = None, *, is_of_structure: bool = False
    ) -> Unparsed:
        """Return the piece of a text at a place."""
        piece = text[slice(*span)]
        return cls(text=piece, reason=reason, nearest=nearest, is_of_structure=is_of_structure, span=span)

    def __str__(self) -> str:
        return " ".join(self.text.split())


@dataclass(frozen=True, slots=True, kw_only=True)
class Ignored:
    """Text that is not part of the plan: ``kind`` is space, comment, prose or markup."""

    kind: str
    text: str
    span: Span = field(default=_NOWHERE, compare=False)


Token: TypeAlias = Step | Constraint | Unparsed
Part: TypeAlias = Token | Ignored


@dataclass(frozen=True, kw_only=True)
class Plan:
    """A plan as it was read.

    ``parts`` tile the text: their spans, in order, cover every character once. ``claims_no_plan`` is the
    span of a sentence such as "no plan exists". ``end`` is the time until which the text says that the plan waits, in
    lines such as ``5.0: @PlanEND``. Warnings tell what was passed over on purpose. ``reading`` is how
    the text was understood, with this as the likeliest plan; None for a plan that was not read from a text.
    """

    parts: tuple[Part, ...]
    dialect: Dialect = Dialect.PDDL
    text: str = field(default="", compare=False)
    claims_no_plan: Span | None = field(default=None, compare=False)
    end: Fraction | None = None
    warnings: tuple[str, ...] = field(default=(), compare=False)
    reading: Reading | None = field(default=None, compare=False, repr=False)

    @cached_property
    def tokens(self) -> tuple[Token, ...]:
        """Return what takes a place in the plan, in the order of execution.

        That is the order of the text, except that stamped steps are in order of time.
        """
        found = [part for part in self.parts if not isinstance(part, Ignored)]
        if [token for token in found if isinstance(token, Step) and token.time is not None]:
            found = _in_time(found)
        return tuple(found)

    @cached_property
    def steps(self) -> tuple[Step, ...]:
        return tuple(token for token in self.tokens if isinstance(token, Step))

    @cached_property
    def ignored(self) -> frozenset[str]:
        """Return the kinds of what is passed over."""
        return frozenset([part.kind for part in self.parts if isinstance(part, Ignored)])

    @cached_property
    def places(self) -> Sequence[int]:
        """Return for each token the index of its step, from 0; pieces between steps have that of the next one."""
        if Unparsed not in map(type, self.tokens):
            return range(len(self.tokens))
        found, place = [], 0
        for token in self.tokens:
            found.append(place)
            place += not isinstance(token, Unparsed) or token.reading is not None
        return tuple(found)

    @cached_property
    def unread(self) -> tuple[Unparsed, ...]:
        """Return the prose of a text without any token as what could not be read."""
        prose = (part for part in self.parts if isinstance(part, Ignored) and part.kind == "prose")
        return tuple(Unparsed(text=part.text, reason="no step could be read", span=part.span) for part in prose)

    @property
    def is_unreadable(self) -> bool:
        """Return whether there is a text, and nothing in it is a step: never the empty plan."""
        if any(not isinstance(token, Unparsed) or token.reading is not None for token in self.tokens):
            return False
        return bool(self.tokens or self.unread)


# --- how it was understood ------------------------------------------------------------------------

_LONGEST = 200
"""characters of a piece that are shown in a sentence"""


class Completeness(StrEnum):
    """How much of what can be about a step was read as one."""

    COMPLETE = "complete"
    """all of it, so that the faults of the steps are the plan's own"""
    PARTIAL = "partial"
    """some of it: at least one piece looks like a step and was not understood"""
    NONE = "none"
    """nothing: no step was found"""


class NoPlan(StrEnum):
    """What a text without any step says."""

    CLAIM = "claim"
    """that there is no plan"""
    GIVEN_UP = "given up"
    """that its author, a planner or a language model, has none to give"""
    OTHER = "other"
    """something else, or what was not understood"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Missed:
    """A piece that looks like a step and was not understood.

    ``span`` is in characters of the text, ``line`` and ``column`` count from 1; ``nearest`` is a name or a step that it
    may mean; ``is_of_structure`` as in ``Unparsed``.
    """

    text: str
    reason: str
    span: Span
    line: int
    column: int
    nearest: str | None = None
    is_of_structure: bool = False

    @property
    def said(self) -> str:
        """Return the piece, cut where it is long, with the reason and what it may mean."""
        near = f" (did you mean '{self.nearest}'?)" if self.nearest else ""
        return f"{shortened(self.text, _LONGEST)!r}: {self.reason}{near}"

    def __str__(self) -> str:
        return f"line {self.line}:{self.column}: {self.said}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """One plan that a text may mean.

    ``said`` tells where it stands (``the whole text``, ``under 'Final plan'``); ``is_marked`` whether the author
    marked it as the answer. ``missed`` are the pieces in its part of the text that were not understood, ``doubts`` say
    why it may be another plan than it seems: steps that only prose names, or that may be remarks. ``is_joined`` says
    that it is several stretches in a row, each of which is a candidate too. ``place`` is where the author marked that
    the plan stands, as in tags. ``cut_off`` is the doubt that the text ends within a step, if there is one.
    """

    plan: Plan
    said: str = "the whole text"
    is_marked: bool = False
    is_joined: bool = False
    place: Span | None = None
    missed: tuple[Missed, ...] = ()
    doubts: tuple[str, ...] = ()
    cut_off: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """What was read: at least one candidate, the likeliest first.

    ``no_plan`` is None where there are steps, or where the text is empty. ``passed_over`` says in words what was left
    out on purpose: thoughts, drafts, what a planner prints around its plan. ``is_literal`` says that a dialect was
    asked for, or that everything had to be understood: then what is no step is a fault of the plan.
    """

    candidates: tuple[Candidate, ...]
    no_plan: NoPlan | None = None
    passed_over: tuple[str, ...] = field(default=())
    is_literal: bool = False
    is_of_flow: bool = False
    """whether its steps are lines of a flow, which have one notation"""
    visible: str = ""
    """the text with blanks for what was passed over, where the rest may tell the plan in words"""
    open: str = ""
    """of a transcript, ``visible`` with the lines without a label that may be steps or go on with what somebody says"""

    @property
    def plan(self) -> Plan:
        """Return the likeliest plan."""
        return self.candidates[0].plan

    @property
    def missed(self) -> tuple[Missed, ...]:
        """Return what was not understood of the likeliest plan."""
        return self.candidates[0].missed

    @property
    def is_whole(self) -> bool:
        """Return whether nothing was passed over, or what is left is no transcript and tells the plan by itself."""
        return not self.passed_over or bool(self.visible)

    @property
    def completeness(self) -> Completeness:
        if self.is_literal:
            return Completeness.COMPLETE
        if self.no_plan is not None:
            return Completeness.NONE
        return Completeness.PARTIAL if self.missed else Completeness.COMPLETE

    @property
    def is_clear(self) -> bool:
        """Return whether the text says one plan, or that there is none, and all of it was understood."""
        if self.no_plan is not None:
            return self.no_plan is not NoPlan.OTHER
        is_one = len(self.candidates) == 1 or any(candidate.is_marked for candidate in self.candidates)
        return is_one and self.completeness is Completeness.COMPLETE

    @classmethod
    def understood(cls, plan: Plan) -> Reading:
        """Return the reading of a text whose one plan is understood."""
        return cls(candidates=(Candidate(plan=plan),))

    @classmethod
    def of(cls, plan: Plan) -> Reading:
        """Return the reading of a plan that was not read from a text by this package, or is to be taken literally."""
        return cls(candidates=(Candidate(plan=plan),), is_literal=True)


# --- steps ----------------------------------------------------------------------------------------


def bare(step: Step) -> Step:
    """Return a step without what its text said of times and outputs."""
    if (
        type(step) is Step
        and step.time is None
        and step.duration is None
        and step.concurrent is None
        and not step.outputs
    ):
        return step
    return Step(name=step.name, args=step.args)


_READ_AS = " was read as ("


def reading_note(line: int, words: str, step: Step, why: str) -> str:
    """Return the note on a step of which the words of its line do not say all."""
    return f"line {line}: {words!r:.80}{_READ_AS}{str(step)[1:]}: {why}"


def is_reading_note(warning: str) -> bool:
    """Return whether a warning of a plan is such a note: another reading of its text has others."""
    return warning.startswith("line ") and _READ_AS in warning


def tiled(text: str, parts: Sequence[Part], kind: str = "markup") -> tuple[Part, ...]:
    """Put ignored text of a kind between parts, so that they tile the text; parts may have one stretch in common."""
    result: list[Part] = []
    place = 0
    for part in (*parts, None):
        start = len(text) if part is None else part.span[0]
        if place < start:
            between = text[place:start]
            result.append(Ignored(kind="space" if between.isspace() else kind, text=between, span=(place, start)))
        if part is not None:
            result.append(part)
            place = max(place, part.span[1])
    return tuple(result)


def _in_time(tokens: list[Token]) -> list[Token]:
    """Sort stamped steps by time; a token without a stamp stays behind the one before it."""
    keyed: list[tuple[Fraction, Token]] = []
    now: Fraction | None = None
    for token in tokens:
        if isinstance(token, Step) and token.time is not None:
            now = token.time
        keyed.append((now if now is not None else Fraction(-1), token))
    if all(earlier[0] <= later[0] for earlier, later in pairwise(keyed)):
        return tokens
    return [token for _, token in sorted(keyed, key=lambda pair: pair[0])]
