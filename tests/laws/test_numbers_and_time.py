"""Models with numbers and over time: optima, rests, redundant steps, plans whose times say too much or too little."""

from __future__ import annotations

import re
from collections.abc import Sequence
from contextlib import ExitStack, suppress
from dataclasses import replace
from fractions import Fraction
from functools import partial
from itertools import groupby, permutations, product
from math import ceil
from random import Random
from typing import Any
from unittest.mock import patch

import pytest
from hypothesis import assume

from tests.support.edit_oracle import Oracle
from tests.support.laws import case_of, has_quality, judged, law, scale_of
from tests.support.naive_reference import Reference, World, distance
from tests.support.random_times import (
    Sample,
    State,
    Timed,
    behind,
    literal,
    makespan,
    nearer,
    quicker,
    sample,
    shared,
    valid,
)
from tests.support.short_plans import Numbers, text_of
from validator import InputError, Quality, Report, check, prepare
from validator.checking.monitoring.monitor import check_rest
from validator.grounding import limits
from validator.metrics import compare
from validator.reading.plan import Step
from validator.repair.diff import DiffAction, apply_diff

PLANS = 3_000
"""at whole times, that are tried in place of one that is proven"""


def over_time(seed: int) -> tuple[Sample, Random]:
    """Return a model with an action that lasts."""
    draw = Random(f"over time {seed}")
    model = draw.choice((sample, shared))(draw.randrange(10**6))
    assume(any(action.durations for action in model.actions.values()))
    return model, draw


def changes_of(report: Report) -> tuple[int, int]:
    """Return how many steps a repair drops and inserts, and how many it moves."""
    note = report.planner_response.note
    found = {what: int(number) for number, what in re.findall(r"(\d+) steps? (left out|inserted|at another)", note)}
    return found.get("left out", 0) + found.get("inserted", 0), found.get("at another", 0)


def fits(model: Sample, plan: Sequence[Any], by: float = 0) -> bool:
    """Return whether all durations are those of the model."""
    bounds = ((model.actions[name].durations or (0, 0), duration) for _, name, duration in plan)
    return all(low - by <= duration <= high + by for (low, high), duration in bounds)


def steps_of(tokens: Sequence[object], by: int = 0) -> list[Any]:
    """Return steps as start, name, duration, on a clock that begins later."""
    found = []
    for token in tokens:
        assert isinstance(token, Step) and token.time is not None, token
        found.append((token.time - by, token.name, token.duration or Fraction(0)))
    return found


# --- cheapest and nearest plans --------------------------------------------------------------------


def quickest(model: Sample, plan: Sequence[Timed], quality: str = "optimal", seconds: float = 60.0) -> None:
    """Compare what is said of a plan, and its repair, with all plans at whole times that are quicker or nearer."""
    model = replace(model, plan=tuple(plan))
    report = check(model.domain, model.problem, model.text, epsilon=1, quality=quality, time_limit=seconds)
    told, interval = (model, quality, report), report.optimal_cost
    no_solution = report.planner_response.no_solution
    if quality == "valid" and fits(model, model.plan):
        assert report.determination in (valid(model, model.plan), None), told
    elif quality == "optimal" and report.determination:
        assert quicker(model, makespan(model.plan), 3, PLANS) is None, told
    if interval is not None and not no_solution:
        assert quicker(model, ceil(interval.lower), 3, PLANS) is None, told
    assert not no_solution or quicker(model, None, 3, PLANS) is None, told
    if report.repaired_plan is not None:
        text = "\n".join(map(str, report.repaired_plan)) or "; empty plan"
        again = check(model.domain, model.problem, text, epsilon=1, repair=False)
        assert again.determination, told
        assert interval is None or again.cost <= interval.upper, told  # a duration may be off by epsilon
        if report.proven:
            least = None if interval is None else interval.upper
            assert nearer(model, changes_of(report), PLANS, least) is None, told


@law(4, quick=4)
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")  # an alarm may ring in a destructor
def test_no_plan_at_whole_times_is_quicker_or_nearer_whatever_the_limit(seed: int) -> None:
    model, draw = over_time(seed)
    seconds = 2.0 if draw.random() < 0.6 else 10 ** draw.uniform(-3.0, -0.3)
    with patch.object(limits, "_LEAST", 0.0) if draw.random() < 0.3 else ExitStack():
        quickest(model, draw.choice((model.plan, ())), draw.choice(("valid", "optimal")), seconds)


# --- rests and redundant steps ---------------------------------------------------------------------


@law(4)
def test_the_rest_of_a_plan_with_numbers_is_judged_from_the_values_that_hold(seed: int) -> None:
    draw, model = Random(f"rest {seed}"), Numbers(seed).model()
    plan = (*model.plan, draw.choice("abc"))
    executed = draw.randint(0, len(plan) - 1)
    now, said = model.end(plan[:executed]), list[str]()
    assume(now is not None)
    assert now is not None
    if draw.random() < 0.5:
        said.append("(not (p))" if ("p",) in now.atoms else "(p)")
        now = World(now.atoms ^ {("p",)}, now.values)
    if draw.random() < 0.5:
        value = draw.randint(0, 2)
        said.append(f"(= (x) {value})")
        now = World(now.atoms, {**now.values, ("x",): Fraction(value)})
    here, prepared = model.begun(now, plan[executed:]), prepare(model.domain, model.problem)
    report = check_rest(prepared, text_of(plan), executed=executed, changes=" ".join(said) or None, time_limit=3)
    told, plans = (model, plan, executed, said, report), here.valid()
    assert report.determination in (here.plan in plans, None), told
    assert report.determination is not False or not (report.repaired_plan is None and report.proven and plans), told
    if report.repaired_plan is not None:
        names = [step.name for step in report.repaired_plan if isinstance(step, Step)]
        assert tuple(names[:executed]) == plan[:executed] and here.verdict(names[executed:])[0], told
        near = min((distance(here.plan, other) for other in plans), default=99)
        assert not report.proven or distance(here.plan, tuple(names[executed:])) <= near, (told, near)


@law(5)
def test_the_rest_of_a_plan_over_time_is_judged_from_the_state_that_holds(seed: int) -> None:
    model, draw = over_time(seed)
    if draw.random() < 0.5:
        times = [draw.randint(1, 7) for _ in range(draw.randint(1, 3))]
        model = replace(model, timed=tuple((time, literal(draw.choice("pqr"), draw.random() < 0.5)) for time in times))
    happened = begun(model, draw)
    said, now = said_of(draw, model, happened)
    by, executed = makespan(happened), len(happened)
    rest = list(steps_from(model, draw, draw.randint(0, 2), by))
    if now is not None and draw.random() < 0.8:
        there = at(model, by, now, ())
        found = quicker(there, None, 2, 500, partial(fits, there)) or []
        rest = [(time + by, *step) for time, *step in found if draw.random() < 0.8]
    model = replace(model, plan=(*happened, *rest))
    quality = draw.choice((Quality.VALID, Quality.VALID, Quality.OPTIMAL))
    together, told = bool(happened and rest and happened[-1][0] == rest[0][0]), (model, executed, said, quality)
    prepared = prepare(model.domain, model.problem)
    try:
        report = check_rest(prepared, model.text, executed=executed, quality=quality, time_limit=4, **said)
    except InputError:
        assert together, told
        return
    assert not together, told
    told = (*told, report)  # type: ignore[assignment]
    if rest and any(start + duration > rest[0][0] for start, _, duration in happened):
        has = valid(model, model.plan) and fits(model, model.plan)
        assert report.determination is None if said else report.determination in (has, None), told
        assert not report.planner_response.no_solution and report.repaired_plan is None, told
    elif now is None:
        assert report.determination is None or "state" in said, told
    else:
        left = tuple((time - by, name, duration) for time, name, duration in rest)
        compare_rest(at(model, by, now, left), by, report, executed, told)


def at(model: Sample, by: int, now: State, plan: tuple[Timed, ...]) -> Sample:
    """Return the model that begins so much later, in a state, with a plan on its own clock."""
    return replace(model, start=now, timed=tuple((t - by, each) for t, each in model.timed if t > by), plan=plan)


def steps_from(model: Sample, draw: Random, number: int, time: int = 0) -> tuple[Timed, ...]:
    """Return steps one after the other, or at one time."""
    found = list[Timed]()
    for _ in range(number):
        name = draw.choice(list(model.actions))
        duration = draw.randint(*(model.actions[name].durations or (0, 0)))
        found.append((time, name, duration))
        time += draw.choice((0, duration, duration + 1))
    return tuple(found)


def begun(model: Sample, draw: Random) -> tuple[Timed, ...]:
    """Return the first steps of a plan, which most often can be executed."""
    tries = (steps_from(model, draw, draw.choice((0, 1, 1, 2))) for _ in range(1 if draw.random() < 0.2 else 30))
    found = list(tries)
    return next((steps for steps in found if behind(model, steps) is not None), found[0])


def said_of(draw: Random, model: Sample, happened: Sequence[Timed]) -> tuple[dict[str, str], State | None]:
    """Return what is said of the world after the first steps, and how it is then; None for not known."""
    planned, kind = behind(model, happened), draw.randrange(3)
    if kind == 0 or (kind == 1 and planned is None):
        return {}, planned
    if kind == 1 and planned is not None:
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


def compare_rest(here: Sample, by: int, report: Report, executed: int, told: object) -> None:
    """Compare what is said of the rest with all plans at whole times from the state that holds now."""
    has, own = valid(here, here.plan) and fits(here, here.plan), makespan(here.plan)
    search = partial(quicker, here, steps=3, most=PLANS, keeps=partial(fits, here))
    if report.report_type is Quality.VALID:
        assert report.determination in (has, None), (told, has)
    assert not report.determination or (has and report.cost == own), (told, has)
    if report.repaired_plan is not None:
        steps = steps_of(report.repaired_plan[executed:], by)
        kept = [str(step) for step in report.reference[:executed]]
        assert list(map(str, report.repaired_plan[:executed])) == kept, told
        assert valid(here, steps, Reference(here.domain, here.problem)) and fits(here, steps, 0.001), (told, steps)
        if report.proven and changes_of(report)[0] <= 2:  # else there are too many plans that are nearer
            latest = None if report.optimal_cost is None else report.optimal_cost.upper
            assert nearer(here, changes_of(report), PLANS, latest, partial(fits, here)) is None, told
    elif report.determination is False and report.proven:
        assert report.planner_response.no_solution, told
    if report.planner_response.no_solution:
        assert search(bound=None) is None and not has, told
    elif report.optimal_cost is not None:
        assert search(bound=ceil(report.optimal_cost.lower)) is None, told
        assert not report.determination or search(bound=own) is None, told


# --- times where the model has none, and the reverse -------------------------------------------------


@law(4)
def test_times_where_the_model_has_none_say_the_order_of_the_steps(seed: int) -> None:
    texts, oracle, _, draw = case = case_of(seed, "p")
    plan, prepared = case.walk(5), prepare(*texts)
    times = [draw.choice((1, 1, 2, 0) if draw.random() < 0.3 else (1, 2)) for _ in plan]
    stamped = [(sum(times[: place + 1]), line) for place, line in enumerate(plan)]
    lines = [f"{time}{draw.choice(('', '.0', '.00'))}: {line}{draw.choice(('', ' [1]'))}" for time, line in stamped]
    draw.shuffle(lines)
    text = "\n".join(lines) or "; empty plan"
    quality, policy = draw.choice(list(Quality)), draw.choice(("edits", "keep"))
    report = check(prepared, None, text, quality=quality, policy=policy)
    told = (texts, text, quality, policy, report)
    if len({time for time, _ in stamped}) < len(stamped):  # steps at one time may come in any order
        groups = [[line for _, line in group] for _, group in groupby(stamped, key=lambda one: one[0])]
        for chosen in product(*(permutations(group) for group in groups)):
            order = [line for group in chosen for line in group]
            assert not report.determination or quality is Quality.OPTIMAL or has_quality(oracle, order, quality), told
        if report.repaired_plan is not None:
            wanted = Quality.SOUND if quality is Quality.SOUND else Quality.VALID
            assert has_quality(oracle, list(map(str, report.repaired_plan)), wanted), told
            assert any("sequence" in warning for warning in report.warnings), told
        return
    judged(report, oracle, plan, policy, scale_of(prepared))
    if report.plan_diff_str:
        applied = list(map(str, apply_diff(report.plan_diff_str, text)))
        assert applied == list(map(str, report.repaired_plan or ())), (told, applied)
    scores = compare([text, "\n".join(plan) or "; empty plan"], prepared).pairs[0].scores
    assert (scores["edit"].value, scores["lcs"].value) == (0, 1) and scores["same-states"].value is not False, told
    executed = draw.randint(0, len(plan))
    if (first := oracle.run(plan[:executed])) is not None:
        rest = check_rest(prepared, text, executed=executed, repair=False)
        assert rest.determination is has_quality(Oracle(*texts, first[0]), plan[executed:], Quality.VALID), told


@law(4)
def test_times_that_a_model_needs_and_a_plan_does_not_say_are_no_reason_to_call_it_valid(seed: int) -> None:
    model, draw = over_time(seed)
    lines, is_open = list[str](), False
    for time, name, duration in sorted(model.plan):
        durations = model.actions[name].durations
        has_time, has_duration = draw.random() < 0.3, durations is not None and draw.random() < 0.6
        lines.append(f"{f'{time}: ' if has_time else ''}({name}){f' [{duration}]' if has_duration else ''}")
        is_chosen = durations is not None and durations[0] != durations[1]
        is_open |= not has_time or (is_chosen and not has_duration)
    assume(is_open)
    text, prepared = "\n".join(lines), prepare(model.domain, model.problem)
    quality, policy = draw.choice(list(Quality)), draw.choice(("edits", "keep"))
    report = check(prepared, None, text, quality=quality, policy=policy, epsilon=1, time_limit=2)
    told = (model, text, quality, policy, report)
    assert report.determination is None or (report.determination is False and report.failures), told
    assert not report.planner_response.no_solution or not valid(model, ()), told
    if report.repaired_plan is not None:
        steps = steps_of(report.repaired_plan)
        assert (quality is Quality.SOUND or valid(model, steps)) and fits(model, steps, 1), (told, steps)
        old = [diff.step.name for diff in report.plan_diff_obj if diff.diff_type is not DiffAction.ADD]  # type: ignore
        assert sorted(old) == sorted(name for _, name, _ in model.plan), told
        if quality is Quality.OPTIMAL and report.optimal_cost is not None:
            assert report.optimal_cost.upper in (None, makespan(steps)), told
    with suppress(InputError):  # the plan is not valid as it stands
        rest = check_rest(prepared, text, executed=draw.randint(0, len(lines) - 1), time_limit=2)
        assert not rest.determination, told
