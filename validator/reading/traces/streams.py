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

from validator.reading.calls.objects import by_spelling, spelled
from validator.reading.traces.paths import at
from validator.records import dataclass, field

__all__ = ["assembled", "is_chunk"]

_PIECE = re.compile(
    r"(?:message|content_block)_(?:start|delta|stop)|ping"  # Anthropic
    r"|(?:message|contentBlock)(?:Start|Delta|Stop)"  # Bedrock
    r"|(?:message|content|tool-call|tool-plan|citation)-(?:start|delta|end)"  # Cohere
    r"|(?:step|content)\.(?:start|delta|stop)"  # Gemini's interactions
)
_BEFORE_DONE = (".added", ".delta", ".in_progress", ".created", ".queued", ".searching", ".interpreting")
_OF_COHERE = frozenset(("type", "index", "id", "delta", "logprobs"))


def _nested(value: Mapping[str, object]) -> str | None:
    """Return the key under which Bedrock puts what a piece tells, and which says its kind."""
    return next((k for k, each in value.items() if isinstance(each, Mapping) and _PIECE.fullmatch(k)), None)


def is_chunk(value: Mapping[str, object]) -> bool:
    """Return whether an object is a piece of a streamed answer, or tells of one that comes whole later."""
    if (choices := value.get("choices")) is not None:
        return isinstance(choices, list) and any(isinstance(each, Mapping) and "delta" in each for each in choices)
    if "candidates" in value:
        return any(map(_is_partial, _gemini_calls(value)))
    kind = value.get("type", value.get("event_type"))
    if kind is None:
        return _nested(value) is not None
    if not isinstance(kind, str):
        return False
    if _PIECE.fullmatch(kind) is None:
        return kind.startswith("response.") and kind.endswith(_BEFORE_DONE)
    return "-" not in kind or (value.keys() <= _OF_COHERE and isinstance(value.get("delta", {}), Mapping))


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
        if "choices" in chunk:
            _take(chunk, "", found.setdefault(chunk.get("id"), _Answer()))
            continue
        said = chunk.get("type", chunk.get("event_type"))
        nested = None if said is not None else _nested(chunk)
        kind = str(nested or said)
        number += kind in ("message_start", "message-start", "messageStart")
        answer = found.setdefault(number, _Answer())
        if "candidates" in chunk:
            for call in _gemini_calls(chunk):
                _gemini(call, answer)
        else:
            _take(chunk[nested] if nested else chunk, kind, answer)
    return [answer.message() for answer in found.values() if answer.text or answer.calls or answer.parts]


# --- where a piece says what ---------------------------------------------------------------------

_PLACES = ("index", "contentBlockIndex")
_ENDS = ("content_block_stop", "contentBlockStop", "step.stop", "content.stop", "tool-call-end")
_SAYS = ("delta.text", "delta.message.tool_plan", "delta.message.content.text", "choices[].delta.content")
_BEGINS = ("content_block", "step", "content", "start.tool_use")
"""a call of which only the arguments are to come, a result that is whole, or a text"""
_WHOLE = ("message.content[]",)
_GIVEN = ("delta.partial_json", "delta.tool_use.input", "delta.arguments")
_PIECES = ("delta.message.tool_calls", "choices[].delta.tool_calls[]")
"""calls of which any part may come later"""


def _take(piece: object, kind: str, answer: _Answer) -> None:
    """Take down what a piece says, by the paths above."""
    if not isinstance(piece, Mapping):
        return
    place = next((piece[key] for key in _PLACES if key in piece), None)
    if kind in _ENDS:
        answer.end(place)
    for text in _at(piece, _SAYS):
        answer.say(text)
    for block in _at(piece, _BEGINS):
        _begun(block, place, answer)
    for number, block in enumerate(_at(piece, _WHOLE)):
        _begun(block, ("whole", number), answer)
        answer.end(("whole", number))
    for given in _at(piece, _GIVEN):
        if isinstance(given, str):
            answer.at(place)["arguments"] += given
        elif isinstance(given, Mapping):
            answer.at(place)["arguments"] = json.dumps(given)
    for number, part in enumerate(_at(piece, _PIECES)):
        if isinstance(part, Mapping):
            _piece(part, part.get("index", number if "choices" in piece else place), answer)


def _at(piece: Mapping[str, object], paths: tuple[str, ...]) -> Iterator[object]:
    for path in paths:
        if path.partition(".")[0].removesuffix("[]") in piece:
            yield from at(piece, path)


def _begun(block: object, place: object, answer: _Answer) -> None:
    if not isinstance(block, Mapping):
        return
    kind, identity = str(block.get("type") or ""), block.get("id", block.get("toolUseId"))
    if kind.endswith(("tool_use", "_call")) or (not kind and "name" in block):
        name = block.get("name") or kind.removesuffix("_call")
        answer.begin(place, identity, name, block.get("input", block.get("arguments")))
    elif kind.endswith("_result"):
        answer.parts.append(block if kind.endswith("tool_result") else {**block, "type": "tool_result"})
    else:
        answer.say(block.get("text"))


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


# --- Gemini --------------------------------------------------------------------------------------


def _gemini_calls(chunk: Mapping[str, object]) -> Iterator[Mapping[str, object]]:
    """Yield the function calls in a response, as far as each is told by it."""
    for call in at(chunk, "candidates[].content.parts[].function_call"):
        if isinstance(call, Mapping):
            yield call


def _is_partial(call: Mapping[str, object]) -> bool:
    return not call or any(spelled(str(key)) in ("partial_args", "will_continue") for key in call)


def _gemini(call: Mapping[str, object], answer: _Answer) -> None:
    """Take down what a response tells of a call: its name comes first, and what has none goes on with the last one."""
    own = by_spelling(call)
    if own.get("name"):
        begun = own.get("args")
        call = answer.begin(None, own.get("id"), own["name"])
        call["arguments"] = dict(begun) if isinstance(begun, Mapping) else {}
    pieces = own.get("partial_args")
    for piece in pieces if isinstance(pieces, list) and answer.calls else ():
        if isinstance(piece, Mapping):
            _put(answer.calls[-1]["arguments"], by_spelling(piece))


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
