"""A trace in any of the formats that are recognised by their structure: JSON, or JSON a line."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from validator.errors import InputError
from validator.reading.traces.deepeval import MARKS as DEEPEVAL
from validator.reading.traces.deepeval import read_deepeval
from validator.reading.traces.messages import read_messages
from validator.reading.traces.recording import Recorder, Recording, units
from validator.reading.traces.records import read_calls, read_mcp
from validator.reading.traces.spans import MARKS, read_spans
from validator.texts import is_path, json_lines, parse_json, read_text

__all__ = ["MAX_CHARACTERS", "read_trace", "trace_value"]

MAX_CHARACTERS = 64 * 2**20
"""A trace may have this many characters (64 Mi)."""

_READERS: tuple[tuple[tuple[str, ...], Callable[[object, Recorder], bool]], ...] = (
    (DEEPEVAL, read_deepeval),
    (("attributes", "span_kind", *MARKS), read_spans),
    (("jsonrpc", "method"), read_mcp),
    (("role", "type"), read_messages),
    ((), read_calls),
)
"""Readers, each with the keys (or their beginnings, up to a dot) of which one is in what it reads.

In this order: a span may hold messages, and an MCP request a record, never the other way round.
"""

_EXPECTED = (
    "DeepEval or OpenTelemetry or OpenInference spans, OpenAI, Anthropic or LangChain messages, MCP messages, "
    "or records of calls with a name"
)


def read_trace(trace: str | Path | Mapping[str, object] | Sequence[object] | Recording) -> Recording:
    """Read a trace: a path, a text (JSON, or JSON a line), or the value that such a text stands for.

    What names no file that is there is a text.

    Raises InputError for what is no JSON, or has none of the known structures; OSError for a file.
    """
    if isinstance(trace, Recording):
        return trace
    if isinstance(trace, str) and is_path(trace):
        trace = Path(trace)
    source = str(trace) if isinstance(trace, Path) else ""
    value = trace_value(_text(trace), source) if isinstance(trace, str | Path) else trace
    try:
        keys = _keys(value)
        for marks, read in _READERS:
            recorder = Recorder()
            if _has(keys, marks) and read(value, recorder):
                return recorder.recording()
    except RecursionError:
        raise InputError("the trace is nested too deeply", source=source) from None
    raise InputError(f"no trace is recognised; expected {_EXPECTED}{_found(value)}", source=source)


def _keys(value: object) -> set[object]:
    """Return all keys of all objects in a value."""
    found: set[object] = set()
    for _ in units(value, lambda _: False, found.update):
        pass
    return found


def _has(keys: set[object], marks: tuple[str, ...]) -> bool:
    if not marks or not keys.isdisjoint(marks):
        return True
    beginnings = tuple(mark for mark in marks if mark.endswith("."))
    return bool(beginnings) and any(isinstance(key, str) and key.startswith(beginnings) for key in keys)


def _text(trace: str | Path) -> str:
    if isinstance(trace, str):
        return trace
    return read_text(trace)


def trace_value(text: str, source: str = "") -> object:
    """Return the value of a JSON text, or the list of the values of its lines. Raises InputError."""
    if len(text) > MAX_CHARACTERS:
        raise InputError(f"the trace has {len(text)} characters; the limit is {MAX_CHARACTERS}", source=source)
    try:
        return parse_json(text, source)
    except InputError as error:
        whole = error
    values = []
    try:
        for _, value in json_lines(text, source):
            values.append(value)
    except InputError:
        if values:
            raise
        raise whole from None
    return values


def _found(value: object) -> str:
    """Return what was found instead, for an error."""
    if isinstance(value, Mapping):
        keys = ", ".join(map(str, list(value)[:8]))
        return f"; found an object with {keys}" if keys else "; found an empty object"
    if isinstance(value, list) and value:
        inner = _found(value[0]).removeprefix("; found ")
        return f"; found a list that begins with {inner}"
    return f"; found {json.dumps(value, default=str)[:80]}"
