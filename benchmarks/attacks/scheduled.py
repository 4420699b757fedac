"""Attacks on verdicts of unified-planning's schedules, and of its networks of times."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random

from benchmarks.attacks.kind import Kind, outcome
from tests.support.random_networks import network_of, only_schedule, stn_of
from tests.support.random_schedules import expected, in_unified_planning, random_case
from tests.support.random_triggered import problem_of, sample, verdict
from validator import check
from validator.reading.plan import Step

__all__ = ["KINDS"]


def _schedule(seed: int) -> Iterator[str]:
    case = random_case(seed)
    problem, plan = in_unified_planning(case)
    is_right = expected(case)
    report = check(problem, plan=plan, repair=False)
    told = (case, is_right, report)
    assert report.determination is is_right, told
    assert report.determination is not False or report.failures, told
    assert not report.determination or report.cost == max(end for _, end in case.times.values()), told
    yield outcome(report.determination is not None)


def _network(seed: int) -> Iterator[str]:
    draw, model = Random(f"networks {seed}"), sample(seed)
    problem, network = problem_of(model), network_of(draw, model)
    schedule = only_schedule(network)
    report = check(problem, plan=stn_of(network, problem), repair=False)
    told = (model, network, schedule, report)
    if schedule == "none":
        assert report.determination is False and report.reason.startswith("no times meet"), told
    elif isinstance(schedule, str):
        assert report.determination is None, told
    else:
        own = verdict(model, schedule)
        assert report.determination in ((own, None) if own is not None else (False, None)), (told, own)
        steps = [(step.time, step.name, step.duration or 0) for step in report.reference if isinstance(step, Step)]
        assert sorted(steps) == sorted(schedule), told
    yield outcome(report.determination is not None)


KINDS = (
    Kind(
        name="plans of unified-planning: schedules",
        against="an executor of its own, all whole times, all readings of conditions",
        attack=_schedule,
        share=6,
    ),
    Kind(
        name="plans of unified-planning: networks of times",
        against="all pairs of distances, and an executor of its own",
        attack=_network,
        share=6,
    ),
)
