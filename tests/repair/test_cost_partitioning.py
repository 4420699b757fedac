"""The sweep through a plan: it finds what a brute search finds, and its bounds never take more than there is."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache, partial
from itertools import accumulate
from math import inf
from random import Random
from typing import TypeVar
from unittest.mock import patch

import numpy as np
import pytest

from tests.support.depth import some
from tests.support.edit_oracle import KINDS as PLAIN
from tests.support.edit_oracle import Oracle, random_case, random_cubes, random_marks, random_places, random_turns
from validator.checking.prepared import Prepared, prepare
from validator.grounding import axioms
from validator.grounding.limits import Limits
from validator.grounding.task import Task
from validator.model.pddl import read_model
from validator.reading.plan import Step
from validator.repair.cost_partitioning.partition import NEVER, Partition, Partitions, held
from validator.repair.cost_partitioning.problem import Change, Components, Map, Plain, Problem
from validator.repair.cost_partitioning.prove import prove, suits
from validator.repair.edit import Weighting, compile_edit

pytestmark = pytest.mark.planner

MEMORY = 2**30

Searched = TypeVar("Searched", Plain, Components)

JOINED = {
    "turns": random_turns,
    "cubes": random_cubes,
    "places": random_places,
    "conditions": partial(random_case, "conditional"),
}
"""models of which no conditional effect is compiled away"""

KINDS = (*PLAIN, *JOINED)


def cases(kind: str, seed: int, quality: str) -> list[tuple[Plain, int, int]] | list[tuple[Components, int, int]]:
    """Return what is searched, what is right, and how much of a repair is for tokens that can only be skipped."""
    if kind in JOINED:
        domain, problem, _ = JOINED[kind](700 + seed)
        with patch.object(axioms, "_MOST_COPIES", 0):
            return searches(Components, domain, problem, seed, quality)
    domain, problem, _ = random_marks(seed) if kind == "marks" else random_case(kind, seed)
    return searches(Plain, domain, problem, seed, quality)


@cache
def grounded(domain: str, problem: str, _most_copies: int) -> tuple[Prepared, Task]:
    """Return a task, for which a process starts: once for all laws about a model."""
    prepared = prepare(read_model(domain, problem))
    task = prepared.task(Limits(deadline=inf, memory=4 * 2**30))
    assert isinstance(task, Task)
    return prepared, task


def searches(
    searched: type[Searched], domain: str, problem: str, seed: int, quality: str
) -> list[tuple[Searched, int, int]]:
    """Return the same of any model, as far as what is searched suits its task; some steps do not exist."""
    prepared, task = grounded(domain, problem, axioms._MOST_COPIES)
    oracle, draw, found = Oracle(domain, problem), Random(seed), []
    actions = len(prepared.model.domain.actions)
    for _ in range(12):
        plan = [f"(a{draw.randint(0, actions)})" for _ in range(draw.randint(0, 7))]
        right = oracle.nearest(plan, quality, "edits", 1)
        tokens = [Step(name=line[1:-1]) for line in plan]
        edit_task = compile_edit(task, tokens, Weighting.edits(), with_goal=quality == "valid")
        if right is not None and searched.suits(edit_task):
            found_task = searched(edit_task, with_goal=quality == "valid")
            found.append((found_task, int(right[0]) - edit_task.forced_cost, edit_task.forced_cost))
    return found


def test_there_are_models_with_maps() -> None:
    problems = [joined for kind in JOINED for seed in range(4) for joined, _, _ in cases(kind, seed, "valid")]
    turning = [change for joined in problems for change in joined.alike.classes if change.turns]
    assert len(turning) > len(problems)
    assert any(len(each.before) < len(each.behind) for change in turning for _, each in change.turns)
    assert any(isinstance(asked, Map) for joined in problems for (choice,) in joined.stages for _, asked in choice)


_COUNTER = """(define (domain d) (:requirements :conditional-effects :negative-preconditions)
  (:predicates (a) (b) (c) (open))
  (:action next :parameters () :precondition (not (open)) :effect (and
    (when (not (a)) (a)) (when (a) (not (a)))
    (when (and (a) (not (b))) (b)) (when (and (a) (b)) (not (b)))
    (when (and (a) (b) (not (c))) (c)) (when (and (a) (b) (c)) (not (c)))))
  (:action unlock :parameters () :precondition (and (a) (b) (c)) :effect (open)))"""


def test_the_bits_of_a_counter_are_one_variable() -> None:
    prepared = prepare(read_model(_COUNTER, "(define (problem p) (:domain d) (:init (b)) (:goal (open)))"))
    with patch.object(axioms, "_MOST_COPIES", 0):
        task = prepared.task(Limits(deadline=inf, memory=MEMORY))
    assert isinstance(task, Task)
    tokens = [Step(name=name) for name in ("next", "next", "next", "next", "unlock")]
    joined = Components(compile_edit(task, tokens, Weighting.edits(), with_goal=True), with_goal=True)
    assert max(joined.sizes) == 8
    found = prove(joined, lambda: inf, lambda bound: True, MEMORY)
    assert found.lower == 1
    assert found.names is not None
    assert found.names.count("i 0") + found.names.count("i 1") == 1


def test_too_many_values_are_not_joined(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("validator.repair.cost_partitioning.problem._MOST_ARCS", 1)
    with pytest.raises(TimeoutError):
        cases("turns", 1, "valid")


@pytest.mark.parametrize("quality", ["sound", "valid"])
@pytest.mark.parametrize("seed", some(range(4), 1))
@pytest.mark.parametrize("kind", [*KINDS, "marks"])
def test_it_finds_what_a_brute_search_finds(kind: str, seed: int, quality: str) -> None:
    for problem, right, forced in cases(kind, seed, quality):
        early: list[tuple[str, ...]] = []
        found = prove(problem, lambda: inf, lambda bound: True, MEMORY, early.append)
        assert found.names is not None
        assert (found.lower, _cost(problem, found.names) - forced) == (right, right)
        assert all(_cost(problem, names) - forced >= right for names in early)
        with_a_best_plan = prove(problem, partial(float, right), lambda bound: True, MEMORY)
        assert (with_a_best_plan.lower, with_a_best_plan.names) == (right, None)


@pytest.mark.parametrize("seed", some(range(4), 1))
@pytest.mark.parametrize("kind", KINDS)
def test_within_limits_it_claims_no_more_than_is_right(kind: str, seed: int) -> None:
    for problem, right, forced in cases(kind, seed, "valid"):
        for pulses in range(0, 40, 7):
            assert prove(problem, lambda: inf, partial(_asked, iter(range(pulses))), MEMORY).lower <= right
        for most in (8, 30, 100, 100_000):
            found = prove(problem, lambda: inf, lambda bound: True, 4 * most * (4 * len(problem.sizes) + 200))
            assert found.lower == right if most == 100_000 else found.lower <= right
            assert found.names is None or _cost(problem, found.names) - forced == right
        for partition in Partitions(problem).best(4, lambda: True):
            assert partition.total == _bound(problem, partition) <= right
            _check(problem, partition)


@pytest.mark.parametrize("seed", some(range(4), 1))
@pytest.mark.parametrize("kind", KINDS)
def test_it_finds_the_same_with_few_states_in_one_go(kind: str, seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    def found() -> list[tuple[object, list[tuple[str, ...]]]]:
        answers: list[tuple[object, list[tuple[str, ...]]]] = []
        for problem, _, _ in cases(kind, seed, "valid"):
            early: list[tuple[str, ...]] = []
            answers.append((prove(problem, lambda: inf, lambda bound: True, MEMORY, early.append), early))
        return answers

    whole = found()
    monkeypatch.setattr("validator.repair.cost_partitioning.layers._MOST_PAIRS", 1)
    assert found() == whole


def test_it_is_left_out_where_the_prices_have_no_room() -> None:
    problem, _, _ = cases("conditional", 1001, "valid")[0]
    assert suits(problem, MEMORY)
    assert not suits(problem, 0)


_MAYBE = """(define (domain d) (:requirements :conditional-effects) (:predicates (c) (e))
  (:action a :parameters () :effect (when (c) (e))) (:action give :parameters () :effect (c))
  (:action take :parameters () :effect (not (c))) (:action undo :parameters () :effect (not (e))))"""


def test_a_kept_step_that_may_set_a_value_needs_no_insertion_for_it() -> None:
    prepared = prepare(read_model(_MAYBE, "(define (problem p) (:domain d) (:init (c)) (:goal (e)))"))
    task = prepared.task(Limits(deadline=inf, memory=MEMORY))
    assert isinstance(task, Task)
    joined = Plain(compile_edit(task, [Step(name="a")], Weighting.edits(), with_goal=True), with_goal=True)
    assert len(joined.steps[0]) == 2  # one sets it, the other does not even read it
    for partition in Partitions(joined).best(4, lambda: True):
        assert partition.total == 0
        _check(joined, partition)


def _cost(problem: Problem, names: Sequence[str]) -> int:
    return problem.edit_task.cost(problem.edit_task.edits(names))


def _asked(left: Iterator[int], bound: int) -> bool:
    """Return whether it may still go on, which is asked so many times."""
    return next(left, None) is not None


def _check(problem: Problem, partition: Partition) -> None:
    """Hold each change at each place against what all variables' bounds fall by it at most."""
    first, rest, length = _first(problem), partition.rest, problem.length
    (targets,) = problem.stages
    for target in targets:
        wanted = dict(target)
        ends = [
            max(int(rest[length, first[variable] + value]) for value in _values(wanted.get(variable), size))
            for variable, size in enumerate(problem.sizes)
        ]
        assert sum(ends) + int(rest[length, -1]) <= 0
    for place in range(length + 1):
        for change in problem.alike.operators:
            assert _fall(problem, rest[place], rest[place], change) <= change.cost
    nothing = Change(number=0, cost=0, need={}, sets={})
    for place, steps in enumerate(problem.steps):
        assert _fall(problem, rest[place], rest[place + 1], nothing) <= problem.skip
        for step in steps:
            assert _fall(problem, rest[place], rest[place + 1], step) <= 0


def _values(asked: int | Map | None, size: int) -> Sequence[int]:
    return range(size) if asked is None else held(asked)


def _fall(problem: Problem, here: np.ndarray, behind: np.ndarray, change: Change) -> int:
    """Return by how much bounds fall at most, from here to behind a change; nothing from where no end is reached."""
    first, total = _first(problem), int(here[-1]) - int(behind[-1])
    asks = {**change.need, **change.maps}
    for variable, size in enumerate(problem.sizes):
        old = [value for value in _values(asks.get(variable), size) if here[first[variable] + value] < NEVER]
        pairs = [(first[variable] + value, first[variable] + _behind(change, variable, value)) for value in old]
        if not pairs:
            return -NEVER
        total += max(int(here[a]) - int(behind[b]) for a, b in pairs)
    return total


def _behind(change: Change, variable: int, value: int) -> int:
    return change.maps[variable].behind[value] if variable in change.maps else change.sets.get(variable, value)


def _first(problem: Problem) -> list[int]:
    return [0, *accumulate(problem.sizes)]


def _bound(problem: Problem, partition: Partition) -> int:
    """Return what is left at the beginning, with what is added whatever the state."""
    first, rest = _first(problem), partition.rest[0]
    return int(rest[-1]) + sum(int(rest[first[variable] + value]) for variable, value in enumerate(problem.init))
