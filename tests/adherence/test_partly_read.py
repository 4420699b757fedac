"""Traces of which part was not understood: nothing is claimed that this part could change."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from validator import conform
from validator.adherence import adhere
from validator.adherence.requirements import Requirement, met
from validator.adherence.values import Outcome


def _chat(*said: str) -> list[dict[str, Any]]:
    return [{"role": "user", "content": "Pack it."}, *({"role": "assistant", "content": text} for text in said)]


def _call(name: str, **given: object) -> str:
    return f'<tool_call>{{"name": "{name}", "arguments": {given}}}</tool_call>'.replace("'", '"')


def _react(name: str) -> str:
    return f"Action: {name}\nAction Input: {{}}\nObservation: ok\n"


def _answered(name: str) -> str:
    return f"{_call(name)}\n<tool_response>ok</tool_response>\n"


def _invoked(name: str) -> str:
    return f'<invoke name="{name}">\n</invoke>\n<function_results>ok</function_results>\n'


@pytest.mark.parametrize("told", [_react, _answered, _invoked, "\nInvoking: `{}` with `{{}}`\n\n\nok".format])
def test_calls_of_a_text_with_answers_between_them_are_in_order(told: Callable[[str], str]) -> None:
    assert adhere("1. pick()\n2. wrap()", told("pick") + told("wrap")).outcome is Outcome.FOLLOWED
    assert adhere("1. pick()\n2. wrap()", told("wrap") + told("pick")).outcome is Outcome.DEVIATED


@pytest.mark.parametrize(
    ("plan", "outcomes"),
    [
        ("The plan is pick()\nwrap_it(to=1)", {Outcome.UNCLEAR_PLAN}),
        ([{"role": "user", "content": "Wrap"}, {"role": "assistant", "content": "wrap()"}], {Outcome.UNCLEAR_PLAN}),
        ("WrapIt(to=1)", {Outcome.FOLLOWED}),
        ("wrap_it(to=\u201c1\u201d)", {Outcome.FOLLOWED}),
        (["wrap_it(to=\u201c1\u201d)"], {Outcome.FOLLOWED}),
        ("| Tool | Args |\n|---|---|\n| wrap_it | to=1, n=2 |", {Outcome.FOLLOWED, Outcome.UNCLEAR_PLAN}),
    ],
)
def test_another_spelling_of_a_plan_is_no_deviation(plan: Any, outcomes: set[Outcome]) -> None:
    given = {"to": "1"} | ({"n": 2} if "n=2" in plan else {})
    assert adhere(plan, [{"name": "wrap_it", "arguments": given}]).outcome in outcomes


@pytest.mark.parametrize(
    "plan",
    [
        [{"name": "pick", "arguments": {}, "then": {"name": "wrap", "arguments": {}}}],
        {"steps": [{"name": "pick", "arguments": {}}], "then": ["wrap()"]},
        [{"name": "pick", "arguments": {}}, {"op": "remove", "name": "wrap", "arguments": {}}],
        [{"name": "pick", "arguments": {}, "on_error": {"name": "wrap", "arguments": {}}}],
    ],
)
def test_a_step_that_may_ask_for_more_is_not_understood(plan: Any) -> None:
    made = [{"name": name, "arguments": {}, "result": 1} for name in ("pick", "wrap")]
    assert adhere(plan, made).outcome is Outcome.UNCLEAR_PLAN
    linked = [
        {"id": n, "tool": call["name"], "args": {}, "next": after}
        for n, after, call in zip("ab", "bc", made, strict=True)
    ]
    assert adhere(linked, made).outcome is Outcome.UNCLEAR_PLAN
    assert adhere([linked[0], linked[1] | {"next": None}], made).outcome is Outcome.FOLLOWED


@pytest.mark.parametrize("said", [{"status": "skipped"}, {"status": "denied"}, {"ok": False}, {"executed": False}])
def test_a_call_that_its_record_calls_not_done_has_failed(said: dict[str, object]) -> None:
    record = {"name": "pick", "arguments": {}, **said}
    assert adhere("1. pick()", [record], failed_calls="drop").outcome is Outcome.DEVIATED


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


_BOXES = [{"name": "pick", "arguments": {"x": 1}}, {"name": "wrap", "arguments": {"x": 2}}]


@pytest.mark.parametrize(
    ("plan", "outcome"),
    [
        ("pick(x=1)\nsend the parcel to Bob\nwrap(x=2)", Outcome.UNCLEAR_PLAN),
        ("1. pick(x=1)\n2. wrap(x=2)\nFinally, burn the box.", Outcome.UNCLEAR_PLAN),
        ("(pick 1)\n(wrap 2)\nsend it", Outcome.UNCLEAR_PLAN),
        ("1. pick(x=1)\n   - make sure that it is shut\n2. wrap(x=2)", Outcome.UNCLEAR_PLAN),
        ("1. pick(x=1) and then burn the box\n2. wrap(x=2)", Outcome.UNCLEAR_PLAN),
        ("pick(x=1); ring the bell\nwrap(x=2)", Outcome.UNCLEAR_PLAN),
        ("To finish, ring the bell\npick(x=1)\nwrap(x=2)", Outcome.UNCLEAR_PLAN),
        (["pick(x=1)", "send the parcel", "wrap(x=2)"], Outcome.UNCLEAR_PLAN),
        (["pick(x=1)", "To finish, ring the bell", "wrap(x=2)"], Outcome.UNCLEAR_PLAN),
        (["pick(x=1)", "send the parcel"], Outcome.UNCLEAR_PLAN),  # the second call may be just this
        ("pick(x=1)\nsend the parcel\nwrap(x=3)", Outcome.DEVIATED),  # whatever the sentence means
        (["pick(x=1)", "send the parcel", "wrap(x=3)"], Outcome.DEVIATED),
        ("1. pick(x=1)\n2. burn(x=3) if needed\n3. wrap(x=2)", Outcome.UNCLEAR_PLAN),
        ("1. pick(x=1)\n2. burn(x=3) or wrap(x=2)", Outcome.UNCLEAR_PLAN),
        ("1. pick(x=1)\n2. Do not burn(x=3)\n3. wrap(x=2)", Outcome.UNCLEAR_PLAN),
        ("1. pick(x=1)\n2. wrap(x=2)\n\nPlan B: burn(x=2)", Outcome.UNCLEAR_PLAN),
        ("pick(x=1), wrap(x=2), then ring it", Outcome.UNCLEAR_PLAN),
        ("pick(x=1), wrap(x=2), repeatedly", Outcome.UNCLEAR_PLAN),
        ("1. pick(x=1)\n2. wrap(x=2) (optional)", Outcome.UNCLEAR_PLAN),
        ("1. pick(x=1) (the first one)\n2. wrap(x=2)", Outcome.FOLLOWED),
        ("Here is the plan:\n1. pick(x=1) - to have it\n2. wrap(x=2)\nThis gets it wrapped.", Outcome.FOLLOWED),
        ("; by hand\n(pick 1) ; the first one\n(wrap 2)", Outcome.FOLLOWED),
        ("1. pick(x=1)\n2. wrap(x=2)\n3. Done.", Outcome.FOLLOWED),
    ],
)
def test_what_stands_around_the_steps_of_a_plan_may_be_steps(plan: Any, outcome: Outcome) -> None:
    result = adhere(plan, _BOXES)
    assert result.outcome is outcome
    holds = {Outcome.FOLLOWED: True, Outcome.DEVIATED: False}.get(outcome)
    assert met(result, [Requirement.FOLLOWED]).holds is holds
    assert ("not understood" in result.summary) is (holds is None)


def test_a_heading_and_a_fence_are_no_steps_where_arguments_are_objects() -> None:
    plan = '## Plan\n```\npick(x=1, how={"k": [1.0, "x"]})\nwrap(x=2)\n```\n'
    calls = [{"name": "pick", "arguments": {"x": 1, "how": {"k": [1, "x"]}}}, _BOXES[1]]
    result = adhere(plan, calls)
    assert (len(result.plan or ()), result.outcome) == (2, Outcome.FOLLOWED)


@pytest.mark.parametrize(
    ("item", "outcome"),
    [
        ("Tell the user", Outcome.FOLLOWED),  # which leaves no call
        ("Verify the order", Outcome.UNCLEAR_PLAN),
        ("wrap(x=2) if the user agrees", Outcome.UNCLEAR_PLAN),
    ],
)
def test_an_item_of_a_stated_plan_may_be_a_step_that_names_no_tool(item: str, outcome: Outcome) -> None:
    said = f"Plan:\n1. pick(x=1)\n2. wrap(x=2)\n3. {item}"
    assert adhere(None, _chat(said, _call("pick", x=1), _call("wrap", x=2))).outcome is outcome


@pytest.mark.parametrize("broken", ['{"x": 2', '"x": 2}', '{"x: 2}', "{", "}"])
def test_arguments_that_are_no_json_are_not_known(broken: str) -> None:
    asked = [
        {"id": f"c{number}", "type": "function", "function": {"name": name, "arguments": given}}
        for number, (name, given) in enumerate((("pick", '{"x": 1}'), ("wrap", broken)))
    ]
    trace = [{"role": "assistant", "content": None, "tool_calls": [each]} for each in asked]
    assert adhere(["pick", {"name": "wrap", "arguments": {"x": 2}}], trace).outcome is Outcome.UNCLEAR_TRACE
    assert adhere(["pick", "wrap", "burn"], trace).outcome is Outcome.UNCLEAR_TRACE
    assert adhere(["burn", "wrap"], trace).outcome is Outcome.DEVIATED


def test_a_text_with_braces_is_an_argument() -> None:
    trace = [{"name": "bash", "arguments": text} for text in ("awk '{print $1}'", "{free text}", 'echo {"a": 1}')]
    assert [len(call.arguments or ()) for call in adhere([], trace).calls] == [1, 1, 1]


def test_calls_that_read_may_be_extra_ones_beside_what_was_not_read() -> None:
    plan = [{"name": "get_box", "arguments": {"x": 1, "y": 1}}]
    for name, outcome in (("get_box", Outcome.UNCLEAR_TRACE), ("send", Outcome.DEVIATED)):
        assert adhere(plan, _chat(_call(name, x=1, y=2), CUT)).outcome is outcome


@pytest.mark.parametrize(
    ("said", "outcome"),
    [
        ({"content": "All is packed.", "tool_calls": []}, Outcome.DEVIATED),
        ({"content": "All is packed."}, Outcome.NO_CALLS),
        ({"content": CUT, "tool_calls": []}, Outcome.NO_CALLS),
    ],
)
def test_only_an_empty_list_of_calls_says_that_none_was_made(said: dict[str, Any], outcome: Outcome) -> None:
    assert adhere(["pick(1)"], [{"role": "assistant", **said}]).outcome is outcome


@pytest.mark.parametrize(
    ("item", "is_clear"),
    [
        ("search_flight, book_flight", True),
        ("search_flight and then book_flight", True),
        ("**search_flight** & **book_flight**", True),
        ("`search`, `book`", True),
        ("Call search_flight and book_flight", True),
        ("Call `search_flight`\n2. Call `book_flight`", True),
        ("search_flight | book_flight", False),
        ("search_flight twice", False),
        ("`search_flight` x2", False),
        ("search_flight (3 times)", False),
        ("search_flight (book_flight)", False),
        ("Use `search_flight` and `book_flight` to find it", False),
    ],
)
def test_a_tool_that_a_plan_names_beside_another_is_a_step(item: str, is_clear: bool) -> None:
    names = ("search", "book") if "_" not in item else ("search_flight", "book_flight")
    plan = f"1. {item}\n{item.count(chr(10)) + 2}. pay_invoice"
    for given in (plan, [item.partition("\n")[0], *(["Call `book_flight`"] if "\n" in item else []), "pay_invoice"]):
        skipped, right = (
            adhere(given, [{"name": name, "arguments": {}} for name in (*called, "pay_invoice")])
            for called in (names[:1], names)
        )
        assert skipped.outcome is (Outcome.DEVIATED if is_clear else Outcome.UNCLEAR_PLAN)
        assert right.outcome in ({Outcome.FOLLOWED} if is_clear else {Outcome.UNCLEAR_PLAN, Outcome.FOLLOWED})


def test_the_names_of_arguments_in_a_sentence_are_no_steps() -> None:
    plan = "1. Use search_flight with `origin_city` and `user_id`\n2. pay_invoice"
    run = [{"name": name, "arguments": {}} for name in ("search_flight", "pay_invoice")]
    assert adhere(plan, run).outcome is Outcome.FOLLOWED
