"""The modified problem as a unified-planning problem: as dear as the fast form, whoever solves it."""

from __future__ import annotations

import subprocess
import sys
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
from tests.support.models import gripper
from validator.checking.check import Prepared, prepare
from validator.grounding.limits import Limits, Status
from validator.grounding.planner import search
from validator.reading.plan import Plan
from validator.repair.edit import Move, Policy
from validator.repair.nearest import repair
from validator.repair.proved import Proved
from validator.up.edit_problem import EditProblem, dump, edit_problem
from validator.up.planner import solve_with
from validator.up.problems import plan_from_up

pytestmark = [pytest.mark.up, pytest.mark.planner]

OPTIMAL = "fast-downward-opt"


def limits() -> Limits:
    return Limits(deadline=time.monotonic() + 60, memory=4 * 2**30)


def fast(prepared: Prepared, plan: Plan, *, policy: Policy, with_goal: bool) -> Proved:
    """Return the repair of the fast form."""
    task = prepared.task(limits())
    assert not isinstance(task, Status)
    tokens = tuple(map(prepared.simulator.resolve, plan.tokens or plan.unread))
    return repair(task, prepared.simulator, tokens, policy, limits(), with_goal=with_goal)


def cheapest(problem: EditProblem) -> int | None:
    """Return the cost of a cheapest plan of the dumped PDDL, by blind search; None when there is no plan."""
    with tempfile.TemporaryDirectory() as name:
        dump(problem, name)
        translator = [sys.executable, "-m", "fast_downward.translate", "domain.pddl", "problem.pddl"]
        subprocess.run(translator, cwd=name, check=True, capture_output=True)
        task = (Path(name) / "output.sas").read_text(encoding="utf-8")
    outcome = search(task, "astar(blind())", limits())
    assert outcome.status in (Status.SOLVED, Status.UNSOLVABLE)
    return outcome.cost


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


def names(problem: EditProblem) -> set[str]:
    return {action.name for action in problem.actions}


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
    assert names(modified) == {"insert_go_", "keep_1_", "skip_1", "keep_2", "skip_2"}
    assert [edit.move for edit in solve_with(OPTIMAL, modified, 60).edits or ()] == [Move.KEEP, Move.KEEP]


def test_assignments_of_formulas_are_written_as_conditional_effects() -> None:
    problem = Problem("copies")
    first, second = (problem.add_fluent(name, default_initial_value=False) for name in ("first", "second"))
    copy, flip = InstantaneousAction("copy"), InstantaneousAction("flip")
    copy.add_effect(first, second)
    flip.add_effect(second, Not(first), Not(second))
    problem.add_actions([copy, flip])
    problem.add_goal(first)
    plan = SequentialPlan([copy()])
    modified = edit_problem(problem, plan)
    assert not modified.kind.has_fluents_in_boolean_assignments()
    expected = fast(prepare(problem), plan_from_up(plan), policy=Policy.EDITS, with_goal=True)
    assert cheapest(modified) == expected.upper == 1


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
