"""Traces of which part was not understood: nothing is claimed that this part could change."""

from __future__ import annotations

from typing import Any

import pytest

from validator import conform
from validator.adherence import adhere
from validator.adherence.figures.requirements import Requirement, met
from validator.adherence.values import Outcome


def _chat(*said: str) -> list[dict[str, Any]]:
    return [{"role": "user", "content": "Pack it."}, *({"role": "assistant", "content": text} for text in said)]


def _call(name: str, **given: object) -> str:
    return f'<tool_call>{{"name": "{name}", "arguments": {given}}}</tool_call>'.replace("'", '"')


CUT = '<tool_call>{"name": "wr'


@pytest.mark.parametrize(
    ("plan", "said", "outcome"),
    [
        (["pick(1)", "wrap(2)"], [_call("pick", x=1), _call("wrap", x=2)], Outcome.FOLLOWED),
        (["pick(1)"], [_call("pick", x=1), CUT], Outcome.UNCLEAR_TRACE),  # one more call
        (["pick(1)", "wrap(2)"], [_call("pick", x=1), CUT], Outcome.UNCLEAR_TRACE),  # the missing one
        (["pick(1)", "wrap(2)", "send(3)"], [_call("pick", x=1), CUT, _call("send", x=3)], Outcome.UNCLEAR_TRACE),
        (["pick(1)", "wrap(2)"], [_call("pick", x=7), CUT], Outcome.DEVIATED),  # another box in any case
        (["pick(1)", "wrap(2)"], [_call("burn", x=1), CUT], Outcome.DEVIATED),  # not planned in any case
        (["pick(1)", "wrap(2)"], [_call("wrap", x=2), _call("pick", x=1), CUT], Outcome.DEVIATED),  # too early
        (["pick(1)"], [CUT], Outcome.NO_CALLS),
    ],
)
def test_what_was_not_read_may_be_what_is_missing_or_too_much(
    plan: list[str], said: list[str], outcome: Outcome
) -> None:
    result = adhere("\n".join(plan), _chat(*said))
    assert result.outcome is outcome
    known = {Outcome.FOLLOWED: True, Outcome.DEVIATED: False}.get(outcome)
    assert met(result, [Requirement.FOLLOWED]).holds is known
    assert result.to_json()["outcome"] == outcome.value
    assert ("not understood" in result.summary) is (outcome is Outcome.UNCLEAR_TRACE)


@pytest.mark.parametrize("piece", ["do the same again", "put the thing over there", "grab it; then turn around"])
def test_nothing_is_compared_with_a_plan_that_was_understood_in_part(piece: str) -> None:
    domain, problem = "domains/blocks/domain.pddl", "domains/blocks/problem.pddl"
    plan = f"1. (take b d)\n2. {piece}\n3. (lower b)\n"
    calls = _chat(_call("take", block="b", below="d"), _call("lower", block="b"))
    for model in (None, (domain, problem)):
        result = adhere(plan, calls, model=model, time_limit=0)
        assert result.outcome is Outcome.UNCLEAR_PLAN and result.score is None
        assert met(result, [Requirement.FOLLOWED]).holds is None and "line 2" in result.not_applicable
    assert result.execution is not None and result.execution.sound


def test_what_was_not_read_may_have_reached_the_goal() -> None:
    domain, problem = "domains/trip/domain.pddl", "domains/trip/problem.pddl"
    result = adhere(None, _chat(_call("ask-dates"), CUT), model=(domain, problem), time_limit=0)
    assert met(result, [Requirement.SOUND]).holds is met(result, [Requirement.GOAL]).holds is None


@pytest.mark.parametrize(
    ("rule", "calls", "kept"),
    [
        ("never burn", ["pick"], None),
        ("never burn", ["burn"], False),
        ("at most 1 pick", ["pick"], None),
        ("at most 1 pick", ["pick", "pick"], False),
        ("at least 1 pick", ["pick"], True),
        ("at least 1 wrap", ["pick"], None),
        ("wrap before send", ["send"], None),
        ("pick then send", ["pick"], None),
        ("pick then send", ["pick", "send"], None),
    ],
)
def test_a_policy_is_decided_as_far_as_what_was_not_read_cannot_change_it(
    rule: str, calls: list[str], kept: bool | None
) -> None:
    result = conform(rule, _chat(*map(_call, calls), CUT))
    assert result.kept is kept
