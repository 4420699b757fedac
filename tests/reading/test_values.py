"""Plans as values: JSON in the shapes that agents write, Python's literals, YAML, tables, tags."""

from __future__ import annotations

import pytest

from validator.reading.plan import Unparsed
from validator.reading.tokens import Vocabulary, tokenize

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
        "plan:\n  - action: pick-up\n    args: [a]\n  - action: stack\n    args: [a, b]\n",
        "| Step | Action | Args |\n|---|---|---|\n| 1 | pick-up | a |\n| 2 | stack | a, b |\n",
        '<plan>\n<step action="pick-up" args="a"/>\n<step action="stack" args="a b"/>\n</plan>',
        '{"plans": [{"result": {"output": {"sas_plan": "(pick-up a)\\n(stack a b)\\n; cost = 2\\n"}, "stderr": ""}}]}',
        '{"plan": "1. pick-up a\\n2. stack a b", "note": "two steps"}',
        '{"action": "pick-up(a)", "success": true}\n{"action": "stack(a,c)", "success": false}\n'
        '{"action": "stack(a,b)", "success": true}\n',
        '[{"action": "pick-up", "args": ["a"], "status": "ok"},'
        ' {"action": "stack", "args": ["a", "c"], "status": "failed"},'
        ' {"action": "stack", "args": ["a", "b"], "status": "ok"}]',
        'pick_up(x="a")\nstack(x="a", y="b")',
        "pick-up a -> stack a b",
        "pick-up a, stack a b",
    ],
)
def test_steps_are_read_in_the_shapes_that_agents_write(text: str) -> None:
    assert steps(text) == TWO


def test_a_step_keeps_its_place_in_the_text() -> None:
    text = 'Here: [{"name": "pick-up", "arguments": ["a"]}]'
    (step,) = tokenize(text, BLOCKS).steps
    assert text[slice(*step.span)] == '{"name": "pick-up", "arguments": ["a"]}'


def test_what_is_no_step_among_steps_is_unparsed() -> None:
    text = '[{"name": "pick-up", "arguments": ["a"]}, {"note": 1}, {"name": "stack", "arguments": ["a", "b"]}]'
    assert [isinstance(token, Unparsed) for token in tokenize(text, BLOCKS).tokens] == [False, True, False]


@pytest.mark.parametrize("text", ['{"state": {"on": ["a", "b"]}}', "[1, 2, 3]", '{"goal": "on a b"}'])
def test_values_without_a_step_are_none(text: str) -> None:
    assert not tokenize(text, BLOCKS).steps
