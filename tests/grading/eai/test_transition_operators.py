"""Operators found in the text of an answer."""

from __future__ import annotations

import json

import pytest

from validator.grading.eai.transition_modeling.operators import find_operators

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
