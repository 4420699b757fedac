"""The workers: each a process and the thread that gives it work, watches it, and replaces it."""

from __future__ import annotations

import threading
import time
from contextlib import suppress
from multiprocessing import get_context
from multiprocessing.connection import Connection
from multiprocessing.context import SpawnProcess
from pathlib import Path
from selectors import EVENT_READ, PollSelector

from validator.errors import WorkerError
from validator.grounding.leftovers import Own, clear, clear_abandoned
from validator.service.jobs.queue import FairQueue, Work
from validator.service.jobs.worker import Answer, Later, News, refusal, serve
from validator.service.problems import Problem, ProblemError
from validator.service.settings import Settings

__all__ = ["CANCELLED", "STOPPED", "Pool"]

_DIRECTORY = "plan-validator-service-"
_STARTS = 3
_START = 60.0
"""seconds that a process may take to start"""
_LATE = 1.2, 15.0
"""Factor and seconds beyond its limit after which a request that does not end by itself is ended."""
_DEATHS = 2
_NICE = 10
"""Who runs planners leaves the processor to who answers at once."""

_RETURNS = 5
"""times that a request is handed back when no process can be started for it"""
_PAUSE = 0.5
"""seconds in which a worker that could not be started takes nothing"""

_NO_WORKER = Problem(
    kind="worker",
    status=503,
    title="No worker can be started",
    detail="worker processes end as soon as they are started; try again in 30 seconds",
    retry_after=30,
)
CANCELLED = refusal(Problem(kind="cancelled", status=409, title="The job was cancelled"))
STOPPED = refusal(Problem(kind="interrupted", status=503, title="The service was stopped before the job was done"))


class Pool:
    """The workers of a service: as many that answer what needs no planner as there are that run planners."""

    def __init__(self, settings: Settings) -> None:
        clear_abandoned(_DIRECTORY)
        self._own = Own.make(_DIRECTORY)
        self.queues = {is_quick: FairQueue(settings.queue, settings.workers) for is_quick in (True, False)}
        self.lanes = [
            _Lane(self, f"{kind}-{number}", settings, self.queues[is_quick], 0 if is_quick else _NICE)
            for is_quick, kind in ((True, "check"), (False, "plan"))
            for number in range(settings.workers)
        ]

    def start(self) -> None:
        """Start the processes, without waiting for them."""
        for lane in self.lanes:
            lane.start()

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
        self.queues[work.is_quick].put(work, is_owed=is_owed)

    def later(self, work: Work) -> None:
        """Hand a request to those who run planners."""
        work.is_quick = False
        try:
            self.submit(work)
        except ProblemError as error:
            work.finish(work, refusal(error.problem))

    def again(self, work: Work) -> None:
        """Hand a request back that its worker could not be started for: another may take it."""
        work.returns += 1
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
            return
        for lane in self.lanes:
            if lane.work is work:  # one that takes it from now on sees that it is cancelled
                lane.ring()

    def close(self, grace: float) -> None:
        """Hand back what waits, give what runs some seconds to end, and end the processes."""
        for queue in self.queues.values():
            for work in queue.close():
                work.finish(work, STOPPED)
        deadline = time.monotonic() + grace
        for lane in self.lanes:
            lane.join(max(0.0, deadline - time.monotonic()))
        for lane in self.lanes:
            lane.stop()
        for lane in self.lanes:
            lane.join(5.0)
        self._own.remove()


class _Lane(threading.Thread):
    """One worker: a thread that takes requests and a process that answers them."""

    def __init__(self, pool: Pool, name: str, settings: Settings, queue: FairQueue, niceness: int) -> None:
        super().__init__(name=name, daemon=True)
        self.queue = queue
        self.work: Work | None = None
        self.starts = 0
        self._pool = pool
        self._settings = settings
        self._niceness = niceness
        self._stopping = threading.Event()
        self._bell, self._hand = get_context("spawn").Pipe(duplex=False)
        self._directory = pool.directory / name
        self._process: SpawnProcess | None = None
        self._pipe: Connection | None = None
        self._watched = PollSelector()

    @property
    def is_ready(self) -> bool:
        return self._pipe is not None

    def ring(self) -> None:
        """Let the thread look whether its work is cancelled."""
        self._hand.send_bytes(b"!")

    def stop(self) -> None:
        """End the process, whatever it is at."""
        self._stopping.set()
        self.ring()

    def run(self) -> None:
        with suppress(WorkerError):
            self._wake()
        while (work := self.queue.take()) is not None:
            self.work = work
            start = time.monotonic()
            try:
                answer = self._answer(work)
            except WorkerError:
                self._end()
                self.work = None
                self._pool.again(work)
                self._stopping.wait(_PAUSE)  # others may take it first
                continue
            except Exception as error:
                self._end()
                answer = refusal(Problem(kind="worker", status=500, title="The worker failed", detail=str(error)))
            self.work = None
            self.queue.took(time.monotonic() - start)
            if answer is not None:
                work.finish(work, answer)
                if answer.resident > self._settings.worker_memory:
                    self._end()
                    with suppress(WorkerError):
                        self._wake()
        self._end()

    # --- one request -------------------------------------------------------------------------------

    def _answer(self, work: Work) -> Answer | None:
        """Return the answer, or None for a request that was handed on."""
        while True:
            if work.is_cancelled:
                return CANCELLED
            pipe = self._wake()
            try:
                pipe.send(work.ask())
            except OSError:  # it died while it had nothing to do
                self._end()
                work.returns += 1
                if work.returns > _RETURNS:
                    return refusal(_NO_WORKER)
                continue
            work.started(work)
            try:
                reply = self._listen(work, pipe)
            except (EOFError, OSError):
                reply = None
            if isinstance(reply, Later):
                self._pool.later(work)
                return None
            if reply is not None:
                return reply
            self._end()
            work.deaths += 1
            if work.deaths >= _DEATHS:
                said = f"{_DEATHS} worker processes died of this request"
                return refusal(Problem(kind="worker", status=500, title="The worker died", detail=said))

    def _listen(self, work: Work, pipe: Connection) -> Answer | Later | None:
        """Wait for the end of a request, pass on the news; None for a worker that died."""
        limit = self._settings.bounds.seconds(work.request.time_limit)
        deadline = time.monotonic() + limit * _LATE[0] + _LATE[1]
        while True:
            ready = [key.fileobj for key, _ in self._watched.select(deadline - time.monotonic())]
            if pipe in ready:
                reply = pipe.recv()
                if not isinstance(reply, News):
                    return reply  # type: ignore[no-any-return]
                work.news(work, reply.value)
            elif self._bell in ready:
                self._bell.recv_bytes()
                if work.is_cancelled or self._stopping.is_set():
                    self._end()
                    return CANCELLED if work.is_cancelled else STOPPED
            elif ready:
                return None
            elif time.monotonic() >= deadline:
                self._end()
                said = f"no answer within {limit:g} seconds, and the worker had to be ended"
                return refusal(Problem(kind="time-limit", status=503, title="The time limit was met", detail=said))

    # --- the process -------------------------------------------------------------------------------

    def _wake(self) -> Connection:
        """Return the pipe to a process that works, a new one if need be. Raises WorkerError when none can start."""
        for _ in range(_STARTS):
            if self._pipe is not None:
                return self._pipe
            self._end()
            try:
                self._start()
            except (EOFError, OSError, RuntimeError, WorkerError):
                self._end()
        if self._pipe is not None:
            return self._pipe
        raise WorkerError("a worker process ends as soon as it is started")

    def _start(self) -> None:
        context = get_context("spawn")  # a process with threads is not to be forked
        self._directory.mkdir(parents=True, exist_ok=True)
        here, there = context.Pipe()
        arguments = (there, str(self._directory), self._settings.bounds, self._niceness)
        process = context.Process(target=serve, args=arguments, name=f"plan-validator {self.name}", daemon=True)
        process.start()
        there.close()
        self._process = process
        if not here.poll(_START):
            raise WorkerError("a worker process does not start")
        here.recv()
        self._pipe = here
        self._watched = PollSelector()  # kept: to make one for each request costs as much as to pass the request on
        for source in (here, self._bell, process.sentinel):
            self._watched.register(source, EVENT_READ)
        self.starts += 1

    def _end(self) -> None:
        """End the process and its planners, and remove their files."""
        if self._pipe is not None:
            self._pipe.close()
            self._pipe = None
        if self._process is not None:
            self._process.kill()
            self._process.join()
            self._process.close()
            self._process = None
        clear(self._directory)
