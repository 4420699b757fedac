"""A batch from end to end: the records of a file that have no result yet, through workers, into the results."""

from __future__ import annotations

import sys
import time
from collections import Counter
from collections.abc import Callable, Container, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager
from itertools import chain, islice
from pathlib import Path
from typing import IO, TextIO, TypeVar

from validator.errors import InputError
from validator.grading.batch.records import BadRecord, Item, read_records
from validator.grading.batch.results import Ids, Results
from validator.grading.batch.runner import CHUNK_SIZE, Deliver, Task, run
from validator.grading.batch.worker import Settings, error_line, grade
from validator.records import dataclass, field
from validator.resources import cores
from validator.workers.pool import Workers, local_pool

# --- progress -------------------------------------------------------------------------------------


class Progress:
    """Shows how many records are done, and how fast; nothing where the stream is no terminal."""

    def __init__(self, stream: TextIO | None = None) -> None:
        self._stream = sys.stderr if stream is None else stream
        self._shows = self._stream.isatty()
        self._start = time.monotonic()
        self._records = 0

    def add(self, records: int) -> None:
        """Count what is done."""
        self._records += records
        if self._shows:
            rate = self._records / (time.monotonic() - self._start)
            self._stream.write(f"\r{self._records:,} records, {rate:,.1f}/s\033[K")
            self._stream.flush()

    def clear(self) -> None:
        """Take the line off the terminal."""
        if self._shows:
            self._stream.write("\r\033[K")
            self._stream.flush()


# --- a batch --------------------------------------------------------------------------------------


Write = Callable[[Iterable[str]], None]
_T = TypeVar("_T")


@dataclass(kw_only=True)
class Totals:
    """How many records a run found finished, how many it did, and how many of these by verdict."""

    skipped: int = 0
    done: int = 0
    verdicts: Counter[str] = field(default_factory=Counter)


def run_batch(
    file: IO[bytes],
    results: Results | Write,
    *,
    folder: Path,
    settings: Settings | None = None,
    workers: int | None = None,
    cluster: str | None = None,
    totals: Totals | None = None,
) -> Totals:
    """Check the records of an open JSONL file and write one result line for each.

    ``results`` is an open file of results, whose finished ids are skipped, or any function that takes lines.
    Paths in the records are relative to ``folder``. ``workers`` are processes of this machine (None: one for each
    core), ``cluster`` is the address of a Dask scheduler to be used in their place. ``totals`` are counted on, and so
    tell of a run that something ended how far it came. Raises WorkerError when workers
    cannot be had, OSError when the results cannot be written.
    """
    totals = totals or Totals()
    write, finished = (results.write, results.finished) if isinstance(results, Results) else (results, ())
    _run_records(
        read_records(file, folder),
        write,
        finished=finished,
        settings=settings or Settings(),
        workers=workers,
        cluster=cluster,
        totals=totals,
        task=grade,
    )
    return totals


def results_of(
    records: Iterable[Item | BadRecord],
    read: Callable[[str], tuple[str, _T]],
    *,
    results: Results | None,
    settings: object,
    workers: int | None,
    cluster: str | None = None,
    task: Task = grade,
    is_final: Callable[[_T], bool] = lambda found: True,
) -> dict[str, _T]:
    """Return what is ``read`` of each result, by id: those that a file has are taken over, the others are added to it.

    Of the file, only what is ``is_final`` is taken over. Without ``workers`` (0) records are worked on in this process,
    without limits. Raises InputError for a file with results of another form; other errors are as in ``run_batch``.
    """
    found: dict[str, _T] = {} if results is None else dict(_taken_over(results, read, is_final))

    def write(lines: Iterable[str]) -> None:
        kept = list(lines)
        if results is not None:
            results.write(kept)
        found.update(map(read, kept))

    _run_records(
        records,
        write,
        finished=found,
        settings=settings,
        workers=workers,
        cluster=cluster,
        totals=Totals(),
        task=task,
    )
    return found


def _taken_over(
    results: Results, read: Callable[[str], tuple[str, _T]], is_final: Callable[[_T], bool]
) -> Iterator[tuple[str, _T]]:
    for number, line in enumerate(results.lines(), 1):
        try:
            name, value = read(line)
        except (KeyError, TypeError, AttributeError, ValueError):
            message = f"line {number} is not a result of this command"
            raise InputError(message, source=str(results.path)) from None
        if is_final(value):
            yield name, value


def _run_records(
    records: Iterable[Item | BadRecord],
    write: Write,
    *,
    finished: Container[object],
    settings: object,
    workers: int | None,
    cluster: str | None,
    totals: Totals,
    task: Task,
) -> None:
    """Let a task work on the records that are not ``finished``; without any, no process is started."""
    shown = Progress()

    def deliver(done: Sequence[Item | BadRecord], lines: Sequence[str]) -> None:
        write(lines)
        totals.done += len(done)
        totals.verdicts.update(map(_verdict, lines))
        shown.add(len(done))

    def skip() -> None:
        totals.skipped += 1

    wanted = _open_records(records, finished, deliver, skip)
    try:
        first = list(islice(wanted, 1))
        if workers == 0:
            _work_here([*first, *wanted], settings, deliver, task)
        elif first or cluster is not None:
            with _workers(workers, cluster) as crew:
                run(chain(first, wanted), crew, settings, deliver, task, lambda: shown.add(0))
    finally:
        shown.clear()


def _work_here(waiting: list[Item], settings: object, deliver: Deliver, task: Task) -> None:
    while waiting:
        lines = task(waiting[:CHUNK_SIZE], settings)
        deliver(waiting[: len(lines)], lines)
        del waiting[: len(lines)]


def _workers(number: int | None, address: str | None) -> AbstractContextManager[Workers]:
    if address is None:
        return local_pool(number or cores())
    from validator.grading.batch.cluster import cluster

    return cluster(address)


def _open_records(
    records: Iterable[Item | BadRecord],
    finished: Container[object],
    deliver: Deliver,
    skip: Callable[[], None],
) -> Iterator[Item]:
    """Yield the records that are still to be checked; what is no record is delivered at once, as an error."""
    seen = Ids()
    for record in records:
        if not seen.add(record.id):
            record = BadRecord(
                line=record.line,
                id=f"line:{record.line}",
                message=f"the id {record.id!r} is that of an earlier record",
                tags=record.tags,
                size=record.size,
            )
        if record.id in finished:
            skip()
        elif isinstance(record, BadRecord):
            deliver((record,), (error_line(record, "record", record.message),))
        else:
            yield record


def _verdict(line: str) -> str:
    """Return the verdict of a result line, which stands near its beginning; others have none."""
    _, found, rest = line.partition('"verdict": "')
    return rest.partition('"')[0] if found else ""
