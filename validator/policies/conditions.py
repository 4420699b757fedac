"""Conditions on a call, as one tree: on its arguments, on facts, and on the calls before it.

What is asked of the calls before is a past-only fragment of metric first-order temporal logic (Basin, Klaedtke, Müller
and Zalinescu 2015, "Monitoring metric first-order temporal properties"). What a pattern compares with ``?x`` is the
argument ``x`` of the call that is decided. ``formerly``, ``previous`` and ``since`` look at the calls before it; a
total counts it too, so that a limit is what holds behind the call.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from enum import StrEnum
from fractions import Fraction
from typing import TypeAlias

from validator.model.conditions import both, either
from validator.policies.events import ABSENT, MESSAGES, UNKNOWN, Event, Phase
from validator.policies.values import LONGEST, Truth, are_equal, compared, is_large, told_number
from validator.reading.calls.tools import same_tool
from validator.reading.values import canonical, equal
from validator.texts import decimal

Atom: TypeAlias = tuple[str, ...]
"""The name of a fact, and its terms as canonical JSON; to an executor, as the model writes them."""


@dataclass(frozen=True, slots=True)
class Reference:
    """An argument of the same call, ``?user_id``."""

    path: str

    def __str__(self) -> str:
        return f"?{self.path}"


@dataclass(frozen=True, slots=True)
class Variable:
    """A value that a condition on the calls before binds."""

    name: str


@dataclass(frozen=True, slots=True)
class Comparison:
    """An argument compared with a value: ``amount <= 500``.

    ``operator`` is one of ``= != < <= > >= ~ in``; ``~`` asks that a regular expression matches the whole value.
    ``is_loose`` says that the value's source does not tell texts from numbers. An empty path is any argument.
    """

    path: str
    operator: str
    value: object = None
    is_loose: bool = False

    def __str__(self) -> str:
        path = self.path if self.path in _PLAIN_PATHS else written(self.path)
        return f"{path} {self.operator} {written(self.value)}"

    def holds(self, event: Event) -> Truth:
        if not self.path:
            return self._holds_of_any(event)
        expected = event.value(self.value.path) if isinstance(self.value, Reference) else self.value
        return self.compares(event.value(self.path), expected, event.is_loose)

    def compares(self, actual: object, expected: object, is_loose: bool) -> Truth:
        """Return whether an argument is as this asks, beside a value that stands in for the one that is written."""
        if actual is UNKNOWN or expected is UNKNOWN or (isinstance(actual, str) and len(actual) > LONGEST):
            return None
        return compared(actual, self.operator, expected, self.is_loose or is_loose)

    def _holds_of_any(self, event: Event) -> Truth:
        """Return whether some argument is equal to the value."""
        if not event.is_known:
            return None
        values = (*event.placed, *event.values.values())
        return either(are_equal(each, self.value, self.is_loose or event.is_loose) for each in values)


@dataclass(frozen=True, slots=True)
class Fact:
    """A fact, of the policy or of a model: ``(verified ?user_id)``."""

    name: str
    terms: tuple[object, ...] = ()
    """JSON values and arguments"""

    def __str__(self) -> str:
        return f"({' '.join((self.name, *map(written, self.terms)))})"

    def ground(self, event: Event) -> Atom | None:
        """Return the fact with the arguments of a call, as canonical JSON; None where one is not known or is NaN."""
        values = [event.value(each.path) if isinstance(each, Reference) else each for each in self.terms]
        if any(each is UNKNOWN or each is ABSENT or is_large(each) for each in values):
            return None
        if not all(equal(each, each) for each in values):
            return None
        return self.name, *(canonical(told_number(each) if event.is_loose else each) for each in values)


@dataclass(frozen=True)
class Pattern:
    """Which calls are meant: a name, as ``same_tool`` compares it, and comparisons of arguments."""

    name: str
    comparisons: tuple[Comparison, ...] = ()

    def __str__(self) -> str:
        comparisons = f"({', '.join(map(str, self.comparisons))})" if self.comparisons else ""
        return f"{written(self.name)}{comparisons}"

    def names(self, tool: str) -> bool:
        """Return whether a tool is meant. A message is meant by its own name only, not by ``*``."""
        if tool in MESSAGES or self.name in MESSAGES:
            return tool == self.name
        return same_tool(self.name, tool)

    def matches(self, event: Event) -> Truth:
        """Return whether a call is meant."""
        if not self.names(event.name):
            return False
        return both(each.holds(event) for each in self.comparisons) if self.comparisons else True


@dataclass(frozen=True, slots=True)
class Not:
    part: Condition

    def __str__(self) -> str:
        return f"not {_enclosed(self.part)}"


@dataclass(frozen=True, slots=True)
class And:
    parts: tuple[Condition, ...]

    def __str__(self) -> str:
        return " and ".join(map(_enclosed, self.parts))


@dataclass(frozen=True, slots=True)
class Or:
    parts: tuple[Condition, ...]

    def __str__(self) -> str:
        return " or ".join(map(_enclosed, self.parts))


def _enclosed(part: Condition) -> str:
    return f"[{part}]" if isinstance(part, And | Or) else str(part)


# --- the calls before ----------------------------------------------------------------------------


class Past:
    """A condition on the calls before the one that is decided."""

    __slots__ = ()


Condition: TypeAlias = Comparison | Fact | Not | And | Or | Past


@dataclass(frozen=True, slots=True)
class Called(Past):
    """A call at this place. A value of its comparisons may be a variable, or an argument of the call now decided."""

    pattern: Pattern
    phase: Phase = Phase.CALL

    def __str__(self) -> str:
        return str(self.pattern)


class Kind(StrEnum):
    """What an aggregate does with its rows."""

    COUNT = "count"
    SUM = "sum"


@dataclass(frozen=True, slots=True)
class Aggregate:
    """The number of different values of some variables under which a condition holds, or the sum of one of them.

    ``text`` is how policies write it.
    """

    kind: Kind
    domain: tuple[str, ...]
    body: Condition
    column: str = ""
    text: str = ""


@dataclass(frozen=True, slots=True)
class Compare(Past):
    """Two terms compared; ``=`` with one variable that is not bound binds it."""

    left: object
    operator: str
    right: object

    def __str__(self) -> str:
        left = self.left.text if isinstance(self.left, Aggregate) else self.left
        return f"{left} {self.operator} {written(self.right)}"


@dataclass(frozen=True, slots=True)
class Timepoint(Past):
    """Binds a variable to this place."""

    variable: str


@dataclass(frozen=True, slots=True)
class Exists(Past):
    variable: str
    part: Condition


@dataclass(frozen=True, slots=True)
class Formerly(Past):
    """Somewhere before, within ``window`` nanoseconds; ``has_now`` says that this place counts as well."""

    part: Condition
    window: int | None = None
    has_now: bool = False

    def __str__(self) -> str:
        return f"formerly {self.part}{_within(self.window)}"


@dataclass(frozen=True, slots=True)
class Previous(Past):
    """At the place just before, within ``window`` nanoseconds."""

    part: Condition
    window: int | None = None

    def __str__(self) -> str:
        return f"previous {self.part}{_within(self.window)}"


@dataclass(frozen=True, slots=True)
class Since(Past):
    """``part`` held within ``window`` nanoseconds, and ``left`` at each place since; ``has_now`` as in Formerly."""

    left: Condition
    part: Condition
    window: int | None = None
    has_now: bool = False

    def __str__(self) -> str:
        lasting = f"no {self.left.part}" if isinstance(self.left, Not) else f"only {self.left}"
        return f"{lasting} since {self.part}{_within(self.window)}"


@dataclass(frozen=True, slots=True)
class Block(Past):
    """A condition with the text that it has in Cedar."""

    part: Condition
    text: str

    def __str__(self) -> str:
        return self.text


def parts_of(condition: Condition, wanted: bool = True) -> Iterator[tuple[Comparison | Fact | Past, bool]]:
    """Yield the comparisons and facts of a condition, and what it asks of the calls before, with the truth it wants."""
    if isinstance(condition, Not):
        yield from parts_of(condition.part, not wanted)
    elif isinstance(condition, And | Or):
        for part in condition.parts:
            yield from parts_of(part, wanted)
    else:
        yield condition, wanted


def _inside(condition: Condition) -> Iterator[Condition]:
    """Yield the conditions directly inside one, those of aggregates among them."""
    match condition:
        case And(parts) | Or(parts):
            yield from parts
        case Not(part) | Exists(_, part) | Formerly(part) | Previous(part) | Block(part):
            yield part
        case Since(left, part):
            yield from (left, part)
        case Compare(left, _, right):
            yield from (term.body for term in (left, right) if isinstance(term, Aggregate))


def calls_in(condition: Condition) -> Iterator[Called]:
    """Yield the calls before that a condition speaks of."""
    if isinstance(condition, Called):
        yield condition
    for part in _inside(condition):
        yield from calls_in(part)


def references(condition: Condition) -> tuple[str, ...]:
    """Return the arguments of the call that is decided with which a condition compares those of calls before."""
    values = (each.value for call in calls_in(condition) for each in call.pattern.comparisons)
    return tuple(value.path for value in values if isinstance(value, Reference))


def achiever(condition: Past) -> Pattern | None:
    """Return a call that makes a condition true where that is made before; None where no single call does."""
    match condition:
        case Formerly(Called() as call) | Previous(Called() as call) | Since(_, Called() as call):
            return call.pattern
    return None


def looks_at_every_call(condition: Condition) -> bool:
    """Return whether calls matter that a condition does not name: to ``previous``, and to what lasts ``since``."""
    match condition:
        case Previous():
            return True
        case Since(left) if not isinstance(left, Not):
            return True
    return any(map(looks_at_every_call, _inside(condition)))


def has_windows(condition: Condition) -> bool:
    """Return whether a condition asks how long ago a call was made."""
    is_bounded = isinstance(condition, Formerly | Previous | Since) and condition.window is not None
    return is_bounded or any(map(has_windows, _inside(condition)))


# --- as policies write them ----------------------------------------------------------------------

_UNITS = {"s": 10**9, "m": 60 * 10**9, "h": 3600 * 10**9, "d": 86_400 * 10**9}
"""nanoseconds of the units of a window"""
_PLACE, _VALUE = "place", "value"


def total(what: str, path: str, pattern: Pattern, window: int | None, operator: str, number: int | float) -> Compare:
    """Return a number of calls (count), a sum, or the number of different values (distinct), beside a number."""
    columns = {"count": (_PLACE,), "sum": (_VALUE, _PLACE), "distinct": (_VALUE,)}[what]
    taken = (Comparison(path, "=", Variable(_VALUE)),) if path else ()
    call = Called(replace(pattern, comparisons=(*pattern.comparisons, *taken)))
    body = And((call, Timepoint(_PLACE)) if _PLACE in columns else (call,))
    kind, column = (Kind.SUM, _VALUE) if what == "sum" else (Kind.COUNT, "")
    text = f"{what} {f'{written(path)} of ' if path else ''}{pattern}{_within(window)}"
    return Compare(Aggregate(kind, columns, Formerly(body, window, has_now=True), column, text), operator, number)


def nanoseconds(duration: str) -> int:
    """Return a window such as 30s, 1.5h or 7d."""
    return int(Fraction(duration[:-1]) * _UNITS[duration[-1]])


def _within(window: int | None) -> str:
    if window is None:
        return ""
    unit, size = next((each for each in reversed(_UNITS.items()) if window % each[1] == 0), ("s", _UNITS["s"]))
    return f" within {decimal(Fraction(window, size))}{unit}"


_BARE = re.compile(r"[^\W\d][\w.*/-]*|@user|@assistant")
_WORDS = """
    allow and at before count distinct ends exactly false formerly gives if in least most never no not null of only
    or order previous read-only since sum then true within
"""
KEYWORDS = frozenset(_WORDS.split())
_PLAIN_PATHS = KEYWORDS - {"not", "only"}
"""the keywords that name an argument without quotes, as no condition begins with them"""


def written(value: object) -> str:
    """Return a value as the language of policies writes it."""
    if isinstance(value, str):
        is_bare = _BARE.fullmatch(value) and value not in KEYWORDS
        return value if is_bare else json.dumps(value, ensure_ascii=False)
    if isinstance(value, list | tuple):
        return f"[{', '.join(map(written, value))}]"
    return str(value) if isinstance(value, Reference) else json.dumps(value, ensure_ascii=False, sort_keys=True)
