"""The original evaluator's reading and counting."""

from __future__ import annotations

import json

import pytest

from validator.grading.eai.transition_modeling.original import compare_texts, definitions

A = "(:action a :parameters (?x - t) :precondition (p ?x) :effect (q ?x))"


def _shown(names: frozenset[str]) -> str:
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
    found = compare_texts(predicted, gold)
    assert (_shown(found.right), _shown(found.wrong), _shown(found.missed)) == (right, wrong, lacking)


def test_without_the_index_bug_what_is_right_is_not_wrong() -> None:
    found = compare_texts("(and (r ?x) (s ?x) (p ?x))", "(and (p ?x))", index_bug=False)
    assert (_shown(found.right), _shown(found.wrong)) == ("p", "r s")


def test_depth_is_limited() -> None:
    assert compare_texts("(and " * 5000 + ")" * 5000, "(p)").right == frozenset()


@pytest.mark.parametrize(
    ("answer", "names"),
    [
        (json.dumps({"output": A}), ["a"]),
        (f"```json\n{json.dumps({'output': A})}\n```", ["a"]),
        (A, ["a"]),
        ('{"answer": "' + A + '"}', ["a"]),
        (A.replace(" a ", " cut-in-two "), ["cut"]),
        ("(:action a :parameters (?x) :precondition (p ?x))", []),
        ("(:action b :parameters (?x) :precondition (p ?x))\n" + A, ["b", "a"]),
        ("(:action b ; a comment\n :parameters ())\n" + A, []),
        ("nothing", []),
    ],
)
def test_operators_are_cut_out_as_the_original_does(answer: str, names: list[str]) -> None:
    found = definitions(answer)
    assert found is not None
    assert list(found) == names


def test_an_output_that_is_no_text_is_a_format_error() -> None:
    assert definitions(json.dumps({"output": [A]})) is None
