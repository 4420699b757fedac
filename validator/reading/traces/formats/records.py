"""Plain records of calls, in a list or a line each, and the events of frameworks that have their shape."""

from __future__ import annotations

from collections.abc import Mapping

from validator.reading.calls.keys import (
    ARGUMENTS,
    ERRORS,
    IDENTITIES,
    NAMES,
    RESULT_TYPES,
    RESULTS,
    pick,
    spelled,
)
from validator.reading.calls.objects import Asked, read_object
from validator.reading.traces.recording import Recorder
from validator.reading.traces.walk import units

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
_TYPES = frozenset(
    (
        *("", "none", "function", "tool", "tool_call", "tool_use", "function_call", "call", "action", "step", "event"),
        *("agent_action", "tool_invocation", "tool_execution", "tool_event", "tool_start", "tool_end", "mcp_call"),
    )
)


def _is_record(value: Mapping[str, object]) -> bool:
    own = {spelled(str(key)) for key in value}
    if _AROUND & own:
        return False
    kind = spelled(str(value.get("type") or ""))
    if kind in RESULT_TYPES:
        return bool(_TELLING & own)
    if kind not in _TYPES:
        return False
    call = read_object(value)
    return isinstance(call, Asked) and (call.given is not None or bool(_TELLING & own) or own <= _KNOWN)


def read_records(value: object, recorder: Recorder) -> None:
    """Read plain records of calls inside a JSON value; the empty list is a trace without any."""
    declared: set[int] = set()

    def outside(each: Mapping[str, object]) -> None:
        declared.update(recorder.fields(each))

    for record in units(value, lambda each: id(each) not in declared and _is_record(each), outside):
        recorder.take(record)
        recorder.fields({key: each for key, each in record.items() if spelled(str(key)) not in _KNOWN})
        _read(record, recorder)
    recorder.format = "records of calls"
    recorder.is_guessed = any("type" not in raw and not _says_call(raw) for raw in recorder.taken)


def _says_call(raw: Mapping[str, object]) -> bool:
    """Return whether a record has a key that only calls have."""
    own = {spelled(str(key)) for key in raw}
    return bool(
        own & {"tool", "tool_name", "function", "function_name", "function_call", "arguments", "args", "kwargs"}
    )


def _read(record: Mapping[str, object], recorder: Recorder) -> None:
    own = {spelled(str(key)): each for key, each in record.items()}
    error = next((own[key] for key in ERRORS if own.get(key)), None) or own.get("is_error") is True
    error = error or own.get("success") is False or own.get("status") in ("error", "failed") or None
    identity = pick(record, IDENTITIES)
    call_id = None if identity is None else record[identity]
    key = pick(record, RESULTS)
    result = None if key is None else record[key]
    if spelled(str(record.get("type") or "")) in RESULT_TYPES:
        named = next((own[name] for name in NAMES if isinstance(own.get(name), str)), None)
        recorder.answer(call_id, result if result is not None else own.get("content"), error, named)
        return
    call = read_object(record)
    assert isinstance(call, Asked)
    has_result = key is not None or error is not None
    if has_result and call.call_id is not None and _waits(call, recorder):
        recorder.answer(call.call_id, result, error)  # the end of a call whose beginning has a record of its own
        return
    parent = next((own[key] for key in ("parent", "agent") if isinstance(own.get(key), str)), None)
    batch = own.get("batch")
    index = recorder.call(
        call.name,
        call.given,
        call_id=call.call_id,
        parent=parent if isinstance(parent, str) else None,
        batch=batch if isinstance(batch, int) else None,
    )
    if has_result:
        recorder.result(index, result, error)


def _waits(call: Asked, recorder: Recorder) -> bool:
    return any(
        not made.has_result and made.name == call.name
        for made in (recorder.calls[index] for index in recorder.of(call.call_id))
    )
