"""Searches that take turns: each has its part of the processors, whenever it comes and whoever leaves."""

from __future__ import annotations

import time
from contextlib import ExitStack

import pytest
from hypothesis import given
from hypothesis import strategies as st

from validator.grounding.processes.turns import Part, Turns

PULSE = 0.02  # seconds between two questions of a search


def run(parts: list[Part], ran: list[float], seconds: float) -> None:
    """Let searches run for so long by the clock; each that does not rest uses a processor of its own."""
    for _ in range(int(seconds / PULSE)):
        for number, part in enumerate(parts):
            ran[number] += 0.0 if part.rests(ran[number]) else PULSE


def shares(weights: list[int], places: int, seconds: float) -> list[float]:
    """Return for how long each of several searches ran."""
    turns, ran = Turns(lambda: places), [0.0] * len(weights)
    with ExitStack() as stack:
        run([stack.enter_context(turns.part(weight)) for weight in weights], ran, seconds)
    return ran


@given(st.lists(st.integers(1, 6), min_size=1, max_size=5))
def test_on_one_processor_each_has_the_part_that_its_weight_says(weights: list[int]) -> None:
    seconds = 60.0
    for ran, weight in zip(shares(weights, 1, seconds), weights, strict=True):
        assert ran == pytest.approx(seconds * weight / sum(weights), rel=0.15, abs=0.5)


@given(st.lists(st.integers(1, 6), min_size=1, max_size=5), st.integers(1, 5))
def test_no_processor_is_left_idle_for_long(weights: list[int], places: int) -> None:
    seconds = 10.0
    assert sum(shares(weights, places, seconds)) >= 0.75 * seconds * min(places, len(weights))


def test_one_that_comes_later_begins_where_the_others_are_and_has_no_arrears() -> None:
    turns, ran = Turns(lambda: 1), [0.0, 0.0]
    with turns.part(1) as first:
        run([first], ran, 10)
        with turns.part(1) as second:
            run([first, second], ran, 4)
            assert ran == pytest.approx([12, 2], abs=0.3)
        assert not first.rests(ran[0])


def test_a_search_that_a_busy_machine_does_not_let_run_is_not_charged_for_it() -> None:
    turns = Turns(lambda: 1)
    with turns.part(1) as first, turns.part(1) as second:
        assert not any(first.rests(0.0) for _ in range(100))
        assert all(second.rests(0.0) for _ in range(100))


def test_a_search_that_does_not_ask_is_not_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("validator.grounding.processes.turns._SILENCE", 0.05)
    turns = Turns(lambda: 1)
    with turns.part(1), turns.part(1) as first, turns.part(1) as second:
        assert first.rests(0.0)
        time.sleep(0.1)
        assert (first.rests(0.0), second.rests(0.0)) == (False, True)
        time.sleep(0.1)
        assert not second.rests(0.0)


def test_places_that_are_gone_are_given_back() -> None:
    places = 2
    turns = Turns(lambda: places)
    with turns.part(1) as first, turns.part(1) as second:
        assert (first.rests(0.0), second.rests(0.0)) == (False, False)
        places = 1
        assert (first.rests(0.0), second.rests(0.0)) == (True, False)
        places = 2
        assert (first.rests(0.0), second.rests(0.0)) == (False, False)
