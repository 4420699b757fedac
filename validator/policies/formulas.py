"""Formulas about the calls before a call: how policies write them, and which calls they look at.

They are a past-only fragment of metric first-order temporal logic (Basin, Klaedtke, Müller and Zalinescu 2015,
"Monitoring metric first-order temporal properties"). What a pattern compares with ``?x`` is the argument ``x`` of the
call that is decided. ``formerly``, ``previous`` and ``since`` look at the calls before it; a total counts it too, so
that a limit is what holds behind the call.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from enum import StrEnum
from fractions import Fraction
from typing import TypeAlias

from validator.policies.conditions import Comparison, Pattern, written
from validator.policies.events import Phase
from validator.texts import decimal


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
    """``part`` held within ``window`` nanoseconds, and ``left`` at each place since; ``has_now`` as in Formerly."""

    left: Formula
    part: Formula
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
        case Since(left, part):
            yield from (left, part)
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


def sees_phases(formula: Formula) -> bool:
    """Return whether a formula tells requests from responses."""
    return any(call.phase is not Phase.CALL for call in calls_in(formula))


# --- as policies write them ----------------------------------------------------------------------

_UNITS = {"s": 10**9, "m": 60 * 10**9, "h": 3600 * 10**9, "d": 86_400 * 10**9}
"""nanoseconds of the units of a window"""
_PLACE, _VALUE = "place", "value"


def total(what: str, path: str, pattern: Pattern, window: int | None, operator: str, number: int | float) -> Compare:
    """Return a number of calls (count), a sum, or the number of different values (distinct), beside a number."""
    columns = {"count": (_PLACE,), "sum": (_VALUE, _PLACE), "distinct": (_VALUE,)}[what]
    taken = (Comparison(path, "=", Variable(_VALUE)),) if path else ()
    call = Called(replace(pattern, comparisons=(*pattern.comparisons, *taken)))
    body = Conjunction((call, Timepoint(_PLACE)) if _PLACE in columns else (call,))
    kind, column = (Kind.SUM, _VALUE) if what == "sum" else (Kind.COUNT, "")
    return Compare(Aggregate(kind, columns, Formerly(body, window, has_now=True), column), operator, number)


def formula_text(formula: Formula) -> str:
    """Return a formula for which policies have words."""
    match formula:
        case Formerly(Called(pattern), window):
            return f"formerly {pattern}{_within(window)}"
        case Previous(Called(pattern), window):
            return f"previous {pattern}{_within(window)}"
        case Since(Negation(Called(others)), Called(pattern), window):
            return f"no {others} since {pattern}{_within(window)}"
        case Since(Called(others), Called(pattern), window):
            return f"only {others} since {pattern}{_within(window)}"
        case Compare(Aggregate(kind, columns, Formerly(Conjunction((Called(pattern), *_)), window)), operator, number):
            if _VALUE not in columns:
                return f"count {pattern}{_within(window)} {operator} {written(number)}"
            *own, taken = pattern.comparisons
            what = f"{'sum' if kind is Kind.SUM else 'distinct'} {written(taken.path)}"
            calls = replace(pattern, comparisons=tuple(own))
            return f"{what} of {calls}{_within(window)} {operator} {written(number)}"
    raise TypeError(f"policies have no words for {formula}")


def nanoseconds(duration: str) -> int:
    """Return a window such as 30s, 1.5h or 7d."""
    return int(Fraction(duration[:-1]) * _UNITS[duration[-1]])


def _within(window: int | None) -> str:
    if window is None:
        return ""
    unit, size = next((each for each in reversed(_UNITS.items()) if window % each[1] == 0), ("s", _UNITS["s"]))
    return f" within {decimal(Fraction(window, size))}{unit}"
