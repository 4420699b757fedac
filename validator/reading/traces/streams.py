"""Streamed answers of OpenAI and Anthropic, and of servers that write as they do: the pieces of a message put together.

{"choices": [{"delta": {"tool_calls": [{"index": 0, "function": {"arguments": "{\\"x\\""}}]}}]}      OpenAI
{"type": "content_block_delta", "index": 1, "delta": {"partial_json": "{\\"x\\""}}                 Anthropic

Pieces of other servers (Bedrock, Cohere, Gemini) are known, and not understood.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from typing import Any

from validator.reading.calls.objects import is_object
from validator.reading.traces.paths import at, meets
from validator.records import dataclass, field

__all__ = ["assembled", "is_chunk"]

_ANTHROPIC = re.compile(r"(?:message|content_block)_(?:start|delta|stop)|ping")
_OTHERS = re.compile(
    r"(?:message|contentBlock)(?:Start|Delta|Stop)|(?:step|content)\.(?:start|delta|stop)"
    r"|(?:message|content|tool-call|tool-plan|citation)-(?:start|delta|end)"
)
_BEFORE_DONE = (".added", ".delta", ".in_progress", ".created", ".queued", ".searching", ".interpreting")
_OF_OTHERS = frozenset(("type", "event_type", "index", "id", "delta", "step", "content", "logprobs"))
_PARTIAL = "partial_args|will_continue"


def is_chunk(value: Mapping[str, object]) -> bool:
    """Return whether an object is a piece of a streamed answer, or tells of one that comes whole later."""
    if (choices := value.get("choices")) is not None:
        return isinstance(choices, list) and any(is_object(each) and "delta" in each for each in choices)
    kind = value.get("type", value.get("event_type"))
    if isinstance(kind, str):
        is_later = kind.startswith("response.") and kind.endswith(_BEFORE_DONE)
        return is_later or _ANTHROPIC.fullmatch(kind) is not None or _is_of_others(value)
    return kind is None and _is_of_others(value)


def _is_of_others(value: Mapping[str, object]) -> bool:
    """Return whether an object is a piece that another server sends: Bedrock, Cohere, Gemini."""
    kind = value.get("type", value.get("event_type"))
    if isinstance(kind, str):
        return _OTHERS.fullmatch(kind) is not None and value.keys() <= _OF_OTHERS
    calls = at(value, "candidates[].content.parts[].function_call")
    are_partial = (is_object(call) and (not call or meets(call, _PARTIAL)) for call in calls)
    return any(map(_OTHERS.fullmatch, map(str, value))) or any(are_partial)


@dataclass
class _Answer:
    """One answer: its text, its calls in the order in which they began, and its parts that came whole."""

    text: list[str] = field(default_factory=list)
    calls: list[dict[str, Any]] = field(default_factory=list)
    parts: list[Mapping[str, object]] = field(default_factory=list)
    _at: dict[object, dict[str, Any]] = field(default_factory=dict)

    def begin(self, place: object, identity: object, name: object, given: object = None) -> dict[str, Any]:
        """Begin a call, whose arguments, if all that is given of them is empty, are still to come."""
        written = json.dumps(given) if given else ""
        call = self._at[place] = {"id": identity, "name": str(name or ""), "arguments": written}
        self.calls.append(call)
        return call

    def at(self, place: object) -> dict[str, Any]:
        """Return the call that is under way at a place."""
        found = self._at.get(place)
        return self.begin(place, None, "") if found is None else found

    def end(self, place: object) -> None:
        """End a call; one for which no piece of arguments came has none."""
        call = self._at.get(place)
        if call is not None and call["arguments"] == "":
            call["arguments"] = "{}"

    def say(self, text: object) -> None:
        if isinstance(text, str):
            self.text.append(text)

    def message(self) -> dict[str, object]:
        calls = [call for call in self.calls if call["name"]]
        text = "".join(self.text)
        content = [{"type": "text", "text": text}, *self.parts] if self.parts else text
        return {"role": "assistant", "content": content, "tool_calls": calls}


_UNREAD = {"type": "tool calls in the pieces of a stream"}


def assembled(chunks: Iterable[Mapping[str, object]]) -> list[dict[str, object]]:
    """Return the messages that pieces make together, in the order in which they began."""
    found: dict[object, _Answer] = {}
    number = 0
    for chunk in chunks:
        if "choices" in chunk:
            _of_openai(chunk, found.setdefault(chunk.get("id"), _Answer()))
        elif _is_of_others(chunk):
            found.setdefault(None, _Answer()).parts[:] = [_UNREAD]
        else:
            number += chunk.get("type") == "message_start"
            _of_anthropic(chunk, found.setdefault(number, _Answer()))
    return [answer.message() for answer in found.values() if answer.text or answer.calls or answer.parts]


def _of_openai(chunk: Mapping[str, object], answer: _Answer) -> None:
    for text in at(chunk, "choices[].delta.content"):
        answer.say(text)
    for number, piece in enumerate(at(chunk, "choices[].delta.tool_calls[]")):
        if is_object(piece):
            _piece(piece, piece.get("index", number), answer)


def _piece(piece: Mapping[str, object], place: object, answer: _Answer) -> None:
    call = answer.at(place)
    inner = piece.get("function")
    own: Mapping[str, object] = inner if is_object(inner) else {}
    identity, name = piece.get("id") or call["id"], str(own.get("name") or "")
    if name and call["name"] and (identity != call["id"] or _is_whole(call["arguments"])):
        call = answer.begin(place, identity, "")  # some servers give all calls one place
    call["id"] = identity
    call["name"] += name if name != call["name"] else ""  # or name a call in each of its pieces
    call["arguments"] += str(own.get("arguments") or "")


def _is_whole(arguments: str) -> bool:
    try:
        return isinstance(json.loads(arguments), dict)
    except (ValueError, RecursionError):
        return False


def _of_anthropic(chunk: Mapping[str, object], answer: _Answer) -> None:
    place = chunk.get("index")
    if chunk.get("type") == "content_block_stop":
        answer.end(place)
    for text in at(chunk, "delta.text"):
        answer.say(text)
    for block in at(chunk, "content_block"):
        _begun(block, place, answer)
    for number, block in enumerate(at(chunk, "message.content[]")):
        _begun(block, ("whole", number), answer)
        answer.end(("whole", number))
    for given in at(chunk, "delta.partial_json"):
        answer.at(place)["arguments"] += str(given)


def _begun(block: object, place: object, answer: _Answer) -> None:
    """Begin a call of which only the arguments are to come, or take a result that is whole, or a text."""
    if not is_object(block):
        return
    kind = str(block.get("type") or "")
    if kind.endswith(("tool_use", "_call")) or (not kind and "name" in block):
        name = block.get("name") or kind.removesuffix("_call")
        answer.begin(place, block.get("id"), name, block.get("input", block.get("arguments")))
    elif kind.endswith("_result"):
        answer.parts.append(block if kind.endswith("tool_result") else {**block, "type": "tool_result"})
    else:
        answer.say(block.get("text"))
