"""The values that a trace records, by the items of a flow: which item a value that was given can have come from."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence

from validator.reading.calls import Argument, read_arguments
from validator.reading.traces.recording import folded
from validator.records import dataclass

__all__ = ["Recorded", "output_of", "recorded"]


@dataclass(frozen=True, slots=True)
class Recorded:
    """A recorded value: its parts as texts without case, and of those the ones that may hold others."""

    parts: frozenset[str]
    texts: tuple[str, ...]

    def holds(self, value: Recorded) -> bool:
        """Return whether a value is this one, or a part of it: all its parts are, or stand in a longer text of it."""
        return all(part in self.parts or any(part in text for text in self.texts) for part in value.parts)


def recorded(value: Argument | object) -> Recorded:
    """Return a value of JSON, or of an argument, as something to be compared; a text that is JSON counts as that."""
    parts = tuple(_parts(value.text if isinstance(value, Argument) else value))
    return Recorded(frozenset(parts), tuple(part for part in parts if " " in part or "\n" in part))


def _parts(value: object) -> Iterator[str]:
    if isinstance(value, str):
        inner = _read(value)
        if isinstance(inner, str):
            yield inner.strip().casefold()
        else:
            yield from _parts(inner)
    elif isinstance(value, Mapping):
        for each in value.values():
            yield from _parts(each)
    elif isinstance(value, Sequence):
        for each in value:
            yield from _parts(each)
    else:
        (argument,) = read_arguments([value]) or (Argument(None, "null"),)
        yield argument.text


def _read(text: str) -> object:
    """Return the value of a text that is a JSON object, list or number, else the text."""
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return text
    return text if isinstance(value, str) else value


def output_of(result: object, item: str) -> object:
    """Return what a result says of one output: what stands under its name, where it has that, else all of it."""
    value = _read(result) if isinstance(result, str) else result
    if isinstance(value, Mapping):
        for name, each in value.items():
            if folded(str(name)) == folded(item):
                return each
    return result
