"""The proof from both ends of a plan, against a brute force over states and places."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from math import inf
from unittest.mock import patch

import numpy as np
import pytest

from tests.repair.test_regression import MEMORY
from tests.repair.test_sweep import cases
from tests.support.depth import some
from validator import check
from validator.checking.prepared import prepare
from validator.grounding.limits import Limits
from validator.grounding.plain import conditional
from validator.grounding.task import Task
from validator.model.pddl import read_model
from validator.reading.plan import Step
from validator.repair.edit import Weighting, compile_edit
from validator.repair.search.backward.projection import Change, Map
from validator.repair.search.sweep import ends
from validator.repair.search.sweep.ends import prove, suits
from validator.repair.search.sweep.joined import Joined
from validator.repair.search.sweep.projection import held

pytestmark = pytest.mark.planner

SEEDS = some(range(40), 12)


def cubes(seed: int, quality: str = "valid") -> list[tuple[Joined, int]]:
    """Return problems of which every step can be undone, and what is right."""
    found = [(problem, right) for problem, right, _ in cases("cubes", seed, quality) if isinstance(problem, Joined)]
    assert all(suits(problem) for problem, _ in found)
    return found


@pytest.mark.parametrize("quality", ["sound", "valid"])
@pytest.mark.parametrize("seed", SEEDS)
def test_it_finds_what_a_brute_search_finds(seed: int, quality: str) -> None:
    for problem, right in cubes(seed, quality):
        found = prove(problem, lambda: inf, lambda bound: True, MEMORY)
        assert found.lower == right
        assert found.names is not None
        assert _changes(problem, found.names) == right


@pytest.mark.parametrize("seed", SEEDS)
def test_of_other_models_it_takes_those_of_which_it_says_what_is_right(seed: int) -> None:
    for kind in ("turns", "places", "conditions"):
        for problem, right, _ in cases(kind, seed, "valid"):
            if isinstance(problem, Joined) and suits(problem):
                found = prove(problem, lambda: inf, lambda bound: True, MEMORY)
                assert found.lower == right
                assert found.names is not None
                assert _changes(problem, found.names) == right


def test_some_problems_need_several_changes() -> None:
    assert max(right for seed in range(12) for _, right in cubes(seed)) > 3


def test_where_there_is_no_repair_it_ends() -> None:
    """Two of three things can be exchanged by turns of all three only."""
    domain = """(define (domain d) (:requirements :conditional-effects) (:predicates (a ?x) (b ?x) (c ?x))
      (:action turn :parameters () :effect (and
        (forall (?x) (when (a ?x) (and (not (a ?x)) (b ?x)))) (forall (?x) (when (b ?x) (and (not (b ?x)) (c ?x))))
        (forall (?x) (when (c ?x) (and (not (c ?x)) (a ?x)))))))"""
    problem = """(define (problem p) (:domain d) (:objects x y z) (:init (a x) (b y) (c z))
      (:goal (and (b x) (a y) (c z))))"""
    prepared = prepare(read_model(domain, problem))
    with patch.object(conditional, "_MOST_COPIES", 0):
        task = prepared.task(Limits(deadline=inf, memory=MEMORY))
    assert isinstance(task, Task)
    for plan in ([], ["turn"], ["turn"] * 5):
        tokens = [Step(name=name) for name in plan]
        joined = Joined(compile_edit(task, tokens, Weighting.edits(), with_goal=True), with_goal=True)
        assert suits(joined)
        found = prove(joined, lambda: inf, lambda bound: True, MEMORY)
        assert found.names is None
        assert found.lower < 20
    assert check(prepared, None, "(turn)").proven


@pytest.mark.parametrize("seed", SEEDS)
def test_with_a_plan_that_is_best_it_proves_it_without_finding_it(seed: int) -> None:
    for problem, right in cubes(seed):
        found = prove(problem, partial(float, right), lambda bound: True, MEMORY)
        assert found.lower == right
        assert found.names is None


@pytest.mark.parametrize("seed", SEEDS)
def test_ended_anywhere_it_claims_no_more_than_is_right(seed: int) -> None:
    for problem, right in cubes(seed):
        for pulses in range(0, 40, 7):
            assert prove(problem, lambda: inf, partial(_asked, iter(range(pulses))), MEMORY).lower <= right


@pytest.mark.parametrize("limit", ["_MOST_STATES", "_MOST_TRIED"])
@pytest.mark.parametrize("seed", SEEDS)
def test_with_few_states_it_claims_no_more_than_is_right(
    seed: int, limit: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for most in (1, 5, 20):
        monkeypatch.setattr(ends, limit, most)
        for problem, right in cubes(seed):
            found = prove(problem, lambda: inf, lambda bound: True, MEMORY)
            assert found.lower <= right
            assert found.names is None or _changes(problem, found.names) == found.lower == right


@pytest.mark.parametrize("most", [1, 4, 64])
@pytest.mark.parametrize("seed", SEEDS)
def test_however_many_variables_are_looked_at_as_one(seed: int, most: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ends, "_MOST_TOGETHER", most)
    for problem, right in cubes(seed):
        assert prove(problem, lambda: inf, lambda bound: True, MEMORY).lower == right


@pytest.mark.parametrize("seed", SEEDS)
def test_states_that_share_a_hash_prove_nothing_false(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    def few(self: object, numbers: np.ndarray, facts: np.ndarray) -> np.ndarray:
        return np.full(facts.shape[1], numbers[facts[0]].min() if facts.size else 0, dtype=np.uint64)

    monkeypatch.setattr(ends._Ends, "_hashes", few)
    for problem, right in cubes(seed):
        found = prove(problem, lambda: inf, lambda bound: True, MEMORY)
        assert found.lower <= right
        assert found.names is None or _changes(problem, found.names) == right


def _asked(left: Iterator[int], bound: int) -> bool:
    return next(left, None) is not None


def _changes(problem: Joined, names: Sequence[str]) -> int:
    """Return how many changes a repair has, after it was executed."""
    operators = {change.number: change for change in problem.alike.operators}
    state, changes, passed = list(problem.init), 0, 0
    for name in names:
        kind, number = name.split()
        if kind in "ks":
            assert int(number) == passed
            passed += 1
        changes += kind != "k"
        if kind != "s":
            state = _behind(state, problem.steps[int(number)][0] if kind == "k" else operators[int(number)])
    assert passed == problem.length
    for choices in problem.stages:
        assert any(all(state[variable] in held(asked) for variable, asked in choice) for choice in choices)
    return changes


def _behind(state: Sequence[int], change: Change) -> list[int]:
    found = [change.sets.get(variable, value) for variable, value in enumerate(state)]
    for variable, each in change.maps.items():
        assert isinstance(each, Map)
        found[variable] = each.behind[state[variable]]
    return found
