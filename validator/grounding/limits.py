"""What a check and its planners may take, and how a planner ended: values, by which nothing is started."""

from __future__ import annotations

import resource
import time
from collections.abc import Callable, Iterable, Iterator
from enum import StrEnum
from numbers import Integral, Real
from typing import TypeVar

from validator.alarms import LONGEST
from validator.records import dataclass, replace

MOST_BYTES = 2**30
"""what the states of a search in this process may take, whatever the limit is"""

HEAD_START = 0.5
"""seconds that a proof has for itself before another search begins: most are done by then"""

TO_TELL = 4e-5
"""seconds for each step of a plan, or row of a comparison, in which an answer is told"""

SHORT = 2.0
"""seconds for a search that is one of several"""

_PULSE = 64
"""items after which it is asked whether it is over"""

_Item = TypeVar("_Item")


def checked(items: Iterable[_Item], is_over: Callable[[], bool]) -> Iterator[_Item]:
    """Yield items until it is over, which raises TimeoutError: what takes long asks as it goes."""
    for index, item in enumerate(items):
        if index % _PULSE == 0 and is_over():
            raise TimeoutError
        yield item


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """``deadline`` is a time of ``time.monotonic``; ``memory`` is in bytes, for each process."""

    deadline: float
    memory: int

    @classmethod
    def from_now(cls, seconds: float, memory: int) -> Limits:
        """Return limits that begin now. Raises ValueError for what is none."""
        return cls(deadline=deadline_of(seconds, memory), memory=memory)

    @property
    def seconds(self) -> float:
        """Return the time that is left, not below zero, and no more than a thread can wait for."""
        return min(max(0.0, self.deadline - time.monotonic()), LONGEST)

    def is_over(self) -> bool:
        """Return whether no time is left."""
        return self.seconds == 0

    def within(self, seconds: float) -> Limits:
        """Return limits that end after so many seconds, if not before."""
        return replace(self, deadline=min(self.deadline, time.monotonic() + seconds))

    @property
    def half(self) -> Limits:
        """Return limits with half of the time that is left, for a search behind which another one comes."""
        return self.within(self.seconds / 2)

    @property
    def room(self) -> int:
        """Return how many bytes the states of a search in this process may take."""
        return min(self.memory, MOST_BYTES)


def restrict(process: int, what: int, soft: int, hard: int) -> None:
    """Limit a resource of a process, as ``setrlimit`` names it, to no more than this one may have: more is refused."""
    own = resource.getrlimit(what)[1]
    most = hard if own == resource.RLIM_INFINITY else min(hard, own)
    resource.prlimit(process, what, (min(soft, most), most))


class Status(StrEnum):
    """How a planner process ended, as far as it is an answer."""

    SOLVED = "solved"
    UNSOLVABLE = "unsolvable"
    """the search space was exhausted: proven"""
    STOPPED = "stopped"
    """the caller had seen enough"""
    INTERRUPTED = "interrupt"
    """the user ended it"""
    TIME_LIMIT = "time limit"
    MEMORY_LIMIT = "memory limit"
    COST_LIMIT = "cost limit"
    """costs that do not fit the 30 bits of the search"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """The end of a search: operator names of the plan, its cost, the lower bound that the search printed last.

    ``seconds`` is the CPU time that it last said to have used, None when it said nothing.
    """

    status: Status
    plan: tuple[str, ...] = ()
    cost: int | None = None
    lower_bound: int = 0
    seconds: float | None = None

    @property
    def least(self) -> int:
        """Return what an optimal search has proven that each plan costs at least."""
        return max(self.lower_bound, self.cost or 0)


# --- the limits of a check ------------------------------------------------------------------------

DEFAULT_TIME_LIMIT = 30.0
DEFAULT_MEMORY_LIMIT = 4 * 2**30

_LEAST = 0.5
"""seconds by which every limit may be overrun"""

_SHARE = 0.1
"""of a limit by which it may be overrun, where that is more"""

_ENDED, _TOLD = 0.6, 0.8
"""of that, by when all is ended, and by when what is known is told: the rest is for what rings late, and for the end"""

_LITTLE = 0.01
"""Seconds that are left where none are, so that what is asked then says itself that the limit was met"""


def check_limits(time_limit: float, memory_limit: int = DEFAULT_MEMORY_LIMIT) -> None:
    """Raise ValueError for what is no limit."""
    if isinstance(time_limit, bool) or not isinstance(time_limit, Real) or not time_limit >= 0:
        raise ValueError(f"time_limit must be a number of seconds, 0 or more, not {time_limit!r:.60}")
    if isinstance(memory_limit, bool) or not isinstance(memory_limit, Integral) or memory_limit < 1:
        raise ValueError(f"memory_limit must be a whole number of bytes such as 4 * 2**30, not {memory_limit!r:.60}")


def deadline_of(time_limit: float, memory_limit: int = DEFAULT_MEMORY_LIMIT) -> float:
    """Return when a time limit ends that begins now. Raises ValueError for what is none."""
    check_limits(time_limit, memory_limit)
    return time.monotonic() + time_limit


def hard_limit(seconds: float) -> float:
    """Return the seconds after which work with a time limit is ended, whatever it does."""
    return seconds + _ENDED * _overrun(seconds)


def program_limit(seconds: float) -> float:
    """Return the seconds after which a program with a time limit has said what is known, or is ended."""
    return seconds + _TOLD * _overrun(seconds)


def _overrun(seconds: float) -> float:
    return max(_SHARE * seconds, _LEAST)


def left_until(latest: float) -> float:
    """Return the seconds until a time of ``time.monotonic``, or a little where it is over."""
    return max(latest - time.monotonic(), _LITTLE)
