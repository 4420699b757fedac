"""Constraints on plans, beside what they say in plain Python; the patterns of steps and how they are read."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from validator import prepare
from validator.automata.constraints import transitions, violations
from validator.errors import InputError
from validator.foils import AtMost, Before, Constraint, Must, MustNot, Pattern, Starts, read_pattern
from validator.reading.plan import Step

DOMAIN = """(define (domain d) (:requirements :typing) (:types block)
  (:predicates (on ?x ?y - block))
  (:action move :parameters (?x ?y - block) :effect (on ?x ?y))
  (:action rest :parameters () :effect (and)))"""
PROBLEM = "(define (problem p) (:domain d) (:objects a b c - block) (:init) (:goal (and)))"
NAMES = prepare(DOMAIN, PROBLEM).simulator

STEPS = [Step(name=name) for name in "abc"]
_plans = st.lists(st.sampled_from(STEPS), max_size=7)
_patterns = st.sampled_from([Pattern(name=name) for name in "abc"])
_constraints = st.one_of(
    st.builds(lambda step: Must(step=step), _patterns),
    st.builds(lambda step: MustNot(step=step), _patterns),
    st.builds(lambda first, second: Before(first=first, second=second), _patterns, _patterns),
    st.builds(lambda number, step: AtMost(number=number, step=step), st.integers(0, 3), _patterns),
    st.builds(lambda steps: Starts(steps=tuple(steps)), st.lists(st.sampled_from(STEPS), min_size=1, max_size=3)),
)


def _holds(constraint: Constraint, names: Sequence[str]) -> bool:
    """Say in plain Python whether a plan keeps to a constraint."""
    match constraint:
        case Must(step=step):
            return step.name in names
        case MustNot(step=step):
            return step.name not in names
        case AtMost(number=number, step=step):
            return names.count(step.name) <= number
        case Before(first=first, second=second):
            return all(first.name in names[:place] for place, name in enumerate(names) if name == second.name)
        case Starts(steps=steps):
            return [*names[: len(steps)]] == [step.name for step in steps if isinstance(step, Step)]


@given(_constraints, _plans)
def test_a_plan_violates_what_it_does_not_keep_to(constraint: Constraint, plan: list[Step]) -> None:
    violated = bool([*violations(constraint, plan)])
    assert violated is not _holds(constraint, [step.name for step in plan])


@given(_constraints)
def test_each_state_has_one_way_at_most_for_a_step(constraint: Constraint) -> None:
    for step in STEPS:
        for state in range(constraint.states):
            moves = [
                after
                for before, after in transitions(constraint.edges, constraint.states, step)
                if before in (None, state)
            ]
            assert len(moves) <= 1
            assert all(after is None or 0 <= after < constraint.states for after in moves)


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
