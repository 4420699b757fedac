"""The nearest plan over time: fewest steps dropped and inserted, then fewest steps at other times.

The search over orders starts alone. When it has found nothing after some seconds, a greedy search looks for any plan;
then the search over orders goes on. Every plan is executed before it counts.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence

from validator.alarms import OutOfTime
from validator.errors import PlannerError
from validator.grounding.limits import Status
from validator.reading.plan import Plan, Step
from validator.records import replace
from validator.repair.time.matching import matched, scheduled
from validator.repair.time.observed import OWN_SEARCH, Asked, Nearest, Observed
from validator.repair.time.schedule import fewest_moves
from validator.repair.time.search.node import Node, Order
from validator.repair.time.search.orders import Orders
from validator.repair.time.search.parts import obstacle
from validator.repair.time.single import dropped, moved
from validator.resources import loading
from validator.texts import decimal

__all__ = ["nearest"]

_HEAD_START = 3.0
"""Seconds that our own search has for itself."""

_PATIENCE = 3.0
"""CPU seconds of the search after which the best plan is returned without a proof, when none better has come. The clock
does not count here: a busy machine must not decide what is proven."""

_SHARE = 0.5
"""of the time that is left, for a greedy search, at most"""

_PREPARATION = 0.3
"""of the time, for what the search over orders prepares, at most: a greedy search needs the rest more."""

_GREEDY = "plan-validator's greedy search"

_MOST_BYTES = 2**30
"""What all nodes may take."""


def nearest(asked: Asked) -> Nearest:
    """Return the nearest plan over time that has a quality, as far as it is found within the limits."""
    return _Search(asked).run()


class _Search:
    def __init__(self, asked: Asked) -> None:
        self.asked = asked
        self.best: Nearest | None = None
        self.found_at = 0.0
        """the CPU time of this thread when the best plan was found"""
        self.doubt = ""
        """why something nearer may have been overlooked"""
        self.least_moves: int | None = None
        self.orders: Orders | None = None
        self.is_interrupted = False
        self.insertable: Sequence[Step] = self._insertable()
        self.observed = Observed(asked, None if self.doubt else frozenset(self.insertable))
        self.doubt = obstacle(self.observed.model)
        if not self.doubt:
            self.orders = self._orders()

    def _orders(self) -> Orders | None:
        observed, places = self.observed, Plan(parts=self.asked.tokens).places
        limits = self.asked.limits.within(_PREPARATION * self.asked.limits.seconds)
        if observed.grid.is_coarse:
            self._doubt("some times have more than six decimals")
        at_fault = {failure.step for failure in self.asked.failures}
        try:
            orders = Orders(
                observed.model,
                observed.grid,
                observed.timed,
                self.insertable,
                {index for index, place in enumerate(places) if place in at_fault},
                with_goal=self.asked.with_goal,
                is_over=lambda: not limits.seconds,
                budget=self.asked.budget,
            )
        except TimeoutError:
            self._doubt("the time limit was met before the search began")
            return None
        orders.is_over = lambda: not self.asked.limits.seconds
        orders.needless = self._is_needless
        return orders

    def _insertable(self) -> Sequence[Step]:
        try:
            steps = self.asked.reachable()
        except PlannerError as error:
            self._doubt(f"the steps that may be inserted are not known: {error}")
            return ()
        if isinstance(steps, Status):
            self._doubt(f"the {steps.value} was met before the steps that may be inserted were known")
            return ()
        return steps

    def _doubt(self, why: str) -> None:
        self.doubt = self.doubt or why

    def _first(self) -> None:
        """Look for a plan by greedy search."""
        with loading("numpy"):
            from validator.repair.time.greedy.plans import greedy_plan  # NumPy, which few plans need

        observed, limits = self.observed, self.asked.limits
        steps = [observed.steps[timed.subject.number] for timed in observed.timed]
        plan = greedy_plan(
            observed.model,
            observed.grid,
            self.insertable,
            steps,
            with_goal=self.asked.with_goal,
            limits=limits.within(_SHARE * limits.seconds),
        )
        if plan is not None:
            self._matched(plan, _GREEDY)

    # --- the course ----------------------------------------------------------------------------

    def run(self) -> Nearest:
        try:
            self._search()
        except OutOfTime:  # in what does not look at the clock
            self._doubt("the time limit was met")
        return self._answer()

    def _search(self) -> None:
        if self.asked.known is not None and not self._matched(self.asked.known, OWN_SEARCH):
            self._doubt("the plan that is known does not execute again")
        start = time.monotonic()
        if self.orders is None:
            self._singles()
        else:
            self._own(self.orders, lambda: self._is_over() or time.monotonic() - start > _HEAD_START)
        if self._is_settled() or self._is_over():
            return
        if self.best is None and self.insertable:
            self._first()
        if self.orders is not None:
            self._own(self.orders, self._is_over)

    def _is_over(self) -> bool:
        limits = self.asked.limits
        if self.is_interrupted or not limits.seconds:
            return True
        if self.orders is not None and self.orders.size > min(limits.memory, _MOST_BYTES):
            self._doubt("the search took too much memory")
            self.orders = None
        return self.best is not None and time.thread_time() - self.found_at > _PATIENCE

    def _own(self, orders: Orders, stop: Callable[[], bool]) -> None:
        """Search over orders until nothing better is left, or ``stop`` says so."""

        def ended() -> bool:
            return stop() or self.orders is None or self._is_settled()

        try:
            for _, order in orders.run(ended):
                self._take(order)
        except TimeoutError:
            return
        except KeyboardInterrupt:
            self._doubt("the search was interrupted")
            self.is_interrupted = True

    def _is_needless(self, node: Node) -> bool:
        """Return whether no plan beyond a node is nearer than the best one."""
        if self.best is None or self.observed.forced + node.level < self.best.changed[0]:
            return False
        return fewest_moves(node, self.observed.timed) >= self.best.changed[1]

    def _take(self, order: Order) -> None:
        answer, is_exact = scheduled(self.observed, order, OWN_SEARCH)
        if not is_exact:
            self._doubt("not all times for an order of starts and ends were tried")
        if not self._offer(answer):
            self._doubt("an order of starts and ends may have other times at which it has the quality")

    def _singles(self) -> None:
        """Try the changes of one step."""
        observed, steps = self.observed, self.observed.whole()

        def accepted(plan: Sequence[Step]) -> bool:
            return self.asked.accepted(tuple(plan))

        if observed.forced and self._offer(observed.answer(observed.steps)):
            return
        one = moved(steps, self.asked.happening, observed.grid, accepted, self._is_over)
        if one is not None:
            self._offer(observed.answer(observed.with_step(*one)))
            return
        without = dropped(steps, accepted, self._is_over)
        if without is not None:
            self._offer(observed.answer(observed.with_step(without, None)))

    def _offer(self, answer: Nearest) -> bool:
        """Take a plan, if it is better than the best one and accepted; return False for one that is not accepted."""
        if self.best is not None and answer.distance >= self.best.distance:
            return True
        if not self.asked.accepted(answer.plan):
            return False
        self.best, self.found_at = answer, time.thread_time()
        return True

    def _answer(self) -> Nearest:
        resolution, doubt = self.observed.grid.time(1), self._why()
        if self.best is not None and self._is_proven():
            return replace(self.best, by=OWN_SEARCH, proven=True, resolution=resolution)
        if self.best is not None:
            return replace(self.best, doubt=doubt or "the search was ended before all orders were tried")
        if self.orders is not None and self.orders.lower is None and not doubt:
            if not self.orders.nodes.is_exact:
                doubt = f"there is none at multiples of {decimal(resolution)}, and other times were not tried"
                return Nearest(status=Status.STOPPED, doubt=doubt)
            return Nearest(status=Status.UNSOLVABLE, proven=True, resolution=resolution)
        status = Status.STOPPED if self.asked.limits.seconds and not self.is_interrupted else Status.TIME_LIMIT
        return Nearest(status=status, doubt=doubt)

    # --- proofs --------------------------------------------------------------------------------

    def _why(self) -> str:
        """Return why levels that have nothing left may hold a plan that is not known, empty where they cannot."""
        return self.doubt or ("" if self.orders is None else self.orders.nodes.doubt)

    def _is_settled(self) -> bool:
        """Return whether nothing better is left to be found."""
        if self.orders is None:
            return self._is_proven()
        lower = self.orders.lower
        if lower is None or self._is_proven():
            return True
        return self.best is not None and self.observed.forced + lower > self.best.changed[0]

    def _is_proven(self) -> bool:
        """Return whether no plan is nearer than the best one."""
        if self.best is None:
            return False
        level, moves = self.best.changed
        level -= self.observed.forced
        if not level and moves <= self._least_moves():
            return True
        if self.orders is None or self._why():
            return False
        lower = self.orders.lower
        return lower is None or lower > level or (lower == level and not moves)

    def _least_moves(self) -> int:
        """Return how many steps must move at least where no more are dropped than must be, and none is inserted."""
        observed = self.observed
        if self.least_moves is None:  # the observed plan has not the quality; without what does not fit, it may have
            self.least_moves = int(not observed.forced or not self.asked.accepted(tuple(observed.whole())))
        return self.least_moves

    def _matched(self, steps: Sequence[Step], finder: str) -> bool:
        nodes = None if self.orders is None else self.orders.nodes
        found = matched(self.observed, nodes, self.asked.simulator, steps, self.asked.accepted, finder)
        return found is not None and self._offer(found)
