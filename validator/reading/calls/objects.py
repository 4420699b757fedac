"""A JSON value as a call: OpenAI's, Anthropic's, Gemini's, LangChain's, MCP's, NESTFUL's and plain ways to write one.

{"type": "function", "function": {"name": "f", "arguments": "{\\"x\\": 1}"}}       OpenAI chat
{"type": "function_call", "name": "f", "arguments": "{...}", "call_id": "c1"}     OpenAI Responses
{"type": "tool_use", "id": "t1", "name": "f", "input": {"x": 1}}                  Anthropic
{"functionCall": {"name": "f", "args": {"x": 1}}}                                 Gemini, ADK
{"toolUse": {"toolUseId": "t1", "name": "f", "input": {"x": 1}}}                  Bedrock
{"method": "tools/call", "params": {"name": "f", "arguments": {"x": 1}}}          MCP
{"name": "f", "args": {"x": 1}, "id": "c1"}                                       LangChain
{"action": "f", "action_input": {"x": 1}}                                         ReAct in JSON
{"name": "f", "arguments": {"x": "$var1.y$"}, "label": "var2"}                    NESTFUL
{"task": "f", "arguments": [{"name": "x", "value": 1}]}                           TaskBench
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache

from validator.reading.arguments import Arguments, read_arguments
from validator.reading.calls.keys import (
    ARGUMENTS,
    ENVELOPES,
    IDENTITIES,
    LABELS,
    NAMES,
    PLAN_ARGUMENTS,
    PLAN_NAMES,
    RESULT_TYPES,
    first_of,
    is_declaration,
    is_object,
    is_schema,
    spelled,
)
from validator.records import dataclass

__all__ = ["Asked", "read_object"]

_ANSWERS = frozenset(("function_response", "tool_result"))
_ENVELOPES = frozenset(ENVELOPES)


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """A call that was asked for. ``given`` is the value of its arguments as it stands; None where there is none."""

    name: str
    given: object = None
    call_id: str | None = None
    label: str | None = None

    @property
    def arguments(self) -> Arguments | None:
        """Return the arguments as values with names and types; None where they are not known."""
        return read_arguments(self.given)


def read_object(value: object, *, is_plan: bool = False) -> Asked | str:
    """Return the call that a JSON object is, or why it is none; ``is_plan`` knows the keys of planners as well."""
    if not is_object(value):
        return "it is no object"
    shape = _plain_shape(tuple(value)) if len(value) <= _PLAIN_KEYS else None
    if shape is not None:
        name, given = value[shape.name], value[shape.given]
        if isinstance(name, str) and (name := name.strip()) and not is_schema(given):
            identity = None if shape.call_id is None else value[shape.call_id]
            call_id = identity if identity is None or isinstance(identity, str) else str(identity)
            return Asked(name=name, given=given, call_id=call_id)
    own = {spelled(str(key)): each for key, each in value.items()}
    if own.get("method") == "tools/call" and is_object(own.get("params")):
        return _within(own, read_object(own["params"]))
    kind = own.get("type")
    if isinstance(kind, str) and spelled(kind) in RESULT_TYPES:
        return "it is the result of a call"
    if objects := {key: each for key, each in own.items() if is_object(each)}:
        if not _ANSWERS.isdisjoint(objects):
            return "it is the result of a call"
        if is_declaration(own):
            return "it declares a tool"
        for key in () if _ENVELOPES.isdisjoint(objects) else ENVELOPES:
            if key in objects and not isinstance(found := read_object(objects[key], is_plan=is_plan), str):
                return _within(own, found)
    elif "description" in own and is_declaration(own):
        return "it declares a tool"
    given = first_of(own, PLAN_ARGUMENTS if is_plan else ARGUMENTS)
    for key in PLAN_NAMES if is_plan and given is not None else NAMES:
        name = own.get(key)
        if isinstance(name, str) and (name := name.strip()):
            return Asked(
                name=name, given=None if given is None else own[given], call_id=_identity(own), label=_label(own)
            )
    return "it has no name of a tool"


_PLAIN_KEYS = 3
"""the most keys of an object that has a name, arguments, and perhaps an identity"""


@dataclass(frozen=True, slots=True)
class _Shape:
    """The keys of a name, of arguments and of an identity, as an object writes them that has no others."""

    name: str
    given: str
    call_id: str | None


@lru_cache(maxsize=256)
def _plain_shape(keys: tuple[object, ...]) -> _Shape | None:
    """Return what the keys of an object are where they leave nothing to ask; the objects of a trace are alike."""
    found: dict[tuple[str, ...], str] = {}
    for key in keys:
        kind = next((kind for kind in (NAMES, ARGUMENTS, IDENTITIES) if spelled(str(key)) in kind), None)
        if kind is None or kind in found or not isinstance(key, str):
            return None
        found[kind] = key
    if NAMES not in found or ARGUMENTS not in found:
        return None
    return _Shape(found[NAMES], found[ARGUMENTS], found.get(IDENTITIES))


def _within(own: Mapping[str, object], found: Asked | str) -> Asked | str:
    """Return a call with the identity and the label that an object around it gives."""
    if isinstance(found, str):
        return found
    call_id, label = found.call_id or _identity(own), found.label or _label(own)
    if call_id == found.call_id and label == found.label:
        return found
    return Asked(name=found.name, given=found.given, call_id=call_id, label=label)


def _identity(own: Mapping[str, object]) -> str | None:
    key = first_of(own, IDENTITIES)
    return None if key is None or own[key] is None else str(own[key])


def _label(own: Mapping[str, object]) -> str | None:
    key = first_of(own, LABELS)
    return own[key] if key is not None and isinstance(own[key], str) else None  # type: ignore[return-value]
