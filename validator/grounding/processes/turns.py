"""Searches that share processors knowingly: each has its part of them, however many there are.

Planners that a system runs side by side each get the same, and each less with every other one. Here they rest in turn,
so that what one of them finds after some CPU seconds is found after a known multiple of those by all together (stride
scheduling, Waldspurger and Weihl 1995).
"""

from __future__ import annotations

import time
from collections.abc import Callable
from threading import Lock

__all__ = ["Part", "Turns"]

_SLICE = 0.1
"""CPU seconds that a search goes on at least, before another has its turn"""

_SILENCE = 0.5
"""seconds by the clock after which a search that has not asked is not counted: nobody waits for what has no turn"""


class Part:
    """The part of one search, which it leaves at the end of a ``with`` statement."""

    def __init__(self, turns: Turns, weight: int, start: float) -> None:
        self.spent = 0.0
        """CPU seconds by now"""
        self.is_running = False
        self.asked = time.monotonic()
        self._turns, self._weight, self._start = turns, weight, start

    def __enter__(self) -> Part:
        return self

    def __exit__(self, *error: object) -> None:
        self._turns.leave(self)

    @property
    def used(self) -> float:
        """Return the CPU seconds for its weight, from where the others were when it came."""
        return self._start + self.spent / self._weight

    def rests(self, spent: float) -> bool:
        """Return whether the search is to rest, of its CPU seconds; to be asked many times a second, at rest too."""
        self.spent, self.asked = spent, time.monotonic()
        return self._turns.rests(self)

    def is_ahead(self, of: float) -> bool:
        """Return whether the search had its slice more than another one, by what that used."""
        return (self.used - of) * self._weight > _SLICE


class Turns:
    """Whose turn it is among the searches that take part, each asked from a thread of its own."""

    def __init__(self, places: Callable[[], int]) -> None:
        """Let as many searches run at once as ``places`` says, whenever it is asked."""
        self._places = places
        self._parts: list[Part] = []
        self._lock = Lock()

    def part(self, weight: int) -> Part:
        """Take part, with so much of the CPU time for each second of another."""
        with self._lock:
            part = Part(self, weight, min((other.used for other in self._parts), default=0.0))
            self._parts.append(part)
        return part

    def leave(self, part: Part) -> None:
        with self._lock:
            self._parts.remove(part)

    def rests(self, part: Part) -> bool:
        """Return whether it is the turn of others."""
        with self._lock:
            counted = [each for each in self._parts if part.asked - each.asked < _SILENCE]
            running = sum(each.is_running for each in counted)
            waiting = [each for each in counted if not each.is_running]
            if not part.is_running:
                part.is_running = running < self._places() and min(waiting, key=lambda each: each.used) is part
            elif running > self._places() or (waiting and part.is_ahead(min(each.used for each in waiting))):
                part.is_running = False
            return not part.is_running
