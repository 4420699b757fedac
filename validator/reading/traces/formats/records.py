"""Plain records of calls, in a list or a line each, and the events of frameworks that have their shape."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from functools import lru_cache

from validator.errors import nearest
from validator.reading.calls.keys import (
    ARGUMENTS,
    ERRORS,
    IDENTITIES,
    NAMES,
    RESULT_TYPES,
    RESULTS,
    first_of,
    spelled,
)
from validator.reading.calls.objects import Asked, read_object
from validator.reading.traces.recorder import Recorder
from validator.reading.traces.walk import parsed, units

__all__ = ["read_records"]

_OTHERS = frozenset(
    (
        *("type", "index", "parent", "agent", "status", "success", "is_error", "description", "reasoning", "timestamp"),
        *("time", "duration", "log", "batch", "step", "label", "content", "task", "start_time", "end_time"),
    )
)
_KNOWN = frozenset((*NAMES, *ARGUMENTS, *RESULTS, *ERRORS, *IDENTITIES, *_OTHERS, "function_call", "tool_call"))
_TELLING = frozenset((*ARGUMENTS, *RESULTS, *ERRORS))
_AROUND = frozenset(
    (
        *("children", "child_runs", "observations", "spans", "messages", "events", "run_type", "span_id", "trace_id"),
        *("parent_run_id", "parent_observation_id", "role", "choices", "candidates", "model", "usage", "steps"),
    )
)
"""Keys of what stands around calls, and of what is none: a record has none of them."""
_BARE = frozenset((*NAMES, *ARGUMENTS, *IDENTITIES))
"""Keys of a call of which nothing else is told."""
_EMPTY: tuple[object, ...] = (None, "", [], {})
_TYPES = frozenset(
    (
        *("", "none", "function", "tool", "tool_call", "tool_use", "function_call", "call", "action", "step", "event"),
        *("agent_action", "tool_invocation", "tool_execution", "tool_event", "tool_start", "tool_end", "mcp_call"),
    )
)


@lru_cache(maxsize=1024)
def _spelled(keys: tuple[object, ...]) -> frozenset[str]:
    """Return the keys of an object as the lists of keys spell them; the records of a trace have the same."""
    return frozenset(spelled(str(key)) for key in keys)


def _is_record(value: Mapping[str, object], calls: dict[int, Asked]) -> bool:
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

    def outside(each: Mapping[str, object]) -> None:
        declared.update(recorder.fields(each))

    for record in units(value, lambda each: id(each) not in declared and _is_record(each, calls), outside):
        recorder.take(record)
        if not _KNOWN.issuperset(_spelled(tuple(record))):
            recorder.fields({key: each for key, each in record.items() if spelled(str(key)) not in _KNOWN})
        _read(record, calls.get(id(record)), recorder)
    for each in _strange(value, {id(record) for record in recorder.taken}):
        recorder.miss(f"beside calls stands what may be one: {json.dumps(each, default=str)[:100]}")
    recorder.format = "records of calls"
    recorder.is_guessed = any("type" not in raw and not _says_call(raw) for raw in recorder.taken)


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


def _may_be_call(value: object, keys: frozenset[str]) -> bool:
    """Return whether a value may be a call that stands beside records with some keys: its name may be misspelled."""
    if isinstance(value, str):
        return _WORD.fullmatch(value) is not None
    if not isinstance(value, Mapping) or not _AROUND.isdisjoint(_spelled(tuple(value))):
        return False
    if spelled(str(value.get("type") or "")) not in _TYPES:
        return False
    own = {spelled(str(key)): part for key, part in value.items()}
    if not keys.intersection(own).isdisjoint(ARGUMENTS):
        return True
    texts = [key for key, part in own.items() if isinstance(part, str) and key not in _KNOWN]
    return any(_is_like_name(key, keys.intersection(NAMES)) for key in texts)


@lru_cache(maxsize=1024)
def _is_like_name(key: str, names: frozenset[str]) -> bool:
    return nearest(key, names) is not None


_WORD = re.compile(r"[^\W\d][\w.-]*+")

_ONLY_CALLS = frozenset(
    ("tool", "tool_name", "function", "function_name", "function_call", "arguments", "args", "kwargs")
)


def _says_call(raw: Mapping[str, object]) -> bool:
    """Return whether a record has a key that only calls have."""
    return not _ONLY_CALLS.isdisjoint(_spelled(tuple(raw)))


def _read(record: Mapping[str, object], call: Asked | None, recorder: Recorder) -> None:
    if call is not None and _BARE.issuperset(_spelled(tuple(record))):
        if not _is_known(call, None, recorder):
            recorder.call(call.name, _given(call), call_id=call.call_id)
        return
    own = {spelled(str(key)): each for key, each in record.items()}
    error = next((own[key] for key in ERRORS if own.get(key)), None) or own.get("is_error") is True
    error = error or own.get("success") is False or own.get("status") in ("error", "failed") or None
    key = first_of(own, RESULTS)
    result = None if key is None else own[key]
    if spelled(str(record.get("type") or "")) in RESULT_TYPES:
        named = next((own[name] for name in NAMES if isinstance(own.get(name), str)), None)
        recorder.answer(
            own.get(first_of(own, IDENTITIES) or ""), result if result is not None else own.get("content"), error, named
        )
        return
    assert call is not None
    has_result = key is not None or error is not None
    if _is_known(call, result, recorder):
        return
    if has_result and call.call_id is not None and _waits(call, recorder):
        recorder.answer(call.call_id, result, error)  # the end of a call whose beginning has a record of its own
        return
    parent = next((own[key] for key in ("parent", "agent") if isinstance(own.get(key), str)), None)
    batch = own.get("batch")
    index = recorder.call(
        call.name,
        _given(call),
        call_id=call.call_id,
        parent=parent if isinstance(parent, str) else None,
        batch=batch if isinstance(batch, int) else None,
    )
    if has_result:
        recorder.result(index, result, error)


def _given(call: Asked) -> object:
    """Return the arguments of a call; Dify keeps those of each tool under its name."""
    given = parsed(call.given)
    if isinstance(given, Mapping) and given.keys() == {call.name} and isinstance(given[call.name], Mapping):
        return given[call.name]
    return call.given


def _is_known(call: Asked, result: object, recorder: Recorder) -> bool:
    """Return whether a call with an identity was recorded before, with what is said of it here."""
    made = [recorder.calls[index] for index in recorder.of(call.call_id)]
    same = [each for each in made if each.name == call.name and each.arguments == call.arguments and each.has_result]
    return any(result is None or each.result == result for each in same)


def _waits(call: Asked, recorder: Recorder) -> bool:
    return any(
        not made.has_result and made.name == call.name
        for made in (recorder.calls[index] for index in recorder.of(call.call_id))
    )
