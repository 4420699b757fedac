"""The reading of a text: the plans that it may mean, what in it was not understood, and how far that can be trusted.

Not understood is not wrong: a verdict on a plan is a statement about what its author meant, and holds only where the
reading is complete.
"""

from __future__ import annotations

from collections.abc import Iterable
from enum import StrEnum

from validator.reading.plan import Plan, Span, Step, Unparsed
from validator.records import dataclass, field

__all__ = ["Candidate", "Completeness", "Missed", "NoPlan", "Reading", "places_of"]


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
    may mean.
    """

    text: str
    reason: str
    span: Span
    line: int
    column: int
    nearest: str | None = None

    @property
    def said(self) -> str:
        """Return the piece, cut where it is long, with the reason and what it may mean."""
        shown = self.text if len(self.text) <= _LONGEST else f"{self.text[: _LONGEST - 1]}…"
        near = f" (did you mean '{self.nearest}'?)" if self.nearest else ""
        return f"{shown!r}: {self.reason}{near}"

    def __str__(self) -> str:
        return f"line {self.line}:{self.column}: {self.said}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """One plan that a text may mean.

    ``said`` tells where it stands (``the whole text``, ``under 'Final plan'``); ``is_marked`` whether the author
    marked it as the answer. ``missed`` are the pieces in its part of the text that were not understood, ``mentions``
    steps that are named there and were taken for remarks, ``remarks`` steps of it that are no action's and stand beside
    one that is.
    """

    plan: Plan
    said: str = "the whole text"
    is_marked: bool = False
    missed: tuple[Missed, ...] = ()
    mentions: tuple[Step, ...] = ()
    remarks: tuple[Step, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """What was read: at least one candidate, the likeliest first.

    ``no_plan`` is None where there are steps, or where the text is empty. ``passed_over`` says in words what was left
    out on purpose: thoughts, drafts, what a planner prints around its plan. ``is_literal`` says that a dialect was
    asked for, or that everything had to be understood: then what is no step is a fault of the plan. ``translated_by``
    names the translator whose steps these are, where the rules did not understand the text.
    """

    candidates: tuple[Candidate, ...]
    no_plan: NoPlan | None = None
    passed_over: tuple[str, ...] = field(default=())
    is_literal: bool = False
    translated_by: str = ""

    @property
    def plan(self) -> Plan:
        """Return the likeliest plan."""
        return self.candidates[0].plan

    @property
    def missed(self) -> tuple[Missed, ...]:
        """Return what was not understood of the likeliest plan."""
        return self.candidates[0].missed

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


def places_of(text: str, pieces: Iterable[Unparsed]) -> list[Missed]:
    """Return pieces of a text in its order, each with its line and column, in one pass over it."""
    found: list[Missed] = []
    line, counted = 1, 0
    for piece in sorted(pieces, key=lambda piece: piece.span):
        start = piece.span[0]
        line += text.count("\n", counted, start)
        counted = start
        column = start - text.rfind("\n", 0, start)
        found.append(
            Missed(
                text=str(piece), reason=piece.reason, span=piece.span, line=line, column=column, nearest=piece.nearest
            )
        )
    return found
