"""Types that are declared for the translator: what quantified effects range over, as far as it is a tree."""

from __future__ import annotations

from itertools import combinations

import pytest

from tests.support.random_worlds import random_world
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


@pytest.mark.parametrize("seed", range(40))
def test_declared_types_are_a_tree_and_every_object_has_its_least_one(seed: int) -> None:
    model = read_model(*random_world(seed))
    found = declared(model)
    for (_, one), (_, other) in combinations(found.types, 2):
        assert one.isdisjoint(other) or other < one
    for name in model.problem.objects:
        around = [(len(objects), kind) for kind, objects in found.types if name in objects]
        assert found.typed(name) == (min(around)[1] if around else "object")


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
