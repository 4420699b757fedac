"""Operators that may be called on very many items: what is said of plans is what telling all calls apart says."""

from __future__ import annotations

import pytest

from tests.support.flow_building import operator, ran
from validator.flow import check_flow, plan_flow
from validator.flow.model import Flow, ItemState, MemoryItem

pytestmark = pytest.mark.planner

MAIL = Flow(
    name="mail",
    operators=(operator("email", "to: t, cc: t, from: t", "sent"),),
    memory=tuple(MemoryItem(item=f"m{number}", type="t", state=ItemState.KNOWN) for number in range(10)),
    goals=((ran("email"),),),
)
GOOD = ["map(m1, to)", "map(m2, cc)", "map(m3, from)", "sent = email(to, cc, from)"]


def test_three_inputs_of_a_type_over_ten_items_are_planned_for() -> None:
    found = plan_flow(MAIL)
    assert (found.proven, found.cost, len(found.plan or ())) == (True, 5070, 4)


def test_plans_are_decided_and_repaired() -> None:
    assert check_flow(MAIL, GOOD).determination
    report = check_flow(MAIL, GOOD[1:])
    assert (report.determination, report.proven, len(report.repaired_plan or ())) == (False, True, 4)
    report = check_flow(MAIL, ["ask(to)", *GOOD[1:]], quality="optimal")
    assert (report.determination, report.proven, report.repaired_cost) == (False, True, 5070)


def test_the_same_call_twice_is_a_fault() -> None:
    report = check_flow(MAIL, [*GOOD, GOOD[-1]], repair=False)
    assert [failure.step for failure in report.failures] == [4]
