"""Attacks on answers about time-triggered plans of unified-planning, beside an executor of its own."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from random import Random
from typing import Any

from benchmarks.attacks.kind import Kind, outcome
from tests.support.random_triggered import Sample, Timed, makespan, problem_of, quicker, sample, verdict
from validator import Report, check

__all__ = ["KINDS"]

_SECONDS = 2.0

_PLANS = 3_000
"""at halves of time, that are tried"""


def _attack(seed: int) -> Iterator[str]:
    """Judge and repair a plan, to a valid one or to a quickest one, by ``check`` and by the engine."""
    from unified_planning.plans import ActionInstance, TimeTriggeredPlan

    draw, model = Random(f"time-triggered {seed}"), sample(seed)
    problem = problem_of(model)
    entries = [
        (time, ActionInstance(problem.action(name)), None if model.acts[name].durations is None else duration)
        for time, name, duration in model.plan
    ]
    plan = TimeTriggeredPlan(entries, problem.environment)
    own, quality = verdict(model, model.plan), draw.choice(("valid", "valid", "optimal"))
    report = check(problem, plan=plan, quality=quality, time_limit=_SECONDS)
    told = (model, quality, own, report)
    if quality == "valid":
        assert report.determination in ((own, None) if own is not None else (False, None)), told
        assert _by_engine(problem, plan) in (report.determination, None), told
    elif report.determination:
        assert own is not False, told
        assert quicker(model, makespan(model, model.plan), 2, _PLANS) is None, told
    if report.determination and report.cost is not None:
        assert report.cost == makespan(model, model.plan), told
    _compare_repair(model, report, told)
    yield outcome(report.proven if quality == "optimal" else report.determination is not None)


def _by_engine(problem: Any, plan: Any) -> bool | None:
    from validator.integrations.unified_planning import PlanValidatorEngine

    engine = PlanValidatorEngine()
    engine.skip_checks = True
    return {"VALID": True, "INVALID": False, "UNKNOWN": None}[engine.validate(problem, plan).status.name]


def _compare_repair(model: Sample, report: Report, told: object) -> None:
    if report.up_plan is not None and report.repaired_plan is not None:
        steps = _steps(report.up_plan)
        assert verdict(model, steps), (told, steps)
        assert report.repaired_cost in (None, makespan(model, steps)), (told, steps)
    if report.planner_response.no_solution:
        found = quicker(model, None, 2, _PLANS)
        assert found is None, (told, found)
    elif report.optimal_cost is not None:
        found = quicker(model, report.optimal_cost.lower, 2, _PLANS)
        assert found is None, (told, found)


def _steps(plan: Any) -> Sequence[Timed]:
    return [(Fraction(start), each.action.name, Fraction(length or 0)) for start, each, length in plan.timed_actions]


KINDS = (
    Kind(
        name="problems of unified-planning: time",
        against="an executor of its own, all plans of up to two steps at halves of time",
        attack=_attack,
        share=6,
    ),
)
