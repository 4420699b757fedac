"""The modified problem as a unified-planning problem: as dear as the fast form, whoever solves it."""

from __future__ import annotations

import tempfile
import time
from pathlib import Path
from typing import Any

import pytest
from unified_planning.io import PDDLReader
from unified_planning.plans import SequentialPlan
from unified_planning.shortcuts import (
    BoolType,
    Fluent,
    InstantaneousAction,
    Not,
    Problem,
    UserType,
    Variable,
)

from tests.support.depth import deep
from tests.support.edit_oracle import Oracle
from tests.support.models import gripper
from validator.grounding.limits import Status
from validator.repair.edit import Move
from validator.up.edit_problem import dump, edit_problem
from validator.up.planner import solve_with

pytestmark = [pytest.mark.up, pytest.mark.planner]

OPTIMAL = "fast-downward-opt"


# --- the shape -----------------------------------------------------------------------------------


def lamps() -> tuple[Problem, dict[str, Any]]:
    """Return two lamps: one press lights one, ``look`` changes nothing, the goal is that all are lit."""
    lamp, problem = UserType("lamp"), Problem("lamps")
    lit = problem.add_fluent(Fluent("lit", BoolType(), l=lamp), default_initial_value=False)
    for name in ("left", "right"):
        problem.add_object(name, lamp)
    press, look = InstantaneousAction("press", l=lamp), InstantaneousAction("look", l=lamp)
    press.add_precondition(Not(lit(press.l)))
    press.add_effect(lit(press.l), True)
    look.add_precondition(lit(look.l))
    problem.add_actions([press, look])
    some = Variable("some", lamp)
    problem.add_goal(problem.environment.expression_manager.Forall(lit(some), some))
    return problem, {"press": press, "look": look, **{item.name: item for item in problem.all_objects}}


@pytest.mark.deep
def test_names_of_the_model_that_are_taken_are_avoided() -> None:
    problem = Problem("taken")
    for name in ("at_0", "keep_1", "insert_go", "price_go"):
        problem.add_fluent(name, default_initial_value=False)
    go = InstantaneousAction("go")
    go.add_effect(problem.fluent("at_0"), True)
    problem.add_action(go)
    problem.add_goal(problem.fluent("at_0"))
    modified = edit_problem(problem, SequentialPlan([go(), go()]))
    names = {action.name for action in modified.actions}
    assert names == {"insert_go_", "keep_1_", "skip_1", "keep_2", "skip_2"}
    assert [edit.move for edit in solve_with(OPTIMAL, modified, 60).edits or ()] == [Move.KEEP, Move.KEEP]


def test_assignments_of_formulas_are_written_as_conditional_effects(tmp_path: Path) -> None:
    problem = Problem("copies")
    first, second = (problem.add_fluent(name, default_initial_value=False) for name in ("first", "second"))
    copy, flip = InstantaneousAction("copy"), InstantaneousAction("flip")
    copy.add_effect(first, second)
    flip.add_effect(second, Not(first), Not(second))
    problem.add_actions([copy, flip])
    problem.add_goal(first)
    modified = edit_problem(problem, SequentialPlan([copy()]))
    assert not modified.kind.has_fluents_in_boolean_assignments()
    dump(modified, tmp_path)
    dumped = [(tmp_path / name).read_text(encoding="utf-8") for name in ("domain.pddl", "problem.pddl")]
    cheapest = Oracle(*dumped).nearest((), "optimal", "edits", 1)
    assert cheapest is not None and cheapest[0] == 1


# --- engines -------------------------------------------------------------------------------------


@pytest.mark.deep
def test_the_answer_is_edits_of_the_plan_and_no_file_is_left(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    problem, of = lamps()
    plan = SequentialPlan([of["look"](of["left"]), of["press"](of["left"])])
    answer = solve_with("fast-downward", edit_problem(problem, plan), 60)
    assert [str(edit.token) for edit in answer.edits or () if edit.move is not Move.INSERT] == [
        "(look left)",
        "(press left)",
    ]
    assert (answer.status, answer.proven, answer.lower) == (Status.SOLVED, False, 0)
    assert list(tmp_path.iterdir()) == []


def started_in(folder: Path) -> list[int]:
    """Return the processes whose temporary files go below a folder."""
    found = []
    for path in Path("/proc").glob("[0-9]*/environ"):
        try:
            if f"TMPDIR={folder}".encode() in path.read_bytes():
                found.append(int(path.parent.name))
        except OSError:
            continue
    return found


@pytest.mark.parametrize("time_limit", [0.05, deep(5.0)])
def test_a_time_limit_ends_all_that_was_started(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, time_limit: float
) -> None:
    """The engine starts Fast Downward in a session of its own, which a signal to the child's group does not reach."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    modified = edit_problem(PDDLReader().parse_problem_string(*gripper(40)), SequentialPlan([]))
    start = time.monotonic()
    answer = solve_with(OPTIMAL, modified, time_limit)
    assert time.monotonic() - start < time_limit + 60  # without it, hours
    assert (answer.status, answer.edits, answer.proven) == (Status.TIME_LIMIT, None, False)
    assert started_in(tmp_path) == []
    assert list(tmp_path.iterdir()) == []
