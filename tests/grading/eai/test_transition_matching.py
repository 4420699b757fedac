"""Operators compared under the best naming of their parameters."""

from __future__ import annotations

import pytest

from validator.grading.eai.transition_modeling.matching import compare
from validator.grading.eai.transition_modeling.operators import Operator, operator_of


def _operator(precondition: str, parameters: str = "?x ?y", effect: str = "()") -> Operator:
    return operator_of(f"(:action a :parameters ({parameters}) :precondition {precondition} :effect {effect})")


@pytest.mark.parametrize(
    ("predicted", "gold", "same"),
    [
        ("(and (p ?x) (q ?y))", "(and (q ?x) (p ?y))", True),
        ("(and (p ?x) (q ?x))", "(or (p ?x) (q ?x))", False),
        ("(forall (?z) (or (e ?z ?x) (p ?z)))", "(forall (?z) (imply (not (p ?z)) (e ?z ?y)))", True),
        ("(exists (?a ?b) (and (e ?a ?x) (p ?b)))", "(exists (?a ?b) (and (e ?a ?x) (p ?a)))", False),
    ],
)
def test_operators_are_the_same_whatever_their_variables_are_called(predicted: str, gold: str, same: bool) -> None:
    assert compare(_operator(predicted), _operator(gold)).is_same is same
