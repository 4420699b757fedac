"""Attacks on answers about problems of unified-planning with numbers, beside an interpreter of its own."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from benchmarks.attacks.kind import Kind, outcome
from tests.support.random_numbers import Generator, Puzzle, distance, pddl, truth
from validator import Quality, Report, check
from validator.reading.plan import Step

__all__ = ["KINDS"]

_SECONDS = 2.0


def _attack(seed: int) -> Iterator[str]:
    """Judge and repair a plan of a problem with numbers, to a valid one and to a cheapest one; try all short plans."""
    puzzle = Generator(seed).puzzle()
    problem = _read(puzzle)
    if problem is None:
        return
    plans, lines = puzzle.valid(), "\n".join(f"({name})" for name in puzzle.plan) or "; empty plan"
    own = plans.get(tuple(puzzle.plan))
    for quality in ("valid", "optimal"):
        report = check(problem, None, lines, quality=quality, time_limit=_SECONDS)
        told = (puzzle, quality, report)
        if quality == "valid":
            assert report.determination in (own is not None, None), told
        elif report.determination:
            assert own is not None and own == min(plans.values()), told
        _compare_repair(puzzle, plans, report)
        yield outcome(report.proven)


def _read(puzzle: Puzzle) -> Any:
    """Return a puzzle as unified-planning reads it; None where it refuses it."""
    from unified_planning.exceptions import UPException
    from unified_planning.io import PDDLReader

    if "y" not in puzzle.start:
        return None  # all values are defined there
    try:
        return PDDLReader().parse_problem_string(*pddl(puzzle))
    except UPException:
        return None


def _compare_repair(puzzle: Puzzle, plans: dict[tuple[str, ...], Any], report: Report) -> None:
    if report.determination is not False:
        return
    if report.repaired_plan is None:
        assert not (report.proven and plans), (puzzle, report)
        return
    told = (puzzle, report)
    names = tuple(step.name for step in report.repaired_plan if isinstance(step, Step))
    end = puzzle.run(names)
    assert end is not None and truth(puzzle.goal, end) is True, (told, names)
    if report.proven and plans and report.report_type is Quality.VALID:
        assert distance(puzzle.plan, names) <= min(distance(puzzle.plan, other) for other in plans), (told, names)
    elif report.proven and plans:
        assert end["cost"] <= min(plans.values()), (told, names)


KINDS = (
    Kind(
        name="problems of unified-planning: numbers",
        against="an interpreter of its own, all plans up to four steps",
        attack=_attack,
        share=4,
    ),
)
