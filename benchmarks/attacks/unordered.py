"""Attacks on answers about unified-planning's partial-order plans, of which every order counts."""

from __future__ import annotations

from collections.abc import Iterator

from benchmarks.attacks.kind import Kind, outcome
from tests.support.random_orders import (
    Case,
    cheapest,
    fewest_edits,
    in_unified_planning,
    is_goal,
    orders,
    random_case,
    run,
)
from validator import Quality, Report, check
from validator.reading.plan import Step
from validator.repair.sequences import lcs_length

__all__ = ["KINDS"]

_SECONDS = 20.0


def _attack(seed: int) -> Iterator[str]:
    case = random_case(seed)
    problem, plan = in_unified_planning(case)
    every = list(orders(case))
    for quality in Quality:
        report = check(problem, plan=plan, quality=quality, time_limit=_SECONDS)
        is_right = bool(every) and all(_has(case, order, quality) for order in every)
        told = (case, quality, is_right, report)
        assert report.determination in (is_right, None), told
        if every and report.determination is False:
            blamed = _names(report.reference)
            assert blamed in every and not _has(case, blamed, quality), told
        if report.up_plan is not None and report.repaired_plan is not None:
            _compare_repair(case, quality, report, told)
        yield outcome(report.determination is not None)


def _has(case: Case, names: list[str], quality: Quality) -> bool:
    end = run(case, names)
    if end is None:
        return False
    state, cost = end
    return quality is Quality.SOUND or (is_goal(case, state) and (quality is Quality.VALID or cost == cheapest(case)))


def _compare_repair(case: Case, quality: Quality, report: Report, told: object) -> None:
    blamed, repaired = _names(report.reference), [each.action.name for each in report.up_plan.actions]
    assert repaired == _names(report.repaired_plan or ()), told
    assert _has(case, repaired, quality) or (quality is Quality.OPTIMAL and not report.proven), told
    if quality is Quality.VALID and report.proven:
        changed = len(blamed) + len(repaired) - 2 * lcs_length(blamed, repaired)
        assert changed == fewest_edits(case, blamed), told


def _names(steps: object) -> list[str]:
    return [step.name for step in steps if isinstance(step, Step)]  # type: ignore[attr-defined]


KINDS = (
    Kind(
        name="plans of unified-planning: partial orders",
        against="an executor of its own, every order; Dijkstra over states and places of the order",
        attack=_attack,
        share=6,
    ),
)
