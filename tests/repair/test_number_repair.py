"""The nearest and the cheapest plans of models with numbers: costs, bounds, and proofs that would be wrong."""

from __future__ import annotations

from typing import Any

import pytest

from tests.support.models import FULL, TANK
from validator import Report, check, prepare
from validator.grounding.action_costs import action_costs
from validator.reading.plan import Step
from validator.repair.alignment import minimal_edits
from validator.repair.edit import Move

pytestmark = pytest.mark.planner

PATIENT = 300.0
"""seconds, for machines that are busy"""


def repaired(plan: str, domain: str = TANK, problem: str = FULL, **options: Any) -> Report:
    return check(domain, problem, plan, **options)


def steps(report: Report) -> list[str]:
    return list(map(str, report.repaired_plan or ()))


# --- repairs ---------------------------------------------------------------------------------------


def test_no_plan_is_a_proof_where_the_states_are_exhausted() -> None:
    report = repaired("(finish)", TANK.replace("(= (level) 5)", "(= (level) 5.5)"))
    assert (report.planner_response.no_solution, report.proven, report.repaired_plan) == (True, True, None)
    assert "proven by plan-validator's exact search" in report.reason


# --- the cheapest cost ---------------------------------------------------------------------------


def test_what_a_step_adds_may_depend_on_the_state() -> None:
    domain = TANK.replace("(increase (used) 3)", "(increase (used) (level))").replace(
        "(:action pump :parameters () :precondition", "(:action pump :parameters () :precondition (and (>= (level) 0)"
    )
    domain = domain.replace("(<= (level) 7) :effect", "(<= (level) 7)) :effect", 1)
    report = repaired("(drip) (pump) (pump) (finish)", domain, quality="optimal")
    assert report.optimal_cost is not None
    assert (report.cost, report.optimal_cost.upper, report.determination) == (1 + 1 + 3, 3, False)
    assert report.repaired_cost == 3, "the first pump is free"


@pytest.mark.parametrize(
    ("domain", "metric", "why"),
    [
        (TANK, "maximize (used)", "the metric is not the minimum of a weighted sum"),
        (TANK, "minimize (* (used) (level))", "the metric is not the minimum of a weighted sum"),
        (TANK, "minimize (- (used) (level))", "'pump' may lower the metric"),
        (TANK.replace("(increase (used) 3)", "(assign (used) 3)"), "minimize (used)", "it sets a value of it"),
        (TANK, "minimize (+ (used) (total-time))", "counts more than what steps add"),
    ],
)
def test_a_metric_that_is_no_sum_over_steps_is_unknown(domain: str, metric: str, why: str) -> None:
    problem = FULL.replace("minimize (used)", metric)
    report = repaired("(pump) (pump) (drip) (finish)", domain, problem, quality="optimal")
    assert report.determination is None
    assert why in report.reason


@pytest.mark.parametrize(
    ("plan", "options", "least"),
    [
        ("(reach)", {}, 3),
        ("(reach)", {"policy": "keep"}, 15),
        ("(fly)\n(reach)", {"policy": "keep"}, 10**6 + 15),
        ("(reach)", {"quality": "optimal"}, 15),
    ],
)
def test_progress_tells_what_a_plan_costs(
    plan: str, options: dict[str, Any], least: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("validator.repair.numbers.nearest.HEAD_START", 0.0)
    domain = """(define (domain d) (:predicates (r)) (:functions (x) (paid))
      (:action up :parameters () :precondition (< (x) 3) :effect (and (increase (x) 1) (increase (paid) 5)))
      (:action reach :parameters () :precondition (>= (x) 3) :effect (r)))"""
    problem = AT_ZERO.format("(= (x) 0) (= (paid) 0)")[:-1] + " (:metric minimize (paid)))"
    told = list[tuple[int, int | None]]()
    check(domain, problem, plan, progress=lambda lower, best: told.append((lower, best)), **options)
    assert told == [(0, least)]


# --- proofs that would be wrong ----------------------------------------------------------------------

AT_ZERO = "(define (problem n) (:domain d) (:init {}) (:goal (r)))"


def test_no_change_makes_up_for_a_slightly_higher_cost() -> None:
    domain = """(define (domain d) (:predicates (p) (q) (r)) (:functions (x) (c))
      (:action one :parameters () :effect (and (p) (increase (c) 0.001)))
      (:action two :parameters () :precondition (p) :effect (and (q) (increase (c) 0.001)))
      (:action three :parameters () :precondition (q) :effect (and (r) (increase (c) 0.001)))
      (:action once :parameters () :precondition (>= (x) 0) :effect (and (r) (increase (c) 0.0031))))"""
    problem = AT_ZERO.format("(= (x) 0) (= (c) 0)")[:-1] + " (:metric minimize (c)))"
    report = check(domain, problem, "(once)", quality="optimal")
    assert (steps(report), report.proven) == (["(one)", "(two)", "(three)"], True)


def test_numbers_that_double_with_each_step_end_no_proof_early() -> None:
    domain = """(define (domain d) (:predicates (r)) (:functions (x))
      (:action square :parameters () :effect (assign (x) (* (x) (x))))
      (:action finish :parameters () :precondition (= (x) 3) :effect (r)))"""
    report = check(domain, AT_ZERO.format("(= (x) 2)"), "(finish)")
    assert (report.repaired_plan, report.proven) == (None, False)
    assert "the search ended before a repaired plan was found" in report.reason


def test_an_inner_variable_is_not_the_one_of_the_precondition() -> None:
    domain = """(define (domain d) (:types t) (:predicates (r)) (:functions (f ?o - t) (c))
      (:action a :parameters (?o - t) :precondition (>= (f ?o) 0)
        :effect (and (r) (forall (?o - t) (when (r) (increase (c) (f ?o)))))))"""
    problem = """(define (problem n) (:domain d) (:objects one - t) (:init (= (f one) -1) (= (c) 0)) (:goal (r))
      (:metric minimize (c)))"""
    changing = domain[:-1] + "(:action set :parameters (?o - t) :effect (assign (f ?o) 1)))"
    assert action_costs(prepare(changing, problem).model) == "'a' may lower the metric"


@pytest.mark.parametrize(
    ("kind", "effect"),
    [
        ("numbers", "(forall (?o - t) (when (>= (f) 1) (r)))"),
        ("nested", "(forall (?o - t) (when (and (not (r)) (>= (f) 1)) (forall (?p - t) (when (= ?o ?p) (r)))))"),
    ],
)
def test_an_effect_for_all_objects_under_a_comparison_is_reachable(kind: str, effect: str) -> None:
    domain = f"""(define (domain {kind}) (:requirements :adl :fluents) (:types t) (:predicates (r) (s)) (:functions (f))
      (:action fill :effect (increase (f) 1))
      (:action wish :parameters (?o - t) :effect {effect})
      (:action end :precondition (r) :effect (s)))"""
    problem = f"(define (problem n) (:domain {kind}) (:objects one - t) (:init (= (f) 0)) (:goal (s)))"
    report = repaired("(wish one)", domain, problem)
    assert (steps(report), report.proven) == (["(fill)", "(wish one)", "(end)"], True)


def test_plans_cost_the_same_where_no_action_changes_the_cost() -> None:
    domain = """(define (domain d) (:requirements :fluents :action-costs) (:predicates (r))
      (:functions (f) (total-cost))
      (:action fill :effect (increase (f) 1))
      (:action end :precondition (>= (f) 1) :effect (r)))"""
    problem = "(define (problem n) (:domain d) (:init (= (f) 0)) (:goal (r)) (:metric minimize (total-cost)))"
    long = repaired("(fill) (fill) (end)", domain, problem, quality="optimal")
    assert (long.determination, long.proven, long.cost) == (True, True, 0)
    short = repaired("(end)", domain, problem, quality="optimal")
    assert (steps(short), short.repaired_cost, short.proven) == (["(fill)", "(end)"], 0, True)
    assert "+(fill)" in short.plan_diff_str


# --- tidying -----------------------------------------------------------------------------------------


def test_a_plan_is_minimal_edits_while_it_is_accepted() -> None:
    a, b, c = (Step(name=name) for name in "abc")

    def accepted(plan: tuple[Step, ...]) -> bool:
        return a in plan and plan[-1:] == (c,)

    edits = minimal_edits([b, a, a, c], [a, b, c], accepted)
    assert edits is not None
    assert all(edit.move is Move.KEEP for edit in edits), "what was inserted and skipped for nothing is undone"
    assert minimal_edits([b], [a], accepted) is None


# --- other planners, and limits ----------------------------------------------------------------------


def test_a_named_planner_is_asked_about_classical_models_only() -> None:
    report = repaired("(pump)", planner="fast-downward-opt", time_limit=PATIENT)
    assert (report.determination, report.planner_response.status) == (False, "unsupported")
    assert "'fast-downward-opt' is only asked about classical models" in report.reason
