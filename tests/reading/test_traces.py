"""Reading traces: each format by its structure, and anything else answered or refused, never guessed."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.places import SHARED
from validator.adherence import CallKind, adhere, read_trace
from validator.errors import InputError

SHAPES = Path(__file__).with_name("trace_shapes.jsonl")
SFO = {"origin": "SFO", "destination": "JFK"}

PLAIN = [
    {"name": "search_flights", "arguments": SFO, "result": "NY101"},
    {"tool": "book_flight", "input": {"id": 1}, "output": "ok"},
]


@pytest.mark.skipif(not SHARED.is_dir(), reason="the recorded cases are not there")
def test_the_recorded_trace_of_deepeval_is_read() -> None:
    recording = read_trace(SHARED / "oracles" / "deepeval_trace_sample.json")
    assert [str(call) for call in recording.calls] == [
        "(search_flights origin=SFO destination=JFK)",
        "(book_flight flight_id=NY101)",
    ]
    assert recording.task == "Book SFO->JFK"
    assert [said.text for said in recording.said] == ["Plan: 1. search_flights 2. book_flight"]
    assert {call.parent for call in recording.calls} == {"agent"}


def test_a_tool_inside_a_tool_and_a_retrieval_are_told_apart() -> None:
    inner = {"type": "tool", "name": "fetch", "input": {}, "output": 1, "children": []}
    outer = {"type": "tool", "name": "search", "input": {}, "output": 1, "children": [inner]}
    found = {"type": "retriever", "name": "lookup", "input": "q", "output": [], "children": []}
    calls = read_trace({"type": "agent", "name": "a", "children": [outer, found]}).calls
    assert [call.kind for call in calls] == [CallKind.TOOL, CallKind.NESTED, CallKind.RETRIEVER]


_CHAT: dict[str, Any] = {"role": "assistant"}
_DYNAMIC: dict[str, Any] = {"type": "dynamic-tool", "toolName": "f", "toolCallId": "c", "input": {}}
_HAYSTACK = {"tool_name": "f", "arguments": {}, "id": "c"}
_FAILED = {"role": "tool", "content": [{"tool_call_result": {"result": "gone", "error": True, "origin": _HAYSTACK}}]}


@pytest.mark.parametrize(
    ("trace", "error"),
    [
        ([{"name": "f", "arguments": {}, "error": "timed out"}], "timed out"),
        ([{"name": "f", "arguments": {}, "result": "no", "is_error": True}], "no"),
        ([{"name": "f", "arguments": {}, "result": "no", "success": False}], "no"),
        ({"attributes": {"gen_ai.operation.name": "execute_tool", "error.type": "timeout"}, "name": "f"}, "timeout"),
        ({"type": "tool", "name": "f", "input": {}, "output": None, "error": "gone"}, "gone"),
        (_CHAT | {"parts": [_DYNAMIC | {"state": "output-error", "errorText": "gone"}]}, "gone"),
        ({"tools": [{"tool_call_id": "c", "tool_name": "f", "tool_args": {}, "tool_call_error": True}]}, "failed"),
        ({"messages": [_CHAT | {"content": [{"tool_call": _HAYSTACK}]}, _FAILED]}, "gone"),
    ],
)
def test_an_error_is_what_the_trace_says_it_is(trace: object, error: str) -> None:
    (call,) = read_trace(json.dumps(trace)).calls
    assert call.error == error


@pytest.mark.parametrize(
    ("said", "call"),
    [
        ("f[a, b]", "(f a b)"),
        ('f ["a", 1]', "(f a 1)"),
        ("f[Battle of Hastings, 1066]", '(f "Battle of Hastings, 1066")'),
        ("f[1,800]", '(f "1,800")'),
        ("f[]", "(f)"),
        ('f[to="JFK", n=2]', "(f to=JFK n=2)"),
    ],
)
def test_an_action_of_react_has_its_arguments_in_brackets(said: str, call: str) -> None:
    trace = f"Thought: first.\nAction: {said}\nObservation: ok\nAction: Finish[a, b]\n"
    assert [str(each) for each in read_trace(trace).calls] == [call]


# --- texts that are no JSON as a whole ---------------------------------------------------------------

_MADE: list[dict[str, Any]] = [{"name": "fetch", "arguments": {"page": 1}}, {"name": "store", "arguments": {}}]
_MESSAGE = {
    "role": "assistant",
    "tool_calls": [
        {"id": f"c{n}", "function": {"name": call["name"], "arguments": json.dumps(call["arguments"])}}
        for n, call in enumerate(_MADE)
    ],
}
_TEXT_FORMS = {
    "as ReAct prints them": 'Thought: I fetch it.\nAction: fetch\nAction Input: {"page": 1}\nObservation: done\n'
    "Action: store\nAction Input: {}\nObservation: stored\nFinal Answer: done\n",
    "as a model writes them": "".join(f"<tool_call>{json.dumps(call)}</tool_call>\n" for call in _MADE),
    "values behind each other": "".join(map(json.dumps, _MADE)),
    "values on several lines each": "\n".join(json.dumps(call, indent=2) for call in _MADE),
    "as Python prints them": str([_MESSAGE, {"role": "user", "content": None}]),
    "with a comma at the end": json.dumps(_MADE)[:-1] + ",]",
    "as the structured chat of LangChain prints them": "".join(
        f"Thought: so\nAction:\n```json\n{json.dumps({'action': name, 'action_input': given})}\n```\n"
        for name, given in (("fetch", {"page": 1}), ("store", {}), ("Final Answer", "done"))
    ),
    "in a fence": f"```json\n{json.dumps(_MADE)}\n```",
}


@pytest.mark.parametrize("form", _TEXT_FORMS)
def test_what_stands_around_the_values_is_taken_off(form: str) -> None:
    recording = read_trace(_TEXT_FORMS[form])
    assert [str(call) for call in recording.calls] == ["(fetch page=1)", "(store)"]
    assert not recording.missed


def test_an_action_that_is_written_in_another_way_is_missed() -> None:
    text = "Action: fetch\nAction Input: 1\nObservation: done\nAction: store the 2\nObservation: stored\n"
    recording = read_trace(text)
    assert [str(call) for call in recording.calls] == ["(fetch 1)"] and recording.missed


_WRITTEN = ('search(to="JFK", page=2)', "look[old map]", "Finish[JFK]")


@pytest.mark.parametrize("number", ["", " 1"])
def test_an_action_may_be_written_as_a_call(number: str) -> None:
    asked = (f"Thought{number}: go\nAction{number}: {each}\nObservation{number}: ok\n" for each in _WRITTEN)
    recording = read_trace("".join(asked))
    assert [str(call) for call in recording.calls] == ["(search to=JFK page=2)", '(look "old map")']
    assert not recording.missed and all(call.has_result for call in recording.calls)


def test_a_file_that_is_not_there_is_told() -> None:
    with pytest.raises(InputError, match=r"run\.json: No such file"):
        read_trace("run.json")


def test_actions_that_nobody_answers_may_be_a_plan() -> None:
    with pytest.raises(InputError, match="no call was found"):
        read_trace("Action: fetch(1)\nAction: store(2)\n")


_PHASE = {"parent_id": "p", "attributes": {"openinference.span.kind": "TOOL"}}


def test_spans_that_tell_how_far_one_run_is_are_missed() -> None:
    spans = [
        {**_PHASE, "span_id": name, "name": name, "start_time": 1} for name in ("fetch.start-3", "fetch.success-3")
    ]
    assert len(read_trace(spans).missed) == 1


@pytest.mark.parametrize(
    ("text", "place"),
    [('{"messages": [}', (1, 15)), ('{"name": "f", "arguments": {}}\n{"name": \n', (2, 10)), ("search(SFO)", (1, 1))],
)
def test_what_is_no_json_is_refused_with_its_place(text: str, place: tuple[int, int]) -> None:
    with pytest.raises(InputError, match="not JSON") as caught:
        read_trace(text)
    assert (caught.value.line, caught.value.column) == place


@pytest.mark.parametrize("value", [{}, {"a": 1}, "f", 3, None, [1, 2], [{"name": "Ann", "age": 3}], [["f"]]])
def test_what_is_no_trace_is_refused_and_says_what_was_found(value: object) -> None:
    with pytest.raises(InputError, match=r"no trace is recognised; expected .*; found"):
        read_trace(json.dumps(value))


def test_a_file_is_named_by_a_path_or_a_text(tmp_path: Path) -> None:
    (tmp_path / "t.json").write_text("\ufeff" + json.dumps(PLAIN), encoding="utf-8")
    assert len(read_trace(tmp_path / "t.json").calls) == len(read_trace(str(tmp_path / "t.json")).calls) == 2
    (tmp_path / "latin.json").write_bytes(b'["\xe9"]')
    with pytest.raises(InputError, match=r"latin\.json: not UTF-8 text: byte 2 is 0xe9"):
        read_trace(tmp_path / "latin.json")


def test_an_empty_list_is_a_trace_without_calls() -> None:
    assert read_trace([]).calls == read_trace("[]").calls == ()
    with pytest.raises(InputError, match="the trace is empty"):
        read_trace("")


def test_nesting_without_end_is_refused() -> None:
    with pytest.raises(InputError, match="nested too deeply"):
        read_trace("[" * 100_000 + "]" * 100_000)
    deep: dict[str, object] = {"type": "tool", "name": "f", "children": []}
    for _ in range(100_000):
        deep = {"type": "agent", "name": "a", "children": [deep]}
    with pytest.raises(InputError, match="nested too deeply"):
        read_trace(deep)


# --- anything ------------------------------------------------------------------------------------

_KEYS = st.sampled_from(
    """
    role type content tool_calls function name arguments id tool_call_id messages children input output attributes
    jsonrpc method params result error plan steps kwargs data args spans toolSpans uuid parentUuid startTime
    gen_ai.operation.name openinference.span.kind gen_ai.output.messages tool.name key value stringValue
    """.split()  # noqa: SIM905
)
_TEXTS = st.sampled_from(
    """
    assistant user tool ai agent llm tool_use tool_result function_call constructor tools/call f {} [ execute_tool TOOL
    1.f 2026-01-01T00:00:00Z plan
    """.split()  # noqa: SIM905
)
_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | _TEXTS | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(_KEYS | st.text(max_size=4), inner, max_size=6),
    max_leaves=30,
)


@given(_VALUES)
def test_any_value_is_read_or_refused(value: object) -> None:
    try:
        recording = read_trace(json.dumps(value))
    except InputError as error:
        assert str(error)
    else:
        assert [call.index for call in recording.calls] == list(range(len(recording.calls)))


def _places(value: object, path: tuple[object, ...] = ()) -> list[tuple[object, ...]]:
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [path, *(place for key, each in inner for place in _places(each, (*path, key)))]


def _with(value: object, path: tuple[object, ...], junk: object) -> object:
    if not path:
        return junk
    first, *rest = path
    if isinstance(value, dict):
        return {key: _with(each, tuple(rest), junk) if key == first else each for key, each in value.items()}
    assert isinstance(value, list)
    return [_with(each, tuple(rest), junk) if number == first else each for number, each in enumerate(value)]


_TRACES: list[object] = [json.loads(line)["value"] for line in SHAPES.read_text(encoding="utf-8").splitlines()]


@given(st.data())
def test_a_trace_with_junk_in_it_is_read_or_refused(data: st.DataObject) -> None:
    trace = data.draw(st.sampled_from(_TRACES))
    for _ in range(data.draw(st.integers(1, 3))):
        trace = _with(trace, data.draw(st.sampled_from(_places(trace))), data.draw(_VALUES))
    try:
        result = adhere(None, json.dumps(trace))
    except InputError:
        return
    json.dumps(result.to_json())


@given(st.text())
def test_any_text_is_read_or_refused(text: str) -> None:
    try:
        read_trace(text)
    except InputError as error:
        assert str(error)


def test_declared_tools_are_no_calls() -> None:
    tools = [{"name": "search", "parameters": {"to": {"type": "string"}}}, {"name": "pay", "inputSchema": {}}]
    recording = read_trace({"tools": tools, "calls": [{"name": "search", "arguments": {"to": "JFK"}}]})
    assert ([call.name for call in recording.calls], list(recording.tools)) == (["search"], ["search", "pay"])


@pytest.mark.parametrize(("requestor", "calls"), [("user", ["(reboot)", "(look id=1)"]), ("assistant", None)])
def test_a_call_that_the_user_makes_is_not_of_the_agent(requestor: str, calls: list[str] | None) -> None:
    """In tau2-bench the customer has tools too; a customer that calls what is the agent's is not understood."""

    def call(role: str, name: str, arguments: dict[str, object], requestor: str) -> list[dict[str, object]]:
        asked = {"id": name, "name": name, "arguments": arguments, "requestor": requestor}
        answer = {"role": "tool", "id": name, "content": "ok", "requestor": requestor, "error": False}
        return [{"role": role, "content": None, "tool_calls": [asked]}, answer]

    chat = [*call("assistant", "reboot", {}, "assistant"), *call("user", "toggle_data", {}, requestor)]
    recording = read_trace([*chat, *call("assistant", "look", {"id": 1}, "assistant")])
    found = [str(each) for each in recording.calls]
    assert (found == calls and not recording.missed) if calls else recording.missed
    assert ("calls that the user made, of tools of their own, are left out" in recording.warnings) is bool(calls)
