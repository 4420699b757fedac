"""Searches that take turns: each has its part of the processors, whenever it comes and whoever leaves."""

from __future__ import annotations

from contextlib import ExitStack

import pytest
from hypothesis import given
from hypothesis import strategies as st

from validator.grounding.processes import turns
from validator.grounding.processes.turns import Turns

PULSE = 0.02  # seconds between two questions of a search


class Clock:
    """A clock that goes on when it is told."""

    now = 0.0

    def monotonic(self) -> float:
        return self.now


def shares(weights: list[int], places: int, seconds: float) -> list[float]:
    """Return for how long each of several searches ran, which ask in turn whether they are to rest."""
    clock, ran = Clock(), [0.0] * len(weights)
    with pytest.MonkeyPatch.context() as patch, ExitStack() as stack:
        patch.setattr(turns, "time", clock)
        shared = Turns(lambda: places)
        parts = [stack.enter_context(shared.part(weight)) for weight in weights]
        while clock.now < seconds:
            for number, rests in enumerate(parts):
                ran[number] += 0.0 if rests() else PULSE
            clock.now += PULSE
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


def test_one_that_comes_later_begins_where_the_others_are_and_has_no_arrears(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = Clock()
    monkeypatch.setattr(turns, "time", clock)
    shared = Turns(lambda: 1)
    with shared.part(1) as first:
        while clock.now < 10:
            assert not first()
            clock.now += PULSE
        with shared.part(1) as second:
            ran = [0, 0]
            for _ in range(100):
                ran[0] += not first()
                ran[1] += not second()
                clock.now += PULSE
            assert ran[0] == pytest.approx(ran[1], abs=10)
        assert not first()


def test_places_that_are_gone_are_given_back(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(turns, "time", Clock())
    places = 2
    shared = Turns(lambda: places)
    with shared.part(1) as first, shared.part(1) as second:
        assert (first(), second()) == (False, False)
        places = 1
        assert (first(), second()) == (True, False)
        places = 2
        assert (first(), second()) == (False, False)
