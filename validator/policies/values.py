"""How values compare: equal as JSON's are, in order, by a pattern; true, false or not known.

Whether a text that spells a number is equal to this number is not known, as a server may take one for the other; in an
order it counts as the number.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from itertools import islice
from operator import ge, gt, le, lt
from typing import Any, TypeAlias

from validator.model.conditions import either, opposite
from validator.policies.events import ABSENT
from validator.reading.regexes import full_match
from validator.reading.values import canonical, equal

Truth: TypeAlias = bool | None

_MOST_PARTS = 1000
"""values inside a value that is a term of a fact; one with more is not known"""
LONGEST = 10_000
"""characters of a text that is compared, or is a term of a fact; what a longer one holds is not known"""


def is_large(value: object) -> bool:
    """Return whether a value has too many parts, or too long a text, to be compared."""
    waiting, parts = [value], 0
    while waiting and parts <= _MOST_PARTS:
        each = waiting.pop()
        parts += 1
        if isinstance(each, str) and len(each) > LONGEST:
            return True
        if isinstance(each, list | tuple):
            parts += len(each)
            waiting += each[: _MOST_PARTS + 1]
        elif isinstance(each, Mapping):
            parts += len(each)
            waiting += islice(each.values(), _MOST_PARTS + 1)
    return parts > _MOST_PARTS


_NUMBER = re.compile(r"\s*[+-]?(?:\d{1,300}(?:\.\d{0,300})?|\.\d{1,300})(?:[eE][+-]?\d{1,2})?\s*", re.ASCII)


def _number(value: object) -> float | None:
    if isinstance(value, int | float) and not isinstance(value, bool):
        return value
    if isinstance(value, str) and _NUMBER.fullmatch(value):
        return float(value)
    return None


def told_number(value: object) -> object:
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


def are_equal(one: object, other: object, is_loose: bool) -> Truth:
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
            return are_equal(one, other, is_loose)
        case "!=":
            return opposite(are_equal(one, other, is_loose))
        case "in":
            values = other if isinstance(other, list | tuple) else ()
            return either(are_equal(one, each, is_loose) for each in values)
        case "~":
            return _fits(one, other)
    return _in_order(one, _ORDERS[operator], other)
