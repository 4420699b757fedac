"""Searches that share processors knowingly: each has its part of them, however many there are.

Planners that a system runs side by side each get the same, and each less with every other one. Here they rest in turn,
so that what one of them finds after some CPU seconds is found after a known multiple of those by all together (stride
scheduling, Waldspurger and Weihl 1995).
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from threading import Lock

__all__ = ["Turns"]

_SLICE = 0.1
"""seconds that a search goes on at least, before another has its turn"""


class _Part:
    """The part of one search: how long it has run for its weight, and since when it does now."""

    def __init__(self, weight: int, used: float) -> None:
        self.weight, self.used = weight, used
        self.since: float | None = None


class Turns:
    """Whose turn it is among the searches that take part, each asked from a thread of its own."""

    def __init__(self, places: Callable[[], int]) -> None:
        """Let as many searches run at once as ``places`` says, whenever it is asked."""
        self._places = places
        self._parts: list[_Part] = []
        self._lock = Lock()

    @contextmanager
    def part(self, weight: int) -> Iterator[Callable[[], bool]]:
        """Take part, with so much of the time for each one of the others; what is yielded says whether to rest now.

        It is to be asked many times a second, by a search that rests as well.
        """
        with self._lock:
            part = _Part(weight, min((other.used for other in self._parts), default=0.0))
            self._parts.append(part)
        try:
            yield partial(self._rests, part)
        finally:
            with self._lock:
                self._parts.remove(part)

    def _rests(self, part: _Part) -> bool:
        with self._lock:
            now = time.monotonic()
            running = [each for each in self._parts if each.since is not None]
            waiting = [each for each in self._parts if each.since is None]
            if part.since is None:
                is_next = min(waiting, key=lambda each: each.used) is part
                if is_next and len(running) < self._places():
                    part.since = now
            else:
                part.used += (now - part.since) / part.weight
                part.since = now
                least = min((each.used for each in waiting), default=part.used)
                if len(running) > self._places() or (part.used - least) * part.weight > _SLICE:
                    part.since = None
            return part.since is None
