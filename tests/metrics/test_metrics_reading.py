"""A plan is compared as the sequence of what happens in it, in whatever form it was given."""

from __future__ import annotations

from typing import Any

import pytest

from validator import prepare, tokenize
from validator.metrics import read
from validator.reading.plan import Constraint, Plan, Step, Unparsed

DOMAIN = """(define (domain d) (:predicates (at ?x))
  (:action go :parameters (?x ?y) :precondition (at ?x) :effect (and (at ?y) (not (at ?x)))))"""
PROBLEM = "(define (problem p) (:domain d) (:objects a b) (:init (at a)) (:goal (at b)))"


def step(name: str, *args: str) -> Step:
    return Step(name=name, args=args)


PICK, STACK = step("pick", "a"), step("stack", "a", "b")


@pytest.mark.parametrize(
    "plan",
    [
        "(pick a)\n(stack a b)",
        "(pick a), (stack a b)",
        "pick(a)\nstack(a, b)",
        "pick(a),stack(a,b)",
        "pick(a),\n  stack( a , b )\n",
        "pick a\nstack a b",
        "pick  a, stack a b",
        "0: (pick a)\n1.5: (stack a b)",
        "1. pick(a)\n2. stack(a, b)",
        "['pick(a)', 'stack(a, b)']",
        '["(pick a)", "(stack a b)"]',
        "[pick(a), stack(a, b)]",
        '[{"action": "PICK", "object": "a"}, {"action": "STACK", "object": "a, b"}]',
        ["(pick a)", "stack(a, b)"],
        [PICK, STACK],
        (PICK, "(STACK A B)"),
        Plan(parts=(PICK, STACK)),
        tokenize("(pick a)\n(stack a b)"),
    ],
)
def test_a_plan_in_any_form_is_the_same_sequence(plan: Any) -> None:
    assert read(plan).elements == (PICK, STACK)


@pytest.mark.parametrize(
    ("text", "elements"),
    [
        ("", ()),
        (",,", ()),
        ("a", (step("a"),)),
        ("Pick, pick", (step("Pick"), step("pick"))),
        ("öffnen, café", (step("öffnen"), step("café"))),
        ("{b}", (frozenset([step("b")]),)),
        ("a, {}", (step("a"), frozenset())),
        ("a, {b(x, y), c}", (step("a"), frozenset([step("b", "x", "y"), step("c")]))),
        ("{a, a}", (frozenset([step("a")]),)),
        ("f(g(a,b),c)", (step("f", "g(a,b)", "c"),)),
        ("y = f(x), assert $y > 10", (Step(name="f", args=("x",), outputs=("y",)), Constraint(text="$y > 10"))),
        ("assert not $y", (Constraint(text="$y", holds=False),)),
        ("0: (a)\n0: (b)\n1: (c)", (frozenset([step("a"), step("b")]), step("c"))),
    ],
)
def test_commas_braces_and_times(text: str, elements: tuple[Any, ...]) -> None:
    assert read(text).elements == elements


@pytest.mark.parametrize("text", ["a, {b, c", "a}, b", "x{a, b}", "First, pick up a. Then stack it."])
def test_what_cannot_be_read_is_an_element_of_its_own(text: str) -> None:
    [element] = read(text).elements
    assert isinstance(element, Unparsed)
    assert read(text).elements == read(text).elements != read(text + "?").elements


def test_sets_and_texts_may_be_members_of_a_list() -> None:
    assert read([{"pick(a)", STACK}, "wait"]).elements == (frozenset([PICK, STACK]), step("wait"))


def test_with_a_model_names_have_its_spelling() -> None:
    model = prepare(DOMAIN, PROBLEM)
    assert read("Go(A, B)", model).elements == (step("go", "a", "b"),)
    assert read([step("GO", "a", "B")], model).elements == (step("go", "a", "b"),)
    assert read(read("Go(A, B)"), model).elements == (step("go", "a", "b"),)
