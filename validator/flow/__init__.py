"""Flows: services composed by what they need and yield, planned and checked like any other model.

``Flow`` and its parts are in ``validator.flow.model``; ``read_flow`` reads files, ``check_flow`` checks a plan,
``plan_flow`` finds plans, ``check_tool_calls`` checks a list of tool calls.
"""

from __future__ import annotations

from importlib import import_module

__all__ = ["check_flow", "check_tool_calls", "plan_flow", "read_flow", "read_sketch"]

_HOMES = {
    "check_flow": "check",
    "check_tool_calls": "tools.check",
    "plan_flow": "planning",
    "read_flow": "definition.reader",
    "read_sketch": "definition.sketch",
}


def __getattr__(name: str) -> object:
    """Import a public name when it is first used."""
    if name not in _HOMES:
        raise AttributeError(f"module 'validator.flow' has no attribute {name!r}")
    return getattr(import_module(f"validator.flow.{_HOMES[name]}"), name)
