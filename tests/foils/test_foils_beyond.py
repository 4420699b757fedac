"""Questions about plans with numbers and over time: the plans that are shown keep to them, and costs are proven."""

from __future__ import annotations

from fractions import Fraction

import pytest

from tests.support.models import FUEL, FUEL_TRIP
from validator import check, prepare, tokenize
from validator.errors import InputError
from validator.foils import Answer, why_not
from validator.service.http.examples import over_time_example

OVEN = over_time_example()


def _bake(question: str) -> Answer:
    return why_not(prepare(OVEN["domain"], OVEN["problem"]), plan=OVEN["plan"], constraints=[question], time_limit=120)


@pytest.mark.deep
def test_a_plan_over_time_without_an_object_is_valid_in_the_model_without_it() -> None:
    answer = _bake("without object rye")
    assert answer.possible and answer.foil is not None and answer.edits
    problem = OVEN["problem"].replace("rye oat - loaf", "oat - loaf").replace("(raw rye)", "").replace("(sold rye)", "")
    assert check(OVEN["domain"], problem, "\n".join(map(str, answer.foil.steps)), repair=False).determination


@pytest.mark.deep
def test_steps_of_a_plan_over_time_are_counted_without_the_ends_of_actions() -> None:
    model = prepare(OVEN["domain"], OVEN["problem"])
    answer, fewer = (
        why_not(model, plan=OVEN["plan"], constraints=[f"at most {number} (_)"], time_limit=60) for number in (4, 3)
    )
    assert answer.possible and answer.foil is not None and len(answer.foil.steps) == 4
    assert fewer.possible is False
    assert [reason.text for reason in fewer.reasons] == ["Every plan does (_) at least 4 times."]


def test_where_derived_facts_compare_numbers_what_is_not_found_is_not_known() -> None:
    domain = """(define (domain d) (:predicates (done) (rich)) (:functions (coins))
      (:derived (rich) (>= (coins) 2))
      (:action earn :parameters () :effect (increase (coins) 1))
      (:action rest :parameters () :precondition (rich) :effect (done)))"""
    problem = "(define (problem p) (:domain d) (:init (= (coins) 0)) (:goal (done)))"
    answer = why_not(prepare(domain, problem), plan="(earn) (earn) (rest)", constraints=["never (rich)"])
    assert answer.possible is None and "numbers-in-derived-predicates" in answer.reason


@pytest.mark.parametrize("question", ["never (sold rye)", "at end (not (sold rye))"])
def test_what_no_plan_over_time_can_do_is_proven_by_the_model_without_times(question: str) -> None:
    answer = _bake(question)
    assert answer.possible is False and "sold rye" in answer.reasons[0].text


def test_a_budget_that_is_too_small_is_proven_to_be() -> None:
    answer = why_not(prepare(FUEL, FUEL_TRIP), plan="(go a b)(go b c)", constraints=["within cost 1"], time_limit=60)
    assert answer.possible is False


@pytest.mark.parametrize(
    ("question", "said"), [("at most 1 (go _ _)", "at least 2 times"), ("never (at b)", "(at b) true")]
)
def test_what_numbers_cannot_mend_is_impossible_for_a_reason(question: str, said: str) -> None:
    answer = why_not(prepare(FUEL, FUEL_TRIP), plan="(go a b)(go b c)", constraints=[question], time_limit=60)
    assert answer.possible is False
    assert any(said in reason.text for reason in answer.reasons)


@pytest.mark.deep
@pytest.mark.parametrize(
    ("question", "steps"),
    [
        ("with value (= (fuel) 0)", ["(refuel)", "(go a b)", "(go b c)"]),
        ("why not refuel first?", ["(refuel)", "(go a b)", "(go b c)"]),
        ("(go b c) directly after (refuel)", ["(go a b)", "(refuel)", "(go b c)"]),
        ("(go b c) not at step 2", ["(go a b)", "(refuel)", "(go b c)"]),
        ("why not use c?", ["(go a b)", "(go b c)"]),
    ],
)
def test_places_and_values_are_asked_about_with_numbers(question: str, steps: list[str]) -> None:
    answer = why_not(prepare(FUEL, FUEL_TRIP), plan="(go a b)\n(go b c)\n", constraints=[question], time_limit=20)
    assert answer.best is not None and answer.best.proven and answer.best.plan.cost == len(steps)
    assert [*map(str, answer.best.plan.steps)][-2:] == steps[-2:]


def test_a_place_is_not_asked_about_where_steps_have_times() -> None:
    with pytest.raises(InputError, match="where steps have no times"):
        _bake("why not bake oat first?")


WALK = """(define (domain d) (:requirements :durative-actions :timed-initial-literals) (:predicates (r) (done))
  (:durative-action make :parameters () :duration (= ?duration 2) :condition (and) :effect (at end (r)))
  (:durative-action wait :parameters () :duration (= ?duration 3) :condition (and) :effect (at end (done))))"""
WANTED = "(define (problem p) (:domain d) (:init (r) (at 1 (not (r)))) (:goal (r)))"


def test_the_end_of_the_last_step_is_the_cost_of_a_plan_over_time() -> None:
    model = prepare(WALK, WANTED)
    plan = tokenize("3: (wait) [3]\n0.5: (make) [2]", model.vocabulary)
    answer = why_not(model, plan=plan, constraints=["must not (wait)"], time_limit=20)
    assert answer.plan is not None and answer.plan.cost == 6
    assert (answer.edits, answer.nearest) == (1, True)


def test_no_plan_over_the_budget_is_said_to_do_what_is_asked() -> None:
    answer = why_not(prepare(WALK, WANTED), plan="3: (wait) [3]", constraints=["within cost 5"], time_limit=20)
    assert answer.possible and answer.foil is None and not answer.nearest
    assert answer.best is not None and answer.best.plan.cost == Fraction("2")
    assert "only those that are cheapest" in answer.reason


@pytest.mark.parametrize(
    ("asked", "cost"), [("at least 2 (load _)", 2), ("at most 2 (load _)", 2), ("at most 1 (load _)", None)]
)
def test_steps_that_begin_at_once_are_all_counted(asked: str, cost: int | None) -> None:
    domain = """(define (domain d) (:requirements :durative-actions :typing) (:types b) (:predicates (done ?x - b))
      (:durative-action load :parameters (?x - b) :duration (= ?duration 2)
        :condition (at start (not (done ?x))) :effect (at end (done ?x))))"""
    problem = "(define (problem p) (:domain d) (:objects k l - b) (:init) (:goal (and (done k) (done l))))"
    plan = "0: (load k) [2]\n0: (load l) [2]"
    answer = why_not(prepare(domain, problem), constraints=[asked], plan=plan, time_limit=60)
    assert answer.possible is (cost is not None)
    assert (None if answer.cheapest is None else answer.cheapest.upper) == cost
