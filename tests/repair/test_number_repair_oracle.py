"""Repairs and cheapest plans of random models with numbers, against a brute search with an interpreter of its own."""

from __future__ import annotations

from fractions import Fraction

import pytest

from tests.support.depth import some
from tests.support.naive_reference import distance, fewest
from tests.support.short_plans import LONGEST, solvable
from validator import check

pytestmark = pytest.mark.planner


@pytest.mark.deep
@pytest.mark.parametrize("seed", range(16))
def test_what_is_proven_is_so(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("validator.grounding.limits.MOST_BYTES", 6_000_000)  # some thousand states
    if seed % 2:  # greedy searches come first
        monkeypatch.setattr("validator.repair.numbers.nearest.HEAD_START", 0.0)
    model = solvable(seed)
    valid = model.valid()
    report = check(model.domain, model.problem, model.text)
    assert report.determination is (model.plan in valid)
    if report.repaired_plan is not None:
        repaired = tuple(step.name for step in report.repaired_plan)  # type: ignore[union-attr]
        assert model.verdict(repaired)[0]
        changes = distance(model.plan, repaired)
        assert report.planner_response.cost == changes
        assert not report.proven or changes <= min((distance(model.plan, other) for other in valid), default=changes)
    elif not report.determination:
        assert not (report.proven and valid)

    report = check(model.domain, model.problem, model.text, quality="optimal")
    least = min((cost for cost in valid.values() if cost is not None), default=None)
    if report.optimal_cost is not None and least is not None:
        assert report.optimal_cost.lower <= least
    if report.determination:
        assert valid[model.plan] == least
    elif report.repaired_plan is not None:
        repaired = tuple(step.name for step in report.repaired_plan)  # type: ignore[union-attr]
        is_valid, price = model.verdict(repaired)
        assert is_valid and report.optimal_cost is not None and price == report.optimal_cost.upper
        as_cheap = [distance(model.plan, other) for other, cost in valid.items() if cost == price]
        assert not report.proven or distance(model.plan, repaired) <= min(as_cheap, default=LONGEST + 99)
    else:
        assert not (report.proven and report.planner_response.no_solution and valid)


@pytest.mark.parametrize("price", [Fraction(1), Fraction(10**7)], ids=["cheap", "dear"])
@pytest.mark.parametrize("seed", some(range(12), 3))
def test_under_keep_nothing_proven_keeps_fewer_steps_or_inserts_dearer_ones(
    seed: int, price: Fraction, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("validator.grounding.limits.MOST_BYTES", 6_000_000)
    if seed % 2:
        monkeypatch.setattr("validator.repair.numbers.nearest.HEAD_START", 0.0)
    model = solvable(seed, price)
    report = check(model.domain, model.problem, model.text, policy="keep", time_limit=20)
    if report.repaired_plan is not None and report.determination is False and report.proven:
        repaired = tuple(step.name for step in report.repaired_plan)  # type: ignore[union-attr]

        def insert(name: str) -> tuple[Fraction, Fraction]:
            return Fraction(0), max(Fraction(1), model.prices[name])

        found = fewest(model.plan, repaired, insert)
        assert all(found <= fewest(model.plan, other, insert) for other in model.valid())
