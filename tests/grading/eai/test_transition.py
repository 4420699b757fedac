"""Transition modeling: operators found, compared and counted; planned with, and executed under gold ones."""

from __future__ import annotations

import json

import pytest

from tests.support.transition_data import answer, operator, write_data
from validator.grading.eai.answers import Answer
from validator.grading.eai.transition_modeling.benchmark import Benchmark, read_benchmark
from validator.grading.eai.transition_modeling.grade import grade_answer
from validator.grading.eai.transition_modeling.matching import compare
from validator.grading.eai.transition_modeling.operators import Operator, find_operators, operator_of
from validator.grading.eai.transition_modeling.original import compare_texts
from validator.grading.eai.transition_modeling.planning import Allowance, Answered, Planning

A = "(:action a :parameters (?x) :precondition (p ?x) :effect (q ?x))"
B = "(:action b :parameters (?x) :precondition () :effect (p ?x))"


@pytest.mark.parametrize(
    ("text", "names"),
    [
        pytest.param(A, ["a"], id="bare"),
        pytest.param(json.dumps({"output": f"{A}\n{B}"}), ["a", "b"], id="JSON"),
        pytest.param("```json\n" + json.dumps({"output": A}) + "\n```", ["a"], id="fenced JSON"),
        pytest.param('Sure!\n{"output": "' + A + '"}\nAnything else?', ["a"], id="JSON in prose"),
        pytest.param('{"output": "' + A + "\n" + B + '"}', ["a", "b"], id="line ends in a JSON text"),
        pytest.param('{"output": ' + A + "}", ["a"], id="no quotes"),
        pytest.param(json.dumps({"output": [A, B]}), ["a", "b"], id="a list of texts"),
        pytest.param("{\n" + A + "\\n" + B + "\n}", ["a", "b"], id="escapes outside of JSON"),
        pytest.param(json.dumps({"output": f"; one\\n{A}\\n{B}"}), ["a", "b"], id="escapes within JSON"),
        pytest.param('{"output": "' + A.replace(" :", '\\n" +\n  ":') + '"}', ["a"], id="joined texts"),
        pytest.param(A.replace("(:action", "(**:action**"), ["a"], id="bold letters"),
        pytest.param(A.replace(":action", ":ACTION").replace(" a ", " A "), ["a"], id="upper case"),
        pytest.param(f"; {B}\n{A}", ["a"], id="commented out"),
        pytest.param(A.replace("(p ?x)", "(p ?x) ; not (r ?x\n"), ["a"], id="parenthesis in a comment"),
        pytest.param("I do not know.", [], id="none"),
        pytest.param("", [], id="empty"),
    ],
)
def test_operators_are_found(text: str, names: list[str]) -> None:
    found = find_operators(text)
    assert [each.name for each in found] == names
    assert all(each.operator is not None for each in found)


@pytest.mark.parametrize(
    ("text", "message", "line", "column"),
    [
        ("(:action a :parameters (?x)\n :effect (and (p ?x)", "never closed", 2, 10),
        ("(:action a :effect ((p ?x)))", "not a group", 1, 21),
        ("(:action a :precondition (not (p ?x) (q ?x)))", "'not' takes 1 argument, got 2", 1, 26),
        ("(:action a :parameters () :cost 3)", "':cost' is not a part of action 'a'", 1, 27),
        ("(:action a)", "'(:action NAME :parameters (...)", 1, 1),
        ("(:action a :effect (p) :effect (q))", "duplicate ':effect'", 1, 24),
        ("(:action a :parameters () :effect)", "has no value", 1, 27),
        ("(:action :effect (p))", "an action needs a name", 1, 10),
        ("(:action a :precondition (p (f ?x)))", "a variable or an object was expected", 1, 29),
    ],
)
def test_what_cannot_be_read_says_where(text: str, message: str, line: int, column: int) -> None:
    (found,) = find_operators(f"{B}\n{text}")[1:]
    assert found.operator is None
    assert found.fault is not None
    assert message in found.fault.message
    assert (found.fault.line, found.fault.column) == (line + 1, column)
    assert str(found.fault).splitlines()[-1].strip() == "^"


def test_a_text_of_any_depth_is_answered() -> None:
    (chain,) = find_operators("(:action a :effect " + "(and " * 5000 + ")" * 5001)
    assert chain.fault is None
    (found,) = find_operators("(:action a :effect " + "(when (p) " * 5000 + ")" * 5001)
    assert found.fault is not None
    assert "nested" in found.fault.message


# --- compared under the best naming of their parameters ------------------------------------------


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


# --- the original evaluator's reading and counting -----------------------------------------------


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


# --- planning with predicted operators, executing under gold ones, and one operator at a time ----


ALLOWANCE = Allowance(seconds=60, memory=2 * 2**30)


@pytest.fixture(scope="module")
def lamps(tmp_path_factory: pytest.TempPathFactory) -> Benchmark:
    return read_benchmark(write_data(tmp_path_factory.mktemp("lamps")))


def _planned(benchmark: Benchmark, text: str, *, compat: bool = False) -> Planning:
    done = grade_answer(benchmark, Answer(identifier="1_1", text=text), compat=compat, allowance=ALLOWANCE)
    assert done.planning is not None
    return done.planning


@pytest.mark.planner
@pytest.mark.parametrize("compat", [False, True])
def test_a_plan_of_a_laxer_operator_is_no_plan(lamps: Benchmark, compat: bool) -> None:
    planning = _planned(lamps, answer(operator("wipe", "()", "(lit ?l)")), compat=compat)
    assert (planning.answered, planning.valid) == (Answered.FOUND, False)
    assert planning.reason.startswith("step 1: precondition (at bob ")


@pytest.mark.planner
@pytest.mark.parametrize(
    ("precondition", "message"),
    [
        ("(shiny ?l)", "undeclared predicate 'shiny'"),
        ("(at ?p)", "predicate 'at' takes 2 arguments, got 1"),
        ("(lit ?lamp)", "unbound variable '?lamp'"),
        ("(lit green)", "undeclared object 'green'"),
        ("(> (f) 1)", "undeclared function 'f'"),
    ],
)
def test_an_ill_formed_operator_is_not_planned_with(lamps: Benchmark, precondition: str, message: str) -> None:
    planning = _planned(lamps, answer(operator("wipe"), operator("walk", precondition)))
    assert planning.answered is Answered.UNREADABLE
    assert planning.fault is not None
    assert message in planning.fault.message
    assert planning.fault.line == 7


# --- one operator at a time ----------------------------------------------------------------------


@pytest.mark.planner
def test_parameters_in_another_order_and_under_other_names_are_no_fault(lamps: Benchmark) -> None:
    walk = operator("walk").replace("?p - person ?l - lamp", "?to - lamp ?who - person")
    text = answer(walk.replace("?p", "?who").replace("?l", "?to"), operator("wipe"), operator("light-up"))
    found = grade_answer(lamps, Answer(identifier="1_1", text=text), allowance=ALLOWANCE, sensitivity=True)
    assert found.planning is not None and (found.planning.answered, found.planning.valid) == (Answered.FOUND, True)
    assert next(iter(found.trials.values())).valid
