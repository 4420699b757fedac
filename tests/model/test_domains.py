"""The bundled models: every good plan is good, every broken one is broken, and each says what it is about."""

from __future__ import annotations

import pytest

from validator import check, solve
from validator.model.bundled import Bundle, bundles

MODELS = [pytest.param(model, id=model.name) for model in bundles()]


@pytest.mark.deep
@pytest.mark.planner
@pytest.mark.parametrize("model", MODELS)
def test_the_good_plan_is_optimal_and_costs_what_the_one_that_is_found_does(model: Bundle) -> None:
    assert model.plans[0].name == "good.plan"
    report = check(model.domain, model.problem, model.plans[0], quality="optimal")
    assert (report.determination, report.proven, report.failures) == (True, True, ())
    found = solve(model.domain, model.problem)
    assert found.proven and found.plan is not None and found.cost == found.lower_bound == report.cost


def test_broken_plans_are_not_valid() -> None:
    for model in bundles():
        for plan in model.plans:
            if plan.name.startswith("broken"):
                report = check(model.domain, model.problem, plan, repair=False)
                assert report.determination is False and report.failures, plan
