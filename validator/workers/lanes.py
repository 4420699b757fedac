"""The processes of a server, each with a lane of its own: it takes a request, and the next one when it has answered.

As many answer what is quick as there are that may take long, such as those that run planners. A process that dies of a
request, stays away beyond its limit, or has grown, is replaced by another one.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Callable
from contextlib import suppress
from enum import StrEnum
from multiprocessing import Pipe, get_context
from multiprocessing.connection import Connection
from multiprocessing.context import SpawnProcess
from pathlib import Path
from typing import Any

from validator.errors import WorkerError
from validator.grounding.processes.leftovers import Own, clear, clear_abandoned
from validator.workers.process import STARTS, Answer, Done, News, serve
from validator.workers.queue import BusyError, FairQueue, Work

_DIRECTORY = "plan-validator-workers-"
_NICE = 10
"""Who may take long leaves the processor to who answers at once."""
_START = 60.0
"""seconds that the start of a process may take"""
_LARGEST = 2**30
"""bytes: a process that has more of them when it has answered is replaced"""
_LATE = 1.2, 15.0
"""Factor and seconds beyond its limit after which a request that does not end by itself is ended."""
_DEATHS = 2
_PAUSE = 0.5
"""seconds in which a lane without a process takes nothing"""
_TERM = 5.0
"""seconds in which the processes are ended"""
_WATCH, _LOOK = 1.0, 0.02
"""seconds between two looks: whether a request is overdue; whether what ran is done, when the server ends"""


class Unanswered(StrEnum):
    """Why a request has no answer."""

    CANCELLED = "it was cancelled"
    STOPPED = "the server was stopped before it was answered"
    OVERDUE = "there was no answer within its time limit, and the process had to be ended"
    DIED = f"{_DEATHS} processes died of it"
    FAILED = "the process failed"
    NO_PROCESS = "processes end as soon as they are started"


class Lanes:
    """The processes of a server; ``answer`` and ``prepare`` are functions of a module that they run.

    ``quick`` and ``slow`` are how many there are of each kind, ``most`` how many requests of each may wait. Those that
    are ``eager`` are started before there is a request. Made, started and used in one event loop.
    """

    def __init__(
        self,
        answer: Answer,
        prepare: Callable[[], object],
        *,
        quick: int,
        slow: int,
        most: int,
        eager: bool = False,
    ) -> None:
        clear_abandoned(_DIRECTORY)
        self._own = Own.make(_DIRECTORY)
        self.answer, self.prepare, self.eager = answer, prepare, eager
        self.has_quick = quick > 0
        self.queues = {True: FairQueue(most, quick), False: FairQueue(most, slow)}
        self.lanes = [
            Lane(f"{'quick' if is_quick else 'slow'}-{number}", self, is_quick=is_quick)
            for is_quick, size in ((True, quick), (False, slow))
            for number in range(size)
        ]
        self._tasks: list[asyncio.Task[None]] = []

    def start(self) -> None:
        """Begin to take requests."""
        self._loop = asyncio.get_running_loop()
        self._tasks = [self._loop.create_task(each) for each in (self._watch(), *(one.run() for one in self.lanes))]

    @property
    def directory(self) -> Path:
        """Return where the processes have their files."""
        return self._own.path

    @property
    def is_ready(self) -> bool:
        """Return whether requests of both kinds can be answered."""
        return {lane.is_quick for lane in self.lanes if lane.is_ready} == {lane.is_quick for lane in self.lanes}

    @property
    def replaced(self) -> int:
        """Return how many processes took the place of another."""
        return sum(max(0, lane.starts - 1) for lane in self.lanes)

    @property
    def running(self) -> int:
        return sum(lane.work is not None for lane in self.lanes)

    def submit(self, work: Work, *, is_owed: bool = False) -> None:
        """Let a request be worked on. Raises BusyError when too much waits."""
        self.queues[work.is_quick].put(work, is_owed=is_owed)

    def try_to_submit(self, work: Work, *, is_owed: bool = False) -> None:
        """Let a request be worked on; where that may not be, that is its answer."""
        try:
            self.submit(work, is_owed=is_owed)
        except BusyError as error:
            work.finish(work, Unanswered.STOPPED if error.is_closed else error)

    def cancel(self, work: Work) -> None:
        """End a request, wherever it is, with its planner; from any thread."""
        with suppress(RuntimeError):  # the loop has ended
            self._loop.call_soon_threadsafe(self._cancel, work)

    def _cancel(self, work: Work) -> None:
        work.is_cancelled = True  # as one that takes it from now on sees
        if any(queue.remove(work) for queue in self.queues.values()):
            work.finish(work, Unanswered.CANCELLED)
        for lane in self.lanes:
            if lane.work is work:
                lane.cut(Unanswered.CANCELLED)

    async def close(self, grace: float = 0.0) -> None:
        """Hand back what waits, give what runs some seconds to end, and end the processes."""
        for queue in self.queues.values():
            for work in queue.close():
                work.finish(work, Unanswered.STOPPED)
        until = time.monotonic() + grace
        while self.running and time.monotonic() < until:
            await asyncio.sleep(_LOOK)
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        await asyncio.wait([asyncio.create_task(lane.stop()) for lane in self.lanes], timeout=_TERM)
        await asyncio.to_thread(self._own.remove)

    async def _watch(self) -> None:
        while True:
            await asyncio.sleep(_WATCH)
            for lane in self.lanes:
                lane.look()


class Lane:
    """One process and the request that it has."""

    def __init__(self, name: str, lanes: Lanes, *, is_quick: bool) -> None:
        self.name, self.is_quick = name, is_quick
        self.work: Work | None = None
        self.starts = 0
        self.is_ready = False
        self._lanes = lanes
        self._starting = asyncio.Lock()
        self._process: SpawnProcess | None = None
        self._pipe: Connection | None = None
        self._reply: asyncio.Future[Any] | None = None
        self._begun = 0.0
        self._resident = 0
        self._cut: Unanswered | None = None
        self._waking: asyncio.Future[None] | None = None

    async def run(self) -> None:
        """Take one request after the other, until the task is cancelled."""
        while True:
            if self._lanes.eager:
                await self._try_to_wake()
            self.work = await self._lanes.queues[self.is_quick].take()
            await self._answer(self.work)

    def cut(self, why: Unanswered) -> None:
        """End what is under way, and the process with it."""
        if self.work is not None and self.is_ready and self._process is not None:
            self._cut = why
            self._process.kill()

    def look(self) -> None:
        """End what should have ended by itself."""
        factor, more = _LATE
        if self.work is not None and time.monotonic() - self._begun > self.work.seconds * factor + more:
            self.cut(Unanswered.OVERDUE)

    async def stop(self) -> None:
        """End the process, whatever it is at."""
        work, self.work = self.work, None
        await self._end()
        if work is not None:
            work.finish(work, Unanswered.STOPPED)

    # --- one request ---------------------------------------------------------------------------------

    async def _answer(self, work: Work) -> None:
        begun = time.monotonic()
        try:
            found = await self._found(work)
        except WorkerError:
            if any(lane.is_ready for lane in self._lanes.lanes if lane.is_quick is self.is_quick):
                self.work = None
                self._lanes.try_to_submit(work, is_owed=True)
                await asyncio.sleep(_PAUSE)  # in which another one takes it
                return
            found = Unanswered.NO_PROCESS
        except Exception:  # what should not happen, such as a system that has no thread left
            logging.getLogger(__name__).exception("a lane goes on after this")
            found = Unanswered.FAILED
        self.work = None
        spent = time.monotonic() - begun
        self._lanes.queues[self.is_quick].took(spent)
        if found is None:
            work.is_quick, work.spent = False, time.monotonic() - self._begun
            self._lanes.try_to_submit(work)
        else:
            work.finish(work, found)
        if self._resident > _LARGEST:
            await self._end()

    async def _found(self, work: Work) -> Any:
        """Return the answer of the process, or of another one where it died."""
        for _ in range(_DEATHS):
            await self._wake()
            if work.is_cancelled:
                return Unanswered.CANCELLED
            self._begun, self._cut = time.monotonic(), None
            work.started(work)
            reply = self._reply = asyncio.get_running_loop().create_future()
            with suppress(OSError):  # of which the end of the pipe tells
                self._pipe.send((work.request, work.is_quick, work.spent))  # type: ignore[union-attr]
            done = await reply
            if isinstance(done, Done):
                self._resident = done.resident
                return done.value
            await self._end()
            if self._cut is not None:
                return self._cut
        return Unanswered.DIED

    def _heard(self) -> None:
        """Hear what the process says; what comes is there as a whole, or is on its way."""
        try:
            value = self._pipe.recv()  # type: ignore[union-attr]
        except (EOFError, OSError):
            value = None
            self._lose()
        if isinstance(value, News) and self.is_ready:
            if self.work is not None:
                self.work.news(self.work, value.value)
        elif self._reply is not None and not self._reply.done():
            self._reply.set_result(value)
        elif value is None and self._lanes.eager:
            self._waking = asyncio.ensure_future(self._try_to_wake())

    # --- the process -----------------------------------------------------------------------------------

    async def _try_to_wake(self) -> None:
        with suppress(Exception):  # what fails again for a request is told to that one
            await self._wake()

    async def _wake(self) -> None:
        """See that there is a process that works, a new one if need be. Raises WorkerError when none can start."""
        async with self._starting:
            for _ in range(STARTS):
                if self.is_ready:
                    return
                await self._end()
                with suppress(TimeoutError, OSError, RuntimeError, WorkerError):
                    await self._start()
            if not self.is_ready:
                raise WorkerError(Unanswered.NO_PROCESS)

    async def _start(self) -> None:
        loop = asyncio.get_running_loop()
        self._pipe, there = Pipe()
        begun = self._reply = loop.create_future()
        loop.add_reader(self._pipe.fileno(), self._heard)
        self._process = await asyncio.to_thread(self._spawned, there)
        self.is_ready = await asyncio.wait_for(begun, _START) is not None
        self.starts += self.is_ready

    def _spawned(self, there: Connection) -> SpawnProcess:
        directory = self._lanes.directory / self.name
        directory.mkdir(parents=True, exist_ok=True)
        niceness = _NICE * (self._lanes.has_quick and not self.is_quick)
        arguments = (there, str(directory), niceness, self._lanes.answer, self._lanes.prepare)
        context = get_context("spawn")  # a process with threads is not to be forked
        process = context.Process(target=serve, args=arguments, name=f"plan-validator {self.name}", daemon=True)
        with there:
            process.start()
        return process

    def _lose(self) -> None:
        self.is_ready = False
        if self._pipe is not None:
            asyncio.get_running_loop().remove_reader(self._pipe.fileno())

    async def _end(self) -> None:
        """End the process and its planners, and remove their files."""
        self._lose()
        pipe, self._pipe = self._pipe, None
        process, self._process = self._process, None
        self._resident = 0
        if pipe is not None:
            pipe.close()
        await asyncio.to_thread(_ended, process, self._lanes.directory / self.name)


def _ended(process: SpawnProcess | None, directory: Path) -> None:
    if process is not None:
        process.kill()
        process.join()
        process.close()
    clear(directory)
