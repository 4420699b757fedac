"""Readers of a document's values from parts: ``record(Order, first=text("before"), then=text("after"))``."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Concatenate, ParamSpec, TypeAlias, TypeVar

from validator.flow.model import Input, Output
from validator.reading.fields import Fields, text_at

_T = TypeVar("_T")
_P = ParamSpec("_P")

Reader: TypeAlias = Callable[[object, str], _T]
"""Reads a value of a document that stands at a path. Raises ModelError with the path."""

Part: TypeAlias = Callable[[Fields], Any]
"""Reads what an object of a document has under some key."""


def record(make: Callable[..., _T], /, *ignored: str, **parts: Part) -> Reader[_T]:
    """Return what reads an object, each part by its reader; keys that nothing reads, but the ignored, are refused."""

    def read(value: object, path: str) -> _T:
        fields = Fields(value, path)
        found = make(**{name: part(fields) for name, part in parts.items()})
        fields.end(ignored)
        return found

    return read


def named(make: Callable[[str], _T], read: Reader[_T]) -> Reader[_T]:
    """Return what reads a name alone, or what ``read`` reads."""
    return lambda value, path: make(text_at(value, path)) if isinstance(value, str) else read(value, path)


def _part(read: Callable[Concatenate[Fields, _P], Any]) -> Callable[_P, Part]:
    """Return what makes parts of a method of ``Fields``, which reads one key."""
    return lambda *args, **rest: lambda fields: read(fields, *args, **rest)


text, optional_text = _part(Fields.text), _part(Fields.optional_text)
flag, share, whole, choice = _part(Fields.flag), _part(Fields.share), _part(Fields.whole), _part(Fields.choice)


def one(key: str, read: Reader[Any]) -> Part:
    return lambda fields: read(fields.raw(key), fields.path(key))


def listed(key: str, read: Reader[Any]) -> Part:
    """Read the members of a list; a single value stands for a list of one."""
    return lambda fields: tuple(read(value, path) for path, value in fields.entries(key))


def signature(item: str, kind: str, *ignored: str) -> tuple[Reader[Input], Reader[Output]]:
    """Return what reads an input and an output: a name alone, or an object with its item and type under some keys."""
    places: dict[str, Part] = {"item": text(item), "type": optional_text(kind)}
    values = listed("allowed_values", lambda value, _: str(value))
    taken = record(Input, *ignored, **places, required=flag("required", True), allowed_values=values)
    yielded = record(Output, *ignored, **places)
    return named(lambda name: Input(item=name), taken), named(lambda name: Output(item=name), yielded)
