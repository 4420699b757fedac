"""The ground steps of models with numbers and time that are reachable when nothing is deleted."""

from __future__ import annotations

import pytest

from tests.support.models import limits
from validator import check, prepare
from validator.grounding.limits import Status
from validator.grounding.relaxed_reachability import reachable_steps
from validator.reading.plan import Step

pytestmark = pytest.mark.planner


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
