"""Operators compared under the best naming of their parameters."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from validator.grading.eai.transition_modeling.matching import Count, Match, Part, compare, missed, total
from validator.grading.eai.transition_modeling.operators import Operator, operator_of

KINDS = ("right", "wrong", "missed")


def _operator(precondition: str, parameters: str = "?x ?y", effect: str = "()") -> Operator:
    return operator_of(f"(:action a :parameters ({parameters}) :precondition {precondition} :effect {effect})")


def _counts(predicted: str, gold: str) -> tuple[list[str], ...]:
    found = _of_precondition(compare(_operator(predicted), _operator(gold)))
    return tuple([name for each in found for name in [each.predicate] * getattr(each, kind)] for kind in KINDS)


def _of_precondition(match: Match) -> list[Count]:
    return [count for count in match.counts if count.part is Part.PRECONDITION]


@pytest.mark.parametrize(
    ("predicted", "gold", "right", "wrong", "lacking"),
    [
        ("(and (p ?x) (q ?y))", "(and (q ?y) (p ?x))", "pq", "", ""),
        ("(and (r ?x) (s ?x) (p ?x))", "(p ?x)", "p", "rs", ""),
        ("()", "(and (p ?x) (q ?x))", "", "", "pq"),
        ("(p ?x)", "(not (p ?x))", "", "p", "p"),
        ("(e ?x ?y)", "(e ?y ?x)", "e", "", ""),
        ("(and (e ?x ?y) (p ?x))", "(and (e ?y ?x) (p ?x))", "p", "e", "e"),
        ("(= ?x ?y)", "(and (= ?y ?x))", "=", "", ""),
        ("(and (p ?x) (p ?y))", "(and (p ?x))", "p", "p", ""),
        ("(or (p ?x) (q ?x))", "(or (q ?x) (r ?x))", "q", "p", "r"),
        ("(p ?x)", "(or (p ?x) (q ?x))", "p", "", "q"),
        ("(and (p ?x) (q ?x))", "(or (and (p ?x) (q ?x)) (and (p ?x) (r ?x)))", "pq", "", "r"),
        ("(and (p ?x) (and (q ?x) (p ?x)))", "(and (q ?x) (p ?x))", "pq", "", ""),
        ("(not (and (p ?x) (q ?x)))", "(or (not (q ?x)) (not (p ?x)))", "pq", "", ""),
        ("(imply (p ?x) (q ?x))", "(or (not (p ?x)) (q ?x))", "pq", "", ""),
        ("(not (exists (?z) (p ?z)))", "(forall (?z) (not (p ?z)))", "p", "", ""),
        ("(not (not (or (p ?x))))", "(p ?x)", "p", "", ""),
        ("(exists (?a) (exists (?b) (e ?a ?b)))", "(exists (?a ?b) (e ?a ?b))", "e", "", ""),
        (
            "(forall (?z) (and (p ?z) (q ?z)))",
            "(and (forall (?z) (p ?z)) (forall (?w) (q ?w)))",
            "pq",
            "",
            "",
        ),
        (
            "(or (and (p ?x) (q ?x)) (and (r ?x) (s ?x)))",
            "(or (and (r ?x) (s ?x)) (and (p ?x) (t ?x)))",
            "prs",
            "q",
            "t",
        ),
        ("(exists (?z) (e ?x ?z))", "(exists (?w) (e ?x ?w))", "e", "", ""),
        ("(exists (?z) (e ?x ?z))", "(forall (?w) (e ?x ?w))", "", "e", "e"),
        ("(exists (?a ?b) (e ?a ?b))", "(exists (?b ?a) (e ?b ?a))", "e", "", ""),
        ("(exists (?x) (p ?x))", "(p ?x)", "", "p", "p"),
        ("(exists (?x) (p ?x))", "(exists (?z) (p ?z))", "p", "", ""),
        ("(made-up ?x)", "(p ?x)", "", ["made-up"], "p"),
        ("(p bob)", "(p bob)", "p", "", ""),
        ("(p bob)", "(p ?x)", "", "p", "p"),
    ],
)
def test_literals_are_counted(predicted: str, gold: str, right: str, wrong: list[str] | str, lacking: str) -> None:
    assert _counts(predicted, gold) == (list(right), list(wrong), list(lacking))


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


# --- laws ----------------------------------------------------------------------------------------

_PARAMETERS = ("?x", "?y", "?z")
_atoms = st.builds(
    lambda name, terms: f"({name} {' '.join(terms)})",
    st.sampled_from("pqr"),
    st.lists(st.sampled_from(_PARAMETERS), min_size=1, max_size=2),
)
_formulas = st.recursive(
    _atoms | _atoms.map(lambda atom: f"(not {atom})"),
    lambda inner: st.one_of(
        st.lists(inner, max_size=3).map(lambda parts: f"(and {' '.join(parts)})"),
        st.lists(inner, min_size=1, max_size=3).map(lambda parts: f"(or {' '.join(parts)})"),
        inner.map(lambda part: f"(exists (?x) {part})"),
    ),
    max_leaves=6,
)


@given(_formulas)
def test_an_operator_agrees_with_itself(text: str) -> None:
    operator = _operator(text, "?x ?y ?z")
    assert compare(operator, operator).is_same


@given(_formulas, _formulas)
def test_right_and_wrong_are_what_is_predicted_right_and_missed_what_is_gold(ours: str, theirs: str) -> None:
    predicted, gold = _operator(ours, "?x ?y ?z"), _operator(theirs, "?x ?y ?z")
    found = total(_of_precondition(compare(predicted, gold)))
    assert found.right + found.wrong <= len(predicted.precondition)
    assert found.right + found.missed == total(_of_precondition(missed(gold))).missed


@given(_formulas, _formulas, st.permutations(_PARAMETERS))
def test_the_names_of_parameters_do_not_matter(ours: str, theirs: str, order: list[str]) -> None:
    names = dict(zip(_PARAMETERS, order, strict=True))
    renamed = re.sub(r"\?[xyz]", lambda match: names[match[0]], ours)
    gold = _operator(theirs, "?x ?y ?z")
    found = [compare(_operator(text, "?x ?y ?z"), gold) for text in (ours, renamed)]
    assert total(_of_precondition(found[0])).right == total(_of_precondition(found[1])).right
