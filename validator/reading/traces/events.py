"""Logs of events of which several tell of one call: that it starts, what it is given, that it has ended.

{"type": "TOOL_CALL_START", "toolCallId": "c1", "toolCallName": "f"}      AG-UI, then _ARGS, _END, _RESULT
{"event": "on_tool_start", "run_id": "r", "name": "f", "data": {...}}     LangChain's stream of events
{"type": "tool_usage_finished", "tool_name": "f", "tool_args": {...}}     CrewAI
{"type": "item.completed", "item": {"type": "mcp_tool_call", ...}}        Codex
{"kind": "ActionEvent", "tool_name": "f", "tool_call_id": "c1", ...}      OpenHands
{"value": {...}, "qualified_name": "...ToolCallResult"}                   LlamaIndex
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Mapping

from validator.reading.calls.objects import ARGUMENTS, RESULTS, Asked, first_of, is_declaration, spelled
from validator.reading.traces.messages import is_message, read_item
from validator.reading.traces.parts import Answer, Told, as_text, failure
from validator.reading.traces.recording import Recorder
from validator.reading.traces.walk import first_text, first_value, spelled_keys, units
from validator.records import dataclass

__all__ = ["KINDS", "read_tool_events"]


KINDS = ("type", "event", "kind", "event_type", "message_type", "qualified_name")
"""Keys under which an event says what it tells."""

_INSIDE = ("tool_call", "data", "payload", "item", "value", "properties")
"""Keys under which what an event tells of may stand."""
_TELLS = re.compile(r"(?:^|_)(?:tool|function|mcp|command)(?:_|$)")
_ENDS = re.compile(r"(?:^|_)(?:end|ended|finish|finished|complete|completed|result|return|output|error|failed)(?:_|$)")
_BEGINS = re.compile(r"(?:^|_)(?:start|started|begin)(?:_|$)")
_PHASE = re.compile(_ENDS.pattern + r"|(?:^|_)(?:start|started|begin|args|delta|chunk|available)(?:_|$)")
_AROUND = ("span_begin", "span_end", "step")
"""What Inspect tells around the event of a tool, which has its call."""
_OTHERS = ("response_", "content_block")
"""How kinds begin that chats have as well."""
_IDENTITIES = ("tool_call_id", "call_id", "tool_id", "tool_use_id", "run_id", "id")
_NAMES = ("tool_name", "tool_call_name", "name", "tool", "function")
_YIELDED = (*RESULTS, "tool_return", "aggregated_output", "content")
_PIECES = ("delta", "input_text_delta", "args_text_delta")
_SAYS = ("text", "content", "response", "thought")


@dataclass(slots=True)
class _Made:
    """One call, as far as its events were seen."""

    name: str
    identity: str
    given: object = None
    written: str = ""
    answer: Answer | None = None

    @property
    def told(self) -> Told:
        given = self.written or None if self.given is None else self.given
        return Told(call=Asked(name=self.name, given=given, call_id=self.identity or None), answer=self.answer)


@dataclass(frozen=True, slots=True)
class _Event:
    kind: str
    own: Mapping[str, object]
    identity: str

    @property
    def is_of_tool(self) -> bool:
        return _TELLS.search(self.kind) is not None or {"tool_name", "tool_call_id"} <= self.own.keys()

    @property
    def name(self) -> str:
        said = first_text(self.own, _NAMES)
        if said is None and self.own.get("command") is not None:
            return "command_execution"
        return str(said or "").strip()

    @property
    def given(self) -> object:
        key = first_of(self.own, ARGUMENTS)
        if key is not None:
            return self.own[key]
        command = self.own.get("command")
        return None if command is None else {"command": command}


def _event(value: Mapping[str, object]) -> _Event | None:
    """Return an object as an event; None for one that does not say what it tells, or that is part of a chat."""
    if any(isinstance(each, Mapping) and read_item(each) is not None for each in value.values()):
        return None
    if isinstance(message := value.get("message"), Mapping) and isinstance(message.get("role"), str):
        return None
    if value.get("event") in _AROUND:
        return None
    kinds = [str(value[key]).rpartition("events.")[2] for key in KINDS if isinstance(value.get(key), str)]
    own = spelled_keys(value)
    if is_declaration(own):
        return None
    identities = [] if own.get("id") is None else [own["id"]]
    for key in _INSIDE:
        inner = own.get(key)
        if not isinstance(inner, Mapping):
            continue
        kinds += [str(inner["type"])] if isinstance(inner.get("type"), str) else []
        own |= {spelled(str(name)): each for name, each in inner.items() if each is not None}
    kind = spelled(" ".join(kinds).replace(".", "_").replace("/", "_"))
    if not kinds or kind.startswith(_OTHERS):
        return None
    found = first_value(own, _IDENTITIES)
    return _Event(kind=kind, own=own, identity=str(next(iter(identities), "") if found is None else found))


def _is_unit(value: Mapping[str, object]) -> bool:
    return _is_message(value) or (any(isinstance(value.get(key), str) for key in KINDS) and _event(value) is not None)


def _is_message(value: Mapping[str, object]) -> bool:
    if read_item(value) is not None:
        return True
    return "tool_call_id" not in value and "toolCallId" not in value and is_message(value)


def read_tool_events(value: object, recorder: Recorder) -> None:
    """Read the events inside a JSON value; there are some only where one tells how far a call of a tool is."""
    found = [raw for raw in units(value, _is_unit, recorder.fields) if not _is_message(raw)]
    events = [event for raw in found if (event := _event(raw)) is not None]
    of_tools = [event for event in events if event.is_of_tool]
    if not any(_PHASE.search(event.kind) or "Event" in event.kind for event in of_tools):
        return
    recorder.format = "events"
    told: list[_Made | str | None] = []
    under_way: dict[str, deque[_Made]] = {}
    for event in events:
        if event.is_of_tool:
            told += _begun(event, under_way)
        else:
            told.append(first_text(event.own, _SAYS))
    for each in told:
        if isinstance(each, _Made):
            recorder.tell(each.told)
        else:
            recorder.say(each)
    for raw in found if recorder.calls else ():
        recorder.take(raw)


def _begun(event: _Event, under_way: dict[str, deque[_Made]]) -> list[_Made]:
    """Note what an event says of its call; return the call if none of its identity, or of its name, is under way."""
    waiting = under_way.setdefault(event.identity or f"name {event.name}", deque())
    begun = []
    # Of calls without identities several may be under way: answers come in their order.
    begins = not event.identity and _BEGINS.search(event.kind) is not None
    if event.name and (begins or not waiting):
        begun.append(_Made(name=event.name, identity=event.identity))
        waiting += begun
    if not waiting:
        return []
    made = waiting[-1] if begins else waiting[0]
    made.given = event.given if made.given is None else made.given
    made.written += first_text(event.own, _PIECES) or ""
    failed, result = failure(event.own), _result(event)
    if _ends(event) and (result is not None or failed is not None):
        waiting.popleft()
        made.answer = Answer(value=result, error=failed)
    return begun


def _ends(event: _Event) -> bool:
    return _ENDS.search(event.kind) is not None or "observation" in event.own


def _result(event: _Event) -> object:
    found = first_value(event.own, _YIELDED)
    inner = found.get("content") if isinstance(found, Mapping) and "content" in found else found
    return as_text(inner)
