"""Attacks on what is decided and proven of plans with numbers and over time."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from fractions import Fraction
from functools import partial
from math import ceil

from benchmarks.attacks.kind import Kind, outcome
from tests.support.naive_flow import FlowReference
from tests.support.naive_reference import Reference
from tests.support.random_beyond import flowing, sequential, timed
from tests.support.random_models import Sample
from tests.support.random_numbers import Puzzle, distance, kept_most, pddl, solvable, truth
from tests.support.random_times import Sample as Times
from tests.support.random_times import makespan, nearer, quicker, sample, shared, valid
from validator import Report, check

__all__ = ["KINDS", "changes_told", "quickest"]

_SECONDS = 1.0
"""for a search of random models, of which many have endlessly many states"""

_PLANS = 2_000
"""over time, that are tried in place of one that is proven"""

_MORE = 8_000
"""where few actions are what matters"""


def _verdicts(generator: Callable[[int], Sample], reference: type[Reference], seed: int) -> Iterator[str]:
    """Execute a plan twice."""
    case = generator(seed)
    report = check(case.domain, case.problem, case.plan, repair=False)
    expected = reference(case.domain, case.problem).verdict(case.plan)
    assert report.determination is (None if expected is None else expected[0]), case
    if report.determination and expected is not None and expected[1] is not None:
        assert report.cost == expected[1], case
    yield outcome(report.determination is not None)


def _names(report: Report) -> tuple[str, ...]:
    return tuple(step.name for step in report.repaired_plan or ())  # type: ignore[union-attr]


def _numbers(seed: int) -> Iterator[str]:
    """Repair a plan with numbers to a valid one, to a cheapest one, and keeping what can be kept."""
    puzzle = solvable(seed)
    plans, lines = puzzle.valid(), "\n".join(f"({name})" for name in puzzle.plan)
    model = pddl(puzzle)
    report = check(*model, lines, time_limit=_SECONDS)
    is_over = report.determination is None and "the time limit was met while" in report.reason
    assert is_over or report.determination is (tuple(puzzle.plan) in plans), report.reason
    yield _nearest(puzzle, plans, report, lambda other: (distance(puzzle.plan, other), Fraction(0)))
    report = check(*model, lines, quality="optimal", time_limit=_SECONDS)
    _priced(puzzle, plans, report)
    yield _nearest(puzzle, plans, report, lambda other: (plans.get(other, _cost(puzzle, other)),
                                                         Fraction(distance(puzzle.plan, other))))  # fmt: skip
    report = check(*model, lines, policy="keep", time_limit=_SECONDS)
    yield _nearest(puzzle, plans, report, partial(kept_most, puzzle))


def _cost(puzzle: Puzzle, names: tuple[str, ...]) -> Fraction:
    end = puzzle.run(names)
    assert end is not None
    return Fraction(end["cost"])


def _nearest(
    puzzle: Puzzle,
    plans: dict[tuple[str, ...], Fraction],
    report: Report,
    price: Callable[[tuple[str, ...]], tuple[int | Fraction, Fraction]],
) -> str:
    if report.determination is not False:
        return outcome(report.proven)
    if report.repaired_plan is None:
        assert not (report.proven and plans), report.reason
        return outcome(report.proven)
    repaired = _names(report)
    end = puzzle.run(repaired)
    assert end is not None and truth(puzzle.goal, end) is True, repaired
    if report.proven:
        best = min(map(price, plans), default=price(repaired))
        assert price(repaired) <= best, (puzzle.plan, repaired, best)
    return outcome(report.proven)


def _priced(puzzle: Puzzle, plans: dict[tuple[str, ...], Fraction], report: Report) -> None:
    """Compare the interval of the cheapest cost, and whether the plan is cheapest."""
    interval, least = report.optimal_cost, min(plans.values(), default=None)
    own = plans.get(tuple(puzzle.plan))
    if least is not None and interval is not None:
        assert interval.lower <= least, (interval, least)
    if report.determination:
        assert own is not None and own == least, (own, least)
    if interval is not None and interval.upper is not None and own is not None and own > interval.upper:
        assert report.determination is False, interval


def _times(seed: int) -> Iterator[str]:
    """Repair a plan over time, and try all plans at whole times that are nearer."""
    model = sample(seed)
    report = check(model.domain, model.problem, model.text, epsilon=1, time_limit=_SECONDS)
    if _is_plain(seed):
        assert report.determination is None or report.determination is valid(model, model.plan), model
    if report.determination is not False:
        yield outcome(report.proven)
        return
    if report.repaired_plan is not None:
        plan = "\n".join(map(str, report.repaired_plan)) or "; empty plan"
        assert check(model.domain, model.problem, plan, epsilon=1, repair=False).determination, plan
    if report.proven:
        bound = changes_told(report) if report.repaired_plan is not None else (2, 0)
        assert nearer(model, bound, _PLANS) is None, bound
    yield outcome(report.proven)


def quickest(seed: int, sampled: Callable[[int], Times] = sample, most: int = _PLANS) -> Iterator[str]:
    """Compare a plan over time, and no plan, with the quickest one; try all plans at whole times that are quicker.

    Where the nearest of the quickest plans is proven, all that are nearer are tried as well.
    """
    model = sampled(seed)
    if not (any(action.durations for action in model.actions.values()) or model.timed):
        return
    for plan in dict.fromkeys((model.plan, ())):
        text = replace(model, plan=plan).text
        report = check(model.domain, model.problem, text, epsilon=1, quality="optimal", time_limit=_SECONDS)
        interval = report.optimal_cost
        if report.determination:
            assert quicker(model, makespan(plan), 3, most) is None, (model, plan)
        if interval is not None:
            least = ceil(interval.lower) if report.planner_response.status != "unsolvable" else None
            found = quicker(model, least, 3, most)
            assert found is None, (model, plan, interval, found)
        if report.planner_response.no_solution:
            assert quicker(model, None, 3, most) is None, (model, plan)
        if report.repaired_plan is not None:
            again = check(model.domain, model.problem, "\n".join(map(str, report.repaired_plan)) or "; empty plan",
                          epsilon=1, repair=False)  # fmt: skip
            assert again.determination and interval is not None and again.cost == interval.upper, (model, plan, report)
            if report.proven:
                found = nearer(replace(model, plan=plan), changes_told(report), _PLANS, interval.upper)
                assert found is None, (model, plan, report, found)
        yield outcome((interval is not None and interval.is_exact) or report.planner_response.no_solution)


def _is_plain(seed: int) -> bool:
    """Return whether the verdict of the oracle is the definition's: durations fit, and some action lasts."""
    model = sample(seed)
    bounds = [(model.actions[name].durations, duration) for _, name, duration in model.plan]
    fits = all(limits is None or limits[0] <= duration <= limits[1] for limits, duration in bounds)
    return fits and any(action.durations for action in model.actions.values())


def changes_told(report: Report) -> tuple[int, int]:
    """Return how many steps a repair drops and inserts, and how many it moves."""
    note = report.planner_response.note
    found = {what: int(number) for number, what in re.findall(r"(\d+) steps? (left out|inserted|at another)", note)}
    return found.get("left out", 0) + found.get("inserted", 0), found.get("at another", 0)


KINDS = (
    Kind(
        name="verdicts: numbers, constraints, preferences",
        against="a second executor",
        attack=partial(_verdicts, sequential, Reference),
        share=20,
    ),
    Kind(name="verdicts: time", against="a second executor", attack=partial(_verdicts, timed, Reference), share=20),
    Kind(
        name="verdicts: continuous change",
        against="a second executor, in ticks",
        attack=partial(_verdicts, flowing, FlowReference),
        share=15,
    ),
    Kind(name="repair: numbers", against="all plans up to four steps", attack=_numbers, share=8),
    Kind(name="cheapest plans: time", against="all plans at whole times", attack=quickest, share=7),
    Kind(
        name="cheapest plans: time, what is held",
        against="all plans at whole times",
        attack=partial(quickest, sampled=shared, most=_MORE),
        share=4,
    ),
    Kind(name="repair: time", against="all plans at whole times", attack=_times, share=7),
)
