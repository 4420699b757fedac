"""The search from the end of a window to its beginning for edits that cost less than a limit."""

from __future__ import annotations

import heapq
from collections.abc import Callable, Iterable, Sequence
from itertools import count
from math import inf
from typing import TypeAlias

from validator.repair.cost_partitioning.layers import Swept as Found
from validator.repair.regression.estimate import Estimate
from validator.repair.regression.order import ANY, NONE, Behind, Order
from validator.repair.regression.problem import Needs, Regression

__all__ = ["Search"]

_Item: TypeAlias = "tuple[float, int, int, int, _Node, tuple[int, ...] | None]"
"""What a repair costs at least, a place, a running number, what is spent, a node, and operators to insert before it.

No operators stand for the node itself, None for all that may be inserted there and make nothing before it cheaper."""

_Node: TypeAlias = tuple[int, Needs, Behind]
"""A place, what must hold there, and what stands behind it."""

_PULSE = 64
"""nodes after which a search asks whether it may go on"""


class Search:
    """One search of a window; what is asked of the window is the same for each limit."""

    def __init__(
        self,
        regression: Regression,
        order: Order,
        estimate: Estimate,
        start: int,
        *,
        most_nodes: int,
        most_looks: float,
        forgotten: Needs = 0,
    ) -> None:
        """Prepare it; ``start`` 0 asks for the initial state there, any other place accepts every state.

        What is ``forgotten`` is never needed.
        ``most_nodes`` may be held, and ``most_looks`` taken at nodes and insertions.
        """
        self.regression = regression
        self.order = order
        self.estimate = estimate
        self.start = start
        self.most_nodes = most_nodes
        self._needed = ~forgotten
        self.most_looks = most_looks
        init = regression.facts.of(enumerate(regression.init))
        self.missing = ~init if start == 0 else 0
        """what must not be needed at the start"""

    def run(self, end: int, targets: Sequence[Needs], limit: float, go_on: Callable[[], bool]) -> Found:
        """Search; without edits the lower bound is the limit if there are none, and less if it was ended before."""
        frontier = _Frontier(self.estimate, limit)
        for target in targets:
            frontier.push(0, end, target & self._needed, ANY, None, "")
        expanded, pulse = 0, 0
        while frontier.heap:
            total, _, _, cost, node, inserted = heapq.heappop(frontier.heap)
            expanded += len(inserted or ()) or 1
            pulse += 1
            if len(frontier) > self.most_nodes or expanded > self.most_looks or (pulse % _PULSE == 0 and not go_on()):
                return Found(lower=int(total), states=expanded)
            if inserted:
                self._insert(frontier, node, cost, inserted)
            elif inserted is None:
                self._promise_others(frontier, node, cost, total)
            elif cost == frontier.best[node]:
                if node[0] == self.start and not node[1] & self.missing:
                    return Found(lower=int(total), names=frontier.way(node), states=expanded)
                self._expand(frontier, node, cost, total)
        return Found(lower=int(limit), states=expanded)

    def _expand(self, frontier: _Frontier, node: _Node, cost: int, total: float) -> None:
        """Go on before a step that is kept or skipped, and promise the insertions."""
        place, needs, behind = node
        regression = self.regression
        if place > self.start:
            for step in regression.steps[place - 1]:
                found = regression.before(needs, step.number)
                if found is not None:
                    frontier.push(
                        cost, place - 1, found & self._needed, Order.kept(step.number), node, f"k {place - 1}"
                    )
            frontier.push(cost + regression.skip, place - 1, needs, NONE, node, f"s {place - 1}")
        if behind == NONE:
            return
        room = frontier.limit - cost
        for price, indices in self._allowed(self.estimate.helping(place, room, needs), behind):
            frontier.promise(total, cost + price, node, indices)
        if total + self.estimate.least < frontier.limit and self.estimate.has_others(place, room, needs):
            frontier.promise(total + self.estimate.least, cost, node, None)

    def _promise_others(self, frontier: _Frontier, node: _Node, cost: int, total: float) -> None:
        """Promise insertions that make nothing before them cheaper, if no cheaper way to the node has come since."""
        place, needs, behind = node
        if frontier.best[node] == cost:
            others = self.estimate.others(place, frontier.limit - cost, needs)
            for price, indices in self._allowed(others, behind):
                frontier.promise(total - self.estimate.least + price, cost + price, node, indices)

    def _allowed(self, indices: Iterable[int], behind: Behind) -> Iterable[tuple[int, tuple[int, ...]]]:
        """Return the operators that the order allows there, by what they cost."""
        found: dict[int, list[int]] = {}
        for index in indices:
            if self.order.allows(index, behind):
                found.setdefault(self.regression.changes[index].cost, []).append(index)
        return ((price, tuple(each)) for price, each in found.items())

    def _insert(self, frontier: _Frontier, node: _Node, cost: int, inserted: Sequence[int]) -> None:
        """Keep a promise, if no cheaper way to what stands behind it has made another one since."""
        place, needs, _ = node
        if frontier.best[node] + self.regression.changes[inserted[0]].cost != cost:
            return
        for index in inserted:
            found = self.regression.before(needs, index)
            if found is not None:
                frontier.push(cost, place, found & self._needed, index, node, f"i {index}")


class _Frontier:
    """The nodes and insertions that are still to be looked at, those that may be cheapest first."""

    def __init__(self, estimate: Estimate, limit: float) -> None:
        self.estimate = estimate
        self.limit = limit
        self.best: dict[_Node, int] = {}
        self.heap: list[_Item] = []
        self._parents: dict[_Node, tuple[_Node, str]] = {}
        self._number = count()

    def __len__(self) -> int:
        """Return how many nodes are held; a promise is small."""
        return len(self.best) + len(self.heap) // 8

    def push(self, cost: int, place: int, needs: Needs, behind: Behind, parent: _Node | None, name: str) -> None:
        """Add a node, unless it costs too much or is known."""
        node = (place, needs, behind)
        if cost < self.best.get(node, inf) and (total := cost + self.estimate(place, needs)) < self.limit:
            self.best[node] = cost
            if parent is not None:
                self._parents[node] = (parent, name)
            heapq.heappush(self.heap, (total, place, next(self._number), cost, node, ()))

    def promise(self, total: float, cost: int, node: _Node, indices: tuple[int, ...] | None) -> None:
        """Add operators before a node, to be looked at when nothing cheaper is left: most never are."""
        if total < self.limit:
            heapq.heappush(self.heap, (total, node[0], next(self._number), cost, node, indices))

    def way(self, node: _Node) -> tuple[str, ...]:
        """Return the operators from a node to the end of the plan."""
        names = []
        while node in self._parents:
            node, name = self._parents[node]
            names.append(name)
        return tuple(names)
