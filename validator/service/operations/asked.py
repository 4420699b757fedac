"""What every operation needs: its limits, whom to tell of progress, and the plan of a request."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

from validator.checking.prepared import Prepared
from validator.errors import PlanError
from validator.reading.plan import NoPlan, Plan
from validator.reading.tokens import tokenize
from validator.service.operations.requests import PlanText, Request
from validator.service.settings import Bounds

__all__ = [
    "Job",
    "NeedsPlannerError",
    "Progress",
    "Value",
    "bounded",
    "is_claim",
    "plan_of",
    "plan_text",
]

Value: TypeAlias = dict[str, Any]
Progress: TypeAlias = Callable[[Mapping[str, Any]], None]


class NeedsPlannerError(Exception):
    """What was asked for cannot be answered by execution alone."""


_BOUNDS = Bounds()
_LITTLE = 0.01
"""seconds that are left in any case, so that what is asked says itself that the limit was met"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """One run of an operation: its limits, whom to tell of progress, whether a planner may be started.

    ``spent`` are the seconds of its limit that another worker had.
    """

    bounds: Bounds = _BOUNDS
    spent: float = 0.0
    progress: Progress = lambda _: None
    with_planner: bool = True

    def seconds(self, request: Request) -> float:
        """Return what is left of the time limit of a request. Raises ValueError for one that is not allowed."""
        return max(self.bounds.seconds(request.time_limit) - self.spent, _LITTLE)

    def planner(self) -> None:
        """Say that a planner will be started. Raises NeedsPlannerError where it may not be."""
        if not self.with_planner:
            raise NeedsPlannerError


def plan_text(plan: PlanText) -> str:
    return plan if isinstance(plan, str) else "\n".join(plan)


def plan_of(plan: PlanText, model: Prepared, dialect: Any, bounds: Bounds, *, strict: bool = False) -> Plan:
    found = tokenize(plan_text(plan), model.vocabulary, dialect, strict=strict)
    bounded(len(found.tokens), bounds)
    return found


def is_claim(plan: Plan) -> bool:
    """Return whether a text says that there is no plan; whether that is right takes a planner to say."""
    return plan.reading is not None and plan.reading.no_plan is NoPlan.CLAIM


def bounded(steps: int, bounds: Bounds) -> None:
    if steps > bounds.most_steps:
        raise PlanError(f"the plan has {steps:,} steps; the limit is {bounds.most_steps:,}")
