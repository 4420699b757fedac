"""A message of a chat, in the way of any provider or framework.

A message is told by its structure, wherever it stands: a role, and beside it what was said, asked or answered.
Calls and outputs of OpenAI's Responses and Gemini's interactions are items, objects of their own beside messages.
Frameworks put other names around a role and what was said:

{"from": "gpt", "value": "..."}                                     ShareGPT
{"_role": "assistant", "_content": [...]}                           Haystack before 2.9
{"info": {"role": "assistant"}, "parts": [...]}                     OpenCode
{"role": "assistant", "blocks": [...], "additional_kwargs": {...}}  LlamaIndex
{"role": {"type": "role", "value": "assistant"}, "contents": [...]} Microsoft's Agent Framework
{"role": "assistant", "items": [...]}                               Semantic Kernel
{"role": "API", "api_name": "f", "param_dict": {...}}               API-Bank
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from validator.reading.calls.objects import Asked, spelled
from validator.reading.traces.parts import SERVED, Answer, Part, Told, read_answer, read_part
from validator.reading.traces.walk import Wrapping, parsed, unwrapped
from validator.records import dataclass, field

__all__ = ["Message", "is_message", "read_item", "read_message", "steps_of"]


_ROLES = {
    word: role
    for role, words in {
        "user": "user human humanmessage humanmessagechunk",
        "assistant": "assistant ai aimessage aimessagechunk model agent chatbot bot gpt chatgpt bing",
        "tool": "tool toolmessage toolmessagechunk toolresult tool_result tool_response function functionmessage "
        "function_response observation environment ipython",
        "system": "system systemmessage developer",
    }.items()
    for word in words.split()
}
_SAYING = frozenset(
    (
        *("content", "parts", "tool_calls", "function_call", "data", "kwargs", "invalid_tool_calls", "tool_call_id"),
        *("message", "toolCalls", "tool_results", "toolInvocations", "tool_responses"),
    )
)
_REASONS = ("reasoning_content", "reasoning", "thinking", "thought")


@dataclass(frozen=True, slots=True, kw_only=True)
class Message:
    """``role`` is user, assistant, tool or system; ``told`` is what it says of calls.

    ``form`` names the way in which it is written where that says so; ``missed`` are parts that were not understood.
    ``inside`` is the identity of the call in which an agent says it that another agent called, empty if not told.
    """

    role: str
    texts: tuple[str, ...] = ()
    told: tuple[Told, ...] = ()
    form: str = ""
    missed: tuple[str, ...] = ()
    inside: str | None = None
    raw: Mapping[str, object] = field(default_factory=dict, repr=False)

    @property
    def calls(self) -> list[Asked]:
        return [each.call for each in self.told if each.call is not None]

    @property
    def answers(self) -> list[Answer]:
        """Return the answers to calls of other messages."""
        return [each.answer for each in self.told if each.call is None and each.answer is not None]


def is_message(value: Mapping[str, object]) -> bool:
    """Return whether an object is a message, without reading what it says."""
    return bool(_role(unwrapped(_shared(value), _WRAPPINGS))[0])


def read_message(value: Mapping[str, object]) -> Message | None:
    """Return the message that an object is, or None."""
    role, form, inner = _role(unwrapped(_shared(value), _WRAPPINGS))
    if not role:
        return None
    if role == "tool" and isinstance(inner.get("tool_responses"), list):
        inner = {"content": inner["tool_responses"]}  # AutoGen 0.2 says the answers beside their text
    parts: list[tuple[Part, object]] = []
    content = inner.get("content", inner.get("parts", inner.get("message")))
    if isinstance(content, Mapping):
        content = content.get("parts", content)
    if role == "tool" and not _has_parts(content):
        parts.append((Told(answer=read_answer(inner)), inner))
    else:
        parts += _parts(content)
        parts += _parts(inner.get("parts")) if "content" in inner else ()
    asked = list(_asked(inner)) if role == "assistant" else []
    again = {_identity(part) for part, _ in asked if _asks(part)}
    if again:  # LangChain repeats Anthropic's blocks beside its own list, the AI SDK the parts beside its invocations
        parts = [
            (part, raw) for part, raw in parts if not (_asks(part) and (_is_open(part) or _identity(part) in again))
        ]
    parts += asked
    missed = [raw for part, raw in parts if part is None and _looks_like_call(raw)]
    return Message(
        role=role,
        texts=(
            *(each for key in _REASONS if isinstance(each := inner.get(key), str)),
            *(part for part, _ in parts if isinstance(part, str)),
        ),
        told=tuple(part for part, _ in parts if isinstance(part, Told)),
        form=form or _form(inner, parts),
        missed=tuple(map(_described, missed)),
        raw=value,
    )


def _asks(part: Part) -> bool:
    return isinstance(part, Told) and part.call is not None


def _is_open(part: Part) -> bool:
    return isinstance(part, Told) and part.answer is None


def _identity(part: Part) -> str | None:
    return part.call.call_id if isinstance(part, Told) and part.call is not None else None


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
    return isinstance(content, list) and any(_answers(read_part(part)) for part in content)


def _answers(part: Part) -> bool:
    return isinstance(part, Told) and part.answer is not None


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
        yield Told(answer=read_answer(result)), result
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


_NAMED = frozenset(("function_call", "custom_tool_call", "mcp_call", "tool_execution"))
_RESULTS = frozenset(("function_result", *(f"{kind.removesuffix('_call')}_result" for kind in SERVED)))
_RUNNING = ("arguments", "input", "action", "queries", "code", "operation", "prompt", "status")
_SPEAKERS = {"model_output": "assistant", "user_input": "user", "reasoning": "assistant"}
"""How Gemini's interactions call messages, and OpenAI's Responses thoughts."""


def read_item(item: Mapping[str, object]) -> Message | None:
    """Return an item as a message of its own, or None for what is no item."""
    kind = item.get("type")
    if not isinstance(kind, str) or "role" in item:
        return None
    kind = kind.replace(".", "_")  # as Mistral's conversations write it
    said = [each for key in ("summary", "content") if isinstance(each := item.get(key), str | list)]
    if kind in _SPEAKERS and said:
        texts = tuple(part for each in said for part, _ in _parts(each) if isinstance(part, str))
        return Message(role=_SPEAKERS[kind], form=_ITEMS, texts=texts, raw=item)
    asks = (kind in _NAMED and isinstance(item.get("name"), str)) or (
        kind in SERVED and any(key in item for key in _RUNNING)
    )
    if (
        not asks
        and not (kind.endswith("_call_output") and "output" in item)
        and not (kind in _RESULTS and "result" in item)
    ):
        return None
    told = read_part({**item, "type": kind})
    found = (told,) if isinstance(told, Told) else ()
    return Message(role="assistant" if asks else "tool", form=_ITEMS, told=found, raw=item)


_ITEMS = "OpenAI Responses"
_CALLING = ("function_call", "tool_call")
_WRAPPINGS = (
    Wrapping(mark="_role", keys={"role": "_role", "content": "_content", "name": "_name"}),
    Wrapping(mark="info", needs=("info.role", "parts"), keys={"role": "info.role"}, is_kept=True),
    Wrapping(
        mark="role",
        needs=("role.value|role.label",),
        keys={"role": "role.value|role.label", "content": "content|contents"},
        is_kept=True,
    ),
    Wrapping(mark="api_name", needs=("role", "param_dict"), keys={"role": "=assistant", "content": ""}),
    Wrapping(mark="text", needs=("role",), keys={"content": "content|text"}, is_kept=True),
    Wrapping(mark="blocks", needs=("role",), around="additional_kwargs", keys={"role": "role", "content": "blocks"}),
    Wrapping(mark="items", needs=("role",), keys={"content": "items"}, is_kept=True),
)


def _shared(value: Mapping[str, object]) -> Mapping[str, object]:
    """Return a message of ShareGPT with its role and content under their plain names."""
    said = value.get("value")
    if "from" not in value or not isinstance(said, str):
        return value
    sender = str(value["from"]).lower()
    if sender in _CALLING:
        calls = parsed(said)
        return {"role": "assistant", "tool_calls": calls if isinstance(calls, list) else [calls]}
    return {"role": sender, "content": said} if sender in _ROLES else value
