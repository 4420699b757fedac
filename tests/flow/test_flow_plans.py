"""Plans of flows: many goals or calls, lines out of order, and texts; what is not understood is not wrong."""

from __future__ import annotations

import pytest

from tests.support.flow_building import operator, ran
from validator.flow import check_flow, plan_flow
from validator.flow.definition.reader import flow_from_document
from validator.flow.model import Flow, FlowOptions, GoalLogic, ItemState, MemoryItem
from validator.render.text import report_text

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


# --- texts that people, agents and language models write -----------------------------------------


STEPS = ["ask(city)", "hotel = find(city)", "assert $hotel.price < 100", "booking = book(hotel)"]
PLAN = "".join(f"{step}\n" for step in STEPS)


@pytest.fixture(scope="module")
def flow() -> Flow:
    return flow_from_document(
        {
            "flow": "stay",
            "operators": [
                {"name": "find", "inputs": ["city"], "outputs": ["hotel"], "cost": 20},
                {"name": "book", "inputs": ["hotel"], "outputs": ["booking"], "needs": ["$hotel.price < 100"]},
            ],
            "goals": [{"known": "booking"}],
            "slots": [{"item": "hotel", "desirability": 0}, {"item": "booking", "desirability": 0}],
        }
    )


@pytest.mark.parametrize(
    "text",
    [
        "First ask the city, then find the hotel, then book it.",
        PLAN.replace("find(city)", "find(city"),
        PLAN + "hotel = find(",
        '[{"name": "ask", "arguments": {"item": "city"}}]',
        "I'm sorry, I can't help with that.",
        "ask",
    ],
)
def test_what_is_not_understood_is_not_wrong(flow: Flow, text: str) -> None:
    report = check_flow(flow, text)
    assert report.determination is None and not report.is_understood and not report.proven
    assert report.repaired_plan is None and report.reading is not None
    assert report.reason.startswith("not understood")


def test_a_fault_before_what_was_not_understood_is_a_fault(flow: Flow) -> None:
    report = check_flow(flow, "booking = book(hotel)\nhotel = find(city\n")
    assert report.determination is False and [failure.step for failure in report.failures] == [0]
    assert report.repaired_plan is None and not report.proven


def test_a_claim_that_there_is_no_plan_is_decided(flow: Flow) -> None:
    report = check_flow(flow, "There is no plan.")
    assert report.determination is False and "there is one" in report.reason
    assert list(map(str, report.repaired_plan or ())) == STEPS


def test_the_help_for_a_plan_that_was_not_understood_names_what_flows_take() -> None:
    shown = report_text(check_flow(MAIL, "write the email\n", repair=False))
    assert shown.endswith("\nhelp: --strict takes the text literally\n")
