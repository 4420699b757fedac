"""A message of a chat, in the way of any provider or framework.

A message is told by its structure, wherever it stands: a role, and beside it what was said, asked or answered.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from validator.reading.calls.keys import spelled
from validator.reading.calls.objects import Asked
from validator.reading.traces.chat.parts import Answer, Part, Run, plain_call, read_answer, read_part
from validator.reading.traces.chat.wrappings import unwrapped
from validator.records import dataclass, field

__all__ = ["Message", "read_message", "steps_of"]

_ROLES = {
    **dict.fromkeys(("user", "human", "humanmessage", "humanmessagechunk"), "user"),
    **dict.fromkeys(
        ("assistant", "ai", "aimessage", "aimessagechunk", "model", "agent", "chatbot", "bot"), "assistant"
    ),
    **dict.fromkeys(("tool", "toolmessage", "function", "functionmessage", "environment", "toolmessagechunk"), "tool"),
    **dict.fromkeys(("toolresult", "tool_result", "tool_response", "function_response", "observation"), "tool"),
    "ipython": "tool",
    **dict.fromkeys(("system", "systemmessage", "developer"), "system"),
}
_SAYING = frozenset(
    (
        *("content", "parts", "tool_calls", "function_call", "data", "kwargs", "invalid_tool_calls", "tool_call_id"),
        *("message", "toolCalls", "tool_results", "toolInvocations", "tool_responses"),
    )
)
_PLAIN_ANSWER = frozenset(("role", "tool_call_id", "content", "name"))
_PLAIN_ASKING = frozenset(("role", "content", "tool_calls"))
_REASONS = ("reasoning_content", "reasoning", "thinking", "thought")


@dataclass(frozen=True, slots=True, kw_only=True)
class Message:
    """``role`` is user, assistant, tool or system; ``runs`` are calls that come with their answers.

    ``form`` names the way in which it is written where that says so; ``missed`` are parts that were not understood.
    ``inside`` is the identity of the call in which an agent says it that another agent called, empty if not told.
    """

    role: str
    texts: tuple[str, ...] = ()
    calls: tuple[Asked, ...] = ()
    answers: tuple[Answer, ...] = ()
    runs: tuple[Run, ...] = ()
    form: str = ""
    missed: tuple[str, ...] = ()
    inside: str | None = None
    raw: Mapping[str, object] = field(default_factory=dict, repr=False)


def read_message(value: Mapping[str, object]) -> Message | None:
    """Return the message that an object is, or None."""
    plain = _read_plain(value)
    if plain is not None:
        return plain
    role, form, inner = _role(unwrapped(value))
    if not role:
        return None
    if (
        inner is value
        and role != "tool"
        and value.keys() <= _PLAIN_ANSWER
        and isinstance(value.get("tool_call_id"), str)
    ):
        return None
    if role == "tool" and isinstance(inner.get("tool_responses"), list):
        inner = {"content": inner["tool_responses"]}  # AutoGen 0.2 says the answers beside their text
    parts: list[tuple[Part, object]] = []
    content = inner.get("content", inner.get("parts", inner.get("message")))
    if isinstance(content, Mapping):
        content = content.get("parts", content)
    if role == "tool" and not _has_parts(content):
        parts.append((read_answer(inner), inner))
    else:
        parts += _parts(content)
        parts += _parts(inner.get("parts")) if "content" in inner else ()
    asked = list(_asked(inner)) if role == "assistant" else []
    if any(isinstance(part, Asked | Run) for part, _ in asked):
        # LangChain repeats Anthropic's blocks beside its own list, the AI SDK the parts beside its invocations.
        again = {_identity(part) for part, _ in asked}
        parts = [
            (part, raw)
            for part, raw in parts
            if not isinstance(part, Asked) and not (isinstance(part, Run) and _identity(part) in again)
        ]
    parts += asked
    sorts: dict[type, list[Any]] = {str: [], Asked: [], Answer: [], Run: []}
    missed = []
    for part, raw in parts:
        if part is not None:
            sorts[type(part)].append(part)
        elif _looks_like_call(raw):
            missed.append(_described(raw))
    reasons = [each for key in _REASONS if isinstance(each := inner.get(key), str)]
    return Message(
        role=role,
        texts=(*reasons, *sorts[str]),
        calls=tuple(sorts[Asked]),
        answers=tuple(sorts[Answer]),
        runs=tuple(sorts[Run]),
        form=form or _form(inner, parts),
        missed=tuple(missed),
        raw=value,
    )


def steps_of(value: Mapping[str, object]) -> list[Mapping[str, object]]:
    """Return a message of the AI SDK for people as one message for each of its steps, which follow each other."""
    parts = value.get("parts")
    if not isinstance(parts, list) or not any(map(_begins_step, parts)):
        return [value]
    steps: list[list[object]] = [[]]
    for part in parts:
        if _begins_step(part):
            steps.append([])
        else:
            steps[-1].append(part)
    rest = {key: each for key, each in value.items() if key != "id"}  # by which rows of one message are known
    return [{**rest, "parts": step} for step in steps if step]


def _begins_step(part: object) -> bool:
    return isinstance(part, Mapping) and part.get("type") == "step-start"


def _read_plain(value: Mapping[str, object]) -> Message | None:
    """Return a message as nearly all in OpenAI's chat are, told faster; None for others."""
    role = value.get("role")
    if role == "tool":
        identity, name = value.get("tool_call_id"), value.get("name")
        if not isinstance(identity, str) or not value.keys() <= _PLAIN_ANSWER:
            return None
        answer = Answer(call_id=identity, name=name if isinstance(name, str) else None, value=value.get("content"))
        return Message(role="tool", answers=(answer,), raw=value)
    if role != "assistant" or not value.keys() <= _PLAIN_ASKING:
        return None
    listed, content = value.get("tool_calls"), value.get("content")
    if not isinstance(listed, list) or not (content is None or isinstance(content, str)):
        return None
    calls = []
    for each in listed:
        call = plain_call(each)
        if call is None:
            return None
        calls.append(call)
    return Message(role="assistant", texts=() if content is None else (content,), calls=tuple(calls), raw=value)


def _identity(part: Part) -> str | None:
    call = part.call if isinstance(part, Run) else part
    return call.call_id if isinstance(call, Asked) else None


def _role(value: Mapping[str, object]) -> tuple[str, str, Mapping[str, object]]:
    """Return the role, the form where the wrapping tells it, and the object that says something; no role for none."""
    role, kind = value.get("role"), value.get("type")
    if isinstance(role, str):
        found = _ROLES.get(role.lower(), "")
        return (found, "", value) if found and not _SAYING.isdisjoint(value) else ("", "", value)
    if isinstance(kind, str):
        if kind == "constructor" and isinstance(inner := value.get("kwargs"), Mapping):
            path = value.get("id")
            name = str(path[-1]).lower() if isinstance(path, list) and path else ""
            return _ROLES.get(name, ""), "LangChain messages", inner
        if kind.lower() in _ROLES and "children" not in value and not {"content", "data"}.isdisjoint(value):
            inner = value.get("data")
            return _ROLES[kind.lower()], "LangChain messages", inner if isinstance(inner, Mapping) else value
        if isinstance(value.get("source"), str) and kind.endswith(("Event", "Message")) and "content" in value:
            return _autogen(kind, str(value["source"])), "AutoGen messages", value
    if value.get("kind") in ("request", "response") and isinstance(value.get("parts"), list):
        return ("user" if value["kind"] == "request" else "assistant"), "Pydantic AI messages", value
    if str(value.get("source")).lower() in _ROLES and "tool_calls" in value and "step_id" not in value:
        return _ROLES[str(value["source"]).lower()], "", value
    return "", "", value


def _autogen(kind: str, source: str) -> str:
    if "Execution" in kind:
        return "tool"
    return _ROLES.get(source.lower(), "assistant")


def _has_parts(content: object) -> bool:
    """Return whether the content of a tool's message is a list of answers, and no text or value."""
    return isinstance(content, list) and any(isinstance(read_part(part), Answer | Run) for part in content)


def _parts(content: object) -> Iterator[tuple[Part, object]]:
    if isinstance(content, str):
        yield content, content
    elif isinstance(content, list | tuple):
        for part in content:
            yield read_part(part, is_call=_is_bare_call(part)), part
    elif isinstance(content, Mapping):
        yield read_part(content), content


def _is_bare_call(part: object) -> bool:
    """Return whether a part without a type is a call: AutoGen's have identity, name and arguments, and no more."""
    return isinstance(part, Mapping) and "type" not in part and {"id", "name", "arguments"} <= part.keys()


def _asked(message: Mapping[str, object]) -> Iterator[tuple[Part, object]]:
    """Yield the calls that stand beside the content of a message."""
    older = message.get("additional_kwargs")
    listed = message.get("tool_calls") or message.get("toolCalls") or message.get("toolInvocations")
    if not listed and isinstance(older, Mapping):
        listed = older.get("tool_calls")
    for call in (*_objects(listed), *_objects(message.get("invalid_tool_calls"))):
        yield read_part(call, is_call=True), call
    for result in _objects(message.get("results")) if listed else ():  # AutoGen's summary of calls
        yield read_answer(result), result
    legacy = message.get("function_call")
    if isinstance(legacy, Mapping):
        yield read_part({"function_call": legacy}), legacy


def _objects(value: object) -> Iterator[Mapping[str, object]]:
    if isinstance(value, list | tuple):
        yield from (each for each in value if isinstance(each, Mapping))


# --- how it is written ---------------------------------------------------------------------------


def _form(message: Mapping[str, object], parts: list[tuple[Part, object]]) -> str:
    for part, raw in parts:
        if isinstance(part, str) or not isinstance(raw, Mapping):
            continue
        keys = {spelled(str(key)) for key in raw}
        kind = spelled(str(raw.get("type")))
        if "toolUse" in raw or "toolResult" in raw:
            return "Bedrock messages"
        if {"function_call", "function_response"} & keys and raw is not message:
            return "Gemini messages"
        if str(raw.get("type")).startswith("tool-"):
            return "AI SDK messages"
        if kind in ("tool_use", "tool_result", "server_tool_use", "mcp_tool_use", "mcp_tool_result"):
            return "Anthropic messages"
        if "function" not in raw and "args" in raw:
            return "LangChain messages"
    return ""


def _looks_like_call(raw: object) -> bool:
    """Return whether a part that was not understood speaks of tools."""
    if not isinstance(raw, Mapping):
        return False
    said = " ".join((str(raw.get("type") or ""), *map(str, raw)))
    return "tool" in said.lower() or "function" in said.lower()


def _described(raw: object) -> str:
    kind = raw.get("type") if isinstance(raw, Mapping) else None
    keys = ", ".join(map(str, list(raw)[:6])) if isinstance(raw, Mapping) else ""
    return f"a part of a message of type {kind!r} with {keys} was not understood"
