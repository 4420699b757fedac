"""Models read by unified-planning: costs, names that it refuses or that only their case tells apart, and numbers."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from unified_planning.engines import SequentialPlanValidator
from unified_planning.model import (
    InstantaneousAction,
    MinimizeActionCosts,
    MinimizeSequentialPlanLength,
    Oversubscription,
    Problem,
)
from unified_planning.plans import SequentialPlan
from unified_planning.shortcuts import Equals, Int, RealType, UserType
from unified_planning.test.examples import get_example_problems

from validator import ModelError, check
from validator.up.pddl import read_up

pytestmark = [pytest.mark.up, pytest.mark.planner]
QUIET = pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::UserWarning")

DOMAIN = """
(define (domain d) (:requirements :action-costs) (:predicates (p) (a)) (:functions (total-cost))
  (:action a :parameters () :effect (and (p) (increase (total-cost) 2)))
  (:action b :parameters () :effect (p)))
"""
PROBLEM = "(define (problem q) (:domain d) (:init {init}) (:goal (p)) (:metric minimize (total-cost)))"


@pytest.mark.parametrize("init", ["", "(= (total-cost) 0)", "(= (total-cost) 7)"])
def test_another_planner_counts_costs_whatever_they_start_with(init: str) -> None:
    """unified-planning's reader leaves them numbers that change where they do not start with 0."""
    report = check(
        DOMAIN, PROBLEM.format(init=init), "(a)", quality="optimal", planner="fast-downward-opt", time_limit=300
    )
    assert (report.determination, report.proven) == (False, True)
    assert list(map(str, report.repaired_plan or ())) == ["(b)"]


def test_what_cannot_be_read_names_its_file(tmp_path: Path) -> None:
    (tmp_path / "d.pddl").write_text("(define (domain d) (:strange))", encoding="utf-8")
    with pytest.raises(ModelError, match="unified-planning cannot read the model") as raised:
        read_up(tmp_path / "d.pddl", "(define (problem q))")
    assert raised.value.source == str(tmp_path / "d.pddl")
    with pytest.raises(OSError, match="No such file"):
        read_up(tmp_path / "none.pddl", "(define (problem q))")


@pytest.mark.parametrize(
    ("condition", "effect"), [("(and)", "(forall (?z - s) (p))"), ("(exists (?z - s) (a))", "(p)")]
)
def test_what_is_quantified_over_nothing_is_refused_because_it_is_read_otherwise(condition: str, effect: str) -> None:
    """Proofs of engines would be of another model: here the action never makes p true."""
    domain = f"""(define (domain d) (:requirements :adl) (:types s t) (:predicates (p) (a))
      (:action x :parameters () :precondition {condition} :effect (and {effect})))"""
    problem = "(define (problem q) (:domain d) (:objects {object}) (:init (a)) (:goal (p)))"
    assert read_up(domain, problem.format(object="o - s")) is not None
    with pytest.raises(ModelError, match="of which there are no objects"):
        read_up(domain, problem.format(object="o - t"))


# --- names that only their case tells apart ------------------------------------------------------


def doors() -> Problem:
    """Return a problem of two things ``a`` and ``A``, of which ``A`` is to be reached by ``go``, then ``Go``."""
    problem, thing = Problem("doors"), UserType("thing")
    near, there = (problem.add_fluent(name, x=thing, default_initial_value=False) for name in ("at", "At"))
    go, then = (InstantaneousAction(name, x=thing) for name in ("go", "Go"))
    go.add_effect(near(go.x), True)
    then.add_precondition(near(then.x))
    then.add_effect(there(then.x), True)
    problem.add_actions([go, then])
    problem.add_object("a", thing)
    problem.add_goal(there(problem.add_object("A", thing)))
    return problem


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("(go A)\n(Go A)", True),
        ("1. go(A)\n2. Go(A)", None),
        ("(go a)\n(Go A)", False),
        ("(go A)\n(go A)", False),
        ("(GO A)\n(Go A)", None),
        ("1. GO(A)\n2. Go(A)", None),
    ],
)
def test_a_text_says_which_of_names_that_are_alike_it_means(text: str, expected: bool | None) -> None:
    report = check(doors(), None, text)
    assert report.determination is expected
    assert report.is_understood is (expected is not None) and report.proven is (expected is not None)


def test_names_that_are_not_alike_are_read_whatever_their_case() -> None:
    problem, put = Problem("one"), InstantaneousAction("Put")
    put.add_effect(problem.add_fluent("Done", default_initial_value=False), True)
    problem.add_action(put)
    problem.add_goal(problem.fluent("Done"))
    assert check(problem, None, "(PUT)").determination is True


# --- numbers: what its own validator says of a plan, ours says -----------------------------------


EXAMPLES = {name: case for name, case in get_example_problems().items() if type(case.problem) is Problem}


def up_says(problem: Problem, plan: SequentialPlan) -> Any:
    with SequentialPlanValidator() as validator:
        validator.skip_checks = True
        return validator.validate(problem, plan)


# --- metrics -------------------------------------------------------------------------------------


@QUIET
def test_nothing_is_said_of_the_optimum_by_several_metrics_or_by_one_that_is_not_computed() -> None:
    problem, pour = Problem("tank"), InstantaneousAction("pour")
    level = problem.add_fluent("level", RealType(), default_initial_value=1)
    pour.add_increase_effect(level, 1)
    problem.add_action(pour)
    problem.add_goal(Equals(level, 4))
    plan = SequentialPlan([pour(), pour(), pour()])
    assert check(problem, plan=plan, repair=False).determination is True
    problem.add_quality_metric(MinimizeSequentialPlanLength())
    problem.add_quality_metric(MinimizeActionCosts({pour: level + 1}, default=Int(0)))
    report = check(problem, plan=plan, quality="optimal")
    assert (report.determination, report.cost, report.optimal_cost) == (None, None, None)
    assert "the metric is not computed: several metrics at once" in report.reason
    problem.clear_quality_metrics()
    problem.add_quality_metric(Oversubscription({problem.goals[0]: 5}))
    report = check(problem, plan=plan, quality="optimal")
    assert report.determination is None and "not computed: Oversubscription" in report.reason


# --- fluents of objects, parameters that are numbers or truths, trajectory constraints -----------

BEYOND = {
    "OBJECT_FLUENTS",
    "TRAJECTORY_CONSTRAINTS",
    "STATE_INVARIANTS",
    "BOOL_FLUENT_PARAMETERS",
    "BOOL_ACTION_PARAMETERS",
    "BOUNDED_INT_FLUENT_PARAMETERS",
    "BOUNDED_INT_ACTION_PARAMETERS",
}
OF_OBJECTS = {name: case for name, case in EXAMPLES.items() if case.problem.kind.features & BEYOND}


@QUIET
@pytest.mark.parametrize("name", sorted(OF_OBJECTS))
def test_plans_and_broken_plans_are_what_unified_planning_says(name: str) -> None:
    case = OF_OBJECTS[name]
    for plan in case.valid_plans:
        if not isinstance(plan, SequentialPlan):
            continue
        steps = plan.actions
        broken = [SequentialPlan(steps[:place] + steps[place + 1 :]) for place in range(len(steps))]
        doubled = [SequentialPlan(steps[: place + 1] + steps[place:]) for place in range(len(steps))]
        for each in (plan, *broken, *doubled):
            found = check(case.problem, plan=each, repair=False).determination
            assert found is bool(up_says(case.problem, each))
