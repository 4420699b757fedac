"""The original evaluator's reading and counting."""

from __future__ import annotations

import pytest

from validator.grading.eai.transition_modeling.original import compare_texts


def _shown(names: set[str]) -> str:
    return " ".join(sorted(names - {"()"}))


@pytest.mark.parametrize(
    ("predicted", "gold", "right", "wrong", "lacking"),
    [
        pytest.param("(and (p ?x) (q ?x))", "(and (q ?x) (p ?x))", "p q", "", "", id="order"),
        pytest.param("(and (q ?x) (p ?x) (r ?x))", "(and (p ?x) (q ?x))", "p q", "r", "", id="too much"),
        pytest.param("(and (r ?x) (s ?x) (p ?x))", "(and (p ?x))", "p", "p r s", "", id="index bug"),
        pytest.param("(and (e ?y ?x))", "(and (e ?x ?y))", "", "e", "e", id="order of arguments"),
        pytest.param("(and (p ?y))", "(and (p ?x))", "", "p", "p", id="name of a parameter"),
        pytest.param("(and (not (p ?x)))", "(and (p ?x))", "", "p", "p", id="sign"),
        pytest.param("(p ?x)", "(and (p ?x))", "", "p", "p", id="without and"),
        pytest.param("(and (p ?x) (and (q ?x)))", "(and (p ?x) (q ?x))", "p", "q", "q", id="nested and"),
        pytest.param(
            "(forall (?a - t) (when (e ?a ?x) (p ?a)))",
            "(forall (?b - t) (when (e ?b ?x) (p ?b)))",
            "e p",
            "",
            "",
            id="quantifier in its place",
        ),
        pytest.param(
            "(and (q ?x) (forall (?a - t) (p ?a)))",
            "(and (forall (?b - t) (p ?b)) (q ?x))",
            "q",
            "p q",
            "p",
            id="quantifier in another place",
        ),
        pytest.param("(and (not (p ?x) (q ?x)) (r ?x))", "(and (s ?x))", "", "", "", id="unreadable"),
        pytest.param("(and (p ?x)", "(and (s ?x))", "", "", "", id="not closed"),
        pytest.param("()", "(and (p ?x) (q ?x))", "", "", "p q", id="empty"),
        pytest.param(
            "(exists (?o - t) (and (a ?o) (b ?o)))",
            "(exists (?o - t) (and (a ?o) (c ?o)))",
            "a b",
            "",
            "",
            id="half a quantifier",
        ),
        pytest.param("(or (and (p ?x) (q ?x)))", "(or (and (p ?x) (r ?x)))", "", "p q", "p r", id="half an and"),
        pytest.param("( (p ?x) )", "(p ?x)", "p", "", "", id="doubled parentheses"),
        pytest.param("(and (p (f ?x)))", "(and (q ?x))", "", "p", "q", id="a group as an argument"),
        pytest.param("(and (p (f (g ?x))))", "(and (q ?x))", "", "", "", id="a group in that"),
    ],
)
def test_predicates_are_counted_as_the_original_does(
    predicted: str, gold: str, right: str, wrong: str, lacking: str
) -> None:
    assert tuple(map(_shown, compare_texts(predicted, gold))) == (right, wrong, lacking)
