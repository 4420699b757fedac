"""The conformance models as cases: a model, a plan, and what the standard says of it."""

from __future__ import annotations

import json
from dataclasses import dataclass

from tests.support.places import CONFORMANCE
from validator import Report, check
from validator.execution.simulator import Kind

MALFORMED = frozenset((Kind.SYNTAX, Kind.UNKNOWN_ACTION, Kind.WRONG_ARITY, Kind.UNKNOWN_OBJECT, Kind.WRONG_TYPE))
EXECUTED = ("classical", "classical-timed", "axioms")  # by the classical simulator


@dataclass(frozen=True)
class Case:
    model: str
    plan: str
    level: str
    expected: dict[str, object]

    def __str__(self) -> str:
        return f"{self.model}/{self.plan}"

    @property
    def is_literal(self) -> bool:
        """Return whether the fault is in the text: what cannot be read is wrong only where it is taken literally."""
        return self.model.startswith("plan_format") and self.expected["verdict"] == "malformed"

    def check(self, **options: object) -> Report:
        folder = CONFORMANCE / self.model
        options = {"repair": False, "strict": self.is_literal, "strict_pddl": True, **options}
        return check(folder / "domain.pddl", folder / "problem.pddl", folder / self.plan, **options)  # type: ignore[arg-type]


def _cases() -> list[Case]:
    found = []
    for path in sorted(CONFORMANCE.glob("*/expected.json")):
        model = json.loads(path.read_text(encoding="utf-8"))
        for plan, expected in model["plans"].items():
            found.append(Case(path.parent.name, plan, model["level"], expected))
    return found


CASES = _cases()
