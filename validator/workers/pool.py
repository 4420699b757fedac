"""Processes of this machine that work for others: one to an executor, each replaced where it ends or is ended."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from concurrent.futures import BrokenExecutor, Executor, ProcessPoolExecutor
from contextlib import contextmanager, suppress
from multiprocessing import get_context
from typing import Protocol

from validator.errors import WorkerError
from validator.workers.process import STARTS, begin


class Workers(Protocol):
    """Where work is done: here, or on a cluster."""

    def executors(self) -> list[Executor]:
        """Return one executor for each worker."""
        ...

    def replace(self, broken: Executor, error: BaseException) -> Executor:
        """Return an executor in place of one on which something failed. Raises WorkerError when all is lost."""
        ...

    def changes(self) -> tuple[frozenset[Executor], list[Executor]]:
        """Return the executors whose workers are gone without a word, and those of workers that came."""
        ...


class LocalPool:
    """Processes of this machine, one to an executor."""

    def __init__(self, size: int) -> None:
        self._live: list[Executor] = []
        self._size = size

    def executors(self) -> list[Executor]:
        """Start the processes and return their executors."""
        started = [self._start() for _ in range(self._size)]
        return [self._awake(executor) for executor in started]

    def replace(self, broken: Executor, error: BaseException) -> Executor:
        """Return a new worker for one that died; any other failure leaves the worker as it is."""
        if not isinstance(error, BrokenExecutor):
            return broken
        self._end(broken)
        return self._awake(self._start())

    def changes(self) -> tuple[frozenset[Executor], list[Executor]]:
        """Return nothing: the futures of a process that ends fail at once."""
        return frozenset(), []

    def _start(self) -> Executor:
        executor = _executor()
        executor.submit(os.getpid)
        self._live.append(executor)
        return executor

    def _end(self, broken: Executor) -> None:
        self._live.remove(broken)
        broken.shutdown(wait=False)

    def _awake(self, executor: Executor) -> Executor:
        """Wait until a worker works: one that cannot start must not look like one that its first work ended."""
        for attempt in range(STARTS):
            try:
                executor.submit(os.getpid).result()
                return executor
            except BrokenExecutor as error:
                self._end(executor)
                if attempt == STARTS - 1:
                    raise WorkerError(f"a worker process ends as soon as it is started: {error}") from error
                executor = self._start()
        raise AssertionError

    def restart(self, executor: Executor) -> Executor:
        """End a process at once, whatever it is at, and return another in its place."""
        _terminate(executor)
        self._end(executor)
        return self._awake(self._start())

    def close(self, *, kill: bool) -> None:
        """End the processes; ``kill`` does not wait for what they are at."""
        for executor in self._live:
            if kill:
                _terminate(executor)
            executor.shutdown(wait=True, cancel_futures=True)


def _terminate(executor: Executor) -> None:
    for child in list(getattr(executor, "_processes", None) or ()):
        with suppress(ProcessLookupError):
            os.kill(child, signal.SIGTERM)


@contextmanager
def local_pool(size: int) -> Iterator[LocalPool]:
    """Yield so many worker processes; they are ended at the end, at once where it is an error."""
    pool = LocalPool(size)
    try:
        yield pool
    except BaseException:
        pool.close(kill=True)
        raise
    pool.close(kill=False)


def _executor() -> ProcessPoolExecutor:
    # A process with threads is not to be forked.
    return ProcessPoolExecutor(1, mp_context=get_context("spawn"), initializer=begin)
