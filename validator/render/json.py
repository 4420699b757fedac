"""Results as JSON: the values of the package in what JSON has, and the schema of all outputs."""

from __future__ import annotations

import json
from collections.abc import Mapping
from enum import Enum
from fractions import Fraction
from functools import cache
from pathlib import Path
from typing import Any

from validator.reading.plan import Constraint, Reading, Step, TimedStep, Token, Unparsed
from validator.texts import in_json

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


def picked(value: object, *names: str) -> dict[str, object]:
    """Return some fields and properties of a value of the package, under their own names."""
    return {name: plain(getattr(value, name)) for name in names}


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


def json_text(value: Mapping[str, Any]) -> str:
    """Return an output as a JSON text that ends with its line."""
    return json.dumps(versioned(value), indent=2, ensure_ascii=False) + "\n"


def reading_value(reading: Reading | None) -> dict[str, object] | None:
    """Return how a text was understood as plain values; None where no text was read."""
    if reading is None:
        return None
    return {
        "completeness": reading.completeness.value,
        "missed": [picked(one, "text", "reason", "line", "column", "nearest") for one in reading.missed],
        "candidates": [
            {"said": one.said, "steps": list(map(str, one.plan.steps)), "is_marked": one.is_marked}
            for one in reading.candidates
        ],
        **picked(reading, "no_plan", "passed_over"),
    }


# --- the schema of all outputs -------------------------------------------------------------------


@cache
def published() -> str:
    """Return ``report.schema.json``, which stands in the package's folder, in a checkout in ``docs``.

    Version 1 may gain fields; none is removed, and none changes its meaning.
    """
    here = Path(__file__).parents[1]
    places = (here / "report.schema.json", here.parent / "docs" / "report.schema.json")
    return next(path for path in places if path.is_file()).read_text(encoding="utf-8")


@cache
def output_schemas() -> Mapping[str, Any]:
    """Return the schema of each output by its name, without the version that it states."""
    found: Mapping[str, Any] = json.loads(published())["$defs"]
    return found
