"""The same calls written as traces of many formats, from the formats' documentation, with errors and at once."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from random import Random
from typing import Any, TypeAlias


@dataclass(frozen=True, slots=True, kw_only=True)
class Made:
    """A call with its result; ``error`` is what went wrong. Those of one ``batch`` were asked for at once."""

    name: str
    arguments: Mapping[str, Any]
    result: Any = "done"
    error: str | None = None
    batch: int = 0


Said: TypeAlias = Sequence[str]
"""What the agent says before its first call."""

Write: TypeAlias = Callable[[Sequence[Made], Said, Random], Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Form:
    """How a trace is written: whether it tells errors, calls that are made at once, and what the agent says."""

    write: Write
    has_errors: bool = False
    has_batches: bool = False
    has_words: bool = False


def _batches(calls: Sequence[Made]) -> Iterator[list[tuple[int, Made]]]:
    for _, group in groupby(enumerate(calls), key=lambda each: each[1].batch):
        yield list(group)


def _at(second: int) -> str:
    return f"2026-03-01T10:{second // 60:02d}:{second % 60:02d}Z"


_USER = {"role": "user", "content": "See to it"}


# --- chats -----------------------------------------------------------------------------------------


def _openai(calls: Sequence[Made], said: Said, draw: Random) -> Any:
    messages: list[Any] = [_USER, *({"role": "assistant", "content": text} for text in said)]
    for batch in _batches(calls):
        asked = [
            {
                "id": f"c{n}",
                "type": "function",
                "function": {"name": call.name, "arguments": json.dumps(call.arguments)},
            }
            for n, call in batch
        ]
        messages.append({"role": "assistant", "content": None, "tool_calls": asked})
        answers = [{"role": "tool", "tool_call_id": f"c{n}", "content": str(call.result)} for n, call in batch]
        messages += draw.sample(answers, len(answers))
    return messages


def _responses(calls: Sequence[Made], said: Said, draw: Random) -> Any:
    items: list[Any] = [_USER, *({"role": "assistant", "content": text} for text in said)]
    for n, call in enumerate(calls):
        arguments = json.dumps(call.arguments)
        items.append({"type": "function_call", "call_id": f"c{n}", "name": call.name, "arguments": arguments})
        items.append({"type": "function_call_output", "call_id": f"c{n}", "output": str(call.result)})
    return items


def _anthropic(calls: Sequence[Made], said: Said, draw: Random) -> Any:
    messages: list[Any] = [_USER]
    words = [{"type": "text", "text": text} for text in said]
    for batch in _batches(calls):
        uses = [{"type": "tool_use", "id": f"t{n}", "name": call.name, "input": call.arguments} for n, call in batch]
        messages.append({"role": "assistant", "content": [*words, *uses]})
        words = []
        results = [
            {
                "type": "tool_result",
                "tool_use_id": f"t{n}",
                "content": call.error or str(call.result),
                **({"is_error": True} if call.error else {}),
            }
            for n, call in batch
        ]
        messages.append({"role": "user", "content": draw.sample(results, len(results))})
    return [*messages, *([{"role": "assistant", "content": words}] if words else [])]


def _bedrock(calls: Sequence[Made], said: Said, draw: Random) -> Any:
    messages: list[Any] = [{"role": "user", "content": [{"text": "See to it"}]}]
    messages += ({"role": "assistant", "content": [{"text": text}]} for text in said)
    for batch in _batches(calls):
        uses = [{"toolUse": {"toolUseId": f"t{n}", "name": call.name, "input": call.arguments}} for n, call in batch]
        results = [
            {
                "toolResult": {
                    "toolUseId": f"t{n}",
                    "content": [{"text": call.error or str(call.result)}],
                    "status": "error" if call.error else "success",
                }
            }
            for n, call in batch
        ]
        messages += [{"role": "assistant", "content": uses}, {"role": "user", "content": results}]
    return messages


def _gemini(calls: Sequence[Made], said: Said, draw: Random) -> Any:
    contents: list[Any] = [{"role": "user", "parts": [{"text": "See to it"}]}]
    contents += ({"role": "model", "parts": [{"text": text}]} for text in said)
    for batch in _batches(calls):
        asked = [{"functionCall": {"name": call.name, "args": call.arguments}} for _, call in batch]
        given = [
            {"functionResponse": {"name": call.name, "response": {"result": str(call.result)}}} for _, call in batch
        ]
        contents += [{"role": "model", "parts": asked}, {"role": "user", "parts": given}]
    return {"contents": contents}


def _langchain(calls: Sequence[Made], said: Said, draw: Random) -> Any:
    messages: list[Any] = [{"type": "human", "content": "See to it"}]
    messages += ({"type": "ai", "content": text} for text in said)
    for batch in _batches(calls):
        asked = [{"name": call.name, "args": call.arguments, "id": f"c{n}", "type": "tool_call"} for n, call in batch]
        messages.append({"type": "ai", "content": "", "tool_calls": asked})
        messages += (
            {
                "type": "tool",
                "content": call.error or str(call.result),
                "tool_call_id": f"c{n}",
                "status": "error" if call.error else "success",
            }
            for n, call in batch
        )
    return {"messages": messages}


def _pydantic(calls: Sequence[Made], said: Said, draw: Random) -> Any:
    messages: list[Any] = [{"kind": "response", "parts": [{"part_kind": "text", "content": text}]} for text in said]
    for n, call in enumerate(calls):
        asked = {"part_kind": "tool-call", "tool_name": call.name, "args": call.arguments, "tool_call_id": f"c{n}"}
        given = {"part_kind": "tool-return", "tool_name": call.name, "content": call.result, "tool_call_id": f"c{n}"}
        messages += [{"kind": "response", "parts": [asked]}, {"kind": "request", "parts": [given]}]
    return messages


def _for_people(calls: Sequence[Made], said: Said, draw: Random) -> Any:
    parts: list[Any] = [{"type": "text", "text": text} for text in said]
    for batch in _batches(calls):
        parts.append({"type": "step-start"})
        parts += (
            {
                "type": f"tool-{call.name}",
                "toolCallId": f"c{n}",
                "input": call.arguments,
                **(
                    {"state": "output-error", "errorText": call.error}
                    if call.error
                    else {"state": "output-available", "output": call.result}
                ),
            }
            for n, call in batch
        )
    return [{"id": "u", "role": "user", "parts": []}, {"id": "m", "role": "assistant", "parts": parts}]


def _tagged(calls: Sequence[Made], said: Said, draw: Random) -> Any:
    messages: list[Any] = [_USER, *({"role": "assistant", "content": text} for text in said)]
    for call in calls:
        asked = json.dumps({"name": call.name, "arguments": call.arguments})
        messages.append({"role": "assistant", "content": f"<tool_call>\n{asked}\n</tool_call>"})
        messages.append({"role": "user", "content": f"<tool_response>\n{call.result}\n</tool_response>"})
    return messages


# --- spans -----------------------------------------------------------------------------------------


def _otel(calls: Sequence[Made], said: Said, draw: Random) -> Any:
    spans = []
    for n, call in enumerate(calls):
        attributes = {
            "gen_ai.operation.name": "execute_tool",
            "gen_ai.tool.name": call.name,
            "gen_ai.tool.call.arguments": json.dumps(call.arguments),
            **({"error.type": call.error} if call.error else {"gen_ai.tool.call.result": json.dumps(call.result)}),
        }
        spans.append(
            {
                "name": f"execute_tool {call.name}",
                "spanId": f"s{n}",
                "traceId": "t",
                "startTimeUnixNano": str(100 + call.batch),
                "attributes": [{"key": key, "value": {"stringValue": value}} for key, value in attributes.items()],
            }
        )
    return {"resourceSpans": [{"scopeSpans": [{"spans": draw.sample(spans, len(spans))}]}]}


def _langfuse(calls: Sequence[Made], said: Said, draw: Random) -> Any:
    observed = [
        {
            "id": f"o{n}",
            "traceId": "t",
            "type": "TOOL",
            "name": call.name,
            "startTime": _at(call.batch),
            "input": call.arguments,
            "output": None if call.error else call.result,
            **({"level": "ERROR", "statusMessage": call.error} if call.error else {"level": "DEFAULT"}),
        }
        for n, call in enumerate(calls)
    ]
    model = {"id": "m", "traceId": "t", "type": "GENERATION", "name": "chat", "startTime": _at(0), "output": "Well."}
    observed = [*observed, model]
    return {"id": "t", "name": "agent", "observations": draw.sample(observed, len(observed))}


# --- records, messages of a protocol, texts ----------------------------------------------------------


def _records(calls: Sequence[Made], said: Said, draw: Random) -> Any:
    name, given = draw.choice((("name", "arguments"), ("tool", "args"), ("tool_name", "input")))
    return [
        {name: call.name, given: call.arguments, **({"error": call.error} if call.error else {"result": call.result})}
        for call in calls
    ]


def _lines(calls: Sequence[Made], said: Said, draw: Random) -> Any:
    return "".join(f"{json.dumps(record)}\n" for record in _records(calls, said, draw))


def _printed(calls: Sequence[Made], said: Said, draw: Random) -> Any:
    return str(_openai(calls, said, draw))


def _mcp(calls: Sequence[Made], said: Said, draw: Random) -> Any:
    messages: list[Any] = []
    for n, call in enumerate(calls):
        params = {"name": call.name, "arguments": call.arguments}
        content = [{"type": "text", "text": call.error or str(call.result)}]
        result = {"content": content, "isError": call.error is not None}
        messages.append({"jsonrpc": "2.0", "id": n, "method": "tools/call", "params": params})
        messages.append({"jsonrpc": "2.0", "id": n, "result": result})
    return messages


def _react(calls: Sequence[Made], said: Said, draw: Random) -> Any:
    text = "".join(f"Thought: {each}\n" for each in said)
    return text + "".join(
        f"Thought: Now this.\nAction: {call.name}\nAction Input: {json.dumps(call.arguments)}\n"
        f"Observation: {call.result}\n"
        for call in calls
    )


FORMATS: Mapping[str, Form] = {
    "OpenAI chat": Form(write=_openai, has_batches=True, has_words=True),
    "OpenAI Responses": Form(write=_responses, has_words=True),
    "Anthropic": Form(write=_anthropic, has_errors=True, has_batches=True, has_words=True),
    "Bedrock": Form(write=_bedrock, has_errors=True, has_batches=True, has_words=True),
    "Gemini": Form(write=_gemini, has_batches=True, has_words=True),
    "LangChain": Form(write=_langchain, has_errors=True, has_batches=True, has_words=True),
    "Pydantic AI": Form(write=_pydantic, has_words=True),
    "tags": Form(write=_tagged, has_words=True),
    "OpenTelemetry": Form(write=_otel, has_errors=True, has_batches=True),
    "Langfuse": Form(write=_langfuse, has_errors=True, has_batches=True),
    "AI SDK, for people": Form(write=_for_people, has_errors=True, has_batches=True, has_words=True),
    "records": Form(write=_records, has_errors=True),
    "lines": Form(write=_lines, has_errors=True),
    "printed": Form(write=_printed, has_batches=True, has_words=True),
    "MCP": Form(write=_mcp, has_errors=True),
    "ReAct": Form(write=_react),
}
