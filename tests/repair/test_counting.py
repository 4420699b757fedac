"""What any plan costs at least by how often its steps are taken, against all plans of a few steps."""

from __future__ import annotations

from fractions import Fraction

import pytest

from tests.support.depth import some
from tests.support.models import BOTTOM, DEEP, limits
from tests.support.random_numbers import pddl, solvable
from validator import check, prepare, solve
from validator.grounding.limits import Status
from validator.grounding.numbers.action_costs import action_costs
from validator.grounding.numbers.relaxed_reachability import reachable_steps
from validator.grounding.numbers.states import States
from validator.repair.numbers.counting import least_cost
from validator.repair.numbers.nearest import NumericSearch

pytestmark = pytest.mark.planner

SHOP = """(define (domain shop) (:requirements :adl :numeric-fluents) (:predicates (in ?x) (out ?x) (sold) (open))
  (:functions (money) (debt) (total-cost))
  (:action open :parameters () :effect (and (open) (increase (total-cost) 3)))
  (:action work :parameters () :precondition (open) :effect (and (increase (money) 3) (increase (total-cost) 2)))
  (:action borrow :parameters () :effect (and (increase (money) 9) (increase (debt) 9) (increase (total-cost) 4)))
  (:action sell :parameters (?x) :precondition (in ?x)
    :effect (and (not (in ?x)) (out ?x) (sold) (increase (money) 1) (increase (total-cost) 1)))
  (:action gamble :parameters () :precondition (open) :effect (when (sold) (increase (money) 99))))"""


def shop(goal: str) -> str:
    return f"""(define (problem p) (:domain shop) (:objects a b) (:init (in a) (in b) (= (money) 0) (= (debt) 0)
      (= (total-cost) 0)) (:goal {goal}) (:metric minimize (total-cost)))"""


def least(domain: str, problem: str) -> Fraction:
    model = prepare(domain, problem).model
    steps, known, states = reachable_steps(model, limits()), action_costs(model), States(model)
    assert not isinstance(steps, Status) and not isinstance(known, str)
    prices = [known.of(step) or Fraction(0) for step in steps]
    return known.constant + least_cost(model, list(map(states.ground, steps)), prices, states.values, 60)


@pytest.mark.parametrize(
    ("goal", "cost"),
    [
        ("(out a)", 1),
        ("(and (out a) (out b))", 2),
        ("(and (out a) (in a))", 0),
        ("(>= (debt) 10)", 5),
        ("(and (>= (debt) 18) (out a))", 9),
        ("(or (>= (debt) 18) (out a))", 0),
        ("(>= (money) 3)", 0),
    ],
)
def test_steps_are_counted(goal: str, cost: int) -> None:
    """Fractions of steps count, rounded up at the end. Money says nothing: a gamble depends on the state."""
    assert least(SHOP, shop(goal)) == cost


def test_a_value_that_all_steps_change_by_the_same_everywhere_bounds_them() -> None:
    assert least(SHOP.replace("(when (sold) (increase (money) 99))", "(sold)"), shop("(>= (money) 10)")) == 5
    assert least(DEEP, BOTTOM) == 28, "what the last step needs must be reached"


@pytest.mark.parametrize("seed", some(range(60), 12))
def test_no_plan_costs_less(seed: int) -> None:
    puzzle = solvable(seed)
    domain, problem = pddl(puzzle)
    model = prepare(domain, problem).model
    if isinstance(known := action_costs(model), str) or not known.is_fixed:
        return
    assert least(domain, problem) <= min(puzzle.valid().values(), default=Fraction(10**9))


def test_a_greedy_plan_is_proven_by_counting(monkeypatch: pytest.MonkeyPatch) -> None:
    hill = """(define (domain hill) (:requirements :numeric-fluents) (:functions (x) (y))
      (:action up :parameters () :effect (increase (x) 1)) (:action on :parameters () :effect (increase (y) 1))
      (:action down :parameters () :effect (decrease (x) 1)) (:action back :parameters () :effect (decrease (y) 1))
      (:action jump :parameters () :effect (and (increase (x) 1) (decrease (y) 1))))"""
    problem = """(define (problem p) (:domain hill) (:init (= (x) 0) (= (y) 0))
      (:goal (and (>= (x) 170) (>= (y) 160))))"""
    found = solve(hill, problem, time_limit=60)
    assert (found.cost, found.proven) == (330, True)
    # What counting proves needs no greedy search: it took the time there was.
    monkeypatch.setattr(NumericSearch, "_first", lambda self, search: None)
    report = check(hill, problem, "\n".join(map(str, found.plan or ())), quality="optimal", time_limit=20)
    assert report.determination is True
    assert report.planner_response.engine == "plan-validator's linear program"
