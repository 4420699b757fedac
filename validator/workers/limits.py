"""The limits of one answer inside a worker: of time, memory, and of CPU for one that is stuck."""

from __future__ import annotations

import os
import resource
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager

from validator.alarms import LONGEST, alarm
from validator.grounding.limits import program_limit
from validator.resources import UNLOADED

_PAGE = resource.getpagesize()
_STUCK = 3.0, 30.0
"""Factor and CPU seconds after which a process that no exception reaches is ended by the system."""


@contextmanager
def guard(seconds: float, memory: int, *, is_exact: bool = False) -> Iterator[alarm]:
    """Limit what happens inside to some seconds (OutOfTime) and bytes on top of those in use (MemoryError).

    A check ends itself at the limit and says how far it came; only where it has not by ``program_limit`` is it cut off.
    What ``is_exact`` is cut off at the limit. The alarm says whether it was.

    Works in the main thread of a process, as workers of a pool are; in any other thread only a process that is stuck
    for good is ended, and the limits are those of who runs it.
    """
    signal.setitimer(signal.ITIMER_PROF, min(seconds * _STUCK[0] + _STUCK[1], LONGEST))
    bell = alarm(seconds if is_exact else program_limit(seconds))
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
