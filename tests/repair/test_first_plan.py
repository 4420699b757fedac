"""A first repair: there is one wherever a greedy search finds a plan, near the observed one where that can be."""

from __future__ import annotations

from contextlib import nullcontext

import pytest

from tests.support.models import carry, gripper, limits, task_of
from validator.checking.prepared import Prepared, prepare
from validator.model.pddl import read_model
from validator.reading.plan import Token
from validator.reading.tokens import tokenize
from validator.repair.edit import Edit, Move, Weighting, compile_edit
from validator.repair.incumbent import begun
from validator.repair.provers import find_any_plan

pytestmark = pytest.mark.planner

TRAP = """(define (domain trap) (:requirements :strips) (:predicates (start) (hall) (pit) (out))
  (:action jump :parameters () :precondition (start) :effect (and (pit) (not (start))))
  (:action enter :parameters () :precondition (start) :effect (and (hall) (not (start))))
  (:action leave :parameters () :precondition (hall) :effect (and (out) (not (hall)))))"""
PROBLEM = "(define (problem p) (:domain trap) (:init (start)) (:goal (out)))"


def first(prepared: Prepared, plan: str) -> tuple[Edit, ...] | None:
    """Return the first repair, whose tokens are those of the plan."""
    tokens: list[Token] = [prepared.simulator.resolve(token) for token in tokenize(plan, prepared.vocabulary).tokens]
    incumbent = begun(
        compile_edit(task_of(prepared), tokens, Weighting.edits(), with_goal=True),
        prepared.simulator,
        with_goal=True,
        optimum=None,
        progress=lambda lower, best: None,
        known=None,
        clock=nullcontext,
    )
    if incumbent.best is None:
        find_any_plan(incumbent, limits())
    edits = None if incumbent.best is None else incumbent.best.edits
    assert edits is None or [edit.token for edit in edits if edit.move is not Move.INSERT] == tokens
    return edits


def test_a_nearly_good_plan_is_kept() -> None:
    lines = carry(12).splitlines()
    edits = first(prepare(read_model(*gripper(12))), "\n".join(lines[:20] + lines[21:]))
    assert edits is not None
    assert sum(edit.move is not Move.KEEP for edit in edits) <= 8


def test_where_the_plan_ends_in_a_trap_another_one_is_found() -> None:
    edits = first(prepare(read_model(TRAP, PROBLEM)), "(jump)\n(leave)\n")
    assert edits is not None
    assert [(edit.move.value, str(edit.token)) for edit in edits] == [
        ("skip", "(jump)"),
        ("insert", "(enter)"),
        ("keep", "(leave)"),
    ]


def test_without_a_way_to_the_goal_there_is_none() -> None:
    assert first(prepare(read_model(TRAP, PROBLEM.replace("(start)", "(pit)"))), "(leave)") is None
