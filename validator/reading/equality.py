"""Equality of JSON values: 1 equals 1.0 and not "1"; true is no number; the order of keys does not matter.

Numbers are compared exactly, integers of any size with floats too. NaN equals nothing, not even itself.
"""

from __future__ import annotations

import json
from collections.abc import Mapping

__all__ = ["canonical", "equal"]


def equal(one: object, other: object) -> bool:
    """Return whether two JSON values are equal; a tuple is a list."""
    if isinstance(one, bool) or isinstance(other, bool):
        return one is other
    if isinstance(one, Mapping) and isinstance(other, Mapping):
        return one.keys() == other.keys() and all(equal(one[key], other[key]) for key in one)
    if isinstance(one, list | tuple) and isinstance(other, list | tuple):
        return len(one) == len(other) and all(map(equal, one, other))
    return one == other


def canonical(value: object) -> str:
    """Return the canonical JSON text of a value: equal values, and no others, have equal texts. NaN stays ``NaN``."""
    return json.dumps(_normal(value), sort_keys=True, ensure_ascii=False, default=str)


def _normal(value: object) -> object:
    if isinstance(value, float) and value.is_integer():
        return int(value)
    if isinstance(value, Mapping):
        return {str(name): _normal(each) for name, each in value.items()}
    if isinstance(value, list | tuple):
        return [_normal(each) for each in value]
    return value
