"""A trace in any format: the format that accounts for most of it reads it."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from pathlib import Path

from validator.errors import InputError
from validator.reading.calls.objects import CallRequest, read_object, spelled
from validator.reading.traces.conversation import first_chat, read_units
from validator.reading.traces.formats import formats
from validator.reading.traces.messages import Message, is_message
from validator.reading.traces.parts import spoken
from validator.reading.traces.paths import Sizes, meets, units, value_at
from validator.reading.traces.recording import Recorder, Recording
from validator.reading.traces.records import RECORDS, read_records
from validator.reading.traces.spans import read_spans
from validator.reading.values import printed_value, unfenced
from validator.records import replace
from validator.texts import MAX_CHARACTERS, is_path, json_lines, parse_json, read_text, refuse_missing

_EXPECTED = (
    "spans of DeepEval, OpenTelemetry, OpenInference, Langfuse, LangSmith or OpenAI's Agents SDK, messages of OpenAI, "
    "Anthropic, Gemini, Bedrock, LangChain or MCP, or records of calls with a name"
)
_SPANS = ("spans", "observations", "runs")


def read_trace(trace: str | Path | Mapping[str, object] | Sequence[object] | Recording) -> Recording:
    """Read a trace: a path, a text (JSON, JSON a line, what Python or ReAct prints), or the value of one.

    What names no file that is there is a text.

    Raises InputError for what is no JSON, has none of the known structures, or holds several runs, which
    ``read_traces`` tells apart; OSError for a file.
    """
    if isinstance(trace, Recording):
        return trace
    value, source = _value(trace)
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
    return found


def read_traces(trace: str | Path | Mapping[str, object] | Sequence[object]) -> tuple[Recording, ...]:
    """Read all traces of a file, a text or a value: the runs of a list of them, the traces of spans.

    Errors as in ``read_trace``, without the one for several runs.
    """
    value, source = _value(trace)
    try:
        return tuple(_recognised(each, source) for each in runs_of(value) or traces_of_spans(value) or [value])
    except RecursionError:
        raise InputError("the trace is nested too deeply", source=source) from None


def traces_in(text: str) -> tuple[Recording, ...]:
    """Return the traces that a text holds; none for a text that may as well be a plan, or anything else.

    A list of calls without results is a plan as much as a trace.
    """
    if text.lstrip()[:1] not in ("{", "["):
        return ()
    try:
        found = read_traces(_json_value(text, ""))  # type: ignore[arg-type]
    except InputError:
        return ()
    is_told = any(each.format != RECORDS or any(call.has_result for call in each.calls) for each in found)
    return found if is_told else ()


def _value(trace: str | Path | Mapping[str, object] | Sequence[object]) -> tuple[object, str]:
    """Return the value of a trace, and where it comes from."""
    if isinstance(trace, str) and is_path(trace):
        trace = Path(trace)
    source = str(trace) if isinstance(trace, Path) else ""
    if not isinstance(trace, str | Path):
        return trace, source
    text = trace if isinstance(trace, str) else read_text(trace)
    try:
        return trace_value(text, source), source
    except InputError:
        if isinstance(trace, str):
            _refuse_missing(trace)
        raise


def _refuse_missing(text: str) -> None:
    try:
        refuse_missing(text)
    except FileNotFoundError as missing:
        raise InputError(str(missing.strerror), source=text) from None


def trace_value(text: str, source: str = "") -> object:
    """Return the value of the text of a trace. Raises InputError."""
    text = text.removeprefix("\ufeff")
    try:
        return _json_value(text, source)
    except InputError:
        found = _loose_value(text) if len(text) <= MAX_CHARACTERS else None
        if found is not None:
            return found
        if text.strip() and text.lstrip()[0] not in "{[":
            said = "not JSON, and no call was found; a trace is JSON, JSON lines, or a text with calls"
            raise InputError(said, source=source, text=text, offset=len(text) - len(text.lstrip())) from None
        raise


def _loose_value(text: str) -> object:
    """Return the value of a text that is no JSON as a whole; None for any other.

    It stands in a fence, is printed by Python, or is several values that follow each other. A text in which an agent
    asks for calls, as ReAct prints it or models write them, is its message.
    """
    inner = text[slice(*unfenced(text))].strip()
    values: list[object] = []
    place, decoder = 0, json.JSONDecoder()
    try:
        while place < len(inner):
            value, place = decoder.raw_decode(inner, place)
            values.append(value)
            place = _BETWEEN.match(inner, place).end()  # type: ignore[union-attr]  # it matches everywhere
    except (ValueError, RecursionError):
        values = []
    if values and all(isinstance(each, list | dict) for each in values):
        return values[0] if len(values) == 1 else values
    if spoken(text)[0]:
        return [{"role": "assistant", "content": text}]
    return printed_value(inner)


_BETWEEN = re.compile(r"[\s,]*+")


def _recognised(value: object, source: str) -> Recording:
    found = _read(value)
    if found is None:
        known = "".join(f"; {name} are not read" for name in _unread(value))
        raise InputError(f"no trace is recognised{known}; expected {_EXPECTED}{_found(value)}", source=source)
    return found


def _read(value: object) -> Recording | None:
    """Return the reading of the format that accounts for most; None where none accounts for anything.

    Where it has no calls, those beside what it accounts for are read.
    """
    if isinstance(value, list | tuple) and not value:
        return Recording(format=RECORDS, says_none=True)
    sizes, best, most = Sizes(value), None, 0.0
    for read in (read_spans, read_units, read_records):
        recorder = Recorder()
        read(value, recorder)
        recorder.explained = sizes.share([*recorder.taken, *recorder.declarations])
        is_worth = recorder.calls or recorder.explained >= 0.5
        worth = recorder.explained if is_worth else recorder.explained / 2
        if recorder.taken and (best is None or worth > most + _TOLERANCE):
            best, most = recorder, worth
        if best is recorder and recorder.calls and recorder.explained >= 1 - _TOLERANCE:
            break  # no other one accounts for more
    if best is not None and not best.calls:
        _read_beside(value, best)
    return None if best is None or _unread(value, best.taken) else best.recording()


def _read_beside(value: object, recorder: Recorder) -> None:
    """Read the records of calls beside what was taken; those without a result are missed.

    Of what an author expects of a run, what has a result may be no expectation, and is missed.
    """
    passed, beside, expected = {id(each) for each in recorder.taken}, Recorder(), Recorder()
    for task in (part for each in units(value, _tasks_of) for part in _tasks_of(each)):
        read_records(task, expected)
        passed.update(map(id, units(task, bool)))
    read_records(value, beside, passed)
    if any(call.has_result for call in beside.calls):
        recorder.calls, recorder.is_guessed = beside.calls, True
    missed = [call for call in beside.calls if call.arguments is not None and not recorder.calls]
    for call in (*missed, *(call for call in expected.calls if call.has_result)):
        recorder.miss(f"beside the messages stands what may be a call: {call}")


def _tasks_of(value: Mapping[str, object]) -> list[object]:
    """Return what a run is asked to do, where that is told in calls."""
    keys = formats()["keys"]["of_tasks"]
    return [each for key, each in value.items() if spelled(str(key)) in keys and isinstance(each, list | Mapping)]


def _unread(value: object, taken: Sequence[Mapping[str, object]] = ()) -> list[str]:
    """Return the formats that are known and not read, of which something holds, and is in, nothing that was taken."""
    known = {id(each) for each in taken}

    def holds(value: object) -> bool:
        return next(units(value, lambda each: id(each) in known), None) is not None

    found = units(value, lambda each: id(each) in known or meets(each, formats()["any"]["unread"]))
    left = [each for each in found if not holds(each)]
    return [name for name, condition in formats()["unread"].items() if any(meets(each, condition) for each in left)]


_TOLERANCE = 0.02
"""Shares that differ by no more are equal."""


def _json_value(text: str, source: str) -> object:
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
    if not values:
        raise InputError("the trace is empty; an empty list says that no call was made", source=source)
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


# --- several traces in one file ------------------------------------------------------------------


def runs_of(value: object) -> list[object]:
    """Return the runs of a value that is a list of them, alone or under one key; nothing for any other.

    Requests of one conversation, of which each repeats the history before it, are one run; so are lists of calls, which
    may be calls that were made at once.
    """
    elements = _elements(value)
    if len(elements) < 2:
        return []
    if all(isinstance(each, list | tuple) for each in elements):
        return elements if all(map(_is_list_of_more, elements)) else []
    if not all(isinstance(each, Mapping) for each in elements):
        return []
    if all(isinstance(each, Mapping) and meets(each, formats()["runs"]["whole"]) for each in elements) or _are_named(
        elements
    ):
        return elements
    seen, beginnings = set[tuple[object, ...]](), set[tuple[object, ...]]()
    for each in elements:
        messages = [] if isinstance(each, Mapping) and is_message(each) else first_chat(each)
        if not messages or messages[0].role not in ("system", "user"):
            return []
        essence = tuple(map(_essence, messages))
        begins = {essence[:length] for length in range(1, len(essence) + 1)}
        if essence in beginnings or not seen.isdisjoint(begins):
            return []
        seen.add(essence)
        beginnings |= begins
    return elements


def _is_list_of_more(element: object) -> bool:
    """Return whether an element is a list of objects of which some are no bare calls."""
    if not isinstance(element, list | tuple) or not all(isinstance(each, Mapping) for each in element):
        return False
    calls = map(read_object, element)
    return not all(isinstance(call, CallRequest) and call.given is not None for call in calls)


def _are_named(elements: list[object]) -> bool:
    """Return whether elements name the runs that they are, each another one, and hold something of it."""
    own = [each for each in elements if isinstance(each, Mapping)]
    named = formats()["keys"]["of_runs"]
    names = [tuple((key, str(each[key])) for key in each if spelled(str(key)) in named) for each in own]
    hold = all(any(isinstance(part, list | Mapping) and part for part in each.values()) for each in own)
    return hold and all(names) and len(set(names)) == len(names)


def _elements(value: object) -> list[object]:
    if isinstance(value, list | tuple):
        return list(value)
    if isinstance(value, Mapping) and not is_message(value):
        lists = [each for each in value.values() if isinstance(each, list) and len(each) > 1]
        if len(lists) == 1 and not any(isinstance(each, Mapping) and is_message(each) for each in lists[0]):
            return list(lists[0])
    return []


def _essence(message: Message) -> tuple[object, ...]:
    calls = tuple((call.call_id, call.name) for call in message.calls)
    return message.role, message.texts, calls, tuple(answer.call_id for answer in message.answers)


def traces_of_spans(value: object) -> list[list[Mapping[str, object]]]:
    """Return the spans of each trace, in the order in which the traces come first; nothing for fewer than two."""
    found: dict[str, list[Mapping[str, object]]] = {}
    for span in units(value, lambda each: _trace_of(each) is not None):
        found.setdefault(str(_trace_of(span)), []).append(span)
    return list(found.values()) if len(found) > 1 else []


def _trace_of(value: Mapping[str, object]) -> object:
    """Return the identity of the trace that an object is a span of; None for what is no span."""
    return value_at(value, "context.trace_id|trace_id") if meets(value, formats()["runs"]["span"]) else None
