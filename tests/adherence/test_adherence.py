"""Adherence: many calls, dependencies, the diff, the rows; a law has the alignment beside brute force."""

from __future__ import annotations

import sys
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from validator.adherence import RowKind, adhere
from validator.adherence.text import adherence_text
from validator.adherence.values import Outcome
from validator.alarms import OutOfTime
from validator.repair.diff import apply_diff

# --- the alignment -------------------------------------------------------------------------------


@pytest.mark.parametrize("changed", [0, 7])
def test_parallel_calls_are_aligned_fast(changed: int) -> None:
    """Five messages of twenty parallel calls took half a minute."""
    names = [f"tool_{number}" for number in range(20)]
    plan = [names[turn:] + names[:turn] for turn in range(5)]
    calls = [
        {"name": name, "batch": turn} for turn in range(5) for name in names[turn // 2 :: -1] + names[turn // 2 + 1 :]
    ]
    for place in range(0, changed * 13, 13):
        calls[place] = {**calls[place], "name": "other"}
    started = time.process_time()
    assert adhere(plan, calls).weight == 100 - changed
    assert time.process_time() - started < 2


def test_a_plan_with_dependencies_is_followed_in_any_order_that_they_allow() -> None:
    plan = {
        "steps": [
            {"id": 1, "tool": "a", "depends_on": []},
            {"id": 2, "tool": "b", "depends_on": []},
            {"id": 3, "tool": "c", "depends_on": [1, 2]},
        ]
    }
    assert adhere(plan, [{"name": name} for name in "bac"]).score == 1.0
    assert adhere(plan, [{"name": name} for name in "bca"]).score == pytest.approx(2 / 3)
    nodes = {"task_nodes": [{"task": "a", "arguments": []}, {"task": "b", "arguments": []}]}
    assert adhere(nodes, [{"name": name} for name in "ba"]).score == 0.5
    assert adhere({**nodes, "task_links": []}, [{"name": name} for name in "ba"]).score == 1.0
    linked = {**nodes, "task_links": [{"source": "b", "target": "a"}]}
    assert adhere(linked, [{"name": name} for name in "ba"]).score == 1.0


# --- the laws of the score -----------------------------------------------------------------------


@given(st.lists(st.sampled_from("abcd"), max_size=6), st.lists(st.sampled_from("abcd"), max_size=6))
def test_the_diff_turns_the_plan_into_the_execution(plan: list[str], calls: list[str]) -> None:
    result = adhere(plan, [{"name": name} for name in calls])
    if result.diff_text:
        steps = apply_diff(result.diff_text, "".join(f"({step})\n" for step in plan))
        assert list(steps) == [f"({name})" for name in calls]
    else:
        assert plan == calls


# --- names ---------------------------------------------------------------------------------------


def test_tools_that_one_side_tells_apart_stay_apart() -> None:
    calls = [{"name": "put_user"}, {"name": "put-user"}]
    assert adhere(["put-user"], calls).precision == 0.5
    assert [row.kind for row in adhere(["put-user"], calls).rows] == [RowKind.EXTRA, RowKind.MATCHED]


# --- rows and reasons ----------------------------------------------------------------------------

CALLS = [
    {"name": "search", "arguments": {"to": "JFK"}},
    {"name": "book", "arguments": {"id": "NY101", "seats": 2}},
    {"name": "pay", "arguments": {"card": "visa"}},
]


def test_a_changed_argument_is_told() -> None:
    plan = [CALLS[0], {"name": "book", "arguments": {"id": "NY102", "meal": True}}, CALLS[2]]
    result = adhere(plan, CALLS)
    (row,) = result.deviations
    assert (row.kind, row.weight) == (RowKind.CHANGED, 0)
    assert row.reason == (
        "Step 2 (book id=NY102 meal=true) was executed with other arguments, as call 2: "
        "id is NY101 instead of NY102; meal is left out; seats is 2, which the plan does not have."
    )
    assert result.arguments == pytest.approx(2 / 3)


def test_a_moved_step_is_one_deviation_and_no_missing_one() -> None:
    result = adhere([CALLS[0], CALLS[2], CALLS[1]], CALLS)
    assert [row.kind for row in result.deviations] == [RowKind.MOVED]
    assert result.reason.endswith("Step 3 (book id=NY101 seats=2) was executed earlier than planned, as call 2.")
    assert (result.score, result.order) == (pytest.approx(2 / 3), pytest.approx(2 / 3))
    assert result.missing == result.extra == ()


def test_a_schema_of_the_trace_orders_arguments_by_position() -> None:
    schema = {"name": "fly", "input_schema": {"properties": {"a": {}, "b": {}}}}
    used = [{"type": "tool_use", "id": str(n), "name": name, "input": given} for n, (name, given) in enumerate(
        [("fly", {"b": 2, "a": 1}), ("pay", {})]
    )]  # fmt: skip
    trace = {"tools": [schema], "messages": [{"role": "assistant", "content": [each]} for each in used]}
    assert adhere("fly(1, 2)\npay()", trace).score == 1.0
    assert [row.kind for row in adhere("pay()\nfly(1, 2)", trace).deviations] == [RowKind.MOVED]
    assert adhere("fly(2, 1)\npay()", trace).score == 0.5


def test_a_missing_and_an_extra_step_are_told() -> None:
    result = adhere([CALLS[0], CALLS[1]], [CALLS[0], CALLS[2]])
    assert result.reason.splitlines()[1:] == [
        "Step 2 (book id=NY101 seats=2) was not executed.",
        "Call 2 (pay card=visa) is not in the plan.",
    ]
    assert result.diff_text == (
        "--- plan\n+++ execution\n@@ -1,2 +1,2 @@\n (search to=JFK)\n-(book id=NY101 seats=2)\n+(pay card=visa)\n"
    )


def test_the_metrics_compare_whole_steps_of_the_execution_with_the_plan() -> None:
    result = adhere(["search(JFK)", "pay(amex)"], [*CALLS])
    scores = {name: score.value for name, score in result.metrics.items()}
    assert (scores["lcs"], scores["precision"], scores["recall"]) == (1 / 3, 1 / 3, 1 / 2)
    assert adhere(None, CALLS).metrics == {}


def test_a_nested_call_counts_only_when_the_plan_names_it() -> None:
    inner = {"type": "tool", "name": "fetch", "input": {}, "output": 1, "children": []}
    trace = {"type": "tool", "name": "search", "input": {}, "output": 1, "children": [inner]}
    assert adhere(["search"], trace).score == 1.0
    assert adhere(["search", "fetch"], trace).score == 1.0
    assert [call.name for call in adhere(["search"], trace).passed_over] == ["fetch"]


# --- text ----------------------------------------------------------------------------------------


def test_the_text_drives_no_terminal() -> None:
    result = adhere(["f"], [{"name": "f", "arguments": {"x": "\033[31mred\a"}}, {"name": "g\033[0m"}])
    assert "\033" not in adherence_text(result)
    assert "\a" not in adherence_text(result, color=True)
    assert "\033[31mred" not in adherence_text(result, color=True)


def test_without_a_plan_the_text_says_why() -> None:
    assert adherence_text(adhere(None, CALLS)) == "Adherence is not applicable: no plan is stated in the trace.\n"


def test_where_the_time_is_over_before_calls_are_compared_that_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    def late(*given: object) -> None:
        raise OutOfTime

    monkeypatch.setattr(sys.modules["validator.adherence.adhere"], "align", late)
    found = adhere(["f"], [{"name": "f", "arguments": {}}], time_limit=1)
    assert found.outcome is Outcome.OUT_OF_TIME
    assert (found.score, len(found.calls)) == (None, 1)
    assert "time limit" in found.not_applicable
