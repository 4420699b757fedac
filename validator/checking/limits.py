"""The limits that a check has by default, and the alarm for what does not look at the clock."""

from __future__ import annotations

import signal
import time
from collections.abc import Iterator
from contextlib import contextmanager

__all__ = ["DEFAULT_MEMORY_LIMIT", "DEFAULT_TIME_LIMIT", "LEAST", "OutOfTime", "alarm", "with_patience"]

DEFAULT_TIME_LIMIT = 30.0
DEFAULT_MEMORY_LIMIT = 4 * 2**30

LEAST = 0.5
"""Seconds that executing a plan has in any case, and by which every limit may be overrun"""

_SHARE = 0.1
"""of a limit by which it may be overrun, where that is more"""

_BEGINNING = 2.0
"""Seconds that reading and executing have at the least: a busy machine may take them to begin at all."""


class OutOfTime(BaseException):
    """The time is over. No ``Exception``, so that nothing on the way takes it for its own."""


def with_patience(seconds: float) -> float:
    """Return the seconds after which what has so many of them must be over, whatever it does."""
    return max(seconds + max(_SHARE * seconds, LEAST), _BEGINNING)


@contextmanager
def alarm(seconds: float) -> Iterator[None]:
    """Raise OutOfTime inside as soon as so many seconds are over: in the main thread of a process, and on POSIX.

    An alarm that was set before and rings earlier is left alone, and one that rings later still does.
    """
    is_main, left = True, signal.getitimer(signal.ITIMER_REAL)[0] if hasattr(signal, "setitimer") else 0.001
    if not 0 < left <= seconds:
        try:
            before = signal.signal(signal.SIGALRM, _ring)
        except ValueError:
            is_main = False
    if not is_main or 0 < left <= seconds:
        yield
        return
    begun = time.monotonic()
    signal.setitimer(signal.ITIMER_REAL, min(max(seconds, 0.001), 10.0**9))
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
        if left:
            signal.setitimer(signal.ITIMER_REAL, max(0.001, left - (time.monotonic() - begun)))


def _ring(number: int, frame: object) -> None:
    raise OutOfTime
