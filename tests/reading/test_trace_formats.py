"""Traces of each format: the calls, all of them, and nothing else."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.support.places import SHARED
from validator.adherence import CallKind, adhere, read_trace, read_traces
from validator.errors import InputError
from validator.reading.calls import Call, read_arguments
from validator.reading.traces.recording import Sureness

TRACES = SHARED / "data" / "traces"


CALLS: list[tuple[str, dict[str, str]]] = [
    ("find_room", {"city": "oslo", "night": "friday"}),
    ("ask_guest", {"about": "breakfast"}),
    ("book_room", {"room": "R7"}),
]
LINES = [
    json.loads(line) for line in (Path(__file__).parent / "trace_shapes.jsonl").read_text(encoding="utf-8").splitlines()
]
"""These calls in the shape of each format and framework, written from their documentation, a line each."""
SHAPES: dict[str, tuple[str, Any]] = {each["name"]: (each["format"], each["value"]) for each in LINES if each["format"]}
UNREAD: dict[str, Any] = {each["name"]: each["value"] for each in LINES if not each["format"]}


@pytest.mark.parametrize("name", SHAPES)
def test_the_calls_of_each_shape_are_read(name: str) -> None:
    form, value = SHAPES[name]
    for text in (
        json.dumps(value),
        "\ufeff" + json.dumps(value),
        *(["\n".join(map(json.dumps, value))] if isinstance(value, list) else ()),
    ):
        recording = read_trace(text)
        found = [call for call in recording.calls if call.kind is not CallKind.RETRIEVER]
        assert [(call.name, call.arguments) for call in found] == [
            (name, read_arguments(given)) for name, given in CALLS
        ]
        assert recording.format == form
        assert recording.missed == recording.warnings == ()
        assert all(call.error is None for call in found)
        assert all(call.has_result for call in found) == ("booked" in text)
    plan = [{"name": name, "arguments": given} for name, given in CALLS]
    assert adhere(plan, value).score == 1.0


@pytest.mark.parametrize("name", UNREAD)
def test_a_shape_that_is_not_read_is_named_and_nothing_is_claimed_of_it(name: str) -> None:
    for value in (UNREAD[name], [{"level": "info", "payload": UNREAD[name]}]):
        try:
            recording = read_trace(value)
        except InputError as error:
            assert " are not read; expected " in str(error)
        else:
            assert not recording.calls and recording.missed


def test_a_shape_inside_of_a_log_is_read_as_well() -> None:
    for form, value in SHAPES.values():
        recording = read_trace([{"level": "info", "payload": {"data": value}}])
        assert recording.format == form
        assert len(recording.calls) >= len(CALLS)


# --- what is no call -----------------------------------------------------------------------------

_SAYS = {"role": "assistant", "content": "Hello."}
_SPAN = {"id": "o", "traceId": "t", "name": "hotel", "startTime": "2026-01-01", "parentObservationId": None}
_MODEL = {**_SPAN, "type": "GENERATION", "input": {}, "output": {}}
_DECLARED = {"name": "f", "description": "d", "parameters": {"type": "object", "properties": {}}}


@pytest.mark.parametrize(
    "value",
    [
        [{"role": "user", "content": "Hi"}, _SAYS],
        {"messages": [_SAYS], "tools": [_DECLARED]},
        {"id": "t", "name": "hotel", "input": "Hi", "output": "Ho", "observations": [_MODEL]},
        [{**_SPAN, "type": kind, "input": {"x": 1}, "output": {}} for kind in ("SPAN", "AGENT", "CHAIN", "EVENT")],
        {"name": "chain", "run_type": "chain", "inputs": {"x": 1}, "outputs": {}, "child_runs": []},
        {"type": "llm", "name": "model", "input": "Hi", "output": "Ho", "children": []},
        {"messages": [{"role": "user", "content": "x" * 99}, _SAYS], "task": {"actions": [{"name": "f", "args": {}}]}},
        {"samples": [{"messages": [{"role": "user", "content": "Hi"}, _SAYS], "metadata": {"name": "f", "args": {}}}]},
    ],
)  # fmt: skip
def test_a_trace_without_calls_of_tools_is_not_scored(value: Any) -> None:
    assert [call for call in read_trace(value).calls if call.kind is CallKind.TOOL] == []
    result = adhere(["f"], value)
    assert result.score is None
    assert "no call of a tool was read in the trace" in result.reason


def test_a_run_inside_a_run_of_the_same_tool_is_one_call() -> None:
    inner = {"type": "tool", "name": "f", "input": {"x": 1}, "output": 1, "children": []}
    outer = {"type": "tool", "name": "f", "input": {"ctx": {}, "ev": {}}, "output": 1, "children": [inner]}
    merged = {"type": "tool", "name": "(merged tools)", "input": {}, "output": 1, "children": []}
    (call,) = read_trace({"type": "agent", "name": "a", "children": [outer, merged]}).calls
    assert str(call) == "(f x=1)"


def test_a_trace_that_is_called_as_a_tool_is_no_run_of_it() -> None:
    asked = [{**_MODEL, "output": {"role": "assistant", **_asks("c", name="hotel")}}]
    answer = {"role": "tool", "tool_call_id": "c", "content": "ok"}
    asked.append({**_MODEL, "id": "p", "startTime": "2026-01-02", "input": [_asks("c", name="hotel"), answer]})
    (call,) = read_trace({"id": "t", "name": "hotel", "input": "Hi", "output": "Ho", "observations": asked}).calls
    assert call.result == "ok"


def test_of_two_layers_that_record_a_call_the_one_with_arguments_counts() -> None:
    def span(identity: str, parent: str, **own: object) -> dict[str, Any]:
        attributes = {"gen_ai.tool.name": "f", **own}
        around = {"name": f"tools/call {identity}", "traceId": "t", "startTimeUnixNano": identity}
        return {**around, "spanId": identity, "parentSpanId": parent, "attributes": attributes}

    (call,) = read_trace([span("1", "", **{"gen_ai.tool.call.arguments": {"x": 1}}), span("2", "1")]).calls
    assert str(call) == "(f x=1)"


# --- identities and histories --------------------------------------------------------------------


def _asks(identity: str | None, arguments: object = "{}", name: str = "f") -> dict[str, Any]:
    function = {"name": name, "arguments": arguments}
    return {"role": "assistant", "tool_calls": [{"id": identity, "type": "function", "function": function}]}


def _row(*parts: dict[str, Any], identity: str | None = None, **around: object) -> dict[str, Any]:
    message = {"id": identity, "role": "assistant", "content": list(parts)}
    return {"type": "assistant", **around, "message": message}


def _uses(name: str, **given: object) -> dict[str, Any]:
    return {"type": "tool_use", "id": f"u-{name}", "name": name, "input": given}


def _logged(first: str | None, again: str | None, arguments: tuple[object, object]) -> list[dict[str, Any]]:
    """Return a log of three requests with their responses, of which each repeats the calls as a client writes them."""
    history: list[dict[str, Any]] = [{"role": "system", "content": "Weigh."}, {"role": "user", "content": "Twice."}]
    log = []
    for number in range(2):
        response = _asks(first and f"{first}{number}", arguments[0], "weigh")
        log.append({"request": {"messages": list(history)}, "response": {"choices": [{"message": response}]}})
        identity = again and f"{again}{number}"
        answer = {"role": "tool", "tool_call_id": identity, "content": "3 kg"}
        history += [_asks(identity, arguments[1], "weigh"), answer]
    said = {"role": "assistant", "content": "Done."}
    return [*log, {"request": {"messages": history}, "response": {"choices": [{"message": said}]}}]


@pytest.mark.parametrize("first", ["a", None])
@pytest.mark.parametrize("again", ["a", "b", None])
@pytest.mark.parametrize("written", ['{"box":4}', '{"box": 4}', {"box": 4}])
def test_a_history_that_a_client_writes_anew_counts_once(first: str | None, again: str | None, written: object) -> None:
    found = read_trace(_logged(first, again, ('{"box":4}', written)))
    assert [(str(call), call.result) for call in found.calls] == [("(weigh box=4)", "3 kg")] * 2
    assert not found.warnings


def test_an_answer_that_no_later_request_knows_leaves_its_calls_open() -> None:
    user = {"role": "user", "content": "Go"}
    answer = {"role": "tool", "tool_call_id": "b", "content": "ok"}
    sent = ([user], [user], [user, _asks("b"), answer])
    told = (_asks("a"), _asks("b"), {"role": "assistant", "content": "Done."})
    log = [
        {"request": {"messages": one}, "response": {"message": other}} for one, other in zip(sent, told, strict=True)
    ]
    assert read_trace(log).missed == ("a later request knows nothing of a call of f without a result",)
    assert not read_trace(log[1:]).missed


def test_an_answer_may_stand_before_its_request() -> None:
    log = [{"choices": row["response"]["choices"], **row["request"]} for row in _logged("a", "a", ("{}", "{}"))]
    assert [(str(call), call.result) for call in read_trace(log).calls] == [("(weigh)", "3 kg")] * 2
    assert not read_trace(log).missed


def test_what_a_server_tells_beside_the_arguments_of_its_own_call_makes_it_no_other_one() -> None:
    def searched(**beside: object) -> dict[str, Any]:
        action = {"type": "search", "query": "boxes", **beside}
        return {"type": "web_search_call", "id": "w", "status": "completed", "action": action}

    user = {"role": "user", "content": "Search"}
    log = [{"input": [user], "output": [searched(sources=["s"])]}, {"input": [user, searched(), user], "output": []}]
    assert len(read_trace(log).calls) == 1


def test_the_parts_of_one_message_in_rows_of_their_own_were_asked_for_at_once() -> None:
    parts = [({"type": "text", "text": "Now."}, "m1"), (_uses("f"), "m1"), (_uses("g"), "m1"), (_uses("h"), "m2")]
    rows = [_row(part, identity=identity) for part, identity in parts]
    calls = read_trace(rows).calls
    assert calls[0].batch == calls[1].batch is not None
    assert calls[2].batch is None
    assert adhere(["g", "f", "h"], rows).score == 1.0
    assert adhere(["h", "f", "g"], rows).score != 1.0


def test_what_an_agent_does_that_another_one_called_is_inside_of_that_call() -> None:
    delegated = [
        _row(_uses("Agent", prompt="Count")),
        _row(_uses("count"), parent_tool_use_id="u-Agent"),
        _row(_uses("TodoWrite", todos=[{"content": "count()"}]), isSidechain=True),
        _row({"type": "text", "text": "1. count()"}, parent_tool_use_id="u-Agent"),
    ]
    found = read_trace(delegated)
    assert [(call.name, call.kind, call.parent) for call in found.calls] == [
        ("Agent", CallKind.TOOL, None),
        ("count", CallKind.NESTED, "Agent"),
        ("TodoWrite", CallKind.NESTED, None),
    ]
    assert not found.statements and not found.said
    assert adhere(["Agent"], delegated).score == 1.0
    assert adhere(["Agent", "count"], delegated).score == 1.0
    alone = read_trace([_row(_uses("count"), isSidechain=True)])
    assert [call.kind for call in alone.calls] == [CallKind.TOOL]


def test_a_part_of_a_message_stays_beside_it_whatever_another_agent_does_between() -> None:
    inner = _row(_uses("count"), identity="m9", isSidechain=True)
    rows = [_row(_uses("f"), identity="m1"), inner, _row(_uses("g"), identity="m1")]
    first, _, second = read_trace(rows).calls
    assert first.batch == second.batch is not None


def test_calls_with_their_results_are_in_order_and_those_of_one_step_were_asked_for_at_once() -> None:
    calls = [{"id": name, "function": {"name": name, "arguments": "{}", "output": "ok"}} for name in "fg"]
    assert [call.batch for call in read_trace({"task": "t", "tool_calls": calls}).calls] == [None, None]
    step = {"type": "tool_calls", "step_details": {"type": "tool_calls", "tool_calls": calls}}
    assert {call.batch for call in read_trace({"data": [step]}).calls} == {1}


def test_items_of_several_answers_were_not_asked_for_at_once() -> None:
    stream: list[dict[str, Any]] = []
    for name in "fg":
        item = {"type": "function_call", "id": name, "call_id": name, "name": name, "arguments": "{}"}
        stream += [{"type": "response.output_item.done", "item": item}]
        stream += [{"type": "response.completed", "response": {"object": "response", "output": [item]}}]
    assert [(call.name, call.batch) for call in read_trace(stream).calls] == [("f", None), ("g", None)]


def test_the_invocations_beside_the_parts_of_a_message_are_the_same_calls() -> None:
    made = [
        {"state": "result", "toolCallId": name, "toolName": name, "args": {}, "result": 1} for name in ("f", "g", "h")
    ]
    parts = [part for each in made for part in ({"type": "step-start"}, {"type": "tool-invocation"} | _in(each))]
    message = {"id": "m", "role": "assistant", "content": "", "parts": parts, "toolInvocations": made}
    assert [call.name for call in read_trace([message]).calls] == ["f", "g", "h"]


def _in(invocation: dict[str, Any]) -> dict[str, Any]:
    return {"toolInvocation": invocation}


# --- several traces ------------------------------------------------------------------------------


def test_several_runs_in_a_file_are_several_traces() -> None:
    runs = [
        {"task_id": n, "traj": [{"role": "user", "content": f"Task {n}"}, _asks("c", f'{{"x": {n}}}')]}
        for n in range(3)
    ]
    with pytest.raises(InputError, match="3 runs are in this file; one was expected"):
        read_trace(runs)
    assert [str(each.calls[0]) for each in read_traces(runs)] == ["(f x=0)", "(f x=1)", "(f x=2)"]
    assert len(read_traces("\n".join(map(json.dumps, runs)))) == 3
    assert len(read_traces({"samples": runs})) == 3
    assert len(read_traces(runs[0])) == 1


@pytest.mark.parametrize("name", SHAPES)
def test_runs_that_are_named_are_told_apart_in_every_shape(name: str) -> None:
    value = SHAPES[name][1]
    other = json.loads(json.dumps(value).replace("oslo", "bergen").replace("R7", "R8").replace('"t"', '"t2"'))
    runs = [{"task_id": 1, "trace": value, "reward": 0}, {"task_id": 2, "trace": other, "reward": 1}]
    first, second = read_traces(runs)
    assert len(first.calls) == len(second.calls) == len(CALLS)
    assert str(first.calls[-1]) == "(book_room room=R7)"
    assert str(second.calls[-1]) == "(book_room room=R8)"


def test_a_list_of_conversations_is_several_traces_and_one_of_calls_is_not() -> None:
    chats = [[{"role": "user", "content": f"Task {n}"}, _asks("c", f'{{"x": {n}}}')] for n in range(3)]
    assert [str(each.calls[0]) for each in read_traces(chats)] == ["(f x=0)", "(f x=1)", "(f x=2)"]
    at_once = [[{"name": "f", "arguments": {}}, {"name": "g", "arguments": {}}], [{"name": "h", "arguments": {}}]]
    (trace,) = read_traces(at_once)
    assert [call.name for call in trace.calls] == ["f", "g", "h"]


@pytest.mark.parametrize("order", [1, -1])
def test_requests_of_one_conversation_are_one_run_in_any_order(order: int) -> None:
    history = [{"role": "user", "content": "Go"}]
    spans = []
    for n in range(3):
        asks = _asks(f"c{n}", f'{{"n": {n}}}')
        spans.append(
            {**_MODEL, "id": f"o{n}", "startTime": f"2026-01-0{n + 1}", "input": list(history), "output": asks}
        )
        history += [asks, {"role": "tool", "tool_call_id": f"c{n}", "content": "ok"}]
    spans.append({**_MODEL, "id": "o3", "startTime": "2026-01-04", "input": list(history), "output": _SAYS})
    calls = read_trace({"id": "t", "name": "hotel", "observations": spans[::order]}).calls
    assert [str(call) for call in calls] == ["(f n=0)", "(f n=1)", "(f n=2)"]
    states = [{"values": {"messages": history[: n + 1]}} for n in range(len(history))]
    assert [str(call) for call in read_trace(states[::order]).calls] == ["(f n=0)", "(f n=1)", "(f n=2)"]
    cut = read_trace({"id": "t", "name": "hotel", "observations": spans[:3]})
    assert len(cut.calls) == 2 and cut.missed == ("a model asks for f, and no answer stands in the trace",)


@pytest.mark.parametrize("metadata", [{}, {"tool_call_metadata": None}])
def test_an_action_that_names_no_tool_is_a_call_of_its_own_name(metadata: dict[str, Any]) -> None:
    ran = {"id": 1, "source": "agent", "action": "run", "args": {"command": "ls", "thought": "look"}, **metadata}
    seen = {"id": 2, "source": "agent", "observation": "run", "cause": 1, "content": "a b"}
    recording = read_trace([{"id": 0, "source": "user", "action": "message", "args": {"content": "list"}}, ran, seen])
    assert [(call.name, call.arguments, call.result) for call in recording.calls] == [("run", None, "a b")]
    assert not recording.missed and not recording.warnings
    assert [said.text for said in recording.said] == ["look"]


def test_spans_of_several_traces_are_read_as_one_with_a_warning() -> None:
    attributes = {"gen_ai.tool.name": "f"}
    spans = [{"traceId": id, "spanId": id, "startTimeUnixNano": "1", "attributes": attributes} for id in "ab"]
    recording = read_trace(spans)
    assert len(recording.calls) == 2
    assert recording.warnings == ("the spans are of 2 traces, which are read as one",)
    assert [len(each.calls) for each in read_traces(spans)] == [1, 1]


# --- how sure ------------------------------------------------------------------------------------


def test_a_reading_says_how_sure_it_is() -> None:
    assert read_trace(SHAPES["openai"][1]).sureness is Sureness.CERTAIN
    assert read_trace([{"name": "f", "input": {"x": 1}}]).sureness is Sureness.GUESSED
    assert read_trace([{"action": "ls -la", "observation": "a b"}]).sureness is Sureness.GUESSED
    noted = {"notes": "n" * 500, "messages": [{"role": "user", "content": "Hi"}, _asks("c")]}
    assert read_trace(noted).sureness is Sureness.LIKELY


def test_messages_are_no_events_whatever_stands_around_them() -> None:
    asks, answers = _asks("c", '{"box": 4}', "count"), {"role": "toolResult", "toolCallId": "c", "content": "9"}
    rows = [{"type": "assistant", "message": asks}, {"type": "tool_result", "message": answers}]
    (call,) = read_trace(rows).calls
    assert (str(call), call.result) == ("(count box=4)", "9")


def test_the_events_of_inspect_are_its_calls_without_the_spans_around_them() -> None:
    def event(kind: str, **own: object) -> dict[str, object]:
        return {"event": kind, "timestamp": "2026-03-01T10:00:00Z", **own}

    events = [
        event("span_begin", id="s", name="fetch", type="tool"),
        event("tool", id="c", function="fetch", arguments={"page": 1}, result="ok", span_id="s"),
        event("span_end", id="s"),
        event("info", data="note"),
    ]
    for value in (events, {"events": events}, [{"event": {"nested": 1}, "timestamp": 1}, *events]):
        recording = read_trace(value)  # type: ignore[arg-type]
        assert [(str(call), call.result) for call in recording.calls] == [("(fetch page=1)", "ok")]


@pytest.mark.parametrize(
    "given", [{"properties": {"Name": {"title": []}}}, {"parent": 1, "properties": {"Name": {"type": "title"}}}]
)
def test_an_argument_may_be_called_as_the_properties_of_a_schema(given: dict[str, Any]) -> None:
    part = {"type": "tool_use", "id": "u", "name": "page", "input": given}
    for trace in ([{"name": "page", "arguments": given, "result": 1}], [{"role": "assistant", "content": [part]}]):
        assert read_trace(trace).calls[0].arguments == read_arguments(given)  # type: ignore[arg-type]


@pytest.mark.parametrize("given", [{"value": 3}, {"value": {}}, {"output": "a"}, {"value": "a"}])
def test_the_only_argument_of_a_run_is_no_wrapping(given: dict[str, Any]) -> None:
    (call,) = read_trace({"type": "tool", "name": "f", "input": given, "output": 1, "children": []}).calls
    assert call.arguments == read_arguments(given)


def test_the_run_of_a_model_in_a_log_is_no_call_and_what_it_asks_for_is() -> None:
    sent = {"name": "chat", "request": {"messages": [{"role": "user", "content": "Go"}]}}
    log = [{**sent, "response": {"choices": [{"message": message}]}} for message in (_asks("c"), _SAYS)]
    assert [call.name for call in read_trace(log).calls] == ["f"]


def test_what_a_tool_is_asked_is_its_arguments() -> None:
    log = [{"tool": "f", "request": {"x": 1}, "response": "ok"}, {"tool": "f", "request": {"x": 2}}]
    assert [str(call) for call in read_trace(log).calls] == ["(f x=1)", "(f x=2)"]


@pytest.mark.parametrize(
    ("kind", "name"),
    [({"type": "tool"}, "search.run"), ({"attributes": {"openinference.span.kind": "TOOL"}}, "search")],
)
def test_only_those_who_record_functions_add_to_the_names_of_tools(kind: dict[str, Any], name: str) -> None:
    span = {"name": "search.run", "span_id": "1", "input": {"x": 1}, "output": 1, "children": [], **kind}
    assert [call.name for call in read_trace(span).calls] == [name]


def test_no_arguments_may_be_written_as_null() -> None:
    call = {"id": "c", "type": "function", "function": {"name": "count", "arguments": "null"}}
    assert read_trace([{"role": "assistant", "tool_calls": [call]}]).calls[0].arguments == ()


@pytest.mark.parametrize(
    ("items", "missed"),
    [
        ([{"name": "take"}, {"nme": "lower"}], 1),
        ([{"tool": "take", "args": {}}, {"args": {"x": "b"}}, {"tol": "lower", "args": {}}], 2),
        ([{"tool": "take"}, "lower"], 1),
        ([{"tool": "take", "response": 1}, {"tool": "lower", "payload": {"x": "b"}}], 1),
        ([{"tool": "take"}, {"thought": "next to lower it"}, None, 5, "b is free now", {"observation": "done"}], 0),
        ([{"name": "take"}, {"role": "user", "content": "hi", "nam": "Ann"}], 0),
    ],
)
def test_what_may_be_a_call_beside_calls_is_told(items: list[object], missed: int) -> None:
    for text in (json.dumps(items), json.dumps({"calls": items})):
        assert len(read_trace(text).missed) == missed


@pytest.mark.parametrize(
    ("around", "calls", "missed"),
    [
        ({"calls": [{"name": "f", "arguments": {}, "result": "ok"}]}, ["f"], 0),
        ({"metadata": {"calls": [{"name": "f", "arguments": {}}]}}, [], 1),
        ({"task": {"actions": [{"name": "f", "arguments": {}}]}}, [], 0),
        ({"task": {"actions": [{"name": "f", "arguments": {}, "result": "ok"}]}}, [], 1),
        ({"agent": {"name": "f"}}, [], 0),
        ({"calls": [{"name": "f", "arguments": {}, "result": 1}], "expected_tools": [{"name": "g"}]}, ["f"], 0),
    ],
)
def test_calls_beside_a_chat_without_calls_are_read_or_missed(
    around: dict[str, Any], calls: list[str], missed: int
) -> None:
    recording = read_trace({"messages": [{"role": "user", "content": "x" * 99}, _SAYS], **around})
    assert ([call.name for call in recording.calls], len(recording.missed)) == (calls, missed)
    assert [each.text for each in recording.said] == ["Hello."]


@pytest.mark.parametrize(
    ("backwards", "missed"),
    [
        ([{"tool": "f", "args": {}, "ts": f"2026-01-0{n}"} for n in (3, 2, 1)], 1),
        ([{"tool": "f", "args": {}, "step": n} for n in (1, 3, 2)], 1),
        ([{"tool": "f", "args": {}, "time": n} for n in (0.3, 0.2)], 0),
        ([{"tool": "f", "args": {}, "ts": 1_800_000_000}, {"tool": "f", "args": {}, "ts": 1_800_000_000}], 0),
        ([{"role": "tool", "tool_call_id": "c", "content": "ok"}, _asks("c")], 1),
    ],
)
def test_a_trace_that_is_not_in_the_order_of_its_calls_is_left_open(backwards: list[Any], missed: int) -> None:
    assert len(read_trace(backwards).missed) == missed


_EXPECTED: dict[str, Any] = {"tool_calls": [{"name": "g", "args": {}}]}


@pytest.mark.parametrize(
    "trace",
    [
        {"expected": _EXPECTED, "actual": {"tool_calls": [{"name": "f", "args": {}}]}},
        {"tools_called": [{"name": "f", "input_parameters": {}}], "expectedTools": [{"name": "g"}]},
        {"referenceTrajectory": [{"tool": "g", "args": {}}], "trajectory": [{"tool": "f", "args": {}}]},
        {"messages": [_asks("c")], "ground_truth": [_asks("d", name="g")]},
        {"traj": [_asks("c")], "expected": [{"name": "g", "arguments": {}, "result": "ok"}]},
    ],
)
def test_what_an_author_expects_is_no_call(trace: Any) -> None:
    recording = read_trace(trace)
    assert ([call.name for call in recording.calls], recording.missed) == (["f"], ())


# --- recorded traces -----------------------------------------------------------------------------


def _content(name: object, arguments: object) -> tuple[object, object]:
    given = None if arguments is None else read_arguments(arguments)
    return name, None if given is None else frozenset((each.name, each.text) for each in given)


def _said_by(call: Call) -> tuple[object, object]:
    return call.name, None if call.arguments is None else frozenset((each.name, each.text) for each in call.arguments)


@pytest.mark.skipif(not TRACES.is_dir(), reason="the recorded traces are not there")
def test_recorded_traces_have_the_calls_and_results_that_are_expected() -> None:
    wrong = []
    for case in json.loads((TRACES / "expected.json").read_text(encoding="utf-8")):
        path = TRACES / case["file"]
        recording = read_trace(path if path.is_file() else TRACES / case["format"] / case["file"])
        calls = [call for call in recording.calls if call.kind is not CallKind.RETRIEVER]
        found = list(map(_said_by, calls))
        wanted = [_content(call["name"], call["arguments"]) for call in case["calls"]]
        if len(found) == len(wanted):
            for together in case.get("same_start") or ():
                places = sorted(together)
                for side in (found, wanted):
                    for place, each in zip(places, sorted((side[place] for place in places), key=str), strict=True):
                        side[place] = each
        recorded = zip(calls, case["calls"], strict=False)
        if found != wanted or not all(call.has_result for call, told in recorded if "result" in told):
            wrong.append(case["file"])
    assert wrong == []


def test_parts_of_a_flat_message_are_what_the_model_said() -> None:
    said = {"llm.output_messages.0.message.role": "assistant"}
    said["llm.output_messages.0.message.contents.0.message_content.text"] = "It rains."
    span = {"name": "m", "span_id": "1", "start_time": 1, "attributes": {"openinference.span.kind": "LLM", **said}}
    assert [each.text for each in read_trace([span]).said] == ["It rains."]
