"""Spans with attributes: OpenTelemetry's GenAI conventions, OpenInference, OpenLLMetry, MLflow, in any wrapping."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from validator.reading.traces.recorder import Recorder
from validator.reading.traces.spans.attributes import Attributes
from validator.reading.traces.spans.events import told_by_events
from validator.reading.traces.spans.kinds import CALL_IDS, given, kind_of, said_kind, tool_name, yielded
from validator.reading.traces.spans.runs import asked_names, in_order, record_runs, with_tools
from validator.reading.traces.spans.span import Kind, Span, moment
from validator.reading.traces.spans.told import messages_of, record_asked, record_said, request
from validator.reading.traces.walk import units

__all__ = ["read_opentelemetry"]

_MARKS = ("gen_ai.", "openinference.", "traceloop.", "mlflow.", "llm.", "langsmith.", "ai.operation", "tool.name")
_IDENTITIES = ("spanId", "span_id", "context", "startTimeUnixNano", "start_time_unix_nano", "start_time", "startTime")
_STARTS = ("startTimeUnixNano", "start_time_unix_nano", "startTime", "start_time", "start_time_ns", "timestamp")


def _is_span(value: Mapping[str, object]) -> bool:
    if "span_kind" in value and "attributes" in value:
        return True
    attributes = value.get("attributes")
    if isinstance(attributes, list | Mapping):
        if "name" in value and any(key in value for key in _IDENTITIES):
            return True
        return any(name.startswith(_MARKS) or name in ("gen_ai", "openinference") for name in _names(attributes))
    return any(str(key).removeprefix("attributes.").startswith(_MARKS[:4]) for key in value)


def _names(attributes: Sequence[object] | Mapping[str, object]) -> Iterator[str]:
    if isinstance(attributes, Mapping):
        yield from map(str, attributes)
    else:
        yield from (str(each.get("key")) for each in attributes if isinstance(each, Mapping))


def read_opentelemetry(value: object, recorder: Recorder) -> None:
    """Read spans with attributes inside a JSON value; there are some only where one says what it is."""
    found = list(units(value, _is_span, recorder.fields))
    attributes = {id(raw): _attributes(raw) for raw in found}
    spans = in_order([_span(raw, attributes[id(raw)]) for raw in found])
    if all(span.kind is Kind.UNKNOWN for span in spans):
        return
    for raw in found:
        recorder.take(raw)

    def told(span: Span) -> None:
        own = attributes[id(span.raw)]
        messages = messages_of(own, "input", None)
        asked = (text for message in messages if message.role == "user" for text in message.texts)
        recorder.ask(next(asked, None) or request(own.get("input.value")))
        if span.kind is Kind.MODEL or own.get("gen_ai.output.messages") is not None:
            record_said(messages_of(own, "output", None), own.get("output.value"), recorder)

    outputs = [own.first(("gen_ai.output.messages", "output.value")) for own in attributes.values()]
    record_runs(with_tools(spans, asked_names(outputs)), recorder, told)
    if not recorder.calls:
        sides = [[messages_of(attributes[id(span.raw)], side, None) for span in spans] for side in ("output", "input")]
        asked, answered = ([message for messages in side for message in messages] for side in sides)
        record_asked(asked, answered, recorder, all_calls=True)
    recorder.format = _form(attributes.values())


def _form(attributes: Iterable[Attributes]) -> str:
    names = {name for own in attributes for name in own}
    for mark, form in (
        ("openinference.span.kind", "OpenInference spans"),
        ("span_kind", "OpenInference spans"),
        ("mlflow.span_type", "MLflow spans"),
        ("traceloop.span.kind", "OpenLLMetry spans"),
    ):
        if mark in names:
            return form
    return "OpenTelemetry GenAI spans"


def _attributes(raw: Mapping[str, object]) -> Attributes:
    found = raw.get("attributes")
    own = {"span_kind": raw["span_kind"]} if "span_kind" in raw else {}
    if isinstance(found, list | Mapping):
        return Attributes(found, own, told_by_events(raw.get("events")))
    return Attributes({str(key).removeprefix("attributes."): each for key, each in raw.items()})


def _span(raw: Mapping[str, object], attributes: Attributes) -> Span:
    context = raw.get("context")
    inner: Mapping[str, object] = context if isinstance(context, Mapping) else {}
    identity = raw.get("spanId") or raw.get("span_id") or inner.get("span_id") or raw.get("id")
    parent = raw.get("parentSpanId") or raw.get("parent_span_id") or raw.get("parent_id") or raw.get("parentId")
    kind = kind_of(attributes)
    if kind is Kind.UNKNOWN:
        kind = said_kind(raw.get("span_kind") or raw.get("span_type") or raw.get("spanType"))
    result, error = yielded(attributes, raw.get("outputs")), _error(raw, attributes)
    return Span(
        raw=raw,
        identity=str(identity or ""),
        parent=str(parent or ""),
        trace=str(raw.get("traceId") or raw.get("trace_id") or inner.get("trace_id") or ""),
        start=moment(next((raw[key] for key in _STARTS if raw.get(key) is not None), None)),
        name=str(raw.get("name") or attributes.text(("gen_ai.agent.name",)) or ""),
        kind=kind,
        tool=tool_name(attributes),
        arguments=given(attributes, raw.get("inputs")),
        result=result,
        has_result=result is not None,
        error=error,
        call_id=str(attributes.first(CALL_IDS) or ""),
    )


def _error(raw: Mapping[str, object], attributes: Attributes) -> object:
    found = attributes.first(("error.type", "exception.message"))
    if found:
        return found
    status = raw.get("status") or raw.get("status_code") or raw.get("statusCode")
    code = status.get("code", status.get("status_code")) if isinstance(status, Mapping) else status
    if str(code).upper() in ("2", "ERROR", "STATUS_CODE_ERROR"):
        said = status.get("message") if isinstance(status, Mapping) else raw.get("status_message")
        return said or "the span has the status ERROR"
    return None
