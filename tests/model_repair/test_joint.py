"""Domain and plans edited together: the cheapest cost, compared with trying everything; what is blamed."""

from __future__ import annotations

from dataclasses import replace
from time import monotonic

import pytest

from tests.support.model_repair_oracle import Trial, cheapest_together, plan_text, random_trial
from tests.support.places import ROOT
from validator.model_repair.cases import Given
from validator.model_repair.encoding.editable import number_of_occurrences
from validator.model_repair.joint import cheapest_mixture, repair_jointly, verdict
from validator.model_repair.present import joint_text, joint_value
from validator.model_repair.repair import Search, search_of
from validator.model_repair.result import Blame

pytest.importorskip("pysat")

MOST = 2
BLOCKS = ROOT / "domains" / "blocks"


def searched(trial: Trial) -> Search:
    given = Given(
        problem=trial.problem_text(),
        plans=[plan_text(plan) for plan in trial.plans],
        must_fail=[plan_text(plan) for plan in trial.must_fail],
    )
    return search_of(trial.domain.text(), [given], (), None, monotonic() + 60)


def agree(seed: int, *, must_fail: bool, weights: tuple[int, int]) -> int | None:
    trial = random_trial(seed, must_fail=must_fail)
    expected = cheapest_together(trial, MOST, *weights)
    search = searched(trial)
    costs = replace(search.costs, scale=weights[0])
    found = cheapest_mixture(search, costs, weights[1], MOST // weights[1])
    if expected is None:
        assert found.cost is None or found.cost > MOST, (seed, found)
    else:
        assert found.cost == expected, (seed, found, trial)
    return expected


@pytest.mark.parametrize(("must_fail", "weights"), [(False, (1, 1)), (True, (1, 2)), (False, (2, 1))])
def test_no_edits_of_both_cost_less(must_fail: bool, weights: tuple[int, int]) -> None:
    assert {1, None} & {agree(seed, must_fail=must_fail, weights=weights) for seed in range(300, 303)}


def test_steps_that_are_too_many_to_be_put_in_are_counted_only() -> None:
    """Of the action with many parameters there are 10^20: to list them took the time limit, and went on."""
    many = " ".join(f"?p{number}" for number in range(20))
    domain = f"(define (domain d) (:predicates (g)) (:action a :parameters ({many}) :precondition (g) :effect (g)))"
    objects = " ".join(f"o{number}" for number in range(10))
    problem = f"(define (problem p) (:domain d) (:objects {objects}) (:goal (g)))"
    search = search_of(domain, [Given(problem=problem, plans=["(a" + " o1" * 20 + ")"])], (), None, monotonic() + 60)
    assert number_of_occurrences(search.cases[0]) == 10**20
    assert repair_jointly(domain, problem, "(a" + " o1" * 20 + ")").blame is not Blame.UNKNOWN


@pytest.mark.deep
@pytest.mark.parametrize("start", range(20_000, 20_500, 250))
@pytest.mark.parametrize("must_fail", [False, True])
def test_no_edits_of_both_cost_less_in_thousands_of_domains(start: int, must_fail: bool) -> None:
    found = [
        agree(seed, must_fail=must_fail, weights=((1, 1), (1, 2), (2, 1))[seed % 3])
        for seed in range(start, start + 250)
    ]
    assert found.count(1) + found.count(2) > 25


FLAWED = (BLOCKS / "domain.pddl").read_text().replace("(held ?top) (clear ?below)\n", "(held ?top)\n")
PROBLEM = BLOCKS / "problem.pddl"


@pytest.mark.planner
def test_the_model_is_blamed_where_no_other_plan_helps() -> None:
    found = repair_jointly(FLAWED, PROBLEM, BLOCKS / "good.plan")
    assert (found.blame, found.cost, found.proven) == (Blame.MODEL, 1, True)
    assert "1 edit of the domain makes all plans what they must be; the plans cannot be repaired alone" in verdict(
        found
    )


@pytest.mark.planner
def test_the_plan_is_blamed_where_one_line_is_cheaper_than_the_edits() -> None:
    found = repair_jointly(BLOCKS / "domain.pddl", PROBLEM, BLOCKS / "broken-missing-step.plan")
    assert (found.blame, found.cost, found.proven) == (Blame.PLAN, 1, True)
    assert found.plans[0].changes == 1 and "+(lower b)" in found.plans[0].diff
    other = repair_jointly(BLOCKS / "domain.pddl", PROBLEM, BLOCKS / "broken-missing-step.plan", weights=(1, 10))
    assert other.blame is Blame.MODEL and other.cost == len(other.model.edits)


@pytest.mark.planner
def test_both_are_blamed_where_each_has_a_fault_of_its_own() -> None:
    found = repair_jointly(FLAWED, PROBLEM, BLOCKS / "broken-missing-step.plan")
    assert (found.blame, found.cost, found.proven) == (Blame.BOTH, 2, True)
    assert found.mixed is not None
    assert list(map(str, found.mixed.repair.edits)) == ["take: add effect (clear ?below)"]
    assert [plan.changes for plan in found.mixed.plans] == [1]


def test_what_is_edited_in_a_problem_is_told_where_both_are_wrong() -> None:
    domain = """(define (domain d) (:predicates (p) (q) (r))
      (:action a :precondition (p) :effect (q)) (:action b :effect (r)))"""
    problem = "(define (problem one) (:domain d)\n  (:init)\n  (:goal (and (q) (r))))\n"
    found = repair_jointly(domain, problem, "(a)\n", facts=True, protect=["a", "b", "r", "q"])
    assert found.mixed is not None and len(found.mixed.repair.problem_diffs) == 1
    assert joint_value(found)["mixed"]["problem_diffs"] == list(found.mixed.repair.problem_diffs)
    assert found.mixed.repair.problem_diffs[0] in joint_text(found).partition("\nBoth:\n")[2]
