"""Time limits of the questions about a plan: what is known is told, where something does not look at the clock."""

from __future__ import annotations

import sys
from typing import NoReturn

import pytest

from tests.support.models import WALK, WALK_PROBLEM
from validator import prepare, recognize_goals, tokenize
from validator.alarms import OutOfTime
from validator.checking.about import redundant
from validator.flow import check as flow_check
from validator.flow import planning as flow_planning
from validator.flow.check import check_flow
from validator.flow.model import Flow, Goal, GoalKind, Input, Operator, Output
from validator.flow.planning import plan_flow
from validator.policies import conform
from validator.recognize import recognizer
from validator.recognize.answer import Verdict
from validator.recognize.problem import Settings

pytestmark = pytest.mark.planner

PLAN = "(go a b)\n(look b)\n(go b a)\n"
LOOP = "(go a b)\n(go b a)\n" + PLAN


def ring(*given: object, **named: object) -> NoReturn:
    raise OutOfTime


def test_of_redundant_steps_those_are_told_that_were_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(redundant, "_proven", ring)
    prepared = prepare(WALK, WALK_PROBLEM)
    plan = tokenize(LOOP, prepared.vocabulary)
    found = redundant.redundant_steps(prepared, plan)
    assert (found.steps, found.proven, found.reason) == ((0, 1), False, "the time limit was met before the proof")


def goals() -> recognizer.Recognition:
    return recognize_goals(WALK, WALK_PROBLEM, "(go a b)", "(at b)\n(at c)", Settings(time_limit=20))


def test_goals_are_ranked_by_what_was_known_in_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(recognizer.Recognizer, "_rounds", ring)
    found = goals()
    assert not found.exact and found.observations
    monkeypatch.setattr(recognizer.Recognizer, "_begin", ring)
    found = goals()
    assert (found.verdict, found.exact) == (Verdict.NO_ANSWER, False)
    assert found.reason == "the time limit was met before the goals were compared"


def test_a_policy_of_a_trace_that_was_not_read_in_time_is_open(monkeypatch: pytest.MonkeyPatch) -> None:
    """The limit was for the repair alone: 100,000 calls were read and followed for as long as it took."""
    monkeypatch.setattr(sys.modules[conform.__module__], "read_trace", ring)
    found = conform("never pay", [{"name": "pay", "arguments": {}}])
    assert (found.kept, found.reason) == (None, "the time limit was met before all was read")


CHAIN = Flow(
    name="chain",
    operators=(Operator(name="find", inputs=(Input(item="city"),), outputs=(Output(item="hotel"),)),),
    goals=((Goal(kind=GoalKind.KNOWN, subject="hotel"),),),
)


def test_a_flow_that_was_not_compiled_in_time_is_open(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(flow_check, "_report", ring)
    report = check_flow(CHAIN, "hotel = find(city)")
    assert (report.determination, report.proven, report.planner_response.status) == (None, False, "time limit")
    monkeypatch.setattr(flow_planning, "_planned", ring)
    found = plan_flow(CHAIN)
    assert (found.plan, found.status, found.proven) == (None, "time limit", False)
