"""The search for the best plan over time, the nearest or the cheapest one, whichever way that is measured.

The search over orders has a head start, or none. Then a greedy search looks for a plan, and the search over orders goes
on. Every plan is executed before it counts.
"""

from __future__ import annotations

import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Sequence
from fractions import Fraction
from math import inf

from validator.alarms import OutOfTime
from validator.errors import PlannerError
from validator.grounding.limits import Limits, Status
from validator.model.values import And
from validator.reading.plan import Step
from validator.repair.proved import Prover
from validator.repair.time.greedy import GreedyOrders
from validator.repair.time.nodes import Cost, Node, Nodes, Order
from validator.repair.time.observed import (
    Observed,
    TemporalQuestion,
    TemporalRepair,
    needed,
    order_of,
    scheduled,
)
from validator.repair.time.orders import Orders
from validator.repair.time.parts import at_ends, obstacle


class Driver(ABC):
    """What is known of the best plan: the ``best`` that was found, and in ``orders`` a bound of all others.

    ``doubt`` says why something better may have been overlooked, ``ended`` which limit ended the search.
    """

    head_start = 0.0
    """seconds that the search over orders has for itself, and then a greedy search only where it has found nothing;
    without them a greedy search is always made, and first where no plan is known: a bound takes its time"""
    patience = inf
    """CPU seconds after which the best plan is returned without a proof, when none better has come. The clock does not
    count here: a busy machine must not decide what is proven."""

    def __init__(self, asked: TemporalQuestion) -> None:
        self.asked = asked
        self.best: TemporalRepair | None = None
        self.rank: tuple[Fraction | int, ...] = ()
        """of the best plan"""
        self.doubt = ""
        self.ended: Status | None = None
        self.orders: Orders | None = None
        self._found_at = 0.0
        """the CPU time of this thread when the best plan was found"""
        self.steps = self._reachable()
        self.observed = Observed(asked, None if self.doubt else frozenset(self.steps))
        self.model, self.grid = self.observed.model, self.observed.grid
        self.obstacle = obstacle(self.model)
        goal = self.model.problem.goal if asked.with_goal else And(())
        self.nodes = Nodes(self.model, self.grid, self.observed.subjects, goal, asked.budget)
        self._within: Limits = asked.limits
        """of what runs now"""

    def _reachable(self) -> Sequence[Step]:
        """Return the steps that may be inserted."""
        try:
            steps = self.asked.reachable()
        except PlannerError as error:
            self.add_doubt(f"the steps that may be inserted are not known: {error}")
            return ()
        if isinstance(steps, Status):
            self.add_doubt(f"the {steps.value} was met before the steps that may be inserted were known")
            return ()
        return steps

    def add_doubt(self, why: str) -> None:
        self.doubt = self.doubt or why

    # --- what is best --------------------------------------------------------------------------

    @abstractmethod
    def prepared(self, is_over: Callable[[], bool]) -> Orders | None:
        """Return the search over orders, None where there is none. Raises TimeoutError when it is over."""

    @abstractmethod
    def ranked(self, answer: TemporalRepair) -> tuple[Fraction | int, ...] | None:
        """Return what is to be least; None for a plan of which it is not known."""

    @abstractmethod
    def take(self, cost: Cost, order: Order) -> None:
        """Offer the plan of an order that the search has found, at its cost."""

    @abstractmethod
    def is_settled(self) -> bool:
        """Return whether nothing better is left to be found."""

    def is_needless(self, node: Node) -> bool:
        """Return whether no plan beyond a node is better than the best one."""
        return False

    def is_stuck(self) -> bool:
        """Return whether orders tell nothing more."""
        return False

    # --- the course ----------------------------------------------------------------------------

    def run(self, known: Iterable[Sequence[Step]] = ()) -> None:
        """Search until the question is settled or the time is over; ``known`` are plans that have the quality."""
        try:
            for plan in known:
                self._match(plan, Prover.ORDERS)
            is_first = not self.head_start and self.best is None
            if is_first:
                self._greedy()
            self._prepare()
            self._look(self.head_start)
            is_wanted = not is_first and (not self.head_start or self.best is None)
            if is_wanted and not (self.is_settled() or self._is_over()):
                self._greedy()
            self._look(inf)
        except TimeoutError:
            self.ended = Status.TIME_LIMIT
        except OutOfTime:  # in what does not look at the clock
            self.ended = Status.TIME_LIMIT
            self.add_doubt("the time limit was met")
        except KeyboardInterrupt:
            self.ended = Status.INTERRUPTED
            self.add_doubt("the search was interrupted")

    def _prepare(self) -> None:
        limits = self.asked.limits
        self._within = limits.half if self.head_start else limits
        try:
            self.orders = self.prepared(lambda: not self._within.seconds)
        except TimeoutError:
            self.add_doubt("the time limit was met before the search began")
            self._is_over()
        self._within = limits

    def _look(self, seconds: float) -> None:
        """Search over orders for some seconds, or until nothing better is left."""
        until = time.monotonic() + seconds

        def stop() -> bool:
            is_over = self._is_over() or self.orders is None or time.monotonic() > until
            return is_over or self.is_settled() or self.is_stuck()

        if self.orders is not None:
            for cost, order in self.orders.run(stop, self.is_needless):
                self.take(cost, order)

    def _is_over(self) -> bool:
        if self.asked.limits.is_over():
            self.ended = self.ended or Status.TIME_LIMIT
        if self.orders is not None and self._is_too_large(self.orders):
            self.add_doubt("the search took too much memory")
            self.orders = None
        is_patient = self.best is None or time.thread_time() - self._found_at <= self.patience
        return self.ended is not None or not is_patient

    def _is_too_large(self, orders: Orders) -> bool:
        return orders.size > self.asked.limits.room

    # --- plans ---------------------------------------------------------------------------------

    def offer(self, answer: TemporalRepair) -> bool:
        """Take a plan, if it is better than the best one and accepted; return False for one that is not accepted."""
        rank = self.ranked(answer)
        if self.best is not None and (rank is None or rank >= self.rank):
            return True
        if not self.asked.accepted(answer.plan):
            return False
        if rank is not None:
            self.best, self.rank, self._found_at = answer, rank, time.thread_time()
        return True

    def _match(self, plan: Sequence[Step], by: str) -> None:
        """Offer a plan that was found otherwise, as it is and in its order."""
        resolved = (step for step in map(self.asked.simulator.resolve, plan) if isinstance(step, Step))
        answer = self.observed.matched(resolved, by)
        if by != Prover.ORDERS:
            answer = self.observed.matched(needed(answer, self.asked.accepted, self._is_over), by)
        if self.offer(answer) and not self.obstacle:
            order = order_of(self.nodes, answer, self._is_over)
            if order is not None:
                self.offer(scheduled(self.observed, order, by)[0])

    def _greedy(self) -> None:
        """Look for a plan by greedy search, near the observed one where there is one."""
        limits = self.asked.limits.half
        try:
            nodes = self.nodes
            if self.obstacle:
                nodes = Nodes(at_ends(self.model), self.grid, self.observed.subjects, nodes.goal, self.asked.budget)
            search = GreedyOrders(nodes, self.steps, limits.is_over)
            search.begin()
            found = next(search.run(lambda: limits.is_over() or self._is_too_large(search)), None)
        except TimeoutError:
            return
        if found is not None:
            self._match(scheduled(self.observed, found[1], Prover.GREEDY)[0].plan, Prover.GREEDY)
