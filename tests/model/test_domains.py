"""The bundled models: every good plan is good, every broken one is broken, and each says what it is about."""

from __future__ import annotations

import pytest

from validator import ValidatorError, check
from validator.model.bundled import Bundle, bundle, bundles, first_comment
from validator.model.pddl import read_model

MODELS = [pytest.param(model, id=model.name) for model in bundles()]


def test_models_are_read_without_a_warning_and_say_what_they_are_about() -> None:
    assert len(bundles()) >= 10
    for model in bundles():
        read = read_model(model.domain, model.problem)
        assert read.warnings == () and not read.features, model.name
        assert model.about and first_comment(model.problem), model.name
        assert sum(plan.name.startswith("broken") for plan in model.plans) >= 3, model.name


@pytest.mark.deep
@pytest.mark.planner
@pytest.mark.parametrize("model", MODELS)
def test_the_good_plan_is_optimal(model: Bundle) -> None:
    assert model.plans[0].name == "good.plan"
    report = check(model.domain, model.problem, model.plans[0], quality="optimal")
    assert (report.determination, report.proven, report.failures) == (True, True, ())


def test_broken_plans_are_not_valid() -> None:
    for model in bundles():
        for plan in model.plans:
            if plan.name.startswith("broken"):
                report = check(model.domain, model.problem, plan, repair=False)
                assert report.determination is False and report.failures, plan


def test_a_model_that_is_not_bundled_gets_the_nearest_name() -> None:
    with pytest.raises(ValidatorError, match="no bundled model is called 'kichen' \\(did you mean 'kitchen'\\?\\)"):
        bundle("kichen")
