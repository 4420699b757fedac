"""Rules about what was said, and about what calls returned."""

from __future__ import annotations

import json
from typing import Any

import pytest

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
