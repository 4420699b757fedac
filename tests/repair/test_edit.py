"""The modified planning problem: which operators it has, what they cost, how its plans are read."""

from __future__ import annotations

import time
from fractions import Fraction

import pytest

from validator.execution.simulator import Simulator
from validator.grounding.ground import ground
from validator.grounding.limits import Limits
from validator.grounding.task import Task
from validator.model.pddl import read_model
from validator.reading.plan import Constraint, Step, Token, Unparsed, bare
from validator.records import replace
from validator.repair.edit import Edit, Move, Policy, Weighting, compile_edit, unmodified

pytestmark = pytest.mark.planner

ROADS = """
(define (domain roads) (:requirements :adl :action-costs)
  (:predicates (at ?x) (road ?x ?y) (lamp)) (:functions (total-cost))
  (:action go :parameters (?x ?y) :precondition (and (at ?x) (road ?x ?y))
    :effect (and (at ?y) (not (at ?x)) (increase (total-cost) 2)))
  (:action look :parameters () :precondition (lamp))
  (:action light :parameters () :effect (and (lamp) (increase (total-cost) 0.5))))
"""
PROBLEM = """
(define (problem q) (:domain roads) (:objects a b c) (:init (at a) (road a b) (road b a)) (:goal GOAL)
  (:metric minimize (total-cost)))
"""


def task(goal: str = "(at b)") -> Task:
    limits = Limits(deadline=time.monotonic() + 60, memory=2**32)
    found = ground(Simulator(read_model(ROADS, PROBLEM.replace("GOAL", goal))), limits)
    assert isinstance(found, Task)
    return found


@pytest.fixture(scope="module")
def roads() -> Task:
    return task()


GO, BACK, NOWHERE = (Step(name="go", args=args) for args in (("a", "b"), ("b", "a"), ("b", "c")))


def operators(text: str) -> list[str]:
    lines = text.splitlines()
    return [lines[place + 1] for place, line in enumerate(lines) if line == "begin_operator"]


def costs(text: str) -> dict[str, int]:
    lines = text.splitlines()
    return {
        name: int(lines[place - 1])
        for name, place in zip(
            operators(text), [place for place, line in enumerate(lines) if line == "end_operator"], strict=True
        )
    }


# --- the grounded task ---------------------------------------------------------------------------


def test_the_reachable_steps_are_operators(roads: Task) -> None:
    assert set(roads.steps) == {GO, BACK, Step(name="look"), Step(name="light")}


def test_the_operators_of_a_step_are_found_whatever_its_times(roads: Task) -> None:
    (number,) = roads.numbers(replace(GO, time=Fraction(3), duration=Fraction(1)))
    assert roads.encoding.step(roads.operators[number].name) == GO
    assert not roads.numbers(Step(name="go", args=("a",))) and not roads.numbers(Step(name="fly"))


def test_costs_are_scaled_to_integers(roads: Task) -> None:
    assert roads.encoding.scale == 2
    assert {step.name: roads.operators[roads.numbers(step)[0]].cost for step in roads.steps} == {
        "go": 4,
        "look": 0,
        "light": 1,
    }


@pytest.mark.parametrize(
    ("goal", "unsolvable"), [("(at b)", False), ("(at c)", True), ("(or)", True), ("(and)", False), ("(lamp)", False)]
)
def test_a_goal_out_of_reach_keeps_its_operators(goal: str, unsolvable: bool) -> None:
    found = task(goal)
    assert found.is_relaxed_unsolvable is unsolvable
    assert len(found.steps) == 4


def test_an_empty_goal_is_known_as_one() -> None:
    assert task("(and)").goal == ()


def test_a_disjunctive_goal_is_reached_by_operators() -> None:
    found = task("(or (at b) (lamp))")
    assert found.goal is None
    assert len(found.goal_operators) == 2


def test_the_unmodified_task_has_the_models_operators_that_change_something(roads: Task) -> None:
    names = operators(unmodified(roads))
    assert len(names) == 3
    assert all(name.startswith("i ") for name in names)


# --- the modified task ---------------------------------------------------------------------------


def test_a_step_can_be_kept_or_skipped_and_every_change_inserted(roads: Task) -> None:
    found = compile_edit(roads, [GO, GO], Weighting.edits(), with_goal=True)
    names = operators(found.text)
    assert sorted(name[:3] for name in names if name[0] in "ks") == ["k 0", "k 1", "s 0", "s 1"]
    assert sum(name.startswith("i ") for name in names) == 3


def test_a_step_without_effects_is_kept_never_inserted(roads: Task) -> None:
    (number,) = roads.numbers(Step(name="look"))
    found = compile_edit(roads, [Step(name="look")], Weighting.edits(), with_goal=False)
    assert f"k 0 {number}" in operators(found.text)
    assert f"i {number}" not in operators(found.text)


@pytest.mark.parametrize(
    "token",
    [NOWHERE, Step(name="fly"), Step(name="go", args=("a",)), Unparsed(text="(", reason="x"), Constraint(text="x")],
)
def test_a_token_that_is_no_reachable_operator_is_skipped_before_the_search(roads: Task, token: Token) -> None:
    found = compile_edit(roads, [GO, token], Weighting.edits(), with_goal=False)
    assert found.kept == (0,)
    assert found.forced_cost == 1


@pytest.mark.parametrize(
    ("weighting", "expected"),
    [
        (Weighting.edits(), {"k": 0, "s": 1, "go": 1, "light": 1}),
        (Weighting.keeping(1), {"k": 0, "s": 10**6, "go": 4, "light": 1}),
        (Weighting.cheapest(5), {"k": 24, "s": 1, "go": 25, "light": 7}),
    ],
)
def test_what_the_moves_cost(roads: Task, weighting: Weighting, expected: dict[str, int]) -> None:
    found = costs(compile_edit(roads, [GO], weighting, with_goal=True).text)
    seen = {name[0]: cost for name, cost in found.items() if name[0] in "ks"}
    for name, cost in found.items():
        if name.startswith("i "):
            seen[roads.encoding.step(roads.operators[int(name[2:])].name).name] = cost
    assert seen == expected


def test_a_free_insertion_costs_at_least_one() -> None:
    assert Weighting.keeping(3).insertion(0) == 1


def test_the_skips_of_a_long_plan_fit_the_search(roads: Task) -> None:
    weighting = Weighting.keeping(100_000)
    assert weighting.skip * 100_000 < 2**29


def test_costs_that_do_not_fit_are_refused(roads: Task) -> None:
    with pytest.raises(OverflowError, match="do not fit"):
        compile_edit(roads, [GO], Weighting.cheapest(10**9), with_goal=True)


def test_a_plan_of_the_modified_task_is_read_as_edits(roads: Task) -> None:
    tokens = [Step(name="fly"), GO, BACK, Step(name="swim")]
    found = compile_edit(roads, tokens, Weighting.edits(), with_goal=True)
    (light,) = roads.numbers(Step(name="light"))
    edits = found.edits([f"i {light}", "k 0", "s 1"])
    assert edits == (
        Edit(move=Move.INSERT, token=Step(name="light")),
        Edit(move=Move.SKIP, token=tokens[0]),
        Edit(move=Move.KEEP, token=GO),
        Edit(move=Move.SKIP, token=BACK),
        Edit(move=Move.SKIP, token=tokens[3]),
    )
    assert found.cost(edits) == 4


def test_times_and_outputs_do_not_matter_for_keeping(roads: Task) -> None:
    stamped = Step(name="go", args=("a", "b"), outputs=("x",), concurrent=1)
    assert bare(stamped) == GO
    assert compile_edit(roads, [stamped], Weighting.edits(), with_goal=False).kept == (0,)


def test_the_policies_have_their_names() -> None:
    assert [policy.value for policy in Policy] == ["edits", "keep", "move"]
