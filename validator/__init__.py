"""plan-validator: finds what is wrong with a plan, and the smallest change that makes it right."""

from __future__ import annotations

from typing import TYPE_CHECKING

__version__ = "1.0.0"

if TYPE_CHECKING:
    from validator.adherence.adhere import adhere
    from validator.checking.check import check
    from validator.checking.prepared import prepare
    from validator.checking.report import Quality, Report
    from validator.checking.solve import solve
    from validator.errors import InputError, ModelError, PlanError, PlannerError, ValidatorError
    from validator.flow.check import check_flow
    from validator.flow.definition.reader import read_flow
    from validator.flow.planning import plan_flow
    from validator.flow.tools.check import check_tool_calls
    from validator.foils.ask import why_not
    from validator.guard.guard import PlanGuard
    from validator.metrics.compare import compare
    from validator.model_repair.repair import repair_model
    from validator.policies.conform import conform
    from validator.policies.language import read_policy
    from validator.reading.plan import Dialect, Plan
    from validator.reading.tokens import tokenize
    from validator.recognize.recognizer import recognize_goals
    from validator.repair import Policy

__all__ = [
    "Dialect",
    "InputError",
    "ModelError",
    "Plan",
    "PlanError",
    "PlanGuard",
    "PlannerError",
    "Policy",
    "Quality",
    "Report",
    "ValidatorError",
    "__version__",
    "adhere",
    "check",
    "check_flow",
    "check_tool_calls",
    "compare",
    "conform",
    "plan_flow",
    "prepare",
    "read_flow",
    "read_policy",
    "recognize_goals",
    "repair_model",
    "solve",
    "tokenize",
    "why_not",
]

_HOMES = {
    "validator.adherence.adhere": ("adhere",),
    "validator.foils.ask": ("why_not",),
    "validator.guard.guard": ("PlanGuard",),
    "validator.metrics.compare": ("compare",),
    "validator.policies.conform": ("conform",),
    "validator.policies.language": ("read_policy",),
    "validator.recognize.recognizer": ("recognize_goals",),
    "validator.repair": ("Policy",),
    "validator.errors": ("InputError", "ModelError", "PlanError", "PlannerError", "ValidatorError"),
    "validator.flow.check": ("check_flow",),
    "validator.flow.planning": ("plan_flow",),
    "validator.model_repair.repair": ("repair_model",),
    "validator.flow.definition.reader": ("read_flow",),
    "validator.flow.tools.check": ("check_tool_calls",),
    "validator.reading.plan": ("Dialect", "Plan"),
    "validator.checking.report": ("Quality", "Report"),
    "validator.checking.solve": ("solve",),
    "validator.reading.tokens": ("tokenize",),
    "validator.checking.prepared": ("prepare",),
    "validator.checking.check": ("check",),
}


def __getattr__(name: str) -> object:
    """Import a public name when it is first used, so that ``import validator`` costs nothing."""
    from importlib import import_module

    for home, names in _HOMES.items():
        if name in names:
            return getattr(import_module(home), name)
    raise AttributeError(f"module 'validator' has no attribute {name!r}")
