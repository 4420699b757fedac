"""Attacks on what is said of the arguments of tool calls: types, limits, nested objects, names that are wrong."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from importlib.util import find_spec
from random import Random
from typing import Any

from benchmarks.attacks.kind import Kind, outcome
from tests.support.random_tools import is_called_right, random_arguments, random_tool
from validator.flow import check_tool_calls

__all__ = ["KINDS"]


def _attack(seed: int) -> Iterator[str]:
    """Judge a list of calls whose arguments are values, and judge what it is mended to."""
    if find_spec("jsonschema") is None:
        yield outcome(False)
        return
    draw = Random(f"given {seed}")
    tools = {name: random_tool(draw, name) for name in draw.sample(("book", "find", "mail"), draw.randint(1, 2))}
    calls = []
    for _ in range(draw.choice((1, 1, 2, 3))):
        name = draw.choice(sorted(tools))
        calls.append({"name": name, "arguments": random_arguments(draw, tools[name])})
    written: Any = calls
    match draw.choice(("values", "json", "messages")):
        case "json":
            written = json.dumps(calls)
        case "messages":
            asked = [
                {"id": f"c{n}", "type": "function", "function": {**call, "arguments": json.dumps(call["arguments"])}}
                for n, call in enumerate(calls)
            ]
            written = {"role": "assistant", "content": None, "tool_calls": asked}
    report = check_tool_calls(list(tools.values()), written)
    right = [is_called_right(tools[call["name"]], call["arguments"]) for call in calls]
    told = (tools, calls, right, report.determination, report.failures, report.repaired_calls)
    assert report.determination in (all(right), None), told
    at_fault = {failure.step for failure in report.failures}
    wrong = {place for place, is_right in enumerate(right) if not is_right}
    is_understood = "unevaluated" not in json.dumps(tools)
    assert at_fault == wrong or (at_fault < wrong and not is_understood), told
    if report.repaired_calls is not None and (report.proven or is_understood):
        mended = _plain(report.repaired_calls)
        assert all(_may_be_right(tools[call["name"]], call["arguments"]) for call in mended), told
        again = check_tool_calls(list(tools.values()), report.repaired_calls, repair=False)
        assert again.determination is not False, (told, again)
    yield outcome(report.determination is not None)


def _plain(calls: Any) -> list[dict[str, Any]]:
    """Return calls as names and arguments, in whatever form they came in."""
    if isinstance(calls, str):
        calls = json.loads(calls)
    if isinstance(calls, Mapping):
        calls = [each["function"] for each in calls["tool_calls"]]
    return [
        {
            **call,
            "arguments": json.loads(call["arguments"]) if isinstance(call["arguments"], str) else call["arguments"],
        }
        for call in calls
    ]


def _may_be_right(tool: Mapping[str, Any], arguments: Mapping[str, Any]) -> bool:
    """Return whether arguments are right; what the user has to say is whatever is."""
    asked = [name for name, value in arguments.items() if isinstance(value, str) and value.startswith("$ask.")]
    own = tool.get("function", tool)
    key = next(key for key in ("parameters", "input_schema", "inputSchema") if key in own)
    schema = own[key]
    open_ = {
        **schema,
        "properties": {name: {} if name in asked else each for name, each in schema["properties"].items()},
    }
    return is_called_right({"parameters": open_}, arguments)


KINDS = (
    Kind(
        name="tool calls: types, limits, names of arguments",
        against="the package jsonschema",
        attack=_attack,
        share=12,
    ),
)
