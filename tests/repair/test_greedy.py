"""The greedy search for plans of models with numbers: what its relaxation counts, and that there is an answer."""

from __future__ import annotations

import pytest

from tests.support import models
from tests.support.models import BOTTOM, DEEP, limits
from validator import check, prepare, solve
from validator.grounding.limits import Status
from validator.grounding.relaxed_reachability import reachable_steps
from validator.model.pddl import read_model
from validator.reading.plan import Step
from validator.repair.numbers.greedy import Greedy
from validator.repair.numbers.search import EditSearch

pytestmark = pytest.mark.planner

PIGGY = """(define (domain piggy) (:requirements :adl :numeric-fluents) (:predicates (bought) (open) (shut) (happy))
  (:functions (coins) (price) (luck))
  (:action earn :parameters () :precondition (not (shut)) :effect (increase (coins) 2))
  (:action close :parameters () :effect (shut))
  (:action unlock :parameters () :precondition (or (shut) (> (luck) 3)) :effect (open))
  (:action gamble :parameters () :effect (increase (luck) (coins)))
  (:action buy :parameters () :precondition (and (open) (>= (coins) (price)))
    :effect (and (bought) (when (> (luck) 3) (happy)))))"""


def problem(goal: str) -> str:
    return f"""(define (problem p) (:domain piggy)
      (:init (= (coins) 0) (= (luck) 0) (= (price) 9)) (:goal {goal}))"""


def greedy(goal: str) -> Greedy:
    model = prepare(PIGGY, problem(goal)).model
    steps = reachable_steps(model, limits())
    assert not isinstance(steps, Status)
    return Greedy(model, steps, model.problem.goal, lambda: False)


def estimate(search: Greedy) -> float:
    return search.relaxation.estimate(search.states.situation(search.states.start), search.target.needs).cost


@pytest.mark.parametrize(
    ("goal", "cost"),
    [
        ("(shut)", 1),
        ("(>= (coins) 9)", 5),
        ("(>= (coins) (price))", 5),
        ("(> (coins) 8)", 5),
        ("(not (> 9 (coins)))", 5),
        ("(or (>= (coins) 9) (open))", 2),
        ("(bought)", 8),
        ("(exists (?x - object) (shut))", float("inf")),
        ("(not (shut))", 0),
        ("(imply (bought) (shut))", 0),
        ("(= (coins) 4)", 2),
        ("(not (= (coins) 0))", 1),
    ],
)
def test_a_relaxed_plan_takes_each_step_as_often_as_it_is_needed(goal: str, cost: float) -> None:
    assert estimate(greedy(goal)) == cost


@pytest.fixture
def short_exact_search(monkeypatch: pytest.MonkeyPatch) -> None:
    """Give the exact search a second, so that a busy machine leaves the greedy one its time."""
    run = EditSearch.run
    monkeypatch.setattr(EditSearch, "run", lambda search, within: run(search, within.within(1)))


@pytest.mark.usefixtures("short_exact_search")
def test_a_plan_far_away_is_repaired_without_an_engine() -> None:
    report = check(DEEP, BOTTOM, "(up0)", time_limit=120)
    assert (report.determination, report.proven, report.planner_response.cost) == (False, False, 27)
    assert report.planner_response.engine == "plan-validator's greedy search"
    assert check(DEEP, BOTTOM, "\n".join(map(str, report.repaired_plan or ()))).determination


@pytest.mark.usefixtures("short_exact_search")
def test_a_plan_far_away_is_found() -> None:
    found = solve(DEEP, BOTTOM, time_limit=120)
    assert (found.cost, len(found.plan or ())) == (28, 28)
    assert (found.lower_bound or 0) > 0


def test_where_the_cheapest_cost_is_not_known_there_is_a_plan() -> None:
    found = solve(PIGGY, problem("(bought)").replace("(:goal", "(:metric maximize (coins)) (:goal"), time_limit=20)
    assert found.plan is not None and (found.proven, found.lower_bound) == (False, None)
    assert found.reason.startswith("the cheapest cost is not known")
    assert found.cost is not None and found.cost >= 9


FRAME = """(define (domain frame) (:requirements :numeric-fluents) (:functions (wide) (high))
  (:action widen :parameters () :effect (increase (wide) 1))
  (:action raise :parameters () :effect (increase (high) 1))
  (:action lower :parameters () :effect (decrease (high) 1)))"""


def test_what_makes_more_missing_is_no_way_to_a_product() -> None:
    problem = "(define (problem p) (:domain frame) (:init (= (wide) 1) (= (high) 1))"
    problem += " (:goal (>= (* (wide) (high)) 200)))"
    model = prepare(FRAME, problem).model
    search = Greedy(model, [Step(name=name) for name in ("lower", "raise", "widen")], model.problem.goal, lambda: False)
    assert estimate(search) == 199
    plan = search.plan(search.states.start, nodes=60)
    assert plan is not None and Step(name="lower") not in plan
    assert check(FRAME, problem, "\n".join(map(str, plan))).determination


def sacks(size: int) -> Greedy:
    model = read_model(*models.sacks(size))
    steps = reachable_steps(model, limits())
    assert not isinstance(steps, Status)
    return Greedy(model, steps, model.problem.goal, lambda: False)


def test_relaxed_plans_are_done_only_where_few_states_lead_to_no_plan() -> None:
    """As they make plans long."""
    few, many = sacks(4), sacks(20)
    plan, ahead = few.whole(), few.plan(few.states.start, ahead=True)
    assert plan is not None and ahead is not None and len(plan) < len(ahead)
    assert many.whole() == many.plan(many.states.start, ahead=True)


DOUBLING = """(define (domain doubling) (:predicates (p)) (:functions (much) (often))
  (:action double :parameters () :effect (and (increase (much) (much)) (increase (often) 1))))"""


def doubled(goal: str) -> tuple[str, str]:
    return DOUBLING, f"(define (problem d) (:domain doubling) (:init (= (much) 1) (= (often) 0)) (:goal {goal}))"


def test_a_goal_beyond_all_floats_is_estimated() -> None:
    model = prepare(*doubled(f"(> (often) 1{'0' * 350})")).model
    assert estimate(Greedy(model, [Step(name="double")], model.problem.goal, lambda: False)) > 10**300
