"""Attacks on the rest of plans over time: some steps have happened, and the world may be another one than planned."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from fractions import Fraction
from math import ceil
from random import Random

from benchmarks.attacks.beyond import changes_told
from benchmarks.attacks.kind import Kind, outcome
from tests.support.random_times import Sample, State, Timed, behind, makespan, nearer, quicker, sample, shared, valid
from validator import InputError, Quality, Report, prepare
from validator.checking.monitor import check_rest
from validator.reading.plan import Step

__all__ = ["KINDS"]

_SECONDS = 4.0

_PLANS = 3_000
"""at whole times, that are tried"""

_CHANGES = 2
"""steps dropped and inserted of a nearest plan at most: there are too many plans that are nearer than others"""


def _attack(seed: int) -> Iterator[str]:
    """Let some steps of a plan over time happen, say what holds then, and judge and repair the rest."""
    draw = Random(f"remaining {seed}")
    model, happened = _begun(_model(seed, draw), draw)
    if not any(action.durations for action in model.actions.values()):
        return
    said, now = _told(draw, model, happened)
    by, executed = makespan(happened), len(happened)
    if now is not None and draw.random() < 0.8:
        rest = _rest(_from(model, by, now, ()), draw)
        model = replace(model, plan=(*happened, *((time + by, name, duration) for time, name, duration in rest)))
    plan, rest = model.plan, model.plan[executed:]
    prepared = prepare(model.domain, model.problem)
    quality = draw.choice((Quality.VALID, Quality.VALID, Quality.OPTIMAL))
    told = (model, executed, said, quality)
    try:
        report = check_rest(prepared, model.text, executed=executed, quality=quality, time_limit=_SECONDS, **said)
    except InputError:
        assert happened and rest and happened[-1][0] == rest[0][0], told
        yield outcome(True)
        return
    told = (*told, report)
    assert not (happened and rest and happened[-1][0] == rest[0][0]), told
    if rest and any(start + duration > rest[0][0] for start, _, duration in happened):
        assert report.determination is None if said else report.determination in (_has(model, plan), None), told
        assert not report.planner_response.no_solution and report.repaired_plan is None, told
        yield outcome(report.determination is not None)
        return
    if now is None:
        assert report.determination is None or "state" in said, told
        yield outcome(False)
        return
    left = tuple((time - by, name, duration) for time, name, duration in rest)
    yield _compared(_from(model, by, now, left), by, report, told, happened=executed)


def _from(model: Sample, by: int, now: State, plan: tuple[Timed, ...]) -> Sample:
    """Return the model that begins so much later, in a state, with a plan on its own clock."""
    timed = tuple((time - by, literal) for time, literal in model.timed if time > by)
    return replace(model, start=now, timed=timed, plan=plan)


def _model(seed: int, draw: Random) -> Sample:
    model = (sample, shared)[seed % 2](seed)
    if draw.random() < 0.5:
        times = [draw.randint(1, 7) for _ in range(draw.randint(1, 3))]
        return replace(model, timed=tuple((time, (draw.choice("pqr"), draw.random() < 0.5)) for time in times))
    return model


def _begun(model: Sample, draw: Random) -> tuple[Sample, tuple[Timed, ...]]:
    """Return a model with a plan, and the first steps of it, which most often can be executed."""
    if draw.random() < 0.2:
        plan = tuple(sorted((*model.plan, *_steps(model, draw, 2))))
        return replace(model, plan=plan), plan[: draw.randint(0, len(plan))]
    begun = (_steps(model, draw, draw.choice((0, 1, 1, 2))) for _ in range(30))
    happened = next((steps for steps in begun if behind(model, steps) is not None), ())
    return replace(model, plan=happened), happened


def _steps(model: Sample, draw: Random, number: int) -> tuple[Timed, ...]:
    """Return steps one after the other, or at one time."""
    found, time = list[Timed](), 0
    for _ in range(number):
        name = draw.choice(list(model.actions))
        duration = draw.randint(*(model.actions[name].durations or (0, 0)))
        found.append((time, name, duration))
        time += draw.choice((0, duration, duration + 1))
    return tuple(found)


def _rest(here: Sample, draw: Random) -> list[Timed]:
    """Return what is to come: steps that reach the goal, some of which are left out, come later, or twice."""
    steps = quicker(here, None, 2, 500, lambda plan: _fits(here, plan)) or list(_steps(here, draw, draw.randint(0, 2)))
    for _ in range(draw.choice((0, 0, 1, 1, 2)) if steps else 0):
        place = draw.randrange(len(steps))
        time, name, duration = steps[place]
        changed = (
            [],
            [(time + draw.randint(1, 2), name, duration)],
            [steps[place], (time + duration + 1, name, duration)],
        )
        steps[place : place + 1] = draw.choice(changed)
        if not steps:
            break
    return sorted(steps)


def _told(draw: Random, model: Sample, happened: Sequence[Timed]) -> tuple[dict[str, str], State | None]:
    """Return what is said of the world after the first steps, and how it is then; None for not known."""
    planned = behind(model, happened)
    kind = draw.randrange(3)
    if kind == 0 or (kind == 1 and planned is None):
        return {}, planned
    if kind == 1:
        assert planned is not None
        atoms, value = planned
        flipped = [atom for atom in "pqr" if draw.random() < 0.4]
        lines = [f"(not ({atom}))" if atom in atoms else f"({atom})" for atom in flipped]
        if draw.random() < 0.3:
            value = draw.randint(0, 2)
            lines.append(f"(= (x) {value})")
        return ({"changes": " ".join(lines)} if lines else {}), (atoms ^ frozenset(flipped), value)
    atoms, value = frozenset(atom for atom in "pqr" if draw.random() < 0.4), draw.randint(0, 2)
    facts = " ".join(f"({atom})" for atom in sorted(atoms))
    return {"state": f"(:init {facts} (= (x) {value}))"}, (atoms, value)


def _has(model: Sample, plan: Sequence[Timed]) -> bool:
    return valid(model, plan) and _fits(model, plan)


def _fits(model: Sample, plan: Sequence[Timed]) -> bool:
    bounds = ((model.actions[name].durations or (0, 0), duration) for _, name, duration in plan)
    return all(low <= duration <= high for (low, high), duration in bounds)


def _compared(here: Sample, by: int, report: Report, told: object, *, happened: int) -> str:
    """Compare what is said of the rest with all plans at whole times from the state that holds now."""
    own = makespan(here.plan)

    def keeps(plan: Sequence[Timed]) -> bool:
        return _fits(here, plan)

    has = _has(here, here.plan)
    if report.report_type is Quality.VALID:
        assert report.determination in (has, None), (told, has)
    if report.determination:
        assert has and report.cost == own, (told, has)
    if report.repaired_plan is not None:
        steps = [_timed(token, by) for token in report.repaired_plan[happened:]]
        assert [str(step) for step in report.repaired_plan[:happened]] == [
            str(step) for step in report.reference[:happened]
        ], told
        assert valid(here, steps), (told, steps)  # type: ignore[arg-type]
        bounds = ((here.actions[name].durations or (0, 0), duration) for _, name, duration in steps)
        assert all(low - 0.001 <= duration <= high + 0.001 for (low, high), duration in bounds), (told, steps)
        if report.proven and changes_told(report)[0] <= _CHANGES:
            latest = None if report.optimal_cost is None else report.optimal_cost.upper
            found = nearer(here, changes_told(report), _PLANS, latest, keeps)
            assert found is None, (told, found)
    elif report.determination is False and report.proven:
        assert report.planner_response.no_solution, told
    if report.planner_response.no_solution:
        found = quicker(here, None, 3, _PLANS, keeps)
        assert found is None and not has, (told, found)
    if report.optimal_cost is not None and not report.planner_response.no_solution:
        found = quicker(here, ceil(report.optimal_cost.lower), 3, _PLANS, keeps)
        assert found is None, (told, found)
        assert report.determination is not True or quicker(here, own, 3, _PLANS, keeps) is None, told
    return outcome(report.proven)


def _timed(token: object, by: int) -> tuple[Fraction, str, Fraction]:
    assert isinstance(token, Step) and token.time is not None
    return token.time - by, token.name, token.duration or Fraction(0)


KINDS = (
    Kind(
        name="monitoring: time",
        against="all plans at whole times, from the state that holds",
        attack=_attack,
        share=5,
    ),
)
