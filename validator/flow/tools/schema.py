"""Schemas: what JSON Schema, OpenAPI, Python's type names and tables say of one value.

``schema_of`` reads one; ``fits`` says whether what one tool yields fits what another one takes (subsumption).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, TypeAlias

from validator.reading.values import equal
from validator.records import dataclass, field, replace


@dataclass(frozen=True, slots=True, kw_only=True)
class Schema:
    """What a value may be.

    ``types`` are JSON Schema's; none of them means anything. ``kind`` is what a graph of tools calls its data
    ("image"). ``values`` are the only ones allowed, where there are any; ``fields``, ``required`` and ``is_closed`` (no
    further fields) are an object's, ``items`` a list's. ``raw`` is the schema as it is written, within ``root``.
    """

    types: frozenset[str] = frozenset()
    kind: str = ""
    values: tuple[Any, ...] = ()
    fields: Mapping[str, Schema] = field(default_factory=dict)
    required: frozenset[str] = frozenset()
    is_closed: bool = False
    items: Schema | None = None
    default: Any = None
    raw: Any = field(default=None, compare=False, repr=False)
    root: Any = field(default=None, compare=False, repr=False)

    def __str__(self) -> str:
        return self.kind or " or ".join(sorted(self.types - {"null"} or self.types)) or "anything"


ANY = Schema()

_TYPES = {
    **dict.fromkeys(("string", "str", "text"), "string"),
    **dict.fromkeys(("integer", "int", "long"), "integer"),
    **dict.fromkeys(("number", "float", "double", "decimal"), "number"),
    **dict.fromkeys(("boolean", "bool"), "boolean"),
    **dict.fromkeys(("array", "list", "tuple", "set", "sequence"), "array"),
    **dict.fromkeys(("object", "dict", "dictionary", "map", "mapping"), "object"),
    **dict.fromkeys(("null", "none", "nonetype"), "null"),
}
_ALLOWED = ("enum", "allowed_values", "possible_values")
_DEEPEST = 24
_OR = re.compile(r"\s+or\s+|\s*\|\s*|\s*/\s*")
_GENERIC = re.compile(r"(?:typing\.)?(\w+)\s*(?:\[(.*)\]|<(.*)>|\s+of\s+.*|\(.*\))?", re.DOTALL)


def schema_of(value: object, root: object = None, depth: int = 0) -> Schema:
    """Return the schema that a value is; what is no schema says nothing, and admits everything."""
    if isinstance(value, str):
        return Schema(types=_named(value), raw=value)
    if not isinstance(value, Mapping) or depth > _DEEPEST:
        return ANY
    root = value if root is None else root
    return replace(_schema_of(value, root, depth), raw=value, root=root)


def _schema_of(value: Mapping[str, Any], root: object, depth: int) -> Schema:
    if isinstance(target := value.get("$ref"), str):
        return schema_of(referred(target, root), root, depth + 1)
    for key in ("anyOf", "oneOf"):
        if isinstance(options := value.get(key), list) and options:
            return _either(schema_of(option, root, depth + 1) for option in options)
    if isinstance(parts := value.get("allOf"), list) and parts:
        return _both(schema_of(part, root, depth + 1) for part in parts)
    return _plain(value, root, depth)


def _plain(value: Mapping[str, Any], root: object, depth: int) -> Schema:
    types = types_of(value)
    inner = value.get("properties")
    pairs = inner.items() if isinstance(inner, Mapping) else ()
    fields = {str(name): schema_of(each, root, depth + 1) for name, each in pairs}
    required = value.get("required")
    if fields and not types and value.get("type") is None:
        types = frozenset(("object",))
    items = schema_of(value["items"], root, depth + 1) if isinstance(value.get("items"), Mapping | str) else None
    values, of_items = enumerated(value, types)
    if of_items:
        of_one = items.raw if items is not None and isinstance(items.raw, Mapping) else {}
        items, values = replace(items or ANY, values=values, raw={**of_one, "enum": list(values)}, root=root), ()
    return Schema(
        types=types,
        values=values,
        fields=fields,
        required=frozenset(name for name in required if isinstance(name, str))
        if isinstance(required, list)
        else frozenset(),
        is_closed=value.get("additionalProperties") is False,
        items=items,
        default=value.get("default"),
    )


def types_of(value: Mapping[str, Any]) -> frozenset[str]:
    """Return the types that a schema names itself, null among them where it may be that."""
    kind = value.get("type")
    types = _named(kind) if isinstance(kind, str) else _all_named(kind) if isinstance(kind, list) else frozenset()
    return types | {"null"} if types and value.get("nullable") is True else types


def enumerated(value: Mapping[str, Any], types: frozenset[str]) -> tuple[tuple[Any, ...], bool]:
    """Return the values that a schema lists, and whether its items are meant, as in many a specification of a list."""
    values = _values(value)
    return values, "array" in types and bool(values) and not any(isinstance(each, list | tuple) for each in values)


def _values(value: Mapping[str, Any]) -> tuple[Any, ...]:
    if "const" in value:
        return (value["const"],)
    lists = (value[key] for key in _ALLOWED if isinstance(value.get(key), list | tuple))
    return tuple(next((listed for listed in lists if listed), ()))


def _named(name: str) -> frozenset[str]:
    """Return the types that a name stands for: ``int or float``, ``Optional[str]``, ``array of strings``."""
    return _all_named(_OR.split(name.strip())) if name.strip() else frozenset()


def _all_named(names: Iterable[object]) -> frozenset[str]:
    """Return the types of several names; none (anything) when one of the names is not known."""
    found: set[str] = set()
    for name in names:
        match = _GENERIC.fullmatch(name.strip()) if isinstance(name, str) else None
        word = match[1].lower() if match else ""
        if match and word == "optional" and match[2]:
            found |= {*_named(match[2]), "null"}
        elif word in _TYPES:
            found.add(_TYPES[word])
        else:
            return frozenset()
    return frozenset(found)


def referred(target: str, root: object) -> object:
    """Return what a local reference such as ``#/$defs/Place`` refers to; None without such a place."""
    for part in target.removeprefix("#").split("/")[1:] if target.startswith("#") else ("",):
        root = root.get(part.replace("~1", "/").replace("~0", "~")) if isinstance(root, Mapping) else None
    return root


def _either(schemas: Iterable[Schema]) -> Schema:
    found = list(schemas)
    if any(not each.types and not each.values for each in found):
        return ANY
    return Schema(
        types=frozenset().union(*(each.types for each in found)),
        values=tuple(v for each in found for v in each.values) if all(each.values for each in found) else (),
        fields={name: inner for each in found for name, inner in each.fields.items()},
        required=frozenset.intersection(*(each.required for each in found)),
        items=next((each.items for each in found if each.items is not None), None),
    )


def _both(schemas: Iterable[Schema]) -> Schema:
    whole = ANY
    for each in schemas:
        whole = replace(
            whole,
            types=whole.types & each.types if whole.types and each.types else whole.types | each.types,
            values=each.values or whole.values,
            fields={**whole.fields, **each.fields},
            required=whole.required | each.required,
            items=each.items or whole.items,
        )
    return whole


# --- results and arguments -----------------------------------------------------------------------

Path: TypeAlias = tuple[str | int, ...]
"""The way to a field: names, and places in lists."""


def is_of_types(value: object, types: frozenset[str]) -> bool:
    """Return whether a JSON value is of some types, whatever is inside it; without types anything is."""
    if not types or (value is None and "null" in types):
        return True
    match value:
        case bool():
            return "boolean" in types
        case int():
            return not types.isdisjoint(("integer", "number"))
        case float():
            return "number" in types or ("integer" in types and value.is_integer())
        case str():
            return "string" in types
        case Mapping():
            return "object" in types
        case list() | tuple():
            return "array" in types
    return False


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
    if given.values and wanted.values and not any(equal(one, other) for one in given.values for other in wanted.values):
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


_MOST_NAMES = 4
"""names in the path of a field that a repair may refer to"""


def leaves(schema: Schema, path: Path = ()) -> Iterator[tuple[Path, Schema]]:
    """Yield the fields of a schema at every depth, each with its path; those of a list by the names of its items."""
    for name, each in schema.fields.items():
        yield (*path, name), each
        if len(path) < _MOST_NAMES:
            yield from leaves(each.items if each.items is not None and not each.fields else each, (*path, name))


def shown(path: Sequence[Any]) -> str:
    """Return a path as a reference writes it: ``temps[0].max``."""
    return "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in path).removeprefix(".")
