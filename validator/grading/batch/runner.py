"""The run: records in, results out, through workers that may die. No record is lost and none is done twice.

The records of a model go to the worker that has the model; a worker with nothing to do takes over a half of what waits
for another. A bounded number of records is held at a time, so that memory does not grow with their number.
"""

from __future__ import annotations

from collections import OrderedDict, deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import CancelledError, Executor, Future
from itertools import islice
from queue import Empty, SimpleQueue
from typing import Any, TypeAlias

from validator.errors import WorkerError
from validator.grading.batch.records import Item
from validator.grading.batch.worker import Work, error_line
from validator.records import dataclass, field
from validator.workers.pool import Workers

Task: TypeAlias = Callable[[Sequence[Any], Any], Work]
Deliver: TypeAlias = Callable[[Sequence[Any], Sequence[str]], None]

_HELD = 4096
_HELD_BYTES = 64 * 2**20
_AHEAD = 2  # chunks given to a worker at a time: one that it works on, one that waits there
_MOST = 64  # results of more at a time leave holes in the memory of the run
_CHUNK_BYTES = 4 * 2**20
_CHUNK_SECONDS = 0.25
_REMEMBERED = 10_000
_DEATHS = 2


@dataclass(eq=False, slots=True, kw_only=True)
class _Chunk:
    """Records that are at a worker."""

    records: tuple[Item, ...]
    executor: Executor
    alone: bool
    future: Future[Work] | None = None


@dataclass(eq=False, slots=True)
class _Lane:
    """One worker: what waits for it by model, what is at it, and the suspects, each to be run alone."""

    executor: Executor
    waiting: OrderedDict[str, deque[Item]] = field(default_factory=OrderedDict)
    number: int = 0
    suspects: deque[Item] = field(default_factory=deque)
    running: list[_Chunk] = field(default_factory=list)
    is_gone: bool = False

    def put(self, record: Item) -> None:
        self.waiting.setdefault(record.key, deque()).append(record)
        self.number += 1

    def take(self, most: int) -> tuple[Item, ...]:
        """Return the next records, model by model."""
        taken: list[Item] = []
        size = 0
        while self.waiting and len(taken) < most and size < _CHUNK_BYTES:
            key, records = next(iter(self.waiting.items()))
            while records and len(taken) < most and size < _CHUNK_BYTES:
                taken.append(records.popleft())
                size += taken[-1].size
            if not records:
                del self.waiting[key]
        self.number -= len(taken)
        return tuple(taken)

    def give(self, other: _Lane) -> None:
        """Hand half of what waits to another worker: whole models from the end, or the half of the only one."""
        wanted = (self.number + 1) // 2
        while wanted > 0:
            key, records = next(reversed(self.waiting.items()))
            moved = list(islice(reversed(records), wanted))
            for _ in moved:
                records.pop()
            if not records:
                del self.waiting[key]
            self.number -= len(moved)
            wanted -= len(moved)
            for record in reversed(moved):
                other.put(record)


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
        self.done: SimpleQueue[tuple[_Lane, _Chunk, Future[Work]]] = SimpleQueue()
        self.homes: OrderedDict[str, _Lane] = OrderedDict()
        self.deaths: dict[int, int] = {}
        self.held = self.held_bytes = 0
        self.exhausted = False
        self.seconds = _CHUNK_SECONDS  # of a record, as far as is known

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
        while not self.exhausted and self.held < _HELD and self.held_bytes < _HELD_BYTES:
            record = next(self.records, None)
            if record is None:
                self.exhausted = True
                return
            self.held += 1
            self.held_bytes += record.size
            self._home(record).put(record)

    def _home(self, record: Item) -> _Lane:
        """Return the worker that has the model, or the one that has least to do."""
        lane = self.homes.get(record.key)
        if lane is None or lane.is_gone:
            lane = self.homes[record.key] = min(self.lanes, key=lambda lane: lane.number)
            if len(self.homes) > _REMEMBERED:
                self.homes.popitem(last=False)
        return lane

    def _dispatch(self, lane: _Lane) -> None:
        if lane.suspects:
            if not lane.running:
                self._submit(lane, (lane.suspects.popleft(),), alone=True)
            return
        while len(lane.running) < _AHEAD and not any(chunk.alone for chunk in lane.running):
            if not lane.number and not self._relieve(lane):
                return
            most = max(1, min(_MOST, int(_CHUNK_SECONDS / max(self.seconds, 1e-6))))
            self._submit(lane, lane.take(most), alone=False)

    def _relieve(self, lane: _Lane) -> bool:
        """Take over a half from who has most waiting, and return whether there was any."""
        busiest = max(self.lanes, key=lambda other: other.number)
        if lane.running or not busiest.number:
            return False
        busiest.give(lane)
        return True

    def _submit(self, lane: _Lane, records: tuple[Item, ...], *, alone: bool) -> None:
        chunk = _Chunk(records=records, executor=lane.executor, alone=alone or len(records) == 1)
        lane.running.append(chunk)
        try:
            future = lane.executor.submit(self.task, records, self.settings)
        except RuntimeError as error:  # the worker died while it had nothing to do: no record is to blame
            lane.running.remove(chunk)
            lane.executor = self.workers.replace(lane.executor, error)
            self._return(lane, records, alone)
            return
        chunk.future = future
        future.add_done_callback(lambda future: self.done.put((lane, chunk, future)))

    def _return(self, lane: _Lane, records: Sequence[Item], alone: bool) -> None:
        if alone:
            lane.suspects.extendleft(reversed(records))
        else:
            for record in records:
                lane.put(record)

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
            work = future.result()
            number = len(work.lines)
            self.seconds += 0.5 * (work.seconds / number - self.seconds)
            self._finish(chunk.records[:number], work.lines)
            self._return(lane, chunk.records[number:], chunk.alone)
        else:
            self._failed(lane, chunk, error)
        tick()

    def _finish(self, records: Sequence[Item], lines: Sequence[str]) -> None:
        self.deliver(records, lines)
        self.held -= len(records)
        self.held_bytes -= sum(record.size for record in records)

    def _failed(self, lane: _Lane, chunk: _Chunk, error: BaseException) -> None:
        """Run the records of a worker that died again: those that it was at one by one, the others as they were."""
        is_first = chunk.executor is lane.executor
        if is_first:
            lane.executor = self.workers.replace(lane.executor, error)
        if not is_first and not chunk.alone:
            self._return(lane, chunk.records, alone=False)
        elif not chunk.alone:
            self._elsewhere(lane).suspects.extend(chunk.records)
        else:
            self._blame(lane, chunk.records[0], error)

    def _blame(self, lane: _Lane, record: Item, error: BaseException) -> None:
        self.deaths[record.line] = self.deaths.get(record.line, 0) + 1
        if self.deaths[record.line] < _DEATHS:
            self._elsewhere(lane).suspects.append(record)
            return
        del self.deaths[record.line]
        self._finish((record,), (error_line(record, "worker", f"two workers died of this record: {error}"),))

    def _look(self) -> None:
        """Take in workers that came, and give up those that are gone, with what was at them."""
        gone, came = self.workers.changes()
        if not gone and not came:
            return
        self.lanes += [_Lane(executor) for executor in came]
        left = [lane for lane in self.lanes if lane.executor not in gone]
        lost = [lane for lane in self.lanes if lane.executor in gone]
        self.lanes = left or [_Lane(executor) for executor in self.workers.executors()]
        for lane in lost:
            lane.is_gone = True
            self._abandon(lane)

    def _abandon(self, lane: _Lane) -> None:
        """Hand everything of a worker that is gone to others; what it was at is suspect, what waited there is not."""
        chunks, lane.running = lane.running, []
        for place, chunk in enumerate(chunks):
            if chunk.future is not None:
                chunk.future.cancel()
            if place == 0 and chunk.alone:
                self._blame(lane, chunk.records[0], WorkerError("it is gone"))
            elif place == 0:
                self._elsewhere(lane).suspects.extend(chunk.records)
            else:
                self._return(self._elsewhere(lane), chunk.records, chunk.alone)
        for record in lane.suspects:
            self._elsewhere(lane).suspects.append(record)
        for records in lane.waiting.values():
            for record in records:
                self._home(record).put(record)

    def _elsewhere(self, lane: _Lane) -> _Lane:
        """Return another worker where there is one, the one with fewest suspects."""
        others = [other for other in self.lanes if other is not lane] or [lane]
        return min(others, key=lambda other: len(other.suspects))
