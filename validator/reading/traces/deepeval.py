"""DeepEval's spans: the tree that a metric is given, and the flat lists by type that a trace is exported as."""

from __future__ import annotations

from collections.abc import Mapping

from validator.reading.calls import CallKind
from validator.reading.traces.recording import Recorder, units
from validator.reading.traces.span import request, start

__all__ = ["MARKS", "read_deepeval"]

_TYPES = frozenset(("agent", "llm", "tool", "retriever", "base"))
_LISTS = ("agentSpans", "llmSpans", "toolSpans", "retrieverSpans", "baseSpans")
_FLAT = frozenset((*_LISTS, "agent_spans", "llm_spans", "tool_spans", "retriever_spans", "base_spans"))
MARKS = ("children", "tools_called", "toolsCalled", "output", *_FLAT)
"""Keys of which every span that is recognised has one."""


def _is_deepeval(value: Mapping[str, object]) -> bool:
    if _is_flat(value):
        return True
    kind = value.get("type")
    if not isinstance(kind, str) or kind.lower() not in _TYPES or "name" not in value or "role" in value:
        return False
    if "tool_call_id" in value or "content" in value:
        return False  # a message of LangChain's
    return not {"children", "tools_called", "toolsCalled"}.isdisjoint(value) or {"input", "output"} <= value.keys()


def _is_flat(value: Mapping[str, object]) -> bool:
    return not _FLAT.isdisjoint(value) and any(isinstance(value.get(key), list) for key in _FLAT)


def read_deepeval(value: object, recorder: Recorder) -> bool:
    """Read DeepEval's spans inside a JSON value; return whether there are any."""
    roots = list(units(value, _is_deepeval, recorder.fields))
    for root in roots:
        if _is_flat(root):
            recorder.fields(root)
            recorder.ask(request(root.get("input")))
            for span in _tree(root):
                _read_span(span, recorder, None, in_tool=False)
        else:
            _read_span(root, recorder, None, in_tool=False)
    if roots and not any(call.kind in (CallKind.TOOL, CallKind.PLAN) for call in recorder.calls):
        for root in roots:
            _tools_called(root, recorder)
    if roots:
        recorder.format = "DeepEval spans"
    return bool(roots)


def _tree(trace: Mapping[str, object]) -> list[Mapping[str, object]]:
    """Return the root spans of flat lists, each with its children, in order of their start."""
    spans: list[dict[str, object]] = []
    for key, value in trace.items():
        if key in _FLAT and isinstance(value, list):
            kind = key.replace("_spans", "").replace("Spans", "")
            spans += ({"type": kind, **span, "children": []} for span in value if isinstance(span, Mapping))
    spans.sort(key=lambda span: start(span))
    known = {str(span["uuid"]): span for span in spans if span.get("uuid") is not None}
    roots: list[Mapping[str, object]] = []
    for span in spans:
        above = known.get(str(span.get("parentUuid", span.get("parent_uuid"))))
        children = above["children"] if above is not None and above is not span else None
        if isinstance(children, list):
            children.append(span)
        else:
            roots.append(span)
    return roots


def _read_span(span: Mapping[str, object], recorder: Recorder, parent: str | None, *, in_tool: bool) -> None:
    kind = str(span.get("type", "")).lower()
    name = span.get("name")
    recorder.fields(span)
    if isinstance(metadata := span.get("metadata"), Mapping):
        recorder.fields(metadata)
    if kind in ("tool", "retriever"):
        inside = CallKind.NESTED if in_tool else CallKind.TOOL if kind == "tool" else CallKind.RETRIEVER
        arguments = next((span[key] for key in ("input", "input_parameters", "inputParameters") if key in span), None)
        index = recorder.call(name, arguments, call_id=span.get("uuid"), parent=parent, kind=inside)
        error = span.get("error") or (str(span.get("status", "")).upper() in ("ERROR", "ERRORED") or None)
        if "output" in span or error is not None:
            recorder.result(index, span.get("output"), error)
    else:
        recorder.ask(request(span.get("input")))
        if kind == "llm":
            _say(span.get("output"), recorder)
    above = name if isinstance(name, str) and kind in ("agent", "tool") else parent
    children = span.get("children")
    for child in children if isinstance(children, list) else ():
        if isinstance(child, Mapping):
            _read_span(child, recorder, above, in_tool=in_tool or kind == "tool")


def _tools_called(span: Mapping[str, object], recorder: Recorder) -> None:
    """Take the calls from the outermost list of them: a trace whose tools have no spans of their own."""
    listed = span.get("tools_called") or span.get("toolsCalled")
    if isinstance(listed, list) and listed:
        for tool in listed:
            if isinstance(tool, Mapping):
                arguments = tool.get("input_parameters", tool.get("inputParameters"))
                index = recorder.call(tool.get("name"), arguments, parent=_name(span))
                if tool.get("output") is not None:
                    recorder.result(index, tool["output"])
        return
    for children in (span.get("children"), *(span.get(key) for key in _FLAT)):
        for child in children if isinstance(children, list) else ():
            if isinstance(child, Mapping):
                _tools_called(child, recorder)


def _name(span: Mapping[str, object]) -> str | None:
    name = span.get("name")
    return name if isinstance(name, str) else None


def _say(output: object, recorder: Recorder) -> None:
    """Take down the output of a model: its texts, and the plan fields of its objects."""
    if isinstance(output, str):
        recorder.say(output)
    elif isinstance(output, Mapping):
        recorder.fields(output)
        for key in ("reasoning", "thought", "content", "text"):
            recorder.say(output.get(key))
    elif isinstance(output, list):
        for each in output:
            _say(each, recorder)
