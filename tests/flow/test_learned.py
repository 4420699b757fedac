"""Flows that are learned from declared tools and recorded runs: what is guessed, and what it is worth."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from tests.support.places import SHARED
from validator.adherence import read_trace
from validator.cli import main
from validator.flow.definition.reader import document_of, flow_from_document
from validator.flow.learn import Feed, Precedence, learn_flow
from validator.flow.model import Flow
from validator.guard import PlanGuard
from validator.policies.conform import run_of

DATA = SHARED / "data" / "traces" / "tau_bench"

OPENAPI = {
    "openapi": "3.1.0",
    "paths": {
        "/users/{id}": {
            "parameters": [{"name": "id", "in": "path", "required": True, "schema": {"type": "string"}}],
            "get": {"operationId": "get_user", "responses": {"200": {"$ref": "#/components/responses/User"}}},
        },
        "/orders": {
            "post": {
                "requestBody": {
                    "required": True,
                    "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Order"}}},
                },
                "responses": {"204": {}},
            }
        },
    },
    "components": {
        "responses": {
            "User": {"content": {"application/json": {"schema": {"type": "object", "properties": {"name": {}}}}}}
        },
        "schemas": {
            "Order": {"type": "object", "properties": {"item": {}, "note": {}}, "required": ["item"]},
        },
    },
}


def run(*calls: tuple[str, dict[str, Any], Any]) -> list[dict[str, Any]]:
    return [{"name": name, "arguments": arguments, "result": result} for name, arguments, result in calls]


FIND = ("find", {"city": "Rome"}, '{"hotels": [{"id": "luna-1"}]}')
BOOK = ("book", {"hotel": "luna-1"}, "booked")


def test_what_feeds_what_and_what_comes_before_what() -> None:
    other = run(("think", {"thought": "well"}, ""), FIND, BOOK)
    learned = learn_flow(traces=[run(FIND, BOOK), other], support=2)
    assert Feed("book", "hotel", 2, 2, (("find", 2),)) in learned.feeds
    assert learned.precedences == (Precedence("find", "book", 2),)
    assert {slot.item: slot.desirability for slot in learned.flow.slots} == {"city": 1, "hotel": 0, "thought": 1}
    assert [output.item for output in learned.flow.by_name["find"].outputs] == ["hotel"]


def test_what_a_run_contradicts_is_no_guess_and_what_few_show_neither() -> None:
    told = run(("book", {"hotel": "luna-1"}, "booked"), FIND)
    learned = learn_flow(traces=[run(FIND, BOOK), told], support=1)
    assert not any(each.then == "book" for each in learned.precedences)
    assert {slot.desirability for slot in learned.flow.slots if slot.item == "hotel"} == {1}
    assert not learn_flow(traces=[run(FIND, BOOK)], support=2).precedences


LOOK = ("look", {}, "there is luna-1")


def test_each_run_can_be_made_again_by_what_was_learned_from_it() -> None:
    """Where no tool mostly yields an item, a flow could never know it: it may be asked for."""
    for runs in (
        [run(FIND, BOOK), run(("look", {}, "there is sol-2"), ("book", {"hotel": "sol-2"}, "booked"))],
        [run(FIND, BOOK), run(("book", {"hotel": "b7"}, "booked"))],  # too short a value to be told from others
        [run(LOOK, ("find", {}, "none"), LOOK, ("find", {"hotel": "luna-1"}, "it is free"))],
        [run(("find", {}, "none"), LOOK, ("find", {"hotel": "luna-1"}, "it is free"))],
    ):
        flow = learn_flow(traces=runs, support=1).flow
        for one in runs:
            assert lets_through(flow, [(call["name"], call["arguments"]) for call in one]), flow


def test_what_fewer_runs_show_is_no_guess_however_often_they_show_it() -> None:
    runs = [run(FIND, BOOK, FIND, BOOK, BOOK), run(("find", {"city": "Oslo"}, "none"))]
    few, enough = (learn_flow(traces=runs, support=support).flow for support in (2, 1))
    assert [output.item for output in few.by_name["find"].outputs] == []
    assert [output.item for output in enough.by_name["find"].outputs] == ["hotel"]
    assert {slot.item: slot.desirability for slot in few.slots} == {"city": 1, "hotel": 1}
    assert [each.required for each in few.by_name["book"].inputs] == [False]
    assert [each.required for each in enough.by_name["book"].inputs] == [True]


def test_tools_of_openapi() -> None:
    flow = learn_flow(OPENAPI).flow
    assert [operator.name for operator in flow.operators] == ["get_user", "post_orders"]
    assert [(each.item, each.required) for each in flow.by_name["post_orders"].inputs] == [
        ("item", True),
        ("note", False),
    ]
    assert [each.item for each in flow.by_name["get_user"].inputs] == ["id"]


@pytest.mark.parametrize(
    "tools",
    [
        {"tools": [{"name": "book", "inputSchema": {"type": "object", "properties": {"hotel": {}}}}]},
        [{"type": "function", "function": {"name": "book", "parameters": {"properties": {"hotel": {}}}}}],
    ],
)
def test_declared_tools_and_runs_together(tools: Any) -> None:
    learned = learn_flow(tools, [run(FIND, BOOK)] * 3)
    assert {operator.name for operator in learned.flow.operators} == {"book", "find"}
    assert learned.warnings == ("'find' was called and is not declared",)


def test_schemas_of_several_parts_and_outputs_that_other_tools_take() -> None:
    pet = {"allOf": [{"$ref": "#/components/schemas/New"}, {"required": ["id"], "properties": {"id": {}}}]}
    new = {"type": "object", "required": ["name"], "properties": {"name": {}, "tag": {}}}
    answer = {"200": {"content": {"application/json": {"schema": {"$ref": "#/components/schemas/Pet"}}}}}
    body = {"required": True, "content": {"application/json": {"schema": {"allOf": [new]}}}}
    by_id = {"name": "id", "in": "path", "required": True, "schema": {}}
    learned = learn_flow(
        {
            "openapi": "3.0.0",
            "paths": {
                "/pets": {"post": {"operationId": "add", "requestBody": body, "responses": answer}},
                "/pets/{id}": {"delete": {"operationId": "delete", "parameters": [by_id], "responses": {"204": {}}}},
            },
            "components": {"schemas": {"Pet": pet, "New": new}},
        }
    )
    add, delete = learned.flow.operators
    assert [(each.item, each.required) for each in add.inputs] == [("name", True), ("tag", False)]
    assert [each.item for each in add.outputs] == ["id"] and [each.item for each in delete.inputs] == ["id"]


def test_what_is_written_is_what_was_learned_and_stops_a_wrong_call() -> None:
    learned = learn_flow(traces=[run(FIND, BOOK)] * 3)
    flow = flow_from_document(document_of(learned.document))
    assert (flow.operators, flow.orders, flow.slots) == (
        learned.flow.operators,
        learned.flow.orders,
        learned.flow.slots,
    )
    guard = PlanGuard(flow, repair=False)
    assert not guard.before("book", {"hotel": "sol-2"})
    guard.after(guard.before("find", {"city": "Rome"}), "ok")
    assert guard.before("book", {"hotel": "luna-1"})
    assert "find before book, in all 3 runs with the second" in learned.report


def test_the_command(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.chdir(tmp_path)
    Path("run.json").write_text(json.dumps(run(FIND, BOOK)))
    Path("api.json").write_text(json.dumps(OPENAPI))
    assert main(["learn", "run.json", "--support", "1"]) == 0
    assert 'first: "find", then: "book"}  # in all 1 runs' in capsys.readouterr().out
    assert main(["learn", "--tools", "api.json", "-o", "shop.yaml"]) == 0
    assert "get_user: declared, called in 0 runs" in capsys.readouterr().out
    assert Path("shop.yaml").read_text().splitlines()[1] == 'flow: "shop"'
    assert main(["learn"]) == 2


@pytest.mark.deep
@pytest.mark.skipif(not DATA.is_dir(), reason="the recorded traces are not here")
@pytest.mark.parametrize(("support", "good", "failed", "reference"), [(1, 15, 9, 18), (3, 19, 21, 26)])
def test_what_it_is_worth_on_recorded_runs(support: int, good: int, failed: int, reference: int) -> None:
    """Learn from the runs of other tasks that went well; the figures are those of the documentation."""
    records = [(json.loads(file.read_text()), read_trace(file)) for file in sorted(DATA.glob("*.json"))]
    allowed: Counter[str] = Counter()
    for record, recording in records:
        others = [one for about, one in records if about["task_id"] != record["task_id"] and about["reward"] == 1]
        flow = learn_flow(traces=others, support=support).flow
        actions = [(action["name"], action["kwargs"]) for action in record["info"]["task"]["actions"]]
        made = [(event.name, dict(event.values)) for event in run_of(recording)]
        allowed["reference"] += lets_through(flow, actions)
        allowed["good" if record["reward"] == 1 else "failed"] += lets_through(flow, made)
    assert allowed == {"good": good, "failed": failed, "reference": reference}


def lets_through(flow: Flow, calls: Sequence[tuple[str, dict[str, object]]]) -> bool:
    """Return whether a guard by a flow allows every call; what is not understood is let through."""
    guard = PlanGuard(flow, repair=False, not_understood="allow")
    for name, arguments in calls:
        decision = guard.before(name, arguments)
        if not decision:
            return False
        guard.after(decision, "ok")
    return True
