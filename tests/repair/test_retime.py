"""Repairs of plans over time: the diff, durations, and what is not proven; laws have the nearest plans."""

from __future__ import annotations

from fractions import Fraction

import pytest

from validator import Report, check

pytestmark = pytest.mark.planner

CELLAR = """(define (domain cellar)
 (:requirements :durative-actions :typing)
 (:types match fuse)
 (:predicates (unused ?m - match) (light ?m - match) (handfree) (mended ?f - fuse))
 (:durative-action light_match :parameters (?m - match) :duration (= ?duration 8)
  :condition (and (at start (unused ?m)) (over all (light ?m)))
  :effect (and (at start (not (unused ?m))) (at start (light ?m)) (at end (not (light ?m)))))
 (:durative-action mend_fuse :parameters (?f - fuse ?m - match) :duration (= ?duration 5)
  :condition (and (at start (handfree)) (over all (light ?m)))
  :effect (and (at start (not (handfree))) (at end (mended ?f)) (at end (handfree)))))"""
FUSES = """(define (problem two) (:domain cellar) (:objects m1 m2 - match f1 f2 - fuse)
 (:init (unused m1) (unused m2) (handfree)) (:goal (and (mended f1) (mended f2))))"""


@pytest.mark.deep
def test_only_the_lines_that_change_are_in_the_diff() -> None:
    report = check(
        CELLAR,
        FUSES,
        "0: (light_match m1) [8]\n0.001: (mend_fuse f1 m1) [5]\n0.002: (mend_fuse f2 m1) [5]\n1: (light_match m2) [8]",
    )
    lines = report.plan_diff_str.splitlines()[3:]
    assert {line[0] for line in lines} == {" ", "-", "+"}
    assert next(line[1:] for line in lines if line[0] == " ") == "0: (light_match m1) [8]"


# --- models that are easy to get wrong -----------------------------------------------------------


def asked(actions: str, plan: str, goal: str, init: str = "", rest: str = "", **options: object) -> Report:
    domain = f"(define (domain d) (:predicates (p) (q) (r)) (:functions (x)) {actions})"
    problem = f"(define (problem n) (:domain d) (:init {init} (= (x) 1)) (:goal {goal}) {rest})"
    return check(domain, problem, plan, **{"epsilon": Fraction(1), **options})  # type: ignore[arg-type]


def durative(name: str, condition: str, effect: str, duration: str = "(= ?duration 2)") -> str:
    return f"(:durative-action {name} :parameters () :duration {duration} :condition {condition} :effect {effect})"


@pytest.mark.deep
@pytest.mark.parametrize(
    "duration", ["(and (>= ?duration 0.33333333) (<= ?duration 0.33333334))", "(= ?duration (/ 1 3))"]
)
def test_that_no_time_of_the_grid_will_do_is_no_proof(duration: str) -> None:
    """With epsilon 0 a duration must be met; a plan may tell one of more decimals than are searched."""
    step = f"(:durative-action a :parameters () :duration {duration} :condition (and) :effect (at end (q)))"
    for text in ("0: (a) [9]", "The problem is unsolvable: there is no plan."):
        report = asked(step, text, "(q)", epsilon=0, time_limit=5)
        assert report.proven is False and not report.planner_response.no_solution
        assert report.determination is (False if "(a)" in text else None)


def test_durations_that_a_model_names_are_times_of_the_grid() -> None:
    step = "(:durative-action a :parameters () :duration (= ?duration 0.4993) :condition (and) :effect (at end (q)))"
    report = asked(step, "0: (a) [9]", "(q)", epsilon=Fraction(1, 1000))
    assert [str(each) for each in report.repaired_plan or ()] == ["0: (a) [0.4993]"]


# --- what is not proven --------------------------------------------------------------------------


@pytest.mark.deep
def test_trajectory_constraints_bind_the_repair() -> None:
    step = durative("a", "(and)", "(at end (q))")
    report = asked(step, "0: (a) [3.5]", "(q)", rest="(:constraints (within 1 (q)))", time_limit=2)
    assert (report.determination, report.repaired_plan, report.proven) == (False, None, False)
    report = asked(step, "5: (a) [2]", "(q)", rest="(:constraints (within 3 (q)))", time_limit=2)
    assert report.determination is False
    assert report.repaired_plan is None or execution(report, step, "(:constraints (within 3 (q)))")


def execution(report: Report, actions: str, rest: str) -> bool:
    lines = "\n".join(map(str, report.repaired_plan or ()))
    return asked(actions, lines, "(q)", rest=rest, repair=False).determination is True


def test_a_repair_that_is_not_proven_says_why() -> None:
    """What (a) adds depends on its duration, and the search tries one duration."""
    step = durative("a", "(and)", "(at end (increase (x) ?duration))", "(and (>= ?duration 1) (<= ?duration 9))")
    report = asked(
        step + durative("b", "(at start (>= (x) 6))", "(at end (q))"), "0: (a) [2]\n3: (b) [2]", "(q)", time_limit=3
    )
    assert not report.proven
    assert report.repaired_plan is None or "depends on its duration" in report.planner_response.note


@pytest.mark.parametrize(
    ("duration", "text", "repaired"),
    [
        ("(<= ?duration 2)", "0: (a) [1]", ["0: (a) [0]"]),
        ("(= ?duration (x))", "0: (a) [1]", ["0: (b) [2]", "3: (a) [0]"]),
        ("(= ?duration 0)", "; empty plan", ["0: (a) [0]"]),
    ],
)
def test_the_nearest_plan_may_have_steps_that_last_no_time(duration: str, text: str, repaired: list[str]) -> None:
    """Nothing must hold while (a) lasts, if it lasts no time."""
    step = durative("a", "(over all (p))", "(at end (q))", duration)
    step += durative("b", "(and)", "(at end (assign (x) 0))")
    assert asked(step, "0: (b) [2]\n3: (a) [0]", "(q)", repair=False).determination
    report = asked(step, text, "(q)")
    assert (report.determination, report.proven, list(map(str, report.repaired_plan or ()))) == (False, True, repaired)
    report = asked(step, text, "(q)", quality="optimal", time_limit=3)
    assert report.determination is False and not report.planner_response.no_solution
    assert report.repaired_plan is None or execution(report, step, "")


def test_the_parts_of_a_step_that_lasts_no_time_take_place_together() -> None:
    """Both read the state before and add up; one that deletes what the other adds cannot last 0."""
    counts = durative("a", "(and)", "(and (at start (increase (x) 1)) (at end (increase (x) 1)))", "(<= ?duration 2)")
    clash = durative("b", "(at start (>= (x) 3))", "(and (at start (not (q))) (at end (q)))", "(<= ?duration 2)")
    report = asked(counts + clash, "0: (b) [0]", "(q)")
    assert report.proven and [str(step)[3:] for step in report.repaired_plan or ()] == ["(a) [0]", "(b) [1]"]
