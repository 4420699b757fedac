"""Which steps of a valid plan can be left out."""

from __future__ import annotations

from itertools import combinations

import pytest

from tests.support.models import FUEL, FUEL_TRIP, WALK, WALK_PROBLEM
from validator import PlanError, prepare, tokenize
from validator.checking.explain import redundant_steps
from validator.errors import UnsupportedError
from validator.grounding.limits import Outcome, Status
from validator.reading.plan import Plan

pytestmark = pytest.mark.planner


def test_the_proof_finds_what_no_greedy_order_misses() -> None:
    prepared = prepare(WALK, WALK_PROBLEM)
    text = "(go a b)(look b)(go b c)(go c b)(go b a)(go a b)(go b a)"
    plan = tokenize(text, prepared.vocabulary)
    found = redundant_steps(prepared, plan)
    assert found.proven
    most = max(
        len(left_out)
        for size in range(len(plan.steps) + 1)
        for left_out in combinations(range(len(plan.steps)), size)
        if prepared.simulator.run(Plan(parts=_without(plan, left_out))).is_valid
    )
    assert len(found.steps) == most == 4
    assert prepared.simulator.run(Plan(parts=_without(plan, found.steps))).is_valid


def _without(plan: Plan, left_out: tuple[int, ...]) -> tuple[object, ...]:
    return tuple(step for index, step in enumerate(plan.steps) if index not in left_out)


def test_a_plan_that_is_not_valid_has_none() -> None:
    prepared = prepare(WALK, WALK_PROBLEM)
    with pytest.raises(ValueError, match=r"only a valid plan .* not valid: Step 1 \(go b c\): \(at b\) is false"):
        redundant_steps(prepared, tokenize("(go b c)", prepared.vocabulary))


def test_a_limit_leaves_the_greedy_answer_unproven(monkeypatch: pytest.MonkeyPatch) -> None:
    prepared = prepare(WALK, WALK_PROBLEM)
    plan = tokenize("(go a b)(look b)(go b a)", prepared.vocabulary)
    late = Outcome(status=Status.TIME_LIMIT)
    monkeypatch.setattr("validator.checking.explain.search", lambda *_, **__: late)
    found = redundant_steps(prepared, plan)
    assert not found.proven
    assert "time limit" in found.reason


def test_a_model_with_numbers_is_not_supported() -> None:
    with pytest.raises(UnsupportedError, match="not with numeric-fluents"):
        redundant_steps(prepare(FUEL, FUEL_TRIP), tokenize("(go a b)", prepare(FUEL, FUEL_TRIP).vocabulary))


def test_nothing_is_left_out_of_a_plan_that_was_not_understood() -> None:
    prepared = prepare(WALK, WALK_PROBLEM)
    half = tokenize("1. go a b\n2. admire the view\n3. go b a\n", prepared.vocabulary)
    with pytest.raises(PlanError, match="on line 2"):
        redundant_steps(prepared, half)
