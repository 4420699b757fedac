"""The attributes of a span by their dotted names, however they are nested, listed or written as JSON."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from validator.reading.calls.keys import spelled
from validator.reading.traces.walk import parsed

__all__ = ["Attributes", "any_value"]


class Attributes:
    """Attributes by their names as ``spelled`` writes them: ``ai.toolCall.name`` is ``ai.tool_call.name``."""

    def __init__(self, *sources: object) -> None:
        self._values: dict[str, object] = {}
        for source in sources:
            for name, value in _items(source):
                self._put(name, value)

    def _put(self, name: str, value: object) -> None:
        if "json_schema" in name:
            return
        self._values.setdefault(spelled(name), value)
        if isinstance(value, Mapping):
            for inner, each in value.items():
                self._put(f"{name}.{inner}", each)

    def __bool__(self) -> bool:
        return bool(self._values)

    def __iter__(self) -> Iterator[str]:
        return iter(self._values)

    def get(self, name: str) -> object:
        return self._values.get(name)

    def first(self, names: Iterable[str]) -> object:
        """Return the first value that is there, of names and of ends of names that begin with a dot."""
        for name in names:
            if name.startswith("."):
                found = next(
                    (each for key, each in self._values.items() if key.endswith(name) and each is not None), None
                )
            else:
                found = self._values.get(name)
            if found is not None:
                return found
        return None

    def text(self, names: Iterable[str]) -> str:
        """Return the first of such values that is a text, without the quotes of JSON around it."""
        found = parsed(self.first(names))
        return found.strip() if isinstance(found, str) else ""


def _items(source: object) -> Iterator[tuple[str, object]]:
    source = parsed(source)
    if isinstance(source, Mapping):
        yield from ((str(key), value) for key, value in source.items())
    elif isinstance(source, list):
        for each in source:
            if isinstance(each, Mapping) and isinstance(each.get("key"), str):
                yield str(each["key"]), any_value(each.get("value"))


def any_value(value: object) -> object:
    """Return the value of an OTLP AnyValue."""
    if not isinstance(value, Mapping) or len(value) != 1:
        return value
    ((kind, inner),) = value.items()
    if kind == "arrayValue" and isinstance(inner, Mapping):
        values = inner.get("values")
        return [any_value(each) for each in values] if isinstance(values, list) else []
    if kind == "kvlistValue" and isinstance(inner, Mapping):
        values = inner.get("values")
        listed = values if isinstance(values, list) else []
        return {str(each.get("key")): any_value(each.get("value")) for each in listed if isinstance(each, Mapping)}
    if kind == "intValue" and isinstance(inner, str):
        return int(inner) if inner.lstrip("-").isdigit() else inner
    return inner if kind in ("stringValue", "boolValue", "doubleValue", "intValue", "bytesValue") else value
