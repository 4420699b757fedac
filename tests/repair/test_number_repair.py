"""The nearest and the cheapest plans of models with numbers and trajectory constraints, against a brute search."""

from __future__ import annotations

import time
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from tests.support.models import FULL, TANK
from tests.support.places import CONFORMANCE
from validator import Report, check, prepare
from validator.grounding.action_costs import ActionCosts, action_costs
from validator.grounding.limits import Limits, Status
from validator.grounding.relaxed_reachability import reachable_steps
from validator.grounding.states import States
from validator.model.values import And
from validator.reading.plan import Step
from validator.repair.alignment import minimal_edits
from validator.repair.edit import Move
from validator.repair.numbers.search import FREE, EditSearch, Prices

pytestmark = pytest.mark.planner

PATIENT = 300.0
"""seconds, for machines that are busy"""


def repaired(plan: str, domain: str = TANK, problem: str = FULL, **options: Any) -> Report:
    return check(domain, problem, plan, **options)


def steps(report: Report) -> list[str]:
    return list(map(str, report.repaired_plan or ()))


# --- repairs ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("plan", "cost", "found"),
    [
        ("(pump) (pump) (finish)", 1, ["(pump)", "(pump)", "(drip)", "(finish)"]),
        ("(pump) (pump) (pump) (finish)", 2, None),
        ("(finish)", 3, None),
        ("(pump) (fill) (pump) (drip) (finish)", 1, ["(pump)", "(pump)", "(drip)", "(finish)"]),
    ],
)
def test_the_nearest_plan_is_found_and_proven(plan: str, cost: int, found: list[str] | None) -> None:
    report = repaired(plan)
    assert (report.determination, report.proven, report.planner_response.cost) == (False, True, cost)
    assert report.planner_response.lower_bound == cost
    assert "proven by plan-validator's exact search" in report.planner_response.note
    assert check(TANK, FULL, "\n".join(steps(report))).determination
    if found is not None:
        assert sorted(steps(report)) == sorted(found)


def test_no_plan_is_a_proof_where_the_states_are_exhausted() -> None:
    report = repaired("(finish)", TANK.replace("(= (level) 5)", "(= (level) 5.5)"))
    assert (report.planner_response.no_solution, report.proven, report.repaired_plan) == (True, True, None)
    assert "proven by plan-validator's exact search" in report.reason


def test_a_trajectory_constraint_takes_part_in_the_repair() -> None:
    domain = """(define (domain walk) (:types place) (:predicates (at ?p - place) (way ?a ?b - place))
      (:action go :parameters (?a ?b - place) :precondition (and (at ?a) (way ?a ?b))
        :effect (and (not (at ?a)) (at ?b))))"""
    problem = """(define (problem w) (:domain walk) (:objects a b c - place)
      (:init (at a) (way a b) (way b c) (way a c) (way c b)) (:goal (at c)) (:constraints (sometime (at b))))"""
    report = check(domain, problem, "(go a c)")
    assert (report.proven, report.planner_response.cost) == (True, 2)
    assert check(domain, problem, "\n".join(steps(report))).determination


def test_explanations_execute_numbers_too() -> None:
    from validator.checking.explain import explain

    report = repaired("(pump) (pump) (finish)")
    assert explain(prepare(TANK, FULL), report) == (
        "+3 (drip) is needed: without it, step 3 (finish): (= (level) 5) is false: 4 = 5",
    )


@pytest.mark.parametrize(
    "plan",
    [
        pytest.param(path, id=f"{path.parent.name}/{path.stem}")
        for path in sorted(CONFORMANCE.glob("numeric_*/bad*.plan"))
    ],
)
def test_broken_plans_of_the_conformance_models_are_repaired(plan: Path) -> None:
    domain, problem = plan.parent / "domain.pddl", plan.parent / "problem.pddl"
    report = check(domain, problem, plan)
    assert (report.determination, report.proven) == (False, True)
    if report.repaired_plan is None:
        assert report.planner_response.no_solution
    else:
        assert check(domain, problem, "\n".join(steps(report)), repair=False).determination


# --- the cheapest cost ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("plan", "verdict"),
    [("(drip) " * 5 + "(finish)", True), ("(pump) (pump) (drip) (finish)", False), ("(pump) (finish)", False)],
)
def test_optimal_with_a_metric_over_values(plan: str, verdict: bool) -> None:
    report = repaired(plan, quality="optimal")
    assert (report.determination, report.proven) == (verdict, True)
    assert report.optimal_cost is not None
    assert (report.optimal_cost.lower, report.optimal_cost.upper) == (5, 5)
    if not verdict:
        assert (steps(report), report.repaired_cost) == (["(drip)"] * 5 + ["(finish)"], 5)


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


def test_costs_are_a_sum_over_steps() -> None:
    problem = FULL.replace("minimize (used)", "minimize (+ 4 (/ (used) 2))").replace("(= (used) 0)", "(= (used) 2)")
    found, states = action_costs(prepare(TANK, problem).model), States(prepare(TANK, problem).model)
    after = states.after(states.start, states.situation(states.start), states.ground(Step(name="pump")))
    assert isinstance(found, ActionCosts) and after is not None
    assert (found.constant, found.by(after[1])) == (5, Fraction(3, 2))


def test_steps_are_added_as_cheaply_as_can_be_where_costs_depend_on_the_state() -> None:
    domain = """(define (domain tolls) (:predicates (in) (out)) (:functions (toll) (paid))
      (:action enter :parameters () :precondition (>= (toll) 0) :effect (and (in) (increase (paid) (toll))))
      (:action walk :parameters () :effect (and (out) (increase (toll) 1)))
      (:action climb :parameters () :effect (and (in) (increase (paid) 1.5)))
      (:action cross :parameters () :precondition (and (>= (toll) 0) (in) (out)) :effect (and (increase (toll) 5))))"""
    problem = """(define (problem p) (:domain tolls) (:init (= (toll) 1) (= (paid) 0)) (:goal (>= (toll) 7))
      (:metric minimize (paid)))"""
    report = check(domain, problem, "(walk)\n(cross)", policy="keep")
    assert (steps(report), report.proven, report.repaired_cost) == (["(enter)", "(walk)", "(cross)"], True, 1)
    climbing = check(domain, problem, "(walk)\n(walk)\n(cross)", policy="keep")
    assert climbing.repaired_cost == 1 and climbing.proven


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
UP = "(:action up :parameters () :precondition (< (x) 2) :effect (increase (x) 1))"


@pytest.mark.parametrize(
    "actions",
    [
        """(:action a :parameters () :precondition (p) :effect (and (q) (when (>= (x) 1) (not (p)))))
           (:action back :parameters () :precondition (q) :effect (and (not (q)) (p)))
           (:action b :parameters () :precondition (and (p) (q)) :effect (r))""",
        """(:action a :parameters () :precondition (p) :effect (and (not (p)) (when (>= (x) 1) (q))))
           (:action back :parameters () :precondition (q) :effect (and (not (q)) (p)))
           (:action b :parameters () :precondition (and (not (p)) (not (q))) :effect (r))""",
    ],
    ids=["an atom stays", "no atom comes"],
)
def test_what_happens_under_a_condition_on_numbers_excludes_nothing(actions: str) -> None:
    domain = f"(define (domain d) (:predicates (p) (q) (r)) (:functions (x)) {actions} {UP})"
    report = check(domain, AT_ZERO.format("(p) (= (x) 0)"), "(b)")
    assert (steps(report), report.proven) == (["(a)", "(b)"], True)


def test_a_value_that_only_an_effect_reads_tells_states_apart() -> None:
    domain = f"""(define (domain d) (:predicates (r)) (:functions (x) (c)) {UP}
      (:action b :parameters () :effect (and (r) (increase (c) (/ 1 (x))))))"""
    report = check(domain.replace("(< (x) 2)", "()"), AT_ZERO.format("(= (x) 0) (= (c) 0)"), "(b)")
    assert (steps(report), report.proven) == (["(up)", "(b)"], True)


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


def test_a_search_that_executes_plans_looks_at_its_limits_behind_each() -> None:
    """Where no alarm rings, in threads, it went on for thousands of steps, of which each executed a plan."""
    problem = FULL.replace("(:goal", "(:constraints (sometime (not (= 0 0)))) (:goal")
    prepared = prepare(TANK, problem)
    executed: list[int] = []

    def accepted(plan: tuple[Step, ...]) -> bool:
        executed.append(len(plan))
        time.sleep(0.05)
        return False

    limits = Limits(deadline=time.monotonic() + PATIENT, memory=2**30)
    steps = reachable_steps(prepared.model, limits)
    assert not isinstance(steps, Status)
    search = EditSearch(
        prepared.simulator,
        (),
        Prices(skip=(1, 0), kept=lambda own: FREE, inserted=lambda own: (1, 0)),
        ActionCosts(),
        steps,
        with_goal=True,
        accepted=accepted,
    )
    search.goal = And(())
    assert search.run(limits.within(0.05)).status is Status.TIME_LIMIT
    assert len(executed) <= 1 + len(steps)
