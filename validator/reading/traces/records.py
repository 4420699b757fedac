"""Calls that are told by the keys that calls have everywhere: plain records, and events of which several tell of one.

{"name": "f", "arguments": {"x": 1}, "result": "ok"}                      records
{"type": "TOOL_CALL_START", "toolCallId": "c1", "toolCallName": "f"}      AG-UI, then _ARGS, _END, _RESULT
{"event": "on_tool_start", "run_id": "r", "name": "f", "data": {...}}     LangChain's stream of events
{"type": "tool_usage_finished", "tool_name": "f", "tool_args": {...}}     CrewAI
{"type": "item.completed", "item": {"type": "mcp_tool_call", ...}}        Codex
{"kind": "ActionEvent", "tool_name": "f", "tool_call_id": "c1", ...}      OpenHands
{"value": {...}, "qualified_name": "...ToolCallResult"}                   LlamaIndex
"""

from __future__ import annotations

import json
import re
from collections import deque
from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import TypeAlias

from validator.errors import nearest
from validator.reading.calls.objects import (
    ARGUMENTS,
    ERRORS,
    IDENTITIES,
    NAMES,
    RESULT_TYPES,
    RESULTS,
    Asked,
    by_spelling,
    first_of,
    is_declaration,
    read_object,
    spelled,
)
from validator.reading.traces.messages import is_item, is_message
from validator.reading.traces.parts import Answer, Part, as_text, failure, read_answer
from validator.reading.traces.paths import first_text, first_value, meets, parsed, units
from validator.reading.traces.recording import Recorder
from validator.records import dataclass, replace

__all__ = ["EVENT_KINDS", "read_events", "read_records"]

_Object: TypeAlias = Mapping[str, object]

# --- events of which several tell of one call ----------------------------------------------------

EVENT_KINDS = ("type", "event", "kind", "event_type", "message_type", "qualified_name")
"""Keys under which an event says what it tells."""

_INSIDE = ("tool_call", "data", "payload", "item", "value", "properties")
"""Keys under which what an event tells of may stand."""
_WORDS_END = r"end|ended|finish|finished|complete|completed|result|return|output|error|failed"
_WORDS_BEGIN = r"start|started|begin"


def _says(words: str) -> re.Pattern[str]:
    return re.compile(rf"(?:^|_)(?:{words})(?:_|$)")


_OF_TOOLS = _says("tool|function|mcp|command")
_ENDS, _BEGINS = _says(_WORDS_END), _says(_WORDS_BEGIN)
_PHASE = _says(f"{_WORDS_END}|{_WORDS_BEGIN}|args|delta|chunk|available")
_OTHERS = ("response_", "content_block")
"""How kinds begin that chats have as well."""
_OF_OTHERS = "message.role:text or event=span_begin|span_end|step"
"""What is part of a chat, and what Inspect tells around the event of a tool, which has its call."""
_EVENT_IDENTITIES = ("tool_call_id", "call_id", "tool_id", "tool_use_id", "run_id", "id")
_EVENT_NAMES = ("tool_name", "tool_call_name", "name", "tool", "function")
_YIELDED = (*RESULTS, "tool_return", "aggregated_output", "content")
_PIECES = ("delta", "input_text_delta", "args_text_delta")
_SAID = ("text", "content", "response", "thought")


@dataclass(slots=True)
class _Made:
    """One call, as far as its events were seen."""

    name: str
    identity: str
    given: object = None
    written: str = ""
    answer: Answer | None = None

    @property
    def told(self) -> Part:
        given = self.written or None if self.given is None else self.given
        return Part(call=Asked(name=self.name, given=given, call_id=self.identity or None), answer=self.answer)


@dataclass(frozen=True, slots=True)
class _Event:
    kind: str
    own: _Object
    identity: str

    @property
    def is_of_tool(self) -> bool:
        return _OF_TOOLS.search(self.kind) is not None or {"tool_name", "tool_call_id"} <= self.own.keys()


def _event(value: _Object) -> _Event | None:
    """Return an object as an event; None for one that does not say what it tells, or that is part of a chat."""
    kinds = [str(value[key]).rpartition("events.")[2] for key in EVENT_KINDS if isinstance(value.get(key), str)]
    if not kinds or meets(value, _OF_OTHERS):
        return None
    if any(isinstance(each, Mapping) and is_item(each) for each in value.values()):
        return None
    own = by_spelling(value)
    if is_declaration(own):
        return None
    outer = own.get("id")
    for inner in (inner for key in _INSIDE if isinstance(inner := own.get(key), Mapping)):
        kinds += [str(inner["type"])] if isinstance(inner.get("type"), str) else []
        own |= {spelled(str(name)): each for name, each in inner.items() if each is not None}
    kind = spelled(" ".join(kinds).replace(".", "_").replace("/", "_"))
    identity = first_value({**own, "outer": outer}, (*_EVENT_IDENTITIES, "outer"))
    return None if kind.startswith(_OTHERS) else _Event(kind, own, "" if identity is None else str(identity))


def _is_chat(value: _Object) -> bool:
    return is_item(value) or ("tool_call_id" not in value and "toolCallId" not in value and is_message(value))


def read_events(value: object, recorder: Recorder) -> None:
    """Read the events inside a JSON value; there are some only where one tells how far a call of a tool is."""
    found = list(units(value, lambda each: _is_chat(each) or _event(each) is not None, recorder.fields))
    found = [raw for raw in found if not _is_chat(raw)]
    events = list(filter(None, map(_event, found)))
    if not any(_PHASE.search(each.kind) or "Event" in each.kind for each in events if each.is_of_tool):
        return
    recorder.format = "events"
    told: list[_Made | str | None] = []
    under_way: dict[str, deque[_Made]] = {}
    for event in events:
        told += _begun(event, under_way) if event.is_of_tool else [first_text(event.own, _SAID)]
    for each in told:
        if isinstance(each, _Made):
            recorder.tell(each.told)
        else:
            recorder.say(each)
    for raw in found if recorder.calls else ():
        recorder.take(raw)


def _begun(event: _Event, under_way: dict[str, deque[_Made]]) -> list[_Made]:
    """Note what an event says of its call; return the call if none of its identity, or of its name, is under way."""
    own = event.own
    command = own.get("command")
    name = str(first_text(own, _EVENT_NAMES) or ("" if command is None else "command_execution")).strip()
    waiting = under_way.setdefault(event.identity or f"name {name}", deque())
    begun = []
    # Of calls without identities several may be under way: answers come in their order.
    begins = not event.identity and _BEGINS.search(event.kind) is not None
    if name and (begins or not waiting):
        begun.append(_Made(name=name, identity=event.identity))
        waiting += begun
    if not waiting:
        return []
    made = waiting[-1] if begins else waiting[0]
    if made.given is None:
        key = first_of(own, ARGUMENTS)
        made.given = own[key] if key is not None else None if command is None else {"command": command}
    made.written += first_text(own, _PIECES) or ""
    result, failed = first_value(own, _YIELDED), failure(own)
    result = as_text(result.get("content") if isinstance(result, Mapping) and "content" in result else result)
    ends = _ENDS.search(event.kind) is not None or "observation" in own
    if ends and (result is not None or failed is not None):
        waiting.popleft().answer = Answer(value=result, error=failed)
    return begun


# --- records -------------------------------------------------------------------------------------

_OTHER_KEYS = frozenset(
    (
        *("type", "index", "parent", "agent", "status", "success", "is_error", "description", "reasoning", "timestamp"),
        *("time", "duration", "log", "batch", "step", "label", "content", "task", "start_time", "end_time"),
    )
)
_KNOWN = frozenset((*NAMES, *ARGUMENTS, *RESULTS, *ERRORS, *IDENTITIES, *_OTHER_KEYS, "function_call", "tool_call"))
_TELLING = frozenset((*ARGUMENTS, *RESULTS, *ERRORS))
_AROUND = frozenset(
    (
        *("children", "child_runs", "observations", "spans", "messages", "events", "run_type", "span_id", "trace_id"),
        *("parent_run_id", "parent_observation_id", "role", "choices", "candidates", "model", "usage", "steps"),
    )
)
"""Keys of what stands around calls, and of what is none: a record has none of them."""
_EMPTY: tuple[object, ...] = (None, "", [], {})
_TYPES = frozenset(
    (
        *("", "none", "function", "tool", "tool_call", "tool_use", "function_call", "call", "action", "step", "event"),
        *("agent_action", "tool_invocation", "tool_execution", "tool_event", "tool_start", "tool_end", "mcp_call"),
    )
)
_ONLY_CALLS = frozenset(
    ("tool", "tool_name", "function", "function_name", "function_call", "arguments", "args", "kwargs")
)


@lru_cache(maxsize=1024)
def _spelled(keys: tuple[object, ...]) -> frozenset[str]:
    """Return the keys of an object as the lists of keys spell them; the records of a trace have the same."""
    return frozenset(spelled(str(key)) for key in keys)


def _is_record(value: _Object, calls: dict[int, Asked]) -> bool:
    """Return whether an object is a record; the call that it is is kept in ``calls``."""
    own = _spelled(tuple(value))
    if not _AROUND.isdisjoint(own) and any(
        each not in _EMPTY for key, each in value.items() if spelled(str(key)) in _AROUND
    ):
        return False
    kind = spelled(str(value.get("type") or "")) if "type" in value else ""
    if kind in RESULT_TYPES:
        return bool(_TELLING & own)
    if kind not in _TYPES:
        return False
    call = read_object(value)
    if not isinstance(call, Asked) or not (call.given is not None or _TELLING & own or own <= _KNOWN):
        return False
    calls[id(value)] = call
    return True


def read_records(value: object, recorder: Recorder) -> None:
    """Read plain records of calls inside a JSON value; the empty list is a trace without any."""
    declared: set[int] = set()
    calls: dict[int, Asked] = {}

    def outside(each: _Object) -> None:
        declared.update(recorder.fields(each))

    for record in units(value, lambda each: id(each) not in declared and _is_record(each, calls), outside):
        recorder.take(record)
        if not _KNOWN.issuperset(_spelled(tuple(record))):
            recorder.fields({key: each for key, each in record.items() if spelled(str(key)) not in _KNOWN})
        _read_record(record, calls.get(id(record)), recorder)
    for each in _strange(value, {id(record) for record in recorder.taken}):
        recorder.miss(f"beside calls stands what may be one: {json.dumps(each, default=str)[:100]}")
    recorder.format = "records of calls"
    recorder.is_guessed = any(
        "type" not in raw and _ONLY_CALLS.isdisjoint(_spelled(tuple(raw))) for raw in recorder.taken
    )


def _read_record(record: _Object, call: Asked | None, recorder: Recorder) -> None:
    if call is None:
        recorder.tell(Part(answer=read_answer(record)))
        return
    own = by_spelling(record)
    error, key = failure(own), first_of(own, RESULTS)
    result, has_result = None if key is None else own[key], key is not None or error is not None
    made = [recorder.calls[index] for index in recorder.of(call.call_id)]
    made = [each for each in made if each.name == call.name]
    if any(
        each.has_result and each.arguments == call.arguments and (result is None or each.result == result)
        for each in made
    ):
        return  # it was recorded before
    if has_result and any(not each.has_result for each in made):
        recorder.answer(call.call_id, result, error)  # the end of a call whose beginning has a record of its own
        return
    batch, given = own.get("batch"), parsed(call.given)
    if isinstance(given, Mapping) and given.keys() == {call.name} and isinstance(given[call.name], Mapping):
        call = replace(call, given=given[call.name])  # Dify keeps the arguments of each tool under its name
    index = recorder.call(
        call.name,
        call.given,
        call_id=call.call_id,
        parent=first_text(own, ("parent", "agent")),
        batch=batch if isinstance(batch, int) else None,
        time=call.time,
    )
    if has_result:
        recorder.result(index, result, error)


def _strange(value: object, taken: set[int]) -> Iterator[object]:
    """Yield the members of lists of records that may be calls and are not read: without a name, or a name alone."""
    waiting = [value]
    while waiting:
        each = waiting.pop()
        inner = list(each.values()) if isinstance(each, Mapping) else each if isinstance(each, list | tuple) else []
        waiting += [part for part in inner if isinstance(part, Mapping | list | tuple) and id(part) not in taken]
        records = [part for part in inner if id(part) in taken] if not isinstance(each, Mapping) else []
        if records:
            keys = frozenset().union(*(_spelled(tuple(record)) for record in records))
            yield from (part for part in inner if id(part) not in taken and _may_be_call(part, keys))


_WORD = re.compile(r"[^\W\d][\w.-]*+")


def _may_be_call(value: object, keys: frozenset[str]) -> bool:
    """Return whether a value may be a call that stands beside records with some keys: its name may be misspelled."""
    if isinstance(value, str):
        return _WORD.fullmatch(value) is not None
    if not isinstance(value, Mapping) or not _AROUND.isdisjoint(_spelled(tuple(value))):
        return False
    if spelled(str(value.get("type") or "")) not in _TYPES:
        return False
    own = by_spelling(value)
    if not keys.intersection(own).isdisjoint(ARGUMENTS):
        return True
    texts = [key for key, part in own.items() if isinstance(part, str) and key not in _KNOWN]
    return any(_is_like_name(key, keys.intersection(NAMES)) for key in texts)


@lru_cache(maxsize=1024)
def _is_like_name(key: str, names: frozenset[str]) -> bool:
    return nearest(key, names) is not None
