"""Where unified-planning's validator of plans over time decides otherwise, and why (docs/semantics.md)."""

from __future__ import annotations

from fractions import Fraction

import pytest
from unified_planning.engines.plan_validator import TimeTriggeredPlanValidator
from unified_planning.plans import ActionInstance, TimeTriggeredPlan

from tests.support.random_nonclassical import Sample
from validator import check
from validator.checking.prepared import prepare
from validator.reading.tokens import tokenize
from validator.up.pddl import read_up

pytestmark = pytest.mark.up


def _time_triggered(sample: Sample) -> bool:
    problem = read_up(sample.domain, sample.problem)
    steps = tokenize(sample.plan, prepare(sample.domain, sample.problem).vocabulary).steps
    timed = [(step.time, ActionInstance(problem.action(step.name)), step.duration) for step in steps]
    assert all(isinstance(time, Fraction) for time, _, _ in timed)
    return bool(TimeTriggeredPlanValidator().validate(problem, TimeTriggeredPlan(timed)))


# --- where unified-planning is wrong, or decides otherwise: docs/semantics.md -------------------------


def _temporal(conditions: str, effects: str, init: str, goal: str, plan: str) -> Sample:
    domain = f"""(define (domain d) (:requirements :durative-actions :timed-initial-literals) (:predicates (p) (q))
      (:durative-action run :parameters () :duration (= ?duration 4) :condition {conditions} :effect {effects})
      (:durative-action make :parameters () :duration (= ?duration 1) :condition (and) :effect (at end (p))))"""
    return Sample(domain, f"(define (problem n) (:domain d) (:init {init}) (:goal {goal}))", plan)


@pytest.mark.parametrize(
    ("sample", "ours", "theirs"),
    [
        # It overlooks an invariant over an interval at whose beginning nothing changes.
        (_temporal("(over all (p))", "(at end (q))", "", "(q)", "1: (run) [4]"), False, True),
        # It lets an action read what changes at the same instant, or less than epsilon before.
        (_temporal("(at end (q))", "(at end (p))", "(q) (at 5 (not (q)))", "(p)", "1: (run) [4]"), False, True),
        (_temporal("(at start (p))", "(at end (q))", "", "(q)", "1: (make) [1]\n2.0005: (run) [4]"), False, True),
        # It takes two actions that add one atom at once for a conflict.
        (_temporal("(and)", "(at end (q))", "", "(q)", "1: (run) [4]\n1: (run) [4]"), True, False),
        # It lets a stated duration differ from its bound by nothing.
        (_temporal("(and)", "(at end (q))", "", "(q)", "1: (run) [3.9995]"), True, False),
        # It takes timed literals after the plan for part of it; the definition leaves that open.
        (_temporal("(at end (p))", "(at end (q))", "(p) (at 9 (not (q)))", "(not (q))", "1: (run) [4]"), None, True),
        # Of a literal that is added and deleted at one time, it lets the addition win; the definition leaves that open.
        (_temporal("(and)", "(at end (q))", "(at 2 (p)) (at 2 (not (p)))", "(p)", "1: (run) [4]"), None, True),
    ],
)
def test_where_we_differ_on_purpose(sample: Sample, ours: bool | None, theirs: bool) -> None:
    assert check(sample.domain, sample.problem, sample.plan, repair=False).determination is ours
    assert _time_triggered(sample) is theirs
