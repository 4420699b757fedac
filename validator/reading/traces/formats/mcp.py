"""MCP: the messages of JSON-RPC between a client and a server of tools."""

from __future__ import annotations

from collections.abc import Mapping

from validator.reading.traces.recording import Recorder
from validator.reading.traces.walk import units

__all__ = ["read_mcp"]


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


def read_mcp(value: object, recorder: Recorder) -> None:
    """Read MCP's messages inside a JSON value."""
    if next(units(value, _is_rpc, lambda _: None), None) is None:
        return
    recorder.format = "MCP messages"
    batch: int | None = None
    for message in units(value, _is_rpc_or_answer, recorder.fields):
        recorder.take(message)
        params, result = message.get("params"), message.get("result")
        if message.get("method") == "tools/call" and isinstance(params, Mapping):
            if recorder.waits_for(message.get("id")):
                continue  # a log of both sides has it twice
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
