"""The sweep through a plan, of models made for it; ``tests/laws/test_searches.py`` has random ones."""

from __future__ import annotations

from math import inf
from unittest.mock import patch

import pytest

from tests.support.models import task_of
from validator.checking.prepared import prepare
from validator.grounding import axioms
from validator.model.pddl import read_model
from validator.reading.plan import Step
from validator.repair.cost_partitioning.partition import Partitions
from validator.repair.cost_partitioning.problem import Components, Plain
from validator.repair.cost_partitioning.prove import prove, suits
from validator.repair.edit import EditTask, Weighting, compile_edit

pytestmark = pytest.mark.planner

MEMORY = 2**30


def modified(domain: str, problem: str, *names: str) -> EditTask:
    """Return the modified task of a plan; no conditional effect is compiled away."""
    with patch.object(axioms, "_MOST_COPIES", 0):
        task = task_of(prepare(read_model(domain, problem)))
    return compile_edit(task, [Step(name=name) for name in names], Weighting.edits(), with_goal=True)


def counter() -> Components:
    domain = """(define (domain d) (:requirements :conditional-effects :negative-preconditions)
      (:predicates (a) (b) (c) (open))
      (:action next :parameters () :precondition (not (open)) :effect (and
        (when (not (a)) (a)) (when (a) (not (a)))
        (when (and (a) (not (b))) (b)) (when (and (a) (b)) (not (b)))
        (when (and (a) (b) (not (c))) (c)) (when (and (a) (b) (c)) (not (c)))))
      (:action unlock :parameters () :precondition (and (a) (b) (c)) :effect (open)))"""
    problem = "(define (problem p) (:domain d) (:init (b)) (:goal (open)))"
    return Components(modified(domain, problem, "next", "next", "next", "next", "unlock"), with_goal=True)


def test_the_bits_of_a_counter_are_one_variable() -> None:
    joined = counter()
    assert max(joined.sizes) == 8
    found = prove(joined, lambda: inf, lambda bound: True, MEMORY)
    assert found.lower == 1
    assert found.names is not None
    assert found.names.count("i 0") + found.names.count("i 1") == 1


def test_too_many_values_are_not_joined(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("validator.repair.cost_partitioning.problem._MOST_ARCS", 1)
    with pytest.raises(TimeoutError):
        counter()


def test_it_is_left_out_where_the_prices_have_no_room() -> None:
    assert suits(counter(), MEMORY)
    assert not suits(counter(), 0)


def test_a_kept_step_that_may_set_a_value_needs_no_insertion_for_it() -> None:
    domain = """(define (domain d) (:requirements :conditional-effects) (:predicates (c) (e))
      (:action a :parameters () :effect (when (c) (e))) (:action give :parameters () :effect (c))
      (:action take :parameters () :effect (not (c))) (:action undo :parameters () :effect (not (e))))"""
    task = modified(domain, "(define (problem p) (:domain d) (:init (c)) (:goal (e)))", "a")
    assert {partition.total for partition in Partitions(Plain(task, with_goal=True)).best(4, lambda: True)} == {0}
