"""Results as JSON: the values of the package in what JSON has."""

from __future__ import annotations

import json
from collections.abc import Mapping
from enum import Enum
from fractions import Fraction
from typing import Any

from validator.reading.plan import Constraint, Step, TimedStep, Token, Unparsed
from validator.texts import in_json

__all__ = ["SCHEMA", "fields_of", "json_text", "plain", "stamped", "times", "versioned"]

SCHEMA = 1
"""the version of ``report.schema.json`` that every JSON output states"""


def stamped(token: Token) -> str:
    """Return a token as a text; a step with the time and the duration that it has."""
    if isinstance(token, Step) and (token.time is not None or token.duration is not None):
        return str(TimedStep.of(token))
    return str(token)


def times(token: Token) -> dict[str, object]:
    """Return the ``time`` and the ``duration`` of a step, those that it has."""
    if not isinstance(token, Step):
        return {}
    known = {"time": token.time, "duration": token.duration}
    return {name: plain(value) for name, value in known.items() if value is not None}


_AS_THEY_ARE = frozenset((str, int, float, bool))


def fields_of(value: Any) -> dict[str, object]:
    """Return the fields of a value of the package under their own names."""
    found: dict[str, object] = {}
    for name in value.__dataclass_fields__:
        item = getattr(value, name)
        found[name] = item if item is None or type(item) in _AS_THEY_ARE else plain(item)
    return found


def plain(value: object) -> object:
    """Return a value of the package in what JSON has: steps as texts, fractions as numbers, others by their fields."""
    kind = type(value)
    if value is None or kind in _AS_THEY_ARE:
        return value
    if kind is Step:
        return str(value)
    if isinstance(value, tuple | list | frozenset):
        return [item if type(item) is str else plain(item) for item in value]
    if isinstance(value, Enum):
        return value.value
    if isinstance(value, Fraction):
        return in_json(value)
    if isinstance(value, Step | Constraint | Unparsed):
        return str(value)
    if isinstance(value, Mapping):
        return {str(key): plain(item) for key, item in value.items()}
    return fields_of(value)


def versioned(value: Mapping[str, Any]) -> dict[str, Any]:
    """Return an output with the version of its schema."""
    return {"schema": SCHEMA, **value}


def json_text(value: Mapping[str, Any], indent: int | None = 2) -> str:
    """Return an output as a JSON text that ends with its line."""
    return json.dumps(versioned(value), indent=indent, ensure_ascii=False) + "\n"
