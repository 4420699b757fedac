"""Models with constraints and preferences: repairs, rests, redundant steps, questions, guards; all short plans."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from fractions import Fraction
from itertools import product
from math import lcm
from random import Random
from typing import Any

from hypothesis import assume

from tests.support.laws import law
from tests.support.naive_reference import Price, fewest
from tests.support.short_plans import LONGEST, Names, Numbers, Short, constrained, solvable, text_of
from validator import PlanGuard, Quality, Report, check, prepare
from validator.checking.monitoring.monitor import check_rest
from validator.checking.solve import solve
from validator.foils import AtMost, Constraint, Must, MustNot, Pattern, why_not
from validator.guard import Rest
from validator.reading.plan import Step
from validator.repair.diff import DiffAction

SECONDS = 2.0
"""for a search of models of which some have no plan, and endlessly many ways to look for one"""

Valid = dict[Names, Fraction | None]


def drawn(seed: int, *, is_hard: bool | None = None) -> tuple[Short, Valid, Random]:
    """Return a model which in most cases has a short valid plan."""
    draw = Random(f"constraints {seed}")
    model = constrained(seed, is_hard=is_hard)
    while not (valid := model.valid()) and draw.random() < 0.9:
        model = constrained(draw.randrange(10**9), is_hard=is_hard)
    return model, valid, draw


def names_of(tokens: Any) -> Names:
    return tuple(token.name for token in tokens if isinstance(token, Step))


def short(model: Short) -> list[Names]:
    return [names for size in range(LONGEST + 1) for names in product(model.prices, repeat=size)]


def least_of(valid: Valid) -> Fraction | None:
    return min((cost for cost in valid.values() if cost is not None), default=None)


def insertion(model: Short, quality: Quality, policy: str) -> Callable[[str], Price]:
    """Return what an inserted step costs: with ``keep``, after the skips, its price, at least 1.

    Where the metric counts violations as well, each step counts 1; where a planner looks, costs are scaled to integers.
    """
    if policy == "edits" or quality is Quality.OPTIMAL:
        return lambda name: (Fraction(1), Fraction(0))
    if "(is-violated" in model.problem:
        return lambda name: (Fraction(0), Fraction(1))
    scale = lcm(*(price.denominator for price in model.prices.values())) if quality is Quality.SOUND else 1
    return lambda name: (Fraction(0), max(Fraction(1), scale * model.prices[name]))


# --- repairs, rests --------------------------------------------------------------------------------


def judge(model: Short, valid: Valid, report: Report, policy: str) -> None:
    """Compare a report on the model's plan with all plans of a few steps."""
    quality, own = report.report_type, model.plan
    has, cost = model.verdict(own)
    told, good = (model, quality, policy, report), valid
    if quality is Quality.SOUND:
        has, good = model.is_sound(own), dict.fromkeys(names for names in short(model) if model.is_sound(names))
    if quality is Quality.OPTIMAL:
        compare_cheapest(valid, report, has, cost, told)
    else:
        assert report.determination is has and (quality is Quality.SOUND or not has or report.cost == cost), told
    assert not (report.planner_response.no_solution and good), told
    if report.repaired_plan is None:
        assert not (report.determination is False and report.proven and good), told
        return
    repaired = names_of(report.repaired_plan)
    is_good, price = (model.is_sound(repaired), None) if quality is Quality.SOUND else model.verdict(repaired)
    assert is_good and (quality is Quality.SOUND or report.repaired_cost == price), (told, repaired, price)
    old = names_of(diff.step for diff in report.plan_diff_obj if diff.diff_type is not DiffAction.ADD)
    new = names_of(diff.step for diff in report.plan_diff_obj if diff.diff_type is not DiffAction.DELETE)
    assert (old, new) == (own, repaired), told
    compare_nearest(own, repaired, good, price, report, insertion(model, quality, policy), told)


def compare_cheapest(valid: Valid, report: Report, has: bool, cost: Fraction | None, told: object) -> None:
    least, interval = least_of(valid), report.optimal_cost
    assert has or report.determination is False, told
    assert not report.determination or (cost is not None and least is not None and cost <= least), (told, cost, least)
    if report.determination is False and has and report.proven:
        assert interval is not None and interval.upper is not None and cost is not None and interval.upper < cost, told
    assert interval is None or least is None or interval.lower <= least, (told, least)


def compare_nearest(
    own: Names,
    repaired: Names,
    good: Valid,
    price: Fraction | None,
    report: Report,
    insert: Callable[[str], Price],
    told: object,
) -> None:
    if not report.proven:
        return
    if report.report_type is Quality.OPTIMAL:
        assert price is not None and all(each is None or price <= each for each in good.values()), (told, price)
        good = {names: each for names, each in good.items() if each == price}
    best = min((fewest(own, other, insert) for other in good), default=None)
    assert best is None or fewest(own, repaired, insert) <= best, (told, repaired, best)


@law(4, quick=4)
def test_no_plan_of_a_few_steps_is_nearer_or_cheaper(seed: int) -> None:
    if has_numbers := bool(seed % 2):
        model = solvable(seed, Fraction(1 if seed % 4 == 1 else 10**7))
        valid = model.valid()
    else:
        model, valid, _ = drawn(seed)
    prepared = prepare(model.domain, model.problem)
    for quality, policy in product((Quality.VALID, Quality.OPTIMAL) if has_numbers else Quality, ("edits", "keep")):
        report = check(prepared, None, model.text, quality=quality, policy=policy, time_limit=SECONDS)
        judge(model, valid, report, policy)
    found, least = solve(prepared, time_limit=SECONDS), least_of(valid)
    if found.plan is not None:
        has, cost = model.verdict(names_of(found.plan))
        assert has and found.cost == cost, (model, found, cost)
        assert least is None or not found.proven or (cost is not None and cost <= least), (model, found, least)
    assert found.plan is not None or not (found.proven and valid), (model, found)
    assert found.lower_bound is None or least is None or found.lower_bound <= least, (model, found, least)


@law(4)
def test_the_rest_of_a_plan_is_judged_with_the_states_that_have_been(seed: int) -> None:
    model, valid, draw = drawn(seed)
    plan = draw.choice(list(valid)) if valid and draw.random() < 0.5 else model.plan
    executed, quality, prepared = (
        draw.randint(0, len(plan)),
        draw.choice(list(Quality)),
        prepare(model.domain, model.problem),
    )
    given: dict[str, Any] = draw.choice(({}, {}, {"changes": "(p)"}, {"state": "(:init (q))"}))
    report = check_rest(
        prepared, text_of(plan), executed=executed, quality=quality, strict=True, time_limit=SECONDS, **given
    )
    told = (model, plan, executed, quality, given, report)
    if not model.is_sound(plan[:executed]):
        is_open = not given or quality is not Quality.SOUND
        assert not is_open or (report.determination is None and report.repaired_plan is None), told
    elif given and quality is not Quality.SOUND:
        assert report.determination is None and report.repaired_plan is None, told
    elif quality is Quality.VALID:
        assert report.determination is model.verdict(plan)[0], told


# --- why not ---------------------------------------------------------------------------------------


@law(3)
def test_answers_to_why_not_hold_for_all_plans_of_a_few_steps(seed: int) -> None:
    model, valid, draw = drawn(seed)
    kinds: tuple[Callable[[Pattern], Constraint], ...] = (
        lambda step: Must(step=step),
        lambda step: MustNot(step=step),
        lambda step: AtMost(step=step, number=1),
    )
    wishes = [draw.choice(kinds)(Pattern(name=draw.choice("abc"), args=())) for _ in range(draw.choice((0, 1, 1, 2)))]
    foil = model.plan if "x" not in model.plan and (not wishes or draw.random() < 0.4) else None
    plan = draw.choice(list(valid)) if valid and draw.random() < 0.5 else None
    assume(foil is not None or wishes)
    said = [None if each is None else text_of(each) for each in (foil, plan)]
    answer = why_not(
        prepare(model.domain, model.problem), said[0], plan=said[1], constraints=wishes, time_limit=2 * SECONDS
    )
    good = {names: cost for names, cost in valid.items() if all(is_kept(wish, names) for wish in wishes)}
    least, told = least_of(good), (model, foil, plan, list(map(str, wishes)), answer.sentences, answer)
    assert not (answer.possible is False and good), (told, good)
    for side in (answer.foil, None if answer.best is None else answer.best.plan):
        if side is not None:
            has, cost = model.verdict(names_of(side.steps))
            assert has and all(is_kept(wish, names_of(side.steps)) for wish in wishes), told
            assert side.cost in (None, cost), (told, cost)
    assert foil is None or "The foil is not valid." not in answer.facts or not model.verdict(foil)[0], told
    if least is not None:
        assert answer.cheapest is None or answer.cheapest.lower <= least, (told, least)
        if answer.best is not None and answer.best.proven:
            assert answer.best.plan.cost is not None and answer.best.plan.cost <= least, (told, least)
    near = foil if foil is not None else plan
    if answer.foil is not None and answer.nearest and near is not None and answer.edits is not None:
        assert answer.edits <= min((fewest(near, other)[0] for other in good), default=answer.edits), told
    for conflict in answer.conflicts:
        if all(isinstance(wish, Must | MustNot | AtMost) for wish in conflict):
            assert not any(all(is_kept(wish, names) for wish in conflict) for names in valid), (told, conflict)


def is_kept(wish: Any, names: Names) -> bool:
    times = names.count(wish.step.name)
    return times > 0 if isinstance(wish, Must) else times <= (wish.number if isinstance(wish, AtMost) else 0)


# --- unified-planning ------------------------------------------------------------------------------


@law(2)
def test_constraints_of_problems_of_unified_planning_are_those_of_pddl(seed: int) -> None:
    from unified_planning.io import PDDLReader
    from unified_planning.plans import SequentialPlan

    from validator.integrations.unified_planning import PlanValidatorEngine

    model, valid, draw = drawn(seed, is_hard=True)  # the rest unified-planning has no way to say
    assume("x" not in model.plan and "(:derived" not in model.domain and "(at end " not in model.problem)
    problem = PDDLReader().parse_problem_string(re.sub(r"\(:requirements[^)]*\)", "", model.domain), model.problem)
    plan = SequentialPlan([problem.action(name)() for name in model.plan], problem.environment)
    for quality, policy in draw.sample(list(product(Quality, ("edits", "keep"))), 2):
        report = check(problem, None, plan, quality=quality, policy=policy, time_limit=SECONDS)
        judge(model, valid, report, policy)
        if report.repaired_plan is not None:
            named = tuple(step.action.name for step in report.up_plan.actions)  # type: ignore[union-attr]
            assert named == names_of(report.repaired_plan), (model, report)
    engine, (has, cost) = PlanValidatorEngine(time_limit=SECONDS), model.verdict(model.plan)
    engine.skip_checks = True
    found = engine.validate(problem, plan)
    assert found.status.name == ("VALID" if has else "INVALID"), (model, found)
    if has:
        assert all(Fraction(str(value)) == cost for value in (found.metric_evaluations or {}).values()), (model, found)
    elif found.inapplicable_action is None:
        assert model.is_sound(model.plan) and found.reason.name == "UNSATISFIED_GOALS", (model, found)
    else:
        place = next(at for at, step in enumerate(plan.actions) if step is found.inapplicable_action)
        assert not model.is_sound(model.plan[: place + 1]) and model.is_sound(model.plan[:place]), (model, found)
    repaired = engine.repair(problem, plan)
    if repaired.plan is None:
        assert not (repaired.status.name == "UNSOLVABLE_PROVEN" and valid), (model, repaired)
        return
    names = tuple(step.action.name for step in repaired.plan.actions)
    changed = fewest(model.plan, names)[0]
    assert model.verdict(names)[0] and int(repaired.metrics["changed_lines"]) == changed, (model, repaired)
    if repaired.metrics["proven"] == "True":
        assert changed <= min((fewest(model.plan, other)[0] for other in valid), default=changed), (model, repaired)


# --- guards ----------------------------------------------------------------------------------------


def guarded(
    guard: PlanGuard, draw: Random, actions: Sequence[str], can: Callable[[Names], bool], has: Callable[[Names], bool],
    later: Callable[[Names], Valid], told: object,
) -> None:  # fmt: skip
    """Let calls be guarded, and compare each decision, what would be right, and the end."""
    names: Names = ()
    for _ in range(4):
        name = draw.choice(sorted(actions))
        decision = guard.before(name, {})
        said = (told, names, name, decision)
        assert decision.allowed is can((*names, name)) or not (decision.allowed or decision.understood), said
        if decision.allowed:
            guard.after(decision, "done")
            names = (*names, name)
        elif draw.random() < 0.3:
            rest = decision.repaired(2)
            assert rest is not None, said
            compare_guarded(rest, names, has, later(names), said)
    assert bool(guard.finish()) is not has(names), (told, names, guard.finish())


def compare_guarded(rest: Rest, names: Names, has: Callable[[Names], bool], later: Valid, told: object) -> None:
    if rest.steps is None:
        assert not (rest.proven and later), (told, rest)
        return
    more = tuple(step.strip("()") for step in rest.steps)
    assert has((*names, *more)), (told, rest)
    least = least_of(later)
    assert not (rest.proven and least is not None and more in later) or later[more] == least, (told, rest, least)


@law(3)
def test_a_guard_by_a_model_with_numbers_allows_what_can_be_executed(seed: int) -> None:
    draw, model = Random(seed), Numbers(seed).model()
    valid = model.valid()

    def later(names: Names) -> Valid:
        return {plan[len(names) :]: cost for plan, cost in valid.items() if plan[: len(names)] == names}

    guard = PlanGuard((model.domain, model.problem))
    guarded(guard, draw, list(model.prices), model.is_sound, lambda names: model.verdict(names)[0], later, model)
