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
from dataclasses import dataclass, replace

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
    is_declaration,
    pick,
    spelled,
)

__all__ = ["Asked", "read_object"]

_ANSWERS = ("function_response", "tool_result")


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """A call that was asked for. ``given`` is the value of its arguments as it stands; None where there is none."""

    name: str
    arguments: Arguments | None = None
    given: object = None
    call_id: str | None = None
    label: str | None = None


def read_object(value: object, *, is_plan: bool = False) -> Asked | str:
    """Return the call that a JSON object is, or why it is none; ``is_plan`` knows the keys of planners as well."""
    if not isinstance(value, Mapping):
        return "it is no object"
    if value.get("method") == "tools/call" and isinstance(value.get("params"), Mapping):
        return _within(value, read_object(value["params"]))
    own = {spelled(str(key)): each for key, each in value.items()}
    if spelled(str(own.get("type"))) in RESULT_TYPES or any(isinstance(own.get(key), Mapping) for key in _ANSWERS):
        return "it is the result of a call"
    if is_declaration(value):
        return "it declares a tool"
    for key in ENVELOPES:
        inner = own.get(key)
        if isinstance(inner, Mapping) and not isinstance(found := read_object(inner, is_plan=is_plan), str):
            return _within(value, found)
    given = pick(value, PLAN_ARGUMENTS if is_plan else ARGUMENTS)
    names = PLAN_NAMES if is_plan and given is not None else NAMES
    name = next((each.strip() for key in names if isinstance(each := own.get(key), str) and each.strip()), None)
    if name is None:
        return "it has no name of a tool"
    arguments = None if given is None else value[given]
    return _identified(Asked(name=name, arguments=read_arguments(arguments), given=arguments), value)


def _within(value: Mapping[str, object], found: Asked | str) -> Asked | str:
    return found if isinstance(found, str) else _identified(found, value)


def _identified(call: Asked, value: Mapping[str, object]) -> Asked:
    """Return a call with the identity and the label that an object around it gives."""
    identity, label = pick(value, IDENTITIES), pick(value, LABELS)
    if identity is not None and call.call_id is None and value[identity] is not None:
        call = replace(call, call_id=str(value[identity]))
    if label is not None and call.label is None and isinstance(value[label], str):
        call = replace(call, label=str(value[label]))
    return call
