"""Adherence: many calls, whole steps, texts; a law has the alignment beside brute force."""

from __future__ import annotations

import sys
import time

import pytest

from validator.adherence import adhere
from validator.adherence.text import adherence_text
from validator.adherence.values import Outcome
from validator.alarms import OutOfTime

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


# --- rows and reasons ----------------------------------------------------------------------------

CALLS = [
    {"name": "search", "arguments": {"to": "JFK"}},
    {"name": "book", "arguments": {"id": "NY101", "seats": 2}},
    {"name": "pay", "arguments": {"card": "visa"}},
]


def test_the_metrics_compare_whole_steps_of_the_execution_with_the_plan() -> None:
    result = adhere(["search(JFK)", "pay(amex)"], [*CALLS])
    scores = {name: score.value for name, score in result.metrics.items()}
    assert (scores["lcs"], scores["precision"], scores["recall"]) == (1 / 3, 1 / 3, 1 / 2)
    assert adhere(None, CALLS).metrics == {}


# --- text ----------------------------------------------------------------------------------------


def test_the_text_drives_no_terminal() -> None:
    result = adhere(["f"], [{"name": "f", "arguments": {"x": "\033[31mred\a"}}, {"name": "g\033[0m"}])
    assert "\033" not in adherence_text(result)
    assert "\a" not in adherence_text(result, color=True)
    assert "\033[31mred" not in adherence_text(result, color=True)


def test_where_the_time_is_over_before_calls_are_compared_that_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    def late(*given: object) -> None:
        raise OutOfTime

    monkeypatch.setattr(sys.modules["validator.adherence.adhere"], "align", late)
    found = adhere(["f"], [{"name": "f", "arguments": {}}], time_limit=1)
    assert found.outcome is Outcome.OUT_OF_TIME
    assert (found.score, len(found.calls)) == (None, 1)
    assert "time limit" in found.not_applicable
