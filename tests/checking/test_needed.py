"""What is not executed leaves open only what a plan needs of it: faults before it stand, and so do plans without it.

Effects with several outcomes are executed, in a model without anything else that is not.
"""

from __future__ import annotations

import pytest

from validator import check

DOMAIN = """(define (domain w) (:requirements :adl :durative-actions)
(:predicates (hot) (lit) (ok) (far))
(:action toss :parameters () :precondition (hot) :effect ({} (far)))
(:action use :parameters () :precondition (hot) :effect (ok))
(:action see :parameters () :precondition (lit) :effect (ok)))"""
OPEN = [(plan, "(hot)") for plan in ("(use)(toss)", "(toss)(see)", "(toss)(see)(use)")]
TIMED = """(define (domain w) (:requirements :adl :durative-actions) (:predicates (hot) (lit) (ok))
(:durative-action s :parameters () :duration (= ?duration 2) :condition (at start (hot))
 :effect (when (over all (hot)) (at end (lit))))
(:durative-action t :parameters () :duration (= ?duration 2) :condition (at start (hot)) :effect (at end (ok)))
(:durative-action u :parameters () :duration (= ?duration 2) :condition (at end (lit)) :effect (at end (ok))))"""


def _problem(init: str) -> str:
    return f"(define (problem p) (:domain w) (:init {init}) (:goal (ok)))"


@pytest.mark.parametrize("construct", ["oneof (lit)", "probabilistic 0.5 (lit) 0.25", "probabilistic (chance) (lit) 1"])
@pytest.mark.parametrize(
    ("plan", "init", "is_valid"),
    [
        ("(use)", "(hot)", True),
        ("(use)", "", False),
        ("(see)", "(hot)", False),
        ("(use)(toss)", "(hot)", True),
        ("(toss)(see)", "(hot)", False),
        ("(toss)(use)", "", False),
        ("(see)(toss)(use)", "(hot)", False),
        ("(toss)(see)(use)", "(hot)", False),
        ("(use)(toss)(shout)", "(hot)", False),
    ],
)
def test_steps_before_the_first_that_is_not_executed_are_decided(
    plan: str, init: str, is_valid: bool | None, construct: str
) -> None:
    report = check(DOMAIN.format(construct), _problem(init), f"{plan}\n", strict=True)
    is_open = "chance" in construct and "(toss)" in plan and (plan, init) in OPEN
    assert report.determination is (None if is_open else is_valid)
    assert not is_open or "computed-probabilities" in report.reason


def test_whether_a_plan_is_cheapest_needs_all_of_the_model() -> None:
    report = check(DOMAIN.format("oneof (lit)"), _problem("(hot)"), "(use)\n", quality="optimal")
    assert (report.determination, "non-deterministic-effects" in report.reason) == (None, True)


@pytest.mark.parametrize(
    ("plan", "init", "is_valid"),
    [
        ("0: (t) [2]", "(hot)", True),
        ("0: (t) [2]", "", False),
        ("0: (s) [2]\n0: (t) [2]", "(hot)", None),
        ("0: (s) [2]\n3: (t) [2]", "", False),
        ("0: (u) [2]\n3: (s) [2]", "(hot)", False),
        ("0: (u) [2]\n1: (s) [2]", "(hot)", None),
    ],
)
def test_over_time_they_are_those_that_end_before_it(plan: str, init: str, is_valid: bool | None) -> None:
    assert check(TIMED, _problem(init), plan).determination is is_valid


@pytest.mark.parametrize(
    ("plan", "is_optimal"), [("(a)", True), ("(a)(a)", False), ("(a)(b)", None), ("(b)(a)(b)", False), ("", False)]
)
def test_total_time_without_time_is_the_number_of_happenings(plan: str, is_optimal: bool | None) -> None:
    goal = "(and (p) (r))" if "b" in plan else "(p)"
    domain = """(define (domain d) (:predicates (p) (r)) (:action a :parameters () :effect (p))
        (:action b :parameters () :effect (r)))"""
    problem = f"(define (problem q) (:domain d) (:init) (:goal {goal}) (:metric minimize (total-time)))"
    report = check(domain, problem, f"{plan}\n", quality="optimal", repair=False)
    assert report.determination is is_optimal
