"""Plain records of calls: ``{"name": "f", "arguments": {"x": 1}, "result": "ok"}``, under the keys that calls have."""

from __future__ import annotations

import json
import re
from collections.abc import Container, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import takewhile
from typing import TypeAlias

from validator.errors import nearest
from validator.reading.calls.objects import (
    ARGUMENTS,
    ERRORS,
    NAMES,
    RESULT_TYPES,
    RESULTS,
    TIMES,
    CallRequest,
    by_spelling,
    failure,
    first_of,
    first_text,
    first_value,
    read_object,
    spelled,
)
from validator.reading.instants import instant
from validator.reading.traces.conversation import Conversation, chat, walk
from validator.reading.traces.formats import formats
from validator.reading.traces.messages import Message, read_message
from validator.reading.traces.parts import Answer, Part, read_answer
from validator.reading.traces.paths import parsed
from validator.reading.traces.recording import Recorder
from validator.records import replace

RECORDS = "records of calls"

_Object: TypeAlias = Mapping[str, object]

_TELLING = frozenset((*ARGUMENTS, *RESULTS, *ERRORS))
_EMPTY: tuple[object, ...] = (None, "", [], {})
_OF_TOOLS = ("tool", "tool_name", "function", "function_name")
_ONLY_CALLS = frozenset((*_OF_TOOLS, "function_call", "arguments", "args", "kwargs"))


def read_records(value: object, recorder: Recorder, passed: Container[int] = ()) -> None:
    """Read plain records of calls inside a JSON value; what messages between them say is no call.

    ``passed`` are the ids of objects that are passed over.
    """
    declared: set[int] = set()

    def outside(each: _Object) -> None:
        declared.update(recorder.fields(each))
        message = read_message(each)
        if message is not None and message.role in ("user", "assistant"):
            for text in message.texts:
                (recorder.ask if message.role == "user" else recorder.say)(text)

    def said(each: _Object) -> list[Message] | None:
        if id(each) in passed:
            return []
        message = None if id(each) in declared else _record(each)
        return None if message is None else [message]

    conversation = Conversation(recorder)
    for message, home in walk(value, said, outside, recorder.take):
        conversation.read(message, home)
    for each in _strange(value, {id(record) for record in recorder.taken}):
        recorder.miss(f"beside calls stands what may be one: {json.dumps(each, default=str)[:100]}")
    conversation.finish()
    if _is_disordered(recorder.taken):
        recorder.miss("the times or numbers of the records are not in order")
    recorder.format = RECORDS
    recorder.is_guessed = any(
        "type" not in raw and _ONLY_CALLS.isdisjoint(map(spelled, map(str, raw))) for raw in recorder.taken
    )


def _is_disordered(records: Sequence[_Object]) -> bool:
    """Return whether the times of records, or their numbers, all of them different, are not in order."""
    rows = list(map(by_spelling, records))
    for keys, least in ((TIMES, _LONG_AGO), *(((key,), 0) for key in _NUMBERS)):
        told = (instant(first_value(row, keys)) for row in rows)
        known = list(takewhile(least.__le__, (-1 if each is None else each for each in told)))
        if len(known) == len({*known}) == len(rows) and known != sorted(known):
            return True
    return False


_NUMBERS = ("step", "step_number", "step_id", "turn")
_LONG_AGO = 10**17
"""nanoseconds since 1970: what is less is a duration, or a time since the run began"""


def _record(value: _Object) -> Message | None:
    """Return what a record says, as a message; None for what is no record."""
    own = by_spelling(value)
    keys = formats()["keys"]
    if any(each not in _EMPTY for key, each in own.items() if key in keys["around_records"]):
        return None
    kind = spelled(str(value.get("type") or ""))
    if kind in RESULT_TYPES:
        return Message(role="tool", told=(Part(answer=read_answer(value)),)) if _TELLING & own.keys() else None
    call = read_object(value) if not kind or kind in keys["types_of_records"] else ""
    is_like_call = not _TELLING.isdisjoint(own) or keys["of_records"].issuperset(own)
    if not isinstance(call, CallRequest) or (call.given is None and not is_like_call):
        return None
    given = parsed(call.given)
    if _is_of_model(given, own):
        return None
    if isinstance(given, Mapping) and given.keys() == {call.name} and isinstance(given[call.name], Mapping):
        call = replace(call, given=given[call.name])  # Dify keeps the arguments of each tool under its name
    error, key, batch = failure(own), first_of(own, RESULTS), own.get("batch")
    answer = Answer(value=None if key is None else own[key], error=error) if key or error is not None else None
    return Message(
        role="assistant",
        told=(Part(call=call, answer=answer),),
        is_record=True,
        parent=first_text(own, ("parent", "agent")),
        batch=batch if isinstance(batch, int) else None,
        raw={key: each for key, each in value.items() if spelled(str(key)) not in keys["of_records"]},
    )


def _is_of_model(given: object, own: _Object) -> bool:
    """Return whether messages went in, as far as that is told, and came out: a model ran, and no tool."""
    said = [message for key in RESULTS if key in own for message in chat(own[key])]
    return bool(said) and (bool(chat(given)) or (given is None and any(message.calls for message in said)))


def _strange(value: object, taken: set[int]) -> Iterator[object]:
    """Yield the members of lists of records that may be calls and are not read: without a name, or a name alone."""
    waiting = [value]
    while waiting:
        each = waiting.pop()
        if id(each) in taken:
            continue
        if isinstance(each, Mapping):
            waiting += each.values()
        elif isinstance(each, list | tuple):
            waiting += each
            keys = frozenset[str]().union(*(by_spelling(part) for part in each if id(part) in taken))
            yield from (part for part in each if keys and id(part) not in taken and _may_be_call(part, keys))


_WORD = re.compile(r"[^\W\d][\w.-]*+")


def _may_be_call(value: object, keys: frozenset[str]) -> bool:
    """Return whether a value may be a call that stands beside records with some keys: its name may be misspelled."""
    if isinstance(value, str):
        return _WORD.fullmatch(value) is not None
    if not isinstance(value, Mapping):
        return False
    own, known = by_spelling(value), formats()["keys"]
    kind = spelled(str(value.get("type") or ""))
    if not known["around_records"].isdisjoint(own) or (kind and kind not in known["types_of_records"]):
        return False
    if not keys.intersection(own).isdisjoint((*ARGUMENTS, *_OF_TOOLS)):
        return True
    texts = [key for key, part in own.items() if isinstance(part, str) and key not in known["of_records"]]
    return any(_is_like_name(key, keys.intersection(NAMES)) for key in texts)


@lru_cache(maxsize=1024)
def _is_like_name(key: str, names: frozenset[str]) -> bool:
    return nearest(key, names) is not None
