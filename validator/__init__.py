"""plan-validator: what is wrong with a plan, and the smallest change that makes it right."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

__version__ = "0.1.0"

if TYPE_CHECKING:
    from importlib.machinery import ModuleSpec
    from types import ModuleType

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
    from validator.policies.language.read import read_policy
    from validator.reading.plan import Dialect, Plan
    from validator.reading.tokens import tokenize
    from validator.recognize.recognizer import recognize_goals
    from validator.repair.policy import Policy

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
    "validator.policies.language.read": ("read_policy",),
    "validator.recognize.recognizer": ("recognize_goals",),
    "validator.repair.policy": ("Policy",),
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


# --- names of modules before they had wings ----------------------------------------------------

_MOVED = {
    "adherence.items": "reading.stated.plan_reader",
    "batch": "grading.batch",
    "bundled": "model.bundled",
    "diff": "repair.diff",
    "edit": "repair.edit",
    "edit_problem": "up.edit.problem",
    "engines": "integrations.unified_planning",
    "evaluate": "grading.eai",
    "evaluate.goals": "grading.eai.goals.goals",
    "execute": "execution.simulator",
    "explain": "checking.about.explain",
    "flow.printers": "flow.plans.printers",
    "flow.reader": "flow.definition.reader",
    "flow.sketch": "flow.definition.sketch",
    "flow.state": "flow.plans.state",
    "flow.tokens": "flow.plans.tokens",
    "metrics.sequences": "repair.sequences",
    "monitor": "checking.monitor",
    "pddl": "model.pddl",
    "plan": "reading.plan",
    "planbench": "grading.planbench",
    "planner": "grounding.planner",
    "prepared": "checking.prepared",
    "redundant": "checking.about.redundant",
    "report": "checking.report",
    "solution": "checking.solve",
    "summary": "grading.summary",
    "task": "grounding.task",
    "tokens": "reading.tokens",
    "up_pddl": "up.pddl",
    "up_planner": "up.engines.planner",
    "validate": "checking.check",
}


class _Moved:
    """Finds a module under the name that it had in 0.1.0: the module of today itself, not a copy."""

    def find_spec(self, name: str, path: object = None, target: object = None) -> ModuleSpec | None:
        package, _, old = name.partition(".")
        rest: tuple[str, ...] = ()
        while package == __name__ and old:
            if old in _MOVED:
                from importlib.machinery import ModuleSpec

                return ModuleSpec(name, self, origin=".".join((__name__, _MOVED[old], *rest)))  # type: ignore[arg-type]
            old, _, last = old.rpartition(".")
            rest = (last, *rest)
        return None

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        from importlib import import_module

        module = import_module(str(spec.origin))
        spec.loader_state = module.__spec__
        return module

    def exec_module(self, module: ModuleType) -> None:
        module.__spec__ = module.__spec__ and module.__spec__.loader_state  # it keeps the one that it was loaded with


sys.meta_path.insert(0, _Moved())
