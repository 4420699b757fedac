"""The peers that plans are checked with as well: unified-planning's validator, PyVAL, VAL."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.measure import Process

__all__ = ["UP_SCRIPT", "Command", "UnifiedPlanning", "by_code", "commands", "installed"]

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


@dataclass(frozen=True, slots=True, kw_only=True)
class Command:
    """A validator as a command line: ``[*command, domain, problem, plan]``."""

    name: str
    command: tuple[str, ...]
    says_valid: Callable[[Process], bool]

    def line(self, domain: Path, problem: Path, plan: Path) -> list[str]:
        return [*self.command, str(domain), str(problem), str(plan)]


def commands(val: str | None) -> tuple[list[Command], list[str]]:
    """Return the peers' command lines, and a line for each one that is not there."""
    script = (sys.executable, "-c", UP_SCRIPT)
    found = [Command(name="unified-planning", command=script, says_valid=by_code)]
    missing = []
    pyval = installed("pyval")
    if pyval is not None:
        found.append(Command(name="pyval", command=(pyval,), says_valid=by_code))
    else:
        missing.append("skipped: pyval is not installed (package pddl-pyvalidator)")
    if val is None:
        missing.append("skipped: VAL (give the path of its Validate with --val)")
    elif (path := shutil.which(val)) is None:
        missing.append(f"skipped: VAL: {val} is no program")
    else:
        # Its exit code differs between versions, its words do not.
        found.append(Command(name="VAL", command=(path,), says_valid=lambda done: "Plan valid" in done.output))
    return found, missing


def installed(program: str) -> str | None:
    """Return the path of a program, first beside this Python, then on the search path."""
    return shutil.which(program, path=str(Path(sys.executable).parent)) or shutil.which(program)


def by_code(done: Process) -> bool:
    if done.code not in (0, 1):
        raise RuntimeError(f"exit code {done.code}: {done.output[-500:]}")
    return done.code == 0
