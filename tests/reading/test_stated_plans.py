"""The plan: given in any form, or stated in the trace, by grammar and never by guess."""

from __future__ import annotations

import json
from functools import cache

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lark import Lark, Token, Tree, UnexpectedInput

from validator import tokenize
from validator.adherence import Planned, adhere
from validator.errors import PlanError
from validator.reading.calls import folded
from validator.reading.calls.written import read_call
from validator.reading.plan import Step
from validator.reading.statements.plan_reader import list_items, read_item
from validator.resources import resource

TOOLS = ("search_flights", "book_flight", "pay")
KNOWN = {folded(name): name for name in TOOLS}
CALLS = [
    {"name": "search_flights", "arguments": {"origin": "SFO", "destination": "JFK"}},
    {"name": "book_flight", "arguments": {"id": "NY101", "seats": 2}},
]


def _chat(*messages: object) -> list[object]:
    """Return a chat in which the agent says or does something first, then makes both calls."""
    made = [{"id": each["name"], "function": {**each, "arguments": json.dumps(each["arguments"])}} for each in CALLS]
    return [
        {"role": "user", "content": "Book it"},
        *messages,
        *({"role": "assistant", "tool_calls": [m]} for m in made),
    ]


def _says(text: str) -> dict[str, object]:
    return {"role": "assistant", "content": text}


# --- items ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "steps"),
    [
        ("search_flights", ["(search_flights)"]),
        ("`search_flights`", ["(search_flights)"]),
        ("**search_flights**: find what is there", ["(search_flights)"]),
        ("search_flights - find what is there", ["(search_flights)"]),
        ("search_flights(SFO, JFK)", ["(search_flights SFO JFK)"]),
        ('search_flights(origin="SFO", destination=\'JFK\')', ["(search_flights origin=SFO destination=JFK)"]),
        ("Call search_flights(origin=SFO) to begin", ["(search_flights origin=SFO)"]),
        ('f(x=[1, "a b"], y={"k": true, z: None})', ['(f x=[1, "a b"] y={"k": true, "z": null})']),
        ("f(w=New York)", ['(f w="New York")']),
        ("search_flights: look around, then choose", ["(search_flights)"]),
        ("f(x=<id from step 1>, y=$z)", ['(f x="<id from step 1>" y=$z)']),
        ("(pick-up a b)", ["(pick-up a b)"]),
        ("Use `book_flight` to book the cheapest one", ["(book_flight)"]),
        ("Then run book_flight with the id", ["(book_flight)"]),
        ("Search flights from SFO", ["(search_flights)"]),
        ("Pay for it", ["(pay)"]),
        ("search_flights, then book_flight", ["(search_flights)", "(book_flight)"]),
        ("search_flights -> book_flight -> pay", ["(search_flights)", "(book_flight)", "(pay)"]),
        ('search_flights: {"origin": "SFO"}', ["(search_flights origin=SFO)"]),
        ("run_tests", ["(run_tests)"]),
        ("Call Bob", []),
        ("Look for flights", []),
        ("Use `search_flights` instead of `book_flight`", []),
        ("Tell the user", []),
        ("f(x", []),
    ],
)  # fmt: skip
def test_an_item_names_its_tools_or_none(text: str, steps: list[str]) -> None:
    from validator.reading.calls import shown

    assert [shown(name, arguments) for name, arguments in read_item(text, KNOWN)] == steps


@pytest.mark.parametrize(
    ("text", "steps"),
    [
        ('予約(便="LH1", 席=2)', ["(予約 便=LH1 席=2)"]),
        ("1. 予約", ["(予約)"]),
        ("Größe_ändern(ä=1)", ["(Größe_ändern ä=1)"]),
        ("それから`予約`します", ["(予約)"]),
        ("ホテルを探してから決める", []),
        ("ホテルを探す(安ければ)", []),
    ],
)
def test_names_may_have_any_letters(text: str, steps: list[str]) -> None:
    known = {name: name for name in ("予約", "größe_ändern", "検索")}
    found = read_item(text.removeprefix("1. "), known)
    assert [str(Planned(index=0, name=name, arguments=arguments)) for name, arguments in found] == steps


_WORDS = ("a", "SFO", "New  York", "1", "-2.5", "None", "id", "x.y", "a-b", "a/b", "é", '"a b"', "'x, y'", "k=", "k: ")
_SIGNS = ("=", "==", ":", ":/", ",", " ", "\n", "<", ">", "${", "}", "[", "]", "(", ")", "'", '"', '\\"', "\\")
_WRITTEN = st.sampled_from((*_WORDS, *_SIGNS))


@cache
def _grammar() -> Lark:
    text = (resource("grammars") / "plan_call.lark").read_text(encoding="utf-8")
    return Lark(text, start="call", parser="lalr", lexer="contextual", maybe_placeholders=False)


def _by_the_grammar(text: str) -> list[tuple[str | None, bool | None]] | None:
    """Return the names of the arguments of a call, and whether each is a text, as far as it says."""
    try:
        _, *found = _grammar().parse(text).children
    except UnexpectedInput:
        return None
    arguments = [each.children for each in found if isinstance(each, Tree)]
    kinds = {"STRING": True, "WORDS": None, "OPEN": None}
    return [
        (
            str(key[0]).rstrip("=: \n").strip("\"'") if key else None,
            kinds.get(value.type, False) if isinstance(value, Token) else False,
        )
        for *key, value in arguments
    ]


@given(st.lists(_WRITTEN, max_size=8))
def test_a_call_is_read_as_its_grammar_says(pieces: list[str]) -> None:
    text = f"f({''.join(pieces)})"
    found = read_call(text)
    read = None if found is None else [(each.name, each.is_string) for each in found[1] or ()]
    assert read == _by_the_grammar(text)


@pytest.mark.parametrize(
    ("text", "headed", "items"),
    [
        ("1. a\n2. b", False, ["a", "b"]),
        ("Plan: 1. a 2. b", True, ["a", "b"]),
        ("I think.\n\n1) a\n   more of it\n2) b\nDone.", False, ["a", "b"]),
        ("Step 1: a\nStep 2: b", False, ["a", "b"]),
        ("**Plan**\n1. **a**\n2. b", True, ["**a**", "b"]),
        ("My plan:\n- a\n- b\n\nSo be it.", True, ["a", "b"]),
        ("Plan:\n- [ ] a\n- [x] b", True, ["a", "b"]),
        ("It costs 10. That is 2. much", False, []),
        ("fly(2, 1)\npay()", False, []),
        ("1. fly(1, 2)\n2. pay()", False, ["fly(1, 2)", "pay()"]),
        ("1) fly(1, 2)\n2) pay()", False, ["fly(1, 2)", "pay()"]),
        ("First: 1) a 2) b", False, ["a", "b"]),
        ("I need about 1. litre", False, []),
        ("1.\n2.\n", False, []),
        ("Results:\n1. NY101\n2. NY102", True, []),
        ("- a\n- b", False, []),
        ("2. a\n3. b", False, []),
    ],
)
def test_a_list_counts_from_one_or_stands_under_the_word_plan(text: str, headed: bool, items: list[str]) -> None:
    assert list_items(text, headed=headed) == items


# --- stated --------------------------------------------------------------------------------------

_UPDATE = {"name": "update_plan", "arguments": '{"plan": [{"step": "search_flights"}, {"step": "book_flight"}]}'}
_PLAN_CALL = {"role": "assistant", "tool_calls": [{"id": "p", "function": _UPDATE}]}


@pytest.mark.parametrize(
    ("trace", "source"),
    [
        (_chat(_says("1. search_flights\n2. book_flight")), "list in the reasoning"),
        (_chat(_says("- [ ] Search the flights\n- [x] Book the flight")), "list in the reasoning"),
        (_chat(_says('{"plan": ["search_flights", "book_flight"]}')), "plan field"),
        (_chat(_says('Here it is:\n```json\n{"plan": ["search_flights", "book_flight"]}\n```')), "plan field"),
        (_chat(_PLAN_CALL), "plan tool call"),
        ({"plan": "1. search_flights\n2. book_flight", "messages": _chat()}, "plan field"),
        ({"plan": "search_flights -> book_flight", "messages": _chat()}, "plan field"),
        ({"plan": {"steps": [{"tool": "search_flights"}, {"tool": "book_flight"}]}, "messages": _chat()}, "plan field"),
        ({"plan": {"step 1": "search_flights", "step 2": "book_flight"}, "messages": _chat()}, "plan field"),
        ([{"plan": ["search_flights", "book_flight"]}, *CALLS], "plan field"),
    ],
)
def test_a_trace_states_its_plan(trace: object, source: str) -> None:
    result = adhere(None, json.dumps(trace))
    assert result.source == source
    assert [str(step) for step in result.plan or ()] == ["(search_flights)", "(book_flight)"]
    assert result.score == 1.0


@pytest.mark.parametrize("plan", ["pro", "Pro plan", {"name": "pro"}, ["basic", "pro"], {"id": 3}, "yes"])
def test_a_field_named_plan_that_names_no_tool_is_none(plan: object) -> None:
    assert adhere(None, {"plan": plan, "messages": _chat()}).score is None


def test_the_first_of_several_plans_counts() -> None:
    result = adhere(None, _chat(_says("1. search_flights\n2. book_flight"), _says("New plan:\n1. pay()")))
    assert len(result.plan or ()) == 2
    assert result.warnings == ("the trace states 1 other plan later; the first one counts",)


# --- given ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "plan",
    [
        "(search-flights SFO JFK)\n(book-flight NY101 2)",
        "search_flights(SFO, JFK)\nbook_flight(NY101, 2)",
        '1. search_flights(origin="SFO", destination="JFK")\n2. book_flight(id="NY101", seats=2)',
        "1. search_flights\n2. book_flight",
        "Plan: 1. search_flights 2. book_flight",
        "1. Search flights to New York\n2. Use `book_flight` for the first",
        "1. Use search_flights to look around\n2. Use book_flight",
        ["search_flights(SFO, JFK), then book_flight(NY101, 2)"],
        '["search_flights", "book_flight"]',
        json.dumps(CALLS),
        json.dumps(
            {"steps": [{"tool": "search_flights"}, {"tool": "book_flight", "args": {"id": "NY101", "seats": 2}}]}
        ),
        ["search_flights(SFO, JFK)", {"name": "book_flight"}],
        [Step(name="search_flights", args=("SFO", "JFK")), Step(name="book_flight", args=("NY101", "2"))],
        tokenize("(search_flights SFO JFK)\n(book_flight NY101 2)"),
        '[{"action": "search_flights", "object": "SFO, JFK"}, {"action": "book_flight", "object": "NY101, 2"}]',
    ],
)
def test_a_plan_is_given_in_any_form(plan: object) -> None:
    result = adhere(plan, CALLS)  # type: ignore[arg-type]
    assert [row.reason for row in result.deviations] == []
    assert (result.score, result.source, result.warnings) == (1.0, "given", ())


@pytest.mark.parametrize(
    "text", ["1. ", "plan:\n", "- a\n", "```\n", "1. a\nplan:\n", "f(", "`a` ", "not <think>`", "step "]
)
def test_long_texts_of_one_piece_are_read_in_linear_time(text: str) -> None:
    """A text of the square's cost would not end: one of these had 10^10 steps to go."""
    says = text * (200_000 // len(text))
    assert adhere(None, _chat(_says(says), _says(f"plan: {says}"))).calls


_ITEMS = st.text(alphabet=st.sampled_from(list("ab_1.()[]{}<>$=,:;'\"` -\n*\\")), max_size=60)


@given(_ITEMS)
def test_any_item_and_any_list_is_read_or_left(text: str) -> None:
    for name, _ in read_item(text, KNOWN):
        assert name
    assert all(isinstance(item, str) for item in list_items(text, headed=False))


@given(st.text(max_size=80) | _ITEMS)
def test_any_plan_text_is_read_or_refused(text: str) -> None:
    try:
        result = adhere(text, CALLS)
    except PlanError:
        return
    assert 0 <= (result.score or 0) <= 1


def test_a_list_may_mix_steps_and_texts() -> None:
    result = adhere([Step(name="search_flights", args=("SFO", "JFK")), "book_flight(NY101, 2)"], CALLS)
    assert result.score == 1.0


@pytest.mark.parametrize("plan", [5, b"book_flight", iter(["book_flight"])])
def test_what_is_no_plan_by_its_type_is_refused(plan: object) -> None:
    with pytest.raises(PlanError, match="a plan is a path, a text, a list of steps or JSON values, not"):
        adhere(plan, CALLS)  # type: ignore[arg-type]
