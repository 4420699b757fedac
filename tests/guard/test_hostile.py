"""Spellings and values that are meant to get past a guard; and calls that only look like forbidden ones."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.support import hostile
from tests.support.places import SHARED
from validator.errors import InputError
from validator.flow.tools.specifications import read_tools
from validator.guard import PlanGuard
from validator.guard.inputs import unknown
from validator.policies import conform, read_policy
from validator.reading.calls.tools import same_tool


def _tools(*names: str, **arguments: str) -> list[dict[str, Any]]:
    return [
        {
            "name": name,
            "inputSchema": {
                "type": "object",
                "properties": {each: {} for each in arguments.get(name, "user amount").split()},
            },
        }
        for name in names
    ]


FORBIDDEN = "delete_policy"
TOOLS = _tools("pay", "verify", "receipt", "delete_policy", "pay_all")


def test_no_hostile_spelling_of_a_name_lets_a_forbidden_call_through() -> None:
    spelled = list(dict.fromkeys(hostile.names(FORBIDDEN)))
    assert len(spelled) >= 150
    for tools in (None, TOOLS):
        for rule in (
            f"never {FORBIDDEN}",
            f"{FORBIDDEN} only if (agreed)\nverify gives (agreed)",
            f"at most 0 {FORBIDDEN}",
        ):
            guard = PlanGuard(rule, tools=tools)
            assert [name for name in spelled if guard.before(name, {})] == []
    closed = PlanGuard("allow pay, receipt")
    assert [name for name in spelled if closed.before(name, {})] == []


@pytest.mark.parametrize(("word", "joint", "faults"), [("exactly", " < ", [0, 1, 2]), ("allow", ", ", [0, 1])])
def test_a_call_that_may_be_one_of_many_steps_opens_no_gate(word: str, joint: str, faults: list[int]) -> None:
    """Beyond ten steps that a call may be, nothing was known of the rule any more, and each later call was allowed."""
    rule = f"{word} {joint.join(f'a(x = {number})' for number in range(12))}"
    assert not PlanGuard(rule).before("a", {"x": "<value>"})
    run = [{"name": name, "arguments": {"x": value}} for name, value in (("a", "<value>"), ("z", 0), ("a", 0))]
    (finding,) = conform(rule, run, repair=False).findings
    assert [fault.call for fault in finding.faults] == faults


def test_calls_that_may_be_too_many_sets_of_steps_are_not_known() -> None:
    """It was an error for a recorded run, and took a guard seconds."""
    steps = ", ".join(f"s{number}: a(x != {number})" for number in range(16))
    run = [{"name": "a", "arguments": {"x": 99}}] * 6
    assert conform(f"order {steps}", run, repair=False).kept is None
    assert [fault.call for fault in conform(f"exactly {steps}", run, repair=False).findings[0].faults] == [4, 5]


def test_calls_that_may_be_meant_by_a_limit_do_not_lift_it() -> None:
    guard = PlanGuard("at most 80 a(x = 1)")
    decisions = [guard.before("a", {"x": value}) for value in ["<value>"] * 100 + [1] * 100]
    assert sum(decision.allowed for decision in decisions) <= 80


def test_no_hostile_spelling_stands_for_a_call_that_a_rule_asks_for() -> None:
    """What does not certainly mean ``verify_user`` verifies nobody."""
    hidden = [name for name in hostile.names("verify_user") if not same_tool("verify_user", name)]
    assert len(hidden) > 80
    for name in hidden:
        guard = PlanGuard("verify_user before pay")
        if decision := guard.before(name, {}):
            guard.after(decision, "ok")
        assert not guard.before("pay", {}), name


def test_no_hostile_value_lets_a_forbidden_call_through() -> None:
    for tools in (None, TOOLS):
        for rule in ("never pay(amount > 500)", "pay only if amount <= 500"):
            guard = PlanGuard(rule, tools=tools)
            assert [value for value in hostile.values() if guard.before("pay", {"amount": value})] == []
            assert guard.before("pay", {"amount": 499})


def test_no_hostile_argument_lets_a_forbidden_call_through() -> None:
    given = list(hostile.arguments("amount", 501))
    guard = PlanGuard("never pay(amount > 500)")
    assert [each for each in given if guard.before("pay", each)] == []
    exact = PlanGuard("never pay(amount > 500)", tools=TOOLS)
    # A server that takes ``amount`` gets the 1 that stands there, whatever else does.
    assert [each for each in given if exact.before("pay", each) and "amount" not in each] == []
    nested = {"payment.amount": 1, "payment": {"amount": 501}}
    assert not PlanGuard("never pay(payment.amount > 500)").before("pay", nested)


def test_no_call_that_says_two_things_lets_a_forbidden_one_through() -> None:
    made = list(hostile.calls("pay", "verify", {"amount": 501}, {"amount": 1}))
    for tools in (None, TOOLS):
        guard = PlanGuard("pay only if amount <= 500", tools=tools)
        assert [call for call in made if guard.before(call)] == []
        assert not guard.before("pay", '{"amount": 501, "amount": 1}').understood


@pytest.mark.parametrize(
    ("rule", "name", "is_same"),
    [
        ("pay", "Pay", True),
        ("delete_all", "deleteAll", True),
        ("delete_all", "DELETE-ALL", True),
        ("deleteAll", "delete_all", True),
        ("oauth", "OAuth", True),
        ("pay", "mcp__shop__pay", True),
        ("pay", "functions.pay", True),
        ("mcp__shop__pay", "shop:pay", True),
        ("mcp__shop__pay", "mcp__bank__pay", False),
        ("mcp__shop__*", "shop/refund", True),
        ("mcp__shop__*", "bank/refund", False),
        ("mcp__*", "pay", False),
        ("get_*", "getUser", True),
        ("get_*", "getaway", False),
        ("pay", "pay_all", False),
        ("shop.pay", "pay", False),
    ],
)
def test_which_names_mean_the_same_tool(rule: str, name: str, is_same: bool) -> None:
    assert same_tool(rule, name) is is_same


def test_signs_that_no_tool_has_are_not_understood() -> None:
    guard = PlanGuard('never pay\nat most 9 "look up!"')
    assert guard.before("web.search/v2", {}) and guard.before("look up!", {})
    for name, said in (("search%00", "%"), ("search now", "' '"), ("\x1bsearch", r"'\x1b'"), ("🇵🇦🇾", "🇵 🇦 🇾")):
        denied = guard.before(name, {})
        assert not denied.understood and f"what no name of a tool has: {said}" in denied.reason


def test_of_known_tools_exact_names_win() -> None:
    tools = _tools("pay", "pays", "pay_all", "p\u0430y", "list_file", "list_files")
    guard = PlanGuard("never pay\nnever list_file", tools=tools)
    allowed = [tool["name"] for tool in tools if guard.before(tool["name"], {})]
    assert allowed == ["pays", "pay_all", "p\u0430y", "list_files"]
    assert not guard.before("no_tool_of_this_name", {}).understood


def test_the_servers_own_names_of_arguments_count() -> None:
    policy = "verify gives (known ?user)\npay only if (known ?user)"
    for tools in (None, TOOLS):
        guard = PlanGuard(policy, tools=tools)
        guard.after(guard.before("verify", {"user": "ann"}), "ok")
        assert guard.before("pay", {"user": "ann"})
        assert not guard.before("pay", {"USER": "ann"}).understood


@pytest.mark.parametrize(
    ("policy", "said"),
    [
        ("never reciept", "no tool is called 'reciept' (did you mean 'receipt'?)"),
        ("never del_*", "no tool is called 'del_*'"),
        ("pay only if (known ?usr)\nverify gives (known ?user)", "'pay' has no argument 'usr' (did you mean 'user'?)"),
        ("pay only if not formerly verify(user = ?usr)", "'pay' has no argument 'usr' (did you mean 'user'?)"),
        ("never pay(amuont > 5)", "'pay' has no argument 'amuont' (did you mean 'amount'?)"),
        ("pay only if (knwon ?user)\nverify gives (known ?user)", "nothing gives (knwon ?user)"),
    ],
)
def test_a_name_that_nothing_has_is_an_error(policy: str, said: str) -> None:
    with pytest.raises(InputError) as caught:
        PlanGuard(policy, tools=TOOLS)
    assert said in str(caught.value)
    assert said in unknown(read_policy(policy), read_tools(TOOLS))[0]
    assert not PlanGuard(policy, tools=TOOLS, unknown_names="allow").fault


def test_the_result_of_a_call_before_is_no_argument() -> None:
    assert not unknown(read_policy("pay only if formerly verify(user = ?user, result.status = ok)"), read_tools(TOOLS))


def test_the_argument_of_a_tool_in_another_spelling_is_known() -> None:
    guard = PlanGuard("never pay(user-id = 1)", tools=_tools("pay", pay="userId"))
    assert not guard.before("pay", {"userId": 1}) and guard.before("pay", {"userId": 2})


# --- failures are against the call -----------------------------------------------------------------


def test_a_decision_that_fails_is_against_the_call(monkeypatch: pytest.MonkeyPatch) -> None:
    for not_understood in ("deny", "allow"):
        guard = PlanGuard("never pay", not_understood=not_understood)
        assert guard.before("verify", {})
        for error in (RuntimeError("broken"), RecursionError(), MemoryError()):
            monkeypatch.setattr(guard, "_judge", lambda *_, error=error: (_ for _ in ()).throw(error))
            denied = guard.before("verify", {})
            assert not denied and "the guard failed" in denied.reason


def test_behind_a_result_that_could_not_be_taken_down_every_call_is_denied(monkeypatch: pytest.MonkeyPatch) -> None:
    guard = PlanGuard("at most 1 pay")
    decision = guard.before("pay", {})
    with monkeypatch.context() as patched, pytest.raises(RuntimeError):
        patched.setattr(guard, "_judge", lambda *_: (_ for _ in ()).throw(RuntimeError("broken")))
        guard.after(decision, "ok")
    assert not guard.before("pay", {}) and not guard.before("verify", {})
    guard.know(_tools("pay", "verify"))
    assert not guard.before("verify", {})


@pytest.mark.parametrize("tools", ["nonsense", 5, [{"no": "name"}], [{"name": "pay"}, {"name": 7}], [None]])
def test_tools_that_cannot_be_read_deny_every_call(tools: object) -> None:
    guard = PlanGuard("never refund")
    guard.know(tools)
    assert not guard.before("pay", {}) and "cannot be read" in guard.fault
    with pytest.raises(InputError):
        PlanGuard("never refund", tools=tools)


@pytest.mark.parametrize("call", [{}, {"params": {}}, {"name": 5}, {"name": ["pay"]}])
def test_a_call_that_cannot_be_read_is_denied(call: dict[str, Any]) -> None:
    assert not PlanGuard("never refund").before(call)


# --- allowed calls ---------------------------------------------------------------------------------


def _recorded() -> list[tuple[str, Any]]:
    """Return the calls of public records."""
    traces = json.loads((SHARED / "data" / "traces" / "expected.json").read_text())
    found = [(call["name"], call["arguments"]) for each in traces for call in each["calls"]]
    for file in sorted((SHARED / "data" / "tool_calls").glob("*/*.jsonl")):
        records = map(json.loads, file.read_text().splitlines())
        found += [(call["name"], call["arguments"]) for record in records for call in _calls(record)]
    return found


def _calls(record: dict[str, Any]) -> list[dict[str, Any]]:
    calls = record.get("calls") or record.get("output") or ()
    return [call for call in calls if isinstance(call, dict) and "name" in call and "arguments" in call]


@pytest.mark.deep
@pytest.mark.skipif(not (SHARED / "data" / "traces").is_dir(), reason="needs the recorded traces")
def test_no_recorded_call_is_denied_by_rules_about_other_tools() -> None:
    """Each recorded call is decided under rules about other recorded tools, until 10,000 decisions were made."""
    calls = _recorded()
    every = sorted({name for name, _ in calls})
    decided = 0
    for shift in range(100):
        picked = [every[(shift * 7 + step * 13) % len(every)] for step in range(5)]
        rules = "\n".join(f'never "{name}"' for name in picked)
        guard = PlanGuard(rules, tools=[{"name": name} for name in every])
        for name, given in calls:
            if any(same_tool(each, name) for each in picked):
                continue
            decision = guard.before(name, given if isinstance(given, dict) else {})
            assert decision, (picked, name, decision.reason)
            guard.withdraw(decision)
            decided += 1
        if decided >= 10_000:
            return
    raise AssertionError(f"only {decided} calls are recorded")
