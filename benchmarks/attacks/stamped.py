"""Attacks on plans with times for models that have none, and on plans without times for models over time."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from itertools import groupby, permutations, product
from random import Random

from benchmarks.attacks.classical import judged, scale_of
from benchmarks.attacks.kind import Kind, outcome
from tests.support.edit_oracle import CHEAP, DEAR, Oracle, random_case
from tests.support.edit_oracle import KINDS as MODELS
from tests.support.random_times import Sample, Timed, makespan, sample, shared, valid
from validator import InputError, PlanError, Quality, check, prepare
from validator.checking.about.redundant import redundant_steps
from validator.checking.monitor import check_rest
from validator.metrics import compare
from validator.reading.plan import Step, Token
from validator.reading.tokens import tokenize
from validator.repair.diff import DiffAction, apply_diff

__all__ = ["KINDS"]

_SECONDS = 2.0

_MOST_ORDERS = 200

Stamped = list[tuple[int, str]]


# --- times where the model has none ----------------------------------------------------------------


def _needless(seed: int) -> Iterator[str]:
    """Give the steps of a classical plan times, in any order of lines, and ask as about the sequence of them."""
    draw = Random(f"needless {seed}")
    domain, problem, plan = random_case(MODELS[seed % 4], seed, (CHEAP, DEAR)[seed // 4 % 2])
    plan = [line for line in plan if line in {str(step) for step in Oracle(domain, problem).steps}]
    oracle, prepared = Oracle(domain, problem), prepare(domain, problem)
    stamped, time = Stamped(), 0
    for line in plan:
        time += draw.choice((1, 1, 2, 0) if draw.random() < 0.3 else (1, 2))
        stamped.append((time, line))
    is_sequence = len({time for time, _ in stamped}) == len(stamped)
    lines = [f"{time}{draw.choice(('', '.0', '.00'))}: {line}{draw.choice(('', ' [1]'))}" for time, line in stamped]
    draw.shuffle(lines)
    text = "\n".join(lines) or "; empty plan"
    quality, policy = draw.choice(list(Quality)), draw.choice(("edits", "keep"))
    report = check(prepared, None, text, quality=quality, policy=policy)
    told = (domain, problem, text, quality, policy, report)
    if not is_sequence:
        if report.determination and quality is not Quality.OPTIMAL:
            for order in _orders(stamped):
                end = oracle.run(order)
                assert end is not None and (quality is Quality.SOUND or oracle.is_goal(end[0])), (told, order)
        if report.repaired_plan is not None:
            end = oracle.run(map(str, report.repaired_plan))
            assert end is not None and (quality is Quality.SOUND or oracle.is_goal(end[0])), told
            assert any("sequence" in warning for warning in report.warnings), told
        yield outcome(report.proven)
        return
    yield judged(report, oracle, plan, policy, scale_of(prepared))
    if report.plan_diff_str:
        applied = [str(step) for step in apply_diff(report.plan_diff_str, text)]
        assert applied == list(map(str, report.repaired_plan or ())), (told, applied)
    compared = compare([text, "\n".join(plan) or "; empty plan"], prepared).pairs[0].scores
    end = oracle.run(plan)
    assert compared["edit"].value == 0 and compared["lcs"].value == 1, (told, compared)
    assert compared["same-states"].value in (end is not None or None, True, None), (told, compared)
    executed = draw.randint(0, len(plan))
    if (begun := oracle.run(plan[:executed])) is not None:
        here = Oracle(domain, problem, begun[0])
        rest = check_rest(prepared, text, executed=executed, repair=False)
        has = (end := here.run(plan[executed:])) is not None and here.is_goal(end[0])
        assert rest.determination is has, (told, executed, rest)
        yield outcome(True)


def _orders(stamped: Stamped) -> Iterator[list[str]]:
    """Yield every order of the steps in which those of one time come in any order."""
    groups = [[line for _, line in group] for _, group in groupby(stamped, key=lambda one: one[0])]
    for number, chosen in enumerate(product(*(permutations(group) for group in groups))):
        if number == _MOST_ORDERS:
            return
        yield [line for group in chosen for line in group]


# --- none where the model has them -----------------------------------------------------------------


def _missing(seed: int) -> Iterator[str]:
    """Leave out some or all times and durations of a plan over time, and ask in every way."""
    draw = Random(f"missing {seed}")
    model = (sample, shared)[seed % 2](seed)
    if not model.plan or not any(action.durations for action in model.actions.values()):
        return
    plan = sorted(model.plan)
    lines = [_open(draw, model, step) for step in plan]
    if not any(is_open for _, is_open in lines):
        return
    text = "\n".join(line for line, _ in lines)
    prepared = prepare(model.domain, model.problem)
    quality, policy = draw.choice(list(Quality)), draw.choice(("edits", "keep"))
    report = check(prepared, None, text, quality=quality, policy=policy, epsilon=1, time_limit=_SECONDS)
    told = (model, text, quality, policy, report)
    assert report.determination is None or (report.determination is False and report.failures), told
    if report.repaired_plan is not None:
        steps = [_timed(token) for token in report.repaired_plan]
        assert quality is Quality.SOUND or valid(model, steps), (told, steps)  # type: ignore[arg-type]
        bounds = [(model.actions[name].durations or (0, 0), duration) for _, name, duration in steps]
        assert all(low - 1 <= duration <= high + 1 for (low, high), duration in bounds), (told, steps)
        old = [diff.step.name for diff in report.plan_diff_obj if diff.diff_type is not DiffAction.ADD]  # type: ignore[union-attr]
        assert sorted(old) == sorted(name for _, name, _ in plan), told
        if quality is Quality.OPTIMAL and report.optimal_cost is not None:
            assert report.optimal_cost.upper is None or report.optimal_cost.upper == makespan(steps), told  # type: ignore[arg-type]
    assert not report.planner_response.no_solution or not valid(model, ()), told
    _compare_rest(model, text, draw, told)
    try:
        found = redundant_steps(prepared, tokenize(text, prepared.vocabulary), time_limit=_SECONDS)
    except (ValueError, PlanError):  # not valid as it stands, or no plan that was understood
        pass
    else:
        assert not found.proven and not found.steps, (told, found)
    yield outcome(report.determination is not None)


def _open(draw: Random, model: Sample, step: Timed) -> tuple[str, bool]:
    """Return the line of a step, perhaps without its time, or its duration where the model leaves a choice."""
    time, name, duration = step
    durations = model.actions[name].durations
    has_time = draw.random() < 0.3
    has_duration = durations is not None and draw.random() < 0.6
    line = f"{f'{time}: ' if has_time else ''}({name}){f' [{duration}]' if has_duration else ''}"
    is_chosen = durations is not None and durations[0] != durations[1]
    return line, not has_time or (is_chosen and not has_duration)


def _compare_rest(model: Sample, text: str, draw: Random, told: object) -> None:
    prepared = prepare(model.domain, model.problem)
    executed = draw.randint(0, text.count("\n") + 1)
    try:
        rest = check_rest(prepared, text, executed=executed, time_limit=_SECONDS)
    except InputError:
        return
    said = (told, executed, rest)
    assert rest.determination is not True or executed == text.count("\n") + 1, said
    if rest.determination is True:  # what is left is the empty plan; how it came there must be known
        assert not any(line.startswith("(") for line in text.splitlines()), said


def _timed(token: Token) -> tuple[Fraction, str, Fraction]:
    assert isinstance(token, Step) and token.time is not None, token
    return token.time, token.name, token.duration or Fraction(0)


KINDS = (
    Kind(
        name="plans with times, models without",
        against="Dijkstra over states and places of the plan, all orders",
        attack=_needless,
        share=6,
    ),
    Kind(
        name="plans without times, models over time",
        against="a second executor",
        attack=_missing,
        share=4,
    ),
)
