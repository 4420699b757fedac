"""Time limits that hold in code that looks at no clock: ``alarm`` raises an error inside of a ``with``.

It does so in the main thread of a process on POSIX, by a signal. Elsewhere only loops that ask for the time end.
"""

from __future__ import annotations

import _signal  # type: ignore[import-not-found]  # `signal` looks every number up among its names
import gc
import sys
import time
from contextlib import suppress
from types import FrameType
from typing import Any

_AGAIN, _SOON = 2.0, 0.01
"""seconds until it rings again: more than it takes to end what was begun, and hardly any"""
_TO_TELL = 0.1, 0.02
"""Seconds, or share of its own, in which what took an earlier alarm for its own limit tells what it knows by then."""


_STARTING = "Popen.__init__", "Process.__init__"
"""calls that start a process: ended half-way, they would leave one that nobody knows"""

_CAN_RING = hasattr(_signal, "setitimer")
LONGEST = 10.0**9
"""seconds: what a clock and a timer of the system take, and from which on nobody waits for an alarm"""


class OutOfTime(BaseException):
    """The time is over. No ``Exception``, so that nothing on the way takes it for its own."""


class alarm:  # noqa: N801 -- used as a function is: with alarm(seconds)
    """Raise OutOfTime inside as soon as so many seconds are over.

    An alarm that was set before and rings earlier is left alone, and one that rings later still does. What is inside
    may take the earlier one for its own limit, and go on after it: it rings again then. It rings again soon where it
    was lost, as what is raised in a destructor is, and after a while in any case.

    An import is waited for: half of a module would stay, and be an error of every later use; not by one that
    ``is_last``, after which the process only says so and ends. So is the start of a process: one that is ended
    half-way closes its pipes a second time, whose numbers may by then be those of another thread's files.
    """

    def __init__(self, seconds: float, *, is_last: bool = False) -> None:
        self._seconds, self._is_last, self._is_set = seconds, is_last, False
        self.has_rung = False
        """also where what is inside took that for its own limit, and came to an end"""

    def __enter__(self) -> None:
        self._left, self._is_set, self._begun = 0.0, False, time.monotonic()
        self._entered: FrameType | None = sys._getframe()  # whose stack is looked at only if it rings
        if not (_CAN_RING and _is_main_thread()):
            return
        self._left = _signal.getitimer(_signal.ITIMER_REAL)[0]
        if 0 < self._left <= self._seconds:
            return
        try:
            self._before: Any = _signal.signal(_signal.SIGALRM, self._ring)
        except ValueError:  # the main thread of an interpreter inside of the process
            return
        self._is_set = True
        self._told_of_lost, sys.unraisablehook = sys.unraisablehook, self._lost
        try:
            _signal.setitimer(_signal.ITIMER_REAL, min(max(self._seconds, 0.001), LONGEST), _AGAIN)
        except OutOfTime:  # it rang before what is inside began
            self.__exit__()
            raise

    def __exit__(self, *raised: object) -> None:
        self._entered = None
        if raised and raised[0] is OutOfTime and not self._is_set:
            self._was_taken()
        if self._is_set:
            _signal.setitimer(_signal.ITIMER_REAL, 0)
            _signal.signal(_signal.SIGALRM, self._before)
            sys.unraisablehook = self._told_of_lost
            if self._left:
                rest = self._left - (time.monotonic() - self._begun)
                _signal.setitimer(_signal.ITIMER_REAL, max(0.001, rest), _AGAIN)

    def end(self) -> None:
        """Ring no more: what is known by now is told, however long that takes."""
        if self._is_set:
            self.__exit__()
            self._is_set = False

    def _was_taken(self) -> None:
        """Let the alarm before ring again soon, where it was that one that rang."""
        if not 0 < self._left <= time.monotonic() - self._begun:
            return
        least, share = _TO_TELL
        with suppress(ValueError):  # the main thread of an interpreter inside of the process
            _signal.signal(_signal.SIGALRM, _signal.getsignal(_signal.SIGALRM))
            _signal.setitimer(_signal.ITIMER_REAL, max(least, share * self._seconds), _AGAIN)

    def _ring(self, number: int, frame: FrameType | None) -> None:
        if frame is not None and frame.f_code is alarm.__exit__.__code__ and frame.f_locals["self"] is self:
            return  # what is inside is done, and an error here would leave the alarm set
        if self._must_wait(frame):
            _signal.setitimer(_signal.ITIMER_REAL, _SOON, _AGAIN)
            return
        self.has_rung = True
        raise OutOfTime

    def _must_wait(self, frame: FrameType | None) -> bool:
        """Return whether an error may not be raised in a frame: what a callback of the collector raises is lost."""
        is_collecting = any(frame and frame.f_code is getattr(each, "__code__", None) for each in gc.callbacks)
        return is_collecting or self._held(frame) > self._held(self._entered)

    def _lost(self, error: Any) -> None:
        """Ring again where it rang in what cannot raise, such as a destructor; all other errors there are told."""
        if error.exc_type is OutOfTime:
            _signal.setitimer(_signal.ITIMER_REAL, _SOON, _AGAIN)
        else:
            self._told_of_lost(error)

    def _held(self, frame: FrameType | None) -> int:
        """Return how many calls of a stack are not to be ended: they are of the import system, or start a process."""
        found = 0
        while frame is not None:
            code = frame.f_code
            is_import = code.co_filename == "<frozen importlib._bootstrap>"
            found += (is_import and not self._is_last) or code.co_qualname in _STARTING
            frame = frame.f_back
        return found


def _is_main_thread() -> bool:
    threading = sys.modules.get("threading")  # without which there is no other one
    return threading is None or threading.current_thread() is threading.main_thread()
