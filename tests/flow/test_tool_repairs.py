"""Repairs of tool calls: accepted when checked again, and none nearer, by an enumeration of edits of its own."""

from __future__ import annotations

from itertools import count

import pytest

from tests.support.tool_lists import TOOLS, Calls
from validator.alarms import OutOfTime
from validator.flow import check_tool_calls
from validator.flow.tools.calls import bound
from validator.flow.tools.repair import search
from validator.flow.tools.repair.search import nearest_lists
from validator.flow.tools.specifications import read_tools
from validator.reading.calls.lists import read_list


def test_what_is_wrong_is_told_where_no_time_is_left_for_a_repair(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of thousands of calls nothing at all was said, though a look at them had told."""

    def endless(*given: object) -> None:
        raise OutOfTime

    monkeypatch.setattr(search, "nearest_lists", endless)
    report = check_tool_calls(TOOLS, [{"name": "nothing of this name", "arguments": {}}])
    assert (report.determination, report.proven, report.planner_response.status) == (False, False, "time limit")
    assert len(report.failures) == 1
    assert report.reason.endswith("; the time limit was met before a repaired list was found")


def test_an_argument_is_the_result_of_a_tool_that_is_to_be_called_where_that_costs_less_than_a_question() -> None:
    """Faults were mended before the tools that are goals were called: a question of 5, and called proven."""
    calls: Calls = [{"name": "book", "arguments": {"place": "x", "amount": "$c.city$"}, "label": "c"}]
    report = check_tool_calls(TOOLS, calls, goals=["near"])
    assert report.proven and report.repaired_calls is not None
    called, booked = report.repaired_calls
    assert (called["name"], called["arguments"]) == ("near", {"place": "x"})
    assert booked["arguments"] == {"place": "x", "amount": f"${called['label']}.amount$"}


@pytest.mark.parametrize("until", range(1, 20))
def test_of_lists_that_were_left_out_for_want_of_time_nothing_is_proven(
    until: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What came when it was late was left out, and a dearer list that was found in haste was called the nearest."""
    calls: Calls = [{"name": "book", "arguments": {"place": "x", "amount": 7}, "label": "a"}]
    tools, looks = read_tools(TOOLS), count()
    given = bound(read_list(calls), tools)
    whole = nearest_lists(given, tools, ["near"], float("inf"))
    monkeypatch.setattr(search, "monotonic", lambda: 0.0 if next(looks) < until else 90.0)
    found = nearest_lists(given, tools, ["near"], 100.0)
    assert found.lists and not (found.is_proven and found.lists[0].cost != whole.lists[0].cost)
    assert not found.is_all or len(found.lists) == len(whole.lists)
