"""Cheapest plans over time: the interval, and what it decides."""

from __future__ import annotations

from fractions import Fraction

import pytest

from validator import Report, check, prepare, solve
from validator.checking.report import Interval
from validator.repair.time.price import time_price

pytestmark = pytest.mark.planner

DOMAIN = """(define (domain d) (:requirements :durative-actions :numeric-fluents) (:predicates (p) (q)) (:functions (c))
  (:durative-action slow :parameters () :duration (= ?duration 9)
    :condition (and) :effect (and (at end (q)) (at start (increase (c) 1))))
  (:durative-action first :parameters () :duration (= ?duration 2)
    :condition (and) :effect (and (at end (p)) (at end (increase (c) 3))))
  (:durative-action then :parameters () :duration (>= ?duration 3)
    :condition (at start (p)) :effect (at end (q))))"""
SLOW, QUICK, LATE = "0: (slow) [9]", "0: (first) [2]\n2.001: (then) [3]", "1: (first) [2]\n4: (then) [4]"


def problem(metric: str = "") -> str:
    return f"(define (problem n) (:domain d) (:init (= (c) 0)) (:goal (q)) {metric})"


def asked(plan: str, metric: str = "", domain: str = DOMAIN, **options: object) -> Report:
    return check(domain, problem(metric), plan, quality="optimal", time_limit=60, **options)  # type: ignore[arg-type]


def test_a_plan_that_is_late_is_drawn_together() -> None:
    assert [str(step) for step in asked(LATE).repaired_plan or ()] == QUICK.splitlines()


@pytest.mark.parametrize(
    ("metric", "cheapest"),
    [("(c)", SLOW), ("(+ (total-time) (* 2 (c)))", SLOW), ("(+ (total-time) (c))", QUICK), ("(total-time)", QUICK)],
)
def test_what_steps_add_counts_beside_time(metric: str, cheapest: str) -> None:
    metric = f"(:metric minimize {metric})"
    assert [asked(plan, metric).determination for plan in (SLOW, QUICK)] == [cheapest is SLOW, cheapest is QUICK]


@pytest.mark.parametrize(
    ("metric", "why"),
    [
        ("(:metric maximize (total-time))", "the metric is not the minimum of a weighted sum"),
        ("(:metric minimize (- (total-time) (c)))", "'slow' may lower the metric"),
        ("(:metric minimize (- (total-time)))", "the metric counts more than time and what steps add to values"),
    ],
)
def test_a_metric_that_may_fall_is_not_bounded(metric: str, why: str) -> None:
    assert time_price(prepare(DOMAIN, problem(metric)).model) == why
    report = asked(QUICK, metric)
    assert (report.determination, report.optimal_cost) == (None, None)
    assert report.reason == f"the cheapest cost is not known: {why}"


@pytest.mark.parametrize(
    ("old", "new", "why"),
    [
        ("(>= ?duration 3)", "(> ?duration 3)", "has no least duration among the times"),
        ("(at start (increase (c) 1))", "(increase (c) (* #t 1))", "values change continuously"),
    ],
)
def test_where_orders_do_not_tell_the_cost_the_longest_chain_bounds_it(old: str, new: str, why: str) -> None:
    report = asked(SLOW, domain=DOMAIN.replace(old, new))
    assert report.determination is None and why in report.reason
    assert report.optimal_cost == Interval(lower=Fraction(5001, 1000), upper=Fraction(9))


def test_that_no_plan_is_valid_is_proven() -> None:
    found = solve(DOMAIN.replace("(at end (q))", "(at end (p))"), problem(), time_limit=60)
    assert (found.status, found.proven, found.plan) == ("unsolvable", True, None)


TURNS = """(define (domain d) (:requirements :durative-actions :numeric-fluents :negative-preconditions)
  (:predicates (on) (open) (cold)) (:functions (turns) (baked))
  (:action switch-on :parameters () :precondition (not (on)) :effect (and (on) (increase (turns) 1)))
  (:action switch-off :parameters () :precondition (on) :effect (and (not (on)) (increase (turns) 1)))
  (:durative-action bake :parameters () :duration (= ?duration 5)
    :condition (and (at start (and (cold) (open) (on))) (over all (on)))
    :effect (and (at start (not (cold))) (at end (cold)) (at end (increase (baked) 1)))))"""


@pytest.mark.parametrize(
    ("goal", "metric", "least"),
    [
        ("(= (baked) 2)", "", Fraction(13002, 1000)),
        ("(= (baked) 2)", "(:metric minimize (turns))", 1),
        ("(and (= (baked) 2) (not (on)))", "", Fraction(13002, 1000)),
        ("(and (= (baked) 1) (not (on)))", "", Fraction(8001, 1000)),
        ("(open)", "", 3),
    ],
)
def test_ways_back_to_a_state_are_no_use(goal: str, metric: str, least: Fraction | int) -> None:
    """While it bakes there is time for thousands of turns; it opens at 3, and some step must last till then."""
    init = "(:init (cold) (= (turns) 0) (= (baked) 0) (at 3 (open)))"
    found = solve(TURNS, f"(define (problem n) (:domain d) {init} (:goal {goal}) {metric})", time_limit=60)
    assert (found.cost, found.proven) == (least, True)


def test_what_an_event_makes_true_is_out_of_reach_of_no_plan() -> None:
    domain = """(define (domain d) (:requirements :time :durative-actions) (:predicates (p) (q)) (:functions (c))
      (:event e :parameters () :precondition (and (p) (not (q))) :effect (q))
      (:durative-action a :parameters () :duration (= ?duration 1) :condition (and) :effect (at end (p)))
      (:action b :parameters () :precondition (and) :effect (not (p))))"""
    for plan, is_valid in (("0: (a) [1]", True), ("1: (b)", False)):
        report = asked(plan, domain=domain)
        assert (report.determination, report.proven) == (None if is_valid else False, False)
        assert not report.planner_response.no_solution
    assert not solve(prepare(domain, problem())).proven
