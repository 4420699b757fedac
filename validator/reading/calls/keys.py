"""The keys under which providers, frameworks and people write a call, in one list each; the first that is there counts.

The more a key says of what stands under it, the earlier it comes: ``tool_name`` before ``tool`` before ``name`` before
``action``, ``arguments`` before ``parameters`` before ``input``. Keys are compared as ``spelled`` spells them, so that
``toolName``, ``tool_name`` and ``tool-name`` are one.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache
from typing import TypeGuard

__all__ = [
    "ARGUMENTS",
    "DECLARED_INPUTS",
    "DECLARED_OUTPUTS",
    "DECLARING",
    "ENVELOPES",
    "ERRORS",
    "IDENTITIES",
    "LABELS",
    "NAMES",
    "PLAN_ARGUMENTS",
    "PLAN_NAMES",
    "RESULTS",
    "RESULT_TYPES",
    "first_of",
    "is_declaration",
    "is_object",
    "is_schema",
    "pick",
    "spelled",
]

ENVELOPES = ("function_call", "tool_call", "tool_use", "function", "custom", "tool", "call", "action")
"""An object under one of these is the call itself: ``{"function": {"name": ..., "arguments": ...}}``."""

NAMES = ("tool_name", "function_name", "recipient_name", "tool", "function", "name", "action")

ARGUMENTS = (
    *("arguments", "args", "kwargs", "tool_arguments", "tool_args", "tool_kwargs", "function_args", "raw_arguments"),
    *("input_parameters", "tool_input", "action_input", "parameters", "params", "inputs", "input", "raw_input"),
)

PLAN_NAMES = (
    *(*NAMES, "action_name", "operator", "operation", "command", "op", "predicate", "act"),
    *("task", "api_name", "api", "skill", "primitive", "cmd", "verb", "action_type"),
)
"""In a plan, beside arguments; alone the further ones are words, as in ``{"task": "look for flights"}``."""

PLAN_ARGUMENTS = (*ARGUMENTS, "objects", "object", "operands", "argument", "parameter")

IDENTITIES = ("call_id", "tool_call_id", "tool_use_id", "tool_id", "id")

LABELS = ("label",)
"""What other calls of one list refer to, in NESTFUL: ``$var1.city$``."""

RESULTS = ("result", "output", "tool_output", "tool_result", "observation", "response", "return_value", "raw_output")

ERRORS = ("error", "exception")

RESULT_TYPES = frozenset(
    (
        *("tool_result", "tool_output", "tool_return", "tool_call_result", "tool_call_output", "observation"),
        *("function_call_output", "function_response", "function_result", "custom_tool_call_output"),
        *("mcp_tool_result", "server_tool_result", "web_search_tool_result", "local_shell_call_output"),
    )
)
"""Types of objects that answer a call; an object under such a key is a result as well."""

DECLARING = (
    *("tools", "available_tools", "tool_definitions", "function_declarations", "functions", "tool_schemas"),
    *("tool_specs", "agent_tools"),
)
"""Lists under these declare tools, as far as their members do."""

DECLARED_INPUTS = (
    *("parameters", "input_schema", "args_schema", "input_parameters", "parameters_json_schema"),
    *("query_parameters", "path_parameters", "arguments"),
)

DECLARED_OUTPUTS = ("output_parameters", "output_parameter", "output_schema", "returns")


_HUMP = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")


@lru_cache(maxsize=4096)
def spelled(key: str) -> str:
    """Return a key as these lists write it: ``inputParameters`` and ``input-parameters`` as ``input_parameters``."""
    return _HUMP.sub("_", key).replace("-", "_").replace(" ", "_").lower()


def pick(value: Mapping[str, object], keys: tuple[str, ...]) -> str | None:
    """Return the key of an object that comes first in a list of keys, as the object spells it; None without one.

    A key with the value None is there only where no other one is.
    """
    own = {spelled(str(key)): key for key in value}
    return first_of({key: value[name] for key, name in own.items()}, keys, own)


def first_of(own: Mapping[str, object], keys: tuple[str, ...], names: Mapping[str, str] | None = None) -> str | None:
    """Return the same for an object whose keys are spelled already; ``names`` says how they were written."""
    empty = None
    for key in keys:
        if key in own:
            if own[key] is not None:
                return key if names is None else names[key]
            empty = empty or key
    return empty if names is None or empty is None else names[empty]


def is_schema(value: object) -> bool:
    """Return whether a value is a JSON schema of an object: what declares parameters, and gives none."""
    if not is_object(value):
        return False
    kind = value.get("type")
    if is_object(value.get("properties")):
        return "type" not in value or (isinstance(kind, str) and kind.lower() == "object") or isinstance(kind, list)
    return kind in ("object", "OBJECT") and value.keys() <= {"type", "required", "additionalProperties", "title"}


_PLAIN = frozenset((str, int, float, bool, type(None), list, tuple))


def is_object(value: object) -> TypeGuard[Mapping[str, object]]:
    """Return whether a value is an object; asked of every value of a trace, so that the common types come first."""
    kind = type(value)
    return kind is dict or (kind not in _PLAIN and isinstance(value, Mapping))


def is_declaration(own: Mapping[str, object]) -> bool:
    """Return whether an object, its keys spelled, declares a tool: it has a schema where arguments would stand."""
    inner = own.get("function")
    if is_object(inner):
        own = {spelled(str(key)): each for key, each in inner.items()}
    for key in DECLARED_INPUTS:
        if key in own and is_schema(own[key]):
            return True
    return "description" in own and "name" in own and first_of(own, ARGUMENTS) is None
