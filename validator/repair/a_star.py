"""The nearest plan of a small model, found and proven in this process: A* over how much of the plan is consumed.

A node is a place in the observed plan and a state. Keeping a step is free, a skip costs ``skip``, and an insertion as
much, or a little more, so that of as many edits those with the fewest insertions are found. The estimate is a number of
edits that no repair can do without: the bounds of groups of atoms that add up (``canonical``), and behind all steps
landmarks, operators that each plan from the state to the goal has.

Successors, landmarks and bounds of groups are kept with the model, for all plans of it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from heapq import heappop, heappush
from typing import TypeAlias

from validator.reading.plan import Token
from validator.records import dataclass
from validator.repair.canonical import NEVER
from validator.repair.edit import Edit, Move, placed
from validator.repair.literals import GroundModel

_MANY = 2**20
"""the price of a skip where an insertion costs one more: there are fewer insertions"""

ANY_WAY = 5
"""weight of the estimate where any way to the goal will do"""

_Node: TypeAlias = tuple[int, int]
"""place and state"""


@dataclass(frozen=True, slots=True)
class SearchResult:
    """Bounds of the fewest edits, and these with their operators; None where they were not found.

    ``lower`` None means that no plan reaches the goal; ``looked`` is how many nodes the search took.
    """

    lower: int | None
    edits: tuple[tuple[Move, int], ...] | None
    looked: int

    @property
    def plan(self) -> tuple[int, ...] | None:
        return None if self.edits is None else tuple(number for move, number in self.edits if move is not Move.SKIP)

    @property
    def is_proven(self) -> bool:
        return self.edits is not None or self.lower is None


def nearest_in(model: GroundModel, tokens: Sequence[Token], *, with_goal: bool) -> tuple[Edit, ...] | None:
    """Return the fewest edits to a plan that is sound, with ``with_goal`` valid; None where they were not found.

    Of as many edits they are those with the fewest insertions.
    """
    if with_goal and model.goal is None:
        return None
    numbers = [(index, model.number(token)) for index, token in enumerate(tokens)]
    kept = {index: number for index, number in numbers if number is not None}
    found = Search(model, list(kept.values()), goal=model.goal if with_goal else None, skip=_MANY).run()
    if found.edits is None:
        return None
    places, edits = iter(kept), list[tuple[int | None, Edit]]()
    for move, number in found.edits:
        index = None if move is Move.INSERT else next(places)
        edits.append((index, Edit(move=move, token=model.steps[number] if index is None else tokens[index])))
    return tuple(placed(edits, tokens, kept))


class Search:
    """The search for the plan nearest to some operators, from a state, to a goal or to no goal."""

    def __init__(
        self,
        model: GroundModel,
        kept: Sequence[int],
        *,
        goal: int | None,
        state: int | None = None,
        skip: int = 1,
    ) -> None:
        self._model, self._kept, self._goal, self._skip = model, kept, goal or 0, skip
        self._insert = 1 if skip == 1 else skip + 1
        self._start = model.init if state is None else state
        self._rows = [(each, each.rows(kept, self._goal)) for each in model.collections]

    def _estimate(self, place: int, state: int) -> int:
        """Return what is needed at the least, by the bounds of groups."""
        edits = max([collection.bound(rows[place], state) for collection, rows in self._rows], default=0)
        return edits * self._skip

    def run(
        self, most: int | None = None, is_over: Callable[[], bool] = lambda: False, *, weight: int = 1
    ) -> SearchResult:
        """Search until the nearest plan is proven, some nodes were looked at, or it is over.

        With a ``weight`` of the estimate above 1 some plan is found sooner, and ``lower`` is no bound.
        """
        if self._goal and self._model.landmarks(self._start) is None:
            return SearchResult(None, None, 0)
        self._weight, self._made = weight, 0
        self._costs: dict[_Node, int] = {}
        self._came: dict[_Node, tuple[_Node, Move, int]] = {}
        self._open: list[tuple[int, int, int, int, int, _Node]] = []
        self._reach((0, self._start), 0)
        looked = 0
        while self._open:
            total, *_, cost, node = heappop(self._open)
            if cost > self._costs[node]:
                continue
            is_spent = self._model.is_spent(looked) if most is None else looked >= most
            if is_spent or is_over():
                return SearchResult(total // self._skip, None, looked)
            looked += 1
            is_behind = node[0] == len(self._kept)
            if is_behind and not self._goal & ~node[1]:
                return SearchResult(cost // self._skip, self._edits(node), looked)
            if not is_behind or not self._is_dearer(node, cost, total):
                self._expand(node, cost, total)
        return SearchResult(None, None, looked)

    def _put(self, total: int, node: _Node, cost: int) -> None:
        """Take a node: with most steps consumed first, and behind all steps the nearest to the goal."""
        self._made += 1
        depth = cost if node[0] == len(self._kept) else 0
        heappush(self._open, (total, -node[0], -depth, self._made, cost, node))

    def _reach(self, node: _Node, cost: int, came: tuple[_Node, Move, int] | None = None, least: int = 0) -> None:
        """Take a node, but for one that is known to cost as little, or from which nothing is reached."""
        known = self._costs.get(node)
        if known is not None and known <= cost:
            return
        self._costs[node] = cost
        if came is not None:
            self._came[node] = came
        rest = self._estimate(*node)
        if rest < NEVER * self._skip:
            self._put(max(cost + self._weight * rest, least if self._weight == 1 else 0), node, cost)

    def _is_dearer(self, node: _Node, cost: int, total: int) -> bool:
        """Look for landmarks behind all steps; return whether these say that a node is for later, or never."""
        found = self._model.landmarks(node[1])
        if found is None:
            return True
        least = cost + self._weight * found.bit_count() * self._insert
        if least > total:
            self._put(least, node, cost)
        return least > total

    def _expand(self, node: _Node, cost: int, total: int) -> None:
        """Keep or skip the next step, and insert others."""
        place, state = node
        if place < len(self._kept):
            number = self._kept[place]
            if not self._model.needs[number] & ~state:
                behind = self._model.after(state, number)
                self._reach((place + 1, behind), cost, (node, Move.KEEP, number), total)
            self._reach((place + 1, state), cost + self._skip, (node, Move.SKIP, number), total)
        for number, behind in self._model.successors(state):
            self._reach((place, behind), cost + self._insert, (node, Move.INSERT, number), total)

    def _edits(self, node: _Node) -> tuple[tuple[Move, int], ...]:
        """Return the edits that lead to a node."""
        found = list[tuple[Move, int]]()
        while node in self._came:
            node, move, number = self._came[node]
            found.append((move, number))
        return tuple(reversed(found))
