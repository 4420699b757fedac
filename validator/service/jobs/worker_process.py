"""One worker: the process that answers, the line to it, and who gives it work, watches it, and replaces it."""

from __future__ import annotations

import asyncio
import socket
import time
from collections.abc import Callable, Coroutine
from contextlib import suppress
from multiprocessing import get_context
from multiprocessing.connection import Connection
from multiprocessing.context import SpawnProcess
from pathlib import Path

from validator.errors import WorkerError
from validator.grounding.processes.leftovers import clear
from validator.service.jobs.connection import Line
from validator.service.jobs.queue import FairQueue, Work
from validator.service.jobs.worker import CANCELLED, STOPPED, Answer, Later, News, refusal, serve
from validator.service.problems import Problem
from validator.service.settings import Settings

__all__ = ["Lane"]

_STARTS = 3
_START = 60.0
"""seconds that a process may take to start"""
_LATE = 1.2, 15.0
"""Factor and seconds beyond its limit after which a request that does not end by itself is ended."""
_DEATHS = 2
_PAUSE = 0.5
"""seconds in which a worker that could not be started takes nothing"""


class Lane:
    """A worker. What most requests take are three calls in the event loop: ``call``, ``_heard``, and its next.

    A thread or a task for each worker would cost as much for each request as half a check of a short plan.
    ``later`` takes a request that needs a planner after all, ``again`` one for which no process could be started;
    ``directory`` is where the workers have their files.
    """

    def __init__(
        self,
        name: str,
        settings: Settings,
        queue: FairQueue,
        niceness: int,
        *,
        directory: Path,
        later: Callable[[Work], None],
        again: Callable[[Work], None],
    ) -> None:
        self.name = name
        self.queue = queue
        self.work: Work | None = None
        self.starts = 0
        self.is_idle = False
        self.is_failing = False
        self._later = later
        self._again = again
        self._settings = settings
        self._niceness = niceness
        self._directory = directory / name
        self._process: SpawnProcess | None = None
        self._line: Line | None = None
        self._task: asyncio.Task[None] | None = None
        self._begun = 0.0
        self._cut: Answer | None = None
        self._is_stopping = False

    @property
    def is_ready(self) -> bool:
        return self._line is not None and not self._line.is_lost

    def start(self) -> None:
        """Start the process, without waiting for it."""
        self._do(self._revive(None))

    def call(self) -> None:
        """Take the next request, if there is one."""
        if self._is_stopping or self.work is not None:
            return
        work = self.queue.take()
        self.is_idle, self.work = work is None, work
        if work is not None and self.is_ready:
            self._give(work)
        elif work is not None:
            self._do(self._revive(work))

    def cut(self, answer: Answer) -> None:
        """End what is under way with an answer, and the process with it."""
        if self.work is not None and self._line is not None and not self._line.is_lost:
            self._cut = answer
            self._line.close()

    def look(self) -> None:
        """End what should have ended by itself."""
        if self.work is not None and self.is_ready:
            limit = self._limit(self.work)
            if time.monotonic() - self._begun > limit * _LATE[0] + _LATE[1]:
                self.cut(_overdue(limit))

    async def stop(self) -> None:
        """End the process, whatever it is at."""
        self._is_stopping = True
        work, self.work = self.work, None
        if self._task is not None:
            self._task.cancel()
        await self._end()
        if work is not None:
            work.finish(work, STOPPED)

    # --- one request -------------------------------------------------------------------------------

    def _give(self, work: Work) -> None:
        self._begun = time.monotonic()
        work.started(work)
        if self._line is not None:
            self._line.send(work.ask())

    def _heard(self, value: object) -> None:
        """Hear what a worker says of the request that it has."""
        work = self.work
        if work is None:
            return
        if isinstance(value, News):
            work.news(work, value.value)
        elif isinstance(value, Later):
            self.work = None
            work.spent = time.monotonic() - self._begun
            self.queue.took(work.spent)
            self._later(work)
            self.call()
        elif isinstance(value, Answer):
            self._finished(work, value)

    def _finished(self, work: Work, answer: Answer) -> None:
        self.work = None
        self.queue.took(time.monotonic() - self._begun)
        work.finish(work, answer)
        if answer.resident > self._settings.worker_memory or not self.is_ready:
            self._do(self._renewed())
        else:
            self.call()

    def _limit(self, work: Work) -> float:
        return self._settings.bounds.seconds(work.request.time_limit)

    # --- what is not answered at once --------------------------------------------------------------------

    def _do(self, what: Coroutine[None, None, None]) -> None:
        if self._is_stopping:
            what.close()
        else:
            self._task = asyncio.get_running_loop().create_task(what)
            self._task.add_done_callback(self._done)

    def _done(self, task: asyncio.Task[None]) -> None:
        """Go on after what should not happen, such as a system that has no thread left."""
        if task.cancelled() or (error := task.exception()) is None:
            return
        work, self.work = self.work, None
        if work is not None:
            said = str(error) or type(error).__name__
            work.finish(work, refusal(Problem(kind="worker", status=500, title="The worker failed", detail=said)))
        asyncio.get_running_loop().call_later(_PAUSE, self.call)

    def _lost(self) -> None:
        """Hear that the process is gone."""
        self.is_idle = False
        self._do(self._renewed() if self.work is None else self._buried(self.work))

    async def _buried(self, work: Work) -> None:
        """End a request whose worker is gone, or let another process try it."""
        await self._end()
        answer, self._cut = self._cut, None
        if answer is None:
            work.deaths += 1
            if work.deaths >= _DEATHS:
                said = f"{_DEATHS} worker processes died of this request"
                answer = refusal(Problem(kind="worker", status=500, title="The worker died", detail=said))
        if answer is not None:
            self._finished(work, answer)
        else:
            await self._revive(work)

    async def _renewed(self) -> None:
        await self._end()
        await self._revive(None)

    async def _revive(self, work: Work | None) -> None:
        """See that there is a process, and give it a request, or what waits."""
        try:
            await self._wake()
        except WorkerError:
            self.work, self.is_failing = None, True
            if work is not None:
                self._again(work)
                await asyncio.sleep(_PAUSE)  # others may take it first
            work = None
        if work is not None and work.is_cancelled:
            self._finished(work, CANCELLED)
        elif work is not None:
            self._give(work)
        else:
            self.call()

    # --- the process -------------------------------------------------------------------------------

    async def _wake(self) -> None:
        """See that there is a process that works, a new one if need be. Raises WorkerError when none can start."""
        for _ in range(_STARTS):
            if self.is_ready:
                return
            await self._end()
            with suppress(TimeoutError, OSError, RuntimeError, WorkerError):
                await self._start()
        if not self.is_ready:
            await self._end()
            raise WorkerError("a worker process ends as soon as it is started")

    async def _start(self) -> None:
        here, there = socket.socketpair()
        self._process = await asyncio.to_thread(self._spawned, Connection(there.detach()))
        told = asyncio.Event()
        line = Line(lambda _: told.set(), told.set)
        await asyncio.get_running_loop().connect_accepted_socket(lambda: line, here)
        try:
            await asyncio.wait_for(told.wait(), _START)
        finally:
            line.heard, line.lost = self._heard, self._lost
            if not told.is_set():
                line.close()
        self._line = line
        self.starts += not line.is_lost
        self.is_failing = line.is_lost

    def _spawned(self, there: Connection) -> SpawnProcess:
        self._directory.mkdir(parents=True, exist_ok=True)
        arguments = (there, str(self._directory), self._settings.bounds, self._niceness)
        context = get_context("spawn")  # a process with threads is not to be forked
        process = context.Process(target=serve, args=arguments, name=f"plan-validator {self.name}", daemon=True)
        with there:
            process.start()
        return process

    async def _end(self) -> None:
        """End the process and its planners, and remove their files."""
        line, self._line = self._line, None
        process, self._process = self._process, None
        if line is not None:
            line.lost = lambda: None
            line.close()
        await asyncio.to_thread(self._cleared, process)

    def _cleared(self, process: SpawnProcess | None) -> None:
        if process is not None:
            process.kill()
            process.join()
            process.close()
        clear(self._directory)


def _overdue(limit: float) -> Answer:
    said = f"no answer within {limit:g} seconds, and the worker had to be ended"
    return refusal(Problem(kind="time-limit", status=503, title="The time limit was met", detail=said))
