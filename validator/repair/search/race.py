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
from pathlib import Path
from threading import Event, RLock
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar

from validator.errors import PlannerError
from validator.execution.simulator import Simulator
from validator.grounding.limits import Limits, Outcome, Status
from validator.grounding.planner import compute, search
from validator.grounding.strategies import BETTER, SECOND_PROOF, SOON, better, has_second_proof, optimal_strategy
from validator.reading.plan import Plan
from validator.records import replace
from validator.repair.edit import LARGEST, Edit, EditTask
from validator.repair.search.answer import Repair
from validator.repair.search.backward.regression import Regression
from validator.repair.search.bridge import bridge
from validator.repair.search.first import carried_on, first_repair
from validator.repair.search.polish import polish
from validator.resources import OutOfTime, loading

if TYPE_CHECKING:
    from validator.repair.search.backward.proof import Proof
    from validator.repair.search.backward.search import Found

__all__ = ["HEAD_START", "Progress", "Race", "Repair"]

Progress: TypeAlias = Callable[[int, int | None], None]

_OwnSearch: TypeAlias = "Callable[[Limits, Proof], None]"

_T = TypeVar("_T")

HEAD_START = 0.5
"""Seconds that the proof has for itself: most repairs are done by then, and a second process would only cost."""

_ALONE = 0.1
"""Seconds of these after which a first repair is looked for beside it, so that there is an answer in any case."""

_LONG = 60
"""Steps from which on the backward search is the first to prove."""

_BEHIND, _LAST = 5, 10
"""How nice the planner's proof is to the other searches: an answer comes first, and of a long plan their proof.

So are the searches for better plans to those of this program, which find the best one themselves."""

_TO_CLIMB = (1.0, 0.0)
"""CPU seconds, and for each step, that the sweep then has before repairs fault by fault and better plans are looked for
beside it, where there is a repair."""

_TO_FIRST, _TO_BRIDGE = (0.1, 0.0006), (0.5, 0.0015)
"""The same of long plans, before a first repair is looked for, and repairs fault by fault."""

_TO_PROOF = (2.0, 0.004)
"""The same of long plans for the searches of this program, before the planner's proofs begin beside them: they prove
such plans before others are of any help."""

_BUSY, _LOOK = 4.0, 0.05
"""Times these seconds by the clock after which others begin in any case, and seconds between two looks at them."""

_BRIDGE, _BRIDGE_STEP, _POLISH = 2.0, 0.02, 1.0
"""Seconds for repairs fault by fault, more for each step, and for making one better before the second proof."""

_CARRY_ON = 5.0
"""seconds for a plan behind the edits that the windows of the backward search found"""

_BACKWARD, _BACKWARD_STEP = 3.0, 0.1
"""CPU seconds for the backward search, and for each step of the plan: what it has not proven by then, on a plan of some
dozens of steps, the planner does sooner; long plans only it proves."""

_TO_END = 0.3
"""Seconds behind the limit in which searches end: each looks at the clock all the time, and ends its planner."""

_SWEEP = 15.0
"""CPU seconds for the sweep through the plan, which needs more and more of them for each layer of costs"""

_SOLVE = 20
"""CPU seconds for the linear program of the sweep"""


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
        self.own_spent = 0.0
        self._begun: list[Future[Any]] = []
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
        self._pool = ThreadPoolExecutor(max_workers=6)
        try:
            try:
                outcome = self._run_long(limits) if self.is_long else self._run_short(limits)
            except KeyboardInterrupt:
                outcome = Outcome(status=Status.INTERRUPTED)
            finally:
                self.over.set()
                wait(self._begun, timeout=limits.seconds + _TO_END)
        except (OutOfTime, TimeoutError):
            outcome = Outcome(status=Status.TIME_LIMIT)
        finally:
            # A search that does not look at the clock just now ends soon, and nobody waits for it.
            self._pool.shutdown(wait=False)
        with self.lock:
            self.progress = lambda lower, best: None
            return self._result(self.settled or outcome)

    def _begin(self, search: Callable[..., _T], *given: object) -> Future[_T]:
        """Begin a search in a thread of its own."""
        self._begun.append(begun := self._pool.submit(search, *given))
        return begun

    def _run_short(self, limits: Limits) -> Outcome:
        """Begin with the planner's proof: most plans of some dozens of steps need nothing else."""
        proof = self._begin(self._prove, "proof", self.strategy, limits, _BEHIND)
        wait([proof], timeout=min(_ALONE, limits.seconds))
        first = None if proof.done() else self._begin(self._first, limits)
        wait([proof], timeout=min(0.0 if first is None else HEAD_START - _ALONE, limits.seconds))
        if not proof.done():
            sweep = self._begin(self._search_own, limits, [self._sweep, self._add_up, self._whole])
            if self.best is not None:
                self._wait_own(sweep, limits, _TO_CLIMB)
            if not self._is_done():
                self._bridge(limits)
            if first is not None and self.with_goal:  # which looks for any plan, and has the processors for that
                self._wait_any(first, limits)
            _ended(self._begin(self._climb, limits, []), limits)
            _ended(sweep, limits)
        outcome = _ended(proof, limits)
        for begun in self._begun:
            _ended(begun, limits)
        return outcome

    def _run_long(self, limits: Limits) -> Outcome:
        """Begin with the searches of this program, which alone prove long plans soon; others come one by one."""
        proof: Future[Outcome] | None = None
        own = self._begin(self._search_own, limits, [self._add_up, self._sweep, self._whole])
        self._wait_own(own, limits, _TO_FIRST)
        if not self._is_done():
            self._begin(self._first, limits)
        self._wait_own(own, limits, _TO_BRIDGE)
        if not self._is_done():
            self._begin(self._bridge, limits)
        self._wait_own(own, limits, _TO_PROOF)
        if not self._is_done():
            proof = self._begin(self._prove, "proof", self.strategy, limits, _LAST)
            self._begin(self._soon, limits)
            self._begin(self._climb, limits, [own])
        for begun in self._begun:
            _ended(begun, limits)
        return Outcome(status=Status.STOPPED) if proof is None else _ended(proof, limits)

    def _wait_own(self, own: Future[None], limits: Limits, seconds: tuple[float, float]) -> None:
        """Wait until the searches of this program ended, or had so many CPU seconds, which takes on a busy machine."""
        start, step = seconds
        most = start + step * len(self.edit_task.tokens)
        latest = time.monotonic() + min(_BUSY * most, limits.seconds)
        while not own.done() and not self._is_done() and self.own_spent < most and time.monotonic() < latest:
            wait([own], timeout=_LOOK)

    def _wait_any(self, first: Future[None], limits: Limits) -> None:
        """Wait until there is a repair, or the search for a first one ended."""
        latest = time.monotonic() + limits.seconds
        while self.best is None and not self._is_done() and not first.done() and time.monotonic() < latest:
            wait([first], timeout=_LOOK)

    @cached_property
    def is_long(self) -> bool:
        """Return whether the backward search is the first to prove."""
        return len(self.edit_task.kept) >= _LONG and Regression.suits(self.edit_task)

    @property
    def strategy(self) -> str:
        return optimal_strategy(self.edit_task.task)

    @property
    def _nice(self) -> int:
        """Return how nice searches for better plans are: to the searches of this program, and to those for any plan."""
        is_any_sought = self.best is None and self.with_goal
        return _LAST if is_any_sought or Regression.suits(self.edit_task) else 0

    def _first(self, limits: Limits) -> None:
        """Offer some repair, soon; of a plan that is not long, then one that is near."""
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
        if not self.is_long:
            self._soon(limits)

    def _soon(self, limits: Limits) -> None:
        """Offer a repair that is near, which repairs fault by fault may not find."""
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
        """Prove by the searches of this program, one after the other: they share a processor and what they read."""
        if self._is_done() or not Regression.suits(self.edit_task):
            return
        # Without memory for these, or for NumPy itself, the planner goes on.
        with suppress(TimeoutError, MemoryError, ImportError):
            with loading():
                from validator.repair.search.backward.proof import Proof  # NumPy, which most repairs never need

            self._began = time.thread_time()
            self._go_on = self._going_on(limits, inf)
            regression = Regression(self.edit_task, with_goal=self.with_goal, is_over=lambda: not self._go_on(0))
            proof = Proof(regression)
            # Of a goal in stages the ways are too many to begin from.
            for own in searches if len(regression.stages) == 1 else [self._sweep]:
                if not self._is_done():
                    with suppress(TimeoutError):
                        own(limits, proof)

    def _going_on(self, limits: Limits, seconds: float) -> Callable[[int], bool]:
        """Return what a search asks with each lower bound: whether there is need for it, and CPU time left."""
        most = time.thread_time() + seconds

        def go_on(bound: int) -> bool:
            self.raise_lower(bound)
            now = time.thread_time()
            self.own_spent = now - self._began
            return not self._is_done() and limits.seconds > 0 and now < most

        return go_on

    def _bound(self) -> float:
        """Return the cost of the best plan so far, without the tokens that can only be skipped."""
        return inf if self.best is None else (self.best.cost or 0) - self.edit_task.forced_cost

    def _sweep(self, limits: Limits, backward: Proof) -> None:
        """Prove by going through the plan with all states at a place at once."""
        self._go_on = self._going_on(limits, _SWEEP)
        with self._timed("sweep"):
            from validator.repair.search.sweep import linear
            from validator.repair.search.sweep.proof import prove, suits

            if suits(backward.regression, limits.memory):

                def solve(program: bytes) -> Future[bytes | None]:
                    within = replace(limits, cpu=_SOLVE)
                    return self._begin(compute, Path(linear.__file__), program, within, self._is_done)

                regression = backward.regression
                found = prove(regression, self._bound, self._go_on, limits.memory, self._take_names, solve)
                self._take_found(found)

    def _take_names(self, names: Sequence[str]) -> None:
        self._take(self.edit_task.edits(names))

    def _take_found(self, found: Found) -> None:
        """Take what a search of this program found: edits before the bound that proves them cheapest."""
        if found.names is not None:
            self._take_names(found.names)
        self.raise_lower(found.lower)

    def _add_up(self, limits: Limits, backward: Proof) -> None:
        """Prove by windows, and by backward search where that is done soon."""
        self._go_on = self._going_on(limits, self._most_backward)

        def hint(names: tuple[str, ...]) -> None:
            self._begin(self._carry_on, _within(limits, _CARRY_ON), names)

        with self._timed("windows"):
            from validator.repair.search.backward.proof import MOST_LOOKS

            found = backward.add_up(self._bound, self._go_on, limits.memory, hint, MOST_LOOKS)
            self._take_found(found)
            if not self._is_done() and found.nodes < MOST_LOOKS:
                self._take_found(backward.whole(self._bound, self._go_on, limits.memory, MOST_LOOKS))

    def _whole(self, limits: Limits, backward: Proof) -> None:
        """Prove by backward search, guided by the windows."""
        self._go_on = self._going_on(limits, self._most_backward)
        with self._timed("windows"):
            self._take_found(backward.run(self._bound, self._go_on, limits.memory))

    @property
    def _most_backward(self) -> float:
        return _BACKWARD + _BACKWARD_STEP * len(self.edit_task.tokens)

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


def _ended(search: Future[_T], limits: Limits) -> _T:
    """Return how a search ended. Raises TimeoutError where it does not look at the clock."""
    return search.result(timeout=limits.seconds + _TO_END)


def _within(limits: Limits, seconds: float) -> Limits:
    """Return limits that end after some seconds, if not before."""
    return replace(limits, deadline=min(limits.deadline, time.monotonic() + seconds))


def _fits(edit_task: EditTask, repaired: Repair) -> bool:
    """Return whether no path that is looked at before a plan of this cost can overflow."""
    weighting = edit_task.weighting
    dearest = max((operator.cost for operator in edit_task.task.operators), default=0)
    return (repaired.cost or 0) + max(weighting.skip, weighting.insertion(dearest)) <= LARGEST
