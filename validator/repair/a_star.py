"""The nearest plan of a small model, found and proven in this process: A* over how much of the plan is consumed.

A node is a place in the observed plan and a state. Keeping a step is free, a skip costs ``skip``, and an insertion as
much, or a little more, so that of as many edits those with the fewest insertions are found. The estimate is the larger
one of two numbers of edits that no repair can do without:
- the bounds of groups of atoms that add up (``canonical``)
- landmarks: operators that each plan from the state to the goal has, and the rest of the observed plan has not

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
from validator.repair.literals import ExplicitModel, GroundModel

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


def nearest_in(
    model: GroundModel | ExplicitModel, tokens: Sequence[Token], *, with_goal: bool
) -> tuple[Edit, ...] | None:
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
        model: GroundModel | ExplicitModel,
        kept: Sequence[int],
        *,
        goal: int | None,
        state: int | None = None,
        skip: int = 1,
    ) -> None:
        self._model, self._kept, self._has_goal, self._skip = model, kept, goal is not None, skip
        self._insert = 1 if skip == 1 else skip + 1
        self._start = model.init if state is None else state
        length = len(kept)
        self._needs: list[int | None] = [goal or 0] * (length + 1)
        """what must hold for the rest of the plan to be kept as it is; None where nothing is enough"""
        self._remaining = [0] * (length + 1)
        for place in range(length - 1, -1, -1):
            number, behind = kept[place], self._needs[place + 1]
            self._remaining[place] = self._remaining[place + 1] | 1 << number
            self._needs[place] = None if behind is None else model.before(behind, number)
        self._rows = [(each, each.rows(kept, goal or 0)) for each in model.collections]
        self._landmarks: dict[int, int] = {}
        """by state, landmarks that are known of it"""

    def _estimate(self, place: int, state: int) -> int:
        """Return what is needed at the least."""
        inserted = (self._landmarks.get(state, 0) & ~self._remaining[place]).bit_count()
        edits = max([collection.bound(rows[place], state) for collection, rows in self._rows], default=0)
        return max(inserted, edits) * self._skip + inserted * (self._insert - self._skip)

    def run(
        self, most: int | None = None, is_over: Callable[[], bool] = lambda: False, *, weight: int = 1
    ) -> SearchResult:
        """Search until the nearest plan is proven, some nodes were looked at, or it is over.

        With a ``weight`` of the estimate above 1 some plan is found sooner, and ``lower`` is no bound.
        """
        landmarks = self._model.landmarks(self._start) if self._has_goal else 0
        if landmarks is None:
            return SearchResult(None, None, 0)
        start = 0, self._start
        self._weight, self._made, self._landmarks[self._start] = weight, 0, landmarks
        self._costs: dict[_Node, int] = {start: 0}
        self._came: dict[_Node, tuple[_Node, Move, int]] = {}
        self._open: list[tuple[int, int, int, int, int, bool, _Node]] = []
        self._push(start, 0, 0)
        looked = 0
        while self._open:
            total, *_, cost, is_late, node = heappop(self._open)
            if cost > self._costs[node]:
                continue
            is_spent = self._model.is_spent(looked) if most is None else looked >= most
            if is_spent or is_over():
                return SearchResult(total // self._skip, None, looked)
            looked += 1
            needs = self._needs[node[0]]
            if needs is not None and not needs & ~node[1]:
                return SearchResult(cost // self._skip, self._edits(node), looked)
            if is_late or not self._is_put_off(node, cost, total):
                self._expand(node, cost, total)
        return SearchResult(None, None, looked)

    def _put(self, total: int, node: _Node, cost: int, *, is_late: bool) -> None:
        """Take a node: with most steps consumed first, and behind all steps the nearest to the goal."""
        self._made += 1
        depth = cost if node[0] == len(self._kept) else 0
        heappush(self._open, (total, -node[0], -depth, self._made, cost, is_late, node))

    def _push(self, node: _Node, cost: int, least: int) -> None:
        rest = self._estimate(node[0], node[1])
        if rest < NEVER * self._skip:
            self._put(max(cost + self._weight * rest, least if self._weight == 1 else 0), node, cost, is_late=False)

    def _reach(self, node: _Node, cost: int, came: tuple[_Node, Move, int], least: int) -> None:
        """Take a node, but for one that is known to cost as little."""
        known = self._costs.get(node)
        if known is None or cost < known:
            self._costs[node], self._came[node] = cost, came
            self._push(node, cost, least)

    def _is_put_off(self, node: _Node, cost: int, total: int) -> bool:
        """Keep the next step, or look for landmarks behind all steps; return whether all else is for later."""
        place, state = node
        if place == len(self._kept):
            found = self._model.landmarks(state)
            if found is None:
                return True
            self._landmarks[state] = found | self._landmarks.get(state, 0)
            least = cost + self._weight * self._landmarks[state].bit_count() * self._insert
            if least > total:
                self._put(least, node, cost, is_late=True)
            return least > total
        number = self._kept[place]
        if self._model.needs[number] & ~state:
            return False
        behind = self._behind(state, number, self._model.after(state, number))
        self._reach((place + 1, behind), cost, (node, Move.KEEP, number), total)
        self._put(total, node, cost, is_late=True)
        return True

    def _expand(self, node: _Node, cost: int, total: int) -> None:
        """Skip the next step, and insert others."""
        place, state = node
        if place < len(self._kept):
            self._reach((place + 1, state), cost + self._skip, (node, Move.SKIP, self._kept[place]), total)
        for number, behind in self._model.successors(state):
            reached = place, self._behind(state, number, behind)
            self._reach(reached, cost + self._insert, (node, Move.INSERT, number), total)

    def _behind(self, state: int, number: int, behind: int) -> int:
        """Return the state behind an operator, with the landmarks of the one before, but for the operator itself."""
        known = self._landmarks
        known[behind] = known.get(behind, 0) | known.get(state, 0) & ~(1 << number)
        return behind

    def _edits(self, node: _Node) -> tuple[tuple[Move, int], ...]:
        """Return the edits that lead to a node, and then those that keep the rest."""
        found = [(Move.KEEP, number) for number in reversed(self._kept[node[0] :])]
        while node in self._came:
            node, move, number = self._came[node]
            found.append((move, number))
        return tuple(reversed(found))
