"""Spans as values, and what they say of themselves: kind, the tool's name, what went in and what came out."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime
from enum import StrEnum
from fractions import Fraction

from validator.reading.calls.objects import is_schema, spelled
from validator.reading.traces.walk import parsed
from validator.records import dataclass

__all__ = [
    "CALL_IDS",
    "Attributes",
    "Kind",
    "Span",
    "any_value",
    "given",
    "kind_of",
    "moment",
    "plain_name",
    "said_kind",
    "tool_name",
    "yielded",
]


class Kind(StrEnum):
    """What a span records the run of."""

    TOOL = "tool"
    RETRIEVER = "retriever"
    MODEL = "model"
    AGENT = "agent"
    OTHER = "other"
    """a chain, a node, a guardrail: no tool, and said so"""
    UNKNOWN = "unknown"
    """the span does not say"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Span:
    """One span, whatever its format.

    ``raw`` has its keys as ``spelled`` writes them, ``name`` is how it is recorded, ``tool`` the tool's name where the
    span has it apart. ``arguments`` and ``result`` are None where it has none. ``start`` is in units of the format.
    """

    raw: Mapping[str, object]
    attributes: Attributes
    identity: str = ""
    parent: str = ""
    start: Fraction = Fraction(0)
    name: str = ""
    kind: Kind = Kind.UNKNOWN
    tool: str = ""
    arguments: object = None
    result: object = None
    error: object = None
    call_id: str = ""


def moment(value: object) -> Fraction:
    """Return a point in time as a number: nanoseconds, seconds, a pair of both, a date; 0 for anything else."""
    if isinstance(value, list) and len(value) == 2 and all(isinstance(part, int) for part in value):
        return Fraction(value[0]) + Fraction(value[1], 10**9)
    if isinstance(value, bool) or value is None:
        return Fraction(0)
    try:
        return Fraction(str(value))
    except (ValueError, ZeroDivisionError):
        pass
    try:
        return Fraction(datetime.fromisoformat(str(value)).timestamp())
    except (ValueError, OverflowError, OSError):
        return Fraction(0)


class Attributes:
    """Attributes by their names as ``spelled`` writes them: ``ai.toolCall.name`` is ``ai.tool_call.name``."""

    def __init__(self, *sources: object) -> None:
        self._values: dict[str, object] = {}
        for source in sources:
            for name, value in _items(source):
                self._put(name, value)

    def _put(self, name: str, value: object) -> None:
        if "json_schema" in name:
            return
        self._values.setdefault(spelled(name), value)
        if isinstance(value, Mapping):
            for inner, each in value.items():
                self._put(f"{name}.{inner}", each)

    def __bool__(self) -> bool:
        return bool(self._values)

    def __iter__(self) -> Iterator[str]:
        return iter(self._values)

    def get(self, name: str) -> object:
        return self._values.get(name)

    def first(self, names: Iterable[str]) -> object:
        """Return the first value that is there, of names and what ends with one, ``x.tool.name`` with ``tool.name``."""
        for name in names:
            found, end = self._values.get(name), f".{name}"
            if found is None:
                found = next((v for key, v in self._values.items() if v is not None and key.endswith(end)), None)
            if found is not None:
                return found
        return None

    def text(self, names: Iterable[str]) -> str:
        """Return the first of such values that is a text, without the quotes of JSON around it."""
        found = parsed(self.first(names))
        return found.strip() if isinstance(found, str) else ""


def _items(source: object) -> Iterator[tuple[str, object]]:
    source = parsed(source)
    if isinstance(source, Mapping):
        yield from ((str(key), value) for key, value in source.items())
    elif isinstance(source, list):
        for each in source:
            if isinstance(each, Mapping) and isinstance(each.get("key"), str):
                yield str(each["key"]), any_value(each.get("value"))


def any_value(value: object) -> object:
    """Return the value of an OTLP AnyValue."""
    if not isinstance(value, Mapping) or len(value) != 1:
        return value
    ((kind, inner),) = value.items()
    values = inner.get("values") if isinstance(inner, Mapping) else None
    if kind == "arrayValue":
        return [any_value(each) for each in values] if isinstance(values, list) else []
    if kind == "kvlistValue":
        return dict(_items(values))
    if kind == "intValue" and isinstance(inner, str) and inner.lstrip("-").isdigit():
        return int(inner)
    return inner if kind in ("stringValue", "boolValue", "doubleValue", "intValue", "bytesValue") else value


_KINDS = {
    word: kind
    for kind, words in {
        Kind.TOOL: "tool execute_tool tool_call function function_tool tool_run ai.tool_call",
        Kind.RETRIEVER: "retriever retrieval vector_db",
        Kind.MODEL: "llm generation chat generate_content text_completion completion chat_model model response "
        "embedding embeddings reranker speech transcription",
        Kind.AGENT: "agent invoke_agent create_agent agent_run crew",
        Kind.OTHER: "chain base workflow task event general eval score module component guardrail evaluator parser "
        "prompt handoff mcp_tools mcp_list_tools list_tools custom turn memory runnable node",
    }.items()
    for word in words.split()
}

_SAYS_KIND = (
    *("gen_ai.operation.name", "openinference.span.kind", "traceloop.span.kind", "mlflow.span_type"),
    *("langsmith.span.kind", "langfuse.observation.type", "ai.operation_id", "span.kind", "span_type"),
    "llm.request.type",
)
_TOOL_NAMES = ("tool.name", "tool_call.name", "tool_name", "function_tool.name")
_ENTITY = ("traceloop.entity.name", "mlflow.span_function_name")
_SAYS_TOOL = ("tool.call.id", "tool_call.id", "tool.call.arguments", "tool_call_args")
_ARGUMENTS = (
    *("tool.call.arguments", "tool_call_args", "tool_call.args", "tool_arguments", "tool.arguments", "input.value"),
    *("entity.input", "function_tool.arguments", "span_inputs", "tool.parameters", "tool.input"),
)
_RESULTS = (
    *("tool.call.result", "tool_call_result", "tool_call.result", "tool_response", "tool.output", "output.value"),
    *("entity.output", "span_outputs", "function_tool.output"),
)
CALL_IDS = ("tool.call.id", "tool_call.id", "tool_call_id", "tool.id")


def said_kind(word: object) -> Kind:
    """Return the kind that a word of any format names."""
    if not isinstance(word, str):
        return Kind.UNKNOWN
    name = spelled(word.strip().strip('"'))
    return _KINDS.get(name.removeprefix("span_kind_"), Kind.UNKNOWN)


def kind_of(attributes: Attributes) -> Kind:
    """Return the kind that attributes name, or that they have only with tools."""
    for name in _SAYS_KIND:
        kind = said_kind(parsed(attributes.first((name,))))
        if kind is not Kind.UNKNOWN:
            return kind
    is_tool = attributes.text(_TOOL_NAMES) or attributes.first(_SAYS_TOOL) is not None
    return Kind.TOOL if is_tool else Kind.UNKNOWN


def tool_name(attributes: Attributes) -> str:
    """Return the tool's name where attributes have it apart from the name of the span."""
    return attributes.text(_TOOL_NAMES) or attributes.text(_ENTITY)


_DECORATED = re.compile(
    r"(?:(?:[a-z]+[ _])?tool(?:[ _]?call)?(?:\s*:\s*|\s+)|tool\.|call\s+|invoke\s+)"
    r"(?P<name>'[^']+'|\"[^\"]+\"|[^\s:]+)",
    re.IGNORECASE,
)
_ENDED = re.compile(
    r"(?P<name>[^\s.]+)\.(?:tool|call|run|execute|invoke|a?call|a?run|ainvoke|__call__|_run)", re.IGNORECASE
)


def plain_name(name: str) -> str:
    """Return a tool's name without what is put around it: ``execute_tool f``, ``running tool: f``, ``f.tool``."""
    name = name.strip()
    for pattern in (_DECORATED, _ENDED):
        if match := pattern.fullmatch(name):
            return match["name"].strip("'\"")
    return name


def given(attributes: Attributes, raw: object) -> object:
    """Return what a tool was given: by the attributes, else ``raw``, the input of the span."""
    found = parsed(attributes.first(_ARGUMENTS), python=True)
    if found is None or is_schema(found):
        found = None
    own = parsed(raw, python=True)
    return _unwrapped(own if found is None else found)


def _unwrapped(value: object) -> object:
    """Return what stands in ``{"input": "{...}"}``: frameworks put a tool's only text under a key of their own."""
    if isinstance(value, Mapping) and "sanitize_inputs_outputs" in value:  # smolagents', beside args and kwargs
        value = {key: each for key, each in value.items() if key != "sanitize_inputs_outputs"}
    if isinstance(value, Mapping) and len(value) == 1:
        ((key, inner),) = value.items()
        if spelled(str(key)) in ("input", "input_str", "tool_input", "inputs", "arguments", "args", "kwargs"):
            read = parsed(inner, python=True)
            if isinstance(read, Mapping):
                return read
    return value


def yielded(attributes: Attributes, raw: object) -> object:
    """Return what a tool yielded: by the attributes, else ``raw``, the output of the span."""
    found = parsed(attributes.first(_RESULTS))
    return _content(parsed(raw) if found is None else found)


def _content(value: object) -> object:
    """Return the content of a tool's message, which frameworks record in place of what the tool yielded."""
    if not isinstance(value, Mapping):
        return value
    inner = value.get("kwargs") if value.get("type") == "constructor" else value
    if isinstance(inner, Mapping) and "content" in inner and ("tool_call_id" in inner or "additional_kwargs" in inner):
        return inner["content"]
    return value
