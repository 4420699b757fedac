"""Conditions on a call: comparisons of its arguments, facts, and their combinations, true, false or not known.

Truth is Kleene's: what is not known stays so unless the rest decides. Values are equal as JSON's are. Whether a text
that spells a number is equal to this number is not known, as a server may take one for the other; in an order it counts
as the number.
"""

from __future__ import annotations

import json
import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import islice
from operator import ge, gt, le, lt
from typing import Any, TypeAlias

from validator.model.conditions import both, either, opposite
from validator.policies.events import ABSENT, MESSAGES, NO_HISTORY, UNKNOWN, Event, History
from validator.reading.calls.tools import same_tool
from validator.reading.regexes import full_match
from validator.reading.values import canonical, equal

Truth: TypeAlias = bool | None
Atom: TypeAlias = tuple[str, ...]
"""The name of a fact, and its terms as canonical JSON; to an executor, as the model writes them."""
Holds: TypeAlias = Callable[[Atom], Truth]
"""Whether a fact holds."""


@dataclass(frozen=True, slots=True)
class Moment:
    """What a condition looks at besides the call itself: the facts that hold, and the calls before."""

    fact: Holds
    history: History = NO_HISTORY
    time: int | None = None
    is_negated: bool = False
    """whether the condition stands behind a "not\""""

    @property
    def negated(self) -> Moment:
        return replace(self, is_negated=not self.is_negated)


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
    ``is_loose`` says that the value's source does not tell texts from numbers. An empty path is any argument.
    """

    path: str
    operator: str
    value: object = None
    is_loose: bool = False

    def __str__(self) -> str:
        path = self.path if self.path in _PLAIN_PATHS else written(self.path)
        return f"{path} {self.operator} {written(self.value)}"

    def holds(self, event: Event, _: Moment | None = None) -> Truth:
        if not self.path:
            return self._holds_of_any(event)
        expected = event.value(self.value.path) if isinstance(self.value, Reference) else self.value
        return self.compares(event.value(self.path), expected, event.is_loose)

    def compares(self, actual: object, expected: object, is_loose: bool) -> Truth:
        """Return whether an argument is as this asks, beside a value that stands in for the one that is written."""
        if actual is UNKNOWN or expected is UNKNOWN or (isinstance(actual, str) and len(actual) > _LONGEST):
            return None
        return compared(actual, self.operator, expected, self.is_loose or is_loose)

    def _holds_of_any(self, event: Event) -> Truth:
        """Return whether some argument is equal to the value."""
        if not event.is_known:
            return None
        values = (*event.placed, *event.values.values())
        return either(_are_equal(each, self.value, self.is_loose or event.is_loose) for each in values)


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
        return self.name, *(canonical(_told_number(each) if event.is_loose else each) for each in values)

    def holds(self, event: Event, moment: Moment) -> Truth:
        atom = self.ground(event)
        return None if atom is None else moment.fact(atom)


@dataclass(frozen=True, slots=True)
class Not:
    part: Condition

    def __str__(self) -> str:
        return f"not {_enclosed(self.part)}"

    def holds(self, event: Event, moment: Moment) -> Truth:
        return opposite(self.part.holds(event, moment.negated))


@dataclass(frozen=True, slots=True)
class And:
    parts: tuple[Condition, ...]

    def __str__(self) -> str:
        return " and ".join(map(_enclosed, self.parts))

    def holds(self, event: Event, moment: Moment) -> Truth:
        return both(part.holds(event, moment) for part in self.parts)


@dataclass(frozen=True, slots=True)
class Or:
    parts: tuple[Condition, ...]

    def __str__(self) -> str:
        return " or ".join(map(_enclosed, self.parts))

    def holds(self, event: Event, moment: Moment) -> Truth:
        return either(part.holds(event, moment) for part in self.parts)


class Past(ABC):
    """A condition on the calls before the one that is decided."""

    @abstractmethod
    def holds(self, event: Event, moment: Moment) -> Truth:
        """Return whether it holds of a call."""


Condition: TypeAlias = Comparison | Fact | Not | And | Or | Past


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


_MOST_PARTS = 1000
"""values inside a value that is a term of a fact; one with more is not known"""
_LONGEST = 10_000
"""characters of a text that is compared, or is a term of a fact; what a longer one holds is not known"""


def is_large(value: object) -> bool:
    """Return whether a value has too many parts, or too long a text, to be compared."""
    waiting, parts = [value], 0
    while waiting and parts <= _MOST_PARTS:
        each = waiting.pop()
        parts += 1
        if isinstance(each, str) and len(each) > _LONGEST:
            return True
        if isinstance(each, list | tuple):
            parts += len(each)
            waiting += each[: _MOST_PARTS + 1]
        elif isinstance(each, Mapping):
            parts += len(each)
            waiting += islice(each.values(), _MOST_PARTS + 1)
    return parts > _MOST_PARTS


def parts_of(condition: Condition, wanted: bool = True) -> Iterator[tuple[Comparison | Fact | Past, bool]]:
    """Yield the comparisons and facts of a condition, and what it asks of the calls before, with the truth it wants."""
    if isinstance(condition, Not):
        yield from parts_of(condition.part, not wanted)
    elif isinstance(condition, And | Or):
        for part in condition.parts:
            yield from parts_of(part, wanted)
    else:
        yield condition, wanted


# --- values --------------------------------------------------------------------------------------

_NUMBER = re.compile(r"\s*[+-]?(?:\d{1,300}(?:\.\d{0,300})?|\.\d{1,300})(?:[eE][+-]?\d{1,2})?\s*", re.ASCII)


def _number(value: object) -> float | None:
    if isinstance(value, int | float) and not isinstance(value, bool):
        return value
    if isinstance(value, str) and _NUMBER.fullmatch(value):
        return float(value)
    return None


def _told_number(value: object) -> object:
    """Return the number that a text spells, as JSON would write it, or the value itself."""
    return json.loads(value) if isinstance(value, str) and _JSON_NUMBER.fullmatch(value) else value


_JSON_NUMBER = re.compile(r"-?(?:0|[1-9][0-9]{0,300})(?:\.[0-9]{1,300})?")


def _is_near(one: object, other: object) -> bool:
    """Return whether two values are equal where texts that are numbers count as these."""
    numbers = _number(one), _number(other)
    if None not in numbers:
        return numbers[0] == numbers[1]
    if isinstance(one, Mapping) and isinstance(other, Mapping):
        return one.keys() == other.keys() and all(_is_near(one[key], other[key]) for key in one)
    if isinstance(one, list | tuple) and isinstance(other, list | tuple):
        return len(one) == len(other) and all(map(_is_near, one, other))
    return equal(one, other)


def _are_equal(one: object, other: object, is_loose: bool) -> Truth:
    if equal(one, other):
        return True
    return (True if is_loose else None) if _is_near(one, other) else False


def _in_order(one: object, is_before: Callable[[Any, Any], bool], other: object) -> Truth:
    """Return whether two numbers, or two texts, are in an order; nothing is known of others, an absent one has none."""
    if one is None or other is None:
        return False
    numbers = _number(one), _number(other)
    if None not in numbers:
        return is_before(*numbers) if all(each == each for each in numbers) else None  # NaN has no order
    are_texts = isinstance(one, str) and isinstance(other, str) and numbers == (None, None)
    return is_before(one, other) if are_texts else None


def _fits(value: object, pattern: object) -> Truth:
    if value is None or not isinstance(pattern, str):
        return False
    if is_large(value):
        return None
    return full_match(pattern, value if isinstance(value, str) else canonical(value))


_ORDERS: Mapping[str, Callable[[Any, Any], bool]] = {"<": lt, "<=": le, ">": gt, ">=": ge}


def compared(one: object, operator: str, other: object, is_loose: bool = False) -> Truth:
    """Return how two values compare by one of the operators of comparisons; an absent value is null."""
    one, other = (None if value is ABSENT else value for value in (one, other))
    match operator:
        case "=":
            return _are_equal(one, other, is_loose)
        case "!=":
            return opposite(_are_equal(one, other, is_loose))
        case "in":
            values = other if isinstance(other, list | tuple) else ()
            return either(_are_equal(one, each, is_loose) for each in values)
        case "~":
            return _fits(one, other)
    return _in_order(one, _ORDERS[operator], other)


# --- written -------------------------------------------------------------------------------------

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


def _enclosed(part: Condition) -> str:
    return f"[{part}]" if isinstance(part, And | Or) else str(part)
