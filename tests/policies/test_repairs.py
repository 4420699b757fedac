"""Rules about what was said and returned; the nearest run that keeps a policy, by rules and on models."""

from __future__ import annotations

import json
import sys
from types import SimpleNamespace
from typing import Any

import pytest

from validator.guard import PlanGuard
from validator.model.bundled import bundle
from validator.policies import Conformance, conform, read_policy
from validator.policies.conform import run_of
from validator.policies.product import Product
from validator.policies.repair.repair import EditKind, nearest_run
from validator.reading.traces.read import read_trace


@pytest.mark.parametrize(("passes", "left"), [(4.0, 6.0), (10.2, 0.01)])
def test_what_following_took_is_not_there_for_the_repair(
    passes: float, left: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    module = sys.modules["validator.policies.conform"]
    clock, seconds_given = [100.0], list[float]()

    def slow(*asked: object) -> object:
        clock[0] += passes
        return follow(*asked)

    def noted(product: object, begun: object, run: object, seconds: float) -> object:
        seconds_given.append(round(seconds, 6))
        return search(product, begun, run, 10.0)

    follow, search = module.follow, module.nearest_run
    monkeypatch.setattr("validator.grounding.limits.time", SimpleNamespace(monotonic=lambda: clock[0]))
    monkeypatch.setattr(module, "follow", slow)
    monkeypatch.setattr(module, "nearest_run", noted)
    assert conform("at most 1 pay", [{"name": "pay", "arguments": {}}] * 2, time_limit=10).repair is not None
    assert seconds_given == [left]


def test_where_no_search_ends_in_time_what_breaks_a_rule_is_dropped() -> None:
    product = Product(read_policy("verify gives (verified ?user)\npay only if (verified ?user)\nlog before end"))
    named = [("pay", "a"), ("verify", "a"), ("pay", "a"), ("log", "a"), ("end", "a")]
    run = run_of(read_trace([{"name": name, "arguments": {"user": user}} for name, user in named]))
    found = nearest_run(product, product.start, run, time_limit=-1)
    assert [edit.said for edit in found.edits or () if edit.kind is not EditKind.KEEP] == ["drop call 1 (pay user=a)"]
    assert not found.proven
    assert nearest_run(product, product.start, run, time_limit=60).proven


# --- runs that a model executes ------------------------------------------------------------------


DOMAIN = """(define (domain letters) (:predicates (p) (q) (r))
  (:action a :effect (p))
  (:action b :precondition (p) :effect (and (q) (not (p))))
  (:action c :precondition (q) :effect (and (r) (p)))
  (:action d :precondition (or (p) (r)) :effect (not (q))))"""
PROBLEM = "(define (problem one) (:domain letters) (:init) (:goal (r)))"
TRIP = bundle("trip")


def test_what_the_model_does_not_know_is_no_proof() -> None:
    calls = [{"name": name, "arguments": {}, "result": 1} for name in "ab"]
    repair = conform("verify before b", calls, model=(DOMAIN, PROBLEM)).repair
    assert repair is not None and not repair.proven
    assert [edit.said for edit in repair.edits or () if edit.kind != "keep"] == ["add (verify) before call 2"]


def test_the_rest_keeps_the_rules_and_can_be_executed() -> None:
    guard = PlanGuard("ask_card before book_flight", (TRIP.domain, TRIP.problem))
    decision = guard.before("book_flight", {"f": "fl-noon", "from": "oslo", "to": "rome"})
    rest = decision.repaired(60)
    assert rest is not None and rest.steps is not None and rest.proven
    assert "(ask-card c=work-card)" in rest.steps and "(ask-user o=fl-noon)" in rest.steps
    assert rest.steps[-1] == "(book_flight f=fl-noon from=oslo to=rome)"


@pytest.mark.deep
def test_no_plan_is_proposed_that_the_rules_deny() -> None:
    guard = PlanGuard("never c", (DOMAIN, PROBLEM))
    rest = guard.before("c", {}).repaired(60)
    assert rest is not None and (rest.steps, rest.proven) == (None, False) and "does not keep the policy" in rest.reason


# --- what was said, and what calls returned ------------------------------------------------------


ASKS_FIRST = """
@user ends (agreed)
@user(text ~ "(?is).*\\b(yes|go ahead)\\b.*") gives (agreed)
pay only if (agreed)
"""


def test_that_no_run_keeps_a_policy_is_proven_however_long_the_run_is() -> None:
    calls = [{"name": f"t{number}", "arguments": {}} for number in range(60)]
    found = conform("at least 1 x\nexactly a < b", calls, time_limit=20)
    assert found.repair is not None and found.repair.edits is None and found.repair.proven


def said(role: str, text: str) -> dict[str, Any]:
    return {"role": role, "content": text}


def call(number: int, name: str, result: object = "ok", **arguments: Any) -> list[dict[str, Any]]:
    function = {"name": name, "arguments": json.dumps(arguments)}
    asked = {"role": "assistant", "content": None, "tool_calls": [{"id": f"c{number}", "function": function}]}
    content = result if isinstance(result, str) else json.dumps(result)
    return [asked, {"role": "tool", "tool_call_id": f"c{number}", "content": content}]


def checked(policy: str, *messages: dict[str, Any]) -> Conformance:
    return conform(policy, list(messages))


def test_messages_stand_where_they_were_said() -> None:
    found = checked(
        'pay only if previous @user and formerly @assistant(text = "Shall I?")',
        *call(1, "look"),
        said("assistant", "Shall I?"),
        said("user", "yes"),
        *call(2, "pay"),
        *call(3, "pay"),
    )
    assert [fault.call for finding in found.broken for fault in finding.faults] == [4]


def test_a_repair_leaves_what_was_said() -> None:
    found = checked(ASKS_FIRST, said("user", "pay it"), *call(1, "pay"), said("user", "yes"), *call(2, "look"))
    assert found.repair is not None and found.repair.edits is not None
    assert [(edit.kind.value, edit.event.name) for edit in found.repair.edits] == [
        ("keep", "@user"),
        ("keep", "@user"),
        ("keep", "look"),
        ("move", "pay"),
    ]
    assert found.repair.proven
    assert conform(read_policy(ASKS_FIRST), [said("user", "yes"), *call(1, "pay")]).kept


def test_a_rule_may_ask_what_a_call_returned() -> None:
    policy = (
        "cancel only if formerly show(order = ?order, result.status = open) and not formerly show(result.items.0 = x)"
    )
    show = call(1, "show", {"status": "open", "items": ["y"]}, order="o1")
    assert checked(policy, *show, *call(2, "cancel", order="o1")).kept is True
    assert (
        checked(policy, *call(1, "show", {"status": "sent"}, order="o1"), *call(2, "cancel", order="o1")).kept is False
    )
    assert checked(policy, *call(1, "show", "open", order="o1"), *call(2, "cancel", order="o1")).kept is False
    assert checked("pay only if result.paid = true", *call(1, "pay", {"paid": True})).kept is True
    assert conform("pay only if result.paid = true", [{"name": "pay", "arguments": {}}]).kept is None


def test_a_guard_is_told_what_is_said() -> None:
    guard = PlanGuard(ASKS_FIRST)
    guard.message("user", "What does it cost?")
    assert not guard.before("pay", {})
    guard.message("assistant", "5. Shall I pay?")
    guard.message("user", "yes")
    assert guard.before("pay", {})
    with pytest.raises(ValueError, match="user or assistant"):
        guard.message("tool", "yes")
