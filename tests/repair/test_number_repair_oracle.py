"""Repairs and cheapest plans of random models with numbers, against a brute search with an interpreter of its own."""

from __future__ import annotations

from fractions import Fraction

import pytest

from tests.support.depth import some
from tests.support.naive_reference import distance
from tests.support.random_numbers import LONGEST, kept_most, pddl, solvable, truth
from validator import check

pytestmark = pytest.mark.planner


@pytest.mark.deep
@pytest.mark.parametrize("seed", range(16))
def test_what_is_proven_is_so(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("validator.repair.numbers.search._MOST_BYTES", 6_000_000)  # some thousand states
    if seed % 2:  # greedy searches come first
        monkeypatch.setattr("validator.repair.numbers.nearest._HEAD_START", 0.0)
    puzzle = solvable(seed)
    valid, lines = puzzle.valid(), "\n".join(f"({name})" for name in puzzle.plan)
    report = check(*pddl(puzzle), lines)
    assert report.determination is (tuple(puzzle.plan) in valid)
    if report.repaired_plan is not None:
        repaired = tuple(step.name for step in report.repaired_plan)  # type: ignore[union-attr]
        end = puzzle.run(repaired)
        assert end is not None and truth(puzzle.goal, end) is True
        changes = distance(puzzle.plan, repaired)
        assert report.planner_response.cost == changes
        assert not report.proven or changes <= min((distance(puzzle.plan, other) for other in valid), default=changes)
    elif not report.determination:
        assert not (report.proven and valid)

    report = check(*pddl(puzzle), lines, quality="optimal")
    least = min(valid.values(), default=None)
    if report.optimal_cost is not None and least is not None:
        assert report.optimal_cost.lower <= least
    if report.determination:
        assert valid[tuple(puzzle.plan)] == least
    elif report.repaired_plan is not None:
        repaired = tuple(step.name for step in report.repaired_plan)  # type: ignore[union-attr]
        end = puzzle.run(repaired)
        assert end is not None and truth(puzzle.goal, end) is True
        assert report.optimal_cost is not None and end["cost"] == report.optimal_cost.upper
        as_cheap = [distance(puzzle.plan, other) for other, cost in valid.items() if cost == end["cost"]]
        assert not report.proven or distance(puzzle.plan, repaired) <= min(as_cheap, default=LONGEST + 99)
    else:
        assert not (report.proven and report.planner_response.no_solution and valid)


@pytest.mark.parametrize("price", [Fraction(1), Fraction(10**7)], ids=["cheap", "dear"])
@pytest.mark.parametrize("seed", some(range(12), 3))
def test_under_keep_nothing_proven_keeps_fewer_steps_or_inserts_dearer_ones(
    seed: int, price: Fraction, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("validator.repair.numbers.search._MOST_BYTES", 6_000_000)
    if seed % 2:
        monkeypatch.setattr("validator.repair.numbers.nearest._HEAD_START", 0.0)
    puzzle = solvable(seed)
    for _, effects in puzzle.actions.values():
        effects[-1] = ("increase", "cost", effects[-1][2] * price)
    valid = puzzle.valid()
    report = check(*pddl(puzzle), "\n".join(f"({name})" for name in puzzle.plan), policy="keep", time_limit=20)
    if report.repaired_plan is not None and report.determination is False and report.proven:
        repaired = tuple(step.name for step in report.repaired_plan)  # type: ignore[union-attr]
        found = kept_most(puzzle, repaired)
        assert all(found <= kept_most(puzzle, other) for other in valid)
