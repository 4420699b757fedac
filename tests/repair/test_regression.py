"""The backward search: it never claims more than a brute search says, wherever the windows are cut."""

from __future__ import annotations

import random
from functools import cache
from math import inf
from typing import TypeVar

import pytest

from tests.support.depth import some
from tests.support.edit_oracle import KINDS, Oracle, random_case, random_marks
from validator.checking.prepared import Prepared, prepare
from validator.grounding.limits import Limits
from validator.grounding.plain import conditional
from validator.grounding.task import Task
from validator.model.pddl import read_model
from validator.reading.plan import Step
from validator.repair.cost_partitioning.components import Components
from validator.repair.edit import Weighting, compile_edit
from validator.repair.regression.problem import Regression
from validator.repair.regression.prove import Proof

pytestmark = pytest.mark.planner

MEMORY = 2**30

Searched = TypeVar("Searched", Regression, Components)


def plans(seed: int, actions: int) -> list[list[str]]:
    """Return plans, some with steps that do not exist."""
    rng = random.Random(seed)
    return [[f"(a{rng.randint(0, actions)})" for _ in range(rng.randint(0, 7))] for _ in range(12)]


def cases(kind: str, seed: int, quality: str) -> list[tuple[Regression, int, int]]:
    """Return searches with the cost that is right, and how much of it is for tokens that can only be skipped."""
    domain, problem, _ = random_marks(seed) if kind == "marks" else random_case(kind, seed)
    return searches(Regression, domain, problem, seed, quality)


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
    """Return the same of any model, as far as what is searched suits its task."""
    prepared, task = grounded(domain, problem, conditional._MOST_COPIES)
    oracle = Oracle(domain, problem)
    found = []
    for plan in plans(seed, len(prepared.model.domain.actions)):
        right = oracle.nearest(plan, quality, "edits", 1)
        tokens = [Step(name=line[1:-1]) for line in plan]
        edit_task = compile_edit(task, tokens, Weighting.edits(), with_goal=quality == "valid")
        if right is not None and searched.suits(edit_task):
            found_task = searched(edit_task, with_goal=quality == "valid")
            found.append((found_task, int(right[0]) - edit_task.forced_cost, edit_task.forced_cost))
    return found


@pytest.mark.parametrize("quality", ["sound", "valid"])
@pytest.mark.parametrize("seed", some(range(3), 1))
@pytest.mark.parametrize("kind", KINDS)
def test_it_finds_what_a_brute_search_finds(kind: str, seed: int, quality: str) -> None:
    for regression, right, forced in cases(kind, seed, quality):
        found = Proof(regression).run(lambda: inf, lambda bound: True, MEMORY)
        assert found.names is not None
        edits = regression.edit_task.edits(found.names)
        assert (found.lower, regression.edit_task.cost(edits) - forced) == (right, right)
        with_a_best_plan = Proof(regression).run(lambda right=right: right, lambda bound: True, MEMORY)
        assert with_a_best_plan.lower == right


@pytest.mark.parametrize("kind", KINDS)
def test_within_limits_it_claims_no_more_than_is_proven_and_goes_on(kind: str) -> None:
    for regression, right, _ in cases(kind, 20, "valid"):
        for calls in (0, 3, 9):
            left = iter(range(calls))
            found = Proof(regression).run(lambda: inf, lambda bound, left=left: next(left, None) is not None, MEMORY)
            assert found.lower <= right
        assert Proof(regression).run(lambda: inf, lambda bound: True, 0).lower <= right
        proof = Proof(regression)
        assert proof.add_up(lambda: inf, lambda bound: True, MEMORY, most_looks=0).lower <= right
        assert proof.whole(lambda: inf, lambda bound: True, MEMORY, most_looks=0).lower <= right
        assert proof.run(lambda: inf, lambda bound: True, MEMORY).lower == right


@pytest.mark.parametrize("seed", some(range(5, 9), 1))
@pytest.mark.parametrize("kind", [*KINDS, "marks"])
def test_wherever_the_plan_is_cut_the_windows_add_up_to_no_more(
    kind: str, seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    rng = random.Random(seed)
    for regression, right, _ in cases(kind, seed, "valid"):
        for _ in range(3):
            places = range(regression.length + 1)
            cut = [sorted(rng.sample(places, 2)) for _ in range(rng.randint(1, 6)) if len(places) > 1]
            monkeypatch.setattr(Proof, "windows", lambda self, cut=cut: sorted(map(tuple, cut), key=_size))
            bounds: list[int] = []

            def go_on(bound: int, bounds: list[int] = bounds) -> bool:
                bounds.append(bound)
                return True

            assert Proof(regression).run(lambda: inf, go_on, MEMORY).lower == right
            assert max(bounds, default=0) <= right


def _size(window: tuple[int, int]) -> int:
    return window[1] - window[0]


def test_a_goal_that_nothing_brings_about_comes_to_what_the_faults_cost(monkeypatch: pytest.MonkeyPatch) -> None:
    actions = "".join(
        f"(:action {name} :parameters () :precondition {before} :effect {behind})"
        for name, before, behind in (
            ("on", "(off)", "(and (lit) (not (off)))"),
            ("out", "(lit)", "(and (off) (not (lit)))"),
            ("sing", "(lit)", "(sung)"),
        )
    )
    domain = f"(define (domain d) (:predicates (lit) (off) (sung)) {actions})"
    problem = "(define (problem q) (:domain d) (:init (off)) (:goal (and (off) (sung))))"
    task = prepare(read_model(domain, problem)).task(Limits(deadline=inf, memory=MEMORY))
    assert isinstance(task, Task)
    tokens = [Step(name=name) for name in ("on", "out", "on", "out", "out", "on", "out")]
    regression = Regression(compile_edit(task, tokens, Weighting.edits(), with_goal=True), with_goal=True)
    assert list(regression.apart.prices.values()) == [1]
    assert Proof(regression).run(lambda: inf, lambda bound: True, MEMORY).lower == 2
    monkeypatch.setattr(Proof, "windows", lambda self: [(3, 5)])  # where the light is put out twice
    assert Proof(regression).add_up(lambda: inf, lambda bound: True, MEMORY).lower == 2
