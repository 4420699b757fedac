"""Tool calls as plans."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from validator.cli import main
from validator.errors import ModelError
from validator.execution.simulator import Kind
from validator.flow import check_tool_calls

pytestmark = pytest.mark.planner

NESTFUL = {
    "name": "geo",
    "parameters": {"city": {"type": "string"}},
    "output_parameters": {"lat": {"type": "number"}, "lon": {"type": "number"}},
}
OPENAI = {
    "type": "function",
    "function": {
        "name": "weather",
        "parameters": {
            "type": "object",
            "properties": {
                "lat": {"type": "number"},
                "lon": {"type": "number"},
                "units": {"type": "string", "enum": ["C", "F"]},
            },
            "required": ["lat", "lon"],
        },
    },
}
MCP = {
    "name": "mail",
    "inputSchema": {
        "type": "object",
        "properties": {"to": {"type": "string"}, "text": {"type": "string"}},
        "required": ["to", "text"],
    },
}
TOOLS = [NESTFUL, OPENAI, MCP]
GEO = {"name": "geo", "arguments": {"city": "Paris"}, "label": "$var1"}
WEATHER = {"name": "weather", "arguments": {"lat": "$var1.lat$", "lon": "$var1.lon", "units": "C"}}
MAIL = {"function": {"name": "mail", "arguments": '{"to": "a@b.c", "text": "It is $var2$ today"}'}}


def test_calls_that_run() -> None:
    assert check_tool_calls(TOOLS, [GEO, WEATHER, MAIL]).determination is True
    assert check_tool_calls(TOOLS, [GEO, {**GEO, "label": "var2"}, WEATHER]).determination is True
    assert check_tool_calls(TOOLS, [GEO, WEATHER, MAIL], goals=["mail", "weather.result"]).determination is True


def _call(**arguments: Any) -> dict[str, Any]:
    return {"name": "weather", "arguments": {"lat": 1, "lon": 2, **arguments}}


@pytest.mark.parametrize(
    ("call", "kind", "said"),
    [
        ({"name": "wether", "arguments": {}}, Kind.UNKNOWN_ACTION, "wether"),
        ({"name": "weather", "arguments": {"lat": 1}}, Kind.WRONG_ARGUMENT, "needs the argument 'lon'"),
        (_call(unit="C"), Kind.WRONG_ARGUMENT, "no argument 'unit' (did you mean 'units'?)"),
        (_call(units="K"), Kind.WRONG_ARGUMENT, 'one of "C", "F"'),
        (_call(lat="north"), Kind.WRONG_TYPE, "takes number for 'lat'"),
        (_call(lat=True), Kind.WRONG_TYPE, "takes number for 'lat'"),
        (_call(lat="$var9.lat"), Kind.WRONG_ARGUMENT, "no call has the label 'var9'"),
        (_call(lat="$var3.lat"), Kind.WRONG_ARGUMENT, "call 3, which comes later"),
        (_call(lat="$var2"), Kind.WRONG_ARGUMENT, "this call itself"),
        (_call(lat="$var1.lot"), Kind.WRONG_ARGUMENT, "geo yields lat, lon (did you mean"),
        (_call(lat="$var1"), Kind.WRONG_ARGUMENT, "say which"),
    ],
)
def test_what_is_wrong_with_a_call_is_named(call: dict[str, Any], kind: Kind, said: str) -> None:
    report = check_tool_calls(TOOLS, [GEO, call, {**GEO, "label": "var3"}])
    assert report.determination is False
    assert (report.failures[0].step, report.failures[0].kind) == (1, kind)
    assert said in report.failures[0].detail
    assert f"- var2 = {call['name']}(" in report.plan_diff_str
    assert check_tool_calls(TOOLS, report.repaired_calls).determination is True


@pytest.mark.parametrize(
    ("tools", "calls", "said"),
    [
        ([{"parameters": {}}], [], "tools[0].name"),
        ([NESTFUL, {**NESTFUL, "parameters": {}}], [], "declared twice"),
        (TOOLS, [{"arguments": {"city": 1}}], "calls[0].name"),
        ([GEO], [{"name": "geo", "parameters": {"city": {"type": "string"}}}], "calls[0].name: it declares a tool"),
        (TOOLS, [{"name": "geo", "arguments": "{"}], "not JSON"),
        (TOOLS, [{"name": "geo", "arguments": "1" * 5000}], "not JSON"),
        (TOOLS, ["geo"], "an object was expected"),
        (None, [], "tools: a list was expected, not nothing"),
        ({"geo": NESTFUL}, [], "tools: a list was expected"),
        (TOOLS, 3, "calls: a list was expected, not 3"),
    ],
)
def test_what_is_no_tool_or_call_is_refused(tools: Any, calls: Any, said: str) -> None:
    with pytest.raises(ModelError) as error:
        check_tool_calls(tools, calls)
    assert said in str(error.value)


def test_the_command_writes_the_calls_that_run(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    tools, calls = tmp_path / "tools.json", tmp_path / "calls.txt"
    tools.write_text(json.dumps(TOOLS))
    calls.write_text("[geo(city='Rome'), wether(lat=1, lon=2)]\n")
    assert main(["calls", str(tools), str(calls), "--format", "calls"]) == 1
    mended = capsys.readouterr().out
    assert [each["name"] for each in json.loads(mended)] == ["geo", "weather"]
    calls.write_text(mended)
    assert main(["calls", str(tools), str(calls), "--format", "calls"]) == 0
    assert capsys.readouterr().out == mended


def test_the_command_reads_every_action_of_a_text_that_is_yaml_too(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    tools, calls = tmp_path / "tools.json", tmp_path / "calls.txt"
    tools.write_text(json.dumps(TOOLS))
    calls.write_text("".join(f'Action: {name}\nAction Input: {{"city": "Rome"}}\n' for name in ("find", "geo")))
    assert main(["calls", str(tools), str(calls), "--no-repair"]) == 1
    assert "unknown action 'find'" in capsys.readouterr().out
