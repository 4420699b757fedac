"""Whether a value fits a schema, and whether what one tool yields fits what another one takes (subsumption)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, TypeAlias

from validator.flow.tools.declared.schema import ANY, Schema
from validator.reading.values import equal

__all__ = ["Path", "fits", "inner", "is_allowed", "is_of_type", "leaves"]

Path: TypeAlias = tuple[str | int, ...]
"""The way to a field: names, and places in lists."""


def is_of_type(value: object, schema: Schema) -> bool:
    """Return whether a JSON value is of the types of a schema, whatever is inside it."""
    if not schema.types or (value is None and "null" in schema.types):
        return True
    match value:
        case bool():
            return "boolean" in schema.types
        case int():
            return not schema.types.isdisjoint(("integer", "number"))
        case float():
            return "number" in schema.types or ("integer" in schema.types and value.is_integer())
        case str():
            return "string" in schema.types
        case Mapping():
            return "object" in schema.types
        case list() | tuple():
            return "array" in schema.types
    return False


def is_allowed(value: object, schema: Schema) -> bool:
    """Return whether a value is one of those that are allowed."""
    return not schema.values or any(equal(value, each) for each in schema.values)


def inner(schema: Schema, path: Path) -> Schema | None:
    """Return the schema of a field; None where it is declared that there is none.

    A name below a list is a field of its items, as in the published lists.
    """
    for part in path:
        if isinstance(part, int):
            if schema.types and "array" not in schema.types:
                return None
            schema = schema.items or ANY
            continue
        while part not in schema.fields and "array" in schema.types:
            if "object" in schema.types and schema.fields:
                break
            schema = schema.items or ANY
        if part in schema.fields:
            schema = schema.fields[part]
        elif schema.fields or (schema.types and "object" not in schema.types):
            return None
        else:
            schema = ANY
    return schema


def fits(given: Schema, wanted: Schema) -> bool:
    """Return whether every result of one schema is taken by another, as far as both are declared.

    That a result may be missing (null) is no fault, and of values that are listed on both sides some have to agree:
    what a service may answer is wider than what it answers. A number may be a whole one.
    """
    if wanted.kind and (given.kind or given.fields):
        return wanted.kind in (given.kind, *(each.kind for each in given.fields.values()))
    types = given.types - {"null"}
    if types and wanted.types and not all(_is_taken(kind, wanted.types) for kind in types):
        return False
    if given.values and wanted.values and not any(is_allowed(value, wanted) for value in given.values):
        return False
    if "array" in types and given.items is not None and wanted.items is not None:
        return fits(given.items, wanted.items)
    return _has_fields(given, wanted) if given.fields and wanted.fields else True


def _is_taken(kind: str, types: frozenset[str]) -> bool:
    return kind in types or (kind in ("integer", "number") and not types.isdisjoint(("integer", "number")))


def _has_fields(given: Schema, wanted: Schema) -> bool:
    if not wanted.required.issubset(given.fields):
        return False
    return all(fits(each, wanted.fields[name]) for name, each in given.fields.items() if name in wanted.fields)


_DEEPEST = 4


def leaves(schema: Schema, path: Path = ()) -> Iterator[tuple[Path, Schema]]:
    """Yield the fields of a schema at every depth, each with its path; those of a list by the names of its items."""
    for name, each in schema.fields.items():
        yield (*path, name), each
        if len(path) < _DEEPEST:
            yield from leaves(each.items if each.items is not None and not each.fields else each, (*path, name))


def shown(path: Sequence[Any]) -> str:
    """Return a path as a reference writes it: ``temps[0].max``."""
    return "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in path).removeprefix(".")
