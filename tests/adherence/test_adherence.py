"""Adherence: many calls, whole steps, texts, what counts; a law has the alignment beside brute force."""

from __future__ import annotations

import sys
import time

import pytest

from validator.adherence import RowKind, adhere
from validator.adherence.requirements import Requirement, met, required
from validator.adherence.text import adherence_text
from validator.adherence.values import Outcome
from validator.alarms import OutOfTime

# --- the alignment -------------------------------------------------------------------------------


@pytest.mark.parametrize("changed", [0, 7])
def test_parallel_calls_are_aligned_fast(changed: int) -> None:
    """Five messages of twenty parallel calls took half a minute."""
    names = [f"tool_{number}" for number in range(20)]
    plan = [names[turn:] + names[:turn] for turn in range(5)]
    calls = [
        {"name": name, "batch": turn} for turn in range(5) for name in names[turn // 2 :: -1] + names[turn // 2 + 1 :]
    ]
    for place in range(0, changed * 13, 13):
        calls[place] = {**calls[place], "name": "other"}
    started = time.process_time()
    assert adhere(plan, calls).weight == 100 - changed
    assert time.process_time() - started < 2


# --- rows and reasons ----------------------------------------------------------------------------

CALLS = [
    {"name": "search", "arguments": {"to": "JFK"}},
    {"name": "book", "arguments": {"id": "NY101", "seats": 2}},
    {"name": "pay", "arguments": {"card": "visa"}},
]


def test_the_metrics_compare_whole_steps_of_the_execution_with_the_plan() -> None:
    result = adhere(["search(JFK)", "pay(amex)"], [*CALLS])
    scores = {name: score.value for name, score in result.metrics.items()}
    assert (scores["lcs"], scores["precision"], scores["recall"]) == (1 / 3, 1 / 3, 1 / 2)
    assert adhere(None, CALLS).metrics == {}


# --- text ----------------------------------------------------------------------------------------


def test_the_text_drives_no_terminal() -> None:
    result = adhere(["f"], [{"name": "f", "arguments": {"x": "\033[31mred\a"}}, {"name": "g\033[0m"}])
    assert "\033" not in adherence_text(result)
    assert "\a" not in adherence_text(result, color=True)
    assert "\033[31mred" not in adherence_text(result, color=True)


def test_where_the_time_is_over_before_calls_are_compared_that_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    def late(*given: object) -> None:
        raise OutOfTime

    monkeypatch.setattr(sys.modules["validator.adherence.adhere"], "align", late)
    found = adhere(["f"], [{"name": "f", "arguments": {}}], time_limit=1)
    assert found.outcome is Outcome.OUT_OF_TIME
    assert (found.score, len(found.calls)) == (None, 1)
    assert "time limit" in found.not_applicable


# --- tools that change nothing -------------------------------------------------------------------


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
