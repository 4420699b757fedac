"""The workers: as many that answer what needs no planner as there are that run planners, and who waits for them."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

from validator.grounding.processes.leftovers import Own, clear_abandoned
from validator.service.jobs.queue import FairQueue, Work
from validator.service.jobs.worker import CANCELLED, STOPPED, refusal
from validator.service.jobs.worker_process import Lane
from validator.service.problems import Problem, ProblemError
from validator.service.settings import Settings

__all__ = ["Pool"]

T = TypeVar("T")

_DIRECTORY = "plan-validator-service-"
_NICE = 10
"""Who runs planners leaves the processor to who answers at once."""

_RETURNS = 5
"""times that a request is handed back when no worker has a process and none can be started"""
_TERM = 5.0
"""seconds in which the processes are ended"""
_WATCH, _LOOK = 1.0, 0.02
"""seconds between two looks: whether a request is overdue; whether what ran is done, when the service ends"""

_NO_WORKER = Problem(
    kind="worker",
    status=503,
    title="No worker can be started",
    detail="worker processes end as soon as they are started; try again in 30 seconds",
    retry_after=30,
)


class Pool:
    """The workers of a service. It is made, started and closed in an event loop; the rest may come from any thread."""

    def __init__(self, settings: Settings) -> None:
        clear_abandoned(_DIRECTORY)
        self._own = Own.make(_DIRECTORY)
        self._loop = asyncio.get_running_loop()
        self.queues = {is_quick: FairQueue(settings.queue, settings.workers) for is_quick in (True, False)}
        self.lanes = [
            Lane(
                f"{kind}-{number}",
                settings,
                self.queues[is_quick],
                0 if is_quick else _NICE,
                directory=self.directory,
                later=self._to_planners,
                again=self._back,
            )
            for is_quick, kind in ((True, "check"), (False, "plan"))
            for number in range(settings.workers)
        ]

    def start(self) -> None:
        """Start the processes, without waiting for them."""
        for lane in self.lanes:
            lane.start()
        self._watching = self._loop.create_task(self._watch())

    @property
    def directory(self) -> Path:
        """Return where the workers have their files."""
        return self._own.path

    @property
    def is_ready(self) -> bool:
        """Return whether requests of both kinds can be answered."""
        return all(any(lane.is_ready for lane in self.lanes if lane.queue is queue) for queue in self.queues.values())

    @property
    def replaced(self) -> int:
        """Return how many processes took the place of another."""
        return sum(max(0, lane.starts - 1) for lane in self.lanes)

    @property
    def running(self) -> int:
        return sum(lane.work is not None for lane in self.lanes)

    def submit(self, work: Work, *, is_owed: bool = False) -> None:
        """Let a request be worked on. Raises ProblemError when too much waits."""
        queue = self.queues[work.is_quick]
        queue.put(work, is_owed=is_owed)
        self._soon(self._call, queue)

    def _to_planners(self, work: Work) -> None:
        """Hand a request to those who run planners."""
        work.is_quick = False
        try:
            self.submit(work)
        except ProblemError as error:
            work.finish(work, refusal(error.problem))

    def _back(self, work: Work) -> None:
        """Hand a request back that its worker could not be started for: another may take it, once it has started."""
        queue = self.queues[work.is_quick]
        work.returns += all(lane.is_failing for lane in self.lanes if lane.queue is queue)
        try:
            if work.returns > _RETURNS:
                raise ProblemError(_NO_WORKER)
            self.submit(work, is_owed=True)
        except ProblemError as error:
            work.finish(work, refusal(error.problem))

    def cancel(self, work: Work) -> None:
        """End a request, wherever it is; its planner ends with the worker."""
        work.is_cancelled = True
        if any(queue.remove(work) for queue in self.queues.values()):
            work.finish(work, CANCELLED)
        else:
            self._soon(self._cut, work)

    async def close(self, grace: float) -> None:
        """Hand back what waits, give what runs some seconds to end, and end the processes."""
        for queue in self.queues.values():
            for work in queue.close():
                work.finish(work, STOPPED)
        until = self._loop.time() + grace
        while self.running and self._loop.time() < until:
            await asyncio.sleep(_LOOK)
        self._watching.cancel()
        await asyncio.wait([asyncio.create_task(lane.stop()) for lane in self.lanes], timeout=_TERM)
        await asyncio.to_thread(self._own.remove)

    # --- in the event loop ---------------------------------------------------------------------------

    def _soon(self, function: Callable[[T], None], given: T) -> None:
        """Call a function in the event loop: at once where that is here."""
        try:
            is_here = asyncio.get_running_loop() is self._loop
        except RuntimeError:
            is_here = False
        if is_here:
            function(given)
        elif not self._loop.is_closed():
            self._loop.call_soon_threadsafe(function, given)

    async def _watch(self) -> None:
        while True:
            await asyncio.sleep(_WATCH)
            for lane in self.lanes:
                lane.look()

    def _call(self, queue: FairQueue) -> None:
        """Let a worker that has nothing to do look at a queue."""
        for lane in self.lanes:
            if lane.queue is queue and lane.is_idle:
                lane.call()
                return

    def _cut(self, work: Work) -> None:
        for lane in self.lanes:
            if lane.work is work:  # one that takes it from now on sees that it is cancelled
                lane.cut(CANCELLED)
