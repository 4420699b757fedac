"""Grounded tasks: axioms and conditional effects compiled away at the same costs, and what is reachable."""

from __future__ import annotations

import pytest

from tests.support.models import limits
from validator import check, prepare
from validator.grounding.limits import Limits, Status
from validator.grounding.relaxed_reachability import reachable_steps
from validator.grounding.task import Task
from validator.model.pddl import read_model
from validator.reading.plan import Step

pytestmark = pytest.mark.planner

FOREVER = Limits(deadline=float("inf"), memory=4 * 2**30)


_SWITCHES = 11


def _switches() -> tuple[str, str]:
    """Return switches of three values, each of which is to be on or off, not between: 2,048 ways to reach the goal."""
    numbers = range(_SWITCHES)
    names = " ".join(f"(on{n}) (between{n}) (off{n}) (set{n})" for n in numbers)
    rules = " ".join(f"(:derived (set{n}) (or (on{n}) (off{n})))" for n in numbers)
    moves = " ".join(
        f"(:action {old}-{new}{n} :parameters () :precondition ({old}{n}) :effect (and (not ({old}{n})) ({new}{n})))"
        for n in numbers
        for old, new in (("on", "between"), ("between", "off"), ("off", "between"), ("between", "on"))
    )
    everything = " ".join(f"(when (on{n}) (and (not (on{n})) (between{n})))" for n in numbers[:6])
    domain = (
        f"(define (domain d) (:requirements :adl :derived-predicates) (:predicates {names}) {rules} {moves}"
        f" (:action shake :parameters () :effect (and {everything})))"
    )
    init = " ".join(f"({'on' if n % 2 else 'between'}{n})" for n in numbers)
    goal = " ".join(f"(set{n})" for n in numbers)
    return domain, f"(define (problem q) (:domain d) (:init {init}) (:goal (and {goal} (off0))))"


def test_a_goal_with_too_many_ways_keeps_its_axioms() -> None:
    prepared = prepare(read_model(*_switches()))
    task = prepared.task(FOREVER)
    assert isinstance(task, Task)
    assert task.has_axioms
    report = check(prepared, None, "(between-off0)\n(shake)\n(between-off2)\n(off-between2)\n")
    # Skipped: (shake), (off-between2); inserted: a step for each of the four others that are between.
    assert (report.planner_response.cost, report.proven) == (6, True)


@pytest.mark.deep
def test_conditional_effects_on_large_variables_stay_and_repairs_are_proven() -> None:
    places = 16
    names = " ".join(f"(at{n}-{place})" for n in range(4) for place in range(places))
    moves = " ".join(
        f"(:action go{n}-{place} :parameters () :precondition (at{n}-{place})"
        f" :effect (and (not (at{n}-{place})) (at{n}-{(place + 1) % places})))"
        for n in range(4)
        for place in range(places)
    )
    closed = " ".join(f"(when (at{n}-1) (and (not (at{n}-1)) (at{n}-3)))" for n in range(4))
    domain = (
        f"(define (domain d) (:requirements :adl) (:predicates {names}) {moves}"
        f" (:action close :parameters () :effect (and {closed})))"
    )
    init = " ".join(f"(at{n}-0)" for n in range(4))
    goal = " ".join(f"(at{n}-3)" for n in range(4))
    prepared = prepare(read_model(domain, f"(define (problem q) (:domain d) (:init {init}) (:goal (and {goal})))"))
    task = prepared.task(FOREVER)
    assert isinstance(task, Task)
    assert task.has_conditional_effects
    report = check(prepared, None, "(go0-0)\n(go1-0)\n(close)\n(go3-0)\n")
    # Inserted: (go2-0) before (close), and (close) once more behind all.
    assert (report.planner_response.cost, report.proven) == (2, True)


# --- what is reachable when nothing is deleted ---------------------------------------------------


@pytest.mark.parametrize(
    ("timed", "is_reached"),
    [
        ("(at 10 (open)) (at 14 (not (open)))", False),
        ("(at 10 (open)) (at 15 (not (open)))", True),
        ("(at 10 (open))", True),
        ("(open) (at 4 (not (open)))", False),
        ("(open) (at 4 (not (open))) (at 4 (open))", True),
        ("(open) (at 3 (not (open))) (at 3 (open)) (at 8 (not (open)))", True),
        ("(open) (at 4 (not (open))) (at 20 (open)) (at 25 (not (open)))", True),
        ("(at 10 (open)) (at 14 (not (open))) (at 1 (key))", True),
    ],
)
def test_what_only_timed_literals_change_bounds_what_lasts(timed: str, is_reached: bool) -> None:
    unlock = "(:action unlock :parameters () :precondition (key) :effect (open))" if "(key)" in timed else ""
    domain = f"""(define (domain d) (:requirements :durative-actions :timed-initial-literals)
      (:predicates (open) (q) (key)) {unlock} (:durative-action a :parameters ()
        :duration (= ?duration 5) :condition (over all (open)) :effect (at end (q))))"""
    problem = f"(define (problem p) (:domain d) (:init {timed}) (:goal (q)))"
    found = reachable_steps(prepare(domain, problem).model, limits())
    assert not isinstance(found, Status)
    assert (Step(name="a") in found) == is_reached
    report = check(domain, problem, "10: (a) [5]", time_limit=120)
    assert ("(proven by" in report.reason) == (not is_reached)
