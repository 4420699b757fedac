"""Requests that wait: a bounded number, and clients take turns however much each has sent."""

from __future__ import annotations

import asyncio
from collections import OrderedDict, deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from math import ceil
from typing import Any

from validator.errors import ValidatorError

_LONGEST = 60
"""seconds after which a refused client may come back in any case"""


@dataclass(eq=False, slots=True, kw_only=True)
class Work:
    """A request on its way to a process, which has so many ``seconds`` for it, and whom to tell.

    A ``client`` without a name is the only one: it need not leave half of the queue to others.
    ``spent`` are the seconds that a quick process had for it before.
    """

    request: Any
    seconds: float
    client: str
    is_quick: bool
    finish: Callable[[Any, Any], None]
    news: Callable[[Any, Mapping[str, Any]], None] = lambda work, value: None
    started: Callable[[Any], None] = lambda work: None
    is_cancelled: bool = False
    spent: float = 0.0


class BusyError(ValidatorError):
    """A request that may not wait: of this client (``is_own``), or of all, too much does; or it is closed."""

    def __init__(self, *, seconds: int, is_own: bool = False, is_closed: bool = False) -> None:
        super().__init__(f"try again in {seconds} seconds")
        self.seconds, self.is_own, self.is_closed = seconds, is_own, is_closed


class FairQueue:
    """A queue in which the clients take turns; ``takers`` is how many processes take from it. Of one event loop."""

    def __init__(self, most: int, takers: int) -> None:
        self._most, self._takers = most, takers
        self._waiting: OrderedDict[str, deque[Work]] = OrderedDict()
        self._idle: list[asyncio.Future[None]] = []
        self._number = 0
        self._is_closed = False
        self._seconds = 0.1  # that a request takes, as far as is known

    def __len__(self) -> int:
        return self._number

    def put(self, work: Work, *, is_owed: bool = False) -> None:
        """Let a request wait; one that is owed, since it was taken before, always may. Raises BusyError."""
        if self._is_closed:
            raise BusyError(seconds=5, is_closed=True)
        own = len(self._waiting.get(work.client, ()))
        most_own = max(1, self._most // 2) if work.client else self._most
        if not is_owed and (self._number >= self._most or own >= most_own):
            patience = max(1, min(_LONGEST, ceil(self._number * self._seconds / self._takers)))
            raise BusyError(seconds=patience, is_own=self._number < self._most)
        self._waiting.setdefault(work.client, deque()).append(work)
        self._number += 1
        if self._idle:  # the last one has most in the caches of the processor
            self._idle.pop().set_result(None)

    async def take(self) -> Work:
        """Return the next request of the client whose turn it is, as soon as there is one."""
        while not self._number:
            woken = asyncio.get_running_loop().create_future()
            self._idle.append(woken)
            try:
                await woken
            finally:
                if woken in self._idle:
                    self._idle.remove(woken)
        client, waiting = self._waiting.popitem(last=False)
        work = waiting.popleft()
        if waiting:
            self._waiting[client] = waiting
        self._number -= 1
        return work

    def remove(self, work: Work) -> bool:
        """Take a request out, and return whether it was still waiting."""
        waiting = self._waiting.get(work.client, deque())
        if work not in waiting:
            return False
        waiting.remove(work)
        if not waiting:
            del self._waiting[work.client]
        self._number -= 1
        return True

    def took(self, seconds: float) -> None:
        """Learn how long a request took."""
        self._seconds += 0.1 * (seconds - self._seconds)

    def close(self) -> list[Work]:
        """Take nothing more, and return what was waiting."""
        left = [work for waiting in self._waiting.values() for work in waiting]
        self._waiting.clear()
        self._number, self._is_closed = 0, True
        return left
