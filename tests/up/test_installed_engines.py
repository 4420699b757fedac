"""Real engines for numbers; each test needs one that does not come with the package, and is skipped without it."""

from __future__ import annotations

import os
import shutil
from importlib.util import find_spec
from pathlib import Path

import pytest

from tests.support.models import BOTTOM, DEEP, FULL, TANK
from validator import check

pytestmark = pytest.mark.planner

needs_enhsp = pytest.mark.skipif(
    find_spec("up_enhsp") is None or shutil.which("java") is None, reason="needs up-enhsp and Java"
)
needs_tamer = pytest.mark.skipif(find_spec("up_tamer") is None, reason="needs up-tamer")

LACKING = "(pump)\n(pump)\n(finish)"


@needs_enhsp
def test_what_an_engine_says_of_its_plan_is_told_and_no_proof() -> None:
    report = check(TANK, FULL, "(finish)", planner="enhsp-opt")
    assert (report.proven, report.planner_response.cost) == (False, 3)
    assert report.planner_response.note == "found by enhsp-opt, which says that none is nearer; not proven"
    report = check(TANK, FULL, LACKING, planner="enhsp-opt", quality="optimal")
    assert report.optimal_cost is not None
    assert (report.proven, report.optimal_cost.lower, report.optimal_cost.upper) == (False, 0, 5)
    assert "the engine 'enhsp-opt' says that its plan is cheapest, which is no proof here" in report.reason


@needs_enhsp
def test_an_engine_that_proves_nothing_does_not_say_so() -> None:
    report = check(TANK, FULL, "(finish)", planner="enhsp")
    assert (report.determination, report.proven) == (False, False)
    assert report.repaired_plan is not None
    assert report.planner_response.note == "found by enhsp, not proven"
    report = check(TANK, FULL, LACKING, planner="enhsp", quality="optimal")
    assert "the engine 'enhsp' does not prove that its plans are cheapest" in report.reason


@needs_enhsp
def test_an_engine_is_ended_with_all_that_it_started(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    report = check(DEEP, BOTTOM, "(up0)", planner="enhsp-opt", time_limit=5.0)
    assert (report.planner_response.status, report.repaired_plan) == ("time limit", None)
    assert list(tmp_path.iterdir()) == []
    assert not [pid for pid in _processes() if os.fsencode(tmp_path) in pid]


def _processes() -> list[bytes]:
    """Return the environments of all processes that can be read."""
    found = []
    for path in Path("/proc").glob("[0-9]*/environ"):
        try:
            found.append(path.read_bytes())
        except OSError:
            continue
    return found


@needs_enhsp
def test_too_little_memory_is_a_limit() -> None:
    report = check(DEEP, BOTTOM, "(up0)", planner="enhsp-opt", memory_limit=200 * 2**20)
    assert (report.planner_response.status, report.repaired_plan) == ("memory limit", None)


@needs_enhsp
def test_no_plan_is_no_proof_of_an_engine() -> None:
    domain = TANK.replace("(= (level) 5)", "(= (level) 5.5)")
    report = check(domain, FULL, "(finish)", planner="enhsp-opt", time_limit=60.0)
    assert (report.planner_response.no_solution, report.proven) == (False, False)
    assert "the engine 'enhsp-opt' says that there is no plan" in report.reason


@needs_enhsp
def test_of_numbers_that_binary_floating_point_rounds_nothing_is_said() -> None:
    domain = TANK.replace("(increase (level) 1)", "(increase (level) 0.1)").replace("(= (level) 5)", "(= (level) 0.3)")
    report = check(domain, FULL, "(finish)", planner="enhsp-opt", time_limit=60.0)
    assert (report.planner_response.cost, report.planner_response.note) == (3, "found by enhsp-opt, not proven")


@needs_tamer
def test_a_plan_with_one_change_needs_no_proof_of_an_engine() -> None:
    report = check(TANK, FULL, LACKING, planner="tamer")
    assert (report.proven, report.planner_response.note) == (True, "found by tamer, proven by execution")
