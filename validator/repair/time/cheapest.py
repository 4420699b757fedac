"""The cheapest plan over time: what it costs at least, and the cheapest plan that was found.

The lower bound is first that of the longest chain of steps (``validator.repair.time.bounds``). A plan that is
given is drawn together: its own order of starts and ends at its earliest times; so is the plan of a greedy search.
Then orders of starts and ends are searched, the cheapest beginning first: what an order costs is that of its earliest
times, and never falls as the order grows. So what the queue holds bounds all plans that were not looked at, and the
first whole plan that leaves it is a cheapest one.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from fractions import Fraction

from validator.execution.time.happening import Part
from validator.execution.time.metric import counting_functions
from validator.grounding.limits import Status, checked
from validator.model.values import functions_of
from validator.reading.plan import Step
from validator.records import replace
from validator.repair.proved import CostBounds, Prover
from validator.repair.time.bounds import Critical, fewest_changes, least_price
from validator.repair.time.driver import Driver
from validator.repair.time.nodes import Cost, Node, Nodes, Order
from validator.repair.time.observed import TemporalQuestion, TemporalRepair, scheduled
from validator.repair.time.orders import Orders
from validator.repair.time.parts import Subject
from validator.repair.time.price import TimePrice, fixed_prices


def cheapest_over_time(
    asked: TemporalQuestion,
    price: TimePrice,
    cost: Callable[[tuple[Step, ...]], Fraction | None],
    known: Sequence[tuple[Step, ...]] = (),
) -> CostBounds:
    """Return what is known of the cheapest plan with the quality, given plans that have it.

    ``cost`` executes a plan.
    """
    search = _Search(asked, price, cost)
    search.run(known)
    return search.found()


class _Orders(Orders):
    """The search for the orders of the cheapest plans."""

    insertion = 0

    def __init__(self, nodes: Nodes, steps: Sequence[Step], price: TimePrice, is_over: Callable[[], bool]) -> None:
        super().__init__(nodes, steps, is_over)
        self.model, self.time_price = nodes.parts.model, price
        self.critical = Critical(nodes, steps, is_over)
        prices = {step: fixed_prices(self.parts, price, step) for step in checked(steps, is_over)}
        self.ending = {step: at_end for step, (_, at_end) in prices.items()}
        """what the end of each step adds to the price at least"""
        self.priced = [(self.parts.relaxed(step), *prices[step]) for step in prices]
        metric = self.model.problem.metric
        self.counted = counting_functions(self.model) - (set() if metric is None else functions_of(metric.expression))

    def bound(self, node: Node) -> Node | None:
        least = self._least(node)
        steps = None if least is None else self._fewest(node)
        return None if least is None or steps is None else replace(node, level=least, least=least, likely=steps)

    def price(self, node: Node, order: Order) -> Fraction:
        return self._at(max(order.network.times.values()), node)

    def expand(self, node: Node) -> None:
        state = self._state(node)
        if state not in node.passed:  # else what only made the plan last stands at its end
            passed = node.passed if self._may_not_return else frozenset[Hashable]()
            super().expand(replace(node, passed=passed | {state}))

    def after(self, node: Node, subject: Subject, part: Part) -> Node | None:
        after = super().after(node, subject, part)
        is_back = after is not None and self._state(after) in node.passed and not self._may_wait
        return None if is_back else after

    def _least(self, node: Node) -> Cost | None:
        """Return what any plan beyond a node costs at least; None where there is none."""
        end = self.critical.end(node)
        if end is None:
            return None
        more: Cost = 0
        if self.time_price.weights:
            more = least_price(self.nodes.to_come(node), self.priced, self.wanted, self.is_over)
        return self._at(max(end, *node.times.values()), node) + more

    def _fewest(self, node: Node) -> int | None:
        """Return how many steps plans beyond a node have at least; None where there are none."""
        more = fewest_changes(self.nodes.to_come(node), (), self.relaxed, self.wanted, self.is_over)
        return None if more is None else len(node.inserted) + more

    def _at(self, time: int, node: Node) -> Fraction:
        """Return what a plan costs that ends at a time, with the ends of all that runs."""
        running = (self.ending[one.subject.step] for one in node.running.values() if one.subject.step is not None)
        return self.time_price.of(self.grid.time(time), dict(node.at.values)) + sum(running)

    def _state(self, node: Node) -> Hashable:
        """Return what the rest of a plan depends on.

        Whatever leads from a state to the same one can be left out of every plan, as all that follows takes place as it
        did, no later and no dearer: unless it is there to make the plan last, or for a constraint on the way.
        """
        values = node.at.values
        if self.counted:
            values = tuple((key, value) for key, value in values if key[0] not in self.counted)
        return node.at.atoms, values, node.facts, frozenset(node.running), node.tied

    @property
    def _may_not_return(self) -> bool:
        """Return whether ways back to a state do no good; constraints see them."""
        return not (self.model.domain.constraints or self.model.problem.constraints)

    @property
    def _may_wait(self) -> bool:
        """Return whether what changes nothing may do some good: it makes a plan last."""
        return bool(self.model.problem.timed) or not self._may_not_return


class _Search(Driver):
    def __init__(
        self, asked: TemporalQuestion, price: TimePrice, cost: Callable[[tuple[Step, ...]], Fraction | None]
    ) -> None:
        super().__init__(replace(asked, tokens=()))
        self.price, self.cost = price, cost
        self.lower = price.of(Fraction(0), dict(self.nodes.parts.initial().values))
        self.rejected: Fraction | None = None
        """the cost of the cheapest order whose plan lacks the quality, though other times for it may have it"""
        self._is_unsolvable = False

    def prepared(self, is_over: Callable[[], bool]) -> Orders | None:
        if self.doubt:
            return None
        orders = _Orders(self.nodes, self.steps, self.price, is_over)
        orders.begin()
        self._is_unsolvable = orders.lower is None
        self._raise_lower(orders)
        return orders

    def _raise_lower(self, orders: Orders) -> None:
        """Take over what the orders cost at least that were not looked at."""
        if orders.lower is not None:
            cost = Fraction(orders.lower)
            self.lower = max(self.lower, cost if self.rejected is None else min(cost, self.rejected))

    def ranked(self, answer: TemporalRepair) -> tuple[Fraction] | None:
        cost = self.cost(answer.plan)
        return None if cost is None else (cost,)

    def take(self, cost: Cost, order: Order) -> None:
        answer, _ = scheduled(self.observed, order, Prover.ORDERS)
        rank, is_accepted = self.ranked(answer), self.offer(answer)
        if self.rejected is None and (not is_accepted or rank is None or rank[0] > cost):
            self.rejected = Fraction(cost)

    def is_settled(self) -> bool:
        if self.orders is not None and not self.is_stuck():
            self._raise_lower(self.orders)
        return self._is_unsolvable or (self.best is not None and self.rank[0] <= self.lower)

    def is_stuck(self) -> bool:
        return bool(self._why())

    def _why(self) -> str:
        """Return why orders do not tell what plans cost, empty where they do."""
        return self.doubt or self.obstacle or self.nodes.doubt or self.nodes.off_grid

    def found(self) -> CostBounds:
        is_exhausted = self.orders is not None and self.orders.lower is None and self.rejected is None
        if is_exhausted and not self._why():
            self._is_unsolvable = self.best is None
            self.lower = self.lower if self.best is None else Fraction(self.rank[0])
        if self._is_unsolvable:
            return CostBounds(status=Status.UNSOLVABLE, lower=self.lower, by=Prover.ORDERS)
        upper = None if self.best is None else Fraction(self.rank[0])
        plan = None if self.best is None else self.best.plan
        if upper is not None and self.lower >= upper:
            return CostBounds(status=Status.SOLVED, lower=upper, upper=upper, plan=plan, by=Prover.ORDERS)
        status = self.ended or Status.STOPPED
        why = f"the {status.value} was met"
        if status is Status.STOPPED:
            why = self._why() or "an order of starts and ends may have other times at which it has the quality"
        why = f"the cheapest cost is not proven: {why}"
        return CostBounds(status=status, lower=self.lower, upper=upper, plan=plan, by=Prover.ORDERS, why=why)
