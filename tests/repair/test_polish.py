"""Repairs made better, neighbourhood by neighbourhood; and what a repair says of its phases."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from threading import Event
from typing import Any
from unittest.mock import Mock

import pytest

from tests.support.models import carry, gripper
from validator import check, prepare
from validator.execution.simulator import Simulator
from validator.grounding.limits import Limits, Outcome, Status
from validator.grounding.planner import search
from validator.grounding.task import Task
from validator.model.pddl import read_model
from validator.reading.plan import Plan, Step
from validator.records import replace
from validator.repair.edit import Edit, EditTask, Move, Weighting, compile_edit
from validator.repair.search.own import OwnSearches
from validator.repair.search.plans.bridge import bridge
from validator.repair.search.plans.polish import polish

pytestmark = pytest.mark.planner


@pytest.fixture(autouse=True)
def without_projections(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the race prove long plans, which are mostly proven before it."""
    monkeypatch.setattr("validator.checking.seek._LONG", sys.maxsize)


def limits() -> Limits:
    return Limits(deadline=time.monotonic() + 60, memory=2**32)


def steps(text: str) -> list[Step]:
    return [Step(name=line[1:-1].split()[0], args=tuple(line[1:-1].split()[1:])) for line in text.splitlines()]


def clumsy(balls: int) -> tuple[Simulator, EditTask, list[Edit]]:
    """Return a plan with one superfluous step, and a repair that drops it with much else."""
    prepared = prepare(read_model(*gripper(balls)))
    task = prepared.task(limits())
    assert isinstance(task, Task)
    good = steps(carry(balls))
    broken = [*good[:5], Step(name="pick", args=("b0", "x", "r")), *good[5:]]
    edits = []
    for place, step in enumerate(broken):
        if place == 5:
            edits += [Edit(move=Move.SKIP, token=step)]
        elif place in (4, 6):
            edits += [Edit(move=Move.SKIP, token=step), Edit(move=Move.INSERT, token=step)]
        else:
            edits += [Edit(move=Move.KEEP, token=step)]
    return prepared.simulator, compile_edit(task, broken, Weighting.edits(), with_goal=True), edits


def test_a_neighbourhood_is_solved_again() -> None:
    simulator, edit_task, edits = clumsy(6)
    found: list[tuple[Edit, ...]] = []
    polish(edit_task, edits, "astar(lmcut())", limits(), found.append, lambda: False, with_goal=True)
    costs = [edit_task.cost(better) for better in found]
    assert edit_task.cost(edits) == 5
    assert costs[-1] == 1
    assert costs == sorted(costs, reverse=True)
    for better in found:
        kept = tuple(edit.token for edit in better if edit.move is not Move.SKIP)
        assert simulator.run(Plan(parts=kept)).is_valid


def test_nothing_is_tried_when_it_is_over() -> None:
    _, edit_task, edits = clumsy(4)
    found: list[tuple[Edit, ...]] = []
    polish(edit_task, edits, "astar(lmcut())", limits(), found.append, lambda: True, with_goal=True)
    assert found == []


@pytest.mark.parametrize("by", ["polish", "bridge"])
def test_the_search_of_a_window_ends_with_what_it_is_part_of(by: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where an interrupt ends the whole before its deadline, no search below goes on until its own."""
    _, edit_task, edits = clumsy(6)
    begun, found = [], []

    def interrupted(text: str, strategy: str, limits: Limits, *stop: object, **nice: int) -> Outcome:
        begun.append(limits.cpu)
        return search(text, strategy, limits, *stop, **nice)  # type: ignore[arg-type]

    monkeypatch.setattr(f"validator.repair.search.plans.{by}.search", interrupted)
    within = replace(limits(), cpu=50, is_over=lambda: bool(begun))
    if by == "polish":
        polish(edit_task, edits, "astar(lmcut())", within, found.append, lambda: False, with_goal=True)
    else:
        found += filter(None, [bridge(edit_task, "astar(lmcut())", within, lambda: False, with_goal=True)])
    assert (begun, found) == ([50], [])


def test_a_long_plan_with_several_faults_is_proven() -> None:
    """Far from each other, so that no search of the whole plan comes to an end in time."""
    lines = carry(60).splitlines()
    for place in (21, 90, 150, 200):
        del lines[place]
    report = check(*gripper(60), "\n".join(lines), time_limit=60)
    assert (report.planner_response.cost, report.proven) == (4, True)


def test_where_windows_get_large_the_sweep_proves_a_long_plan(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("validator.repair.search.backward.proof.MOST_LOOKS", 0)
    lines = carry(30).splitlines()
    lines[20], lines[70] = lines[70], lines[20]
    report = check(*gripper(30), "\n".join(lines), time_limit=60)
    assert (report.planner_response.cost, report.proven) == (4, True)
    assert "repair: sweep" in report.timings


def test_a_search_that_does_not_look_at_the_clock_is_not_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    ended = Event()

    def unending(*given: object, **named: object) -> None:
        assert ended.wait(120)

    monkeypatch.setattr("validator.repair.search.small._MOST_TRIED", 0)
    monkeypatch.setattr("validator.repair.search.race._ALONE", 0.0)
    monkeypatch.setattr("validator.repair.search.race.HEAD_START", 0.0)
    monkeypatch.setattr("validator.repair.search.race.Race._prove", lambda *given: Outcome(status=Status.TIME_LIMIT))
    monkeypatch.setattr("validator.repair.search.own.OwnSearches.run", unending)
    try:
        plan = carry(16).replace("(drop b7 y l)\n", "").replace("(drop b3 y l)\n", "")
        report = check(*gripper(16), plan, time_limit=2)
        assert not ended.is_set()
        assert report.determination is False
        assert report.repaired_plan is not None
        assert not report.proven
    finally:
        ended.set()


def test_a_proof_that_is_left_behind_gives_way_and_begins_anew_where_others_fail(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    gave_way, begun = Event(), []

    def searched(text: str, strategy: str, limits: Limits, stop: Callable[[int], bool], **given: Any) -> Outcome:
        if not strategy.startswith("astar(lmcut()"):
            return Outcome(status=Status.STOPPED)
        begun.append(strategy)
        if len(begun) > 1:
            return search(text, strategy, limits, stop, **given)
        while not stop(0):
            assert limits.seconds > 0
        gave_way.set()
        return Outcome(status=Status.STOPPED)

    def fails(own: OwnSearches, *, is_long: bool) -> None:
        own._standing.raise_lower(1)
        assert gave_way.wait(60)

    monkeypatch.setattr("validator.repair.search.small._MOST_TRIED", 0)
    monkeypatch.setattr("validator.repair.search.race._PATIENCE", 0.0)
    monkeypatch.setattr("validator.repair.search.race.search", searched)
    monkeypatch.setattr("validator.repair.search.own.OwnSearches.run", fails)
    plan = carry(8).replace("(drop b7 y l)\n", "").replace("(drop b3 y l)\n", "")
    report = check(*gripper(8), plan, time_limit=60)
    assert (report.planner_response.cost, report.proven) == (2, True)
    assert len(begun) == 2


@pytest.mark.parametrize("error", [MemoryError, ImportError])
def test_without_memory_for_its_own_searches_the_planner_goes_on(
    error: type[Exception], monkeypatch: pytest.MonkeyPatch
) -> None:
    def without_memory(*given: object, **named: object) -> None:
        raise error

    monkeypatch.setattr("validator.repair.search.small._MOST_TRIED", 0)
    monkeypatch.setattr(
        "validator.repair.search.own.Regression", Mock(side_effect=without_memory, suits=lambda task: True)
    )
    report = check(*gripper(16), carry(16).replace("(drop b7 y l)\n", ""))
    assert (report.planner_response.cost, report.proven) == (1, True)


@pytest.mark.parametrize("error", [MemoryError(), RuntimeError("can't start new thread")])
def test_without_memory_for_a_repair_the_verdict_is_kept(error: Exception, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("validator.checking.seek.Seeker.nearest", Mock(side_effect=error))
    report = check(*gripper(16), carry(16).replace("(drop b7 y l)\n", ""))
    assert report.determination is False
    assert "the memory limit was met" in report.reason
    assert not report.proven


def test_the_phases_of_a_repair_are_timed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("validator.repair.search.small._MOST_TRIED", 0)
    monkeypatch.setattr("validator.repair.search.race.HEAD_START", 0.0)
    monkeypatch.setattr("validator.repair.search.race._TO_FIRST", (0.0, 0.0, 0.0))
    monkeypatch.setattr("validator.repair.search.race._TO_BRIDGE", (0.0, 0.0, 0.0))
    report = check(*gripper(16), "(move y x)\n(drop b3 y l)\n" + carry(16).replace("(drop b7 y l)\n", ""))
    assert report.proven
    assert all(seconds >= 0 for seconds in report.timings.values())
    # Which of them begin before the proof depends on how busy the machine is.
    assert {"repair: proof", "repair: sweep", "repair: bridge", "repair: windows"} & set(report.timings)
