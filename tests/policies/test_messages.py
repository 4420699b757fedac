"""Rules about what was said, and about what calls returned."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from benchmarks.audit import POLICIES, Run, run, runs_in
from benchmarks.options import Options
from validator import PlanGuard, conform, read_policy
from validator.policies import Conformance

ASKS_FIRST = """
@user ends (agreed)
@user(text ~ "(?is).*\\b(yes|go ahead)\\b.*") gives (agreed)
pay only if (agreed)
"""


def said(role: str, text: str) -> dict[str, Any]:
    return {"role": role, "content": text}


def call(number: int, name: str, result: object = "ok", **arguments: Any) -> list[dict[str, Any]]:
    function = {"name": name, "arguments": json.dumps(arguments)}
    asked = {"role": "assistant", "content": None, "tool_calls": [{"id": f"c{number}", "function": function}]}
    content = result if isinstance(result, str) else json.dumps(result)
    return [asked, {"role": "tool", "tool_call_id": f"c{number}", "content": content}]


def checked(policy: str, *messages: dict[str, Any]) -> Conformance:
    return conform(policy, list(messages))


@pytest.mark.parametrize(
    ("answer", "kept"),
    [("Yes, please.", True), ("Go ahead!", True), ("Yesterday it was cheaper.", False), ("What does it cost?", False)],
)
def test_the_last_message_of_the_user_decides(answer: str, kept: bool) -> None:
    found = checked(
        ASKS_FIRST, said("user", "Yes?"), said("assistant", "Shall I pay?"), said("user", answer), *call(1, "pay")
    )
    assert found.kept is kept
    assert [str(event).split()[0] for event in found.run] == ["(@user", "(@assistant", "(@user", "(pay)"]


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


def test_a_history_that_a_request_repeats_says_nothing_twice() -> None:
    first = [said("user", "pay it"), *call(1, "look"), said("user", "yes")]
    requests = [{"messages": first[:1]}, {"messages": [*first, *call(2, "pay")]}]
    found = conform("at most 2 @user", requests)
    assert (found.kept, sum(event.is_message for event in found.run)) == (True, 2)


@pytest.mark.parametrize("rule", ["allow pay", "never look*", "exactly pay", "at most 1 *"])
def test_a_message_is_no_call(rule: str) -> None:
    policy = f"{rule}\nlook only if formerly @user"
    assert checked(policy, said("user", "a"), *call(1, "pay"), said("assistant", "b")).kept


def test_without_a_rule_on_messages_a_run_is_its_calls() -> None:
    assert len(checked("at most 1 pay", said("user", "a"), *call(1, "pay")).run) == 1


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


def test_a_policy_with_messages_is_printed_as_it_is_read() -> None:
    policy = read_policy(ASKS_FIRST)
    assert read_policy(str(policy)) == policy
    assert policy.names == ("pay",)


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


# --- the policies of the audit ---------------------------------------------------------------------

YES = said("user", "Yes, go ahead.")


@pytest.mark.parametrize(
    ("domain", "messages", "kept"),
    [
        ("airline", [*call(1, "get_reservation_details", {"cabin": "economy"}, reservation_id="R"), YES,
                     *call(2, "cancel_reservation", reservation_id="R")], True),
        ("airline", [YES, *call(2, "cancel_reservation", reservation_id="R")], False),
        ("airline", [*call(1, "get_reservation_details", {"cabin": "basic_economy"}, reservation_id="R"), YES,
                     *call(2, "update_reservation_flights", reservation_id="R", cabin="basic_economy")], False),
        ("retail", [*call(1, "find_user_id_by_email", "u", email="e"),
                    *call(2, "get_order_details", {"status": "pending"}, order_id="#1"), YES,
                    *call(3, "cancel_pending_order", order_id="#1", reason="no longer needed")], True),
        ("retail", [*call(1, "find_user_id_by_email", "u", email="e"),
                    *call(2, "get_order_details", {"status": "delivered"}, order_id="#1"), YES,
                    *call(3, "cancel_pending_order", order_id="#1", reason="no longer needed")], False),
        ("retail", [*call(1, "get_order_details", {"status": "pending"}, order_id="#1")], False),
        ("telecom", [*call(1, "get_customer_by_phone", {"id": "C"}, phone_number="1"), YES,
                     *call(2, "refuel_data", customer_id="C", line_id="L", gb_amount=2.0)], True),
        ("telecom", [YES, *call(2, "refuel_data", customer_id="C", line_id="L", gb_amount=3.0)], False),
    ],
)  # fmt: skip
def test_the_policies_of_the_audit_tell_right_runs_from_wrong_ones(
    domain: str, messages: list[dict[str, Any]], kept: bool
) -> None:
    assert conform(POLICIES / f"{domain}.policy", messages).kept is kept


def test_the_audit_counts_runs_of_both_benchmarks(tmp_path: Path) -> None:
    right = [*call(1, "get_reservation_details", {"cabin": "economy"}, reservation_id="R"), YES,
             *call(2, "cancel_reservation", reservation_id="R")]  # fmt: skip
    wrong = [message for message in right if message is not YES]
    first = tmp_path / "tau-bench" / "historical_trajectories" / "m-airline.json"
    second = tmp_path / "tau2-bench" / "data" / "tau2" / "results" / "final" / "n_airline_default.json"
    for file in (first, second):
        file.parent.mkdir(parents=True)
    first.write_text(json.dumps([{"task_id": 1, "trial": 0, "reward": 1.0, "traj": wrong}]))
    runs = [
        {"task_id": "2", "trial": 0, "reward_info": {"reward": 1.0}, "messages": right},
        {"task_id": "3", "trial": 0, "reward_info": {"reward": 0.0}, "messages": wrong},
    ]
    second.write_text(json.dumps({"simulations": runs}))
    assert [(each.task, each.rewarded) for each in runs_in(second)] == [("2/0", True), ("3/0", False)]
    assert all(isinstance(each, Run) for each in runs_in(first))
    counts, rules = run(Options(data=tmp_path))
    assert counts.rows == (("m-airline", 1, 0, 1, 1, 0, 0), ("n_airline_default", 2, 0, 1, 0, 1, 1))
    assert ("airline", "cancel_reservation only if (confirmed)", 1, 1) in rules.rows
    assert run(Options(data=tmp_path / "nothing"))[0].rows == ()


def test_messages_between_records_of_calls_are_told() -> None:
    rule = 'cancel only if previous @user(text ~ "(?i)yes.*")'
    call = {"name": "cancel", "arguments": {"booking": "B-17"}}
    said = {word: [{"role": "user", "content": word}, call] for word in ("Yes", "No")}
    assert [conform(rule, said[word]).kept for word in ("Yes", "No")] == [True, False]
