"""Requests that wait: a bounded number, and clients take turns however much each has sent."""

from __future__ import annotations

import threading
from collections import OrderedDict, deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from math import ceil
from typing import Any

from validator.questions.question import Question
from validator.service.jobs.worker import Answer, Ask
from validator.service.problems import Problem, ProblemError

__all__ = ["FairQueue", "Work"]


@dataclass(eq=False, slots=True, kw_only=True)
class Work:
    """A request on its way through the workers, as a value and as JSON, and whom to tell.

    ``deaths`` counts workers that died of it, ``returns`` those that could not be started for it. ``spent`` are the
    seconds of its limit that a worker had who handed it on.
    """

    operation: str
    request: Question
    body: bytes
    client: str
    is_quick: bool
    finish: Callable[[Work, Answer], None]
    news: Callable[[Work, Mapping[str, Any]], None]
    started: Callable[[Work], None]
    is_cancelled: bool = False
    deaths: int = 0
    returns: int = 0
    spent: float = 0.0

    def ask(self) -> Ask:
        return Ask(operation=self.operation, request=self.body, is_quick=self.is_quick, spent=self.spent)


class FairQueue:
    """A queue in which the clients take turns; ``lanes`` is how many take from it."""

    def __init__(self, most: int, lanes: int) -> None:
        self._most = most
        self._lanes = lanes
        self._waiting: OrderedDict[str, deque[Work]] = OrderedDict()
        self._number = 0
        self._lock = threading.Lock()
        self._is_closed = False
        self._seconds = 0.1  # that a request takes, as far as is known

    def __len__(self) -> int:
        return self._number

    def put(self, work: Work, *, is_owed: bool = False) -> None:
        """Let a request wait; one that is owed, since it was taken before, always may.

        Raises ProblemError (429, 503) when this client, or all together, have too much waiting.
        """
        with self._lock:
            if self._is_closed:
                raise ProblemError(_refused("stopping", 503, "The service is stopping", 5))
            own = len(self._waiting.get(work.client, ()))
            if not is_owed and self._number >= self._most:
                raise ProblemError(_refused("busy", 503, "Too many requests are waiting", self._patience()))
            if not is_owed and own >= max(1, self._most // 2):
                raise ProblemError(_refused("too-many", 429, "Too many of your requests are waiting", self._patience()))
            self._waiting.setdefault(work.client, deque()).append(work)
            self._number += 1

    def take(self) -> Work | None:
        """Return the next request of the client whose turn it is; None when nothing waits."""
        with self._lock:
            if not self._number:
                return None
            client, waiting = next(iter(self._waiting.items()))
            work = waiting.popleft()
            del self._waiting[client]
            if waiting:
                self._waiting[client] = waiting
            self._number -= 1
            return work

    def remove(self, work: Work) -> bool:
        """Take a request out, and return whether it was still waiting."""
        with self._lock:
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
        with self._lock:
            left = [work for waiting in self._waiting.values() for work in waiting]
            self._waiting.clear()
            self._number = 0
            self._is_closed = True
            return left

    def _patience(self) -> int:
        return max(1, min(60, ceil(self._number * self._seconds / self._lanes)))


def _refused(kind: str, status: int, title: str, seconds: int) -> Problem:
    return Problem(kind=kind, status=status, title=title, detail=f"try again in {seconds} seconds", retry_after=seconds)
