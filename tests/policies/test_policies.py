"""Policies: what each rule means, how they are written, what is not known, what is wrong with a text."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from tests.policies.test_past import calls
from validator.cli import main
from validator.errors import InputError
from validator.policies import Pattern, conform, read_policy

TRIP = ("domains/trip/domain.pddl", "domains/trip/problem.pddl")


@pytest.mark.parametrize(
    ("condition", "arguments", "kept"),
    [
        ("x <= 5", {"x": 5}, True),
        ("x <= 5", {"x": "6"}, False),
        ("x <= 5", {"x": "many"}, None),
        ("x <= 5", {}, False),
        ("x = 5", {"x": 5.0}, True),
        ("x = 5", {"x": "$x"}, None),
        ("x != 5", {}, True),
        ("x = null", {}, True),
        ("x = true", {"x": 1}, False),
        ("x ~ 'DE.*'", {"x": "DE12"}, True),
        ("x ~ 'DE'", {"x": "DE12"}, False),
        ("x in [a, 2]", {"x": 2}, True),
        ("x = ?y", {"x": 1, "y": 1}, True),
        ("p.amount > 5", {"p": {"amount": 6}}, True),
        ("l.1 = b", {"l": ["a", "b"]}, True),
        ("userId = 1", {"user_id": 1}, None),
        ("user_id = 1", {"user-id": 1}, None),
        ("[x = 1 or y = 1] and not z = 1", {"x": 2, "y": 1}, True),
        ("x = 1 or y > 5", {"x": 1, "y": "many"}, True),
        ("(f)", {}, None),
    ],
)
def test_what_a_condition_means(condition: str, arguments: dict[str, Any], kept: bool | None) -> None:
    found = conform(f"t only if {condition}", [{"name": "t", "arguments": arguments, "result": 1}], repair=False)
    wrong = {False: ", which is false", None: ", and whether this call keeps that is not known"}
    asked = str(found.findings[0].rule).removeprefix("t only if ")
    said = [] if kept else [f"t may be called only if {asked}{wrong[kept]}"]
    assert [fault.reason.partition(": ")[0] for fault in found.findings[0].faults] == said
    assert found.kept is kept


@pytest.mark.parametrize(
    ("condition", "run", "because"),
    [
        ("amount <= 5 and (ok ?user)", "t(amount=6,user=ann)", "amount is 6 and (ok ann) is false"),
        ("amount <= ?limit or x = 1", "t(amount=6,x=2)", "amount is 6 and limit is absent and x is 2"),
        ("x = 5", 't(x="5")', r'x is "\"5\""'),
        ("x = 5", "t(x=$x)", "x is not known"),
        ("not [x > 5 and (ok ?user)]", "permit(user=ann) t(x=6,user=ann)", "x is 6 and (ok ann) is true"),
        ("formerly a(x = ?x)", "a(x=1) t(x=2)", "no such a was called"),
        ("not formerly a(x = ?x)", "a(x=1) a(x=2) t(x=1)", "(a x=1) was called"),
        ("count t(x = ?x) within 1h <= 1", "t@0(x=1) t@1(x=2) t@2(x=1)", "the count is 2"),
        ("count t within 1h <= 1", "t@0 t", "a time is missing"),
        ("sum x of t <= 5", "t(x=3) t(x=4)", "the sum is 7"),
        ("formerly a(x = ?x)", "a(x=$x) t(x=2)", "what was called before is known only in part"),
        ("formerly a(x = ?x)", "a(x=1) t(x=$x)", "x is not known"),
        ("previous a", "t", ""),
        ("previous a and x = 1", "t(x=1)", "'previous a' is false"),
    ],
)
def test_a_broken_rule_says_which_values_and_calls_decide(condition: str, run: str, because: str) -> None:
    found = conform(f"t only if {condition}\npermit gives (ok ?user)", calls(run), repair=False)
    assert [fault.reason.partition(": ")[2] for fault in found.findings[0].faults] == [because]


def test_a_policy_is_written_as_it_is_read() -> None:
    text = """
    read-only get_*
    never delete_*                        # a comment
    at most 2 book(cabin = business)
    verify before pay
    pay only if amount <= 500 and (verified ?user_id)
    verify gives (verified ?user_id)
    order find < {hotel, flight} < pay
    transfer only if iban ~ "DE.*" and [currency in [EUR] or amount < 1]
    cancel only if order = 1 and "not" = 2 and formerly show(order = ?order)
    p only if formerly a(x = ?x) within 1h and not previous b within 90s
    q only if no "of" since only within 1.5d or only s_* since "count"
    r only if count a within 1h < 3 and sum x.y of a >= 0.5 and distinct x of a(y = 1) within 2m = 1
    order one
    : a < b, one < c
    """
    policy = read_policy(text)
    assert 'order = 1 and "not" = 2 and formerly show(order = ?order)' in str(policy)
    assert policy == read_policy(str(policy))
    assert policy.rules[0].patterns == (Pattern("delete_*"),)


@pytest.mark.parametrize(
    ("text", "place", "said"),
    [
        ("never x\nnevr y", (2, 6), "not 'y' (did you mean 'never' before it, not 'nevr'?)"),
        ("a befor b", (1, 3), "'only' or 'then' was expected, not 'befor' (did you mean 'before'?)"),
        ("at most many a", (1, 9), "a number was expected"),
        ("at most 2 a within 1h", (1, 13), "write 'A only if count A within 1h <= N'"),
        ("no a after b", (1, 4), "write 'B only if not formerly A' for no B after A"),
        ("never a if x = 1", (1, 9), "write 'A only if CONDITION'"),
        ("a(x = ?x) before b", (1, 3), "'x' is compared with itself, as ?x is of the same call"),
        ("a only if x in [?y, 3]", (1, 17), "was expected, not '?'"),
        ("order a < b, b < a", (1, 1), "goes in a circle"),
        ("a only if x ~ '('", (1, 15), "regular expression that is not understood"),
        ("never", (1, 6), "was expected, not the end"),
    ],
)
def test_what_cannot_be_read_has_a_place(text: str, place: tuple[int, int], said: str) -> None:
    with pytest.raises(InputError, match=re.escape(said)) as error:
        read_policy(text)
    assert (error.value.line, error.value.column) == place
    assert "^" in str(error.value)


def test_a_model_says_which_facts_hold_and_which_calls_can_be_executed() -> None:
    run = [
        {"name": "ask_dates", "arguments": {}, "result": 1},
        {"name": "search_flight", "arguments": {"f": "fl-noon", "from": "oslo", "to": "rome"}, "result": 1},
        {"name": "book_flight", "arguments": {"f": "fl-noon", "from": "oslo", "to": "rome"}, "result": 1},
    ]
    found = conform("book_flight only if (approved ?f)\nsearch_flight only if (know-dates)", run, model=TRIP)
    assert [finding.kept for finding in found.findings] == [False, True, False]
    assert "(approved fl-noon) is false" in found.findings[-1].faults[0].reason
    assert found.repair is not None and found.repair.proven
    assert [edit.said for edit in found.repair.edits or () if edit.kind != "keep"] == [
        "add (ask-user o=fl-noon) before call 3"
    ]


def test_the_repair_says_which_call_to_add_to_drop_to_move() -> None:
    found = conform("never x\nverify before pay\npay then receipt\nat least 1 pay", calls("pay x verify"))
    assert found.repair is not None and found.repair.proven and found.repair.cost == 3
    assert [edit.said for edit in found.repair.edits or () if edit.kind != "keep"] == [
        "drop call 2 (x)",
        "move call 1 (pay) to the end",
        "add (receipt) at the end",
    ]
    assert found.repair.diff.startswith("--- run\n+++ run (repaired)\n")
    assert json.dumps(found.to_json()) and repr(found).startswith("<Conformance The policy is")


def test_the_command(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.chdir(tmp_path)
    Path("run.json").write_text(json.dumps(calls("pay verify")))
    Path("shop.policy").write_text("verify before pay\n")
    Path("wrong.policy").write_text("verify befor pay\n")
    assert main(["conform", "shop.policy", "run.json"]) == 1
    assert "move call 1 (pay) to the end" in capsys.readouterr().out
    assert main(["conform", "shop.policy", "run.json", "--format", "json"]) == 1
    assert json.loads(capsys.readouterr().out)["repair"]["proven"] is True
    assert main(["conform", "shop.policy", "run.json", "--format", "html"]) == 1
    assert "<!doctype html>" in capsys.readouterr().out.lower()
    Path("run.json").write_text(json.dumps(calls("verify pay")))
    assert main(["conform", "shop.policy", "run.json"]) == 0
    assert main(["conform", "wrong.policy", "run.json"]) == 2
    assert "wrong.policy:1:8" in capsys.readouterr().err
