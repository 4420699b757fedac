"""What must be done one after the other bounds the time of a plan: no valid plan ends before that."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from fractions import Fraction
from itertools import combinations_with_replacement, product

import pytest

from tests.support.depth import some
from tests.support.random_times import LAST, Sample, Timed, makespan, sample, shared, valid
from validator import check, prepare
from validator.execution.time.happening import Part
from validator.reading.plan import Step
from validator.repair.time.bounds import Critical
from validator.repair.time.network import Grid
from validator.repair.time.nodes import Nodes
from validator.repair.time.parts import Subject

_TRIED = 1_500
_VALID = 20


def plans(model: Sample) -> Iterator[list[Timed]]:
    """Yield valid plans of up to three steps at whole times."""
    found = 0
    for size in range(4):
        for names in combinations_with_replacement(model.actions, size):
            places = (_places(model, name) for name in names)
            for number, chosen in enumerate(product(*places)):
                plan = [(time, name, last) for name, (time, last) in zip(names, chosen, strict=True)]
                if valid(model, plan):
                    yield plan
                    found += 1
                if number == _TRIED or found == _VALID:
                    break
        if found >= _VALID:
            return


def _places(model: Sample, name: str) -> list[tuple[int, int]]:
    low, high = model.actions[name].durations or (0, 0)
    return [(time, last) for time in range(LAST + 1) for last in range(low, high + 1)]


def parts(model: Sample, plan: list[Timed]) -> list[tuple[int, Subject, Part]]:
    """Return the starts and ends of a plan in order of time, ends first; of a step that lasts 0, its end alone."""
    found = []
    for number, (time, name, last) in enumerate(plan, start=1):
        subject = Subject(number=number, step=Step(name=name, args=()))
        is_durative = model.actions[name].durations is not None
        found += [(time, subject, Part.START if last else Part.WHOLE)] if last or not is_durative else []
        found += [(time + last, subject, Part.END)] if is_durative else []
    return sorted(found, key=lambda part: (part[0], part[2] is not Part.END))


@pytest.mark.parametrize("seed", some(range(30), 6))
@pytest.mark.parametrize("sampled", [shared, sample])
def test_no_valid_plan_ends_before_the_bound_of_any_of_its_beginnings(
    sampled: Callable[[int], Sample], seed: int
) -> None:
    case = sampled(seed)
    if case.timed:  # which come in between, and are told from the node
        return
    model = prepare(case.domain, case.problem).model
    nodes = Nodes(model, Grid.of((Fraction(1),), Fraction(1)), (), model.problem.goal)
    steps = [Step(name=name, args=()) for name in case.actions]
    critical = Critical(nodes, steps, lambda: False)
    for plan in plans(case):
        node, ends = nodes.root(), makespan(plan) * nodes.grid.scale
        for _, subject, part in parts(case, plan):
            bound = critical.end(node)
            assert bound is not None and bound <= ends, (case, plan, subject, part)
            after = nodes.after(node, subject, part)
            if after is None:  # parts of one time that take place in another order
                break
            node = after
        else:
            bound = critical.end(node)
            assert bound is not None and bound <= ends, (case, plan)


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
