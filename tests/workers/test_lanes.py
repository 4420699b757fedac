"""Lanes of a server: what becomes of a request whose process dies, is slow, or is not wanted any more; who is next."""

from __future__ import annotations

import asyncio
import os
import signal
import time
from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from validator.workers import lanes as module
from validator.workers.lanes import Lanes, Unanswered
from validator.workers.process import Tell
from validator.workers.queue import BusyError, FairQueue, Work


def answer(request: str, is_quick: bool, spent: float, tell: Tell) -> object:
    if request == "dies":
        os.kill(os.getpid(), signal.SIGKILL)
    if request == "sleeps":
        tell({"is": "asleep"})
        time.sleep(600)
    if request == "later":
        return None if is_quick else spent
    return request


def prepare() -> None:
    pass


def asked(request: str, seconds: float = 600.0, *, is_quick: bool = True) -> tuple[Work, asyncio.Future[Any]]:
    found = asyncio.get_running_loop().create_future()
    work = Work(
        request=request,
        seconds=seconds,
        client="",
        is_quick=is_quick,
        finish=lambda _, value: found.set_result(value),
        news=lambda work, value: setattr(work, "client", value["is"]) if value else None,
    )
    return work, found


def run(test: Callable[[Lanes], Awaitable[None]]) -> None:
    async def whole() -> None:
        lanes = Lanes(answer, prepare, quick=1, slow=1, most=9)
        lanes.start()
        try:
            await asyncio.wait_for(test(lanes), 60)
        finally:
            await lanes.close()
        assert not lanes.directory.exists()

    asyncio.run(whole())


def test_whatever_a_process_does_the_request_ends_and_the_next_is_answered(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_LATE", (1.0, 0.1))
    monkeypatch.setattr(module, "_WATCH", 0.05)

    async def test(lanes: Lanes) -> None:
        for request, seconds, wanted in (
            ("hello", 600.0, "hello"),
            ("dies", 600.0, Unanswered.DIED),
            ("sleeps", 0.1, Unanswered.OVERDUE),
            ("hello", 600.0, "hello"),
        ):
            work, found = asked(request, seconds)
            lanes.submit(work)
            assert await found == wanted, request
        assert lanes.replaced == 3
        work, found = asked("later")
        lanes.submit(work)
        assert 0.0 < await found == work.spent  # what the quick process had of its limit

    run(test)


def test_what_is_cancelled_ends_wherever_it_is_and_so_does_all_at_the_end() -> None:
    left: list[asyncio.Future[Any]] = []

    async def test(lanes: Lanes) -> None:
        running, waiting, last = asked("sleeps"), asked("hello"), asked("hello")
        for work, _ in (running, waiting, last):
            lanes.submit(work)
        while running[0].client != "asleep":
            await asyncio.sleep(0.01)
        for work, found in (waiting, running):
            lanes.cancel(work)
            assert await found == Unanswered.CANCELLED
        assert await last[1] == "hello"
        for _ in range(2):
            work, found = asked("sleeps")
            lanes.submit(work)
            left.append(found)

    run(test)
    assert [found.result() for found in left] == [Unanswered.STOPPED] * 2


def test_clients_take_turns() -> None:
    def work(client: str) -> Work:
        return Work(request="", seconds=1.0, client=client, is_quick=False, finish=lambda *_: None)

    async def test() -> None:
        queue = FairQueue(8, 1)
        for client in ("a", "a", "a", "b", "c"):
            queue.put(work(client))
        assert [(await queue.take()).client for _ in range(5)] == ["a", "b", "c", "a", "a"]
        for client in "aaaabbbb":
            queue.put(work(client))
        for client, is_own in (("c", False), ("a", False)):
            with pytest.raises(BusyError) as error:
                queue.put(work(client))
            assert (error.value.is_own, error.value.seconds) == (is_own, 1)
        for _ in range(4):
            await queue.take()
        for client in "aa":
            queue.put(work(client))
        with pytest.raises(BusyError) as error:
            queue.put(work("a"))
        assert error.value.is_own
        queue.put(work("c"), is_owed=True)
        assert len(queue.close()) == 7
        with pytest.raises(BusyError):
            queue.put(work("a"), is_owed=True)

    asyncio.run(test())
