"""Operations of an OpenAPI document as tools, in the form of MCP's ``tools/list``."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from validator.flow.tools.schema import referred

__all__ = ["is_openapi", "tools_of_openapi"]

_METHODS = ("get", "put", "post", "delete", "patch", "head", "options")
_DEEPEST = 20


def is_openapi(document: object) -> bool:
    return isinstance(document, Mapping) and isinstance(document.get("paths"), Mapping)


def tools_of_openapi(document: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return a tool for each operation: its parameters and the properties of its body in, those of its answer out.

    It is named by its ``operationId``, else by method and path. What GET answers changes nothing.
    """
    return [
        _tool(document, method, path, {**shared, **operation})
        for path, item in document["paths"].items()
        if isinstance(item, Mapping)
        for shared in [{"parameters": item.get("parameters", [])}]
        for method, operation in item.items()
        if method in _METHODS and isinstance(operation, Mapping)
    ]


def _tool(document: Mapping[str, Any], method: str, path: str, operation: Mapping[str, Any]) -> dict[str, Any]:
    name = operation.get("operationId") or "_".join((method, *re.findall(r"\w+", path)))
    properties: dict[str, Any] = {}
    required: list[str] = []
    for parameter in operation.get("parameters", []):
        own = _resolved(document, parameter)
        if own.get("in") in ("query", "path", "body", "formData") and "name" in own:
            properties[own["name"]] = _resolved(document, own.get("schema", {}))
            required += [own["name"]] if own.get("required") else []
    body = _resolved(document, operation.get("requestBody", {}))
    schema = _content(document, body)
    properties |= {key: _resolved(document, value) for key, value in schema.get("properties", {}).items()}
    required += schema.get("required", []) if body.get("required") or schema.get("required") else []
    return {
        "name": name,
        "description": operation.get("summary") or operation.get("description") or "",
        "inputSchema": {"type": "object", "properties": properties, "required": sorted(set(required))},
        "outputSchema": _answer(document, operation.get("responses", {})),
        "annotations": {"readOnlyHint": method in ("get", "head", "options")},
    }


def _answer(document: Mapping[str, Any], responses: Mapping[str, Any]) -> dict[str, Any]:
    for code in sorted(map(str, responses)):
        if code.startswith("2") or code == "default":
            found = _content(document, _resolved(document, responses[code]))
            while found.get("type") == "array":
                found = _whole(document, found.get("items", {}))
            if found.get("properties"):
                own = {key: _resolved(document, value) for key, value in found["properties"].items()}
                return {"type": "object", "properties": own}
    return {"type": "object", "properties": {}}


def _content(document: Mapping[str, Any], holder: Mapping[str, Any]) -> dict[str, Any]:
    for media in (*holder.get("content", {}).values(), holder):
        if isinstance(media, Mapping) and isinstance(media.get("schema"), Mapping):
            return _whole(document, media["schema"])
    return {}


def _whole(document: Mapping[str, Any], value: Any, deepest: int = _DEEPEST) -> dict[str, Any]:
    """Return a schema with those in it that hold all at once (``allOf``)."""
    found = dict(_resolved(document, value))
    parts = found.pop("allOf", ())
    for part in parts if deepest and isinstance(parts, list) else ():
        own = _whole(document, part, deepest - 1)
        properties = {**own.get("properties", {}), **found.get("properties", {})}
        required = [*own.get("required", ()), *found.get("required", ())]
        found = {**own, **found, "properties": properties, "required": required}
    return found


def _resolved(document: Mapping[str, Any], value: Any) -> Any:
    """Return what a local reference stands for."""
    for _ in range(_DEEPEST):
        reference = value.get("$ref") if isinstance(value, Mapping) else None
        if not isinstance(reference, str) or not reference.startswith("#/"):
            break
        value = referred(reference, document)
    return value if isinstance(value, Mapping) else {}
