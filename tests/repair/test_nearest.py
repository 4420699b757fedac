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
    monkeypatch.setattr("validator.checking.searches.PlanSearch.nearest", Mock(side_effect=error))
    report = check(*gripper(16), carry(16).replace("(drop b7 y l)\n", ""))
    assert report.determination is False
    assert "the memory limit was met" in report.reason
    assert not report.proven
