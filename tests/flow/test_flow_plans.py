"""Flows with many goals or many calls, and lines out of order: what is planned, decided and moved."""

from __future__ import annotations

import pytest

from tests.support.flow_building import operator, ran
from validator.flow import check_flow, plan_flow
from validator.flow.model import Flow, FlowOptions, GoalLogic, ItemState, MemoryItem

pytestmark = pytest.mark.planner


def test_twenty_groups_of_alternatives_have_a_cheapest_plan() -> None:
    flow = Flow(
        name="groups",
        operators=tuple(operator(f"{way}{each}", cost=10 + way) for each in range(20) for way in (1, 2)),
        goals=tuple((ran(f"1{each}"), ran(f"2{each}")) for each in range(20)),
        options=FlowOptions(goal_logic=GoalLogic.AND_OR),
    )
    found = plan_flow(flow)
    assert (found.proven, found.cost) == (True, 20 * 5011)


# --- operators that may be called on very many items -----------------------------------------------

MAIL = Flow(
    name="mail",
    operators=(operator("email", "to: t, cc: t, from: t", "sent"),),
    memory=tuple(MemoryItem(item=f"m{number}", type="t", state=ItemState.KNOWN) for number in range(10)),
    goals=((ran("email"),),),
)
SENT = ["map(m1, to)", "map(m2, cc)", "map(m3, from)", "sent = email(to, cc, from)"]


def test_three_inputs_of_a_type_over_ten_items_are_planned_for_decided_and_repaired() -> None:
    found = plan_flow(MAIL)
    assert (found.proven, found.cost, len(found.plan or ())) == (True, 5070, 4)
    assert check_flow(MAIL, SENT).determination
    report = check_flow(MAIL, SENT[1:])
    assert (report.determination, report.proven, len(report.repaired_plan or ())) == (False, True, 4)
    report = check_flow(MAIL, ["ask(to)", *SENT[1:]], quality="optimal")
    assert (report.determination, report.proven, report.repaired_cost) == (False, True, 5070)
    report = check_flow(MAIL, [*SENT, SENT[-1]], repair=False)
    assert [failure.step for failure in report.failures] == [4]
