"""Spans of OpenTelemetry's GenAI conventions and of OpenInference, flat or nested, as OTLP or as exported."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping

from validator.reading.calls import CallKind
from validator.reading.traces.recording import Recorder, units
from validator.reading.traces.span import request, start

__all__ = ["MARKS", "read_spans"]

MARKS = ("gen_ai.", "openinference.", "attributes.gen_ai.", "attributes.openinference.")


def _is_span(value: Mapping[str, object]) -> bool:
    if "span_kind" in value and "attributes" in value:
        return True
    attributes = value.get("attributes")
    if isinstance(attributes, list):
        keys: Iterator[object] = (each.get("key") for each in attributes if isinstance(each, Mapping))
    elif isinstance(attributes, Mapping):
        keys = iter(attributes)
    else:
        keys = iter(value)
    return any(isinstance(key, str) and (key.startswith(MARKS) or key in ("gen_ai", "openinference")) for key in keys)


def read_spans(value: object, recorder: Recorder) -> bool:
    """Read OpenTelemetry's and OpenInference's spans inside a JSON value; return whether there are any."""
    spans = [_Span(span) for span in units(value, _is_span, recorder.fields)]
    spans.sort(key=lambda span: span.start)
    by_identity = {span.identity: span for span in spans if span.identity}
    for span in spans:
        _read_otel(span, by_identity, recorder)
    if spans and not recorder.calls:
        for span in spans:
            _asked(span, recorder)
    if spans:
        inference = any(span.get("openinference.span.kind") or span.raw.get("span_kind") for span in spans)
        recorder.format = "OpenInference spans" if inference else "OpenTelemetry GenAI spans"
    return bool(spans)


class _Span:
    """A span whose attributes are found by their dotted names, however they are nested."""

    def __init__(self, raw: Mapping[str, object]) -> None:
        self.raw = raw
        attributes = raw.get("attributes")
        if isinstance(attributes, list):
            self.attributes: Mapping[str, object] = {
                str(each.get("key")): _any_value(each.get("value")) for each in attributes if isinstance(each, Mapping)
            }
        elif isinstance(attributes, Mapping):
            self.attributes = attributes
        else:
            self.attributes = {str(key).removeprefix("attributes."): each for key, each in raw.items()}
        context = raw.get("context")
        inner: Mapping[str, object] = context if isinstance(context, Mapping) else {}
        self.identity = str(raw.get("spanId") or raw.get("span_id") or inner.get("span_id") or "")
        self.above = str(raw.get("parentSpanId") or raw.get("parent_span_id") or raw.get("parent_id") or "")
        self.start = start(raw)

    def get(self, name: str) -> object:
        return _lookup(self.attributes, name)

    @property
    def kind(self) -> str:
        """Return ``tool``, ``retriever``, ``llm`` or what else the span says that it is."""
        operation = str(self.get("gen_ai.operation.name") or "").lower()
        if operation:
            return {"execute_tool": "tool", "chat": "llm", "generate_content": "llm", "text_completion": "llm"}.get(
                operation, operation
            )
        return str(self.get("openinference.span.kind") or self.raw.get("span_kind") or "").lower()


def _lookup(attributes: Mapping[str, object], name: str) -> object:
    if name in attributes:
        return attributes[name]
    head, dot, rest = name.partition(".")
    while dot:
        inner = attributes.get(head)
        if isinstance(inner, Mapping) and (found := _lookup(inner, rest)) is not None:
            return found
        more, dot, rest = rest.partition(".")
        head = f"{head}.{more}"
    return None


def _any_value(value: object) -> object:
    """Return the value of an OTLP AnyValue."""
    if not isinstance(value, Mapping) or len(value) != 1:
        return value
    ((kind, inner),) = value.items()
    if kind == "arrayValue" and isinstance(inner, Mapping):
        values = inner.get("values")
        return [_any_value(each) for each in values] if isinstance(values, list) else []
    if kind == "kvlistValue" and isinstance(inner, Mapping):
        values = inner.get("values")
        listed = values if isinstance(values, list) else []
        return {str(each.get("key")): _any_value(each.get("value")) for each in listed if isinstance(each, Mapping)}
    if kind == "intValue" and isinstance(inner, str):
        return int(inner) if inner.lstrip("-").isdigit() else inner
    return inner if kind in ("stringValue", "boolValue", "doubleValue", "intValue", "bytesValue") else value


def _read_otel(span: _Span, by_identity: Mapping[str, _Span], recorder: Recorder) -> None:
    recorder.fields(span.attributes)
    kind = span.kind
    if kind in ("tool", "retriever"):
        _executed(span, kind, by_identity, recorder)
        return
    recorder.ask(_spoken(span, "input", "user"))
    if kind == "llm" or span.get("gen_ai.output.messages") is not None:
        for text in _outputs(span):
            recorder.say(text)


def _executed(span: _Span, kind: str, by_identity: Mapping[str, _Span], recorder: Recorder) -> None:
    label = str(span.raw.get("name") or "").removeprefix("execute_tool ").strip()
    name = span.get("gen_ai.tool.name") or span.get("tool.name") or label
    arguments = _parsed(span.get("gen_ai.tool.call.arguments"))
    if arguments is None:
        given = _parsed(span.get("input.value"))
        declared = _parsed(span.get("tool.parameters"))
        is_schema = isinstance(declared, Mapping) and "properties" in declared
        arguments = given if isinstance(given, Mapping) or declared is None or is_schema else declared
    above, in_tool, seen = by_identity.get(span.above), False, {span.identity}
    parent = None
    while above is not None and above.identity not in seen:
        seen.add(above.identity)
        if parent is None and above.kind in ("tool", "agent", "invoke_agent"):
            parent = str(above.get("gen_ai.agent.name") or above.raw.get("name") or "") or None
        in_tool = in_tool or above.kind == "tool"
        above = by_identity.get(above.above)
    role = CallKind.NESTED if in_tool else CallKind.TOOL if kind == "tool" else CallKind.RETRIEVER
    call_id = span.get("gen_ai.tool.call.id") or span.get("tool.id") or span.identity or None
    index = recorder.call(name, arguments, call_id=call_id, parent=parent, kind=role)
    result = span.get("gen_ai.tool.call.result")
    result = span.get("output.value") if result is None else result
    error = _error(span)
    if result is not None or error is not None:
        recorder.result(index, _parsed(result), error)


def _error(span: _Span) -> object:
    found = span.get("error.type") or span.get("exception.message")
    if found:
        return found
    status = span.raw.get("status") or span.raw.get("status_code")
    code = status.get("code", status.get("status_code")) if isinstance(status, Mapping) else status
    if str(code).upper() in ("2", "ERROR", "STATUS_CODE_ERROR"):
        said = status.get("message") if isinstance(status, Mapping) else span.raw.get("status_message")
        return said or "the span has the status ERROR"
    return None


def _parsed(value: object) -> object:
    """Return a JSON text's value, anything else as it is."""
    if isinstance(value, str) and value.lstrip()[:1] in ("{", "["):
        try:
            return json.loads(value)
        except (ValueError, RecursionError):
            return value
    return value


def _messages(span: _Span, side: str) -> Iterator[Mapping[str, object]]:
    found = _parsed(span.get(f"gen_ai.{side}.messages"))
    if found is None:
        listed = _parsed(span.get(f"llm.{side}_messages"))
        found = (
            [each.get("message", each) for each in listed if isinstance(each, Mapping)]
            if isinstance(listed, list)
            else None
        )
    if found is None:
        found = list(_numbered(span, f"llm.{side}_messages."))
    for message in found if isinstance(found, list) else ():
        if isinstance(message, Mapping):
            yield message


def _numbered(span: _Span, prefix: str) -> Iterator[Mapping[str, object]]:
    """Yield OpenInference's flat messages: ``llm.output_messages.0.message.content``."""
    found: dict[str, dict[str, object]] = {}
    for key, value in span.attributes.items():
        if key.startswith(prefix):
            number, _, rest = key.removeprefix(prefix).partition(".message.")
            found.setdefault(number, {})[rest] = value
    yield from found.values()


def _parts(message: Mapping[str, object], *kinds: str) -> Iterator[Mapping[str, object]]:
    parts = message.get("parts")
    for part in parts if isinstance(parts, list) else ():
        if isinstance(part, Mapping) and part.get("type") in kinds:
            yield part


def _spoken(span: _Span, side: str, role: str) -> str | None:
    """Return the first text of a role among the messages of a span, else the span's own value."""
    for message in _messages(span, side):
        if message.get("role") == role:
            texts = [part.get("content") for part in _parts(message, "text")] or [message.get("content")]
            return next((text for text in texts if isinstance(text, str)), None)
    return request(_parsed(span.get(f"{side}.value")))


def _outputs(span: _Span) -> Iterator[object]:
    spoke = False
    for message in _messages(span, "output"):
        spoke = True
        yield message.get("content")
        for part in _parts(message, "text", "reasoning"):
            yield part.get("content")
    if not spoke:
        yield span.get("output.value")


def _asked(span: _Span, recorder: Recorder) -> None:
    """Take the calls that a model asked for: a trace without spans of the tools."""
    for message in _messages(span, "output"):
        parts = list(_parts(message, "tool_call"))
        batch = recorder.batch() if len(parts) > 1 else None
        for part in parts:
            recorder.call(part.get("name"), part.get("arguments"), call_id=part.get("id"), batch=batch)
    for message in _messages(span, "input"):
        for part in _parts(message, "tool_call_response"):
            recorder.answer(part.get("id"), part.get("response", part.get("result")))
