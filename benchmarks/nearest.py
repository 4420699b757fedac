"""One repair: by this program, or by a unified-planning engine on the same modified problem."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from typing import Any

from benchmarks.cases import Case
from benchmarks.measure import Cost, cost_of, reap
from validator.checking.check import check
from validator.checking.prepared import Prepared
from validator.errors import ValidatorError
from validator.grounding.limits import Limits
from validator.model.values import Model
from validator.reading.plan import Plan

__all__ = ["MEMORY_LIMIT", "TIME_LIMIT", "Answer", "by_engine", "grounded", "ours"]

TIME_LIMIT = 10.0
"""seconds that one answer may take"""
MEMORY_LIMIT = 4 * 2**30


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """What was found: ``found`` without ``proven`` is an upper bound, ``lower`` a proven lower one.

    ``said`` is why nothing was found; ``failed`` tells an error from a limit.
    """

    found: Fraction | None = None
    lower: Fraction = Fraction(0)
    proven: bool = False
    said: str = ""
    failed: bool = False


def ours(prepared: Prepared, case: Case) -> tuple[Cost, Answer]:
    """Find the fewest changed lines that make a broken plan valid, the model grounded before."""

    def call() -> Answer:
        report = check(prepared, None, case.plan, time_limit=TIME_LIMIT, memory_limit=MEMORY_LIMIT)
        response = report.planner_response
        found = 0 if report.determination else response.cost
        changed = sum(diff.diff_type is not None for diff in report.plan_diff_obj)
        if found is not None and found != changed:
            return Answer(said=f"the planner's cost is {found}, the diff has {changed} changed lines", failed=True)
        return Answer(
            found=None if found is None else Fraction(found),
            lower=Fraction(response.lower_bound or 0),
            proven=report.proven,
            said=report.reason if found is None else "",
        )

    return _measured(call)


def by_engine(engine: str, problem: Any, model: Model, plan: Plan) -> tuple[Cost, Answer]:
    """Let an engine find them: the modified problem built and written, read, grounded and searched by the engine."""
    from validator.repair import Policy
    from validator.up.planner import UpPlanner

    def call() -> Answer:
        limits = Limits(deadline=time.monotonic() + TIME_LIMIT, memory=MEMORY_LIMIT)
        found = UpPlanner(engine, problem, model).repair(plan, Policy.EDITS, limits, with_goal=True)
        return Answer(
            found=None if found.upper is None else Fraction(found.upper),
            lower=Fraction(found.lower),
            proven=found.proven,
            said=found.status.value if found.upper is None else "",
        )

    return _measured(call)


def grounded(prepared: Prepared) -> Cost:
    """Ground a model and return what that costs."""
    limits = Limits(deadline=time.monotonic() + 120, memory=MEMORY_LIMIT)
    return cost_of(partial(prepared.task, limits, costs_matter=False))[0]


def _measured(call: Callable[[], Answer]) -> tuple[Cost, Answer]:
    def guarded() -> Answer:
        try:
            answer = call()
        except ValidatorError as error:
            answer = Answer(said=str(error), failed=True)
        reap()
        return answer

    return cost_of(guarded)
