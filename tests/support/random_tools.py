"""Random tools with the limits that JSON Schema knows, and calls of them: right ones, and ones with a fault or more.

Which arguments a schema takes is said by the package ``jsonschema``, which shares nothing with the product.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from random import Random
from typing import Any

Schema = dict[str, Any]

_WORDS = ("a", "Rome", "abc", "x7", "AB-12", "2024-05-01", "", "nine", "Ä")
_NUMBERS: Sequence[Any] = (-3, 0, 1, 2, 5, 10, 2.5, 0.1, 100, 1.0)
_ODD: Sequence[Any] = (None, True, False, [], {}, "5", "true", [1], {"a": 1}, "null", 3, "Rome")


def random_tool(draw: Random, name: str) -> Schema:
    """Return a tool as one of several providers declares it."""
    schema = _object(draw, 0, draw.randint(1, 4))
    if draw.random() < 0.3:
        schema["$defs"] = {"one": _schema(draw, 2)}
        schema["properties"][draw.choice(sorted(schema["properties"]))] = {"$ref": "#/$defs/one"}
    if draw.random() < 0.1:
        schema["properties"]["mode"] = {"type": "object", "unevaluatedProperties": False}
    match draw.choice(("openai", "plain", "anthropic", "mcp")):
        case "openai":
            return {"type": "function", "function": {"name": name, "parameters": schema}}
        case "anthropic":
            return {"name": name, "input_schema": schema}
        case "mcp":
            return {"name": name, "inputSchema": schema}
    return {"name": name, "parameters": schema}


def schema_of(tool: Mapping[str, Any]) -> Schema:
    own = tool.get("function", tool)
    return next(own[key] for key in ("parameters", "input_schema", "inputSchema") if key in own)


def _object(draw: Random, depth: int, size: int) -> Schema:
    names = draw.sample(("city", "amount", "date", "options", "tags", "mode", "limit"), size)
    schema: Schema = {"type": "object", "properties": {name: _schema(draw, depth + 1) for name in names}}
    if draw.random() < 0.8:
        schema["required"] = [name for name in names if draw.random() < 0.6]
    if draw.random() < 0.35:
        others = (False, True) if depth == 0 else (False, True, {"type": "number"}, {"type": "string", "minLength": 2})
        schema["additionalProperties"] = draw.choice(others)
    if depth and draw.random() < 0.15:
        schema[draw.choice(("minProperties", "maxProperties"))] = draw.randint(1, 2)
    if depth and draw.random() < 0.15:
        schema["patternProperties"] = {"^o": draw.choice(({"type": "number"}, {"minLength": 2}))}
    if draw.random() < 0.1 and len(names) > 1:
        schema["dependentRequired"] = {names[0]: [names[1]]}
    return schema


def _schema(draw: Random, depth: int) -> Schema:
    simple = ("text", "text", "number", "number", "integer", "choice", "boolean", "const")
    wide = ("object", "list", "either", "null", "not", "all", "anything", "if")
    match draw.choice((*simple, *(wide if depth < 3 else ()))):
        case "text":
            limits = draw.choice(({}, {"minLength": 2}, {"maxLength": 3}, {"pattern": "^[a-z]+$"}, {"pattern": "\\d"}))
            return {"type": "string", **limits}
        case "number" | "integer" as kind:
            limits = draw.choice(
                (
                    *({}, {"minimum": 1}, {"maximum": 5}, {"minimum": 0, "exclusiveMaximum": 5}),
                    *({"exclusiveMinimum": 1}, {"multipleOf": 2}, {"multipleOf": 0.5}),
                )
            )
            return {"type": kind, **limits}
        case "choice":
            return draw.choice(
                (
                    {"type": "string", "enum": ["abc", "Rome"]},
                    {"enum": [1, "a", None]},
                    {"type": "integer", "enum": [1, 5]},
                )
            )
        case "boolean":
            return {"type": "boolean"}
        case "const":
            return {"const": draw.choice(("abc", 5, True))}
        case "object":
            return _object(draw, depth, draw.randint(1, 2))
        case "list":
            limits = draw.choice(({}, {"minItems": 1}, {"maxItems": 1}, {"uniqueItems": True}, {"minItems": 2}))
            more: Schema = {"contains": {"type": "string"}} if draw.random() < 0.1 else {}
            more |= {"prefixItems": [_schema(draw, depth + 1)]} if draw.random() < 0.1 else {}
            return {"type": "array", "items": _schema(draw, depth + 1), **limits, **more}
        case "either":
            return {draw.choice(("anyOf", "oneOf")): [_schema(draw, depth + 1), _schema(draw, depth + 1)]}
        case "null":
            return {"type": ["string", "null"]}
        case "not":
            return {"type": "string", "not": {"enum": ["abc", "nine"]}}
        case "all":
            return {"allOf": [{"type": "integer"}, {"minimum": 1}, {"maximum": 10}]}
        case "if":
            return {"if": {"type": "integer"}, "then": {"minimum": 2}, "else": {"type": "string"}}
    return {}


def random_arguments(draw: Random, tool: Mapping[str, Any]) -> dict[str, Any]:
    """Return arguments that mostly fit, with a value, a name or an argument that does not now and then."""
    schema = schema_of(tool)
    inside = {"$defs": schema.get("$defs", {})}
    found: dict[str, Any] = {}
    for name, each in schema["properties"].items():
        if name in schema.get("required", ()) or draw.random() < 0.6:
            found[name] = _value(draw, each if "$ref" not in each else {**schema["$defs"]["one"], **inside})
    if found and draw.random() < 0.15:
        del found[draw.choice(sorted(found))]
    if found and draw.random() < 0.15:
        name = draw.choice(sorted(found))
        found[spelt_wrong(draw, name)] = found.pop(name)
    if draw.random() < 0.1:
        found["further"] = draw.choice((1, "Rome"))
    return found


def _value(draw: Random, schema: Schema) -> Any:
    """Return a value that fits a schema, where one is met among some at random; now and then any other."""
    for _ in range(30 if draw.random() < 0.85 else 1):
        value = _any(draw, schema)
        if _takes(schema, value):
            break
    return value


def _any(draw: Random, schema: Schema, depth: int = 0) -> Any:
    kinds = schema.get("type")
    kind = draw.choice(kinds) if isinstance(kinds, list) else kinds
    if draw.random() < 0.1:
        return draw.choice(_ODD)
    if "enum" in schema:
        return draw.choice((*schema["enum"], "abcd"))
    if "const" in schema:
        return schema["const"]
    for key in ("anyOf", "oneOf", "allOf"):
        if key in schema:
            return _any(draw, draw.choice(schema[key]), depth)
    match kind:
        case "string":
            return draw.choice(_WORDS)
        case "number" | "integer":
            return draw.choice(_NUMBERS)
        case "boolean":
            return draw.random() < 0.5
        case "null":
            return None
        case "array":
            return [_any(draw, schema.get("items", {}), depth + 1) for _ in range(draw.randint(0, 3))]
        case "object":
            inner = schema.get("properties", {})
            needed = schema.get("required", ())
            found = {n: _any(draw, each, depth + 1) for n, each in inner.items() if n in needed or draw.random() < 0.7}
            return {**found, "other": draw.choice((1, "xy", "x"))} if draw.random() < 0.15 else found
    return draw.choice((*_WORDS, *_NUMBERS, *_ODD))


def spelt_wrong(draw: Random, name: str) -> str:
    place = draw.randrange(len(name))
    return draw.choice((name[:place] + name[place + 1 :], name + "s", name.upper(), name.replace("o", "0") + "_"))


def is_called_right(tool: Mapping[str, Any], arguments: Mapping[str, Any]) -> bool:
    """Return whether a schema takes arguments; of what it does not name only what it says that it takes."""
    schema = schema_of(tool)
    others = schema.get("additionalProperties", False)
    return _takes({**schema, "additionalProperties": others}, dict(arguments))


def _takes(schema: Schema, value: Any) -> bool:
    from jsonschema import Draft202012Validator  # of the extra ``test``, without which other laws are tried

    return bool(Draft202012Validator(schema).is_valid(value))
