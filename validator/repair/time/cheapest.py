"""The cheapest plan over time: what it costs at least, and the cheapest plan that was found.

The lower bound is first that of the longest chain of steps (``validator.repair.time.search.critical``). A plan that is
given is drawn together: its own order of starts and ends at its earliest times; so is the plan of a greedy search.
Then orders of starts and ends are searched, the cheapest beginning first: what an order costs is that of its earliest
times, and never falls as the order grows. So what the queue holds bounds all plans that were not looked at, and the
first whole plan that leaves it is a cheapest one.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from fractions import Fraction

from validator.alarms import OutOfTime
from validator.errors import PlannerError
from validator.execution.time.acts.happening import Part
from validator.execution.time.metric import counting_functions
from validator.grounding.limits import Status, checked
from validator.reading.plan import Step
from validator.records import dataclass, replace
from validator.repair.time.grid import Grid
from validator.repair.time.matching import order_of
from validator.repair.time.observed import Asked, Observed
from validator.repair.time.price import TimePrice, fixed_prices, least_price
from validator.repair.time.schedule import schedule
from validator.repair.time.search.best_first import OrderSearch
from validator.repair.time.search.bounds import fewest_changes
from validator.repair.time.search.critical import Critical
from validator.repair.time.search.node import Node, Order
from validator.repair.time.search.nodes import Nodes
from validator.repair.time.search.parts import Subject, obstacle
from validator.resources import loading

__all__ = ["Cheapest", "cheapest"]

_MOST_BYTES = 2**30
"""What all nodes may take."""

_SHARE = 0.5
"""of the time that is left, for a greedy search, at most"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Cheapest:
    """Bounds of the cheapest cost, with the plan of the upper one; ``doubt`` says why they do not meet.

    With the status UNSOLVABLE there is no plan.
    """

    status: Status
    lower: Fraction
    upper: Fraction | None = None
    plan: tuple[Step, ...] | None = None
    doubt: str = ""


def cheapest(
    asked: Asked,
    price: TimePrice,
    cost: Callable[[tuple[Step, ...]], Fraction | None],
    known: Sequence[tuple[Step, ...]] = (),
) -> Cheapest:
    """Return what is known of the cheapest plan with the quality, given plans that have it.

    ``cost`` executes a plan.
    """
    return _Search(asked, price, cost).run(known)


class _Orders(OrderSearch):
    """The search for the orders of the cheapest plans."""

    def __init__(
        self, nodes: Nodes, grid: Grid, steps: Sequence[Step], price: TimePrice, is_over: Callable[[], bool]
    ) -> None:
        super().__init__(nodes, steps, is_over)
        self.model, self.time_price = nodes.parts.model, price
        self.critical = Critical(self.parts, grid, steps, self.model.problem.goal, is_over)
        prices = {step: fixed_prices(self.parts, price, step) for step in checked(steps, is_over)}
        self.ending = {step: at_end for step, (_, at_end) in prices.items()}
        """what the end of each step adds to the price at least"""
        self.priced = [
            (one, sum(prices[step], Fraction(0))) for one, step in zip(self.relaxed, self.steps, strict=True)
        ]
        """with what a step adds to the price at least"""
        self.counted = counting_functions(self.model)

    def begin(self) -> Fraction | None:
        """Put the first node into the queue, and return what any plan costs at least; None where there is none."""
        root = self.nodes.root()
        least = self._least(root)
        if least is not None:
            self.push(least, root, lambda: root, is_known=True)
        return least

    def bound(self, node: Node) -> tuple[Fraction, Node] | None:
        least = self._least(node)
        steps = None if least is None else self._fewest(node)
        return None if least is None or steps is None else (least, replace(node, likely=steps))

    def price(self, node: Node, order: Order) -> Fraction:
        return self._at(max(order.network.times.values()), node)

    def expand(self, node: Node) -> None:
        state = self._state(node)
        if state in node.passed:
            return  # what only made the plan last stands at its end
        passed = (node.passed if self._may_not_return else frozenset[Hashable]()) | {state}
        for running in node.running.values():
            self._child(node, passed, running.subject, Part.END)
        if node.facts < len(self.nodes.facts):
            self._child(node, passed, self.nodes.facts[node.facts], Part.FACT)
        for subject in self.insertable(node, 1):
            part = self.parts.first(subject)
            if part is Part.START:
                self._look_at_duration(node, subject)
            self._child(node, passed, subject, part)

    def _child(self, node: Node, passed: frozenset[Hashable], subject: Subject, part: Part) -> None:
        def make() -> Node | None:
            after = self.nodes.after(node, subject, part)
            if after is None or (self._state(after) in passed and not self._may_wait):
                return None
            return replace(after, depth=node.depth + 1, passed=passed)

        self.push(self._at(max(node.times.values()), node), node, make)

    def _least(self, node: Node) -> Fraction | None:
        """Return what any plan beyond a node costs at least; None where there is none."""
        end = self.critical.end(node, self.nodes.facts)
        if end is None:
            return None
        more = Fraction(0)
        if self.time_price.weights and not (self.parts.has_axioms or self.model.domain.events):
            more = least_price(self.nodes.to_come(node), self.priced, self.wanted)
        return self._at(max(end, *node.times.values()), node) + more

    def _fewest(self, node: Node) -> int | None:
        """Return how many steps plans beyond a node have at least; None where there are none."""
        if self.parts.has_axioms:
            return 0
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

    def _look_at_duration(self, node: Node, subject: Subject) -> None:
        """Doubt all that follows where a step may last a time that is none of the grid's."""
        bounds = self.parts.bounds(subject, node.at)
        if bounds is not None and not bounds.are_on(self.grid.scale):
            self.nodes.doubt = (
                self.nodes.doubt or f"'{subject.step}' has no least duration among the times that are searched"
            )


class _Search:
    def __init__(self, asked: Asked, price: TimePrice, cost: Callable[[tuple[Step, ...]], Fraction | None]) -> None:
        self.asked = asked
        self.price = price
        self.cost = cost
        self.observed = Observed(asked)
        self.model = self.observed.model
        self.grid = self.observed.grid
        self.nodes = Nodes(self.model, self.grid, (), self.model.problem.goal)
        self.parts = self.nodes.parts
        self.best: tuple[Fraction, tuple[Step, ...]] | None = None
        self.lower = price.of(Fraction(0), dict(self.parts.initial().values))
        self.doubt = self._obstacle()
        self.rejected: Fraction | None = None
        """what the cheapest order costs whose plan has not the quality, though other times for it may"""

    def _obstacle(self) -> str:
        """Return why orders do not tell what plans cost, empty where they do."""
        if not self.grid.is_exact:
            return "some times are too fine for the search"
        return obstacle(self.model) or self.nodes.doubt

    def run(self, known: Sequence[tuple[Step, ...]]) -> Cheapest:
        for plan in known:
            self._offer(plan)
        steps = self._steps()
        if isinstance(steps, Status):
            return self._found(steps)
        try:
            is_first = self.best is None  # a bound takes its time: first a plan
            if is_first:
                self._first(steps)
            orders = _Orders(self.nodes, self.grid, steps, self.price, self._is_over)
            least = orders.begin()
            if least is None:
                return self._found(Status.UNSOLVABLE)
            self.lower = least
            for plan in known:
                self._draw_together(plan)
            if not (is_first or self._is_met()):
                self._first(steps)
            if self.doubt or self._is_met():
                return self._found(Status.STOPPED)
            return self._found(self._search(orders))
        except (OutOfTime, TimeoutError):  # the former in what does not look at the clock
            return self._found(Status.TIME_LIMIT)
        except KeyboardInterrupt:
            return self._found(Status.INTERRUPTED)

    def _is_over(self) -> bool:
        return not self.asked.limits.seconds

    def _steps(self) -> tuple[Step, ...] | Status:
        try:
            return self.asked.reachable()
        except PlannerError as error:
            self.doubt = f"the steps of the model are not known: {error}"
            return Status.STOPPED

    def _found(self, status: Status) -> Cheapest:
        if self.best is None:
            return Cheapest(status=status, lower=self.lower, doubt=self.doubt)
        upper, plan = self.best
        lower = min(self.lower, upper)
        return Cheapest(
            status=Status.SOLVED if lower == upper else status, lower=lower, upper=upper, plan=plan, doubt=self.doubt
        )

    def _is_met(self) -> bool:
        return self.best is not None and self.best[0] <= self.lower

    # --- plans ---------------------------------------------------------------------------------

    def _offer(self, plan: tuple[Step, ...]) -> Fraction | None:
        """Take a plan if it is cheaper than the best one; return what it costs, None for one without the quality."""
        if not self.asked.accepted(plan):
            return None
        cost = self.cost(plan)
        if cost is not None and (self.best is None or cost < self.best[0]):
            self.best = cost, plan
        return cost

    def _draw_together(self, plan: Sequence[Step]) -> None:
        """Offer the plan with its own order of starts and ends, at the earliest times."""
        if obstacle(self.model):
            return
        taken = [(Subject(number=n, step=Step(name=s.name, args=s.args)), s) for n, s in enumerate(plan, start=1)]
        order = order_of(self.nodes, taken, stop=self._is_over)
        if order is not None:
            self._offer(self._timed(order))

    def _first(self, steps: Sequence[Step]) -> None:
        """Offer the plan of a greedy search, drawn together."""
        with loading("numpy"):
            from validator.repair.time.greedy.plans import greedy_plan  # NumPy, which few plans need

        limits = self.asked.limits.within(_SHARE * self.asked.limits.seconds)
        plan = greedy_plan(self.model, self.grid, steps, with_goal=True, limits=limits)
        if plan is not None:
            self._offer(plan)
            self._draw_together(plan)

    def _timed(self, order: Order) -> tuple[Step, ...]:
        steps = schedule(order, (), self.grid).steps.values()
        return tuple(sorted(steps, key=lambda step: step.time or Fraction(0)))

    # --- the search ----------------------------------------------------------------------------

    def _search(self, orders: _Orders) -> Status:
        """Look at orders, the cheapest first, until one is proven to be a cheapest plan."""
        ended: list[Status] = []

        def stop() -> bool:
            ended[:] = [] if (status := self._ended(orders)) is None else [status]
            return bool(ended)

        for cost, order in orders.run(stop):
            found = self._offer(self._timed(order))
            if self.rejected is None and (found is None or found > cost):
                self.rejected = Fraction(cost)
        self.doubt = self.doubt or self.nodes.doubt
        if ended:
            return ended[0]
        if self.doubt or self.rejected is not None:
            return Status.STOPPED
        if self.best is None:
            return Status.UNSOLVABLE
        self.lower = self.best[0]
        return Status.SOLVED

    def _ended(self, orders: _Orders) -> Status | None:
        """Return why the search ends before all orders were looked at; None while it goes on."""
        if self._is_over():
            return Status.TIME_LIMIT
        if orders.size > min(self.asked.limits.memory, _MOST_BYTES):
            return Status.MEMORY_LIMIT
        self.doubt = self.doubt or self.nodes.doubt
        if self.doubt:
            return Status.STOPPED
        cost = Fraction(orders.lower or 0)
        self.lower = max(self.lower, cost if self.rejected is None else min(cost, self.rejected))
        return Status.STOPPED if self._is_met() else None
