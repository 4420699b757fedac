"""Groups of goals of which one is enough: as facts and as a formula."""

from __future__ import annotations

import pytest

from tests.support.flow_building import operator
from validator.flow import plan_flow
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
