"""Wrong arguments in sentences: which one, what it takes, and what was given."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from validator.errors import did_you_mean

__all__ = ["refusal"]

_KINDS = {
    "string": "a text",
    "array": "a list",
    "object": "an object",
    "integer": "a whole number",
    "number": "a number",
    "boolean": "true or false",
}
_GIVEN = {str: "a text", list: "a list", dict: "an object", bool: "true or false", type(None): "null"}


def refusal(faults: Sequence[Mapping[str, Any]], properties: Mapping[str, Mapping[str, Any]]) -> str:
    """Return what is wrong with arguments; ``faults`` are pydantic's, ``properties`` the JSON schemas of all."""
    told: dict[str, str] = {}
    for fault in faults:
        name = str(fault["loc"][0]) if fault["loc"] else ""
        told.setdefault(name, _sentence(name, fault, properties))
    return "; ".join(told.values())


def _sentence(name: str, fault: Mapping[str, Any], properties: Mapping[str, Mapping[str, Any]]) -> str:
    schema = properties.get(name)
    if schema is None:
        return f"there is no argument '{name}'{did_you_mean(name, properties)}; there are {', '.join(properties)}"
    if fault["type"] == "missing":
        return f"'{name}' is missing: {schema.get('description', '')}"
    inside = f" (at {'.'.join(map(str, fault['loc'][1:]))})" if len(fault["loc"]) > 1 else ""
    return f"'{name}' is {_kinds(schema)}, not {_given(fault.get('input'))}{inside if 'enum' not in schema else ''}"


def _kinds(schema: Mapping[str, Any]) -> str:
    alternatives = schema.get("anyOf", [schema])
    found = [_kind(each) for each in alternatives if each.get("type") != "null"]
    return " or ".join(found)


def _kind(schema: Mapping[str, Any]) -> str:
    if "enum" in schema:
        return f"one of {', '.join(map(str, schema['enum']))}"
    kind = _KINDS.get(str(schema.get("type")), "something else")
    inner = schema.get("items", {}).get("type") if kind == "a list" else None
    return f"{kind} of {_KINDS[inner].partition(' ')[2]}s" if inner in ("string", "object") else kind


def _given(value: Any) -> str:
    if isinstance(value, int | float) and not isinstance(value, bool):
        return f"{value}"
    kind = _GIVEN.get(type(value), type(value).__name__)
    return f"'{value}'" if isinstance(value, str) and len(value) < 40 else kind
