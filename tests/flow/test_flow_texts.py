"""Plans of flows in texts that people, agents and language models write: what is not understood is not wrong."""

from __future__ import annotations

import pytest

from validator.flow.check import check_flow
from validator.flow.definition.reader import flow_from_document
from validator.flow.model import Flow

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
