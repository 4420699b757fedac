"""Who has the processors while there is no plan yet."""

from __future__ import annotations

import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import nullcontext
from math import inf
from types import SimpleNamespace

import pytest

from validator.grounding.limits import Limits
from validator.repair.search.sharing import Sharing

LIMITS = Limits(deadline=inf, memory=2**31)


def race(*, with_goal: bool = True, is_joined: bool = False) -> tuple[Sharing, SimpleNamespace]:
    """Return who shares the processors of a race, and how that stands: without a plan."""
    task = SimpleNamespace(is_joined=is_joined)
    standing = SimpleNamespace(best=None, with_goal=with_goal, edit_task=task, is_done=lambda: False)
    return Sharing(standing), standing  # type: ignore[arg-type]


@pytest.fixture
def two(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("os.sched_getaffinity", lambda process: {0, 1})
    monkeypatch.setattr("validator.repair.search.sharing.Joined.suits", lambda task: task.is_joined)


def resting(shared: Sharing, spent: float, let_go_on: Callable[[], None]) -> bool:
    """Return whether the searches of this program rest until they are let go on."""
    with ThreadPoolExecutor() as pool:
        rest = pool.submit(shared.rest, spent, LIMITS)
        time.sleep(0.2)
        rests = not rest.done()
        let_go_on()
        rest.result(timeout=10)
    return rests


@pytest.mark.usefixtures("two")
def test_the_searches_of_this_program_have_a_processor_of_their_own() -> None:
    shared, _ = race()
    parts = [shared.turns.part(1), shared.turns.part(1)]
    assert [part.rests(0.0) for part in parts] == [False, False]
    with shared.own(LIMITS):
        assert sorted(part.rests(0.0) for part in parts) == [False, True]
    assert [part.rests(0.0) for part in parts] == [False, False]


@pytest.mark.usefixtures("two")
@pytest.mark.parametrize(("spent", "rests"), [(0.1, True), (0.9, False)])
def test_on_a_crowded_machine_they_rest_until_there_is_a_plan(spent: float, *, rests: bool) -> None:
    shared, standing = race()
    with shared.looking(), shared.own(LIMITS):
        shared._began = time.monotonic() - 1
        assert resting(shared, spent, lambda: setattr(standing, "best", object())) is rests


@pytest.mark.usefixtures("two")
@pytest.mark.parametrize("is_joined", [True, False])
def test_on_variables_joined_they_rest_when_an_answer_is_due(*, is_joined: bool) -> None:
    shared, standing = race(is_joined=is_joined)
    with shared.looking(), shared.own(LIMITS):
        shared._began = time.monotonic() - 3
        shared._due = time.monotonic() - 1
        assert resting(shared, 3.0, lambda: setattr(standing, "best", object())) is is_joined


@pytest.mark.usefixtures("two")
@pytest.mark.parametrize(("with_goal", "is_looking"), [(False, True), (True, False)])
def test_nobody_rests_for_an_answer_that_is_not_looked_for(
    *, with_goal: bool, is_looking: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    shared, _ = race(with_goal=with_goal)
    with shared.looking() if is_looking else nullcontext(), shared.own(LIMITS):
        shared._began = time.monotonic() - 1
        monkeypatch.setattr("time.sleep", pytest.fail)
        shared.rest(0.0, LIMITS)
