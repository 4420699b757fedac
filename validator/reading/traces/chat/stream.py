"""Streamed answers: the pieces of a message put together, as OpenAI's and Anthropic's servers send them."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any

from validator.records import dataclass, field

__all__ = ["assembled", "is_chunk"]

_EVENTS = frozenset(
    (
        *("content_block_start", "content_block_delta", "content_block_stop", "message_start", "message_delta"),
        *("message_stop", "ping"),
    )
)
_BEFORE_DONE = (".added", ".delta", ".in_progress", ".created", ".queued", ".searching", ".interpreting")


def is_chunk(value: Mapping[str, object]) -> bool:
    """Return whether an object is a piece of a streamed answer, or tells of one that comes whole later."""
    choices = value.get("choices")
    if isinstance(choices, list) and any(isinstance(each, Mapping) and "delta" in each for each in choices):
        return True
    kind = value.get("type")
    if not isinstance(kind, str):
        return False
    return kind in _EVENTS or (kind.startswith("response.") and kind.endswith(_BEFORE_DONE))


@dataclass
class _Answer:
    """One answer: its text, and its calls by their place in it."""

    text: list[str] = field(default_factory=list)
    calls: dict[object, dict[str, Any]] = field(default_factory=dict)

    def call(self, place: object) -> dict[str, Any]:
        return self.calls.setdefault(place, {"id": None, "name": "", "arguments": ""})

    def message(self) -> dict[str, object]:
        calls = [call for call in self.calls.values() if call["name"]]
        return {"role": "assistant", "content": "".join(self.text), "tool_calls": calls}


def assembled(chunks: Iterable[Mapping[str, object]]) -> list[dict[str, object]]:
    """Return the messages that pieces make together, in the order in which they began."""
    found: dict[object, _Answer] = {}
    number = 0
    for chunk in chunks:
        kind = chunk.get("type")
        number += kind == "message_start"
        answer = found.setdefault(number if kind in _EVENTS else chunk.get("id"), _Answer())
        if kind in _EVENTS:
            _event(chunk, answer)
        choices = chunk.get("choices")
        for choice in choices if isinstance(choices, list) else ():
            delta = choice.get("delta") if isinstance(choice, Mapping) else None
            if isinstance(delta, Mapping):
                _delta(delta, answer)
    return [answer.message() for answer in found.values() if answer.text or answer.calls]


def _delta(delta: Mapping[str, object], answer: _Answer) -> None:
    if isinstance(text := delta.get("content"), str):
        answer.text.append(text)
    calls = delta.get("tool_calls")
    for place, piece in enumerate(calls if isinstance(calls, list) else ()):
        if not isinstance(piece, Mapping):
            continue
        call = answer.call(piece.get("index", place))
        inner = piece.get("function")
        call["id"] = piece.get("id") or call["id"]
        if isinstance(inner, Mapping):
            call["name"] += str(inner.get("name") or "")
            call["arguments"] += str(inner.get("arguments") or "")


def _event(event: Mapping[str, object], answer: _Answer) -> None:
    block, delta = event.get("content_block"), event.get("delta")
    if isinstance(block, Mapping) and str(block.get("type")).endswith("tool_use"):
        call = answer.call(event.get("index"))
        given = block.get("input")
        call |= {"id": block.get("id"), "name": str(block.get("name") or "")}
        call["arguments"] = json.dumps(given) if given else ""
    elif isinstance(block, Mapping) and isinstance(block.get("text"), str):
        answer.text.append(str(block["text"]))
    if isinstance(delta, Mapping):
        if isinstance(piece := delta.get("partial_json"), str):
            answer.call(event.get("index"))["arguments"] += piece
        elif isinstance(text := delta.get("text"), str):
            answer.text.append(text)
