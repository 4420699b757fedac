"""The next best plans of a flow: each once, in the order of costs, and none missing where that is said."""

from __future__ import annotations

import time
from collections import Counter
from dataclasses import replace
from random import Random

import pytest

from tests.support.depth import some
from tests.support.flow_search import all_plans
from tests.support.random_flows import random_flow
from validator.flow import plan_flow
from validator.flow.best import Others, cheapest
from validator.flow.build import known, operator, ran
from validator.flow.compiled.compile import compile_flow
from validator.flow.model import Flow, FlowOptions, Goal, GoalKind, GoalLogic, Slot
from validator.grounding.limits import Limits, Status

pytestmark = pytest.mark.planner

WAYS = Flow(
    name="ways",
    operators=(
        operator("one", "", "x", cost=10),
        operator("two", "", "x", cost=20),
        operator("make", "", "y", cost=1),
        operator("three", "y", "x", cost=30),
    ),
    goals=((known("x"),),),
    slots=(Slot(item="x", desirability=0), Slot(item="y", desirability=0)),
)


def _steps(flow: Flow, **options: object) -> list[tuple[int, tuple[str, ...]]]:
    found = plan_flow(flow, **options)  # type: ignore[arg-type]
    return [(plan.cost, tuple(map(str, plan.steps))) for plan in found.plans]


def test_dearer_plans_come_in_the_order_of_their_costs() -> None:
    found = plan_flow(WAYS, most=10, dearer=True)
    assert [(plan.cost, len(plan.steps)) for plan in found.plans] == [(5010, 1), (5020, 1), (10031, 2)]
    assert found.complete and found.proven


def test_only_the_cheapest_are_asked_for_by_default() -> None:
    found = plan_flow(WAYS, most=10)
    assert [plan.cost for plan in found.plans] == [5010]
    assert found.complete


def test_without_time_for_others_it_is_not_said_that_there_are_none() -> None:
    found = plan_flow(WAYS, most=10, dearer=True, others_limit=0)
    assert len(found.plans) == 1 and found.proven and not found.complete


def test_enough_plans_are_complete_when_none_that_is_left_out_is_cheaper() -> None:
    found = plan_flow(WAYS, most=2, dearer=True)
    assert [plan.cost for plan in found.plans] == [5010, 5020]
    assert found.complete


@pytest.mark.parametrize("seed", some(range(20), 4))
def test_no_plan_is_missing(seed: int) -> None:
    rng = Random(seed)
    flow = random_flow(rng)
    compiled = compile_flow(replace(flow, goals=(tuple(ran(each.name) for each in flow.operators[:2]),)))
    limits = Limits(deadline=time.monotonic() + 60, memory=2**31)
    task = compiled.prepared.task(limits)
    assert not isinstance(task, Status)
    best = cheapest(task, limits)
    if best.plan is None or best.upper is None or not best.plan:
        assert best.is_proven
        return
    found = {frozenset(Counter(best.plan).items()): best.upper}
    others = Others(task, best.plan, best.upper, limits, dearer=True)
    for steps, cost in others:
        found[frozenset(Counter(steps).items())] = cost
        if len(found) == 6:
            break
    assert others.is_complete
    costs = list(found.values())
    assert costs == sorted(costs)
    wanted = all_plans(task, max(costs), most=4_000)
    if wanted is None:
        pytest.skip("too many plans to look at")
    if len(found) < 6:
        assert found == wanted
    cheaper = {key for key, cost in wanted.items() if cost < max(costs)}
    assert cheaper <= found.keys() <= wanted.keys()


# --- groups of alternatives ----------------------------------------------------------------------


def _alternatives(number: int) -> Flow:
    def goal(name: str) -> Goal:
        return Goal(kind=GoalKind.OPERATOR, subject=name)

    return Flow(
        name="groups",
        operators=tuple(operator(f"{way}{each}", "", "", cost=10 + way) for each in range(number) for way in (1, 2)),
        goals=tuple((goal(f"1{each}"), goal(f"2{each}")) for each in range(number)),
        options=FlowOptions(goal_logic=GoalLogic.AND_OR),
    )


def test_twenty_groups_of_alternatives_have_a_cheapest_plan() -> None:
    found = plan_flow(_alternatives(20))
    assert (found.proven, found.plans[0].cost) == (True, 20 * 5011)


@pytest.mark.parametrize("seed", some(range(12), 3))
def test_groups_as_facts_mean_what_their_formula_means(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    rng = Random(seed)
    flow = random_flow(rng)
    kinds = [Goal(kind=GoalKind.OPERATOR, subject=each.name) for each in flow.operators]
    kinds += [Goal(kind=kind, subject=entry.item) for entry in flow.memory for kind in (GoalKind.KNOWN, GoalKind.USED)]
    groups = tuple(tuple(rng.sample(kinds, 2)) for _ in range(3))
    flow = replace(flow, goals=groups, options=replace(flow.options, goal_logic=GoalLogic.AND_OR))
    answers = []
    for most in (0, 10**6):
        monkeypatch.setattr("validator.flow.compiled.compile._MOST_GOALS", most)
        found = plan_flow(replace(flow, name=f"most {most}"))
        answers.append((found.status, found.proven, [plan.cost for plan in found.plans]))
    assert answers[0] == answers[1]
