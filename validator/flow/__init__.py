"""Flows: services composed by what they need and yield, planned and checked like any other model.

Operators, items and goals come in (``definition`` reads files), plans and reports go out. Open ``model`` first:
``Flow`` and what follows from its parts. ``check_flow`` checks a plan and ``plan_flow`` finds one, both on the
PDDL model that ``compiled`` makes of a flow; ``plans`` reads and prints its plans, and ``check_tool_calls``
(``tools``) checks a list of tool calls.
"""

from __future__ import annotations

from importlib import import_module

__all__ = ["check_flow", "check_tool_calls", "plan_flow", "read_flow"]

_HOMES = {
    "check_flow": "check",
    "check_tool_calls": "tools.check",
    "plan_flow": "planning",
    "read_flow": "definition.reader",
}


def __getattr__(name: str) -> object:
    """Import a public name when it is first used."""
    if name not in _HOMES:
        raise AttributeError(f"module 'validator.flow' has no attribute {name!r}")
    return getattr(import_module(f"validator.flow.{_HOMES[name]}"), name)
