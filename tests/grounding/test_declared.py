"""Types that are declared for the translator: what quantified effects range over, as far as it is a tree."""

from __future__ import annotations

import pytest

from validator import check
from validator.grounding.encode import declared
from validator.model.pddl import read_model

DOMAIN = """
(define (domain signals) (:requirements :adl)
  (:types vessel port - object ship boat - vessel ferry - ship ghost - object)
  (:predicates (called ?x) (lit ?x))
  (:action call :parameters (?p - port) :precondition () :effect (and
    (forall (?x - vessel) (when (not (lit ?x)) (called ?x)))
    (forall (?x - ship) (lit ?x))
    (forall (?x - (either boat port)) (when (lit ?p) (lit ?x)))
    (forall (?x - ghost) (not (lit ?p)))
    (forall (?x - ferry ?y - boat) (not (called ?y)))))
  (:action light :parameters (?p - port) :precondition () :effect (lit ?p)))
"""
PROBLEM = """
(define (problem one) (:domain signals) (:objects f - ferry s - ship b - boat p - port) (:init)
  (:goal (and GOAL)))
"""


def test_sets_within_each_other_are_declared_and_what_crosses_them_is_not() -> None:
    model = read_model(DOMAIN, PROBLEM.replace("GOAL", ""))
    found = declared(model)
    sets = {objects: name for name, objects in found.types}
    assert set(sets) == {frozenset(objects) for objects in ("fsb", "fs", "f", "b", "")}
    assert found.of("bp") is None
    assert found.typed("f") == sets[frozenset("f")]
    assert found.typed("p") == "object"


@pytest.mark.planner
@pytest.mark.parametrize(
    ("goal", "cost"),
    [
        ("(called f) (called s)", 1),
        ("(called b)", 1),  # an atom that a step adds and deletes holds behind it
        ("(lit s) (lit b)", 2),
        ("(lit p) (lit b) (called f)", 2),
        ("(lit b) (not (lit f))", None),
    ],
)
def test_a_quantified_effect_is_on_all_objects_of_its_type_and_on_no_other(goal: str, cost: int | None) -> None:
    report = check(DOMAIN, PROBLEM.replace("GOAL", goal), "; empty plan")
    assert report.planner_response.cost == cost
    assert report.proven
