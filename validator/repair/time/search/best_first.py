"""Best-first search over orders of starts and ends: the nodes of the lowest bound first.

The search goes forward over parts, as temporal planners do (Coles et al. 2010): a node is what has started and ended so
far, the situation after it, and a simple temporal network of what must be before what
(``validator.repair.time.search.nodes``). A node is made, and bounded, when it is taken out of the queue; what its bound
says to be dearer goes back. So what the queue holds bounds all orders that were not looked at, and of the orders the
cheapest comes first.
"""

from __future__ import annotations

import heapq
from abc import ABC, abstractmethod
from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import partial
from itertools import count
from typing import TypeAlias

from validator.grounding.limits import checked
from validator.model.numeric import truth
from validator.reading.plan import Step
from validator.repair.time.search.bounds import Relaxed
from validator.repair.time.search.nodes import Node, Nodes, Order
from validator.repair.time.search.parts import Subject, needs

__all__ = ["Cost", "OrderSearch"]

Cost: TypeAlias = Fraction | int

_BYTES = 30_000
"""What a node takes, roughly."""


@dataclass(order=True, slots=True)
class _Entry:
    """Of nodes that cost the same, likely ones come first, and of these the ones that have come furthest."""

    cost: Cost
    likely: int
    depth: int
    number: int
    make: Callable[[], Node | Order | None] = field(compare=False)
    is_known: bool = field(compare=False)
    """whether the node was looked at before, and bounded"""


class OrderSearch(ABC):
    """The search; ``run`` yields orders with what they cost, and may be called again.

    ``steps`` may be inserted. Raises TimeoutError as soon as ``is_over`` says so.
    """

    def __init__(self, nodes: Nodes, steps: Sequence[Step], is_over: Callable[[], bool]) -> None:
        self.nodes, self.parts, self.grid = nodes, nodes.parts, nodes.grid
        self.steps = tuple(steps)
        self.is_over = is_over
        self.wanted = frozenset(needs(nodes.goal, {}))
        self.relaxed = [Relaxed.of(self.parts, Subject(number=0, step=step)) for step in checked(steps, is_over)]
        self._queue: list[_Entry] = []
        self._number = count()
        self._seen: set[Hashable] = set()

    @abstractmethod
    def bound(self, node: Node) -> tuple[Cost, Node] | None:
        """Return what plans beyond a node cost at least, with the node that knows it; None where there are none."""

    @abstractmethod
    def expand(self, node: Node) -> None:
        """Push what may come next."""

    @abstractmethod
    def price(self, node: Node, order: Order) -> Cost:
        """Return what an order costs in which a node ends."""

    def is_needless(self, node: Node) -> bool:
        """Return whether no order beyond a node is of interest."""
        return False

    @property
    def lower(self) -> Cost | None:
        """Return what the orders that were not looked at cost at least; None when all were."""
        return self._queue[0].cost if self._queue else None

    @property
    def size(self) -> int:
        """Return how many bytes the search takes, about."""
        return _BYTES * len(self._seen)

    def run(self, stop: Callable[[], bool]) -> Iterator[tuple[Cost, Order]]:
        """Yield orders, the cheapest first, until there are none or ``stop`` says so."""
        while self._queue and not stop():
            entry = heapq.heappop(self._queue)
            made = entry.make()
            if isinstance(made, Order):
                yield entry.cost, made
            elif made is not None and not self.is_needless(made):
                self._look_at(entry, made)

    def _look_at(self, entry: _Entry, node: Node) -> None:
        if not entry.is_known:
            if not self._is_new(node):
                return
            try:
                bound = self.bound(node)
            except TimeoutError:
                self.push(entry.cost, node, lambda: node, is_known=True)
                raise
            if bound is None:
                return
            cost, node = bound
            if (cost, node.likely) > (entry.cost, entry.likely):
                self.push(cost, node, lambda: node, is_known=True)
                return
        if self._is_goal(node):
            for order in self.nodes.orders(node):
                self.push(self.price(node, order), node, partial(_itself, order), further=1)
        self.expand(node)

    def _is_goal(self, node: Node) -> bool:
        if node.pending or node.running or node.tied:
            return False
        return truth(self.nodes.goal, {}, self.parts.situation(node.at)) is True

    def push(
        self,
        cost: Cost,
        node: Node,
        make: Callable[[], Node | Order | None],
        *,
        odd: int = 0,
        further: int = 0,
        is_known: bool = False,
    ) -> None:
        """Let a node that follows from another one, which is so much likelier, be looked at."""
        entry = _Entry(cost, node.likely + odd, -node.depth - further, next(self._number), make, is_known)
        heapq.heappush(self._queue, entry)

    def _is_new(self, node: Node) -> bool:
        key = self.key(node)
        if key in self._seen:
            return False
        self._seen.add(key)
        return True

    def key(self, node: Node) -> Hashable:
        """Return what nodes of the same parts in the same order have in common."""
        return (
            node.constraints,
            node.at,
            node.pending,
            node.postponed,
            node.dropped,
            node.facts,
            frozenset(node.running),
            frozenset(subject.number for subject in node.inserted),
            node.tied,
        )

    def insertable(self, node: Node, first: int) -> Iterator[tuple[int, Subject]]:
        """Yield the steps that may be inserted behind a node, by their places, numbered from ``first`` on."""
        atoms = self.parts.situation(node.at).atoms
        for place, (step, relaxed) in enumerate(zip(self.steps, self.relaxed, strict=True)):
            if relaxed.at_start <= atoms:
                again = sum(subject.step == step for subject in node.inserted)
                yield place, Subject(number=first + again * len(self.steps) + place, step=step)


def _itself(order: Order) -> Order:
    return order
