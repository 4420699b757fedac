"""Spans of any tool for observability that says of each what it is: Braintrust, Opik, Datadog, LangWatch, their kin.

Told by structure: an identity within a trace, a name, and a word for the kind, at its top or in its details.
"""

from __future__ import annotations

from collections.abc import Mapping

from validator.reading.calls.keys import pick, spelled
from validator.reading.traces.recorder import Recorder
from validator.reading.traces.spans.attributes import Attributes
from validator.reading.traces.spans.kinds import given, said_kind, yielded
from validator.reading.traces.spans.runs import asked_names, in_order, record_runs, with_tools
from validator.reading.traces.spans.span import Kind, Span, moment
from validator.reading.traces.spans.told import messages_of, record_asked, record_said, request
from validator.reading.traces.walk import units

__all__ = ["read_spans"]

_OWN = ("span_id", "id", "run_id")
_TRACE = ("trace_id", "root_span_id", "root_id", "session_id")
_ABOVE = ("parent_span_id", "parent_id", "span_parents", "parent_run_id", "parent")
_STARTS = ("start_time", "started_at", "start_ns", "start", "start_timestamp", "created_at", "created", "timestamp")
_KINDS = ("type", "span_type", "span_kind", "kind", "span.kind", "observation_type")
_DETAILS = ("span_attributes", "meta", "metrics", "timestamps")
"""Keys under which a span keeps its kind, its start, or what went in and came out."""


def _fields(raw: Mapping[str, object]) -> dict[str, object]:
    """Return what a span says at its top and in its details, the top first."""
    own = {spelled(str(key)): each for key, each in raw.items()}
    for key in _DETAILS:
        inner = own.get(key)
        for name, each in inner.items() if isinstance(inner, Mapping) else ():
            own.setdefault(spelled(str(name)), each)
    return own


def _kind(own: Mapping[str, object]) -> Kind:
    words = [own[key] for key in _KINDS if isinstance(own.get(key), str)]
    if "function" in words:
        return Kind.UNKNOWN  # any function that is traced
    kinds = (said_kind(word) for word in words)
    return next((kind for kind in kinds if kind is not Kind.UNKNOWN), Kind.UNKNOWN)


def _is_span(value: Mapping[str, object]) -> bool:
    if "role" in value or not any(spelled(str(key)) in _TRACE for key in value):
        return False
    own = _fields(value)
    is_placed = pick(value, _OWN) is not None and any(key in own for key in (*_ABOVE, *_STARTS))
    return is_placed and isinstance(own.get("name"), str) and any(isinstance(own.get(key), str) for key in _KINDS)


def read_spans(value: object, recorder: Recorder) -> None:
    """Read the spans inside a JSON value; there are some only where one says that it is a tool's or a model's."""
    found = list(units(value, _is_span, recorder.fields))
    spans = in_order([_span(raw) for raw in found])
    if not any(span.kind in (Kind.TOOL, Kind.MODEL, Kind.AGENT) for span in spans):
        return
    for raw in found:
        recorder.take(raw)
    recorder.format = "spans"
    said = [_value(_fields(span.raw).get("output")) for span in spans if span.kind in (Kind.MODEL, Kind.AGENT)]

    def told(span: Span) -> None:
        own = _fields(span.raw)
        recorder.ask(request(_value(own.get("input", own.get("inputs")))))
        if span.kind is Kind.MODEL:
            output = _value(own.get("output", own.get("outputs")))
            record_said(messages_of(Attributes(), "output", output), output, recorder)

    record_runs(with_tools(spans, asked_names(said)), recorder, told)
    if not recorder.calls:
        models = [_fields(span.raw) for span in spans if span.kind is Kind.MODEL]
        asked, answered = (
            [each for own in models for each in messages_of(Attributes(), side, _value(own.get(side)))]
            for side in ("output", "input")
        )
        record_asked(asked, answered, recorder, all_calls=True)


def _span(raw: Mapping[str, object]) -> Span:
    own = _fields(raw)
    above = next((own[key] for key in _ABOVE if own.get(key) not in (None, "", "undefined")), "")
    result = yielded(Attributes(), _value(own.get("output", own.get("outputs"))))
    failed = own.get("error") or str(own.get("status") or "").lower() in ("error", "failed") or None
    return Span(
        raw=raw,
        identity=str(raw[pick(raw, _OWN) or ""]),
        parent=str(above[0] if isinstance(above, list) and above else above),
        trace=str(next((own[key] for key in _TRACE if own.get(key) is not None), "")),
        start=moment(next((own[key] for key in _STARTS if own.get(key) is not None), None)),
        name=str(own["name"]),
        kind=_kind(own),
        arguments=given(Attributes(), _value(own.get("input", own.get("inputs")))),
        result=result,
        has_result=result is not None,
        error=failed,
    )


def _value(side: object) -> object:
    """Return what stands in ``{"type": "json", "value": ...}``, or in ``{"output": ...}`` alone."""
    if isinstance(side, Mapping):
        if "value" in side and side.keys() <= {"type", "value", "mime_type"}:
            return side["value"]
        if side.keys() == {"output"}:
            return side["output"]
    return side
