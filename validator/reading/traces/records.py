"""MCP's JSON-RPC messages, and plain records of calls, one a line or in a list."""

from __future__ import annotations

from collections.abc import Mapping

from validator.reading.traces.recording import Recorder, units

__all__ = ["read_calls", "read_mcp"]

# --- MCP -----------------------------------------------------------------------------------------


def _is_rpc(value: Mapping[str, object]) -> bool:
    if value.get("method") == "tools/call":
        return isinstance(value.get("params"), Mapping)
    if "jsonrpc" in value:
        return not {"method", "result", "error"}.isdisjoint(value)
    return isinstance(value.get("method"), str) and "params" in value and "id" in value


def _is_rpc_or_answer(value: Mapping[str, object]) -> bool:
    if _is_rpc(value):
        return True
    result = value.get("result")
    return "id" in value and isinstance(result, Mapping) and not {"content", "structuredContent"}.isdisjoint(result)


def read_mcp(value: object, recorder: Recorder) -> bool:
    """Read MCP's messages inside a JSON value; return whether there are any."""
    if next(units(value, _is_rpc, lambda _: None), None) is None:
        return False
    batch: int | None = None
    for message in units(value, _is_rpc_or_answer, recorder.fields):
        params, result = message.get("params"), message.get("result")
        if message.get("method") == "tools/call" and isinstance(params, Mapping):
            # Requests before the first answer are under way at once.
            batch = recorder.batch() if batch is None else batch
            recorder.call(params.get("name"), params.get("arguments"), call_id=message.get("id"), batch=batch)
        elif "method" not in message and ("result" in message or "error" in message):
            batch = None
            if isinstance(result, Mapping) and isinstance(result.get("tools"), list):
                recorder.fields(result)
            elif recorder.waits_for(message.get("id")):  # other responses answer requests of other kinds
                failed = message.get("error") or (isinstance(result, Mapping) and result.get("isError") is True)
                recorder.answer(message.get("id"), result if "result" in message else None, failed or None)
    recorder.format = "MCP messages"
    return True


# --- plain records -------------------------------------------------------------------------------

_NAMES = ("name", "tool", "tool_name", "toolName", "function", "function_name", "action")
_ARGUMENTS = (
    "arguments",
    "args",
    "input",
    "input_parameters",
    "inputParameters",
    "parameters",
    "params",
    "tool_input",
    "toolInput",
    "action_input",
    "kwargs",
)
_RESULTS = ("result", "output", "observation", "response", "return_value")
_ERRORS = ("error", "exception")
_IDENTITIES = ("call_id", "callId", "tool_call_id", "toolCallId", "id")
_OTHERS = (
    "type",
    "index",
    "parent",
    "agent",
    "status",
    "success",
    "is_error",
    "isError",
    "description",
    "reasoning",
    "timestamp",
    "time",
    "duration",
    "log",
    "batch",
    "step",
)
_KNOWN = frozenset((*_NAMES, *_ARGUMENTS, *_RESULTS, *_ERRORS, *_IDENTITIES, *_OTHERS))
_TELLING = frozenset((*_ARGUMENTS, *_RESULTS, *_ERRORS))
_ANSWERS = frozenset(("tool_result", "tool_output", "tool_call_result", "observation"))


def _is_record(value: Mapping[str, object]) -> bool:
    if str(value.get("type")) in _ANSWERS:
        return not _TELLING.isdisjoint(value)
    if _first(value, _NAMES) is None or not isinstance(_named(value), str):
        return False
    return not _TELLING.isdisjoint(value) or value.keys() <= _KNOWN


def _first(value: Mapping[str, object], keys: tuple[str, ...]) -> object:
    return next((value[key] for key in keys if value.get(key) is not None), None)


def _named(value: Mapping[str, object]) -> object:
    name = _first(value, _NAMES)
    return name.get("name") if isinstance(name, Mapping) else name


def read_calls(value: object, recorder: Recorder) -> bool:
    """Read plain records of calls inside a JSON value; return whether there are any, or the value is the empty list."""
    found = value == []
    declared: set[int] = set()

    def outside(each: Mapping[str, object]) -> None:
        declared.update(recorder.fields(each))

    for record in units(value, lambda each: id(each) not in declared and _is_record(each), outside):
        found = True
        recorder.fields({key: each for key, each in record.items() if key not in _KNOWN})
        error = _first(record, _ERRORS) or record.get("is_error") is True or record.get("isError") is True
        error = error or record.get("success") is False or record.get("status") in ("error", "failed") or None
        identity = _first(record, _IDENTITIES)
        result = _first(record, _RESULTS)
        if str(record.get("type")) in _ANSWERS:
            recorder.answer(identity, result if result is not None else record.get("content"), error, _named(record))
            continue
        inner = record.get("function")
        arguments = _first(inner if isinstance(inner, Mapping) else record, _ARGUMENTS)
        parent = _first(record, ("parent", "agent"))
        batch = record.get("batch")
        index = recorder.call(
            _named(record),
            arguments,
            call_id=identity,
            parent=parent if isinstance(parent, str) else None,
            batch=batch if isinstance(batch, int) else None,
        )
        if result is not None or error is not None or any(key in record for key in _RESULTS):
            recorder.result(index, result, error)
    recorder.format = "records of calls"
    return found
