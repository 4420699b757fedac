"""Conditions on a call: comparisons of its arguments, facts, and their combinations, true, false or not known.

Truth is Kleene's: what is not known stays so unless the rest decides. A text that is a number counts as this number.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from fnmatch import translate
from functools import cached_property, lru_cache
from typing import TypeAlias

from validator.policies.events import ABSENT, UNKNOWN, Event
from validator.reading.calls import folded

__all__ = [
    "And",
    "Atom",
    "Comparison",
    "Condition",
    "Fact",
    "Holds",
    "Not",
    "Or",
    "Pattern",
    "Reference",
    "Truth",
    "both",
    "either",
    "equal",
    "facts_in",
    "parts_of",
    "written",
]

Truth: TypeAlias = bool | None
Atom: TypeAlias = tuple[str, ...]
Holds: TypeAlias = Callable[[Atom], Truth]
"""Whether a fact holds."""


@dataclass(frozen=True, slots=True)
class Reference:
    """An argument of the same call, ``?user_id``."""

    path: str

    def __str__(self) -> str:
        return f"?{self.path}"


@dataclass(frozen=True, slots=True)
class Comparison:
    """An argument compared with a value: ``amount <= 500``.

    ``operator`` is one of ``= != < <= > >= ~ in``; ``~`` asks that a regular expression matches the whole value.
    ``within`` is how far a number may be off. An empty path is any argument; an operator ``any`` holds of everything.
    """

    path: str
    operator: str
    value: object = None
    within: float = 0

    def __str__(self) -> str:
        tolerance = f" within {self.within:g}" if self.within else ""
        return f"{written(self.path)} {self.operator} {written(self.value)}{tolerance}"

    def holds(self, event: Event, _: Holds) -> Truth:
        if self.operator == "any":
            return True
        if not self.path:
            return _any_equal(event, self.value)
        actual = event.value(self.path)
        expected = event.value(self.value.path) if isinstance(self.value, Reference) else self.value
        if actual is UNKNOWN or expected is UNKNOWN:
            return None
        return _OPERATORS[self.operator](_plain(actual), _plain(expected), self.within)


@dataclass(frozen=True, slots=True)
class Fact:
    """A fact, of the policy or of a model: ``(verified ?user_id)``."""

    name: str
    terms: tuple[str | Reference, ...] = ()

    def __str__(self) -> str:
        return f"({' '.join((self.name, *map(str, self.terms)))})"

    def ground(self, event: Event) -> Atom | None:
        """Return the fact with the arguments of a call; None where one is not known."""
        values = [event.value(each.path) if isinstance(each, Reference) else each for each in self.terms]
        if any(each is UNKNOWN or each is ABSENT for each in values):
            return None
        return self.name, *(each if isinstance(each, str) else json.dumps(each, sort_keys=True) for each in values)

    def holds(self, event: Event, holds: Holds) -> Truth:
        atom = self.ground(event)
        return None if atom is None else holds(atom)


@dataclass(frozen=True, slots=True)
class Not:
    part: Condition

    def __str__(self) -> str:
        return f"not {_enclosed(self.part)}"

    def holds(self, event: Event, holds: Holds) -> Truth:
        found = self.part.holds(event, holds)
        return None if found is None else not found


@dataclass(frozen=True, slots=True)
class And:
    parts: tuple[Condition, ...]

    def __str__(self) -> str:
        return " and ".join(map(_enclosed, self.parts))

    def holds(self, event: Event, holds: Holds) -> Truth:
        return both(part.holds(event, holds) for part in self.parts)


@dataclass(frozen=True, slots=True)
class Or:
    parts: tuple[Condition, ...]

    def __str__(self) -> str:
        return " or ".join(map(_enclosed, self.parts))

    def holds(self, event: Event, holds: Holds) -> Truth:
        return either(part.holds(event, holds) for part in self.parts)


Condition: TypeAlias = Comparison | Fact | Not | And | Or


@dataclass(frozen=True)
class Pattern:
    """Which calls are meant: a name, in which ``*`` stands for any characters, and comparisons of arguments."""

    name: str
    comparisons: tuple[Comparison, ...] = ()

    def __str__(self) -> str:
        return (
            f"{written(self.name)}({', '.join(map(str, self.comparisons))})" if self.comparisons else written(self.name)
        )

    @cached_property
    def _names(self) -> Callable[[str], object]:
        if "*" not in self.name:
            return folded(self.name).__eq__
        return re.compile(translate(folded(self.name))).match

    def names(self, key: str) -> bool:
        """Return whether a tool, by its folded name, is meant."""
        return bool(self._names(key))

    def matches(self, event: Event) -> Truth:
        """Return whether a call is meant."""
        if not self.names(event.key):
            return False
        return both(each.holds(event, _no_fact) for each in self.comparisons) if self.comparisons else True


def _no_fact(_: Atom) -> Truth:
    return None


# --- truth ---------------------------------------------------------------------------------------


def both(truths: Iterable[Truth]) -> Truth:
    found: Truth = True
    for truth in truths:
        if truth is False:
            return False
        found = None if truth is None else found
    return found


def either(truths: Iterable[Truth]) -> Truth:
    found: Truth = False
    for truth in truths:
        if truth:
            return True
        found = None if truth is None else found
    return found


def parts_of(condition: Condition) -> Iterator[Comparison | Fact]:
    """Yield the comparisons and the facts of a condition."""
    if isinstance(condition, Not):
        yield from parts_of(condition.part)
    elif isinstance(condition, And | Or):
        for part in condition.parts:
            yield from parts_of(part)
    else:
        yield condition


def facts_in(condition: Condition) -> Iterator[Fact]:
    yield from (part for part in parts_of(condition) if isinstance(part, Fact))


# --- values --------------------------------------------------------------------------------------

_NUMBER = re.compile(r"\s*[+-]?(?:\d{1,300}(?:\.\d{0,300})?|\.\d{1,300})(?:[eE][+-]?\d{1,2})?\s*", re.ASCII)


def _plain(value: object) -> object:
    return None if value is ABSENT else value


def _number(value: object) -> float | None:
    if isinstance(value, int | float) and not isinstance(value, bool):
        return value
    if isinstance(value, str) and _NUMBER.fullmatch(value):
        return float(value)
    return None


def equal(one: object, other: object, within: float = 0) -> bool:
    """Return whether two JSON values are equal, numbers up to a tolerance."""
    numbers = _number(one), _number(other)
    if numbers[0] is not None and numbers[1] is not None:
        return abs(numbers[0] - numbers[1]) <= within if within else numbers[0] == numbers[1]
    if isinstance(one, Mapping) and isinstance(other, Mapping):
        return one.keys() == other.keys() and all(equal(one[key], other[key], within) for key in one)
    if isinstance(one, list | tuple) and isinstance(other, list | tuple):
        return len(one) == len(other) and all(map(equal, one, other, [within] * len(one)))
    return type(one) is type(other) and one == other


def _any_equal(event: Event, value: object) -> Truth:
    if not event.is_known:
        return None
    return any(equal(each, value) for each in (*event.placed, *event.values.values()))


def _ordered(compare: Callable[[float, float], bool]) -> Callable[[object, object, float], Truth]:
    """Return an order of numbers, or of two texts; nothing is known of any other values, and an absent one has none."""

    def ordered(one: object, other: object, _: float) -> Truth:
        if one is None or other is None:
            return False
        numbers = _number(one), _number(other)
        if numbers[0] is not None and numbers[1] is not None:
            return compare(numbers[0], numbers[1])
        if isinstance(one, str) and isinstance(other, str) and numbers == (None, None):
            return compare(one, other)  # type: ignore[arg-type]
        return None

    return ordered


@lru_cache(maxsize=256)
def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern)


def _fits(value: object, pattern: object, _: float) -> Truth:
    if value is None or not isinstance(pattern, str):
        return False
    return _compiled(pattern).fullmatch(value if isinstance(value, str) else json.dumps(value)) is not None


def _among(value: object, values: object, within: float) -> Truth:
    return isinstance(values, list | tuple) and any(equal(value, each, within) for each in values)


_OPERATORS: Mapping[str, Callable[[object, object, float], Truth]] = {
    "=": equal,
    "!=": lambda one, other, within: not equal(one, other, within),
    "<": _ordered(lambda one, other: one < other),
    "<=": _ordered(lambda one, other: one <= other),
    ">": _ordered(lambda one, other: one > other),
    ">=": _ordered(lambda one, other: one >= other),
    "~": _fits,
    "in": _among,
}


# --- written -------------------------------------------------------------------------------------

_BARE = re.compile(r"[^\W\d][\w.*/-]*")
KEYWORDS = frozenset(
    (
        *("allow", "and", "at", "before", "budget", "compare", "cost", "either", "ends", "exactly", "false", "gives"),
        *("if", "ignored", "in", "least", "most", "never", "not", "null", "only", "or", "order", "read-only", "then"),
        *("true", "within"),
    )
)


def written(value: object) -> str:
    """Return a value as the language of policies writes it."""
    if isinstance(value, str):
        is_bare = _BARE.fullmatch(value) and value not in KEYWORDS
        return value if is_bare else json.dumps(value, ensure_ascii=False)
    if isinstance(value, list | tuple):
        return f"[{', '.join(map(written, value))}]"
    return str(value) if isinstance(value, Reference) else json.dumps(value, ensure_ascii=False, sort_keys=True)


def _enclosed(part: Condition) -> str:
    return f"[{part}]" if isinstance(part, And | Or) else str(part)
