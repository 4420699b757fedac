"""Workers on this machine: processes, one executor each, and the limits of a record inside them."""

from __future__ import annotations

import _thread
import gc
import os
import resource
import signal
import threading
import time
from collections.abc import Iterator
from concurrent.futures import BrokenExecutor, Executor, ProcessPoolExecutor
from contextlib import contextmanager, suppress
from multiprocessing import connection, get_context, parent_process
from typing import Protocol

from validator.alarms import alarm
from validator.checking.limits import until_told
from validator.errors import WorkerError
from validator.resources import UNLOADED

# --- the limits of one record ---------------------------------------------------------------------


_PAGE = resource.getpagesize()
_STUCK = 3.0, 30.0
"""Factor and CPU seconds after which a process that no exception reaches is ended by the system."""
_LONGEST = 1e9  # seconds: what a timer of the system takes


@contextmanager
def guard(seconds: float, memory: int, *, is_exact: bool = False) -> Iterator[alarm]:
    """Limit what happens inside to some seconds (OutOfTime) and bytes on top of those in use (MemoryError).

    A check ends itself at the limit and says how far it came; only where it has not told that by ``until_told`` is it
    cut off. What ``is_exact`` is cut off at the limit. The alarm says whether it was.

    Works in the main thread of a process, as workers of a pool are; in any other thread only a process that is stuck
    for good is ended, and the limits are those of who runs it.
    """
    signal.setitimer(signal.ITIMER_PROF, min(seconds * _STUCK[0] + _STUCK[1], _LONGEST))
    bell = alarm(seconds if is_exact else until_told(seconds))
    try:
        if threading.current_thread() is not threading.main_thread():
            yield bell
            return
        with bell, _bounded(memory):
            yield bell
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)


def memory_in_use() -> int:
    """Return the resident bytes of this process."""
    return _statm()[1]


@contextmanager
def _bounded(memory: int) -> Iterator[None]:
    soft, hard = resource.getrlimit(resource.RLIMIT_AS)
    wanted = _statm()[0] + memory
    limits = [wanted, *(limit for limit in (soft, hard) if limit != resource.RLIM_INFINITY)]
    resource.setrlimit(resource.RLIMIT_AS, (min(limits), hard))
    try:
        yield
    except (ImportError, OSError, SyntaxError) as error:
        # Of a library that is imported late Python may also find that half a file is none of its own.
        if not isinstance(error, SyntaxError) and not any(word in str(error) for word in UNLOADED):
            raise
        raise MemoryError(str(error)) from error
    finally:
        resource.setrlimit(resource.RLIMIT_AS, (soft, hard))


def _statm() -> tuple[int, int]:
    """Return the size of the address space and of what is resident, in bytes."""
    handle = os.open("/proc/self/statm", os.O_RDONLY)
    try:
        size, resident, *_ = os.read(handle, 100).split()
    finally:
        os.close(handle)
    return int(size) * _PAGE, int(resident) * _PAGE


# --- processes ------------------------------------------------------------------------------------


_STARTS = 3


class Workers(Protocol):
    """Where records are worked on."""

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
        """Wait until a worker works: one that cannot start must not look like one that its first record ended."""
        for attempt in range(_STARTS):
            try:
                executor.submit(os.getpid).result()
                return executor
            except BrokenExecutor as error:
                self._end(executor)
                if attempt == _STARTS - 1:
                    raise WorkerError(f"a worker process ends as soon as it is started: {error}") from error
                executor = self._start()
        raise AssertionError

    def end(self, executor: Executor) -> None:
        """End a process at once, whatever it is at."""
        _terminate(executor)
        self._end(executor)

    def another(self) -> Executor:
        """Return one more process, in place of one that was ended."""
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
    return ProcessPoolExecutor(1, mp_context=get_context("spawn"), initializer=_begin)


# --- inside the worker ---------------------------------------------------------------------------


def _begin() -> None:
    """Leave Ctrl-C to the run that started this worker, and end with it, whichever way it ends."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, _leave)
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # each would take its share of the memory limit
    gc.set_threshold(50_000, 20, 50)  # models stay: looking for rubbish among them is a twentieth of the time
    threading.Thread(target=_follow, daemon=True).start()


def _follow() -> None:
    parent = parent_process()
    if parent is None:
        return
    connection.wait([parent.sentinel])
    _thread.interrupt_main(signal.SIGTERM)  # lets a planner be ended
    time.sleep(2)
    os._exit(1)


def _leave(number: int, frame: object) -> None:
    threading.Thread(target=_go, daemon=True).start()
    raise SystemExit(1)


def _go() -> None:
    time.sleep(1)
    os._exit(1)
