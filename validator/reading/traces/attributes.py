"""What a span says of its run, by a table of names: its kind, the tool, what went in and came out, and messages.

A span is one mapping of dotted names, whatever of it stands at its top, in details, in attributes, in metadata or in
events: ``ai.toolCall.name`` is ``ai.tool_call.name``.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from enum import StrEnum
from typing import TypeAlias

from validator.reading.calls.objects import by_spelling, is_schema, spelled
from validator.reading.traces.conversation import chat
from validator.reading.traces.formats import formats
from validator.reading.traces.messages import Message
from validator.reading.traces.paths import meets, parsed

_Object: TypeAlias = Mapping[str, object]

CHILDREN = {
    **{f"{kind}_spans": kind for kind in ("agent", "llm", "tool", "retriever", "base")},
    "children": "",
    "observations": "",
    "child_runs": "",
}
"""Lists of spans inside a span, each with the kind of its members, empty where they say it."""

_DETAILS = ("context", "span_data", "span_attributes", "meta", "metrics", "timestamps")
"""Objects in which a span keeps what it does not have at its top."""


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


# --- one mapping of names ------------------------------------------------------------------------


def flat(span: _Object) -> dict[str, object]:
    """Return all that a span says by its name, without the spans inside it."""
    own = by_spelling(span)
    for key in _DETAILS:
        for name, each in _items(own.get(key)):
            own.setdefault(spelled(name), each)
    attributes, metadata = own.get("attributes"), parsed(own.get("metadata"))
    if isinstance(attributes, list | Mapping):
        _put(own, attributes)
        _put(own, _from_events(own.get("events")))
    else:
        _put(own, {key.removeprefix("attributes."): each for key, each in own.items() if "." in key})
        _put(own, metadata.get("attributes") if isinstance(metadata, Mapping) else None)
        _put(own, metadata)
    return own


def _put(own: dict[str, object], source: object) -> None:
    """Add what an object or a list of attributes says, and what is inside of that, under names that are still free."""
    waiting = list(_items(source))
    for name, value in waiting:
        if "json_schema" in name:
            continue
        own.setdefault(spelled(name), value)
        if isinstance(value, Mapping):
            waiting += [(f"{name}.{inner}", each) for inner, each in value.items()]


def _items(source: object) -> Iterator[tuple[str, object]]:
    source = parsed(source)
    if isinstance(source, Mapping):
        yield from ((str(key), value) for key, value in source.items())
    elif isinstance(source, list):
        for each in source:
            if isinstance(each, Mapping) and isinstance(each.get("key"), str):
                yield str(each["key"]), _any_value(each.get("value"))


def _any_value(value: object) -> object:
    """Return the value of an OTLP AnyValue."""
    if not isinstance(value, Mapping) or len(value) != 1:
        return value
    ((kind, inner),) = value.items()
    values = inner.get("values") if isinstance(inner, Mapping) else None
    if kind == "arrayValue":
        return [_any_value(each) for each in values] if isinstance(values, list) else []
    if kind == "kvlistValue":
        return dict(_items(values))
    if kind == "intValue" and isinstance(inner, str) and inner.lstrip("-").isdigit():
        return int(inner)
    return inner if kind in ("stringValue", "boolValue", "doubleValue", "intValue", "bytesValue") else value


def _all(own: _Object, what: str) -> Iterator[object]:
    """Yield the values under the names for something."""
    for name in formats()["names"][what]:
        exact = name.removeprefix(".")
        if own.get(exact) is not None:
            yield own[exact]
        elif exact != name:
            yield from (each for key, each in own.items() if each is not None and key.endswith(name))


def first(own: _Object, what: str) -> object:
    """Return the first value under the names for something; None without one."""
    return next(_all(own, what), None)


def text_of(own: _Object, what: str) -> str:
    """Return that value if it is a text, without the quotes of JSON around it."""
    found = parsed(first(own, what))
    return found.strip() if isinstance(found, str) else ""


def named(own: _Object, what: str) -> object:
    """Return the first value under such names that is one: an identity, a time or a title; None without one."""
    return next((each for each in _all(own, what) if each not in ("", "undefined")), None)


def _from_events(events: object) -> dict[str, object]:
    """Return the attributes that the events of a span stand for: messages, and what a tool was given and yielded."""
    asked, answered, given = [], [], None
    for event in events if isinstance(events, list) else ():
        if not isinstance(event, Mapping):
            continue
        own: dict[str, object] = {}
        _put(own, event.get("attributes"))
        _put(own, event.get("body"))
        name = str(event.get("name") or "")
        role, _, what = name.removeprefix("gen_ai.").partition(".")
        if name == "gen_ai.choice":
            answered.append(_event_message("assistant", own))
        elif what == "message" and role in ("system", "user", "assistant", "tool"):
            given = parsed(first(own, "event_says")) if role == "tool" else given
            asked.append(_event_message(role, own))
        elif first(own, "input_messages") is not None or first(own, "output_messages") is not None:
            return own
    found: dict[str, object] = {}
    if asked or answered:
        found |= {"gen_ai.input.messages": asked, "gen_ai.output.messages": answered}
    if given is not None:
        found["gen_ai.tool.call.arguments"] = given
    if len(answered) == 1 and given is not None:
        found["gen_ai.tool.call.result"] = answered[0]["content"]
    return found


def _event_message(role: str, own: _Object) -> dict[str, object]:
    said = parsed(first(own, "event_says"))
    if isinstance(said, Mapping) and ("content" in said or "tool_calls" in said or "toolUse" in said):
        return {"role": role, "content": None, **said}
    message: dict[str, object] = {"role": role, "content": said}
    if isinstance(calls := parsed(own.get("tool_calls")), list):
        message["tool_calls"] = calls
    if role == "tool":
        message["tool_call_id"] = first(own, "event_answers")
    return message


# --- messages of models --------------------------------------------------------------------------

_NUMBERED = {
    "input": ("llm.input_messages.", "gen_ai.prompt."),
    "output": ("llm.output_messages.", "gen_ai.completion."),
}
"""How the keys of flat messages begin: OpenInference's and OpenLLMetry's."""


def messages_of(own: _Object, what: str) -> list[Message]:
    """Return the messages that went into a span (``input``) or came out of it (``output``)."""
    return (
        chat(side(own, what))
        or chat(parsed(first(own, f"{what}_messages")) or [_nested(own, prefix) for prefix in _NUMBERED[what]])
        or chat(first(own, f"{what}_value"))
    )


def _nested(own: _Object, prefix: str) -> object:
    """Return what stands under dotted keys as the objects and lists that they name: ``tool_calls.0.name``."""
    inner: dict[str, dict[str, object]] = {}
    found: dict[str, object] = {}
    for key, each in own.items():
        if key.startswith(prefix):
            name, _, rest = key.removeprefix(prefix).partition(".")
            if rest:
                inner.setdefault(name, {})[rest] = each
            else:
                found[name] = each
    found |= {name: _nested(each, "") for name, each in inner.items()}
    return [found[key] for key in sorted(found, key=int)] if found and all(map(str.isdecimal, found)) else found


# --- kinds and names -----------------------------------------------------------------------------

_TOOL_MESSAGE = "type=tool, tool_call_id or !type, role=tool, tool_call_id or type=constructor, id[-1]=toolmessage*"


def _kinds(own: _Object, what: str) -> list[Kind]:
    kinds = formats()["kinds"]
    said = (each.strip().strip('"') for each in _all(own, what) if isinstance(each, str))
    words = (spelled(each).removeprefix("span_kind_") for each in said)
    return [Kind(kinds[word]) for word in words if word in kinds]


def kind_of(own: _Object) -> Kind:
    """Return the kind that a span names, or that what it says has only with tools."""
    if "function" in map(own.get, formats()["names"]["kind"]) and "span_data" not in own:
        return Kind.UNKNOWN  # any function may be traced; one of OpenAI's Agents SDK is a tool
    found = _kinds(own, "kind")
    if found and found[0] is not Kind.OTHER:
        return found[0]
    if said := _kinds(own, "attribute_kind"):
        return said[0]
    if text_of(own, "tool") or first(own, "says_tool") is not None:
        return Kind.TOOL
    message = parsed(side(own, "output"))
    is_answer = not found and isinstance(message, Mapping) and meets(message, _TOOL_MESSAGE)
    return Kind.TOOL if is_answer else found[0] if found else Kind.UNKNOWN


_DECORATED = re.compile(
    r"(?:(?:[a-z]+[ _])?tool(?:[ _]?call)?(?:\s*:\s*|\s+)|tool\.|call\s+|invoke\s+)"
    r"(?P<name>'[^']+'|\"[^\"]+\"|[^\s:]+)",
    re.IGNORECASE,
)
_ENDED = re.compile(
    r"(?P<name>[^\s.]+)\.(?:tool|call|run|execute|invoke|a?call|a?run|ainvoke|__call__|_run)", re.IGNORECASE
)


def plain_name(name: str, own: _Object) -> str:
    """Return a tool's name without what is put around it: ``execute_tool f``, ``running tool: f``, ``f.tool``.

    What ends so is put there by those who record functions with attributes.
    """
    name = name.strip()
    for pattern in (_DECORATED, _ENDED) if any("." in key for key in own) else (_DECORATED,):
        if match := pattern.fullmatch(name):
            return match["name"].strip("'\"")
    return name


# --- values --------------------------------------------------------------------------------------


def side(own: _Object, what: str) -> object:
    """Return what went in or came out, without ``{"type": "json", "value": ...}`` or ``{"output": ...}`` around it."""
    found = first(own, what)
    if isinstance(found, Mapping):
        if found.keys() in _TYPED:
            return found["value"]
        if what == "output" and found.keys() in _OUTPUTS:
            return next(iter(found.values()))
    return found


_TYPED = ({"type", "value"}, {"mime_type", "value"}, {"type", "mime_type", "value"})
_OUTPUTS = ({"output"}, {"value"})


_ONLY_KEYS = ("value", "input", "input_str", "tool_input", "inputs", "arguments", "args", "kwargs")


def given(own: _Object) -> object:
    """Return what a tool was given.

    Frameworks put a tool's only text under a key of their own, ``{"input": "{...}"}``.
    """
    value = parsed(first(own, "arguments"), python=True)
    if value is None or is_schema(value):
        value = parsed(side(own, "input"), python=True)
    if isinstance(value, Mapping) and "sanitize_inputs_outputs" in value:  # smolagents', beside args and kwargs
        value = {key: each for key, each in value.items() if key != "sanitize_inputs_outputs"}
    if isinstance(value, Mapping) and len(value) == 1:
        ((key, inner),) = value.items()
        read = parsed(inner, python=True) if spelled(str(key)) in _ONLY_KEYS and isinstance(inner, str) else None
        return read if isinstance(read, Mapping) else value
    return value


def yielded(own: _Object) -> object:
    """Return what a tool yielded; of its message the content."""
    value = parsed(first(own, "result"))
    value = parsed(side(own, "output")) if value is None else value
    if not isinstance(value, Mapping):
        return value
    inner = value.get("kwargs") if value.get("type") == "constructor" else value
    if isinstance(inner, Mapping) and "content" in inner and ("tool_call_id" in inner or "additional_kwargs" in inner):
        return inner["content"]
    return value


_FAILED = frozenset(("2", "error", "errored", "failed", "status_code_error"))


def error_of(own: _Object, *, has_result: bool) -> object:
    """Return what went wrong: what is said of it, True where the result says it, None where nothing did."""
    said = next(filter(None, _all(own, "error")), None)
    status = own.get("status") or own.get("status_code")
    inner = status if isinstance(status, Mapping) else {"code": status, "message": own.get("status_message")}
    words = (inner.get("code", inner.get("status_code")), own.get("level"))
    if said or not any(str(word).lower() in _FAILED for word in words):
        return said or None
    return inner.get("message") or own.get("status_message") or has_result or "the span has the status ERROR"
