"""Langfuse: a trace with observations, of which only some are runs of tools.

A tool's run is an observation of type TOOL, a SPAN whose metadata say so, in LangGraph a SPAN that yields a tool's
message, or one with the name of a tool that a model asked for.
"""

from __future__ import annotations

from collections.abc import Mapping

from validator.reading.calls.keys import spelled
from validator.reading.traces.recorder import Recorder
from validator.reading.traces.spans.attributes import Attributes
from validator.reading.traces.spans.kinds import CALL_IDS, given, kind_of, said_kind, tool_name, yielded
from validator.reading.traces.spans.runs import asked_names, in_order, record_runs, with_tools
from validator.reading.traces.spans.span import Kind, Span, moment
from validator.reading.traces.spans.told import messages_of, record_asked, record_said, request
from validator.reading.traces.walk import parsed, units

__all__ = ["read_langfuse"]

_TYPES = frozenset(
    "span generation event agent tool chain retriever evaluator embedding guardrail".split()  # noqa: SIM905
)


def _is_observation(value: Mapping[str, object]) -> bool:
    own = {spelled(str(key)) for key in value}
    kind = value.get("type")
    if not isinstance(kind, str) or kind.lower() not in _TYPES:
        return False
    return "trace_id" in own and not {"parent_observation_id", "start_time"}.isdisjoint(own)


def read_langfuse(value: object, recorder: Recorder) -> None:
    """Read the observations inside a JSON value; what stands twice, once without its content, is one."""
    found: dict[str, dict[str, object]] = {}
    for raw in units(value, _is_observation, recorder.fields):
        recorder.take(raw)
        own = found.setdefault(str(raw.get("id")), {})
        for key, each in raw.items():
            if each not in (None, "", "{}", [], {}):
                own[spelled(str(key))] = each
            elif each in ({}, "{}"):
                own.setdefault(spelled(str(key)), each)  # a tool that was given nothing, unless it stands twice
    if not found:
        return
    recorder.format = "Langfuse observations"
    _take_around(value, recorder)
    attributes = {identity: _attributes(own) for identity, own in found.items()}
    spans = in_order([_span(own, attributes[identity]) for identity, own in found.items()])
    models = [span for span in spans if span.kind is Kind.MODEL]
    outputs = [span.raw.get("output") for span in spans if span.kind in (Kind.MODEL, Kind.AGENT)]
    spans = with_tools(spans, asked_names(outputs))

    def told(span: Span) -> None:
        recorder.ask(request(span.raw.get("input")))
        if span.kind is Kind.MODEL:
            output = span.raw.get("output")
            record_said(messages_of(Attributes(), "output", output), output, recorder)

    record_runs(spans, recorder, told)
    if not recorder.calls:
        asked = [each for span in models for each in messages_of(Attributes(), "output", span.raw.get("output"))]
        answered = [each for span in models for each in messages_of(Attributes(), "input", span.raw.get("input"))]
        record_asked(asked, answered, recorder, all_calls=False)


def _take_around(value: object, recorder: Recorder) -> None:
    """Account for the trace around the observations, whose fields say the same once more."""
    taken = {id(raw) for raw in recorder.taken}

    def is_trace(each: Mapping[str, object]) -> bool:
        listed = each.get("observations")
        return isinstance(listed, list) and any(id(inner) in taken for inner in listed)

    traces = list(units(value, is_trace, lambda _: None))
    if traces:
        held = {id(inner) for each in traces for inner in each["observations"]}  # type: ignore[attr-defined]
        recorder.taken = [raw for raw in recorder.taken if id(raw) not in held] + traces


def _attributes(own: Mapping[str, object]) -> Attributes:
    metadata = parsed(own.get("metadata"))
    inner = metadata.get("attributes") if isinstance(metadata, Mapping) else None
    return Attributes(inner, metadata)


def _span(own: Mapping[str, object], attributes: Attributes) -> Span:
    kind = said_kind(own.get("type"))
    if kind is Kind.UNKNOWN or kind is Kind.OTHER:
        told = kind_of(attributes)
        kind = told if told is not Kind.UNKNOWN else kind
    output = parsed(own.get("output"))
    if kind is Kind.UNKNOWN and _is_tool_message(output):
        kind = Kind.TOOL
    result = yielded(attributes, output)
    level = str(own.get("level") or "").upper()
    return Span(
        raw=own,
        identity=str(own.get("id") or ""),
        parent=str(own.get("parent_observation_id") or ""),
        trace=str(own.get("trace_id") or ""),
        start=moment(own.get("start_time")),
        name=str(own.get("name") or ""),
        kind=kind,
        tool=tool_name(attributes),
        arguments=given(attributes, own.get("input")),
        result=result,
        has_result=result is not None,
        error=(own.get("status_message") or True) if level == "ERROR" else None,
        call_id=str(attributes.first(CALL_IDS) or ""),
    )


def _is_tool_message(value: object) -> bool:
    """Return whether what came out is the message of a tool, as LangChain's tools yield it."""
    if not isinstance(value, Mapping):
        return False
    path = value.get("id")
    if value.get("type") == "constructor" and isinstance(path, list) and path:
        return str(path[-1]).startswith("ToolMessage")
    return value.get("type", value.get("role")) == "tool" and "tool_call_id" in value
