"""The race for a nearest plan: proofs and searches for better plans side by side, until a bound meets a plan.

What runs is in docs/modified-problem.md; which searches, in ``strategies``. Every plan is executed before it counts.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from contextlib import contextmanager, suppress
from functools import cached_property
from math import inf
from threading import Event, RLock
from typing import TypeAlias

from validator.errors import PlannerError
from validator.execution.simulator import Simulator
from validator.grounding.limits import Limits, Outcome, Status
from validator.grounding.planner import search
from validator.grounding.strategies import BETTER, SECOND_PROOF, SOON, better, has_second_proof, optimal_strategy
from validator.reading.plan import Plan
from validator.records import replace
from validator.repair.edit import LARGEST, Edit, EditTask
from validator.repair.search.answer import Repair
from validator.repair.search.backward.regression import Regression
from validator.repair.search.bridge import bridge
from validator.repair.search.first import carried_on, first_repair
from validator.repair.search.polish import polish
from validator.resources import OutOfTime

__all__ = ["HEAD_START", "Progress", "Race", "Repair"]

Progress: TypeAlias = Callable[[int, int | None], None]

_OwnSearch: TypeAlias = Callable[[Limits], None]

HEAD_START = 0.5
"""Seconds that the proof has for itself: most repairs are done by then, and a second process would only cost."""

_ALONE = 0.1
"""Seconds of these after which a first repair is looked for beside it, so that there is an answer in any case."""

_LONG = 60
"""Steps from which on the backward search is the first to prove."""

_BEHIND, _LAST = 5, 10
"""How nice the planner's proof is to the other searches: an answer comes first, and of a long plan their proof.

So are the searches for better plans to those of this program, which find the best one themselves."""

_OWN_START, _ALONE_STEP = 1.0, 0.003
"""Seconds that the sweep then has before better plans are looked for beside it; of a long plan, for each step, the
backward search behind the head start: they prove such plans before others are of any help."""

_BRIDGE, _BRIDGE_STEP, _POLISH = 2.0, 0.02, 1.0
"""Seconds for repairs fault by fault, more for each step, and for making one better before the second proof."""

_CARRY_ON = 5.0
"""seconds for a plan behind the edits that the windows of the backward search found"""

_BACKWARD, _BACKWARD_STEP = 3.0, 0.1
"""CPU seconds for the backward search, and for each step of the plan: what it has not proven by then, on a plan of some
dozens of steps, the planner does sooner; long plans only it proves."""

_SWEEP = 15.0
"""CPU seconds for the sweep through the plan, which needs more and more of them for each layer of costs"""


class Race:
    """The proof and the search for better plans, side by side; each stops when the other makes it needless."""

    def __init__(
        self,
        edit_task: EditTask,
        simulator: Simulator,
        with_goal: bool,
        cheapest: int | None,
        progress: Progress,
    ) -> None:
        """Prepare the race; ``cheapest`` is the cost that a repaired plan must have, in the task's scaled integers."""
        self.progress = progress
        self.cheapest = cheapest
        self.edit_task = edit_task
        self.simulator = simulator
        self.with_goal = with_goal
        self.best: Repair | None = None
        self.lower = edit_task.forced_cost
        self.over = Event()
        self.lock = RLock()
        self.settled: Outcome | None = None
        self.seconds: dict[str, float] = {}

    def offer(self, found: Repair) -> None:
        """Take a repair that is cheaper than the best one and, where a cheapest plan is asked for, is one."""
        weight = self.edit_task.weighting.insert
        if self.cheapest is not None and (found.cost or 0) // weight != self.cheapest:
            return
        with self.lock:
            if self.best is None or (found.cost or 0) < (self.best.cost or 0):
                self.best = found
                self.progress(self.lower, found.cost)
            self._compare()

    def raise_lower(self, bound: int) -> None:
        """Take a lower bound, without the tokens that can only be skipped."""
        with self.lock:
            if bound + self.edit_task.forced_cost > self.lower:
                self.lower = bound + self.edit_task.forced_cost
                self.progress(self.lower, None if self.best is None else self.best.cost)
            self._compare()

    def _compare(self) -> None:
        if self._is_met():
            self.over.set()

    def run(self, limits: Limits) -> Repair:
        """Run the searches until a proof or a limit; which of them come first is told by what the task is."""
        if self._is_met():
            return self._result(Outcome(status=Status.STOPPED))
        try:
            with ThreadPoolExecutor(max_workers=5) as pool:
                try:
                    outcome = self._run_long(pool, limits) if self.is_long else self._run_short(pool, limits)
                except KeyboardInterrupt:
                    outcome = Outcome(status=Status.INTERRUPTED)
                finally:
                    self.over.set()
        except OutOfTime:  # while what was started ends
            outcome = Outcome(status=Status.TIME_LIMIT)
        return self._result(self.settled or outcome)

    def _run_short(self, pool: ThreadPoolExecutor, limits: Limits) -> Outcome:
        """Begin with the planner's proof: most plans of some dozens of steps need nothing else."""
        proof = pool.submit(self._prove, "proof", self.strategy, limits, _BEHIND)
        wait([proof], timeout=min(_ALONE, limits.seconds))
        first = None if proof.done() else pool.submit(self._first, limits)
        wait([proof], timeout=min(0.0 if first is None else HEAD_START - _ALONE, limits.seconds))
        if not proof.done():
            sweep = pool.submit(self._search_own, limits, [self._sweep, self._regress])
            self._bridge(limits)
            wait([sweep], timeout=0.0 if self.best is None else min(_OWN_START, limits.seconds))
            pool.submit(self._climb, limits, []).result()
            sweep.result()
        outcome = proof.result()
        if first is not None:
            first.result()
        return outcome

    def _run_long(self, pool: ThreadPoolExecutor, limits: Limits) -> Outcome:
        """Begin with the backward search, which alone proves long plans soon, and repairs fault by fault."""
        proof: Future[Outcome] | None = None
        backward = pool.submit(self._search_own, limits, [self._regress, self._sweep])
        bridged = pool.submit(self._bridge, limits)
        self.over.wait(min(HEAD_START, limits.seconds))
        helping = [bridged, backward]
        if self.best is None:
            helping.append(pool.submit(self._first, limits))
        wait([backward], timeout=min(_ALONE_STEP * len(self.edit_task.tokens), limits.seconds))
        if not self._is_done():
            proof = pool.submit(self._prove, "proof", self.strategy, limits, _LAST)
            if len(helping) == 2:
                helping.append(pool.submit(self._first, limits))
            helping.append(pool.submit(self._climb, limits, [backward]))
        for started in helping:
            started.result()
        return Outcome(status=Status.STOPPED) if proof is None else proof.result()

    @cached_property
    def is_long(self) -> bool:
        """Return whether the backward search is the first to prove."""
        return len(self.edit_task.kept) >= _LONG and Regression.suits(self.edit_task)

    @property
    def strategy(self) -> str:
        return optimal_strategy(self.edit_task.task)

    @property
    def _nice(self) -> int:
        """Return how nice searches for better plans are to the searches of this program, which find the best one."""
        return _LAST if Regression.suits(self.edit_task) else 0

    def _first(self, limits: Limits) -> None:
        """Offer some repair, soon, and then one that is near, which repairs fault by fault may not find."""
        if self.best is None and self.with_goal and not self._is_done():
            with self._timed("first"):
                edits = first_repair(
                    self.edit_task,
                    limits,
                    lambda: self._is_done() or self.best is not None,
                    nice=_BEHIND if self.is_long else 0,
                )
            if edits is not None:
                self._take(edits)
        if not self._is_done():
            self._better(SOON, limits)

    @contextmanager
    def _timed(self, phase: str) -> Iterator[None]:
        """Add up the seconds of a phase."""
        start = time.monotonic()
        try:
            yield
        finally:
            self.seconds[phase] = round(self.seconds.get(phase, 0.0) + time.monotonic() - start, 6)

    def _prove(self, phase: str, strategy: str, limits: Limits, nice: int = 0) -> Outcome:
        """Search for a cheapest plan, until the lower bound meets the best plan known."""

        def stop(bound: int) -> bool:
            self.raise_lower(bound)
            return self._is_done()

        with self._timed(phase):
            outcome = search(self.edit_task.text, strategy, limits, stop, nice=nice)
        if outcome.status in (Status.SOLVED, Status.UNSOLVABLE):
            self.settled = outcome
            self.over.set()
        return outcome

    def _search_own(self, limits: Limits, searches: Sequence[_OwnSearch]) -> None:
        """Prove by the searches of this program, one after the other: they share a processor."""
        for own in searches:
            if not self._is_done() and Regression.suits(self.edit_task):
                own(limits)

    def _going_on(self, limits: Limits, seconds: float) -> Callable[[int], bool]:
        """Return what a search asks with each lower bound: whether there is need for it, and CPU time left."""
        most = time.thread_time() + seconds

        def go_on(bound: int) -> bool:
            self.raise_lower(bound)
            return not self._is_done() and limits.seconds > 0 and time.thread_time() < most

        return go_on

    def _bound(self) -> float:
        """Return the cost of the best plan so far, without the tokens that can only be skipped."""
        return inf if self.best is None else (self.best.cost or 0) - self.edit_task.forced_cost

    def _sweep(self, limits: Limits) -> None:
        """Prove by going through the plan with all states at a place at once."""
        go_on = self._going_on(limits, _SWEEP)
        with self._timed("sweep"), suppress(TimeoutError):
            from validator.repair.search.sweep.proof import prove, suits  # NumPy, which most repairs never need

            regression = Regression(self.edit_task, with_goal=self.with_goal, is_over=lambda: not go_on(0))
            if suits(regression):
                found = prove(regression, self._bound, go_on, limits.memory, self._take_names)
                self._take_found(found.names, found.lower)

    def _take_names(self, names: Sequence[str]) -> None:
        self._take(self.edit_task.edits(names))

    def _take_found(self, names: Sequence[str] | None, lower: int) -> None:
        """Take what a search of this program found: edits before the bound that proves them cheapest."""
        if names is not None:
            self._take_names(names)
        self.raise_lower(lower)

    def _regress(self, limits: Limits) -> None:
        """Prove by backward search and windows."""
        go_on = self._going_on(limits, _BACKWARD + _BACKWARD_STEP * len(self.edit_task.tokens))
        with self._timed("windows"), suppress(TimeoutError):
            from validator.repair.search.backward.proof import Proof  # NumPy, which most repairs never need

            regression = Regression(self.edit_task, with_goal=self.with_goal, is_over=lambda: not go_on(0))
            with ThreadPoolExecutor(max_workers=1) as pool:
                carried = list[Future[None]]()

                def hint(names: tuple[str, ...]) -> None:
                    carried.append(pool.submit(self._carry_on, _within(limits, _CARRY_ON), names))

                found = Proof(regression).run(self._bound, go_on, limits.memory, hint)
            for future in carried:
                future.result()
            self._take_found(found.names, found.lower)

    def _carry_on(self, limits: Limits, names: Sequence[str]) -> None:
        """Offer a repair out of the edits of windows, which are few, and what they leave to be done."""
        edits = self.edit_task.edits(names)
        if self.with_goal and (self.best is None or self.edit_task.cost(edits) < (self.best.cost or 0)):
            with self._timed("carried on"):
                repaired = carried_on(self.edit_task, edits, limits, self._is_done)
            if repaired is not None:
                self._take(repaired)

    def _climb(self, limits: Limits, first: Sequence[Future[None]]) -> None:
        """Search for better and better plans, and for a second proof, until a proof is done.

        The second proof waits until the ``first`` ones have failed, which would prove sooner with the processor alone.
        """
        rungs = list(BETTER)
        while self.best is None and not self._is_done() and rungs[0][1] < inf:
            self._better(rungs.pop(0), limits)
        self._polish(limits if first else _within(limits, _POLISH))
        wait(first, timeout=limits.seconds)
        if not self._is_done() and has_second_proof(self.edit_task.task):
            self._prove("second proof", SECOND_PROOF, limits, self._nice)
        self._polish(limits)
        while rungs and not self._is_done():
            self._better(rungs.pop(0), limits)

    def _better(self, rung: tuple[str, float], limits: Limits) -> None:
        """Search for a plan that is cheaper than the best one."""
        cost = None if self.best is None else (self.best.cost or 0) - self.edit_task.forced_cost
        with self._timed("better plans"):
            text = self.edit_task.text
            outcome = search(text, better(rung, cost), limits, lambda _: self._is_done(), nice=self._nice)
        if outcome.status is Status.SOLVED:
            self.offer(self._found(outcome))

    def _is_done(self) -> bool:
        return self.over.is_set()

    def _bridge(self, limits: Limits) -> None:
        """Offer a repair fault by fault, which is there early even for long plans."""
        within = _within(limits, _BRIDGE + _BRIDGE_STEP * len(self.edit_task.tokens))
        with self._timed("bridge"):
            edits = bridge(self.edit_task, self.strategy, within, self._is_done, with_goal=self.with_goal)
        if edits is not None:
            self.offer(self.checked(edits))

    def _polish(self, limits: Limits) -> None:
        """Make the best plan better, change by change."""
        best = self.best
        if best is None or best.edits is None or self._is_done():
            return
        with self._timed("better plans"):
            polish(
                self.edit_task,
                best.edits,
                self.strategy,
                limits,
                self._take,
                self._is_done,
                with_goal=self.with_goal,
                nice=self._nice,
            )

    def _take(self, edits: tuple[Edit, ...]) -> None:
        self.offer(self.checked(edits))

    def _is_met(self) -> bool:
        return self.best is not None and self.lower >= (self.best.cost or 0)

    def _found(self, outcome: Outcome) -> Repair:
        """Read a plan of the modified task."""
        return self.checked(self.edit_task.edits(outcome.plan))

    def checked(self, edits: tuple[Edit, ...]) -> Repair:
        """Return a repair after executing the plan that it stands for."""
        repaired = Repair(status=Status.SOLVED, edits=edits, cost=self.edit_task.cost(edits))
        trace = self.simulator.run(Plan(parts=repaired.plan or ()))
        if not (trace.is_valid if self.with_goal else trace.is_sound):
            faults = "; ".join(str(failure) for failure in trace.failures[:3])
            raise PlannerError(f"the planner's answer does not execute: {faults}")
        return repaired

    def _result(self, outcome: Outcome) -> Repair:
        if outcome.status is Status.UNSOLVABLE:
            return Repair(status=Status.UNSOLVABLE, proven=True, seconds=self.seconds)
        if outcome.status is Status.SOLVED:
            self.best = self._found(outcome)
            self.lower = self.best.cost or 0
        if self.best is None:
            return Repair(status=outcome.status, lower_bound=self.lower, seconds=self.seconds)
        proven = self._is_met() and _fits(self.edit_task, self.best)
        status = Status.SOLVED if proven or outcome.status is Status.SOLVED else outcome.status
        lower = min(self.lower, self.best.cost or 0)
        return replace(self.best, status=status, lower_bound=lower, proven=proven, seconds=self.seconds)


def _within(limits: Limits, seconds: float) -> Limits:
    """Return limits that end after some seconds, if not before."""
    return replace(limits, deadline=min(limits.deadline, time.monotonic() + seconds))


def _fits(edit_task: EditTask, repaired: Repair) -> bool:
    """Return whether no path that is looked at before a plan of this cost can overflow."""
    weighting = edit_task.weighting
    dearest = max((operator.cost for operator in edit_task.task.operators), default=0)
    return (repaired.cost or 0) + max(weighting.skip, weighting.insertion(dearest)) <= LARGEST
