"""What counts: tools that change nothing, the figure that predicts success, and what a test may require."""

from __future__ import annotations

import pytest

from validator.adherence import RowKind, adhere
from validator.adherence.reads import reading_tools
from validator.adherence.requirements import Requirement, met, required
from validator.adherence.values import Outcome

PLAN = ["get_user", "book", "pay"]


def _calls(*names: str) -> list[dict[str, object]]:
    return [{"name": name, "arguments": {}} for name in names]


# --- tools that change nothing -------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "reads"),
    [
        ("get_user_details", True),
        ("getUser", True),
        ("mcp__files__read_file", True),
        ("list-all-airports", True),
        ("get_or_create_user", False),
        ("search_and_replace", False),
        ("check_out", False),
        ("update_user", False),
        ("target", False),
        ("getaway", False),
    ],
)
def test_a_name_says_that_a_tool_reads(name: str, reads: bool) -> None:
    assert bool(reading_tools([name], {}, {})) is reads


def test_an_extra_call_that_changes_nothing_costs_nothing() -> None:
    result = adhere(PLAN, _calls("get_user", "search_flight", "book", "get_user", "pay"))
    assert (result.score, result.precision, result.outcome) == (1.0, 1.0, Outcome.FOLLOWED)
    assert [row.kind for row in result.extra] == [RowKind.EXTRA] * 2
    assert result.extra[0].reason == (
        "Call 2 (search_flight) is not in the plan; it changes nothing (by its name), and costs nothing."
    )
    assert result.summary.endswith("3 of 3 planned steps executed as planned, 2 extra (2 change nothing).")
    assert adhere(PLAN, _calls("get_user", "search_flight", "book", "pay"), read_only=()).score == 0.75
    assert adhere(PLAN, _calls("get_user", "book", "pay", "cancel")).score == 0.75


def test_a_server_of_tools_declares_what_they_change() -> None:
    tools = [{"name": "peek", "inputSchema": {"type": "object"}, "annotations": {"readOnlyHint": True}}]
    trace = [
        {"jsonrpc": "2.0", "id": 1, "method": "tools/list"},
        {"jsonrpc": "2.0", "id": 1, "result": {"tools": tools}},
        {"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": {"name": "peek", "arguments": {}}},
        {"jsonrpc": "2.0", "id": 3, "method": "tools/call", "params": {"name": "book", "arguments": {}}},
    ]
    result = adhere(["book"], trace)
    assert result.score == 1.0
    assert result.extra[0].reads == "as is declared"


# --- the figure that predicts success ------------------------------------------------------------


@pytest.mark.parametrize(
    ("plan", "calls", "accomplished"),
    [
        (PLAN, ("book", "pay"), 1.0),
        (PLAN, ("pay", "book"), 1.0),
        (PLAN, ("get_user", "book"), 0.5),
        (PLAN, ("book", "pay", "cancel"), 1.0),
        (["get_a", "get_b"], ("get_a",), 0.5),
        ([], ("book",), 1.0),
    ],
)
def test_accomplished_is_the_share_of_what_the_plan_changes(
    plan: list[str], calls: tuple[str, ...], accomplished: float
) -> None:
    assert adhere(plan, _calls(*calls)).accomplished == accomplished


# --- requirements --------------------------------------------------------------------------------

DOMAIN = """(define (domain d) (:predicates (p) (q)) (:functions (total-cost))
  (:action look :parameters () :effect (increase (total-cost) 1))
  (:action a :parameters () :effect (p)) (:action b :parameters () :precondition (p) :effect (q)))"""
PROBLEM = "(define (problem x) (:domain d) (:init) (:goal (q)))"


def test_a_plan_that_was_followed_to_no_end_meets_no_default_with_a_model() -> None:
    result = adhere("(b)", _calls("b"), model=(DOMAIN, PROBLEM))
    assert result.score == 1
    found = met(result, required(None, with_model=True))
    assert found.holds is False
    assert found.said == "required but not met: the execution is sound, the goal is reached"
    assert met(result, required(None, with_model=False)).holds is True


def test_an_action_without_effects_changes_nothing() -> None:
    result = adhere("(a)\n(b)", _calls("a", "look", "b"), model=(DOMAIN, PROBLEM))
    assert result.score == 1
    assert result.extra[0].reads == "in the model"
    assert met(result, (*required(None, with_model=True), Requirement.NO_HARM)).holds is True


def test_no_plan_stated_is_an_outcome_that_can_be_required_away() -> None:
    result = adhere(
        None, [{"role": "user", "content": "Go"}, {"role": "assistant", "tool_calls": [{"name": "f", "args": {}}]}]
    )
    assert (result.outcome, result.score) == (Outcome.NO_PLAN, None)
    assert met(result, required("plan", with_model=False)).holds is False
    assert met(result, required("followed", with_model=False)).holds is None
    assert adhere(["f"], [{"role": "user", "content": "Go"}]).outcome is Outcome.NO_CALLS


def test_what_cannot_be_required_is_said() -> None:
    with pytest.raises(ValueError, match="'luck' cannot be required; there are plan, followed, sound, goal, no-harm"):
        required("sound,luck", with_model=True)
    assert required(["no_harm", "GOAL"], with_model=True) == (Requirement.NO_HARM, Requirement.GOAL)
