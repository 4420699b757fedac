"""Questions of every kind about random small models, beside every plan there is up to a length."""

from __future__ import annotations

import random
from fractions import Fraction

import pytest

from tests.support.foil_questions import (
    Action,
    Tiny,
    asked_of,
    compare_answer,
    compare_budget,
    compare_change,
    compare_excuse,
    compare_numbers,
)
from validator import prepare
from validator.foils import why_not
from validator.foils.language.read import read_question

pytestmark = pytest.mark.planner


@pytest.mark.parametrize("seed", (3, 4))
def test_an_answer_is_what_every_plan_says(seed: int) -> None:
    compare_answer(random.Random(seed))


@pytest.mark.deep
def test_answers_about_many_models_are_what_every_plan_says() -> None:
    seen = [compare_answer(random.Random(1000 + seed)) for seed in range(50)]
    assert seen.count("possible") > 5 and seen.count("impossible") > 2


# --- a budget ------------------------------------------------------------------------------------


def test_a_budget_says_which_goals_fit() -> None:
    compare_budget(random.Random(1))


@pytest.mark.deep
def test_budgets_of_many_models() -> None:
    assert sum(compare_budget(random.Random(5000 + seed)) for seed in range(20)) > 3


# --- other models --------------------------------------------------------------------------------


def test_another_model_is_asked_about_as_itself() -> None:
    compare_change(random.Random(1))


@pytest.mark.deep
def test_changes_of_many_models() -> None:
    answers = [compare_change(random.Random(9000 + seed)) for seed in range(15)]
    assert answers.count(True) > 2 and answers.count(False) > 2


# --- excuses -------------------------------------------------------------------------------------


@pytest.mark.deep
def test_an_excuse_makes_a_plan_possible_and_none_is_smaller() -> None:
    sizes = [compare_excuse(random.Random(20000 + seed)) for seed in range(25)]
    assert sizes.count(1) > 2


# --- numbers -------------------------------------------------------------------------------------


def test_a_question_about_numbers_is_answered_by_what_every_plan_says() -> None:
    compare_numbers(random.Random(3))


@pytest.mark.deep
def test_questions_about_numbers_of_many_models() -> None:
    answers = [compare_numbers(random.Random(30000 + seed)) for seed in range(25)]
    assert answers.count(True) > 3 and answers.count(False) > 1


def test_costs_of_questions_are_exact() -> None:
    model = Tiny(
        ("f0", "f1"), (Action("a0", frozenset(), frozenset(), frozenset(("f0",)), frozenset(), 2),), frozenset(),
        frozenset(("f0",)),
    )  # fmt: skip
    answer = why_not(prepare(*model.texts), constraints=read_question("at least 2 (a0)", asked_of(model)).constraints)
    assert answer.best is not None and answer.best.plan.cost == Fraction(4)
