"""Attacks on mended lists of tool calls: tools that have to be called, ids that no user says, limits met anywhere."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import count
from random import Random
from unittest.mock import patch

from benchmarks.attacks.kind import Kind, outcome
from tests.support.tool_lists import IDS, TOOLS, Box, Calls, cheapest, random_list, runs
from validator.flow import check_tool_calls
from validator.flow.tools.declared.specifications import read_tools
from validator.flow.tools.listed.calls import ToolCall, bound
from validator.flow.tools.mended import search
from validator.flow.tools.mended.search import Found, nearest_lists
from validator.reading.calls.lists import read_list

__all__ = ["KINDS"]

_MOST = 8
"""what edits cost at most that are tried"""

_STOP, _LATE, _DEADLINE = 90.0, 200.0, 100.0
"""on the clock of a search: later than it stops, later than its deadline, and the deadline"""


def _attack(seed: int) -> Iterator[str]:
    """Judge and mend a list with goals, and mend it again and again with limits that are met after so many looks."""
    draw, box = (
        Random(f"called {seed}"),
        (IDS, Box(TOOLS, ("$a.place$", "$b.amount$", "$c.city$", "$d.place$")))[seed % 2],
    )
    calls = random_list(draw, box)
    goals = draw.sample(sorted(box.inputs), draw.choice((0, 1, 1, 2)))
    report = check_tool_calls(box.tools, calls, goals=goals)
    told = (calls, goals, report.repaired_calls)
    assert report.determination is runs(calls, box, goals), told
    if report.determination:
        yield outcome(report.proven)
        return
    tools = read_tools(box.tools)
    given = bound(read_list(calls), tools)
    whole = nearest_lists(given, tools, goals, float("inf"))
    assert report.repaired_calls is None or runs(report.repaired_calls, box, goals), told
    assert not report.proven or whole.is_proven, told
    yield _compared(whole, calls, box, goals)
    for _ in range(4):
        with patch.object(search, "monotonic", _clock(int(2 ** draw.uniform(0, 9)), draw.choice((0, 20, 10_000)))):
            found = nearest_lists(given, tools, goals, _DEADLINE)
        if found.is_proven and whole.is_proven:
            assert found.lists[0].cost == whole.lists[0].cost, (told, found, whole)
        if found.is_all and whole.is_all:
            assert set(map(_shown, found.lists)) == set(map(_shown, whole.lists)), (told, found, whole)
        yield _compared(found, calls, box, goals)


def _clock(until: int, more: int) -> object:
    """Return a clock on which the search has to stop after so many looks, and its deadline is met after some more."""
    looks = count()

    def now() -> float:
        look = next(looks)
        return 0.0 if look < until + 2 else _STOP if look < until + more else _LATE

    return now


def _compared(found: Found, calls: Calls, box: Box, goals: Sequence[str]) -> str:
    for mended in found.lists:
        assert runs(_plain(mended.calls), box, goals), (calls, goals, mended)
    costs = {mended.cost for mended in found.lists}
    if found.is_proven:
        (cost,) = costs
        assert cheapest(calls, min(cost, _MOST), box, goals) is None, (calls, goals, found)
    return outcome(found.is_proven)


def _plain(calls: Sequence[ToolCall]) -> Calls:
    return [{"name": call.name, "arguments": dict(call.arguments), "label": call.label} for call in calls]


def _shown(mended: search.Mended) -> str:
    return str(_plain(mended.calls))


KINDS = (
    Kind(
        name="tool calls: goals, ids, limits",
        against="a second executor, all lists of nearer edits",
        attack=_attack,
        share=10,
    ),
)
