"""Read the messages of MCP in the bodies of HTTP: of a request as a whole, of a response as it comes."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

__all__ = ["Messages", "UnreadableError", "messages_of", "read_body"]


class UnreadableError(ValueError):
    """A body that is no JSON, or that two readers may take for two messages."""


def read_body(body: bytes) -> Any:
    """Return the JSON of a request's body. Raises UnreadableError, also where an object has a name twice."""
    try:
        return json.loads(body.decode("utf-8"), object_pairs_hook=_once, parse_constant=_no_number)
    except (ValueError, RecursionError) as error:
        raise UnreadableError(f"Parse error: {error}") from None


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise ValueError("an object has a name twice")
    return found


def _no_number(text: str) -> Any:
    raise ValueError(f"{text} is no number of JSON")


class Messages:
    """The messages in a response of JSON, whole at its end."""

    def __init__(self) -> None:
        self._data = bytearray()

    def feed(self, chunk: bytes) -> Iterable[Any]:
        self._data += chunk
        return ()

    def end(self) -> Iterable[Any]:
        return _read(bytes(self._data))


class _Events(Messages):
    """The messages in a stream of events, each at its end; the text of an event ``endpoint`` is its address."""

    def __init__(self) -> None:
        super().__init__()
        self._lines: list[bytes] = []
        self._name = b""

    def feed(self, chunk: bytes) -> Iterable[Any]:
        self._data += chunk
        *lines, rest = bytes(self._data).replace(b"\r\n", b"\n").split(b"\n")
        self._data = bytearray(rest)
        for line in lines:
            yield from self._line(line)

    def end(self) -> Iterable[Any]:
        return ()  # an event that was not ended is none

    def _line(self, line: bytes) -> Iterable[Any]:
        name, _, value = line.partition(b":")
        if name == b"data":
            self._lines.append(value.removeprefix(b" "))
        elif name == b"event":
            self._name = value.strip()
        elif not line:
            data, event = b"\n".join(self._lines), self._name
            self._lines, self._name = [], b""
            yield from [data.decode()] if event == b"endpoint" else _read(data)


def _read(data: bytes) -> Iterable[Any]:
    try:
        return [json.loads(data)] if data else []
    except ValueError:
        return []


def messages_of(content_type: str) -> Messages:
    """Return the reader of a response."""
    return _Events() if content_type.lower().startswith("text/event-stream") else Messages()
