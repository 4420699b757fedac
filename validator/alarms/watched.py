"""Alarms in threads that no signal reaches: a thread of its own raises an error in them.

CPython raises it where the thread goes on, so that what waits in the system is interrupted only when it comes back.
"""

from __future__ import annotations

import ctypes
import heapq
import os
import sys
import time
from collections.abc import Callable
from itertools import count
from threading import Condition, Thread, get_ident
from types import FrameType

__all__ = ["Watched"]

_SOON = 0.01
"""seconds until an alarm rings again that had to wait"""
_DEEPEST = 5
"""calls of the lock of all alarms, at most, inside of each other"""
_MOST_ENDED = 1000
"""alarms that were ended and are waited for all the same, besides as many as are set"""
_IDLE = 10.0
"""seconds after which the thread that rings ends, if there is nothing to wait for"""

_changed = Condition()
_waiting: list[tuple[float, int, Watched]] = []
_set: dict[int, list[Watched]] = {}
"""those of each thread that are not ended, the outer ones first"""
_numbers = count()
_is_watching = False


class Watched:
    """An alarm in the thread that makes it, which is set until ``end``.

    ``error`` is raised once, as soon as ``seconds`` are over and ``must_wait`` does not say, of the frame where the
    thread is, that it must wait. Where it comes while the alarm is ended, ``end`` raises it.
    """

    __slots__ = ("_error", "_is_over", "_must_wait", "_thread", "has_rung")

    def __init__(self, seconds: float, error: type[BaseException], must_wait: Callable[[FrameType], bool]) -> None:
        self._thread, self._error, self._must_wait = get_ident(), error, must_wait
        self._is_over = self.has_rung = False
        with _changed:
            _set.setdefault(self._thread, []).append(self)
        self._ring_at(time.monotonic() + seconds)

    def end(self, again: float | None) -> None:
        """Take the alarm away; an error that was not raised yet is not raised any more.

        With ``again``, an error was raised: where it was of an alarm around this one, that rings again in so many
        seconds.
        """
        with _changed:
            if self.has_rung:
                _raise_in(self._thread, None)
            self._is_over = True
            around = _set.get(self._thread, [])
            if self in around:
                del around[around.index(self) :]
            if not around:
                _set.pop(self._thread, None)
            if len(_waiting) > _MOST_ENDED + 2 * sum(map(len, _set.values())):
                _waiting[:] = [entry for entry in _waiting if not entry[-1]._is_over]
                heapq.heapify(_waiting)
            taken = [each for each in around if each.has_rung] if again is not None and not self.has_rung else []
        for each in taken[-1:]:
            each._is_over = False
            each._ring_at(time.monotonic() + (again or 0.0))

    def _ring_at(self, due: float) -> None:
        global _is_watching
        with _changed:
            heapq.heappush(_waiting, (due, next(_numbers), self))
            if not _is_watching:
                Thread(target=_watch, name="alarms", daemon=True).start()
                _is_watching = True
            elif _waiting[0][-1] is self:
                _changed.notify()

    def ring(self) -> bool:
        """Raise the error in the thread; return whether that is settled, and it need not ring again."""
        if self._is_over or (frame := sys._current_frames().get(self._thread)) is None:
            return True
        if self._must_wait_in(frame):
            return False
        _raise_in(self._thread, self._error)
        frame = sys._current_frames().get(self._thread)
        if frame is not None and self._must_wait_in(frame):  # it went on in between
            _raise_in(self._thread, None)
            return False
        self._is_over = self.has_rung = True
        return True

    def _must_wait_in(self, frame: FrameType) -> bool:
        """Return whether no error may be raised in a frame: here it would leave the lock of all alarms taken."""
        around: FrameType | None = frame
        for _ in range(_DEEPEST):
            if around is None:
                break
            if around.f_code.co_filename == __file__:
                return True
            around = around.f_back
        return self._must_wait(frame)


def _raise_in(thread: int, error: type[BaseException] | None) -> None:
    """Have a thread raise an error where it goes on; None: have it not raise one that it has not raised yet."""
    what = None if error is None else ctypes.py_object(error)
    ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(thread), what)


def _watch() -> None:
    global _is_watching
    with _changed:
        while True:
            left = _waiting[0][0] - time.monotonic() if _waiting else _IDLE
            if left > 0:
                is_told = _changed.wait(min(left, _IDLE))
                if not (is_told or _waiting):
                    _is_watching = False
                    return
                continue
            watched = heapq.heappop(_waiting)[-1]
            if not watched.ring():
                heapq.heappush(_waiting, (time.monotonic() + _SOON, next(_numbers), watched))


def _forget() -> None:
    """In a process that was forked, there is neither the thread nor those that it watched."""
    global _changed, _is_watching
    _changed, _is_watching = Condition(), False
    _waiting.clear()
    _set.clear()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget)
