"""Groups of goals of which one is enough: as facts and as a formula."""

from __future__ import annotations

from dataclasses import replace
from random import Random

import pytest

from tests.support.depth import some
from tests.support.random_flows import random_flow
from validator.flow import plan_flow
from validator.flow.build import operator
from validator.flow.model import Flow, FlowOptions, Goal, GoalKind, GoalLogic

pytestmark = pytest.mark.planner


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
    assert (found.proven, found.cost) == (True, 20 * 5011)


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
        answers.append((found.status, found.proven, found.cost))
    assert answers[0] == answers[1]
