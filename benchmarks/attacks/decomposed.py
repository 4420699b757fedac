"""Attacks on verdicts of unified-planning's hierarchical plans: steps and their decomposition."""

from __future__ import annotations

from collections.abc import Iterator

from benchmarks.attacks.kind import Kind, outcome
from tests.support.random_hierarchies import expected, in_unified_planning, random_case
from validator import check

__all__ = ["KINDS"]


def _attack(seed: int) -> Iterator[str]:
    case = random_case(seed)
    is_right = expected(case)
    problem, plan = in_unified_planning(case)
    report = check(problem, plan=plan, repair=False)
    assert report.determination in (is_right, None), (case, is_right, report)
    assert report.determination is not False or report.failures, (case, report)
    yield outcome(report.determination is not None)


KINDS = (
    Kind(
        name="plans of unified-planning: hierarchies",
        against="an executor of its own, all moments of all methods",
        attack=_attack,
        share=6,
    ),
)
