"""plan-validator: what is wrong with a plan, and the smallest change that makes it right."""

from __future__ import annotations

from typing import TYPE_CHECKING

__version__ = "0.1.0"

if TYPE_CHECKING:
    from validator.edit import Policy
    from validator.errors import InputError, ModelError, PlanError, PlannerError, ValidatorError
    from validator.flow.check import check_flow
    from validator.flow.planning import plan_flow
    from validator.flow.reader import read_flow
    from validator.flow.tools import check_tool_calls
    from validator.plan import Dialect, Plan
    from validator.prepared import prepare
    from validator.report import Quality, Report
    from validator.solution import solve
    from validator.tokens import tokenize
    from validator.validate import check

__all__ = [
    "Dialect",
    "InputError",
    "ModelError",
    "Plan",
    "PlanError",
    "PlannerError",
    "Policy",
    "Quality",
    "Report",
    "ValidatorError",
    "__version__",
    "check",
    "check_flow",
    "check_tool_calls",
    "plan_flow",
    "prepare",
    "read_flow",
    "solve",
    "tokenize",
]

_HOMES = {
    "validator.edit": ("Policy",),
    "validator.errors": ("InputError", "ModelError", "PlanError", "PlannerError", "ValidatorError"),
    "validator.flow.check": ("check_flow",),
    "validator.flow.planning": ("plan_flow",),
    "validator.flow.reader": ("read_flow",),
    "validator.flow.tools": ("check_tool_calls",),
    "validator.plan": ("Dialect", "Plan"),
    "validator.report": ("Quality", "Report"),
    "validator.solution": ("solve",),
    "validator.tokens": ("tokenize",),
    "validator.prepared": ("prepare",),
    "validator.validate": ("check",),
}


def __getattr__(name: str) -> object:
    """Import a public name when it is first used, so that ``import validator`` costs nothing."""
    from importlib import import_module

    for home, names in _HOMES.items():
        if name in names:
            return getattr(import_module(home), name)
    raise AttributeError(f"module 'validator' has no attribute {name!r}")
