"""What counts: tools that change nothing, the figure that predicts success, and what a test may require."""

from __future__ import annotations

import pytest

from validator.adherence import RowKind, adhere
from validator.adherence.requirements import Requirement, met, required
from validator.adherence.values import Outcome

PLAN = ["get_user", "book", "pay"]


def _calls(*names: str) -> list[dict[str, object]]:
    return [{"name": name, "arguments": {}} for name in names]


# --- tools that change nothing -------------------------------------------------------------------


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


def test_an_action_without_effects_changes_nothing() -> None:
    result = adhere("(a)\n(b)", _calls("a", "look", "b"), model=(DOMAIN, PROBLEM))
    assert result.score == 1
    assert result.extra[0].reads == "in the model"
    assert met(result, (*required(None, with_model=True), Requirement.NO_HARM)).holds is True


def test_what_cannot_be_required_is_said() -> None:
    with pytest.raises(ValueError, match="'luck' cannot be required; there are plan, followed, sound, goal, no-harm"):
        required("sound,luck", with_model=True)
    assert required(["no_harm", "GOAL"], with_model=True) == (Requirement.NO_HARM, Requirement.GOAL)
