"""Conditions on the calls before a call, as policies write them: each states a formula.

What a pattern compares with ``?x`` is the argument ``x`` of the call that is decided. ``formerly``, ``previous`` and
``since`` look at the calls before it; ``count``, ``sum`` and ``distinct`` count it too, so that a limit is what holds
behind the call.
"""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass, replace
from enum import StrEnum
from fractions import Fraction
from functools import cached_property

from validator.policies.conditions import Comparison, Moment, Past, Pattern, Truth, written
from validator.policies.events import Event, Occurrence
from validator.policies.temporal.evaluation import truth
from validator.policies.temporal.formulas import (
    Aggregate,
    Called,
    Compare,
    Conjunction,
    Formerly,
    Formula,
    Kind,
    Negation,
    Previous,
    Since,
    Timepoint,
    Variable,
    calls_in,
    looks_at_every_call,
)
from validator.texts import decimal

__all__ = ["Earlier", "Relation", "Temporal", "Total", "nanoseconds"]

_UNITS = {"s": 10**9, "m": 60 * 10**9, "h": 3600 * 10**9, "d": 86_400 * 10**9}
"""nanoseconds of the units of a window"""


@dataclass(frozen=True)
class Temporal(Past):
    """A condition that a formula states."""

    @property
    @abstractmethod
    def formula(self) -> Formula:
        """Return what holds where the condition does."""

    @cached_property
    def patterns(self) -> tuple[Pattern, ...]:
        return tuple(call.pattern for call in calls_in(self.formula))

    @property
    def achiever(self) -> Pattern | None:
        return None

    @cached_property
    def is_closed(self) -> bool:
        return looks_at_every_call(self.formula)

    def holds(self, event: Event, moment: Moment) -> Truth:
        return truth(self.formula, moment.history, Occurrence(replace(event, failed=False, time=moment.time)))


class Relation(StrEnum):
    """How a call before stands to the one that is decided, as policies write it."""

    FORMERLY = "formerly"
    PREVIOUS = "previous"
    NONE_SINCE = "no"
    ONLY_SINCE = "only"


@dataclass(frozen=True)
class Earlier(Temporal):
    """A call was made before.

    Somewhere, ``formerly read(document = ?document) within 1h``, or just before, ``previous login(user = ?user)``; and
    after it none or only ``others``: ``no logout(user = ?user) since login(user = ?user) within 1d``.
    """

    relation: Relation
    pattern: Pattern
    others: Pattern | None = None
    window: int | None = None

    def __str__(self) -> str:
        others = "" if self.others is None else f"{self.others} since "
        return f"{self.relation} {others}{self.pattern}{_within(self.window)}"

    @cached_property
    def formula(self) -> Formula:
        call = Called(self.pattern)
        if self.others is None:
            return (Formerly if self.relation is Relation.FORMERLY else Previous)(call, self.window)
        other = Called(self.others)
        return Since(Negation(other) if self.relation is Relation.NONE_SINCE else other, call, self.window)

    @property
    def achiever(self) -> Pattern | None:
        return self.pattern


@dataclass(frozen=True)
class Total(Temporal):
    """A number of calls, a sum or the different values of an argument, compared with a number.

    ``count pay(user = ?user) within 1h <= 3``, ``sum amount of pay within 1d <= 500``, ``distinct user of pay <= 2``.
    """

    what: str
    path: str
    pattern: Pattern
    window: int | None
    operator: str
    number: int | float

    def __str__(self) -> str:
        of = f"{written(self.path)} of " if self.path else ""
        return f"{self.what} {of}{self.pattern}{_within(self.window)} {self.operator} {written(self.number)}"

    @cached_property
    def formula(self) -> Formula:
        value, place = "value", "place"
        columns = (value,) if self.what == "distinct" else (place,) if self.what == "count" else (value, place)
        taken = (Comparison(self.path, "=", Variable(value)),) if self.path else ()
        pattern = replace(self.pattern, comparisons=(*self.pattern.comparisons, *taken))
        body: Formula = Conjunction((Called(pattern), Timepoint(place)) if place in columns else (Called(pattern),))
        kind = Kind.SUM if self.what == "sum" else Kind.COUNT
        total = Aggregate(kind, columns, Formerly(body, self.window, has_now=True), value if kind is Kind.SUM else "")
        return Compare(total, self.operator, self.number)


def nanoseconds(duration: str) -> int:
    """Return a window such as 30s, 1.5h or 7d."""
    return int(Fraction(duration[:-1]) * _UNITS[duration[-1]])


def _within(window: int | None) -> str:
    if window is None:
        return ""
    unit, size = next((each for each in reversed(_UNITS.items()) if window % each[1] == 0), ("s", _UNITS["s"]))
    return f" within {decimal(Fraction(window, size))}{unit}"
