"""Streamed answers: the pieces of a message put together, as servers send them, each with a shape of its own.

{"choices": [{"delta": {"tool_calls": [{"index": 0, "function": {"arguments": "{\\"x\\""}}]}}]}      OpenAI
{"type": "content_block_delta", "index": 1, "delta": {"partial_json": "{\\"x\\""}}                 Anthropic
{"contentBlockDelta": {"contentBlockIndex": 1, "delta": {"toolUse": {"input": "{\\"x\\""}}}}        Bedrock
{"type": "tool-call-delta", "index": 0, "delta": {"message": {"tool_calls": {"function": ...}}}}  Cohere
{"event_type": "step.delta", "index": 1, "delta": {"arguments": "{\\"x\\""}}                       Gemini's interactions
{"candidates": [{"content": {"parts": [{"functionCall": {"partialArgs": [...]}}]}}]}              Gemini
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from validator.reading.calls.keys import spelled
from validator.records import dataclass, field

__all__ = ["assembled", "is_chunk"]

_ANTHROPIC = frozenset(
    (
        *("content_block_start", "content_block_delta", "content_block_stop", "message_start", "message_delta"),
        *("message_stop", "ping"),
    )
)
_BEDROCK = frozenset(("contentBlockStart", "contentBlockDelta", "contentBlockStop", "messageStart", "messageStop"))
_COHERE = frozenset(
    (
        *("message-start", "message-end", "tool-plan-delta", "tool-call-start", "tool-call-delta", "tool-call-end"),
        *("content-start", "content-delta", "content-end", "citation-start", "citation-end"),
    )
)
_STEPS = frozenset(("step.start", "step.delta", "step.stop", "content.start", "content.delta", "content.stop"))
_BEFORE_DONE = (".added", ".delta", ".in_progress", ".created", ".queued", ".searching", ".interpreting")


def is_chunk(value: Mapping[str, object]) -> bool:
    """Return whether an object is a piece of a streamed answer, or tells of one that comes whole later."""
    if (choices := value.get("choices")) is not None:
        return isinstance(choices, list) and any(isinstance(each, Mapping) and "delta" in each for each in choices)
    if (kind := value.get("type")) is not None:
        if not isinstance(kind, str):
            return False
        told = kind in _ANTHROPIC or (kind.startswith("response.") and kind.endswith(_BEFORE_DONE))
        return told or (kind in _COHERE and _is_of_cohere(value))
    if (kind := value.get("event_type")) is not None:
        return isinstance(kind, str) and kind in _STEPS and "index" in value
    if "candidates" in value:
        return any(map(_is_partial, _gemini_calls(value)))
    return not _BEDROCK.isdisjoint(value) and any(isinstance(value.get(key), Mapping) for key in _BEDROCK)


_OF_COHERE = frozenset(("type", "index", "id", "delta", "logprobs"))


def _is_of_cohere(value: Mapping[str, object]) -> bool:
    return value.keys() <= _OF_COHERE and isinstance(value.get("delta", {}), Mapping)


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


def assembled(chunks: Iterable[Mapping[str, object]]) -> list[dict[str, object]]:
    """Return the messages that pieces make together, in the order in which they began."""
    found: dict[object, _Answer] = {}
    number = 0
    for chunk in chunks:
        kind = chunk.get("type")
        if "choices" in chunk:
            _choices(chunk, found.setdefault(chunk.get("id"), _Answer()))
            continue
        number += kind in ("message_start", "message-start") or "messageStart" in chunk
        answer = found.setdefault(number, _Answer())
        if kind in _ANTHROPIC:
            _block(chunk, answer)
        elif kind in _COHERE:
            _cohere(chunk, answer)
        elif chunk.get("event_type") in _STEPS:
            _step(chunk, answer)
        elif "candidates" in chunk:
            for call in _gemini_calls(chunk):
                _gemini(call, answer)
        else:
            _bedrock(chunk, answer)
    return [answer.message() for answer in found.values() if answer.text or answer.calls or answer.parts]


# --- OpenAI --------------------------------------------------------------------------------------


def _choices(chunk: Mapping[str, object], answer: _Answer) -> None:
    choices = chunk["choices"]
    for choice in choices if isinstance(choices, list) else ():
        delta = choice.get("delta") if isinstance(choice, Mapping) else None
        if isinstance(delta, Mapping):
            _delta(delta, answer)


def _delta(delta: Mapping[str, object], answer: _Answer) -> None:
    answer.say(delta.get("content"))
    calls = delta.get("tool_calls")
    for place, piece in enumerate(calls if isinstance(calls, list) else ()):
        if isinstance(piece, Mapping):
            _piece(piece, piece.get("index", place), answer)


def _piece(piece: Mapping[str, object], place: object, answer: _Answer) -> None:
    call = answer.at(place)
    inner = piece.get("function")
    own: Mapping[str, object] = inner if isinstance(inner, Mapping) else {}
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


# --- Anthropic and Bedrock -----------------------------------------------------------------------


def _block(event: Mapping[str, object], answer: _Answer) -> None:
    place, delta, message = event.get("index"), event.get("delta"), event.get("message")
    if event.get("type") == "content_block_stop":
        answer.end(place)
    begun = message.get("content") if isinstance(message, Mapping) else None
    for number, each in enumerate(begun if isinstance(begun, list) else ()):
        _begun(each, ("whole", number), answer)
        answer.end(("whole", number))
    _begun(event.get("content_block"), place, answer)
    if isinstance(delta, Mapping):
        if isinstance(piece := delta.get("partial_json"), str):
            answer.at(place)["arguments"] += piece
        answer.say(delta.get("text"))


def _begun(block: object, place: object, answer: _Answer) -> None:
    if not isinstance(block, Mapping):
        return
    kind = str(block.get("type"))
    if kind.endswith("tool_use"):
        answer.begin(place, block.get("id"), block.get("name"), block.get("input"))
    elif kind.endswith("tool_result"):
        answer.parts.append(block)
    else:
        answer.say(block.get("text"))


def _bedrock(event: Mapping[str, object], answer: _Answer) -> None:
    for key in _BEDROCK:
        inner = event.get(key)
        if not isinstance(inner, Mapping):
            continue
        place, start, delta = inner.get("contentBlockIndex"), inner.get("start"), inner.get("delta")
        if key == "contentBlockStop":
            answer.end(place)
        if isinstance(start, Mapping) and isinstance(use := start.get("toolUse"), Mapping):
            answer.begin(place, use.get("toolUseId"), use.get("name"))
        if isinstance(delta, Mapping):
            answer.say(delta.get("text"))
            use = delta.get("toolUse")
            if isinstance(use, Mapping) and isinstance(piece := use.get("input"), str):
                answer.at(place)["arguments"] += piece


# --- Cohere --------------------------------------------------------------------------------------


def _cohere(event: Mapping[str, object], answer: _Answer) -> None:
    place, delta = event.get("index"), event.get("delta")
    if event["type"] == "tool-call-end":
        answer.end(place)
    message = delta.get("message") if isinstance(delta, Mapping) else None
    if not isinstance(message, Mapping):
        return
    answer.say(message.get("tool_plan"))
    content, call = message.get("content"), message.get("tool_calls")
    if isinstance(content, Mapping):
        answer.say(content.get("text"))
    if isinstance(call, Mapping):
        _piece(call, place, answer)


# --- Gemini --------------------------------------------------------------------------------------


def _step(event: Mapping[str, object], answer: _Answer) -> None:
    place, delta = event.get("index"), event.get("delta")
    step = event.get("step", event.get("content"))
    if str(event["event_type"]).endswith(".stop"):
        answer.end(place)
    if isinstance(step, Mapping):
        kind = str(step.get("type"))
        if kind.endswith("_call"):
            answer.begin(place, step.get("id"), step.get("name") or kind.removesuffix("_call"), step.get("arguments"))
        elif kind.endswith("_result"):
            answer.parts.append({**step, "type": "tool_result"})
    if isinstance(delta, Mapping):
        answer.say(delta.get("text"))
        given = delta.get("arguments")
        if isinstance(given, str):
            answer.at(place)["arguments"] += given
        elif isinstance(given, Mapping):
            answer.at(place)["arguments"] = json.dumps(given)


def _gemini_calls(chunk: Mapping[str, object]) -> Iterator[Mapping[str, object]]:
    """Yield the function calls in a response, as far as each is told by it."""
    candidates = chunk["candidates"]
    for candidate in candidates if isinstance(candidates, list) else ():
        content = candidate.get("content") if isinstance(candidate, Mapping) else None
        parts = content.get("parts") if isinstance(content, Mapping) else None
        for part in parts if isinstance(parts, list) else ():
            call = part.get("functionCall", part.get("function_call")) if isinstance(part, Mapping) else None
            if isinstance(call, Mapping):
                yield call


def _is_partial(call: Mapping[str, object]) -> bool:
    return not call or any(spelled(str(key)) in ("partial_args", "will_continue") for key in call)


def _gemini(call: Mapping[str, object], answer: _Answer) -> None:
    """Take down what a response tells of a call: its name comes first, and what has none goes on with the last one."""
    own = {spelled(str(key)): each for key, each in call.items()}
    if own.get("name"):
        begun = own.get("args")
        call = answer.begin(None, own.get("id"), own["name"])
        call["arguments"] = dict(begun) if isinstance(begun, Mapping) else {}
    pieces = own.get("partial_args")
    for piece in pieces if isinstance(pieces, list) and answer.calls else ():
        if isinstance(piece, Mapping):
            _put(answer.calls[-1]["arguments"], {spelled(str(key)): each for key, each in piece.items()})


_PATH = re.compile(r"\.(?P<name>[^.\[]+)|\[(?P<place>\d{1,4})\]|\['(?P<quoted>[^']+)'\]")


def _put(given: dict[str, Any], piece: Mapping[str, object]) -> None:
    """Put a piece at its path, ``$.rooms[0].name``; a text goes on with the one that stands there."""
    steps = [
        int(step["place"]) if step["place"] else step["name"] or step["quoted"]
        for step in _PATH.finditer(str(piece.get("json_path") or ""))
    ]
    value = next((each for key, each in piece.items() if key.endswith("_value")), None)
    place: Any = given
    for step, following in zip(steps, [*steps[1:], None], strict=True):
        if isinstance(place, list) and isinstance(step, int):
            place.extend([None] * (step + 1 - len(place)))
            held = place[step]
        elif isinstance(place, dict) and isinstance(step, str):
            held = place.get(step)
        else:
            return
        if following is None:
            is_further = isinstance(value, str) and isinstance(held, str) and "string_value" in piece
            place[step] = held + value if is_further else value
        elif held is None:
            place[step] = held = [] if isinstance(following, int) else {}
        place = held
