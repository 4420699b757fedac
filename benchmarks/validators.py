"""The peers that plans are checked with as well: unified-planning's validator, PyVAL, VAL."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path
from typing import Any

__all__ = ["UP_SCRIPT", "UnifiedPlanning", "commands"]

UP_SCRIPT = """\
import sys
from unified_planning.engines.plan_validator import SequentialPlanValidator
from unified_planning.io import PDDLReader
reader = PDDLReader()
problem = reader.parse_problem(sys.argv[1], sys.argv[2])
plan = reader.parse_plan(problem, sys.argv[3])
sys.exit(0 if SequentialPlanValidator().validate(problem, plan) else 1)
"""


class UnifiedPlanning:
    """unified-planning's SequentialPlanValidator on a problem that its PDDLReader has read once."""

    def __init__(self, domain: str, problem: str) -> None:
        from unified_planning.engines.plan_validator import SequentialPlanValidator
        from unified_planning.io import PDDLReader

        self._reader: Any = PDDLReader()
        self._problem: Any = self._reader.parse_problem_string(domain, problem)
        self._validator: Any = SequentialPlanValidator()

    def parse(self, plan: str) -> object:
        return self._reader.parse_plan_string(self._problem, plan)

    def validate(self, plan: object) -> bool:
        return bool(self._validator.validate(self._problem, plan))

    def check(self, plan: str) -> bool:
        return self.validate(self.parse(plan))


def commands(val: str | None) -> tuple[dict[str, tuple[str, ...]], list[str]]:
    """Return the peers' command lines, but for the files, and a line for each one that is not there."""
    found: dict[str, tuple[str, ...]] = {"unified-planning": (sys.executable, "-c", UP_SCRIPT)}
    missing = []
    beside = str(Path(sys.executable).parent)
    if pyval := shutil.which("pyval", path=beside) or shutil.which("pyval"):
        found["pyval"] = (pyval,)
    else:
        missing.append("skipped: pyval is not installed (package pddl-pyvalidator)")
    if val is None:
        missing.append("skipped: VAL (give the path of its Validate with --val)")
    elif (path := shutil.which(val)) is None:
        missing.append(f"skipped: VAL: {val} is no program")
    else:
        found["VAL"] = (path,)
    return found, missing
