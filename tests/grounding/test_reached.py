"""The ground steps of models with numbers and time that are reachable when nothing is deleted."""

from __future__ import annotations

import pytest

from tests.support.models import limits
from validator import check, prepare
from validator.errors import PlannerError
from validator.grounding.limits import Status
from validator.grounding.planner import reached
from validator.grounding.relaxed_reachability import reachable_steps
from validator.reading.plan import Step

pytestmark = pytest.mark.planner

DOMAIN = """(define (domain d) (:requirements :adl :numeric-fluents :durative-actions)
  (:predicates (at ?x) (way ?x ?y) (shut ?x) (wet ?x)) (:functions (n))
  (:action go :parameters (?x ?y) :precondition (and (at ?x) (not (= ?x ?y)) (not (shut ?y)) (> (n) 3))
    :effect (and (at ?y) (not (at ?x))))
  (:action count :parameters (?x) :precondition (at ?x) :effect (increase (n) 1))
  (:action swim :parameters (?x) :precondition (and (at ?x) (or (wet ?x) (not (at ?x)))) :effect (wet ?x))
  (:durative-action rest :parameters (?x) :duration (= ?duration 2) :condition (over all (at ?x))
    :effect (at end (increase (n) 1)))
  (:durative-action drown :parameters (?x) :duration (= ?duration 2) :condition (at end (way ?x ?x))
    :effect (at end (wet ?x))))"""
PROBLEM = """(define (problem p) (:domain d) (:objects a b c) (:init (at a) (shut c) (way a b) (= (n) 0))
  (:goal (at b)))"""


def test_steps_are_reached_whose_conditions_can_hold() -> None:
    found = reachable_steps(prepare(DOMAIN, PROBLEM).model, limits())
    assert not isinstance(found, Status)
    # That nothing goes to c is found out too late for what could be done there.
    there = [f"({name} {place})" for name in ("count", "swim", "rest") for place in "abc"]
    # They come in one order, which searches keep where nothing else decides.
    assert list(map(str, found)) == ["(go a b)", "(go b a)", "(go c a)", "(go c b)", *there]


def test_a_limit_is_told_and_what_cannot_be_read_is_an_error() -> None:
    assert reached("(define (domain d))", "", limits(0)) is Status.TIME_LIMIT
    with pytest.raises(PlannerError):
        reached("(define (domain d))", "(nothing)", limits())


@pytest.mark.parametrize(
    ("timed", "is_reached"),
    [
        ("(at 10 (open)) (at 14 (not (open)))", False),
        ("(at 10 (open)) (at 15 (not (open)))", True),
        ("(at 10 (open))", True),
        ("(open) (at 4 (not (open)))", False),
        ("(open) (at 4 (not (open))) (at 4 (open))", True),
        ("(open) (at 3 (not (open))) (at 3 (open)) (at 8 (not (open)))", True),
        ("(open) (at 4 (not (open))) (at 20 (open)) (at 25 (not (open)))", True),
        ("(at 10 (open)) (at 14 (not (open))) (at 1 (key))", True),
    ],
)
def test_what_only_timed_literals_change_bounds_what_lasts(timed: str, is_reached: bool) -> None:
    unlock = "(:action unlock :parameters () :precondition (key) :effect (open))" if "(key)" in timed else ""
    domain = f"""(define (domain d) (:requirements :durative-actions :timed-initial-literals)
      (:predicates (open) (q) (key)) {unlock} (:durative-action a :parameters ()
        :duration (= ?duration 5) :condition (over all (open)) :effect (at end (q))))"""
    problem = f"(define (problem p) (:domain d) (:init {timed}) (:goal (q)))"
    found = reachable_steps(prepare(domain, problem).model, limits())
    assert not isinstance(found, Status)
    assert (Step(name="a") in found) == is_reached
    report = check(domain, problem, "10: (a) [5]", time_limit=120)
    assert ("(proven by" in report.reason) == (not is_reached)
