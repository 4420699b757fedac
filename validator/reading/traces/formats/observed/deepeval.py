"""DeepEval's spans: the tree that a metric is given, and the flat lists by type that a trace is exported as."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from validator.reading.calls import CallKind
from validator.reading.calls.keys import ARGUMENTS, RESULTS, pick, spelled
from validator.reading.traces.recording import Recorder
from validator.reading.traces.spans.attributes import Attributes
from validator.reading.traces.spans.kinds import given, said_kind, yielded
from validator.reading.traces.spans.runs import record_runs
from validator.reading.traces.spans.span import Kind, Span, moment
from validator.reading.traces.spans.told import record_said, request
from validator.reading.traces.walk import units

__all__ = ["LISTS", "read_deepeval"]

_TYPES = frozenset(("agent", "llm", "tool", "retriever", "base"))
_LISTS = frozenset(("agent_spans", "llm_spans", "tool_spans", "retriever_spans", "base_spans"))
LISTS = (*sorted(_LISTS), "agentSpans", "llmSpans", "toolSpans", "retrieverSpans", "baseSpans")
"""The keys of the flat lists, in both spellings."""
_OTHERS = frozenset(("run_type", "observations", "trace_id", "op_name", "span_data", "role", "tool_call_id", "content"))


def _is_span(value: Mapping[str, object]) -> bool:
    own = {spelled(str(key)) for key in value}
    if _LISTS & own:
        return any(isinstance(each, list) for key, each in value.items() if spelled(str(key)) in _LISTS)
    kind = value.get("type")
    if not isinstance(kind, str) or kind.lower() not in _TYPES or "name" not in own or _OTHERS & own:
        return False
    return not {"children", "tools_called"}.isdisjoint(own) or {"input", "output"} <= own


def read_deepeval(value: object, recorder: Recorder) -> None:
    """Read DeepEval's spans inside a JSON value."""
    roots = list(units(value, _is_span, recorder.fields))
    spans: list[Span] = []
    for root in roots:
        recorder.take(root)
        recorder.fields(root)
        own = list(_flat(root) if "type" not in root else _tree(root, ""))
        if "type" not in root:
            recorder.ask(request(root.get("input")))
        spans += own
    if not roots:
        return
    recorder.format = "DeepEval spans"
    record_runs(spans, recorder, lambda span: _told(span, recorder))
    if not any(call.kind in (CallKind.TOOL, CallKind.PLAN) for call in recorder.calls):
        for root in roots:
            _tools_called(root, recorder)
        recorder.says_none = any(root.get("tools_called", root.get("toolsCalled")) == [] for root in roots)


def _tree(raw: Mapping[str, object], parent: str) -> Iterator[Span]:
    """Yield a span and those inside it, in the order in which they stand."""
    identity = str(raw.get("uuid") or id(raw))
    yield _span(raw, str(raw.get("type", "")), identity, parent)
    inner = raw.get("children")
    for child in inner if isinstance(inner, list) else ():
        if isinstance(child, Mapping):
            yield from _tree(child, identity)


def _flat(trace: Mapping[str, object]) -> list[Span]:
    """Return the spans of flat lists in the order of their start."""
    spans = [
        _span(each, spelled(str(key)).removesuffix("_spans"), str(each.get("uuid") or id(each)), _above(each))
        for key, listed in trace.items()
        if spelled(str(key)) in _LISTS and isinstance(listed, list)
        for each in listed
        if isinstance(each, Mapping)
    ]
    return sorted(spans, key=lambda span: span.start)


def _above(raw: Mapping[str, object]) -> str:
    return str(raw.get("parentUuid") or raw.get("parent_uuid") or "")


def _span(raw: Mapping[str, object], kind: str, identity: str, parent: str) -> Span:
    error = raw.get("error") or (str(raw.get("status", "")).upper() in ("ERROR", "ERRORED") or None)
    arguments, result = pick(raw, ("input", *ARGUMENTS)), pick(raw, ("output", *RESULTS))
    metadata = raw.get("metadata")
    return Span(
        raw=raw,
        identity=identity,
        parent=parent,
        start=moment(raw.get("startTime", raw.get("start_time"))),
        name=str(raw.get("name") or ""),
        kind=said_kind(kind),
        arguments=None if arguments is None else given(Attributes(metadata), raw[arguments]),
        result=None if result is None else yielded(Attributes(), raw[result]),
        has_result=result is not None,
        error=error,
    )


def _told(span: Span, recorder: Recorder) -> None:
    recorder.fields(span.raw)
    if isinstance(metadata := span.raw.get("metadata"), Mapping):
        recorder.fields(metadata)
    recorder.ask(request(span.raw.get("input")))
    if span.kind is Kind.MODEL:
        record_said((), span.raw.get("output"), recorder)


def _tools_called(span: Mapping[str, object], recorder: Recorder) -> None:
    """Take the calls from the outermost list of them: a trace whose tools have no spans of their own."""
    listed = span.get("tools_called") or span.get("toolsCalled")
    if isinstance(listed, list) and listed:
        for tool in listed:
            if isinstance(tool, Mapping):
                arguments = tool.get("input_parameters", tool.get("inputParameters"))
                parent = span.get("name")
                index = recorder.call(tool.get("name"), arguments, parent=parent if isinstance(parent, str) else None)
                if tool.get("output") is not None:
                    recorder.result(index, tool["output"])
        return
    for key, children in span.items():
        if spelled(str(key)) in (*_LISTS, "children"):
            for child in children if isinstance(children, list) else ():
                if isinstance(child, Mapping):
                    _tools_called(child, recorder)
