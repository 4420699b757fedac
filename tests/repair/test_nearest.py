"""Which search proves a nearest plan, and that others go on where one has no memory."""

from __future__ import annotations

import sys
from unittest.mock import Mock

import pytest

from tests.support.models import carry, gripper
from validator import check

pytestmark = pytest.mark.planner


@pytest.fixture(autouse=True)
def without_projections(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let long plans be proven on the grounded model; most are proven before it is there."""
    monkeypatch.setattr("validator.repair.nearest._LONG", sys.maxsize)


def test_a_long_plan_with_several_faults_is_proven() -> None:
    lines = carry(60).splitlines()
    for place in (21, 90, 150, 200):
        del lines[place]
    report = check(*gripper(60), "\n".join(lines), time_limit=60)
    assert (report.planner_response.cost, report.proven) == (4, True)


def test_a_long_plan_is_proven_on_the_grounded_model() -> None:
    lines = carry(30).splitlines()
    lines[20], lines[70] = lines[70], lines[20]
    report = check(*gripper(30), "\n".join(lines), time_limit=60)
    assert (report.planner_response.cost, report.proven) == (4, True)


@pytest.mark.parametrize("error", [MemoryError, ImportError])
def test_without_memory_for_its_own_searches_the_planner_goes_on(
    error: type[Exception], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("validator.repair.literals._MOST_TRIED", 0)
    monkeypatch.setattr("validator.repair.nearest._A_STAR", 0.0)
    monkeypatch.setattr("validator.repair.provers.problem_of", Mock(side_effect=error))
    report = check(*gripper(16), carry(16).replace("(drop b7 y l)\n", ""))
    assert (report.planner_response.cost, report.proven) == (1, True)


@pytest.mark.parametrize("error", [MemoryError(), RuntimeError("can't start new thread")])
def test_without_memory_for_a_repair_the_verdict_is_kept(error: Exception, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("validator.checking.searches.Seeker.nearest", Mock(side_effect=error))
    report = check(*gripper(16), carry(16).replace("(drop b7 y l)\n", ""))
    assert report.determination is False
    assert "the memory limit was met" in report.reason
    assert not report.proven


def test_the_phases_of_a_repair_are_timed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("validator.repair.literals._MOST_TRIED", 0)
    monkeypatch.setattr("validator.repair.nearest._A_STAR", 0.0)
    report = check(*gripper(16), "(move y x)\n(drop b3 y l)\n" + carry(16).replace("(drop b7 y l)\n", ""))
    assert report.proven
    assert all(seconds >= 0 for seconds in report.timings.values())
    assert {"repair: A*", "repair: cost partitioning"} & set(report.timings)
