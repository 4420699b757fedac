"""The same three calls in the shape of each format, written from the formats' documentation."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

CALLS: list[tuple[str, dict[str, str], str]] = [
    ("find_room", {"city": "oslo", "night": "friday"}, "R7"),
    ("ask_guest", {"about": "breakfast"}, "yes"),
    ("book_room", {"room": "R7"}, "booked"),
]
_NUMBERED = list(enumerate(CALLS))
_text = json.dumps


def _at(second: int) -> str:
    return f"2026-03-01T10:00:{second:02d}Z"


def _pairs(asked: Callable[..., Any], answered: Callable[..., Any]) -> list[Any]:
    """Return for each call what asks for it and what answers it."""
    return [
        part
        for number, (name, given, result) in _NUMBERED
        for part in (asked(number, name, given), answered(number, name, result))
    ]


_USER = {"role": "user", "content": "Book a room"}
_DECLARED = [
    {
        "name": name,
        "description": f"{name} does it",
        "parameters": {"type": "object", "properties": {key: {} for key in given}},
    }
    for name, given, _ in CALLS
]

SHAPES: dict[str, tuple[str, Any]] = {}


def _shape(name: str, form: str, value: Any) -> None:
    SHAPES[name] = form, value


# --- chats ---------------------------------------------------------------------------------------

_shape(
    "openai",
    "OpenAI chat",
    {
        "tools": [{"type": "function", "function": each} for each in _DECLARED],
        "messages": [
            _USER,
            *_pairs(
                lambda n, name, given: {
                    "role": "assistant",
                    "content": None,
                    "tool_calls": [
                        {"id": f"c{n}", "type": "function", "function": {"name": name, "arguments": _text(given)}}
                    ],
                },
                lambda n, name, result: {"role": "tool", "tool_call_id": f"c{n}", "content": result},
            ),
        ],
    },
)
_shape(
    "responses",
    "OpenAI Responses",
    [
        _USER,
        *_pairs(
            lambda n, name, given: {
                "type": "function_call",
                "id": f"fc{n}",
                "call_id": f"c{n}",
                "name": name,
                "arguments": _text(given),
            },
            lambda n, name, result: {"type": "function_call_output", "call_id": f"c{n}", "output": result},
        ),
    ],
)
_shape(
    "anthropic",
    "Anthropic messages",
    [
        _USER,
        *_pairs(
            lambda n, name, given: {
                "role": "assistant",
                "content": [
                    {"type": "text", "text": "Now this."},
                    {"type": "tool_use", "id": f"t{n}", "name": name, "input": given},
                ],
            },
            lambda n, name, result: {
                "role": "user",
                "content": [{"type": "tool_result", "tool_use_id": f"t{n}", "content": result}],
            },
        ),
    ],
)
_shape(
    "bedrock",
    "Bedrock messages",
    [
        {"role": "user", "content": [{"text": "Book a room"}]},
        *_pairs(
            lambda n, name, given: {
                "role": "assistant",
                "content": [{"toolUse": {"toolUseId": f"t{n}", "name": name, "input": given}}],
            },
            lambda n, name, result: {
                "role": "user",
                "content": [{"toolResult": {"toolUseId": f"t{n}", "content": [{"text": result}]}}],
            },
        ),
    ],
)
_GEMINI = [
    {"role": "user", "parts": [{"text": "Book a room"}]},
    *_pairs(
        lambda n, name, given: {"role": "model", "parts": [{"functionCall": {"name": name, "args": given}}]},
        lambda n, name, result: {
            "role": "user",
            "parts": [{"functionResponse": {"name": name, "response": {"result": result}}}],
        },
    ),
]
_shape("gemini", "Gemini messages", {"contents": _GEMINI, "tools": [{"functionDeclarations": _DECLARED}]})
_shape(
    "langgraph",
    "LangChain messages",
    [
        {
            "agent": {
                "messages": [
                    {
                        "type": "ai",
                        "content": "",
                        "tool_calls": [{"name": name, "args": given, "id": f"c{n}", "type": "tool_call"}],
                    }
                ]
            },
            "tools": {"messages": [{"type": "tool", "content": result, "tool_call_id": f"c{n}"}]},
        }
        for n, (name, given, result) in _NUMBERED
    ],
)
_shape(
    "ai sdk",
    "AI SDK messages",
    [
        _USER,
        *_pairs(
            lambda n, name, given: {
                "role": "assistant",
                "content": [{"type": "tool-call", "toolCallId": f"c{n}", "toolName": name, "input": given}],
            },
            lambda n, name, result: {
                "role": "tool",
                "content": [
                    {
                        "type": "tool-result",
                        "toolCallId": f"c{n}",
                        "toolName": name,
                        "output": {"type": "text", "value": result},
                    }
                ],
            },
        ),
    ],
)
_shape(
    "ai sdk, for people",
    "AI SDK messages",
    [
        {
            "id": "m",
            "role": "assistant",
            "parts": [
                {
                    "type": f"tool-{name}",
                    "toolCallId": f"c{n}",
                    "state": "output-available",
                    "input": given,
                    "output": result,
                }
                for n, (name, given, result) in _NUMBERED
            ],
        }
    ],
)
_shape(
    "pydantic ai",
    "Pydantic AI messages",
    _pairs(
        lambda n, name, given: {
            "kind": "response",
            "parts": [{"part_kind": "tool-call", "tool_name": name, "args": given, "tool_call_id": f"c{n}"}],
        },
        lambda n, name, result: {
            "kind": "request",
            "parts": [{"part_kind": "tool-return", "tool_name": name, "content": result, "tool_call_id": f"c{n}"}],
        },
    ),
)
_shape(
    "autogen",
    "AutoGen messages",
    [
        {"source": "user", "type": "TextMessage", "content": "Book"},
        *_pairs(
            lambda n, name, given: {
                "source": "a",
                "type": "ToolCallRequestEvent",
                "content": [{"id": f"c{n}", "name": name, "arguments": _text(given)}],
            },
            lambda n, name, result: {
                "source": "a",
                "type": "ToolCallExecutionEvent",
                "content": [{"call_id": f"c{n}", "name": name, "content": result}],
            },
        ),
    ],
)
_shape(
    "inspect",
    "OpenAI chat",
    {
        "samples": [
            {
                "id": 1,
                "messages": [
                    _USER,
                    *_pairs(
                        lambda n, name, given: {
                            "role": "assistant",
                            "content": "",
                            "tool_calls": [{"id": f"c{n}", "function": name, "arguments": given, "type": "function"}],
                        },
                        lambda n, name, result: {
                            "role": "tool",
                            "content": result,
                            "tool_call_id": f"c{n}",
                            "function": name,
                        },
                    ),
                ],
            }
        ]
    },
)
_shape(
    "a log of events",
    "OpenAI Responses",
    [
        {"type": "session_meta", "payload": {"id": "x"}},
        *_pairs(
            lambda n, name, given: {
                "type": "response_item",
                "payload": {"type": "function_call", "name": name, "arguments": _text(given), "call_id": f"c{n}"},
            },
            lambda n, name, result: {
                "type": "response_item",
                "payload": {"type": "function_call_output", "call_id": f"c{n}", "output": result},
            },
        ),
    ],
)

# --- spans ---------------------------------------------------------------------------------------


def _otlp(attributes: dict[str, str], name: str, number: int) -> dict[str, Any]:
    listed = [{"key": key, "value": {"stringValue": value}} for key, value in attributes.items()]
    return {
        "name": name,
        "spanId": f"s{number}",
        "traceId": "t",
        "parentSpanId": "s",
        "startTimeUnixNano": str(100 + number),
        "attributes": listed,
    }


def _otel(*spans: dict[str, Any]) -> dict[str, Any]:
    return {"resourceSpans": [{"scopeSpans": [{"spans": list(reversed(spans))}]}]}


_shape(
    "opentelemetry",
    "OpenTelemetry GenAI spans",
    _otel(
        _otlp({"gen_ai.operation.name": "invoke_agent"}, "invoke_agent hotel", -2),
        _otlp({"gen_ai.operation.name": "chat", "gen_ai.tool.definitions": _text(_DECLARED)}, "chat m", -1),
        *(
            _otlp(
                {
                    "gen_ai.operation.name": "execute_tool",
                    "gen_ai.tool.name": name,
                    "gen_ai.tool.call.arguments": _text(given),
                    "gen_ai.tool.call.result": _text(result),
                },
                f"execute_tool {name}",
                n,
            )
            for n, (name, given, result) in _NUMBERED
        ),
    ),
)
_shape(
    "openllmetry",
    "OpenLLMetry spans",
    _otel(
        _otlp({"traceloop.span.kind": "workflow", "traceloop.entity.name": "hotel"}, "hotel.workflow", -1),
        *(
            _otlp(
                {
                    "traceloop.span.kind": "tool",
                    "traceloop.entity.name": name,
                    "traceloop.entity.input": _text({"args": [], "kwargs": given}),
                    "traceloop.entity.output": _text(result),
                },
                f"{name}.tool",
                n,
            )
            for n, (name, given, result) in _NUMBERED
        ),
    ),
)
_shape(
    "openinference",
    "OpenInference spans",
    [
        {
            "name": "agent",
            "context": {"trace_id": "t", "span_id": "s"},
            "start_time": _at(0),
            "attributes": {"openinference.span.kind": "AGENT"},
        },
        *(
            {
                "name": name,
                "context": {"trace_id": "t", "span_id": f"s{n}"},
                "parent_id": "s",
                "start_time": _at(n + 1),
                "attributes": {
                    "openinference.span.kind": "TOOL",
                    "tool.name": name,
                    "input.value": _text(given),
                    "output.value": result,
                },
            }
            for n, (name, given, result) in _NUMBERED
        ),
    ],
)
_shape(
    "ai sdk telemetry",
    "OpenTelemetry GenAI spans",
    [
        {
            "name": "ai.toolCall",
            "spanId": f"s{n}",
            "startTime": _at(n),
            "attributes": {
                "ai.operationId": "ai.toolCall",
                "ai.toolCall.name": name,
                "ai.toolCall.args": _text(given),
                "ai.toolCall.result": _text(result),
            },
        }
        for n, (name, given, result) in _NUMBERED
    ],
)
_shape(
    "mlflow",
    "MLflow spans",
    {
        "info": {"trace_id": "tr"},
        "data": {
            "spans": [
                {
                    "name": name,
                    "span_id": f"s{n}",
                    "start_time_unix_nano": n,
                    "attributes": {
                        "mlflow.spanType": '"TOOL"',
                        "mlflow.spanInputs": _text(given),
                        "mlflow.spanOutputs": _text(result),
                    },
                }
                for n, (name, given, result) in _NUMBERED
            ]
        },
    },
)
_shape(
    "langfuse",
    "Langfuse observations",
    {
        "id": "t",
        "name": "hotel",
        "observations": [
            {
                "id": "m",
                "traceId": "t",
                "type": "GENERATION",
                "name": "chat",
                "startTime": _at(0),
                "parentObservationId": None,
                "output": {
                    "role": "assistant",
                    "tool_calls": [{"id": "c", "function": {"name": CALLS[2][0], "arguments": _text(CALLS[2][1])}}],
                },
            },
            {
                "id": "o2",
                "traceId": "t",
                "type": "SPAN",
                "name": CALLS[2][0],
                "startTime": _at(6),
                "input": _text(CALLS[2][1]),
                "output": CALLS[2][2],
                "parentObservationId": "n",
            },
            {
                "id": "o1",
                "traceId": "t",
                "type": "SPAN",
                "name": CALLS[1][0],
                "startTime": _at(5),
                "input": CALLS[1][1],
                "output": CALLS[1][2],
                "metadata": _text({"attributes": {"openinference.span.kind": "TOOL"}}),
                "parentObservationId": "n",
            },
            {
                "id": "o0",
                "traceId": "t",
                "type": "TOOL",
                "name": f"running tool: {CALLS[0][0]}",
                "startTime": _at(4),
                "input": CALLS[0][1],
                "output": CALLS[0][2],
                "parentObservationId": "n",
            },
            {
                "id": "n",
                "traceId": "t",
                "type": "SPAN",
                "name": "tools",
                "startTime": _at(3),
                "input": {"x": 1},
                "output": {"y": 2},
                "parentObservationId": None,
            },
        ],
    },
)


def _run(kind: str, name: str, inputs: Any, outputs: Any, second: int, *inside: Any) -> dict[str, Any]:
    return {
        "id": f"r{second}",
        "name": name,
        "run_type": kind,
        "inputs": inputs,
        "outputs": outputs,
        "start_time": _at(second),
        "trace_id": "r0",
        "parent_run_id": "r0" if second else None,
        "child_runs": list(inside),
    }


_RUNS = [
    _run(kind, name, given, out, 2 * n + (kind == "tool") + 1)
    for n, (tool, args, result) in _NUMBERED
    for kind, name, given, out in (
        ("llm", "ChatModel", {}, {}),
        ("tool", tool, {"input": str(args)}, {"output": result}),
    )
]
_shape("langsmith", "LangSmith runs", _run("chain", "AgentExecutor", {"input": "Book"}, {}, 0, *_RUNS))
_shape(
    "langsmith, listed", "LangSmith runs", [_run("chain", "AgentExecutor", {"input": "Book"}, {}, 0), *reversed(_RUNS)]
)
_shape(
    "agents sdk",
    "OpenAI Agents SDK spans",
    [
        {"object": "trace", "id": "t", "workflow_name": "w"},
        {
            "object": "trace.span",
            "id": "s",
            "trace_id": "t",
            "started_at": _at(0),
            "span_data": {"type": "agent", "name": "Hotel"},
        },
        *(
            {
                "object": "trace.span",
                "id": f"s{n}",
                "trace_id": "t",
                "parent_id": "s",
                "started_at": _at(n + 1),
                "span_data": {"type": "function", "name": name, "input": _text(given), "output": result},
            }
            for n, (name, given, result) in _NUMBERED
        ),
    ],
)
_shape(
    "deepeval",
    "DeepEval spans",
    {
        "llmSpans": [{"uuid": "m", "name": "model", "startTime": _at(0), "input": [], "output": "Hm."}],
        "toolSpans": [
            {
                "uuid": f"s{n}",
                "name": f"Function tool: {name}",
                "startTime": _at(n + 1),
                "input": given,
                "output": result,
            }
            for n, (name, given, result) in reversed(_NUMBERED)
        ],
    },
)
_shape(
    "weave",
    "Weave calls",
    [
        {"id": "0", "op_name": "weave:///e/p/op/agent:ab", "inputs": {"q": 1}, "started_at": _at(0)},
        *(
            {
                "id": f"{n + 1}",
                "op_name": f"weave:///e/p/op/{name}:ab",
                "inputs": given,
                "output": result,
                "parent_id": "0",
                "started_at": _at(n + 1),
            }
            for n, (name, given, result) in _NUMBERED
        ),
    ],
)

# --- others --------------------------------------------------------------------------------------

_shape(
    "mcp",
    "MCP messages",
    _pairs(
        lambda n, name, given: {
            "jsonrpc": "2.0",
            "id": n,
            "method": "tools/call",
            "params": {"name": name, "arguments": given},
        },
        lambda n, name, result: {"jsonrpc": "2.0", "id": n, "result": {"content": [{"type": "text", "text": result}]}},
    ),
)
_shape(
    "google adk",
    "Google ADK session",
    {
        "id": "s",
        "events": [
            {"author": "user", "content": _GEMINI[0]},
            *({"author": "hotel", "content": each} for each in _GEMINI[1:]),
        ],
        "event_logs": [{"model_request": {"contents": _GEMINI, "config": {"tools": _DECLARED}}}],
    },
)
_shape(
    "google adk, cases",
    "Google ADK evaluation set",
    {
        "eval_cases": [
            {
                "conversation": [
                    {
                        "user_content": {"parts": [{"text": "Book"}]},
                        "intermediate_data": {
                            "tool_uses": [{"id": None, "name": name, "args": given} for name, given, _ in CALLS],
                            "tool_responses": [{"name": name, "response": result} for name, _, result in CALLS],
                        },
                    }
                ]
            }
        ]
    },
)
_shape(
    "run state",
    "OpenAI Agents SDK run state",
    {
        "$schemaVersion": "1.0",
        "current_agent": {"name": "hotel"},
        "original_input": "Book",
        "generated_items": [
            {"type": "tool_call_item", "raw_item": each}
            if each["type"] == "function_call"
            else {"type": "tool_call_output_item", "raw_item": each}
            for each in SHAPES["responses"][1][1:]
        ],
        "model_responses": [{"output": SHAPES["responses"][1][1:4:2]}],
    },
)
_shape(
    "openhands",
    "OpenHands events",
    [
        {"id": 0, "source": "user", "action": "message", "args": {"content": "Book"}},
        *_pairs(
            lambda n, name, given: {
                "id": 2 * n + 1,
                "source": "agent",
                "action": "call_tool_mcp",
                "args": {"name": name, "arguments": given},
            },
            lambda n, name, result: {
                "id": 2 * n + 2,
                "source": "environment",
                "observation": "mcp",
                "cause": 2 * n + 1,
                "content": result,
            },
        ),
        {"id": 9, "source": "agent", "action": "message", "args": {"content": "Done"}},
    ],
)
_shape(
    "smolagents",
    "steps",
    [
        {"task": "Book"},
        *(
            {
                "step_number": n,
                "tool_calls": [{"id": f"c{n}", "type": "function", "function": {"name": name, "arguments": given}}],
                "observations": result,
            }
            for n, (name, given, result) in _NUMBERED
        ),
    ],
)
_shape(
    "react",
    "steps",
    [
        {"thought": "Go on.", "action": name, "action_input": given, "observation": result}
        for name, given, result in CALLS
    ],
)
_shape(
    "agent steps",
    "steps",
    [
        {"action": {"tool": name, "tool_input": given, "log": ""}, "observation": result}
        for name, given, result in CALLS
    ],
)
_shape(
    "llamaindex",
    "events",
    [
        {
            "value": {"tool_name": name, "tool_kwargs": given, "tool_id": f"c{n}", "tool_output": {"content": result}},
            "qualified_name": "ToolCallResult",
        }
        for n, (name, given, result) in _NUMBERED
    ],
)
_shape(
    "records",
    "records of calls",
    {"tools": _DECLARED, "log": [{"tool": name, "kwargs": given, "result": result} for name, given, result in CALLS]},
)
_shape(
    "streamed",
    "OpenAI chat",
    [
        {
            "object": "chat.completion.chunk",
            "id": f"m{n}",
            "choices": [{"index": 0, "delta": {"tool_calls": [{"index": 0, **piece}]}}],
        }
        for n, (name, given, _) in _NUMBERED
        for piece in (
            {"id": f"c{n}", "type": "function", "function": {"name": name, "arguments": ""}},
            {"function": {"arguments": _text(given)[:9]}},
            {"function": {"arguments": _text(given)[9:]}},
        )
    ],
)
_shape(
    "streamed by blocks",
    "OpenAI chat",
    [
        each
        for n, (name, given, _) in _NUMBERED
        for each in (
            {"type": "message_start", "message": {"role": "assistant"}},
            {
                "type": "content_block_start",
                "index": 0,
                "content_block": {"type": "tool_use", "id": f"t{n}", "name": name, "input": {}},
            },
            {
                "type": "content_block_delta",
                "index": 0,
                "delta": {"type": "input_json_delta", "partial_json": _text(given)[:5]},
            },
            {
                "type": "content_block_delta",
                "index": 0,
                "delta": {"type": "input_json_delta", "partial_json": _text(given)[5:]},
            },
        )
    ],
)
