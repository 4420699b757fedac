"""CPU seconds of calls, several runs side by side; ``benchmarks.process`` has those of whole processes.

Only CPU time (user and system) is counted, of this process and of its finished children with theirs: the machine may
be shared, and what another process does must not show. Contestants take turns (A B A B), so that a slow moment meets
all of them, and the median of the runs is given.
"""

from __future__ import annotations

import ctypes
import gc
import os
import resource
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from statistics import median
from typing import Any

__all__ = ["Cost", "Sample", "adopt_orphans", "cost_of", "interleaved", "reap"]

_PR_SET_CHILD_SUBREAPER = 36


@dataclass(frozen=True, slots=True, kw_only=True)
class Cost:
    """CPU seconds of this process (``own``) and of children that ended meanwhile; ``wall`` is elapsed seconds."""

    own: float
    children: float
    wall: float

    @property
    def cpu(self) -> float:
        return self.own + self.children


@dataclass(frozen=True, slots=True, kw_only=True)
class Sample:
    """The costs of one contestant, a run each, and what its last run returned."""

    costs: tuple[Cost, ...]
    result: Any

    @property
    def cpu(self) -> float:
        return median(cost.cpu for cost in self.costs)


def cost_of(call: Callable[[], object]) -> tuple[Cost, Any]:
    """Return what a call costs and what it returns; the garbage of others is collected before."""
    gc.collect()
    own, children, wall = _seconds(resource.RUSAGE_SELF), _seconds(resource.RUSAGE_CHILDREN), time.monotonic()
    result = call()
    cost = Cost(
        own=_seconds(resource.RUSAGE_SELF) - own,
        children=_seconds(resource.RUSAGE_CHILDREN) - children,
        wall=time.monotonic() - wall,
    )
    return cost, result


def interleaved(contestants: Mapping[str, Callable[[], object]], runs: int, warm_up: int = 1) -> dict[str, Sample]:
    """Run the contestants in turn, ``runs`` rounds that count after ``warm_up`` ones that do not."""
    costs: dict[str, list[Cost]] = {name: [] for name in contestants}
    results: dict[str, object] = {}
    for number in range(-warm_up, runs):
        for name, call in contestants.items():
            cost, results[name] = cost_of(call)
            if number >= 0:
                costs[name].append(cost)
    return {name: Sample(costs=tuple(costs[name]), result=results[name]) for name in contestants}


def adopt_orphans() -> None:
    """Become the parent of the processes that children leave behind, so that ``reap`` counts their CPU seconds."""
    ctypes.CDLL(None).prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


def reap() -> None:
    """Wait for every child that has ended; none may be in use."""
    with suppress(ChildProcessError):
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass


def _seconds(who: int) -> float:
    usage = resource.getrusage(who)
    return usage.ru_utime + usage.ru_stime
