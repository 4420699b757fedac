"""Formulas about the calls before a call, and which calls they look at.

They are a past-only fragment of metric first-order temporal logic (Basin, Klaedtke, Müller and Zalinescu 2015,
"Monitoring metric first-order temporal properties").
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import TypeAlias

from validator.policies.conditions import Pattern
from validator.policies.events import UNKNOWN, Event, History, Occurrence, Phase

__all__ = [
    "Aggregate",
    "Called",
    "Compare",
    "Conjunction",
    "Exists",
    "Formerly",
    "Formula",
    "Kind",
    "Negation",
    "Previous",
    "Reach",
    "Since",
    "Timepoint",
    "Variable",
    "calls_in",
]


@dataclass(frozen=True, slots=True)
class Variable:
    """A value that a formula binds."""

    name: str


class Kind(StrEnum):
    """What an aggregate does with its rows."""

    COUNT = "count"
    SUM = "sum"


@dataclass(frozen=True, slots=True)
class Aggregate:
    """The number of different values of some variables under which a formula holds, or the sum of one of them."""

    kind: Kind
    domain: tuple[str, ...]
    body: Formula
    column: str = ""


@dataclass(frozen=True, slots=True)
class Called:
    """A call at this place. A value of its comparisons may be a variable, or an argument of the call now decided."""

    pattern: Pattern
    phase: Phase = Phase.CALL


@dataclass(frozen=True, slots=True)
class Compare:
    """Two terms compared; ``=`` with one variable that is not bound binds it."""

    left: object
    operator: str
    right: object


@dataclass(frozen=True, slots=True)
class Timepoint:
    """Binds a variable to this place."""

    variable: str


@dataclass(frozen=True, slots=True)
class Conjunction:
    parts: tuple[Formula, ...]


@dataclass(frozen=True, slots=True)
class Negation:
    part: Formula


@dataclass(frozen=True, slots=True)
class Exists:
    variable: str
    part: Formula


@dataclass(frozen=True, slots=True)
class Formerly:
    """Somewhere before, within ``window`` nanoseconds; ``has_now`` says that this place counts as well."""

    part: Formula
    window: int | None = None
    has_now: bool = False


@dataclass(frozen=True, slots=True)
class Previous:
    """At the place just before, within ``window`` nanoseconds."""

    part: Formula
    window: int | None = None


@dataclass(frozen=True, slots=True)
class Since:
    """``anchor`` held within ``window`` nanoseconds, and ``left`` at each place since; ``has_now`` as in Formerly."""

    left: Formula
    anchor: Formula
    window: int | None = None
    has_now: bool = False


Formula: TypeAlias = Called | Compare | Timepoint | Conjunction | Negation | Exists | Formerly | Previous | Since


def parts_of_formula(formula: Formula) -> Iterator[Formula]:
    """Yield the formulas directly inside a formula, those of aggregates among them."""
    match formula:
        case Conjunction(parts):
            yield from parts
        case Negation(part) | Exists(_, part) | Formerly(part) | Previous(part):
            yield part
        case Since(left, anchor):
            yield from (left, anchor)
        case Compare(left, _, right):
            yield from (term.body for term in (left, right) if isinstance(term, Aggregate))


def calls_in(formula: Formula) -> Iterator[Called]:
    """Yield the calls that a formula speaks of."""
    if isinstance(formula, Called):
        yield formula
    for part in parts_of_formula(formula):
        yield from calls_in(part)


def looks_at_every_call(formula: Formula) -> bool:
    """Return whether calls matter that a formula does not speak of: to ``previous``, and to what lasts ``since``."""
    match formula:
        case Previous():
            return True
        case Since(left) if not isinstance(left, Negation):
            return True
    return any(map(looks_at_every_call, parts_of_formula(formula)))


def has_windows(formula: Formula) -> bool:
    """Return whether a formula asks how long ago a call was made."""
    is_bounded = isinstance(formula, Formerly | Previous | Since) and formula.window is not None
    return is_bounded or any(map(has_windows, parts_of_formula(formula)))


@dataclass(frozen=True, slots=True)
class Reach:
    """Which calls of the past some formulas look at: those that ``patterns`` name, None where every call matters."""

    formulas: tuple[Formula, ...]
    patterns: tuple[Pattern, ...] | None
    has_windows: bool
    has_phases: bool

    @classmethod
    def of(cls, formulas: Iterable[Formula]) -> Reach:
        """Return which calls some formulas look at."""
        formulas = tuple(formulas)
        called = [call for each in formulas for call in calls_in(each)]
        return cls(
            formulas,
            None if any(map(looks_at_every_call, formulas)) else tuple(call.pattern for call in called),
            any(map(has_windows, formulas)),
            any(call.phase is not Phase.CALL for call in called),
        )

    def extended(self, history: History, event: Event) -> History:
        """Return a history behind a call, as far as a formula may look at it."""
        if self.patterns is not None and not any(pattern.names(event.name) for pattern in self.patterns):
            return history
        if not self.has_phases:
            return history.extended(Occurrence(event))
        request = Occurrence(event, Phase.REQUEST)
        if event.failed or event.result is UNKNOWN:
            return history.extended(request)
        values = {**event.values, "output": event.result}
        return history.extended(request, Occurrence(replace(event, values=values), Phase.RESPONSE))
