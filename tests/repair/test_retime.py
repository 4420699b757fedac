"""Repairs of plans over time: the nearest plan, and what is proven of it."""

from __future__ import annotations

import re
from fractions import Fraction

import pytest

from tests.support.pages import report_body
from tests.support.random_times import sample, valid
from validator import Report, check
from validator.checking.prepared import prepare
from validator.execution.time.execution import execute
from validator.execution.time.happening import Apart
from validator.reading.plan import Plan, Step
from validator.render.text import report_text

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


def edits(report: Report) -> tuple[int, int]:
    """Return how many steps a repair drops and inserts, and how many it moves."""
    note = report.planner_response.note
    found = {what: int(number) for number, what in re.findall(r"(\d+) steps? (left out|inserted|at another)", note)}
    return found.get("left out", 0) + found.get("inserted", 0), found.get("at another", 0)


@pytest.mark.parametrize(
    ("plan", "expected"),
    [
        pytest.param(
            "0: (light_match m1) [8]\n0.001: (mend_fuse f1 m1) [5]\n"
            "5.002: (mend_fuse f2 m2) [5]\n9: (light_match m2) [8]",
            (0, 1),
            id="a match is lit too late",
        ),
        pytest.param("0: (light_match m1) [8]\n0.001: (mend_fuse f1 m1) [5]", (2, 0), id="two steps are missing"),
        pytest.param(
            "0: (light_match m1) [8]\n0: (light_match m2) [8]\n"
            "0.001: (mend_fuse f1 m1) [5]\n0.001: (mend_fuse f2 m2) [5]",
            (0, 2),
            id="two steps want the hand at one time",
        ),
        pytest.param(
            "0: (light_match m1) [8]\n0.001: (mend_fuse f1 m1) [4]\n"
            "9: (light_match m2) [8]\n9.1: (mend_fuse f2 m2) [5]",
            (0, 1),
            id="a duration is too short",
        ),
        pytest.param(
            "0: (light_match m1) [8]\n0.001: (mend_fuse f1 m1) [5]\n7: (strike m1) [1]\n"
            "9: (light_match m2) [8]\n9.1: (mend_fuse f2 m2) [5]",
            (1, 0),
            id="a step is of no action",
        ),
    ],
)
def test_the_nearest_plan(plan: str, expected: tuple[int, int]) -> None:
    report = check(CELLAR, FUSES, plan)
    assert (edits(report), report.proven) == (expected, True)
    for shown in (report_text(report), report_body(report)):
        assert "no plan at times that are multiples of 0.001 changes fewer steps" in shown
    repaired = "\n".join(map(str, report.repaired_plan or ()))
    assert check(CELLAR, FUSES, repaired, repair=False).determination is True


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


LEFT = durative("left", "(over all (p))", "(and (at start (q)) (at end (not (q))))")
RIGHT = durative("right", "(over all (q))", "(and (at start (p)) (at end (not (p))))")


def test_two_steps_that_need_each_other_start_together() -> None:
    report = asked(LEFT + RIGHT, "0: (left) [2]", "(and)")
    assert report.repaired_plan is not None
    assert (edits(report), report.proven) == ((1, 0), True)
    report = asked(LEFT + RIGHT, "0: (left) [2]\n3: (right) [2]", "(and)")
    assert (edits(report), report.proven) == ((0, 1), True)


def test_three_steps_that_need_each_other_in_a_circle_start_together() -> None:
    ring = [
        durative(name, f"(over all ({need}))", f"(at start ({gives}))") for name, need, gives in ("apq", "bqr", "crp")
    ]
    report = asked("".join(ring), "0: (a) [2]\n0: (b) [2]\n5: (c) [2]", "(and)")
    assert (edits(report), report.proven) == ((0, 1), True)


def test_two_steps_that_break_each_other_at_their_ends_end_together() -> None:
    """Each end makes false what the other needs until then: whichever came first would break the other."""
    steps = durative("a", "(over all (p))", "(and (at end (not (q))) (at end (r)))") + durative(
        "b", "(over all (q))", "(at end (not (p)))", "(= ?duration 3)"
    )
    report = asked(steps, "1: (a) [2]\n2: (b) [3]", "(and (r) (not (p)))", "(p) (q)")
    assert (edits(report), report.proven) == ((0, 1), True)


def test_values_that_several_parts_change_at_one_time_keep_an_invariant() -> None:
    steps = (
        durative("keep", "(over all (= (x) 1))", "(at end (p))", "(= ?duration 5)")
        + "(:action up :parameters () :precondition (and) :effect (and (increase (x) 1) (q)))"
        + "(:action down :parameters () :precondition (and) :effect (and (decrease (x) 1) (r)))"
    )
    report = asked(steps, "0: (keep) [5]\n2: (up)\n3: (down)", "(and (p) (q) (r))")
    assert (edits(report), report.proven) == ((0, 1), True)


def test_timed_literals_after_the_end_of_the_plan_may_not_end_the_goal() -> None:
    """(r) goes at 4; a plan that lasts until then, or that comes afterwards, must bring it about again."""
    step = durative("a", "(at start (p))", "(at end (r))")
    report = asked(step, "0: (a) [2]", "(r)", "(p) (at 1 (not (p))) (at 4 (not (r)))")
    assert (report.determination, report.repaired_plan) == (None, None)
    report = asked(step, "1: (a) [2]", "(r)", "(at 2 (p)) (at 4 (not (r)))")
    assert (edits(report), report.proven) == ((0, 1), True)
    assert [str(step) for step in report.repaired_plan or ()] == ["3: (a) [2]"]


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


def test_that_there_is_no_plan_is_proven() -> None:
    report = asked(durative("a", "(at start (p))", "(at end (q))"), "0: (a) [2]", "(q)")
    assert (report.repaired_plan, report.proven, report.planner_response.no_solution) == (None, True, True)
    assert "no plan at times that are multiples of 0.001 is valid" in report.reason


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


def test_continuous_change_is_repaired_by_one_step_or_by_a_greedy_search() -> None:
    step = (
        "(:durative-action fill :parameters () :duration (= ?duration 4) :condition (and)"
        " :effect (increase (x) (* #t 1)))"
        "(:action close :parameters () :precondition (>= (x) 4) :effect (q))"
    )
    report = asked(step, "0: (fill) [4]\n1: (close)", "(q)")
    assert (edits(report), report.proven) == ((0, 1), True)
    report = asked(step, "0: (fill) [4]", "(q)", time_limit=20)
    assert (report.determination, edits(report), report.proven) == (False, (1, 0), False)
    assert "a nearer plan may exist: values change continuously" in report.planner_response.note


def test_a_repair_that_is_not_proven_says_why() -> None:
    """What (a) adds depends on its duration, and the search tries one duration."""
    step = durative("a", "(and)", "(at end (increase (x) ?duration))", "(and (>= ?duration 1) (<= ?duration 9))")
    report = asked(
        step + durative("b", "(at start (>= (x) 6))", "(at end (q))"), "0: (a) [2]\n3: (b) [2]", "(q)", time_limit=3
    )
    assert not report.proven
    assert report.repaired_plan is None or "depends on its duration" in report.planner_response.note


# --- against an oracle ---------------------------------------------------------------------------


def test_the_oracle_executes_as_the_product_does() -> None:
    seen = set()
    for seed in range(300):
        model = sample(seed)
        steps = tuple(
            Step(name=name, time=Fraction(time), duration=Fraction(duration) if duration else None)
            for time, name, duration in model.plan
        )
        if any(
            bounds is not None and not bounds[0] <= duration <= bounds[1]
            for bounds, duration in ((model.actions[name].durations, duration) for _, name, duration in model.plan)
        ) or not any(action.durations for action in model.actions.values()):
            continue
        found = execute(prepare(model.domain, model.problem).simulator, Plan(parts=steps), Apart.of(Fraction(1)))
        ours = not (found.failures or found.open or found.open_goal)
        assert ours is valid(model, model.plan), f"seed {seed}: {model.plan}"
        seen.add(ours)
    assert seen == {True, False}
