"""What must be done one after the other bounds the time of a plan: no valid plan ends before that."""

from __future__ import annotations

from fractions import Fraction

import pytest

from tests.support.random_times import Timed
from validator import check
from validator.execution.time.happening import Part
from validator.reading.plan import Step
from validator.repair.time.parts import Subject


def parts(plan: list[Timed]) -> list[tuple[int, Subject, Part]]:
    """Return the starts and ends of a plan in order of time, ends first."""
    found = []
    for number, (time, name, last) in enumerate(plan, start=1):
        subject = Subject(number=number, step=Step(name=name, args=()))
        found.append((time, subject, Part.START if last else Part.WHOLE))
        found += [(time + last, subject, Part.END)] if last else []
    return sorted(found, key=lambda part: (part[0], part[2] is not Part.END))


# --- what it is good for -------------------------------------------------------------------------

BENCH = """(define (domain bench) (:requirements :durative-actions :typing) (:types part tool)
  (:predicates (free ?t - tool) (fits ?p - part ?t - tool) (done ?p - part) (rough ?p - part))
  (:durative-action cut :parameters (?p - part ?t - tool) :duration (= ?duration 3)
    :condition (and (at start (free ?t)) (at start (fits ?p ?t)) (at start (rough ?p)))
    :effect (and (at start (not (free ?t))) (at end (free ?t)) (at end (done ?p))))
  (:durative-action plane :parameters (?p - part ?t - tool) :duration (and (>= ?duration 2) (<= ?duration 6))
    :condition (and (at start (free ?t)))
    :effect (and (at start (not (free ?t))) (at end (free ?t)) (at end (rough ?p)))))"""


def bench(count: int, goal: str, more: str = "") -> str:
    names = " ".join(f"p{number}" for number in range(count))
    init = " ".join(f"(fits p{number} saw)" for number in range(count))
    wanted = " ".join(f"({goal} p{number})" for number in range(count))
    return f"""(define (problem b) (:domain bench) (:objects {names} - part saw - tool)
      (:init (free saw) {init} {more}) (:goal (and {wanted})))"""


@pytest.mark.planner
@pytest.mark.parametrize(("goal", "each"), [("rough", Fraction(2)), ("done", Fraction(5))])
def test_what_one_tool_must_do_for_all_parts_is_a_proof(goal: str, each: Fraction) -> None:
    """Six parts are planed in a row, and each is cut as well where it is to be done."""
    count = 6 if goal == "rough" else 3
    acts = count if goal == "rough" else 2 * count
    least = count * each + (acts - 1) * Fraction(1, 1000)
    report = check(BENCH, bench(count, goal), "; empty plan", quality="optimal", time_limit=6)
    assert report.optimal_cost is not None and report.optimal_cost.lower == least


@pytest.mark.planner
def test_a_tool_that_comes_back_by_itself_is_no_proof() -> None:
    report = check(
        BENCH, bench(2, "rough", "(at 0.5 (free saw))"), "0: (plane p0 saw) [2]\n0.501: (plane p1 saw) [2]",
        quality="optimal", time_limit=20,
    )  # fmt: skip
    assert report.optimal_cost is not None and report.optimal_cost.lower <= Fraction(2501, 1000)
    assert report.determination is not False or report.optimal_cost.upper is not None
