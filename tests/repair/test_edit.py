"""The prices of the modified planning problem; what its plans are is held to an oracle by ``tests/laws``."""

from __future__ import annotations

import pytest

from tests.support.models import task_of
from validator import prepare
from validator.grounding.task import Task
from validator.reading.plan import Constraint, Step, Unparsed
from validator.repair.edit import Weighting, compile_edit

pytestmark = pytest.mark.planner

ROADS = """
(define (domain roads) (:requirements :adl :action-costs)
  (:predicates (at ?x) (road ?x ?y) (lamp)) (:functions (total-cost))
  (:action go :parameters (?x ?y) :precondition (and (at ?x) (road ?x ?y))
    :effect (and (at ?y) (not (at ?x)) (increase (total-cost) 2)))
  (:action look :parameters () :precondition (lamp))
  (:action light :parameters () :effect (and (lamp) (increase (total-cost) 0.5))))
"""
PROBLEM = """
(define (problem q) (:domain roads) (:objects a b c) (:init (at a) (road a b) (road b a)) (:goal (at b))
  (:metric minimize (total-cost)))
"""


@pytest.fixture(scope="module")
def roads() -> Task:
    return task_of(prepare(ROADS, PROBLEM))


def test_the_skips_of_a_long_plan_fit_the_search() -> None:
    weighting = Weighting.keeping(100_000)
    assert weighting.skip * 100_000 < 2**29


def test_what_is_no_reachable_operator_is_skipped_before_the_search(roads: Task) -> None:
    steps = [Step(name="go", args=args) for args in (("a", "b"), ("b", "c"), ("a",))]
    tokens = [*steps, Step(name="fly"), Unparsed(text="(", reason="x"), Constraint(text="x")]
    found = compile_edit(roads, tokens, Weighting.edits(), with_goal=False)
    assert (found.kept, found.forced_cost) == ((0,), 5)


def test_costs_that_do_not_fit_are_refused(roads: Task) -> None:
    with pytest.raises(OverflowError, match="do not fit"):
        compile_edit(roads, [Step(name="go", args=("a", "b"))], Weighting.cheapest(10**9), with_goal=True)
