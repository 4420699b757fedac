"""What is wrong with tool calls: types of results, nested fields, labels, texts; and what a catalogue costs."""

from __future__ import annotations

from typing import Any

import pytest

from validator.alarms import OutOfTime
from validator.flow import check_tool_calls

_PLACE = {"type": "object", "properties": {"id": {"type": "string"}, "lat": {"type": "number"}}}
TOOLS = [
    {
        "name": "search",
        "query_parameters": {
            "text": {"type": "String", "required": True},
            "sort": {"type": "Enum", "allowed_values": ["best", "near"]},
        },
        "output_parameters": {
            "place": _PLACE,
            "Total Count": {"type": "Number"},
            "hits": {"type": "array", "items": _PLACE},
            "kind": {"type": "string", "possible_values": ["shop", "bar"]},
        },
    },
    {
        "name": "show",
        "parameters": {"id": {"type": "string"}, "size": {"type": "integer", "optional": True}},
        "output_parameters": {"id": {"type": "string"}},
    },
    {
        "name": "rate",
        "parameters": {"place": {**_PLACE, "required": ["id", "stars"]}, "mark": {"enum": ["good", "bad"]}},
    },
]
FOUND = {"name": "search", "arguments": {"text": "tea"}, "label": "$var1"}


def _faults(*calls: dict[str, Any]) -> list[str]:
    return [failure.detail for failure in check_tool_calls(TOOLS, [FOUND, *calls], repair=False).failures]


def _show(**arguments: Any) -> dict[str, Any]:
    return {"name": "show", "arguments": {"id": "x", **arguments}, "label": "var2"}


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ({"id": "$var1.place.id$"}, None),
        ({"id": "$var1.hits[0].id$"}, None),
        ({"id": "$var1.hits.id$"}, None),
        ({"size": "$var1.Total Count$"}, None),
        ({"id": "at $var1.Total Count$ and $var1.place$"}, None),
        ({"id": "${var1.place.id}"}, None),
        ({"id": "costs $5, $HOME, the formula $x$"}, None),
        ({"id": "$var1.place.lat$"}, "show takes string for 'id', and '$var1.place.lat' is number"),
        ({"id": "$var1.hits$"}, "show takes string for 'id', and '$var1.hits' is array"),
        ({"size": "$var1.Total Count$ + 1"}, "show takes integer for 'size', got \"$var1.Total Count$ + 1\""),
        ({"id": "$var1.place.ids$"}, "'$var1.place.ids': 'place' of search yields id, lat (did you mean 'id'?)"),
        ({"id": "$var1.idd$"}, "'$var1.idd': search yields place, Total Count, hits, kind"),
        ({"id": "$var1.place.id.x$"}, "'$var1.place.id.x': 'place.id' of search is string and has no field 'x'"),
        ({"id": "see $var9.place$"}, "no call has the label 'var9' (did you mean 'var1'?)"),
        ({"id": "var1.place.id$"}, "'var1.place.id$' for 'id' is not a reference (did you mean '$var1.place.id$'?)"),
        ({"id": "$var1$"}, "'$var1': search yields place, Total Count, hits, kind; say which"),
        ({"id": "$var2.id$"}, "'$var2' is the result of this call itself"),
    ],
)
def test_references_are_typed(arguments: dict[str, Any], said: str | None) -> None:
    assert _faults(_show(**arguments)) == ([] if said is None else [said])


def test_objects_and_listed_values_are_compared() -> None:
    rate = {"name": "rate", "arguments": {"place": "$var1.place$", "mark": "$var1.kind$"}}
    assert _faults(rate) == [
        "rate takes object for 'place', and '$var1.place' is object without stars",
        'rate takes one of "good", "bad" for \'mark\', and \'$var1.kind\' is string of the values "shop", "bar"',
    ]
    rate = {"name": "rate", "arguments": {"place": {"id": 3, "stars": 1}, "mark": "goood"}}
    assert _faults(rate) == [
        "rate takes string for 'place.id', got 3",
        'rate takes one of "good", "bad" for \'mark\', got "goood" (did you mean \'good\'?)',
    ]


def test_a_label_given_twice_is_a_fault_and_gets_the_label_that_is_missing() -> None:
    answer = {"name": "var_result", "arguments": {"one": "$var2$", "two": "$var3.id$"}}
    report = check_tool_calls(TOOLS, [FOUND, _show(), _show(id="y"), answer])
    assert report.failures[0].detail == "the label 'var2' is that of call 2 as well"
    assert [call.get("label") for call in report.repaired_calls] == ["$var1", "var2", "var3", None]
    assert report.planner_response.cost == 1 and report.proven


def test_an_id_is_looked_up_and_words_are_asked_for() -> None:
    report = check_tool_calls(TOOLS, [], goals=["show"])
    assert [call["name"] for call in report.repaired_calls] == ["search", "show"]
    assert report.repaired_calls[0]["arguments"] == {"text": "$ask.text$"}
    assert check_tool_calls(TOOLS, report.repaired_calls, goals=["show"]).determination is True
    assert "the user has to say search.text" in report.planner_response.note


def test_an_unknown_tool_is_the_one_that_takes_its_arguments() -> None:
    mark = {"name": "grade_it", "arguments": {"place": {"id": "x", "stars": 1}, "mark": "good"}}
    report = check_tool_calls(TOOLS, [FOUND, mark])
    assert report.repaired_calls == [FOUND, {**mark, "name": "rate"}]
    assert report.proven and report.planner_response.cost == 1
    assert check_tool_calls(TOOLS, [FOUND, {**mark, "arguments": {"stars": 1}}]).repaired_calls == [FOUND]


def _tool(properties: dict[str, Any], **more: object) -> list[dict[str, Any]]:
    return [{"name": "book", "parameters": {"type": "object", "properties": properties, **more}}]


@pytest.mark.parametrize(
    ("schema", "what"),
    [
        ({"type": "string", "pattern": "["}, "the pattern ["),
        ({"$ref": "https://example.com/schema"}, "$ref to https://example.com/schema"),
        ({"unevaluatedProperties": False}, "unevaluatedProperties"),
        ({"$ref": "#/properties/x"}, "schemas within each other without end"),
    ],
)
def test_a_schema_that_is_not_understood_leaves_open_whether_a_call_runs(schema: dict[str, Any], what: str) -> None:
    report = check_tool_calls(_tool({"x": schema}), [{"name": "book", "arguments": {"x": "a"}}])
    assert report.determination is None and not report.proven and not report.failures
    assert report.reason == f"not understood: the schema of book has {what}"
    assert check_tool_calls(_tool({"x": schema}), [{"name": "book", "arguments": {}}]).determination is True
    assert check_tool_calls(_tool({"x": schema}), [{"name": "book", "arguments": {"y": 1}}]).determination is False
    mended = check_tool_calls(_tool({"x": schema}), [{"name": "book", "arguments": {"x": "a", "y": 1}}])
    assert mended.repaired_calls == [{"name": "book", "arguments": {"x": "a"}}]
    assert not mended.proven and f"the schema of book has {what}" in mended.planner_response.note


def test_what_is_wrong_is_told_where_no_time_is_left_for_a_repair(monkeypatch: pytest.MonkeyPatch) -> None:
    def endless(*given: object) -> None:
        raise OutOfTime

    monkeypatch.setattr("validator.flow.tools.repair.repaired_list", endless)
    report = check_tool_calls(TOOLS, [{"name": "nothing of this name", "arguments": {}}])
    assert (report.determination, report.proven, report.planner_response.status) == (False, False, "time limit")
    assert len(report.failures) == 1
    assert report.reason.endswith("; the time limit was met before a repaired list was found")
