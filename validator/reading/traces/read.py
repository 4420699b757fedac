"""A trace in any format: the format that accounts for most of it reads it."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from validator.errors import InputError
from validator.reading.calls.wire import begins_call
from validator.reading.traces.formats.chats import read_chats
from validator.reading.traces.formats.events import KINDS, read_tool_events
from validator.reading.traces.formats.google_adk import read_adk
from validator.reading.traces.formats.inspect_ai import read_inspect
from validator.reading.traces.formats.mcp import read_mcp
from validator.reading.traces.formats.observed.deepeval import LISTS as DEEPEVAL
from validator.reading.traces.formats.observed.deepeval import read_deepeval
from validator.reading.traces.formats.observed.langfuse import read_langfuse
from validator.reading.traces.formats.observed.openai_agents import read_agents_spans, read_run_state
from validator.reading.traces.formats.observed.opentelemetry import read_opentelemetry
from validator.reading.traces.formats.observed.runs import read_langsmith, read_weave
from validator.reading.traces.formats.observed.spans import read_spans
from validator.reading.traces.formats.records import read_records
from validator.reading.traces.formats.steps import read_events, read_steps, read_swe_agent
from validator.reading.traces.recorder import Recorder
from validator.reading.traces.recording import Recording
from validator.reading.traces.several import runs_of, traces_of_spans
from validator.reading.traces.texts import has_broken_value, logged_values, unfolded, values_in_text
from validator.reading.traces.transcripts import steps_of_text
from validator.reading.traces.walk import Sizes
from validator.records import replace
from validator.texts import is_path, json_lines, parse_json, read_text

__all__ = ["MAX_CHARACTERS", "read_trace", "read_traces", "trace_value", "traces_in"]

MAX_CHARACTERS = 64 * 2**20
"""A trace may have this many characters (64 Mi)."""

FORMATS: tuple[tuple[tuple[str, ...], Callable[[object, Recorder], None]], ...] = (
    (("traceId", "trace_id"), read_langfuse),
    (("run_type",), read_langsmith),
    (("span_data",), read_agents_spans),
    (("generated_items",), read_run_state),
    (("author", "conversation", "expected_tool_use"), read_adk),
    (("samples", "epoch", "event"), read_inspect),
    (("trajectory",), read_swe_agent),
    (("children", "toolsCalled", "tools_called", "output", *DEEPEVAL), read_deepeval),
    (("attributes", "span_kind", "gen_ai.", "openinference.", "attributes."), read_opentelemetry),
    (("op_name",), read_weave),
    (("jsonrpc", "method"), read_mcp),
    (("source",), read_events),
    (("trace_id", "traceId", "root_span_id"), read_spans),
    (("role", "type", "kind", "source", "delta", "from", "_role"), read_chats),
    (("action", "tool_calls", "toolCalls", "tool_name_0", "intermediate_steps", "step_id"), read_steps),
    (KINDS, read_tool_events),
    ((), read_records),
)
"""The formats, each with keys (or their beginnings, up to a dot) of which one is in what it reads.

Of two that account for as much of a trace, the first reads it.
"""

_EXPECTED = (
    "spans of DeepEval, OpenTelemetry, OpenInference, Langfuse, LangSmith or OpenAI's Agents SDK, messages of OpenAI, "
    "Anthropic, Gemini, Bedrock, LangChain or MCP, or records of calls with a name"
)
_SPANS = ("spans", "observations", "runs")
_MOST = 0.5


def read_trace(trace: str | Path | Mapping[str, object] | Sequence[object] | Recording) -> Recording:
    """Read a trace: a path, a text (JSON, JSON a line, or what ReAct prints), or the value that JSON stands for.

    What names no file that is there is a text.

    Raises InputError for what is no JSON, has none of the known structures, or holds several runs, which
    ``read_traces`` tells apart; OSError for a file.
    """
    if isinstance(trace, Recording):
        return trace
    value, source, missed = _value(trace)
    try:
        runs = runs_of(value)
        if runs:
            raise InputError(f"{len(runs)} runs are in this file; one was expected", source=source)
        found = _recognised(value, source)
        spans = len(traces_of_spans(value)) if found.format.endswith(_SPANS) else 0
    except RecursionError:
        raise InputError("the trace is nested too deeply", source=source) from None
    if spans:
        note = f"the spans are of {spans} traces, which are read as one"
        found = replace(found, warnings=(*found.warnings, note))
    return replace(found, missed=(*missed, *found.missed)) if missed else found


def read_traces(trace: str | Path | Mapping[str, object] | Sequence[object]) -> tuple[Recording, ...]:
    """Read all traces of a file, a text or a value: the runs of a list of them, the traces of spans.

    Errors as in ``read_trace``, without the one for several runs.
    """
    value, source, missed = _value(trace)
    try:
        found = tuple(_recognised(each, source) for each in runs_of(value) or traces_of_spans(value) or [value])
    except RecursionError:
        raise InputError("the trace is nested too deeply", source=source) from None
    return tuple(replace(each, missed=(*missed, *each.missed)) for each in found) if missed else found


def traces_in(text: str) -> tuple[Recording, ...]:
    """Return the traces that a text holds; none for a text that may as well be a plan, or anything else.

    A list of calls without results is a plan as much as a trace.
    """
    if text.lstrip()[:1] not in ("{", "["):
        return ()
    try:
        found = read_traces(trace_value(text))  # type: ignore[arg-type]
    except InputError:
        return ()
    is_told = any(each.format != _PLAIN or any(call.has_result for call in each.calls) for each in found)
    return found if is_told else ()


_PLAIN = "records of calls"


def _value(trace: str | Path | Mapping[str, object] | Sequence[object]) -> tuple[object, str, tuple[str, ...]]:
    """Return the value of a trace, where it comes from, and which of its lines could not be read."""
    if isinstance(trace, str) and is_path(trace):
        trace = Path(trace)
    source = str(trace) if isinstance(trace, Path) else ""
    if not isinstance(trace, str | Path):
        return trace, source, ()
    text = _text(trace)
    try:
        return trace_value(text, source), source, ()
    except InputError:
        if len(text) > MAX_CHARACTERS:
            raise
        found = _lines_of(text) or values_in_text(text)
        if found is not None:
            value, missed = found
            return value, source, missed
        steps = steps_of_text(text, is_like_json=text.lstrip()[:1] in ("{", "["))
        if steps:
            return steps, source, ()
        logged = _logged(text)
        if logged is None:
            raise
        return logged[0], source, logged[1]


def _logged(text: str) -> tuple[object, tuple[str, ...]] | None:
    """Return the values of the lines of a log and the lines in which a call may stand; None for what is no log."""
    values, others = logged_values(text)
    if not values or any(line.lstrip()[:1] in ("{", "[") for line in others) or _read(values) is None:
        return None
    return values, tuple(
        f"a line of the log begins a call: {line.strip()[:100]}"
        for line in others
        if begins_call(line) or has_broken_value(line)
    )


_MOST_BROKEN = 0.1
_LEAST_WHOLE = 2


def _lines_of(text: str) -> tuple[object, tuple[str, ...]] | None:
    """Return the objects of a log with an object a line, nearly all of which are whole, and what of it is not."""
    values: list[object] = []
    missed = []
    lines = [(number, line) for number, line in enumerate(text.split("\n"), 1) if line.strip()]
    most = max(1, int(len(lines) * _MOST_BROKEN))
    for number, line in lines:
        try:
            value = json.loads(line)
        except (ValueError, RecursionError):
            value = None
        if isinstance(value, dict):
            values.append(value)
        else:
            missed.append(f"line {number} is no JSON object")
        if len(missed) > most:
            return None
    return (values, tuple(missed)) if len(values) >= _LEAST_WHOLE else None


def _recognised(value: object, source: str) -> Recording:
    found = _read(value)
    if found is None:
        raise InputError(f"no trace is recognised; expected {_EXPECTED}{_found(value)}", source=source)
    return found


def _read(value: object) -> Recording | None:
    """Return the reading of the format that accounts for most; None where none accounts for anything.

    Where no call is read, the texts inside are read as well, as far as they stand for values.
    """
    found = _of_formats(value)
    if found is not None and (found.calls or found.says_none):
        return found
    opened = unfolded(value)
    inner = None if opened is value else _of_formats(opened)
    return inner if inner is not None and (found is None or inner.calls) else found


def _of_formats(value: object) -> Recording | None:
    if isinstance(value, list | tuple) and not value:
        return Recording(format=_PLAIN, says_none=True)
    sizes = Sizes(value)
    best: tuple[float, Recorder] | None = None
    for marks, read in FORMATS:
        if not sizes.has_key(marks):
            continue
        recorder = Recorder()
        read(value, recorder)
        share = sizes.share([*recorder.taken, *recorder.declarations])
        worth = share if recorder.calls or share >= _MOST else share * _MOST
        if recorder.taken and (best is None or worth > best[0] + _EQUAL):
            best = worth, recorder
            best_share = share
            if recorder.calls and share >= 1 - _EQUAL:
                break  # no other one accounts for more
    return None if best is None else replace(best[1].recording(), explained=best_share)


_EQUAL = 0.02
"""Shares that differ by no more are equal."""


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
