"""One part of a message, by its structure: a text, a call that is asked for, an answer to one, or something else."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TypeAlias

from validator.reading.calls.keys import ERRORS, RESULTS, is_object, pick, spelled
from validator.reading.calls.objects import Asked, read_object
from validator.records import dataclass, replace

__all__ = ["Answer", "Part", "Run", "as_text", "plain_call", "read_answer", "read_part"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """The result of a call; ``error`` is True, or what went wrong."""

    call_id: str | None = None
    name: str | None = None
    value: object = None
    error: object = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """A call together with its answer: of a tool that the server ran, or of a message for people."""

    call: Asked
    answer: Answer | None


Part: TypeAlias = str | Asked | Answer | Run | None
"""A text, a call, an answer or both; None for what is none of them."""

_TEXT = re.compile(r"(?:\w+_)?(?:text|thinking|reasoning|thought|refusal|summary)|user_prompt")
_TEXT_KEYS = ("text", "thinking", "reasoning", "content", "summary", "refusal")
_ANSWER = re.compile(
    r"(?:\w+_)?(?:tool|function|mcp|shell|search|computer|execution|code)\w*_"
    r"(?:result|results|return|output|response|answer)s?|observation|tool|retry_prompt|tool_execution"
)
_CALL = re.compile(
    r"(?:\w+_)?(?:tool|function|mcp|shell|computer|code_interpreter|web_search|file_search)_(?:call|use|request)s?"
    r"|function|dynamic_tool|tool_invocation"
)
_OWN_TYPE = re.compile(r"tool-(?P<name>.+)")
_ANSWERED = ("tool_call_id", "tool_use_id", "call_id", "tool_call_ids", "source_call_id")
_IDENTITIES = frozenset(_ANSWERED)
_CHAT = frozenset(("id", "type", "function", "index"))
_FUNCTION = frozenset(("name", "arguments"))
_ENVELOPES = {"function_response": "response", "tool_result": "content"}


def read_part(part: object, *, is_call: bool = False) -> Part:
    """Return what a part of a message is; ``is_call`` says that it stands in a list of calls."""
    if isinstance(part, str):
        return part
    if not is_object(part):
        return None
    if is_call and (plain := plain_call(part)) is not None:
        return plain
    part = _bare(part)
    written = str(next(filter(None, map(part.get, _SAYS_KIND)), ""))
    kind = spelled(written)
    if kind == "tool" and isinstance(part.get("state"), Mapping):
        return _stateful(part, part["state"])
    for key, value in part.items():
        if spelled(str(key)) in _ENVELOPES and isinstance(value, Mapping):
            found = _enveloped(spelled(str(key)), value)
            own = part.get("id") if found.call_id is None else None
            return found if own is None else replace(found, call_id=str(own))
    if _ANSWER.fullmatch(kind):
        return read_answer(part)
    if not kind and not is_call and _is_bare_answer(part):
        return read_answer(part)
    if is_call or _CALL.fullmatch(kind) or _asks(part):
        return _call(part)
    own = _OWN_TYPE.fullmatch(written)
    if own is not None and pick(part, ("tool_call_id",)) is not None:
        return _run(part, own["name"])
    if not kind or _TEXT.fullmatch(kind):
        return next((text for key in _TEXT_KEYS if isinstance(text := part.get(key), str)), None)
    return None


def plain_call(part: object) -> Asked | None:
    """Return a call as OpenAI's chat has nearly all, told faster than by all that it could be; None for any other."""
    if type(part) is not dict or not part.keys() <= _CHAT:
        return None
    inner = part.get("function")
    if type(inner) is not dict or not inner.keys() <= _FUNCTION:
        return None
    name, identity = inner.get("name"), part.get("id")
    if not isinstance(name, str) or not (name := name.strip()):
        return None
    return Asked(name=name, given=inner.get("arguments"), call_id=None if identity is None else str(identity))


_SAYS_KIND = ("type", "part_kind", "kind", "block_type", "content_type")
_DATA = ("function_call", "function_response")


def _bare(part: Mapping[str, object]) -> Mapping[str, object]:
    """Return a part without what is put around what it is: the AI SDK's invocations, A2A's data, Goose's results."""
    if isinstance(inner := part.get("toolInvocation"), Mapping):
        return {"type": "tool_call", **inner}
    data, metadata = part.get("data"), part.get("metadata")
    if isinstance(data, Mapping) and isinstance(metadata, Mapping):
        says = next((said for said in metadata.values() if said in _DATA), None)
        return part if says is None else {str(says): data}
    for key in ("toolCall", "toolResult"):
        inner = part.get(key)
        if isinstance(inner, Mapping) and "status" in inner and "value" in inner:
            return {"id": part.get("id"), key: _valued(inner)} if key == "toolCall" else _resulted(part, inner)
    return part


def _valued(inner: Mapping[str, object]) -> object:
    return inner["value"]


def _resulted(part: Mapping[str, object], inner: Mapping[str, object]) -> Mapping[str, object]:
    return {"type": "tool_result", "call_id": part.get("id"), "content": inner["value"], "status": inner["status"]}


def _stateful(part: Mapping[str, object], state: object) -> Part:
    """Return a part with the state of its call, as OpenCode writes one."""
    assert isinstance(state, Mapping)
    key = pick(part, ("call_id", "tool_call_id", "id"))
    beside = {"id": None if key is None else part[key], "tool": part.get("tool")}
    return _call({**{name: each for name, each in state.items() if name in _STATE}, **beside})


_STATE = ("input", "output", "error")


def _is_bare_answer(part: Mapping[str, object]) -> bool:
    """Return whether a part without a type answers a call: it has the identity of one, and content, and gives none."""
    own = {spelled(str(key)) for key in part}
    return bool(own & _IDENTITIES) and bool(own & {"content", "result", "output"}) and "arguments" not in own


def _asks(part: Mapping[str, object]) -> bool:
    """Return whether a part without a type is a call all the same: an object under a name that says so."""
    return any(
        spelled(str(key)) in ("function_call", "tool_use", "tool_call") and isinstance(value, Mapping)
        for key, value in part.items()
    )


def _call(part: Mapping[str, object]) -> Part:
    call = read_object({key: value for key, value in part.items() if key not in _STREAMED})
    if isinstance(call, str):
        return None
    result = pick(part, RESULTS)
    inner = part.get("function")
    if result is None and isinstance(inner, Mapping) and (own := pick(inner, RESULTS)) is not None:
        part, result = inner, own
    error = pick(part, ERRORS)
    failed = None if error is None else part[error] or None
    if result is None and failed is None:
        return call
    value = None if result is None else part[result]
    return call if value is None and failed is None else Run(call=call, answer=Answer(value=value, error=failed))


_STREAMED = ("index",)


def _run(part: Mapping[str, object], name: str) -> Run | None:
    """Return a call of the tool that the type names, as a message for people shows it: ``tool-search``."""
    call = read_object({"name": name, **{key: value for key, value in part.items() if key != "type"}})
    if isinstance(call, str):
        return None
    done = {spelled(str(key)): value for key, value in part.items()}
    error = done.get("error_text") or (str(done.get("state")) == "output-error" or None)
    has_answer = "output" in done or error is not None
    answer = Answer(call_id=call.call_id, value=done.get("output"), error=error) if has_answer else None
    return Run(call=replace(call, name=name), answer=answer)


def _enveloped(key: str, value: Mapping[str, object]) -> Answer:
    found = read_answer(value)
    content = as_text(value.get(_ENVELOPES[key], found.value))
    failed = found.error or (value.get("status") == "error" or None)
    return replace(found, value=content, error=failed)


def read_answer(part: Mapping[str, object]) -> Answer:
    """Return the answer that an object is which is known to be one."""
    own = {spelled(str(key)): value for key, value in part.items()}
    identity = next((own[key] for key in (*_ANSWERED, "id") if own.get(key)), None)
    if isinstance(identity, list):
        identity = identity[0] if identity else None
    name = next((own[key] for key in ("tool_name", "name") if isinstance(own.get(key), str)), None)
    value = next((own[key] for key in ("content", *RESULTS) if own.get(key) is not None), None)
    status = str(own.get("status") or own.get("outcome") or "").lower()
    failed = own.get("is_error") is True or status in ("error", "failed", "failure") or None
    error = next((own[key] for key in ERRORS if own.get(key)), None) or failed
    if own.get("part_kind") == "retry-prompt":
        error = True
    return Answer(
        call_id=None if identity is None else str(identity),
        name=name if isinstance(name, str) else None,
        value=as_text(value),
        error=error,
    )


def as_text(value: object) -> object:
    """Return the text that a list of parts is, ``[{"type": "text", "text": "sunny"}]``, or what is in an output."""
    if isinstance(value, Mapping) and set(value) == {"type", "value"}:
        return value["value"]
    if isinstance(value, list) and len(value) == 1 and isinstance(value[0], Mapping):
        text = value[0].get("text")
        if isinstance(text, str) and len(value[0]) <= 3:
            return text
    return value
