"""OpenAI's Agents SDK: the spans that it exports, and the state of a run that it stores."""

from __future__ import annotations

from collections.abc import Mapping

from validator.reading.traces.chat.conversation import Conversation, chat_units
from validator.reading.traces.recording import Recorder
from validator.reading.traces.spans.attributes import Attributes
from validator.reading.traces.spans.kinds import given, said_kind
from validator.reading.traces.spans.runs import in_order, record_runs
from validator.reading.traces.spans.span import Kind, Span, moment
from validator.reading.traces.spans.told import messages_of, record_asked, record_said, request
from validator.reading.traces.walk import units

__all__ = ["read_agents_spans", "read_run_state"]


def _is_span(value: Mapping[str, object]) -> bool:
    data = value.get("span_data")
    return isinstance(data, Mapping) and "type" in data


def _is_record(value: Mapping[str, object]) -> bool:
    return _is_span(value) or value.get("object") == "trace"


def read_agents_spans(value: object, recorder: Recorder) -> None:
    """Read the spans inside a JSON value."""
    spans = []
    for raw in units(value, _is_record, recorder.fields):
        recorder.take(raw)
        if _is_span(raw):
            spans.append(_span(raw))
    if not spans:
        recorder.taken.clear()
        return
    recorder.format = "OpenAI Agents SDK spans"

    def told(span: Span) -> None:
        data = span.raw["span_data"]
        if span.kind is Kind.MODEL and isinstance(data, Mapping):
            recorder.ask(request(data.get("input")))
            record_said(messages_of(Attributes(), "output", data.get("output")), None, recorder)

    spans = in_order(spans)
    record_runs(spans, recorder, told)
    if not recorder.calls:
        models = [
            data for span in spans if span.kind is Kind.MODEL and isinstance(data := span.raw["span_data"], Mapping)
        ]
        asked = [each for data in models for each in messages_of(Attributes(), "output", data.get("output"))]
        answered = [each for data in models for each in messages_of(Attributes(), "input", data.get("input"))]
        record_asked(asked, answered, recorder, all_calls=True)


def _span(raw: Mapping[str, object]) -> Span:
    data = raw["span_data"]
    assert isinstance(data, Mapping)
    output = data.get("output")
    return Span(
        raw=raw,
        identity=str(raw.get("id") or ""),
        parent=str(raw.get("parent_id") or ""),
        trace=str(raw.get("trace_id") or ""),
        start=moment(raw.get("started_at")),
        name=str(data.get("name") or ""),
        kind=said_kind(data.get("type")),
        arguments=given(Attributes(), data.get("input")),
        result=output,
        has_result=output is not None,
        error=raw.get("error") or None,
    )


# --- the state of a run --------------------------------------------------------------------------


def _is_state(value: Mapping[str, object]) -> bool:
    return isinstance(value.get("generated_items"), list) and not {"model_responses", "original_input"}.isdisjoint(
        value
    )


def read_run_state(value: object, recorder: Recorder) -> None:
    """Read a stored run: the items that it generated; the responses of its models have them once more."""
    for state in units(value, _is_state, recorder.fields):
        recorder.take(state)
        recorder.format = "OpenAI Agents SDK run state"
        recorder.ask(request(state.get("original_input")))
        conversation = Conversation(recorder)
        for key in ("original_input", "session_items", "generated_items", "model_responses"):
            for message, home in chat_units(state.get(key), lambda _: None):
                conversation.read(message, home)
