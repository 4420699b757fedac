"""Constraints on plans, beside what they say in plain Python; the patterns of steps and how they are read."""

from __future__ import annotations

import pytest

from validator import prepare
from validator.automata.constraints import violations
from validator.errors import InputError
from validator.foils import AtMost, Must, Pattern, read_pattern
from validator.reading.plan import Step

DOMAIN = """(define (domain d) (:requirements :typing) (:types block)
  (:predicates (on ?x ?y - block))
  (:action move :parameters (?x ?y - block) :effect (on ?x ?y))
  (:action rest :parameters () :effect (and)))"""
PROBLEM = "(define (problem p) (:domain d) (:objects a b c - block) (:init) (:goal (and)))"
NAMES = prepare(DOMAIN, PROBLEM).simulator

STEPS = [Step(name=name) for name in "abc"]


def test_the_steps_at_fault_are_named() -> None:
    plan = [STEPS[0], STEPS[1], STEPS[0], STEPS[0]]
    assert [*violations(AtMost(number=1, step=Pattern(name="a")), plan)] == [2, 3]
    assert [*violations(Must(step=Pattern(name="c")), plan)] == [None]


@pytest.mark.parametrize(
    ("pattern", "args", "matches"),
    [
        ("(move a b)", "a b", True),
        ("(move a b)", "b a", False),
        ("(move _ b)", "a b", True),
        ("(move ? ?)", "a b", True),
        ("(move ?x ?x)", "a b", False),
        ("(move ?x ?x)", "a a", True),
        ("(move ?x ?y)", "a a", True),
    ],
)
def test_open_arguments(pattern: str, args: str, matches: bool) -> None:
    assert read_pattern(pattern, NAMES).matches(Step(name="move", args=tuple(args.split()))) is matches
    assert not read_pattern(pattern, NAMES).matches(Step(name="rest"))


@pytest.mark.parametrize("text", ["(move a ?x)", "move a ?x", "move(a, ?x)", " MOVE( A , ?x ) "])
def test_the_ways_to_write_a_step(text: str) -> None:
    assert read_pattern(text, NAMES) == Pattern(name="move", args=("a", "?x"))


@pytest.mark.parametrize(
    ("text", "said", "column"),
    [
        ("(mve a b)", "unknown step 'mve' (did you mean 'move'?)", 2),
        ("(move a)", "'move' takes 2 arguments, got 1", 2),
        ("move(a, d)", "unknown object 'd'", 9),
        ("(move a b", "a step such as", 1),
        ("(move a) b)", "a step such as", 1),
        ("", "a step such as", 1),
        ("()", "a step such as", 1),
    ],
)
def test_what_is_no_step_is_refused_with_its_place(text: str, said: str, column: int) -> None:
    with pytest.raises(InputError) as caught:
        read_pattern(text, NAMES, source="--must")
    assert said in str(caught.value)
    assert (caught.value.line, caught.value.column) == (1, column)
