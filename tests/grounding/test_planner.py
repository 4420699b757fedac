"""Running Fast Downward: answers, limits, failures, and that nothing is left behind."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.models import hard_task, limits
from tests.support.processes import children, running_in
from validator import PlannerError
from validator.grounding import planner
from validator.grounding.limits import Status
from validator.grounding.planner import search, translate

pytestmark = pytest.mark.planner

DOMAIN = """
(define (domain d) (:requirements :strips) (:predicates (at ?x) (next ?x ?y))
  (:action go :parameters (?x ?y) :precondition (and (at ?x) (next ?x ?y)) :effect (and (at ?y) (not (at ?x)))))
"""
PROBLEM = """
(define (problem q) (:domain d) (:objects a b c)
  (:init (at a) (next a b) (next b c) (next c a)) (:goal (at GOAL)))
"""


@pytest.fixture(scope="module")
def task() -> str:
    found = translate(DOMAIN, PROBLEM.replace("GOAL", "c"), limits())
    assert isinstance(found, str)
    return found


@pytest.fixture
def scratch(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Make the planner use a directory of the test for its temporary ones, and see that nothing is left of it."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    before = children()
    yield tmp_path
    assert (list(tmp_path.iterdir()), running_in(tmp_path)) == ([], [])
    assert children() == before


# --- limits --------------------------------------------------------------------------------------


@pytest.mark.parametrize("seconds", [0.0, 0.001, -5.0])
def test_no_time_at_all_is_a_limit_not_an_error(task: str, seconds: float) -> None:
    assert translate(DOMAIN, PROBLEM.replace("GOAL", "c"), limits(seconds)) is Status.TIME_LIMIT
    assert search(hard_task(), "astar(blind())", limits(seconds)).status is Status.TIME_LIMIT


def test_no_process_is_started_when_the_time_is_over(task: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Forty threads with a limit each began as many processes that were ended at once."""

    def started(*given: object, **named: object) -> None:
        raise AssertionError("a process was started")

    monkeypatch.setattr(planner, "Process", started)
    over = limits(0.0)
    assert search(task, "astar(blind())", over).status is Status.TIME_LIMIT
    assert translate("(define (domain d))", "(define (problem p) (:domain d))", over) is Status.TIME_LIMIT


@pytest.mark.deep
def test_a_search_beyond_its_memory_is_a_limit() -> None:
    outcome = search(hard_task(24), "astar(blind())", limits(memory=60 * 2**20))
    assert outcome.status is Status.MEMORY_LIMIT


# --- failures ------------------------------------------------------------------------------------


def test_a_domain_that_the_translator_refuses_is_a_planner_error() -> None:
    with pytest.raises(PlannerError, match="the translator failed with exit code"):
        translate("(define (domain d)", "(define)", limits())


# --- what is left --------------------------------------------------------------------------------


def test_an_answer_leaves_nothing_behind(scratch: Path, task: str) -> None:
    translate(DOMAIN, PROBLEM.replace("GOAL", "c"), limits())
    search(task, "astar(blind())", limits())
    search(task, "astar(blind())", limits(), lambda bound: True)


def test_a_failure_leaves_nothing_behind(scratch: Path) -> None:
    with pytest.raises(PlannerError):
        search("nonsense", "astar(blind())", limits())
