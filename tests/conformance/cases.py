"""The cases: a folder for each model, with its plans, the verdict of each, and the rule and source that decide."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from fnmatch import fnmatch
from functools import cached_property
from pathlib import Path
from typing import Any

__all__ = ["CASES", "SOURCES", "Case", "cases"]

CASES = Path(__file__).resolve().parent / "cases"

SOURCES = {
    "adl": "E. Pednault: ADL: Exploring the Middle Ground between STRIPS and the Situation Calculus. KR 1989",
    "bnf": "D. Kovacs: BNF Definition of PDDL 3.1. IPC 2011",
    "ipc": "Practice of the International Planning Competitions and their planners; no paper defines it",
    "pddl+": "M. Fox, D. Long: Modelling Mixed Discrete-Continuous Domains for Planning. JAIR 27, 2006",
    "pddl1.2": "D. McDermott and others: PDDL - The Planning Domain Definition Language. CVC TR-98-003, 1998",
    "pddl2.1": "M. Fox, D. Long: PDDL2.1: An Extension to PDDL for Expressing Temporal Planning Domains. JAIR 20, 2003",
    "pddl2.2": "S. Edelkamp, J. Hoffmann: PDDL2.2: The Language for the Classical Part of IPC-4. TR 195, Freiburg 2004",
    "pddl3": "A. Gerevini, D. Long: Plan Constraints and Preferences in PDDL3. RT 2005-08-47, Brescia 2005",
    "pddl3.1": "M. Helmert: Changes in PDDL 3.1. IPC 2008",
    "plans": "R. Howey, D. Long, M. Fox: VAL: Automatic Plan Validation, Continuous Effects and Mixed Initiative "
    "Planning. ICTAI 2004; plan files of the competitions",
    "strips": "V. Lifschitz: On the Semantics of STRIPS. Reasoning about Actions and Plans, 1986",
}


@dataclass(frozen=True, kw_only=True)
class Case:
    """A plan of a model; ``expected`` is its entry of ``expected.json``, ``model`` the entries of its model.

    The verdicts are ``valid``, ``invalid``, ``malformed`` (the plan's text is no plan of the model), ``model_error``
    (the model is no PDDL), and ``ambiguous`` (PDDL leaves it open: each answer is right).
    """

    folder: Path
    plan: str
    model: dict[str, Any]
    expected: dict[str, Any]

    def __str__(self) -> str:
        return f"{self.folder.name}/{self.plan}"

    @property
    def files(self) -> tuple[Path, Path, Path]:
        return self.folder / "domain.pddl", self.folder / "problem.pddl", self.folder / self.plan

    @property
    def verdict(self) -> str:
        return str(self.expected["verdict"])

    @property
    def level(self) -> str:
        return str(self.model["level"])

    @property
    def may_refuse(self) -> bool:
        """Return whether a validator that keeps to the letter of the standard is right to refuse."""
        return bool(self.expected.get("may_refuse") or self.model.get("may_refuse"))

    @property
    def faults(self) -> tuple[str, ...]:
        """Return the kinds of fault of which one is the reason."""
        found = self.expected.get("fault", ())
        return (found,) if isinstance(found, str) else tuple(found)

    @cached_property
    def reason(self) -> str:
        """Return why the verdict is what it is: the fault and the rule, with its source."""
        said = []
        if "fault" in self.expected:
            step = self.expected.get("failed_step")
            said.append(" or ".join(self.faults) + ("" if step is None else f" at step {step + 1}"))
            said.extend(self.expected.get("unsatisfied", ()))
        why = [", ".join(said), self.expected.get("why", ""), self.model["rule"]]
        return "; ".join(filter(None, why)).rstrip(".") + f" [{self.model['source']}]"


def cases(pattern: str = "*") -> list[Case]:
    """Return the cases whose MODEL/PLAN fits a pattern of file names, in order."""
    return [case for case in _all() if fnmatch(str(case), pattern) or case.folder.name == pattern]


def _all() -> Iterator[Case]:
    for path in sorted(CASES.glob("*/expected.json")):
        model = json.loads(path.read_text(encoding="utf-8"))
        for plan, expected in model["plans"].items():
            yield Case(folder=path.parent, plan=plan, model=model, expected=expected)
