"""Plans as values: JSON in the shapes that agents write, Python's literals, YAML, tables."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from validator.reading.tokens import Vocabulary, tokenize
from validator.reading.values import json_values, span_of, value_at

BLOCKS = Vocabulary(
    actions={"pick-up": 1, "stack": 2},
    parameters={"pick-up": ("x",), "stack": ("x", "y")},
    objects=frozenset("abc"),
    predicates=frozenset(("on", "clear")),
)
TWO = ["(pick-up a)", "(stack a b)"]


def steps(text: str) -> list[str]:
    return [str(step) for step in tokenize(text, BLOCKS).tokens]


@pytest.mark.parametrize(
    "text",
    [
        '[{"name": "pick-up", "arguments": ["a"]}, {"name": "stack", "arguments": ["a", "b"]}]',
        '[{"action": "pick_up", "args": ["a"]}, {"action": "stack", "args": ["a", "b"]}]',
        '[{"action": "PickUp", "parameters": {"x": "a"}}, {"action": "stack", "parameters": {"y": "b", "x": "a"}}]',
        '[{"type": "function", "function": {"name": "pick-up", "arguments": "{\\"x\\": \\"a\\"}"}},'
        ' {"type": "function", "function": {"name": "stack", "arguments": "{\\"x\\": \\"a\\", \\"y\\": \\"b\\"}"}}]',
        '{"tool_calls": [{"name": "pick-up", "args": {"x": "a"}}, {"name": "stack", "args": {"x": "a", "y": "b"}}]}',
        '{"reasoning": "I will (stack b c) first?", "plan": ["(pick-up a)", "(stack a b)"]}',
        '```json\n{"plan": [{"action": "pick-up", "args": ["a"]}, {"action": "stack", "args": ["a", "b"]}]}\n```',
        '{"plan": [["pick-up", "a"], ["stack", "a", "b"]]}',
        "plan = [('pick-up', 'a'), ('stack', 'a', 'b')]",
        "```python\nplan = [\n    ('pick-up', 'a'),\n    ('stack', 'a', 'b'),\n]\n```",
        '[{"pick-up": ["a"]}, {"stack": ["a", "b"]}]',
        '{"action": "pick-up", "args": ["a"]}\n{"action": "stack", "args": ["a", "b"]}\n',
        "| Step | Action | Args |\n|---|---|---|\n| 1 | pick-up | a |\n| 2 | stack | a, b |\n",
        '{"plans": [{"result": {"output": {"sas_plan": "(pick-up a)\\n(stack a b)\\n; cost = 2\\n"}, "stderr": ""}}]}',
        '{"plan": "1. pick-up a\\n2. stack a b", "note": "two steps"}',
        '{"action": "pick-up(a)", "success": true}\n{"action": "stack(a,c)", "success": false}\n'
        '{"action": "stack(a,b)", "success": true}\n',
        '[{"action": "pick-up", "args": ["a"], "status": "ok"},'
        ' {"action": "stack", "args": ["a", "c"], "status": "failed"},'
        ' {"action": "stack", "args": ["a", "b"], "status": "ok"}]',
        'pick_up(x="a")\nstack(x="a", y="b")',
    ],
)
def test_steps_are_read_in_the_shapes_that_agents_write(text: str) -> None:
    assert steps(text) == TWO


@pytest.mark.parametrize("text", ['{"state": {"on": ["a", "b"]}}', "[1, 2, 3]", '{"goal": "on a b"}'])
def test_values_without_a_step_are_none(text: str) -> None:
    assert not tokenize(text, BLOCKS).steps


# --- the reader of values ------------------------------------------------------------------------

_LEAVES = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text()
_INNER = st.lists(_LEAVES, max_size=3) | st.dictionaries(st.text(), _LEAVES, max_size=3)
VALUES = st.lists(_LEAVES | _INNER, max_size=4) | st.dictionaries(st.text(), _LEAVES | _INNER, max_size=4)


@given(value=VALUES)
def test_a_value_is_read_as_json_and_as_python_write_it(value: Any) -> None:
    for text in (json.dumps(value), json.dumps(value, indent=1, ensure_ascii=False), repr(value)):
        read = value_at(text, 0)
        assert read is not None and read.span == (0, len(text)) and not read.is_cut
        assert read.plain == value


@given(value=VALUES)
def test_a_value_knows_the_places_of_what_is_in_it(value: Any) -> None:
    text = f"see {json.dumps([value, 'end'])}"
    (outer,) = json_values(text)
    first, last = outer.plain
    assert json.loads(text[slice(*span_of(first))]) == value
    assert text[slice(*span_of(last))] == '"end"'


@given(value=VALUES, data=st.data())
def test_a_text_that_ends_early_is_cut(value: Any, data: st.DataObject) -> None:
    text = json.dumps([["whole"], value])
    end = data.draw(st.integers(len('[["whole"]'), len(text) - 1))
    (read,) = json_values(text[:end], may_be_cut=True)
    assert read.is_cut and read.plain[0] == ["whole"]
