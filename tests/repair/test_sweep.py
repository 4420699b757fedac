"""The sweep through a plan: it finds what a brute search finds, and its bounds never take more than there is."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import Future
from functools import partial
from io import BytesIO
from math import inf
from pathlib import Path

import numpy as np
import pytest

from tests.repair.test_regression import MEMORY, cases
from tests.support.depth import some
from tests.support.edit_oracle import KINDS
from validator.checking.prepared import prepare
from validator.grounding.limits import Limits
from validator.grounding.planner import compute
from validator.grounding.task import Task
from validator.model.pddl import read_model
from validator.reading.plan import Step
from validator.repair.edit import Weighting, compile_edit
from validator.repair.search.backward.regression import Regression
from validator.repair.search.sweep import linear
from validator.repair.search.sweep.equation import Equation
from validator.repair.search.sweep.linear import solved
from validator.repair.search.sweep.partition import Partition, Partitions
from validator.repair.search.sweep.projection import NEVER
from validator.repair.search.sweep.proof import prove, suits

pytestmark = pytest.mark.planner


@pytest.mark.parametrize("quality", ["sound", "valid"])
@pytest.mark.parametrize("seed", some(range(4), 1))
@pytest.mark.parametrize("kind", KINDS)
def test_it_finds_what_a_brute_search_finds(kind: str, seed: int, quality: str) -> None:
    for regression, right, forced in cases(kind, seed, quality):
        found = prove(regression, lambda: inf, lambda bound: True, MEMORY)
        assert found.lower == right
        assert found.names is not None
        edits = regression.edit_task.edits(found.names)
        assert regression.edit_task.cost(edits) - forced == right


@pytest.mark.parametrize("seed", some(range(4), 1))
@pytest.mark.parametrize("kind", KINDS)
def test_with_a_plan_that_is_best_it_proves_it_without_finding_it(kind: str, seed: int) -> None:
    for regression, right, _ in cases(kind, seed, "valid"):
        found = prove(regression, partial(float, right), lambda bound: True, MEMORY)
        assert found.lower == right
        assert found.names is None


@pytest.mark.parametrize("seed", some(range(4), 1))
@pytest.mark.parametrize("kind", KINDS)
def test_what_it_finds_early_is_a_repair_and_no_proof(kind: str, seed: int) -> None:
    for regression, right, forced in cases(kind, seed, "valid"):
        early: list[tuple[str, ...]] = []
        found = prove(regression, lambda: inf, lambda bound: True, MEMORY, early.append)
        edit_task = regression.edit_task
        assert found.lower == right
        assert all(edit_task.cost(edit_task.edits(names)) - forced >= right for names in early)


@pytest.mark.parametrize("seed", some(range(4), 1))
@pytest.mark.parametrize("kind", KINDS)
def test_ended_anywhere_it_claims_no_more_than_is_right(kind: str, seed: int) -> None:
    for regression, right, _ in cases(kind, seed, "valid"):
        for pulses in range(0, 40, 7):
            assert prove(regression, lambda: inf, partial(_asked, iter(range(pulses))), MEMORY).lower <= right


@pytest.mark.parametrize("seed", some(range(4), 1))
@pytest.mark.parametrize("kind", KINDS)
def test_it_finds_the_same_with_few_states_in_one_go(kind: str, seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    def found() -> list[tuple[object, list[tuple[str, ...]]]]:
        answers: list[tuple[object, list[tuple[str, ...]]]] = []
        for regression, _, _ in cases(kind, seed, "valid"):
            early: list[tuple[str, ...]] = []
            answers.append((prove(regression, lambda: inf, lambda bound: True, MEMORY, early.append), early))
        return answers

    whole = found()
    monkeypatch.setattr("validator.repair.search.sweep.layers._MOST_PAIRS", 1)
    assert found() == whole


@pytest.mark.parametrize("seed", some(range(4), 1))
@pytest.mark.parametrize("kind", KINDS)
def test_bounds_of_all_variables_take_no_more_of_a_change_than_it_costs(kind: str, seed: int) -> None:
    for regression, right, _ in cases(kind, seed, "valid"):
        for partition in Partitions(regression).best(4, lambda: True):
            assert partition.total <= right
            assert partition.total == _bound(regression, partition, 0, list(enumerate(regression.task.init)))
            _check(regression, partition)


@pytest.mark.deep
@pytest.mark.parametrize("quality", ["sound", "valid"])
@pytest.mark.parametrize("seed", some(range(4), 1))
@pytest.mark.parametrize("kind", KINDS)
def test_with_a_linear_program_it_finds_the_same(kind: str, seed: int, quality: str) -> None:
    for regression, right, forced in cases(kind, seed, quality):
        found = prove(regression, lambda: inf, lambda bound: True, MEMORY, solve=_solve, solve_after=0)
        assert found.lower == right
        assert found.names is not None
        assert regression.edit_task.cost(regression.edit_task.edits(found.names)) - forced == right


def test_a_linear_program_has_its_own_process_and_bounds_as_much_as_shared_prices() -> None:
    regression, right, _ = cases("conditional", 1001, "valid")[0]
    partitions = Partitions(regression)
    equation = Equation(partitions)
    limits = Limits(deadline=time.monotonic() + 60, memory=MEMORY)
    answer = compute(Path(linear.__file__), equation.program(), limits, lambda: False)
    assert answer is not None
    partition = equation.partition(answer)
    assert partition is not None
    assert partitions.best(4, lambda: True)[0].total <= partition.total <= right
    _check(regression, partition)


@pytest.mark.deep
@pytest.mark.parametrize("noise", [0.0, 0.01, 0.3, 3.0])
@pytest.mark.parametrize("seed", some(range(4), 1))
@pytest.mark.parametrize("kind", KINDS)
def test_whatever_the_solver_says_what_is_taken_is_a_bound(kind: str, seed: int, noise: float) -> None:
    draw = np.random.default_rng(seed)
    for regression, right, _ in cases(kind, seed, "valid"):
        equation = Equation(Partitions(regression))
        duals = np.load(BytesIO(solved(equation.program()) or b""))
        file = BytesIO()
        np.save(file, duals + draw.normal(0, noise, duals.shape))
        partition = equation.partition(file.getvalue())
        if partition is None:
            assert noise > 0
        else:
            assert partition.total <= right
            _check(regression, partition)


def test_it_is_left_out_where_the_prices_have_no_room() -> None:
    regression, _, _ = cases("conditional", 1001, "valid")[0]
    assert suits(regression, MEMORY)
    assert not suits(regression, 0)


_MAYBE = """(define (domain d) (:requirements :conditional-effects) (:predicates (c) (e))
  (:action a :parameters () :effect (when (c) (e))) (:action give :parameters () :effect (c))
  (:action take :parameters () :effect (not (c))) (:action undo :parameters () :effect (not (e))))"""


def test_a_kept_step_that_may_set_a_value_needs_no_insertion_for_it() -> None:
    prepared = prepare(read_model(_MAYBE, "(define (problem p) (:domain d) (:init (c)) (:goal (e)))"))
    task = prepared.task(Limits(deadline=inf, memory=MEMORY))
    assert isinstance(task, Task)
    regression = Regression(compile_edit(task, [Step(name="a")], Weighting.edits(), with_goal=True), with_goal=True)
    assert len(regression.steps[0]) == 2  # one sets it, the other does not even read it
    for partition in Partitions(regression).best(4, lambda: True):
        assert partition.total == 0
        _check(regression, partition)


def _solve(program: bytes) -> Future[bytes | None]:
    answer = Future[bytes | None]()
    answer.set_result(solved(program))
    return answer


def _asked(left: Iterator[int], bound: int) -> bool:
    """Return whether it may still go on, which is asked so many times."""
    return next(left, None) is not None


def _check(regression: Regression, partition: Partition) -> None:
    """Hold each change at each place against what all variables' bounds fall by it at most."""
    first, rest, length, scale = regression.facts.first, partition.rest, regression.length, partition.scale
    for target in regression.targets:
        wanted = dict(target)
        ends = [
            max(int(rest[length, first[variable] + value]) for value in _values(wanted, variable, size))
            for variable, size in enumerate(regression.sizes)
        ]
        assert sum(ends) + int(rest[length, -1]) <= 0
    for place in range(length + 1):
        for change in regression.changes:
            assert _fall(regression, rest[place], rest[place], change.need, change.sets) <= scale * change.cost
    for place, steps in enumerate(regression.steps):
        assert _fall(regression, rest[place], rest[place + 1], {}, {}) <= scale * regression.skip
        for step in steps:
            assert _fall(regression, rest[place], rest[place + 1], step.need, step.sets) <= 0


def _values(wanted: Mapping[int, int], variable: int, size: int) -> Sequence[int]:
    return [wanted[variable]] if variable in wanted else range(size)


def _fall(
    regression: Regression, here: np.ndarray, behind: np.ndarray, need: Mapping[int, int], sets: Mapping[int, int]
) -> int:
    """Return by how much bounds fall at most, from here to behind a change; nothing from where no end is reached."""
    first, total = regression.facts.first, int(here[-1]) - int(behind[-1])
    for variable, size in enumerate(regression.sizes):
        old = [value for value in _values(need, variable, size) if here[first[variable] + value] < NEVER]
        pairs = [(first[variable] + value, first[variable] + sets.get(variable, value)) for value in old]
        if not pairs:
            return -NEVER
        total += max(int(here[a]) - int(behind[b]) for a, b in pairs)
    return total


def _bound(regression: Regression, partition: Partition, place: int, state: list[tuple[int, int]]) -> int:
    first = regression.facts.first
    return sum(int(partition.rest[place, first[variable] + value]) for variable, value in state)
