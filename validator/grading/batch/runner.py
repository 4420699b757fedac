"""The run: records in, results out, through workers that may die. No record is lost and none is done twice.

The records of a model go to the worker that has the model; a worker with nothing to do takes over records of others. A
bounded number of records is held at a time, so that memory does not grow with their number.
"""

from __future__ import annotations

from collections import OrderedDict, deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import CancelledError, Executor, Future
from queue import Empty, SimpleQueue
from typing import Any, TypeAlias

from validator.errors import WorkerError
from validator.grading.batch.records import LONGEST_LINE, Item
from validator.grading.batch.worker import Lines, error_line
from validator.records import dataclass, field
from validator.workers.pool import Workers

Task: TypeAlias = Callable[[Sequence[Any], Any], Lines]
Deliver: TypeAlias = Callable[[Sequence[Any], Sequence[str]], None]

_HELD = 4096
_AHEAD = 2  # chunks given to a worker at a time: one that it works on, one that waits there
CHUNK_SIZE = 64  # results of more at a time leave holes in the memory of the run


@dataclass(eq=False, slots=True, kw_only=True)
class _Chunk:
    """Records that are at a worker; ``alone`` is one at which no other can have ended the worker."""

    records: tuple[Item, ...]
    executor: Executor
    alone: bool
    future: Future[Lines] | None = None


@dataclass(eq=False, slots=True)
class _Lane:
    """One worker: what is at it, and the model that it has."""

    executor: Executor
    key: str = ""
    running: list[_Chunk] = field(default_factory=list)


def run(
    records: Iterable[Item],
    workers: Workers,
    settings: object,
    deliver: Deliver,
    task: Task,
    tick: Callable[[], None] = lambda: None,
) -> None:
    """Work on all records and deliver each once with its result line, in the order in which they are done.

    A record during which two workers died, with no other record at them, is delivered as an error. ``tick`` is called
    twice a second at least. Raises WorkerError when no worker can be had any more.
    """
    _Run(iter(records), workers, settings, deliver, task).go(tick)


class _Run:
    """The state of one run."""

    def __init__(
        self, records: Iterator[Item], workers: Workers, settings: object, deliver: Deliver, task: Task
    ) -> None:
        self.records = records
        self.workers = workers
        self.settings = settings
        self.deliver = deliver
        self.task = task
        self.lanes = [_Lane(executor) for executor in workers.executors()]
        self.waiting: OrderedDict[str, deque[Item]] = OrderedDict()
        self.suspects: deque[Item] = deque()  # each may have ended a worker, and is to be run alone
        self.died: set[str | int] = set()
        self.done: SimpleQueue[tuple[_Lane, _Chunk, Future[Lines]]] = SimpleQueue()
        self.held = self.held_bytes = 0
        self.exhausted = False

    def go(self, tick: Callable[[], None]) -> None:
        while True:
            self._fill()
            for lane in self.lanes:
                self._dispatch(lane)
            if not self.held:
                return
            self._collect(tick)

    # --- what waits --------------------------------------------------------------------------------

    def _fill(self) -> None:
        while not self.exhausted and self.held < _HELD and self.held_bytes < LONGEST_LINE:
            record = next(self.records, None)
            if record is None:
                self.exhausted = True
                return
            self.held += 1
            self.held_bytes += record.size
            self.waiting.setdefault(record.key, deque()).append(record)

    def _dispatch(self, lane: _Lane) -> None:
        while len(lane.running) < _AHEAD and not any(chunk.alone for chunk in lane.running):
            if self.suspects and not lane.running:
                self._submit(lane, (self.suspects.popleft(),), alone=True)
            elif self.waiting and not self.suspects:
                self._submit(lane, self._take(lane), alone=False)
            else:
                return

    def _take(self, lane: _Lane) -> tuple[Item, ...]:
        """Return the next records: of the worker's model, of one that no other has, or of that with most records."""
        others = {other.key for other in self.lanes if other is not lane and other.running}
        taken: list[Item] = []
        while self.waiting and len(taken) < CHUNK_SIZE:
            if lane.key not in self.waiting:
                free = next((key for key in self.waiting if key not in others), None)
                lane.key = max(self.waiting, key=lambda key: len(self.waiting[key])) if free is None else free
            records = self.waiting[lane.key]
            taken.append(records.popleft())
            if not records:
                del self.waiting[lane.key]
        return tuple(taken)

    def _submit(self, lane: _Lane, records: tuple[Item, ...], *, alone: bool) -> None:
        chunk = _Chunk(records=records, executor=lane.executor, alone=alone or len(records) == 1)
        lane.running.append(chunk)
        try:
            future = lane.executor.submit(self.task, records, self.settings)
        except RuntimeError as error:  # the worker died while it had nothing to do: no record is to blame
            lane.running.remove(chunk)
            lane.executor = self.workers.replace(lane.executor, error)
            self._return(records, alone)
            return
        chunk.future = future
        future.add_done_callback(lambda future: self.done.put((lane, chunk, future)))

    def _return(self, records: Sequence[Item], alone: bool) -> None:
        for record in reversed(records):
            (self.suspects if alone else self.waiting.setdefault(record.key, deque())).appendleft(record)

    # --- what is done ------------------------------------------------------------------------------

    def _collect(self, tick: Callable[[], None]) -> None:
        self._look()
        try:
            lane, chunk, future = self.done.get(timeout=0.5)
        except Empty:
            tick()
            return
        if chunk not in lane.running:  # its worker was given up, and the records are done elsewhere
            return
        lane.running.remove(chunk)
        chunk.future = None  # which knows the chunk: the two would keep each other, with the results, for long
        error = CancelledError() if future.cancelled() else future.exception()
        if error is None:
            lines = future.result()
            number = len(lines)
            self._finish(chunk.records[:number], lines)
            self._return(chunk.records[number:], chunk.alone)
        else:
            is_first = chunk.executor is lane.executor
            if is_first:
                lane.executor = self.workers.replace(lane.executor, error)
            self._lost(chunk, error, is_first=is_first)
        tick()

    def _finish(self, records: Sequence[Item], lines: Sequence[str]) -> None:
        self.deliver(records, lines)
        self.held -= len(records)
        self.held_bytes -= sum(record.size for record in records)

    def _lost(self, chunk: _Chunk, error: BaseException, *, is_first: bool) -> None:
        """Run the records of a worker that died again: those that it was at one by one, the others as they were."""
        if not is_first:
            self._return(chunk.records, alone=False)
            return
        if not chunk.alone:
            self.suspects.extend(chunk.records)
            return
        [record] = chunk.records
        if record.id not in self.died:
            self.died.add(record.id)
            self.suspects.append(record)
            return
        self._finish((record,), (error_line(record, "worker", f"two workers died of this record: {error}"),))

    def _look(self) -> None:
        """Take in workers that came, and give up those that are gone, with what was at them."""
        gone, came = self.workers.changes()
        if not gone and not came:
            return
        self.lanes += [_Lane(executor) for executor in came]
        lost = [lane for lane in self.lanes if lane.executor in gone]
        left = [lane for lane in self.lanes if lane.executor not in gone]
        self.lanes = left or [_Lane(executor) for executor in self.workers.executors()]
        for lane in lost:
            chunks, lane.running = lane.running, []
            for place, chunk in enumerate(chunks):
                if chunk.future is not None:
                    chunk.future.cancel()
                self._lost(chunk, WorkerError("it is gone"), is_first=place == 0)
