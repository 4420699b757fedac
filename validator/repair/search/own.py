"""The searches of this program within a race, one after the other: they share a processor and what they read."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from contextlib import suppress
from functools import partial
from math import inf
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

from validator.grounding.limits import Limits
from validator.grounding.planner import compute
from validator.records import replace
from validator.repair.edit import EditTask
from validator.repair.search.backward.regression import Regression
from validator.repair.search.plans.first import carried_on
from validator.repair.search.sharing import Sharing
from validator.repair.search.standing import Standing
from validator.repair.search.sweep.joined import Joined
from validator.resources import loading

if TYPE_CHECKING:
    from validator.repair.search.backward.proof import Proof
    from validator.repair.search.backward.search import Found
    from validator.repair.search.sweep.problem import Problem

__all__ = ["Begin", "OwnSearches"]

Begin: TypeAlias = "Callable[..., Future[bytes | None]]"
"""Begins a call in a thread of its own; the function comes first, then what it is given."""

_Search: TypeAlias = "Callable[[Proof], None]"

_CARRY_ON = 5.0
"""seconds for a plan behind the edits that the windows of the backward search found"""

_BACKWARD, _BACKWARD_STEP = 3.0, 0.1
"""CPU seconds for the backward search, and for each step of the plan: what it has not proven by then, on a plan of some
dozens of steps, the planner does sooner; long plans only it proves."""

_SOON, _SOON_STEP = 1.0, 0.005
"""The same for the windows of a long plan before the sweep: what they prove soon, they prove sooner."""

_SWEEP = 15.0
"""CPU seconds for the sweep through the plan, which needs more and more of them for each layer of costs"""

_SOLVE = 20
"""CPU seconds for a linear program of the sweep"""


class OwnSearches:
    """Sweep and backward search, by what suits the task; they end when the race is over, or their seconds are."""

    def __init__(self, standing: Standing, limits: Limits, begin: Begin, sharing: Sharing) -> None:
        """Prepare them; ``begin`` begins what goes on beside them, with which they share the processors."""
        self.spent = 0.0
        """CPU seconds by now"""
        self._standing, self._limits, self._begin, self._sharing = standing, limits, begin, sharing
        self._edit_task: EditTask = standing.edit_task
        self._joined = partial(Joined, self._edit_task, with_goal=standing.with_goal, is_over=self._is_over)

    @staticmethod
    def suit(edit_task: EditTask) -> bool:
        """Return whether any of them can prove a repair of the task."""
        return Regression.suits(edit_task) or Joined.suits(edit_task)

    def run(self, *, is_long: bool) -> None:
        """Prove by one after the other. Of a long plan the backward search comes first, as long as it is quick."""
        if self._standing.is_done():
            return
        self._began = time.thread_time()
        self._go_on = self._going_on(inf)
        # Without memory for these, or for NumPy itself, the planner goes on.
        with self._sharing.own(self._limits), suppress(TimeoutError, MemoryError, ImportError):
            if Joined.suits(self._edit_task):
                self._run_joined(self._joined())
            elif Regression.suits(self._edit_task):
                add_up = partial(self._add_up, seconds=self._most_backward)
                # Among tens of thousands of operators each look of the windows takes long.
                soon = partial(self._add_up, seconds=_SOON + _SOON_STEP * len(self._edit_task.tokens))
                self._run_plain([soon, self._sweep, add_up] if is_long else [self._sweep, add_up])

    def _run_joined(self, problem: Problem) -> None:
        """The same where there are, on variables joined."""
        with loading("numpy"):
            from validator.repair.search.sweep import ends

        if ends.suits(problem):
            with self._standing.timed("both ends"):
                self._take(ends.prove(problem, self._standing.bound, self._go_on, self._limits.memory))
        if not self._standing.is_done():
            self._sweep_through(problem)

    def _run_plain(self, searches: Sequence[_Search]) -> None:
        """The same where there are no conditional effects."""
        with loading("numpy"):
            from validator.repair.search.backward.proof import Proof  # NumPy, which most repairs never need

        regression = Regression(self._edit_task, with_goal=self._standing.with_goal, is_over=self._is_over)
        proof = Proof(regression)
        # Of a goal in stages the ways are too many to begin from.
        for own in (*searches, self._whole) if len(regression.stages) == 1 else (self._sweep,):
            if not self._standing.is_done():
                with suppress(TimeoutError):
                    own(proof)

    def _is_over(self) -> bool:
        return not self._go_on(0)

    def _going_on(self, seconds: float) -> Callable[[int], bool]:
        """Return what a search asks with each lower bound: whether there is need for it, and CPU time left."""
        most = time.thread_time() + seconds

        def go_on(bound: int) -> bool:
            self._standing.raise_lower(bound)
            now = time.thread_time()
            self.spent = now - self._began
            self._sharing.rest(self.spent, self._limits)
            return not self._standing.is_done() and self._limits.seconds > 0 and now < most

        return go_on

    def _sweep(self, backward: Proof) -> None:
        self._sweep_through(backward.regression)

    def _sweep_through(self, problem: Problem) -> None:
        """Prove by going through the plan with all states at a place at once."""
        self._go_on = self._going_on(_SWEEP)
        with self._standing.timed("sweep"):
            with loading("numpy"):
                from validator.repair.search.sweep.program import linear
                from validator.repair.search.sweep.proof import prove, suits

            memory = self._limits.memory
            if suits(problem, memory):

                def solve(program: bytes) -> Future[bytes | None]:
                    within = replace(self._limits, cpu=_SOLVE)
                    return self._begin(compute, Path(linear.__file__), program, within, self._standing.is_done)

                found = prove(
                    problem, self._standing.bound, self._go_on, memory, self._take_names, solve, join=self._joined
                )
                self._take(found)

    def _take_names(self, names: Sequence[str]) -> None:
        self._standing.take(self._edit_task.edits(names))

    def _take(self, found: Found) -> None:
        """Take what a search found: edits before the bound that proves them cheapest."""
        if found.names is not None:
            self._take_names(found.names)
        self._standing.raise_lower(found.lower)

    def _add_up(self, backward: Proof, seconds: float) -> None:
        """Prove by windows, and by backward search where that is done soon."""
        self._go_on = self._going_on(seconds)
        bound, memory = self._standing.bound, self._limits.memory

        def hint(names: tuple[str, ...]) -> None:
            self._begin(self._carry_on, names)

        with self._standing.timed("windows"):
            from validator.repair.search.backward.proof import MOST_LOOKS

            found = backward.add_up(bound, self._go_on, memory, hint, MOST_LOOKS)
            self._take(found)
            if not self._standing.is_done() and found.nodes < MOST_LOOKS:
                self._take(backward.whole(bound, self._go_on, memory, MOST_LOOKS))

    def _whole(self, backward: Proof) -> None:
        """Prove by backward search, guided by the windows."""
        self._go_on = self._going_on(self._most_backward)
        with self._standing.timed("windows"):
            self._take(backward.run(self._standing.bound, self._go_on, self._limits.memory))

    @property
    def _most_backward(self) -> float:
        return _BACKWARD + _BACKWARD_STEP * len(self._edit_task.tokens)

    def _carry_on(self, names: Sequence[str]) -> None:
        """Offer a repair out of the edits of windows, which are few, and what they leave to be done."""
        standing = self._standing
        edits = self._edit_task.edits(names)
        if standing.with_goal and (standing.best is None or self._edit_task.cost(edits) < (standing.best.cost or 0)):
            with standing.timed("carried on"):
                repaired = carried_on(self._edit_task, edits, self._limits.within(_CARRY_ON), standing.is_done)
            if repaired is not None:
                standing.take(repaired)
