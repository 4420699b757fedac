"""What a span records, by what it says of itself: its kind, the tool's name, what went in and what came out."""

from __future__ import annotations

import re
from collections.abc import Mapping

from validator.reading.calls.keys import is_schema, spelled
from validator.reading.traces.spans.attributes import Attributes
from validator.reading.traces.spans.span import Kind
from validator.reading.traces.walk import parsed

__all__ = ["CALL_IDS", "given", "kind_of", "plain_name", "said_kind", "tool_name", "yielded"]

_KINDS = {
    **dict.fromkeys(
        ("tool", "execute_tool", "tool_call", "function", "function_tool", "tool_run", "ai.tool_call"), Kind.TOOL
    ),
    **dict.fromkeys(("retriever", "retrieval", "vector_db"), Kind.RETRIEVER),
    **dict.fromkeys(
        (
            *("llm", "generation", "chat", "generate_content", "text_completion", "completion", "chat_model", "model"),
            *("response", "embedding", "embeddings", "reranker", "speech", "transcription"),
        ),
        Kind.MODEL,
    ),
    **dict.fromkeys(("agent", "invoke_agent", "create_agent", "agent_run", "crew"), Kind.AGENT),
    **dict.fromkeys(
        (
            *(
                "chain",
                "base",
                "workflow",
                "task",
                "event",
                "general",
                "eval",
                "score",
                "module",
                "component",
                "guardrail",
                "evaluator",
                "parser",
                "prompt",
                "handoff",
            ),
            *("mcp_tools", "mcp_list_tools", "list_tools", "custom", "turn", "memory", "runnable", "node"),
        ),
        Kind.OTHER,
    ),
}

_SAYS_KIND = (
    *("gen_ai.operation.name", "openinference.span.kind", "traceloop.span.kind", "mlflow.span_type"),
    *("langsmith.span.kind", "langfuse.observation.type", "ai.operation_id", ".span.kind", ".span_type"),
    "llm.request.type",
)
_TOOL_NAMES = (
    "gen_ai.tool.name",
    "tool.name",
    "tool_call.name",
    ".tool.name",
    ".tool_call.name",
    ".tool_name",
    ".function_tool.name",
)
_ENTITY = ("traceloop.entity.name", "mlflow.span_function_name")
_SAYS_TOOL = ("gen_ai.tool.call.id", ".tool_call.id", "gen_ai.tool.call.arguments", ".tool_call_args")
_ARGUMENTS = (
    *("gen_ai.tool.call.arguments", ".tool.call.arguments", ".tool_call_args", ".tool_call.args"),
    *("tool_arguments", ".tool_arguments", "tool.arguments", ".tool.arguments", "input.value", ".entity.input"),
    *(".function_tool.arguments", ".span_inputs", "tool.parameters", ".tool.input", ".input.value"),
)
_RESULTS = (
    *("gen_ai.tool.call.result", ".tool.call.result", ".tool_call_result", ".tool_call.result", ".tool_response"),
    *("tool_response", "tool.output", ".tool.output", "output.value", ".entity.output", ".span_outputs"),
    *(".output.value", ".function_tool.output"),
)
CALL_IDS = ("gen_ai.tool.call.id", ".tool_call.id", ".tool_call_id", "tool_call_id", "tool.id")


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
