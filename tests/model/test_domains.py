"""The bundled models: every good plan is good, every broken one is broken, and each says what it is about."""

from __future__ import annotations

from pathlib import Path

import pytest

from validator import ValidatorError, check
from validator.model.bundled import Bundle, bundle, bundles, first_comment
from validator.model.pddl import read_model

MODELS = [pytest.param(model, id=model.name) for model in bundles()]
BROKEN = [
    pytest.param(model, plan, id=f"{model.name}/{plan.stem}")
    for model in bundles()
    for plan in model.plans
    if plan.name.startswith("broken")
]


def test_there_are_models() -> None:
    assert len(MODELS) >= 10


@pytest.mark.parametrize("model", MODELS)
def test_a_model_is_read_without_a_warning(model: Bundle) -> None:
    read = read_model(model.domain, model.problem)
    assert read.warnings == ()
    assert not read.features


@pytest.mark.deep
@pytest.mark.planner
@pytest.mark.parametrize("model", MODELS)
def test_the_good_plan_is_optimal(model: Bundle) -> None:
    assert model.plans[0].name == "good.plan"
    report = check(model.domain, model.problem, model.plans[0], quality="optimal")
    assert (report.determination, report.proven, report.failures) == (True, True, ())


@pytest.mark.parametrize(("model", "plan"), BROKEN)
def test_a_broken_plan_is_not_valid(model: Bundle, plan: Path) -> None:
    report = check(model.domain, model.problem, plan, repair=False)
    assert report.determination is False
    assert report.failures


@pytest.mark.parametrize("model", MODELS)
def test_every_model_has_broken_plans(model: Bundle) -> None:
    assert sum(plan.name.startswith("broken") for plan in model.plans) >= 3


@pytest.mark.parametrize("model", MODELS)
def test_a_model_says_what_it_is_about(model: Bundle) -> None:
    assert model.about
    assert first_comment(model.problem)


def test_a_model_that_is_not_bundled_gets_the_nearest_name() -> None:
    with pytest.raises(ValidatorError, match="no bundled model is called 'kichen' \\(did you mean 'kitchen'\\?\\)"):
        bundle("kichen")
