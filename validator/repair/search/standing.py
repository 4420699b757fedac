"""How a race for a nearest plan stands: the best repair, what any costs at least, and whether the two meet."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from math import inf
from threading import Event, RLock
from typing import TypeAlias

from validator.errors import PlannerError
from validator.execution.faults import sentences
from validator.execution.simulator import Simulator
from validator.grounding.limits import Outcome, Status
from validator.reading.plan import Plan
from validator.records import replace
from validator.repair.edit import LARGEST, Edit, EditTask
from validator.repair.search.answer import Repair

__all__ = ["Progress", "Standing"]

Progress: TypeAlias = Callable[[int, int | None], None]
"""What is told the lower bound and the cost of the best repair, whenever one of them changes."""


class Standing:
    """What all searches of a race know and tell; each is asked from threads of its own."""

    def __init__(
        self,
        edit_task: EditTask,
        simulator: Simulator,
        *,
        with_goal: bool,
        cheapest: int | None,
        progress: Progress,
    ) -> None:
        """Begin without a repair; ``cheapest`` is what a repaired plan must cost, in the task's scaled integers."""
        self.edit_task, self.simulator, self.with_goal = edit_task, simulator, with_goal
        self.best: Repair | None = None
        self.lower = edit_task.forced_cost
        self.seconds: dict[str, float] = {}
        self._cheapest, self._progress = cheapest, progress
        self._settled: Outcome | None = None
        self._over, self._lock = Event(), RLock()

    def offer(self, found: Repair) -> None:
        """Take a repair that is cheaper than the best one and, where a cheapest plan is asked for, is one."""
        weight = self.edit_task.weighting.insert
        if self._cheapest is not None and (found.cost or 0) // weight != self._cheapest:
            return
        with self._lock:
            if self.best is None or (found.cost or 0) < (self.best.cost or 0):
                self.best = found
                self._progress(self.lower, found.cost)
            self._compare()

    def take(self, edits: tuple[Edit, ...]) -> None:
        """Offer the repair that edits stand for."""
        self.offer(self.checked(edits))

    def raise_lower(self, bound: int) -> None:
        """Take a lower bound, without the tokens that can only be skipped."""
        with self._lock:
            if bound + self.edit_task.forced_cost > self.lower:
                self.lower = bound + self.edit_task.forced_cost
                self._progress(self.lower, None if self.best is None else self.best.cost)
            self._compare()

    def bound(self) -> float:
        """Return the cost of the best plan so far, without the tokens that can only be skipped."""
        return inf if self.best is None else (self.best.cost or 0) - self.edit_task.forced_cost

    def settle(self, outcome: Outcome) -> None:
        """Take the outcome of a complete search."""
        self._settled = outcome
        self.end()

    def end(self) -> None:
        """Let all searches end."""
        self._over.set()

    def is_done(self) -> bool:
        """Return whether nothing is left to be searched for."""
        return self._over.is_set()

    def is_met(self) -> bool:
        """Return whether the best repair is proven."""
        return self.best is not None and self.lower >= (self.best.cost or 0)

    def _compare(self) -> None:
        if self.is_met():
            self.end()

    @contextmanager
    def timed(self, phase: str) -> Iterator[None]:
        """Add up the seconds of a phase."""
        start = time.monotonic()
        try:
            yield
        finally:
            self.seconds[phase] = round(self.seconds.get(phase, 0.0) + time.monotonic() - start, 6)

    def found(self, outcome: Outcome) -> Repair:
        """Read a plan of the modified task."""
        return self.checked(self.edit_task.edits(outcome.plan))

    def checked(self, edits: tuple[Edit, ...]) -> Repair:
        """Return a repair after executing the plan that it stands for. Raises PlannerError when it does not execute."""
        repaired = Repair(status=Status.SOLVED, edits=edits, cost=self.edit_task.cost(edits))
        trace = self.simulator.run(Plan(parts=repaired.plan or ()))
        if not (trace.is_valid if self.with_goal else trace.is_sound):
            faults = "; ".join(sentences(trace.failures[:3], repaired.plan or ()))
            raise PlannerError(f"the planner's answer does not execute: {faults}")
        return repaired

    def result(self, outcome: Outcome) -> Repair:
        """Return what the race comes to, whose last search ended so; what is told later is told to nobody."""
        with self._lock:
            self._progress = lambda lower, best: None
            return self._result(self._settled or outcome)

    def _result(self, outcome: Outcome) -> Repair:
        if outcome.status is Status.UNSOLVABLE:
            return Repair(status=Status.UNSOLVABLE, proven=True, seconds=self.seconds)
        if outcome.status is Status.SOLVED:
            self.best = self.found(outcome)
            self.lower = self.best.cost or 0
        if self.best is None:
            return Repair(status=outcome.status, lower_bound=self.lower, seconds=self.seconds)
        proven = self.is_met() and _fits(self.edit_task, self.best)
        status = Status.SOLVED if proven or outcome.status is Status.SOLVED else outcome.status
        lower = min(self.lower, self.best.cost or 0)
        return replace(self.best, status=status, lower_bound=lower, proven=proven, seconds=self.seconds)


def _fits(edit_task: EditTask, repaired: Repair) -> bool:
    """Return whether no path that is looked at before a plan of this cost can overflow."""
    weighting = edit_task.weighting
    dearest = max((operator.cost for operator in edit_task.task.operators), default=0)
    return (repaired.cost or 0) + max(weighting.skip, weighting.insertion(dearest)) <= LARGEST
