"""Chats: OpenAI's chat and Responses, Anthropic's messages, LangChain's and LangGraph's, in any wrapping.

A message is told by its structure, wherever it stands: in a list, in a request with its response, in a line of a log.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from validator.reading.traces.recording import Recorder, units

__all__ = ["is_message", "read_messages"]

_ROLES = {
    "user": "user",
    "human": "user",
    "humanmessage": "user",
    "humanmessagechunk": "user",
    "assistant": "assistant",
    "ai": "assistant",
    "aimessage": "assistant",
    "aimessagechunk": "assistant",
    "model": "assistant",
    "tool": "tool",
    "toolmessage": "tool",
    "function": "tool",
    "functionmessage": "tool",
    "system": "system",
    "systemmessage": "system",
    "developer": "system",
}
_ASKED = frozenset(("function_call", "custom_tool_call", "mcp_call", "local_shell_call"))
_ANSWERED = frozenset(("function_call_output", "custom_tool_call_output", "local_shell_call_output"))
_USED = frozenset(("tool_use", "server_tool_use", "mcp_tool_use"))
_SAYING = frozenset(("content", "tool_calls", "function_call", "data", "kwargs", "invalid_tool_calls"))


def is_message(value: Mapping[str, object]) -> bool:
    """Return whether an object is a message, or an item of a Responses list."""
    kind, role = value.get("type"), value.get("role")
    if isinstance(role, str) and role.lower() in _ROLES:
        return not _SAYING.isdisjoint(value)
    if not isinstance(kind, str):
        return False
    if kind in _ASKED:
        return "name" in value or "action" in value
    if kind in _ANSWERED:
        return "output" in value
    if kind == "reasoning":
        return "summary" in value or "content" in value
    if kind == "constructor":
        return isinstance(value.get("kwargs"), Mapping) and _class_of(value) in _ROLES
    return kind.lower() in _ROLES and not {"content", "data"}.isdisjoint(value) and "children" not in value


def read_messages(value: object, recorder: Recorder) -> bool:
    """Read the messages inside a JSON value; return whether there are any."""
    reader = _Chat(recorder)
    found = False
    for message in units(value, is_message, recorder.fields):
        found = True
        reader.read(message)
    if found:
        recorder.format = reader.format
    return found


def _class_of(value: Mapping[str, object]) -> str:
    """Return the class of a message that LangChain serialised: the last part of its ``id``."""
    path = value.get("id")
    return str(path[-1]).lower() if isinstance(path, list) and path else ""


class _Chat:
    """One chat: whose message comes next, and which calls of the Responses format stand side by side."""

    def __init__(self, recorder: Recorder) -> None:
        self.recorder = recorder
        self.format = "OpenAI chat"
        self.item_batch: int | None = None

    def read(self, message: Mapping[str, object]) -> None:
        kind = str(message.get("type") or "")
        if kind not in _ASKED:
            self.item_batch = None
        if kind in _ASKED | _ANSWERED | {"reasoning"}:
            self._item(kind, message)
            return
        role = str(message.get("role") or kind)
        inner = message.get("kwargs") if kind == "constructor" else message.get("data")
        if isinstance(inner, Mapping):
            role = _class_of(message) if kind == "constructor" else role
            message = inner
        self.recorder.fields(message)
        if "role" not in message:
            self.format = "LangChain messages"
        match _ROLES.get(role.lower()):
            case "assistant":
                self._assistant(message)
            case "tool":
                status = message.get("status") == "error" or message.get("is_error") is True
                answered = message.get("tool_call_id")
                self.recorder.answer(answered, message.get("content"), status or None, message.get("name"))
            case "user":
                self._user(message)

    def _item(self, kind: str, item: Mapping[str, object]) -> None:
        """Read an item of the Responses format."""
        self.format = "OpenAI Responses"
        if kind == "reasoning":
            for text in (*_texts(item.get("summary")), *_texts(item.get("content"))):
                self.recorder.say(text)
            return
        call_id = item.get("call_id") or item.get("id")
        if kind in _ANSWERED:
            self.recorder.answer(call_id, item.get("output"), item.get("error"))
            return
        if self.item_batch is None:
            self.item_batch = self.recorder.batch()
        name = item.get("name") or ("local_shell" if kind == "local_shell_call" else None)
        arguments = next((item[key] for key in ("arguments", "input", "action") if key in item), None)
        index = self.recorder.call(name, arguments, call_id=call_id, batch=self.item_batch)
        if kind == "mcp_call":
            self.item_batch = None
            if item.get("output") is not None or item.get("error") is not None:
                self.recorder.result(index, item.get("output"), item.get("error"))

    def _user(self, message: Mapping[str, object]) -> None:
        content = message.get("content")
        for block in _blocks(content):
            if block.get("type") in ("tool_result", "mcp_tool_result"):
                self.format = "Anthropic messages"
                self._result(block)
        for text in _texts(content):
            self.recorder.ask(text)

    def _result(self, block: Mapping[str, object]) -> None:
        error = block.get("is_error") is True or None
        self.recorder.answer(block.get("tool_use_id"), block.get("content"), error)

    def _assistant(self, message: Mapping[str, object]) -> None:
        for key in ("reasoning_content", "reasoning", "thinking"):
            self.recorder.say(message.get(key))
        content = message.get("content")
        for text in _texts(content):
            self.recorder.say(text)
        asked = list(self._asked(message, content))
        batch = self.recorder.batch() if len(asked) > 1 else None
        for name, arguments, call_id in asked:
            self.recorder.call(name, arguments, call_id=call_id, batch=batch)
        for block in _blocks(content):  # what the server ran itself is answered in the same message
            if str(block.get("type")).endswith("tool_result"):
                self._result(block)

    def _asked(self, message: Mapping[str, object], content: object) -> Iterator[tuple[object, object, object]]:
        """Yield name, arguments and identity of the calls that a message asks for."""
        found = False
        older = message.get("additional_kwargs")
        listed = message.get("tool_calls") or (older.get("tool_calls") if isinstance(older, Mapping) else None)
        for call in _objects(listed):
            found = True
            inner = call.get("function") or call.get("custom")
            if isinstance(inner, Mapping):
                yield inner.get("name"), inner.get("arguments", inner.get("input")), call.get("id")
            else:
                self.format = "LangChain messages"
                yield call.get("name"), call.get("args", call.get("arguments")), call.get("id")
        for call in _objects(message.get("invalid_tool_calls")):
            found = True
            yield call.get("name"), call.get("args"), call.get("id")
        legacy = message.get("function_call")
        if isinstance(legacy, Mapping):
            found = True
            yield legacy.get("name"), legacy.get("arguments"), None
        if found:  # LangChain repeats Anthropic's blocks beside its own list
            return
        for block in _blocks(content):
            if str(block.get("type")) in _USED:
                self.format = "Anthropic messages"
                yield block.get("name"), block.get("input"), block.get("id")


def _objects(value: object) -> Iterator[Mapping[str, object]]:
    if isinstance(value, list | tuple):
        yield from (each for each in value if isinstance(each, Mapping))


def _blocks(content: object) -> Iterator[Mapping[str, object]]:
    yield from _objects(content)


_TEXT_KEYS = {
    "text": "text",
    "input_text": "text",
    "output_text": "text",
    "summary_text": "text",
    "reasoning_text": "text",
    "thinking": "thinking",
    "reasoning": "reasoning",
}


def _texts(content: object) -> Iterator[str]:
    """Yield the texts of a content: a text itself, or the blocks of text and of thought in a list."""
    if isinstance(content, str):
        yield content
    elif isinstance(content, list | tuple):
        for block in content:
            if isinstance(block, str):
                yield block
            elif isinstance(block, Mapping):
                text = block.get(_TEXT_KEYS.get(str(block.get("type")), "text"))
                if isinstance(text, str) and block.get("type") in (None, *_TEXT_KEYS):
                    yield text
