"""Tools and calls in the ways in which they are published, and repairs of them."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from validator.errors import ModelError
from validator.flow import check_tool_calls
from validator.flow.tools.specifications import read_tools
from validator.reading.calls.lists import read_list

_GEO = {
    "type": "object",
    "properties": {"city": {"type": "string"}, "zone": {"anyOf": [{"type": "integer"}, {"type": "null"}]}},
    "required": ["city"],
}
_MAIL = {
    "type": "object",
    "properties": {"to": {"$ref": "#/$defs/Person"}, "text": {"type": "string"}},
    "required": ["to", "text"],
    "$defs": {"Person": {"type": "object", "properties": {"name": {"type": "string"}}, "required": ["name"]}},
}

TOOLS: dict[str, Any] = {
    "OpenAI chat": [
        {"type": "function", "function": {"name": n, "parameters": s}} for n, s in (("geo", _GEO), ("mail", _MAIL))
    ],
    "OpenAI responses": [{"type": "function", "name": n, "parameters": s} for n, s in (("geo", _GEO), ("mail", _MAIL))],
    "Anthropic": [{"name": "geo", "input_schema": _GEO}, {"name": "mail", "input_schema": _MAIL}],
    "MCP": {"tools": [{"name": "geo", "inputSchema": _GEO}, {"name": "mail", "inputSchema": _MAIL}]},
    "MCP, its answer": {
        "jsonrpc": "2.0",
        "id": 1,
        "result": {"tools": [{"name": n, "inputSchema": s} for n, s in (("geo", _GEO), ("mail", _MAIL))]},
    },
    "LangChain": [{"name": "geo", "args_schema": _GEO}, {"name": "mail", "args_schema": _MAIL}],
    "Gemini": [{"function_declarations": [{"name": "geo", "parameters": _GEO}, {"name": "mail", "parameters": _MAIL}]}],
    "Bedrock": {
        "tools": [{"toolSpec": {"name": n, "inputSchema": {"json": s}}} for n, s in (("geo", _GEO), ("mail", _MAIL))]
    },
}

_PERSON = {"name": "Ann"}
_GIVEN: list[tuple[str, dict[str, Any]]] = [("geo", {"city": "Rome"}), ("mail", {"to": _PERSON, "text": "hello"})]
CALLS: dict[str, Any] = {
    "OpenAI message": {
        "role": "assistant",
        "content": None,
        "tool_calls": [
            {"id": f"call_{n.upper()}", "type": "function", "function": {"name": n, "arguments": json.dumps(a)}}
            for n, a in _GIVEN
        ],
    },
    "OpenAI responses": [
        {"type": "function_call", "call_id": f"c_{n.upper()}", "name": n, "arguments": json.dumps(a)} for n, a in _GIVEN
    ],
    "Anthropic message": {
        "role": "assistant",
        "content": [
            {"type": "text", "text": "I look."},
            *({"type": "tool_use", "id": f"toolu-{n.upper()}", "name": n, "input": a} for n, a in _GIVEN),
        ],
    },
    "LangChain": [{"name": n, "args": a, "id": f"c_{n.upper()}", "type": "tool_call"} for n, a in _GIVEN],
    "MCP": [
        {"jsonrpc": "2.0", "id": k, "method": "tools/call", "params": {"name": n, "arguments": a}}
        for k, (n, a) in enumerate(_GIVEN)
    ],
    "Gemini": [{"functionCall": {"name": n, "args": a}} for n, a in _GIVEN],
    "Bedrock": [{"toolUse": {"toolUseId": f"t_{n.upper()}", "name": n, "input": a}} for n, a in _GIVEN],
    "Gemini message": {"role": "model", "parts": [{"functionCall": {"name": n, "args": a}} for n, a in _GIVEN]},
    "Gemini response": {
        "candidates": [
            {"content": {"role": "model", "parts": [{"functionCall": {"name": n, "args": a}} for n, a in _GIVEN]}}
        ]
    },
    "Bedrock response": {
        "output": {
            "message": {"role": "assistant", "content": [{"toolUse": {"name": n, "input": a}} for n, a in _GIVEN]}
        }
    },
    "ReAct": "".join(f"Thought: so\nAction: {n}\nAction Input: {json.dumps(a)}\nObservation: ok\n" for n, a in _GIVEN),
    "a plan": {"plan": [{"step": k, "tool": n, "args": a} for k, (n, a) in enumerate(_GIVEN, start=1)]},
    "BFCL answers": [{n: {name: [value] for name, value in a.items()}} for n, a in _GIVEN],
    "Python": '[geo(city="Rome"), mail(to={"name": "Ann"}, text="hello")]',
    "NESTFUL": [{"name": n, "arguments": a, "label": f"$var_{k}"} for k, (n, a) in enumerate(_GIVEN, start=1)],
}


@pytest.mark.parametrize("tools", TOOLS.values(), ids=TOOLS)
@pytest.mark.parametrize("calls", CALLS.values(), ids=CALLS)
def test_calls_of_every_form_are_read_with_tools_of_every_form(tools: Any, calls: Any) -> None:
    assert [call.name for call in read_list(calls).calls] == ["geo", "mail"]
    assert check_tool_calls(tools, calls, repair=False).determination is True
    parameters = read_tools(tools)["geo"].inputs
    assert [(name, each.required) for name, each in parameters.items()] == [("city", True), ("zone", False)]


_GEO_CALL: dict[str, Any] = {"name": "geo", "arguments": {"city": "Rome"}}


@pytest.mark.parametrize(
    "calls",
    [
        [_GEO_CALL | {"then": {"name": "pay", "arguments": {}}}],
        [_GEO_CALL | {"next": "pay(1)"}],
        [_GEO_CALL | {"fallback": {"tool": "pay", "args": {}}}],
        [_GEO_CALL | {"compensate": {"tool": "pay", "args": {}}}],
        [_GEO_CALL | {"op": "remove"}],
        {"calls": [_GEO_CALL], "finally": [{"name": "pay", "arguments": {}}]},
        {"calls": [_GEO_CALL], "tool_calls": [{"name": "pay", "arguments": {}}]},
    ],
)
def test_what_may_be_a_call_beside_calls_is_not_passed_over(calls: Any) -> None:
    with pytest.raises(ModelError, match="may ask for more calls, or for others"):
        check_tool_calls(TOOLS["MCP"], calls)


def test_what_names_another_item_is_a_link() -> None:
    calls = [_GEO_CALL | {"id": "a", "next": "b"}, _GEO_CALL | {"id": "b", "next": ""}]
    assert check_tool_calls(TOOLS["MCP"], calls).determination is True


def test_what_is_said_beside_calls_of_messages_asks_for_none() -> None:
    said = {"role": "assistant", "content": "Done:\n\nfind(x=1)\n"}
    assert check_tool_calls(TOOLS["MCP"], [CALLS["OpenAI message"], said]).determination is True
    assert check_tool_calls(TOOLS["MCP"], [said]).determination is False


def test_a_message_without_calls_says_that_none_is_made_or_is_not_understood() -> None:
    for parts, verdict in (([], True), ([{"text": "Done."}], None)):
        assert check_tool_calls(TOOLS["MCP"], {"role": "model", "parts": parts}).determination is verdict
    with pytest.raises(ModelError, match="was not understood"):
        check_tool_calls(TOOLS["MCP"], {"role": "model", "parts": [{"function_call": {"args": {}}}]})


TASKS = {
    "nodes": [
        {"id": "Image Downloader", "input-type": ["url"], "output-type": ["Image"]},
        {"id": "Image-to-Text", "input-type": ["image"], "output-type": ["text"]},
        {"id": "Image Stitcher", "input-type": ["image", "image"], "output-type": ["image"]},
        {"id": "Image Editing", "input-type": ["image", "text"], "output-type": ["image"]},
    ]
}


def _graph(*nodes: tuple[str, list[str]], links: tuple[tuple[str, str], ...] = ()) -> dict[str, Any]:
    return {
        "task_nodes": [{"task": name, "arguments": arguments} for name, arguments in nodes],
        "task_links": [{"source": one, "target": other} for one, other in links],
    }


def test_a_graph_in_a_circle_has_no_order() -> None:
    graph = _graph(("Image-to-Text", ["<node-1>"]), ("Image Stitcher", ["<node-0>", "<node-1>"]))
    report = check_tool_calls(TASKS, graph)
    assert report.determination is False and not report.proven
    links = _graph(
        ("Image-to-Text", ["a"]),
        ("Image Downloader", ["b"]),
        links=(("Image-to-Text", "Image Downloader"), ("Image Downloader", "Image-to-Text")),
    )
    assert "circle" in check_tool_calls(TASKS, links).failures[0].detail


_KEYS = """
    name arguments city function task_nodes task_links tool_calls type properties required items enum tools parameters
    output_parameters label task id input-type
"""
_JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.sampled_from(["$var1", "$var1.lat$", "x", "{}", "geo", "<node-0>", "f(x=1)"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(_KEYS.split()), inner, max_size=4),
    max_leaves=8,
)


@given(_JSON)
def test_any_tools_are_read_or_refused(value: Any) -> None:
    for tools in (value, [{"name": "geo", "parameters": value, "output_parameters": value}]):
        try:
            check_tool_calls(tools, [{"name": "geo", "arguments": {"city": "$var1.lat$"}}], time_limit=2)
        except ModelError as error:
            assert error.message


@pytest.mark.parametrize(
    "text",
    [
        'Thought: go.\nAction: geo(city="Rome")\nObservation: ok\n',  # YAML, too
        'Thought 1: go.\nAction 1: geo[city="Rome"]\nObservation 1: ok\nAction 2: Finish[Rome]\n',
    ],
)
def test_an_action_of_react_is_a_call(text: str) -> None:
    assert check_tool_calls(TOOLS["MCP"], text).determination is True


@pytest.mark.parametrize("text", ["Action: geo(Rome)\n", "Action: geo[Rome]\n", "geo(city=Rome"])
def test_a_call_whose_values_are_not_known_is_not_wrong(text: str) -> None:
    assert check_tool_calls(TOOLS["MCP"], text).determination is None
    with pytest.raises(ModelError, match="a call such as f"):
        read_list({"action": text.removeprefix("Action: ")})
