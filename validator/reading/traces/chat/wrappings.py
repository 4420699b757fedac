"""Messages under other names: what frameworks put around a role and what was said, taken off.

{"from": "gpt", "value": "..."}                                     ShareGPT
{"_role": "assistant", "_content": [...]}                           Haystack before 2.9
{"info": {"role": "assistant"}, "parts": [...]}                     OpenCode
{"role": "assistant", "blocks": [...], "additional_kwargs": {...}}  LlamaIndex
{"role": {"type": "role", "value": "assistant"}, "contents": [...]} Microsoft's Agent Framework
{"role": "assistant", "items": [...]}                               Semantic Kernel
{"role": "API", "api_name": "f", "param_dict": {...}}               API-Bank
"""

from __future__ import annotations

from collections.abc import Mapping

from validator.reading.traces.walk import parsed

__all__ = ["unwrapped"]

_SHARED = {
    **dict.fromkeys(("human", "user"), "user"),
    **dict.fromkeys(("gpt", "assistant", "bing", "chatgpt", "function_call", "tool_call"), "assistant"),
    **dict.fromkeys(("tool", "observation", "function_response", "tool_response", "function"), "tool"),
    "system": "system",
}
_CALLING = ("function_call", "tool_call")


def unwrapped(value: Mapping[str, object]) -> Mapping[str, object]:
    """Return a message with its role and content under their plain names; any other object as it is."""
    if "from" in value and isinstance(value.get("value"), str):
        return _shared(value)
    if "_role" in value:
        return {key.lstrip("_"): each for key, each in value.items()}
    info = value.get("info")
    if isinstance(info, Mapping) and isinstance(info.get("role"), str) and isinstance(value.get("parts"), list):
        return {**value, "role": info["role"]}
    role = value.get("role")
    if isinstance(role, Mapping) and isinstance(said := role.get("value", role.get("label")), str):
        return {**value, "role": said, "content": value.get("content", value.get("contents"))}
    if isinstance(role, str) and isinstance(text := value.get("text"), str) and "content" not in value:
        return {**value, "content": text}
    if role == "API" and isinstance(name := value.get("api_name"), str):
        return {"role": "assistant", "tool_calls": [_served(name, value)]}
    kwargs = value.get("additional_kwargs")
    if "blocks" in value and isinstance(role, str):
        beside = kwargs if isinstance(kwargs, Mapping) else {}
        return {**beside, "role": role, "content": value["blocks"]}
    if "items" in value and isinstance(role, str) and isinstance(value["items"], list):
        return {**value, "content": value["items"]}
    return value


def _served(name: str, value: Mapping[str, object]) -> Mapping[str, object]:
    result = value.get("result")
    own: Mapping[str, object] = result if isinstance(result, Mapping) else {"output": result}
    return {
        "name": name,
        "arguments": value.get("param_dict"),
        "output": own.get("output"),
        "error": own.get("exception"),
    }


def _shared(value: Mapping[str, object]) -> Mapping[str, object]:
    sender = str(value["from"]).lower()
    role = _SHARED.get(sender)
    if role is None:
        return value
    if sender in _CALLING:
        calls = parsed(value["value"])
        return {"role": role, "tool_calls": calls if isinstance(calls, list) else [calls]}
    return {"role": role, "content": value["value"]}
