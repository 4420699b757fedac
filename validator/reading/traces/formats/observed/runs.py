"""Runs of functions: LangSmith's, as a tree or as a list, and those that Weave records."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from validator.reading.traces.recorder import Recorder
from validator.reading.traces.spans.attributes import Attributes
from validator.reading.traces.spans.kinds import given, said_kind, yielded
from validator.reading.traces.spans.runs import in_order, record_runs
from validator.reading.traces.spans.span import Kind, Span, moment
from validator.reading.traces.spans.told import messages_of, record_asked, record_said, request
from validator.reading.traces.walk import units

__all__ = ["read_langsmith", "read_weave"]


def _is_run(value: Mapping[str, object]) -> bool:
    return isinstance(value.get("run_type"), str) and "name" in value


def read_langsmith(value: object, recorder: Recorder) -> None:
    """Read LangSmith's runs inside a JSON value."""
    spans: dict[str, Span] = {}
    for raw in units(value, _is_run, recorder.fields):
        recorder.take(raw)
        for span in _tree(raw, ""):
            spans.setdefault(span.identity or f"#{len(spans)}", span)
    if not spans:
        return
    recorder.format = "LangSmith runs"
    ordered = in_order(list(spans.values()))

    def told(span: Span) -> None:
        recorder.ask(request(span.raw.get("inputs")))
        if span.kind is Kind.MODEL:
            output = span.raw.get("outputs")
            record_said(messages_of(Attributes(), "output", output), None, recorder)

    record_runs(ordered, recorder, told)
    if not recorder.calls:
        models = [span.raw for span in ordered if span.kind is Kind.MODEL]
        asked = [each for raw in models for each in messages_of(Attributes(), "output", raw.get("outputs"))]
        answered = [each for raw in models for each in messages_of(Attributes(), "input", raw.get("inputs"))]
        record_asked(asked, answered, recorder, all_calls=True)


def _tree(raw: Mapping[str, object], parent: str) -> Iterator[Span]:
    """Yield a run and those inside it, which know their parent by where they stand."""
    identity = str(raw.get("id") or raw.get("run_id") or "")
    outputs = raw.get("outputs")
    if isinstance(outputs, Mapping) and len(outputs) == 1 and "output" in outputs:
        outputs = outputs["output"]
    yield Span(
        raw=raw,
        identity=identity,
        parent=str(raw.get("parent_run_id") or parent),
        trace=str(raw.get("trace_id") or ""),
        start=moment(raw.get("start_time")),
        name=str(raw.get("name") or ""),
        kind=said_kind(raw.get("run_type")),
        arguments=given(Attributes(), raw.get("inputs")),
        result=yielded(Attributes(), outputs),
        has_result=outputs is not None,
        error=raw.get("error") or None,
    )
    inner = raw.get("child_runs")
    for child in inner if isinstance(inner, list) else ():
        if isinstance(child, Mapping):
            yield from _tree(child, identity)


# --- Weave ---------------------------------------------------------------------------------------

_MODELS = re.compile(r"\b(?:openai|anthropic|litellm|cohere|mistral\w*|google|genai|bedrock|chat|completions?|llm)\b")


def _is_op(value: Mapping[str, object]) -> bool:
    return isinstance(value.get("op_name"), str) and "inputs" in value


def _said_kind(raw: Mapping[str, object]) -> Kind:
    """Return the kind that an operation was declared with, ``@weave.op(kind="tool")``."""
    attributes = raw.get("attributes")
    inner = attributes.get("weave") if isinstance(attributes, Mapping) else None
    return said_kind(inner.get("kind")) if isinstance(inner, Mapping) else Kind.UNKNOWN


def read_weave(value: object, recorder: Recorder) -> None:
    """Read the calls that Weave records: it traces functions, and says of few what they are.

    Where none is said to be a tool, those that call no other one, are called by one, and are no model's are taken for
    tools.
    """
    raws = list(units(value, _is_op, recorder.fields))
    if not raws:
        return
    recorder.format = "Weave calls"
    above = {str(raw.get("parent_id")) for raw in raws if raw.get("parent_id") is not None}
    spans = []
    said = [_said_kind(raw) for raw in raws]
    for raw, kind in zip(raws, said, strict=True):
        recorder.take(raw)
        name = str(raw["op_name"]).rpartition("/")[2].partition(":")[0]
        is_leaf = str(raw.get("id")) not in above and raw.get("parent_id") is not None
        is_tool = kind is Kind.TOOL or (
            Kind.TOOL not in said and is_leaf and kind is Kind.UNKNOWN and _MODELS.search(name.lower()) is None
        )
        inputs = raw["inputs"]
        if isinstance(inputs, Mapping):
            inputs = {key: each for key, each in inputs.items() if key != "self"}
        span = Span(
            raw=raw,
            identity=str(raw.get("id") or ""),
            parent=str(raw.get("parent_id") or ""),
            trace=str(raw.get("trace_id") or ""),
            start=moment(raw.get("started_at")),
            name=name,
            kind=Kind.TOOL if is_tool else Kind.OTHER,
            arguments=inputs,
            result=raw.get("output"),
            has_result="output" in raw,
            error=raw.get("exception") or None,
        )
        spans.append(span)
        recorder.is_guessed = recorder.is_guessed or (is_tool and kind is not Kind.TOOL)
    record_runs(in_order(spans), recorder, lambda span: recorder.ask(request(span.raw.get("inputs"))))
