"""The same text gives the same steps, whoever reads it: check, compare, adhere, recognize, batch, service, agents."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from validator import prepare, tokenize
from validator.adherence import adhere
from validator.adherence.model import pddl_steps
from validator.checking.check import check
from validator.errors import InputError
from validator.grading.batch.records import Record, record_of
from validator.metrics import read
from validator.questions.job import Bounds, plan_of
from validator.reading.calls import folded
from validator.reading.plan import Step
from validator.recognize.reading import read_observations

DOMAIN = """(define (domain d) (:predicates (clear ?x) (held ?x))
  (:action pick-up :parameters (?ob) :precondition (clear ?ob) :effect (held ?ob))
  (:action stack :parameters (?ob ?underob) :precondition (held ?ob) :effect (clear ?ob))
  (:action wait :parameters () :effect (and)))"""
PROBLEM = "(define (problem p) (:domain d) (:objects a b c) (:init (clear a)) (:goal (clear b)))"

PICK, STACK, WAIT = ("pick-up", "a"), ("stack", "a", "b"), ("wait",)
BOTH = [PICK, STACK]
NAMED = json.dumps({"name": "stack", "arguments": {"underob": "b", "ob": "a"}})
FUNCTION = json.dumps({"type": "function", "function": {"name": "pick-up", "arguments": '{"ob": "a"}'}})
USED = json.dumps({"type": "tool_use", "id": "t", "name": "pick-up", "input": {"ob": "a"}})
GEMINI = json.dumps({"functionCall": {"name": "pick-up", "args": {"ob": "a"}}})
PAIRS = json.dumps({"name": "stack", "arguments": [{"name": "underob", "value": "b"}, {"name": "ob", "value": "a"}]})
LAST = json.dumps({"id": 1, "tool": "stack", "args": ["a", "b"], "depends_on": [2]})
FIRST = json.dumps({"id": 2, "tool": "pick-up", "args": ["a"]})

TEXTS: list[tuple[str, list[tuple[str, ...]]]] = [
    ("(pick-up a)\n(stack a b)", BOTH),
    ("(pick-up a), (stack a b)", BOTH),
    ("0.0: (pick-up a) [1.0]\n1.5: (stack a b) [2.0]", BOTH),
    ("pick-up(a)\nstack(a, b)", BOTH),
    ("pick-up(a),\n  stack( a , b )\n", BOTH),
    ("pick-up(a), then stack(a, b)", BOTH),
    ("pick-up(ob=a)\nstack(ob=a, underob=b)", BOTH),
    ('pick-up(ob="a"), stack(underob="b", ob="a")', BOTH),
    ("pick-up(ob: a), stack(ob: a, underob: b)", BOTH),
    ("1. (pick-up a)\n2. (stack a b)", BOTH),
    ("1) pick-up a\n2) stack a b", BOTH),
    ("pick-up a\nstack a b", BOTH),
    ("step 0: PICK-UP A\n     1: STACK A B", BOTH),
    ("```\n(pick-up a)\n(stack a b)\n```", BOTH),
    ("My plan:\n1. (pick-up a)\n2. (stack a b)\nThat is all.", BOTH),
    ("(pick-up a) ; take it\n(stack a b) ; put it there", BOTH),
    ("pick-up(a), {stack(a, b), wait}", [PICK, STACK, WAIT]),
    ("{wait, pick-up(a)}, stack(a, b)", [WAIT, PICK, STACK]),
    ("wait, wait", [WAIT, WAIT]),
    ("wait", [WAIT]),
    ("(wait)", [WAIT]),
    ('["(pick-up a)", "(stack a b)"]', BOTH),
    ('{"plan": ["pick-up(a)", "stack(a, b)"]}', BOTH),
    (f"[{FUNCTION}, {NAMED}]", BOTH),
    (f'{{"tool_calls": [{FUNCTION}, {NAMED}]}}', BOTH),
    (f"[{GEMINI}, {PAIRS}]", BOTH),
    (f"```json\n[{USED}, {PAIRS}]\n```", BOTH),
    ('[{"action": "pick-up", "action_input": {"ob": "a"}}, {"tool": "stack", "args": ["a", "b"]}]', BOTH),
    ('[{"tool_name": "pick-up", "kwargs": {"ob": "a"}}, {"function": "stack", "parameters": ["a", "b"]}]', BOTH),
    ('[{"action": "PICK-UP", "object": "a"}, {"action": "STACK", "object": "a, b"}]', BOTH),
    ('{"PICK-UP": ["a"], "STACK": ["a", "b"]}', BOTH),
    ('[{"pick-up": {"ob": "a"}}, {"stack": {"ob": "a", "underob": "b"}}]', BOTH),
    (f"[{LAST}, {FIRST}]", BOTH),
    ("First, think about it. Then do something else.", []),
    ("", []),
]  # fmt: skip

MODEL = prepare(DOMAIN, PROBLEM)


def _of_tokens(tokens: Any) -> list[tuple[str, ...]]:
    return [(token.name, *token.args) for token in tokens if isinstance(token, Step)]


def _adhered(text: str) -> list[tuple[str, ...]]:
    try:
        found = adhere(f"{text}\n", [], model=MODEL, time_limit=0)
    except InputError:  # without a step, a text is refused
        return []
    steps = [pddl_steps(MODEL.model)(step) for step in found.plan or ()]
    return [(step.name, *step.args) if isinstance(step, Step) else ("wait",) for step in steps]


def _observed(text: str) -> list[tuple[str, ...]]:
    try:
        found = read_observations(text, "<test>", MODEL.model)
    except InputError:
        return []
    return [(one.step.name, *one.step.args) for one in found if one.step is not None]


def _batch(text: str) -> list[tuple[str, ...]]:
    record = record_of({"domain": DOMAIN, "problem": PROBLEM, "plan": text}, 1, Path())
    assert isinstance(record, Record)
    return _of_tokens(tokenize(record.plan, MODEL.vocabulary).tokens)


READERS: dict[str, Callable[[str], list[tuple[str, ...]]]] = {
    "tokenize": lambda text: _of_tokens(tokenize(text, MODEL.vocabulary).tokens),
    "check": lambda text: _of_tokens(check(MODEL, plan=f"{text}\n", quality="sound", repair=False).reference),
    "compare": lambda text: _of_tokens(read(text, MODEL).plan.tokens),
    "adhere": _adhered,
    "recognize": _observed,
    "batch": _batch,
    "service": lambda text: _of_tokens(plan_of(text, MODEL, None, Bounds()).tokens),
}


@pytest.mark.parametrize(("text", "steps"), TEXTS, ids=[f"{number}" for number in range(len(TEXTS))])
def test_the_same_text_gives_the_same_steps(text: str, steps: list[tuple[str, ...]]) -> None:
    expected = [(folded(name), *args) for name, *args in steps]
    found = {who: [(folded(name), *args) for name, *args in reader(text)] for who, reader in READERS.items()}
    assert found == dict.fromkeys(READERS, expected)


WITHOUT_MODEL = [
    ("f, g, h", ["(f)", "(g)", "(h)"]),
    ("f; g; h", ["(f)", "(g)", "(h)"]),
    ("f(x=a), g(z=c)", ["(f x=a)", "(g z=c)"]),
    ('[f(x="a"), g(z="c d")]', ["(f x=a)", '(g z="c d")']),
    ('f(x=[1, 2]), g(y={"k": "v"})', ["(f x=[1, 2])", '(g y={"k": "v"})']),
    ('f(x={"k": [1, "b"]})\nf(x={"k": 2})', ['(f x={"k": [1, "b"]})', '(f x={"k": 2})']),
    ('f("a", {"k": ["b", "c"]})\ng("a", ["b"])', ['(f a {"k": ["b", "c"]})', '(g a ["b"])']),
    ('[{"name": "f", "arguments": {"x": 1}}, {"function": {"name": "g", "arguments": "{}"}}]', ["(f x=1)", "(g)"]),
]


@pytest.mark.parametrize(("text", "steps"), WITHOUT_MODEL)
def test_without_a_model_as_well(text: str, steps: list[str]) -> None:
    assert list(map(str, tokenize(text).tokens)) == steps
    assert list(map(str, read(text).steps)) == steps
    assert list(map(str, adhere(f"{text}\n", []).plan or ())) == steps
