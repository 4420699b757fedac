"""The nearest plan over time: fewest steps dropped and inserted, then fewest steps at other times.

Where no order of parts tells the course of a plan, one step is moved, or dropped, at a time. Where it is put are the
times at which something happens in the execution of the observed plan, those times less its duration, epsilon around
all of these, and the middles between them. That nothing was found there proves nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from fractions import Fraction
from itertools import pairwise

from validator.grounding.limits import Status
from validator.reading.plan import Plan, Step
from validator.records import cached_property, replace
from validator.repair.proved import Prover
from validator.repair.time.driver import Driver
from validator.repair.time.nodes import Cost, Node, Order
from validator.repair.time.observed import TemporalQuestion, TemporalRepair, fewest_moves, scheduled
from validator.repair.time.orders import Orders
from validator.texts import decimal


def nearest_over_time(asked: TemporalQuestion) -> TemporalRepair:
    """Return the nearest plan over time that has a quality, as far as it is found within the limits."""
    search = _Search(asked)
    search.run(() if asked.known is None else (asked.known,))
    return search.answer()


class _Search(Driver):
    head_start = patience = 3.0

    def prepared(self, is_over: Callable[[], bool]) -> Orders | None:
        if self.obstacle:
            self.add_doubt(self.obstacle)
            self._change_one()
            return None
        if self.grid.is_coarse:
            self.add_doubt("some times have more than six decimals")
        at_fault = {failure.step for failure in self.asked.failures}
        places = enumerate(Plan(parts=self.asked.tokens).places)
        orders = Orders(self.nodes, self.steps, is_over, {index for index, place in places if place in at_fault})
        orders.begin()
        return orders

    def ranked(self, answer: TemporalRepair) -> tuple[int, int, int]:
        return answer.distance

    def take(self, cost: Cost, order: Order) -> None:
        answer, is_exact = scheduled(self.observed, order, Prover.ORDERS)
        if not is_exact:
            self.add_doubt("not all times for an order of starts and ends were tried")
        if not self.offer(answer):
            self.add_doubt("an order of starts and ends may have other times at which it has the quality")

    def answer(self) -> TemporalRepair:
        resolution, doubt = self.grid.time(1), self.doubt or self.nodes.doubt
        is_exhausted = self.orders is not None and self.orders.lower is None and not doubt
        if self.best is not None:
            if self._is_least or (self._is_nearest and not doubt):
                return replace(self.best, by=Prover.ORDERS, proven=True, resolution=resolution)
            return replace(self.best, doubt=doubt or "the search was ended before all orders were tried")
        if is_exhausted and self.nodes.off_grid:
            doubt = f"there is none at multiples of {decimal(resolution)}, and other times were not tried"
            return TemporalRepair(status=Status.STOPPED, doubt=doubt)
        if is_exhausted:
            return TemporalRepair(status=Status.UNSOLVABLE, proven=True, resolution=resolution)
        return TemporalRepair(status=Status.TIME_LIMIT if self.ended else Status.STOPPED, doubt=doubt)

    # --- proofs --------------------------------------------------------------------------------

    def is_settled(self) -> bool:
        return self._is_least or self._is_nearest

    @property
    def _is_nearest(self) -> bool:
        """Return whether no order that was not looked at leads to a nearer plan than the best one."""
        if self.orders is None:
            return False
        lower = self.orders.lower
        if lower is None or self.best is None:
            return lower is None
        level, moves = self.best.changed
        return lower > level - self.observed.forced or (lower == level - self.observed.forced and not moves)

    @property
    def _is_least(self) -> bool:
        """Return whether the best plan drops and inserts no step that need not be, and as few move as must."""
        if self.best is None or self.best.changed[0] > self.observed.forced:
            return False
        return self.best.changed[1] <= self._least_moves

    @cached_property
    def _least_moves(self) -> int:
        """The observed plan lacks the quality; without what does not fit, it may have it."""
        return int(not self.observed.forced or not self.asked.accepted(tuple(self.observed.whole())))

    def is_needless(self, node: Node) -> bool:
        """Return whether no plan beyond a node is nearer than the best one."""
        if self.best is None or self.observed.forced + node.level < self.best.changed[0]:
            return False
        return fewest_moves(node, self.observed.subjects) >= self.best.changed[1]

    # --- one step ------------------------------------------------------------------------------

    def _change_one(self) -> None:
        """Offer the plan with the step moved that moves least; where none helps, with one dropped."""
        observed, steps = self.observed, self.observed.steps
        if observed.forced and self.offer(observed.answer(steps)):
            return
        tries: list[tuple[int, int, Fraction]] = []
        for number, step in steps.items():
            now = self.grid.units(step.time or Fraction(0))
            places = ((abs(units - now), number, self.grid.time(units)) for units in self._places(step))
            tries += (entry for entry in places if entry[2] != step.time)
        candidates = [{**steps, number: replace(steps[number], time=time)} for _, number, time in sorted(tries)]
        candidates += [{number: step for number, step in steps.items() if number != other} for other in steps]
        for kept in candidates:
            if self._is_over() or self.offer(observed.answer(kept)):
                return

    def _places(self, step: Step) -> Iterator[int]:
        """Yield times for a step, in units of the grid, in order and each once."""
        times = {self.grid.units(time) for time in self.asked.happening} | {0}
        times |= {time - self.grid.units(step.duration or Fraction(0)) for time in times}
        times |= {time + way * self.grid.apart for time in times for way in (-1, 1)}
        critical = sorted(time for time in times if time >= 0)
        yield from critical
        yield from ((early + late) // 2 for early, late in pairwise(critical) if late - early > 1)
        yield critical[-1] + self.grid.scale
