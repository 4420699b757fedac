"""The race for a nearest plan: proofs and searches for better plans side by side, until a bound meets a plan.

What runs is in docs/modified-problem.md; which searches, in ``strategies``. Every plan is executed before it counts.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor, wait
from functools import cached_property, partial
from math import inf
from typing import Any, TypeVar

from validator.alarms import OutOfTime
from validator.grounding.limits import Limits, Outcome, Status
from validator.grounding.planner import search
from validator.grounding.strategies import BETTER, SECOND_PROOF, SOON, better, has_second_proof, optimal_strategy
from validator.repair.search.answer import Repair
from validator.repair.search.backward.regression import Regression
from validator.repair.search.own import OwnSearches
from validator.repair.search.plans.bridge import bridge
from validator.repair.search.plans.first import first_repair
from validator.repair.search.plans.polish import polish
from validator.repair.search.sharing import Sharing
from validator.repair.search.standing import Standing

__all__ = ["HEAD_START", "Race"]

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

_TO_CLIMB = (1.0, 0.0, inf)
"""CPU seconds, and for each step, that the sweep then has before repairs fault by fault and better plans are looked for
beside it, where there is a repair."""

_TO_FIRST, _TO_BRIDGE = (0.1, 0.0006, 2.0), (0.5, 0.0015, 4.0)
"""The same of long plans, and at the most, before a first repair is looked for, and repairs fault by fault."""

_TO_PROOF = (2.0, 0.004, inf)
"""The same of long plans for the searches of this program, before the planner's proofs begin beside them: they prove
such plans before others are of any help."""

_SHARE = 0.1
"""of the time that is left, after which a first repair is looked for at the latest, and repairs fault by fault after
twice of it: of a plan of 10,000 steps and more there is one in time, too."""

_BUSY, _LOOK = 4.0, 0.05
"""Times these seconds by the clock after which others begin in any case, and seconds between two looks at them."""

_PATIENCE = 2.0
"""Seconds after which a proof of the planner ends whose bound the searches of this program have passed: layers take
longer and longer, so it hardly ever comes back, and takes half of the machine. It begins anew where they fail."""

_BRIDGE, _BRIDGE_STEP, _POLISH = 2.0, 0.02, 1.0
"""Seconds for repairs fault by fault, more for each step, and for making one better before the second proof."""

_NEAR = 1.5
"""times what any repair costs at least: one that costs no more is near"""

_TO_END = 0.2
"""Seconds behind the limit in which searches end: each looks at the clock all the time, and ends its planner."""


class Race:
    """The proof and the search for better plans, side by side; each stops when the other makes it needless."""

    def __init__(self, standing: Standing) -> None:
        """Prepare a race from where things stand."""
        self.standing, self.edit_task = standing, standing.edit_task
        self._begun: list[Future[Any]] = []
        self._own: Future[None] | None = None
        self._sharing = Sharing(standing)
        self._latest = inf

    def run(self, limits: Limits) -> Repair:
        """Run the searches until a proof or a limit; which of them come first is told by what the task is."""
        if self.standing.is_met():
            return self.standing.result(Outcome(status=Status.STOPPED))
        self._pool = ThreadPoolExecutor(max_workers=6)
        try:
            try:
                outcome = self._run_long(limits) if self.is_long else self._run_short(limits)
            except KeyboardInterrupt:
                outcome = Outcome(status=Status.INTERRUPTED)
            finally:
                self.standing.end()
                wait(self._begun, timeout=self._to_end(limits))
        except (OutOfTime, TimeoutError):
            outcome = Outcome(status=Status.TIME_LIMIT)
        finally:
            # A search that does not look at the clock just now ends soon, and nobody waits for it.
            self._pool.shutdown(wait=False)
        return self.standing.result(outcome)

    def _to_end(self, limits: Limits) -> float:
        """Return the seconds in which all searches are to end: those behind the limit they share."""
        self._latest = min(self._latest, time.monotonic() + limits.seconds + _TO_END)
        return max(0.0, self._latest - time.monotonic())

    def _ended(self, search: Future[_T], limits: Limits) -> _T:
        """Return how a search ended. Raises TimeoutError where it does not look at the clock."""
        return search.result(timeout=self._to_end(limits))

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
            own = OwnSearches(self.standing, limits, self._begin, self._sharing)
            self._own = self._begin(partial(own.run, is_long=False))
            if self.standing.best is not None:
                self._wait_own(own, self._own, limits, _TO_CLIMB)
            if not self.standing.is_done():
                self._bridge(limits)
            if first is not None and self.standing.with_goal:  # it looks for any plan, and has the processors for that
                self._wait_any(first, limits)
            self._begin(self._soon, limits)
            self._begin(self._climb, limits)
        return self._proof_ended(proof, limits)

    def _run_long(self, limits: Limits) -> Outcome:
        """Begin with the searches of this program, which alone prove long plans soon; others come one by one."""
        proof: Future[Outcome] | None = None
        own = OwnSearches(self.standing, limits, self._begin, self._sharing)
        begun = self._own = self._begin(partial(own.run, is_long=True))
        self._wait_own(own, begun, limits, _TO_FIRST, _SHARE)
        if not self.standing.is_done():
            self._begin(self._first, limits)
        self._wait_own(own, begun, limits, _TO_BRIDGE, 2 * _SHARE)
        if not self.standing.is_done():
            self._begin(self._bridge, limits)
        self._wait_own(own, begun, limits, _TO_PROOF)
        if not self.standing.is_done():
            proof = self._begin(self._prove, "proof", self.strategy, limits, _LAST)
            self._begin(self._soon, limits)
            self._begin(self._climb, limits)
        if proof is not None:
            return self._proof_ended(proof, limits)
        self._all_ended(limits)
        return Outcome(status=Status.STOPPED)

    def _proof_ended(self, proof: Future[Outcome], limits: Limits) -> Outcome:
        """Wait for all searches, and return how the planner's proof ended, which begins anew where it gave way."""
        outcome = self._ended(proof, limits)
        if self._own is not None:
            self._ended(self._own, limits)
            if outcome.status is Status.STOPPED and not self.standing.is_done():
                outcome = self._ended(self._begin(self._prove, "proof", self.strategy, limits, _BEHIND), limits)
        self._all_ended(limits)
        return outcome

    def _all_ended(self, limits: Limits) -> None:
        for search_begun in self._begun:
            self._ended(search_begun, limits)

    def _wait_own(
        self,
        own: OwnSearches,
        begun: Future[None],
        limits: Limits,
        seconds: tuple[float, float, float],
        share: float = 1.0,
    ) -> None:
        """Wait until the searches of this program ended, or had so many CPU seconds, which takes on a busy machine.

        ``share`` is of the time that is left, and as much as they have at the most.
        """
        start, step, most = seconds
        most = min(start + step * len(self.edit_task.tokens), most, share * limits.seconds)
        latest = time.monotonic() + min(_BUSY * most, limits.seconds)
        while not begun.done() and not self.standing.is_done() and own.spent < most and time.monotonic() < latest:
            wait([begun], timeout=_LOOK)

    def _wait_any(self, first: Future[None], limits: Limits) -> None:
        """Wait until there is a repair, or the search for a first one ended."""
        while self.standing.best is None and not self.standing.is_done() and not first.done() and limits.seconds > 0:
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
        return _LAST if self._sharing.is_answer_wanted or OwnSearches.suit(self.edit_task) else 0

    def _first(self, limits: Limits) -> None:
        """Offer some repair, soon."""
        sharing = self._sharing
        if sharing.is_answer_wanted:
            with self.standing.timed("first"), sharing.looking():
                edits = first_repair(self.edit_task, limits, lambda: not sharing.is_answer_wanted, sharing.turns)
            if edits is not None:
                self.standing.take(edits)

    def _soon(self, limits: Limits) -> None:
        """Offer a repair that is near, where repairs fault by fault have not found one that may be."""
        best, lower = self.standing.best, self.standing.lower
        if not self.standing.is_done() and (best is None or (best.cost or 0) > _NEAR * lower):
            self._better(SOON, limits)

    def _prove(self, phase: str, strategy: str, limits: Limits, nice: int = 0) -> Outcome:
        """Search for a cheapest plan, until the lower bound meets the best plan known, or is left behind by another."""
        patience = limits.within(_PATIENCE)

        def stop(bound: int) -> bool:
            self.standing.raise_lower(bound)
            return self.standing.is_done() or (patience.seconds == 0 and self._is_behind(bound))

        # With the searches for any plan: while there is none, they come first together.
        with self.standing.timed(phase), self._sharing.turns.part(1) as part:
            outcome = search(self.edit_task.text, strategy, limits, stop, nice=nice, rests=part.rests)
        if outcome.status in (Status.SOLVED, Status.UNSOLVABLE):
            self.standing.settle(outcome)
        return outcome

    def _is_behind(self, bound: int) -> bool:
        """Return whether a bound is less than what is proven, while the searches of this program go on."""
        is_going_on = self._own is not None and not self._own.done()
        return is_going_on and bound + self.edit_task.forced_cost < self.standing.lower

    def _climb(self, limits: Limits) -> None:
        """Search for better and better plans, and for a second proof, until a proof is done.

        The second proof waits until the searches of this program have failed, which prove sooner with the processor.
        """
        rungs = list(BETTER)
        while self.standing.best is None and not self.standing.is_done() and rungs[0][1] < inf:
            self._better(rungs.pop(0), limits)
        self._polish(limits if self.is_long else limits.within(_POLISH))
        if self._own is not None:
            wait([self._own], timeout=limits.seconds)
        if not self.standing.is_done() and has_second_proof(self.edit_task.task):
            self._prove("second proof", SECOND_PROOF, limits, self._nice)
        self._polish(limits)
        while rungs and not self.standing.is_done():
            self._better(rungs.pop(0), limits)

    def _better(self, rung: tuple[str, float], limits: Limits) -> None:
        """Search for a plan that is cheaper than the best one."""
        cost = None if self.standing.best is None else (self.standing.best.cost or 0) - self.edit_task.forced_cost
        with self.standing.timed("better plans"):
            text = self.edit_task.text
            outcome = search(text, better(rung, cost), limits, lambda _: self.standing.is_done(), nice=self._nice)
        if outcome.status is Status.SOLVED:
            self.standing.offer(self.standing.found(outcome))

    def _bridge(self, limits: Limits) -> None:
        """Offer a repair fault by fault, which is there early even for long plans."""
        within = limits.within(_BRIDGE + _BRIDGE_STEP * len(self.edit_task.tokens))
        with self.standing.timed("bridge"):
            with_goal = self.standing.with_goal
            edits = bridge(self.edit_task, self.strategy, within, self.standing.is_done, with_goal=with_goal)
        if edits is not None:
            self.standing.take(edits)

    def _polish(self, limits: Limits) -> None:
        """Make the best plan better, change by change."""
        best = self.standing.best
        if best is None or best.edits is None or self.standing.is_done():
            return
        with self.standing.timed("better plans"):
            polish(
                self.edit_task,
                best.edits,
                self.strategy,
                limits,
                self.standing.take,
                self.standing.is_done,
                with_goal=self.standing.with_goal,
                nice=self._nice,
            )
