"""Each changed line is told by what happens without the change."""

from __future__ import annotations

from fractions import Fraction

import pytest

from validator import check, prepare
from validator.checking.explain import explain
from validator.service.http.examples import over_time_example

pytestmark = pytest.mark.planner

DOMAIN = """(define (domain door) (:requirements :strips) (:predicates (open) (inside) (key))
  (:action take-key :parameters () :precondition (and) :effect (key))
  (:action unlock :parameters () :precondition (key) :effect (open))
  (:action enter :parameters () :precondition (open) :effect (and (inside) (not (open))))
  (:action drop-key :parameters () :precondition (key) :effect (not (key))))"""
PROBLEM = "(define (problem d) (:domain door) (:init) (:goal (inside)))"


def explanations(plan: str, **options: object) -> tuple[str, ...]:
    prepared = prepare(DOMAIN, PROBLEM)
    return explain(prepared, check(prepared, None, plan, **options))  # type: ignore[arg-type]


def test_a_deleted_step_that_cannot_be_executed_is_told_as_that() -> None:
    assert explanations("(take-key)(enter)(unlock)(enter)") == (
        "-2 (enter) cannot be executed there: (open) is false (nothing made it true)",
    )


def test_steps_are_numbered_by_the_plan_that_has_them() -> None:
    assert explanations("(unlock)(drop-key)(enter)") == (
        "+1 (take-key) is needed: without it, step +2 (unlock): (key) is false (nothing made it true)",
    )
    assert explanations("(take-key)(unlock)(enter)(enter)(drop-key)") == (
        "-4 (enter) cannot be executed there: (open) is false (step +3 deleted it)",
    )
    assert explanations("(take-key)(drop-key)(unlock)(enter)") == (
        "-2 (drop-key) is in the way: with it, step +2 (unlock): (key) is false (step -2 deleted it)",
    )


def test_a_step_that_only_costs_is_told_as_that() -> None:
    found = explanations("(take-key)(take-key)(unlock)(enter)", quality="optimal")
    assert found == ("-2 (take-key) is in the way: with it, the plan costs more",)


def test_a_step_over_time_is_told_with_the_separation_that_was_asked_for() -> None:
    asked = over_time_example()
    model = prepare(asked["domain"], asked["problem"])
    report = check(model, None, asked["plan"], epsilon=asked["epsilon"])
    (said,) = explain(model, report, epsilon=Fraction(asked["epsilon"]))
    assert said.startswith("-2 5.005: (bake oat) [5] becomes 5.01: (bake oat) [5]: as it was, step 2 (bake oat)")
    assert "may not happen 0.005 apart, less than 0.01" in said


def test_a_piece_that_cannot_be_read_is_told_as_that() -> None:
    assert explanations("(take-key)\n(\n(unlock)\n(enter)", strict=True)[0].endswith("cannot be read")
