"""How each validator is started, and what its output says; a validator that is not installed says how to get it."""

from __future__ import annotations

import json
import os
import re
import shutil
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from .cases import Case
from .runner import Answer, Ended

__all__ = ["VALIDATORS", "MissingError", "PddlPyvalidator", "PlanValidator", "UnifiedPlanning", "Val", "find"]


class MissingError(Exception):
    """A validator that does not run here; the text says how to get it."""


@dataclass(frozen=True, kw_only=True)
class _Program:
    """A validator as a program; ``options`` stand behind the names of the files."""

    program: str
    options: tuple[str, ...] = ()

    def command(self, case: Case) -> Sequence[str]:
        return [self.program, *map(str, case.files), *self.options]

    def answer(self, ended: Ended) -> Answer:
        """Return what the output says; what all programs have in common is how they fail."""
        if ended.code is None:
            return Answer(verdict="crashed", text="limit of time")
        if ended.code < 0 or "Traceback (most recent call last)" in ended.err:
            return Answer(verdict="crashed", text=(_last(ended.err) or f"ended with {ended.code}"))
        return self.read(ended)

    def read(self, ended: Ended) -> Answer:
        raise NotImplementedError


class PlanValidator(_Program):
    """This project's ``plan-validator check``, with the grammar of PDDL taken strictly."""

    def command(self, case: Case) -> Sequence[str]:
        strict = ("--strict-pddl", "--format", "json", "--time-limit", "60")
        files = map(str, case.files)
        return [self.program, "check", *files, *(self.options or ("--no-repair",)), *strict]

    def read(self, ended: Ended) -> Answer:
        if ended.code not in (0, 1, 3) or not ended.out:
            return Answer(verdict="refused", text=ended.err.partition("\n")[0])
        report = json.loads(ended.out)
        verdict = {True: "valid", False: "invalid", None: "refused"}[report["determination"]]
        faults = [
            {
                "fault": fault["kind"],
                "failed_step": fault["step"],
                "unsatisfied": fault["unmet"],
                "constraint": " ".join(fault["unmet"]),
                "suggest": fault["nearest"],
            }
            for fault in report["failures"]
        ]
        said = {
            "cost": None if report["cost"] is None else str(report["cost"]),
            "faults": faults,
            "all_failed_steps": [fault["failed_step"] for fault in faults if fault["failed_step"] is not None],
            "last_time_true_after_step": next((goal["last_held"] for goal in report["unmet_goals"]), None),
            "report": report,
        }
        return Answer(verdict=verdict, text=str(report["reason"]), said=said)


class Val(_Program):
    """VAL's ``Validate``, at the separation of happenings that the cases are written for."""

    def command(self, case: Case) -> Sequence[str]:
        return [self.program, "-t", "0.001", *map(str, case.files)]

    def read(self, ended: Ended) -> Answer:
        out = ended.out
        if "Plan valid" in out:
            return Answer(verdict="valid")
        if re.search("Plan failed to execute|Goal not satisfied|Plan invalid", out):
            return Answer(verdict="invalid", text=_last(out))
        return Answer(verdict="refused", text=_first(out + ended.err))


class PddlPyvalidator(_Program):
    """The command ``pyval`` of the package pddl-pyvalidator."""

    def command(self, case: Case) -> Sequence[str]:
        return [self.program, *map(str, case.files), "--json"]

    def read(self, ended: Ended) -> Answer:
        report: Mapping[str, Any] = json.loads(ended.out)
        status = str(report["status"])
        return Answer(verdict={"VALID": "valid", "INVALID": "invalid"}.get(status, "refused"), text=status)


class UnifiedPlanning(_Program):
    """unified-planning's reader and validators, called by ``unified_planning_peer.py``; the program is a Python."""

    def command(self, case: Case) -> Sequence[str]:
        peer = Path(__file__).with_name("unified_planning_peer.py")
        return [self.program, "-W", "ignore", str(peer), *map(str, case.files)]

    def read(self, ended: Ended) -> Answer:
        found = json.loads(ended.out.splitlines()[-1])
        return Answer(verdict=found["verdict"], text=found["text"])


VALIDATORS: dict[str, tuple[type[_Program], str, str]] = {
    "plan-validator": (PlanValidator, "plan-validator", "pip install plan-validator"),
    "VAL": (Val, "Validate", "build https://github.com/KCL-Planning/VAL and put its program Validate on PATH"),
    "unified-planning": (UnifiedPlanning, sys.executable, "pip install unified-planning"),
    "pddl-pyvalidator": (PddlPyvalidator, "pyval", "pip install pddl-pyvalidator, in an environment of its own"),
}
"""name -> what reads its output, the program that is looked for, how to get it"""


def find(name: str) -> _Program:
    """Return a validator by its name, or by ``NAME=PROGRAM``. Raises MissingError where it does not run here."""
    name, _, given = name.partition("=")
    if name not in VALIDATORS:
        raise MissingError(f"no validator is called {name!r}; there are {', '.join(VALIDATORS)}")
    kind, program, how = VALIDATORS[name]
    path = shutil.which(given or program, path=os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]]))
    if path is None or (kind is UnifiedPlanning and not given and not _has("unified_planning")):
        raise MissingError(f"{name} does not run here ({given or program} was not found): {how}")
    return kind(program=path)


def _has(module: str) -> bool:
    from importlib.util import find_spec

    return find_spec(module) is not None


def _first(text: str) -> str:
    return next((line.strip() for line in text.splitlines() if line.strip() and "Checking plan" not in line), "")


def _last(text: str) -> str:
    return next((line.strip() for line in reversed(text.splitlines()) if line.strip()), "")
