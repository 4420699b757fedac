"""Attacks on verdicts of unified-planning's contingent plans: trees, of which each world takes one way."""

from __future__ import annotations

from collections.abc import Iterator

from benchmarks.attacks.kind import Kind, outcome
from tests.support.random_branches import expected, in_unified_planning, random_case
from validator import check

__all__ = ["KINDS"]


def _attack(seed: int) -> Iterator[str]:
    case = random_case(seed)
    problem, plan = in_unified_planning(case)
    for quality in ("sound", "valid"):
        is_right = expected(case, quality)
        report = check(problem, plan=plan, quality=quality, repair=False)
        assert report.determination in (is_right, None), (case, quality, is_right, report)
        assert report.determination is not False or report.failures, (case, report)
        yield outcome(report.determination is not None)


KINDS = (
    Kind(
        name="plans of unified-planning: branches",
        against="an executor of its own, all worlds",
        attack=_attack,
        share=6,
    ),
)
