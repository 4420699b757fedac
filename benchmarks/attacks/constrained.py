"""Attacks on all that is told of models with constraints and preferences: repairs, rests, redundant steps, why-not."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from itertools import combinations, product
from math import lcm
from random import Random
from typing import Any

from benchmarks.attacks.kind import Kind, outcome
from tests.support.random_constraints import LONGEST, Constrained, Names, constrained, text_of
from validator import Quality, Report, check, prepare
from validator.checking.about.redundant import redundant_steps
from validator.checking.monitor import check_rest
from validator.checking.prepared import Prepared
from validator.checking.solve import solve
from validator.foils import AtMost, Constraint, Must, MustNot, Pattern, why_not
from validator.foils.answer import Side
from validator.reading.plan import Step, Token
from validator.reading.tokens import tokenize
from validator.repair.diff import DiffAction

__all__ = ["KINDS"]

_SECONDS = 2.0
"""for a search of models of which some have no plan, and endlessly many ways to look for one"""

Valid = dict[Names, Fraction | None]


def _case(seed: int) -> tuple[Constrained, Prepared, Valid, Random]:
    """Return a model which in most cases has a short valid plan."""
    draw = Random(f"attack constrained {seed}")
    model = constrained(seed)
    while not (valid := model.valid()) and draw.random() < 0.9:
        model = constrained(draw.randrange(10**9))
    return model, prepare(model.domain, model.problem), valid, draw


def _names(tokens: Sequence[Token]) -> Names:
    return tuple(token.name for token in tokens if isinstance(token, Step))


# --- repairs -----------------------------------------------------------------------------------------


def _repairs(seed: int) -> Iterator[str]:
    """Repair a plan to each quality under each policy, and look for a cheapest one."""
    model, prepared, valid, _ = _case(seed)
    for quality, policy in product(Quality, ("edits", "keep")):
        report = check(prepared, None, model.text, quality=quality, policy=policy, time_limit=_SECONDS)
        yield _judged(model, valid, report, policy)
    found, least = solve(prepared, time_limit=_SECONDS), _least(valid)
    told = (model, found, least)
    if found.plan is not None:
        has, cost = model.verdict(_names(found.plan))
        assert has and found.cost == cost, (told, cost)
        assert least is None or not found.proven or (cost is not None and cost <= least), told
    else:
        assert not (found.proven and valid), told
    assert None in (found.lower_bound, least) or found.lower_bound <= least, told  # type: ignore[operator]
    yield outcome(found.proven)


def _least(valid: Valid) -> Fraction | None:
    return min((cost for cost in valid.values() if cost is not None), default=None)


def _judged(model: Constrained, valid: Valid, report: Report, policy: str) -> str:
    """Compare a report on the model's plan with all plans of a few steps."""
    quality, own = report.report_type, model.plan
    has, cost = model.verdict(own)
    told = (model, quality, policy, report)
    good: Valid = valid
    if quality is Quality.SOUND:
        has = model.is_sound(own)
        plans = (names for size in range(LONGEST + 1) for names in product(model.prices, repeat=size))
        good = dict.fromkeys(names for names in plans if model.is_sound(names))
        assert report.determination is has, told
    elif quality is Quality.VALID:
        assert report.determination is has, told
        assert not has or report.cost == cost, (told, cost)
    else:
        _compare_cheapest(valid, report, has, cost, told)
    assert not (report.planner_response.no_solution and good), told
    if report.repaired_plan is None:
        assert not (report.determination is False and report.proven and good), told
        return outcome(report.proven)
    repaired = _names(report.repaired_plan)
    is_good, price = (model.is_sound(repaired), None) if quality is Quality.SOUND else model.verdict(repaired)
    assert is_good, (told, repaired)
    assert quality is Quality.SOUND or report.repaired_cost == price, (told, price)
    _compare_diff(own, repaired, report, told)
    if report.proven:
        if quality is Quality.OPTIMAL:
            assert price is not None and all(each is None or price <= each for each in good.values()), (told, price)
            good = {names: each for names, each in good.items() if each == price}
            policy = "edits"
        near = _edits if policy == "edits" else lambda plan, other: _kept(model, quality, plan, other)
        best = min((near(own, other) for other in good), default=None)
        assert best is None or near(own, repaired) <= best, (told, repaired, best)
    return outcome(report.proven)


def _compare_cheapest(valid: Valid, report: Report, has: bool, cost: Fraction | None, told: object) -> None:
    least, interval = _least(valid), report.optimal_cost
    assert has or report.determination is False, told
    if report.determination:
        assert cost is not None and least is not None and cost <= least, (told, cost, least)
    elif report.determination is False and has and report.proven:
        assert report.optimal_cost is not None and report.optimal_cost.upper is not None, told
        assert cost is not None and report.optimal_cost.upper < cost, told
    if interval is not None and least is not None:
        assert interval.lower <= least, (told, least)


def _compare_diff(own: Names, repaired: Names, report: Report, told: object) -> None:
    """Follow the diff from the plan to the repaired one."""
    old = _names([diff.step for diff in report.plan_diff_obj if diff.diff_type is not DiffAction.ADD])
    new = _names([diff.step for diff in report.plan_diff_obj if diff.diff_type is not DiffAction.DELETE])
    assert old == own and new == repaired, told


def _edits(plan: Names, other: Names) -> tuple[Fraction, Fraction]:
    """Return the fewest insertions and deletions, by the textbook's recursion."""
    return _distance(plan, other, (1, 0), lambda name: (Fraction(1), Fraction(0)))


def _kept(model: Constrained, quality: Quality, plan: Names, other: Names) -> tuple[Fraction, Fraction]:
    """Return the fewest skips, then the least that inserted steps cost, each at least 1.

    Where the metric counts violations as well, each step counts 1; where a planner looks, costs are scaled to integers.
    """
    scale = lcm(*(price.denominator for price in model.prices.values())) if quality is Quality.SOUND else 1
    is_sum = "(is-violated" not in model.problem

    def price(name: str) -> tuple[Fraction, Fraction]:
        return Fraction(0), max(Fraction(1), scale * model.prices[name]) if is_sum else Fraction(1)

    return _distance(plan, other, (1, 0), price)


def _distance(
    plan: Names, other: Names, skip: tuple[int, int], insert: Callable[[str], tuple[Fraction, Fraction]]
) -> tuple[Fraction, Fraction]:
    nothing = (Fraction(0), Fraction(0))
    best = {(0, 0): nothing}
    for i, j in product(range(len(plan) + 1), range(len(other) + 1)):
        ways = [nothing] if (i, j) == (0, 0) else []
        if i:
            ways.append((best[i - 1, j][0] + skip[0], best[i - 1, j][1] + skip[1]))
        if j:
            price = insert(other[j - 1])
            ways.append((best[i, j - 1][0] + price[0], best[i, j - 1][1] + price[1]))
        if i and j and plan[i - 1] == other[j - 1]:
            ways.append(best[i - 1, j - 1])
        best[i, j] = min(ways)
    return best[len(plan), len(other)]


# --- under way, redundant --------------------------------------------------------------------------


def _rests(seed: int) -> Iterator[str]:
    """Let some steps happen, which constraints still look back at, and judge the rest; leave steps out."""
    model, prepared, valid, draw = _case(seed)
    plan = draw.choice(list(valid)) if valid and draw.random() < 0.5 else model.plan
    executed = draw.randint(0, len(plan))
    quality = draw.choice(list(Quality))
    given: dict[str, Any] = draw.choice(({}, {}, {"changes": "(p)"}, {"state": "(:init (q))"}))
    report = check_rest(
        prepared, text_of(plan), executed=executed, quality=quality, strict=True, time_limit=_SECONDS, **given
    )
    told = (model, plan, executed, quality, given, report)
    if not model.is_sound(plan[:executed]):
        is_open = not given or quality is not Quality.SOUND
        assert not is_open or (report.determination is None and report.repaired_plan is None), told
    else:
        _compare_rest(model, plan, executed, report, given, told)
    yield outcome(report.determination is not None and (report.determination or report.proven))
    has, _ = model.verdict(plan)
    if not has or len(plan) == 0:
        return
    found = redundant_steps(prepared, tokenize(text_of(plan), prepared.vocabulary), time_limit=20)
    kept = tuple(name for place, name in enumerate(plan) if place not in found.steps)
    assert model.verdict(kept)[0], (told, found)
    rests = (rest for size in range(len(plan) + 1) for rest in combinations(plan, size))
    fewest = next(len(rest) for rest in rests if model.verdict(rest)[0])
    assert len(kept) == fewest or (not found.proven and len(kept) > fewest), (told, found, fewest)
    yield outcome(found.proven)


def _compare_rest(
    model: Constrained, plan: Names, executed: int, report: Report, given: dict[str, Any], told: object
) -> None:
    """Compare a report on what is to come with all rests of a few steps, behind the states that have been."""
    states = model.states(plan[:executed])
    planned = {fact for fact, *_ in states[-1].atoms}
    facts = {"q"} if "state" in given else planned | {"p"} if given else planned
    rest, quality = plan[executed:], report.report_type
    sizes = range(LONGEST + 1)
    judged = {
        names: model.rest(states[:-1], facts, names) for size in sizes for names in product(model.prices, repeat=size)
    }
    good = {names: cost for names, (is_valid, cost) in judged.items() if is_valid}
    has, cost = judged.get(rest) or model.rest(states[:-1], facts, rest)
    if quality is Quality.SOUND or (facts != planned and "since when is not known" in report.reason):
        return
    if quality is Quality.VALID:
        assert report.determination is has and (not has or report.cost == cost), (told, cost)
    else:
        _compare_cheapest(good, report, has, cost, told)
    if report.repaired_plan is None:
        assert not (report.determination is False and report.planner_response.no_solution and good), told
        return
    repaired = _names(report.repaired_plan)
    assert repaired[:executed] == plan[:executed], told
    is_valid, price = model.rest(states[:-1], facts, repaired[executed:])
    assert is_valid and report.repaired_cost == price, (told, price)
    if report.proven:
        if quality is Quality.OPTIMAL:
            assert price is not None and all(each is None or price <= each for each in good.values()), (told, price)
            good = {names: each for names, each in good.items() if each == price}
        best = min((_edits(rest, other) for other in good), default=None)
        assert best is None or _edits(rest, repaired[executed:]) <= best, (told, repaired, best)


# --- why not ---------------------------------------------------------------------------------------


def _foils(seed: int) -> Iterator[str]:
    """Ask why not the user's own plan, and what if steps must, must not, or at most once happen."""
    model, prepared, valid, draw = _case(seed)
    wishes = [_wish(draw) for _ in range(draw.choice((0, 1, 1, 2)))]
    foil = model.plan if "x" not in model.plan and (not wishes or draw.random() < 0.4) else None
    plan = draw.choice(list(valid)) if valid and draw.random() < 0.5 else None
    if foil is None and not wishes:
        return
    answer = why_not(
        prepared,
        None if foil is None else text_of(foil),
        plan=None if plan is None else text_of(plan),
        constraints=wishes,
        time_limit=2 * _SECONDS,
    )
    good = {names: cost for names, cost in valid.items() if all(_is_kept(wish, names) for wish in wishes)}
    told = (model, foil, plan, list(map(str, wishes)), answer.sentences, answer)
    assert not (answer.possible is False and good), (told, good)
    for side in (answer.foil, None if answer.best is None else answer.best.plan):
        if side is not None:
            _compare_side(model, side, wishes, told)
    if foil is not None:
        is_said = "The foil is not valid." in answer.facts
        assert not is_said or not model.verdict(foil)[0], told
    least = _least(good)
    if answer.cheapest is not None and least is not None:
        assert answer.cheapest.lower <= least, (told, least)
    if answer.best is not None and answer.best.proven and least is not None:
        assert answer.best.plan.cost is not None and answer.best.plan.cost <= least, (told, least)
    near = foil if foil is not None else plan
    if answer.foil is not None and answer.nearest and near is not None:
        best = min((_edits(near, other) for other in good), default=None)
        assert best is None or answer.edits is None or answer.edits <= best[0], (told, best)
    for conflict in answer.conflicts:
        part = [wish for wish in conflict if isinstance(wish, Must | MustNot | AtMost)]
        if len(part) == len(conflict):
            assert not any(all(_is_kept(wish, names) for wish in part) for names in valid), (told, conflict)
    yield outcome(answer.possible is False or (answer.best is not None and answer.best.proven))


def _wish(draw: Random) -> Constraint:
    step = Pattern(name=draw.choice("abc"), args=())
    return draw.choice((Must(step=step), MustNot(step=step), AtMost(step=step, number=1)))


def _is_kept(wish: Constraint, names: Names) -> bool:
    assert isinstance(wish, Must | MustNot | AtMost)
    times = names.count(wish.step.name)
    return times > 0 if isinstance(wish, Must) else times <= (wish.number if isinstance(wish, AtMost) else 0)


def _compare_side(model: Constrained, side: Side, wishes: Sequence[Constraint], told: object) -> None:
    names = _names(side.steps)
    has, cost = model.verdict(names)
    assert has and all(_is_kept(wish, names) for wish in wishes), (told, names)
    assert side.cost in (None, cost), (told, names, cost)


# --- unified-planning ------------------------------------------------------------------------------


def _unified(seed: int) -> Iterator[str]:
    """Judge and repair plans of problems with constraints on the trajectory, as unified-planning reads them."""
    from unified_planning.io import PDDLReader
    from unified_planning.plans import SequentialPlan

    draw = Random(f"constraints of unified-planning {seed}")
    model = constrained(seed, is_hard=True)
    while not (valid := model.valid()) and draw.random() < 0.9:
        model = constrained(draw.randrange(10**9), is_hard=True)
    if "x" in model.plan or "(:derived" in model.domain or "(at end " in model.problem:
        return  # what unified-planning has no way to say
    domain = re.sub(r"\(:requirements[^)]*\)", "", model.domain)  # it knows not all of them
    problem = PDDLReader().parse_problem_string(domain, model.problem)
    plan = SequentialPlan([problem.action(name)() for name in model.plan], problem.environment)
    for quality, policy in product(Quality, ("edits", "keep")):
        report = check(problem, None, plan, quality=quality, policy=policy, time_limit=_SECONDS)
        yield _judged(model, valid, report, policy)
        if report.repaired_plan is not None:
            assert report.up_plan is not None, report
            named = tuple(step.action.name for step in report.up_plan.actions)
            assert named == _names(report.repaired_plan), (model, report)
    _compare_engine(problem, plan, model, valid)


def _compare_engine(problem: Any, plan: Any, model: Constrained, valid: Valid) -> None:
    from validator.integrations.unified_planning import PlanValidatorEngine

    engine, (has, cost) = PlanValidatorEngine(time_limit=_SECONDS), model.verdict(model.plan)
    engine.skip_checks = True
    found = engine.validate(problem, plan)
    told = (model, found)
    assert found.status.name == ("VALID" if has else "INVALID"), told
    if has:
        assert all(Fraction(str(value)) == cost for value in (found.metric_evaluations or {}).values()), told
    elif found.inapplicable_action is None:
        assert model.is_sound(model.plan) and found.reason.name == "UNSATISFIED_GOALS", told
    else:
        place = next(at for at, step in enumerate(plan.actions) if step is found.inapplicable_action)
        assert not model.is_sound(model.plan[: place + 1]) and model.is_sound(model.plan[:place]), told
    repaired = engine.repair(problem, plan)
    told = (model, repaired)
    if repaired.plan is None:
        assert not (repaired.status.name == "UNSOLVABLE_PROVEN" and valid), told
        return
    names = tuple(step.action.name for step in repaired.plan.actions)
    assert model.verdict(names)[0], told
    if repaired.metrics["proven"] == "True":
        best = min((_edits(model.plan, other) for other in valid), default=None)
        assert best is None or _edits(model.plan, names) <= best, (told, best)
    assert int(repaired.metrics["changed_lines"]) == _edits(model.plan, names)[0], told


_PLANS = "a second executor, all plans of up to four steps"

KINDS = (
    Kind(name="constraints, preferences: repair", against=_PLANS, attack=_repairs, share=6),
    Kind(
        name="constraints, preferences: rest, redundant steps",
        against="a second executor: every short rest, every set of steps left out",
        attack=_rests,
        share=5,
    ),
    Kind(name="constraints, preferences: foils", against=_PLANS, attack=_foils, share=4),
    Kind(name="problems of unified-planning: constraints", against=_PLANS, attack=_unified, share=4),
)
