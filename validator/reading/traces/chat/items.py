"""Items of OpenAI's Responses and Gemini's interactions: calls and outputs, objects of their own beside messages."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from validator.reading.calls.objects import Asked
from validator.reading.traces.chat.messages import Message
from validator.reading.traces.chat.parts import Answer, Run

__all__ = ["read_item"]

_NAMED = frozenset(("function_call", "custom_tool_call", "mcp_call", "tool_execution"))
_SERVED = frozenset(
    (
        *("local_shell_call", "shell_call", "computer_call", "web_search_call", "file_search_call", "apply_patch_call"),
        *("code_interpreter_call", "image_generation_call", "tool_search_call", "x_search_call", "url_context_call"),
        *("google_search_call", "google_maps_call", "code_execution_call", "mcp_server_tool_call"),
    )
)
_RESULTS = frozenset(("function_result", *(f"{kind.removesuffix('_call')}_result" for kind in _SERVED)))
_GIVEN = ("arguments", "input", "action", "queries", "code", "operation", "prompt")
_SPEAKERS = {"model_output": "assistant", "user_input": "user"}
"""How Gemini's interactions call messages."""
_YIELDED = ("output", "results", "outputs", "result")


def read_item(item: Mapping[str, object]) -> Message | None:
    """Return an item as a message of its own, or None for what is no item."""
    kind = item.get("type")
    if not isinstance(kind, str) or "role" in item:
        return None
    form = "OpenAI Responses"
    kind = kind.replace(".", "_")  # as Mistral's conversations write it
    if kind in _NAMED and isinstance(item.get("name"), str):
        return Message(role="assistant", form=form, **_call(item, str(item["name"])), raw=item)  # type: ignore[arg-type]
    if kind in _SERVED and any(key in item for key in (*_GIVEN, "status")):
        name = str(item.get("name") or kind.removesuffix("_call"))
        return Message(role="assistant", form=form, **_call(item, name), raw=item)  # type: ignore[arg-type]
    if (kind.endswith("_call_output") and "output" in item) or (kind in _RESULTS and "result" in item):
        failed = item.get("error") or (item.get("is_error") is True or None)
        answer = Answer(call_id=_identity(item), value=item.get("output", item.get("result")), error=failed)
        return Message(role="tool", form=form, answers=(answer,), raw=item)
    if kind == "reasoning" and ("summary" in item or "content" in item):
        texts = (*_texts(item.get("summary")), *_texts(item.get("content")))
        return Message(role="assistant", form=form, texts=texts, raw=item)
    if kind in _SPEAKERS and isinstance(item.get("content"), str | list):
        return Message(role=_SPEAKERS[kind], form=form, texts=tuple(_texts(item["content"])), raw=item)
    return None


def _identity(item: Mapping[str, object]) -> str | None:
    identity = item.get("call_id") or item.get("tool_call_id") or item.get("id")
    return None if identity is None else str(identity)


def _call(item: Mapping[str, object], name: str) -> dict[str, object]:
    given = next((item[key] for key in _GIVEN if item.get(key) is not None), None)
    call = Asked(name=name, given=given, call_id=_identity(item))
    result = next((item[key] for key in _YIELDED if item.get(key) is not None), None)
    if result is None and item.get("error") is None:
        return {"calls": (call,)}
    return {"runs": (Run(call=call, answer=Answer(value=result, error=item.get("error"))),)}


def _texts(content: object) -> Iterator[str]:
    if isinstance(content, str):
        yield content
    elif isinstance(content, list):
        yield from (each["text"] for each in content if isinstance(each, Mapping) and isinstance(each.get("text"), str))
