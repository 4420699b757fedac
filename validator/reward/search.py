"""A* for nearest plans and cheapest rests of a plan, in this process: what is computed for a problem serves all texts.

A state is a set of literals, as bits; a set of ground operators is one too. A node is a place in the observed plan, a
state, and what came last. Keeping a step is free, inserting and skipping cost 1. The estimate counts edits that no
repair can do without, and that no two needs share:
- landmarks: operators that each plan from the state to the goal has, and the rest of the observed plan has not
- broken needs: a literal that a kept step, or the goal, needs and that does not hold by then, repaired only by an
  insertion of what adds it or by a skip of the step that needs or deletes it
An inserted operator that commutes with the step after it may as well stand after it, so that this step is neither
kept nor skipped then (see ``validator.certificates.plan_certify``).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from heapq import heappop, heappush
from typing import TypeAlias

from validator.records import dataclass
from validator.reward.literals import Literals, bits

__all__ = ["Found", "Search"]

_PULSE = 32
"""nodes after which the search looks at the clock"""

INSERTING, READY, ARRIVED = range(3)
"""After an insertion that commutes with the next step; after one that does not; after a step, or at the start."""

_Node: TypeAlias = tuple[int, int, int]
"""place, state, and one of the three above"""

_Broken: TypeAlias = tuple[int, int, int]
"""Of a broken need: the operators whose insertion repairs it, the place of the step that deletes it (-1 for none), and
that of the step that needs it (after all steps for the goal). Skipping one of the two repairs it as well."""


@dataclass(frozen=True, slots=True)
class Found:
    """Bounds of the fewest edits, and the operators of the plan that has them; None where it was not found.

    ``lower`` None means that no plan reaches the goal; ``looked`` is how many nodes the search took.
    """

    lower: int | None
    plan: tuple[int, ...] | None
    looked: int

    @property
    def is_proven(self) -> bool:
        return self.plan is not None or self.lower is None


class Search:
    """The search for the plan nearest to some operators, from a state."""

    def __init__(self, model: Literals, kept: Sequence[int], state: int | None = None) -> None:
        self.model, self.kept = model, kept
        self.start = model.init if state is None else state
        length = len(kept)
        self.rest = [model.goal] * (length + 1)
        """what the rest of the plan needs"""
        self.remaining = [0] * (length + 1)
        self.broken: list[tuple[_Broken, ...]] = [()] * (length + 1)
        for place in range(length - 1, -1, -1):
            number, behind = kept[place], self.rest[place + 1]
            self.remaining[place] = self.remaining[place + 1] | 1 << number
            found = list(self.broken[place + 1])
            for literal in bits(behind & model.deletes[number]):
                self._count(found, (model.adders.get(literal, 0), place, self._user(place + 1, literal)))
            self.broken[place] = tuple(found)
            self.rest[place] = model.needs[number] | behind & ~model.adds[number] & ~model.deletes[number]
        self.needed: dict[int, int] = {}
        """by state, landmarks that are known of it"""

    def _user(self, place: int, literal: int) -> int:
        """Return the first place from one on whose step needs a literal; that of the goal is after all steps."""
        for at in range(place, len(self.kept)):
            if self.model.needs[self.kept[at]] >> literal & 1:
                return at
        return len(self.kept)

    def _count(self, found: list[_Broken], new: _Broken) -> None:
        """Add a broken need where it shares no edit with those that are there."""
        adders, deleter, user = new
        end = len(self.kept)
        for others, other_deleter, other_user in found:
            if (
                (user == other_user and user < end)
                or (deleter == other_deleter and deleter >= 0)
                or user == other_deleter
                or other_user == deleter
                or (adders & others and deleter < other_user and other_deleter < user)
            ):
                return
        found.append(new)

    def estimate(self, place: int, state: int, needed: int) -> int | None:
        """Return a number of edits that are needed at the least; None where there is no way to the goal."""
        new, found, adders = needed & ~self.remaining[place], list(self.broken[place]), self.model.adders
        unmet = self.rest[place] & ~state
        for literal in bits(unmet):
            user = self._user(place, literal)
            if user == len(self.kept) and literal not in adders:
                return None
            self._count(found, (adders.get(literal, 0), -1, user))
        return new.bit_count() + sum(not each[0] & new for each in found)

    def run(self, most: int, is_over: Callable[[], bool] = lambda: False, *, weight: int = 1) -> Found:
        """Search until the nearest plan is proven, some nodes were looked at, or it is over.

        With a ``weight`` of the estimate above 1 some plan is found sooner, and ``lower`` is no bound.
        """
        self.weight = weight
        model, length = self.model, len(self.kept)
        landmarks = model.landmarks(self.start)
        if landmarks is None:
            return Found(None, None, 0)
        start = (0, self.start, ARRIVED)
        self.needed[self.start] = landmarks
        self.costs: dict[_Node, int] = {start: 0}
        self.came: dict[_Node, tuple[_Node, int]] = {}
        self.open: list[tuple[int, int, int, int, bool, _Node]] = []
        self.made = 0
        self._push(start, 0, 0)
        looked = 0
        while self.open:
            total, _, _, cost, is_wide, node = heappop(self.open)
            place, state, _ = node
            if cost > self.costs[node]:
                continue
            if looked >= most or (not looked % _PULSE and is_over()):
                return Found(total, None, looked)
            looked += 1
            if place == length and not is_wide and not self._is_end(place, state):
                found = model.landmarks(state)
                if found is None:
                    continue
                needed = self.needed[state] = found | self.needed.get(state, 0)
                rest = needed.bit_count()
                if cost + weight * rest > total:
                    self._put(cost + weight * rest, node, cost, is_wide=True)
                    continue
            if self._is_end(place, state):
                return Found(cost, tuple(self._plan(node)), looked)
            self._expand(node, cost, total, is_wide=is_wide)
        return Found(None, None, looked)

    def _is_end(self, place: int, state: int) -> bool:
        return not self.broken[place] and not self.rest[place] & ~state

    def _put(self, total: int, node: _Node, cost: int, *, is_wide: bool) -> None:
        self.made += 1
        heappush(self.open, (total, -node[0], self.made, cost, is_wide, node))

    def _push(self, node: _Node, cost: int, least: int) -> None:
        place, state, _ = node
        rest = self.estimate(place, state, self.needed.get(state, 0))
        if rest is not None:
            self._put(max(cost + self.weight * rest, least if self.weight == 1 else 0), node, cost, is_wide=False)

    def _reach(self, node: _Node, cost: int, before: _Node, operator: int, least: int) -> None:
        known = self.costs.get(node)
        if known is not None and known <= cost:
            return
        place, state, came = node
        for better in range(came + 1, ARRIVED + 1):
            known = self.costs.get((place, state, better))
            if known is not None and known <= cost:
                return
        self.costs[node], self.came[node] = cost, (before, operator)
        self._push(node, cost, least)

    def _expand(self, node: _Node, cost: int, total: int, *, is_wide: bool) -> None:
        """Keep the next step first; all else is done where nothing deeper costs as little."""
        place, state, came = node
        model, kept = self.model, self.kept
        needed = self.needed.get(state, 0)
        if not is_wide and place < len(kept):
            number = kept[place]
            if came != INSERTING and not model.needs[number] & ~state:
                to = model.after(state, number)
                self.needed[to] = self.needed.get(to, 0) | needed & ~(1 << number)
                self._reach((place + 1, to, ARRIVED), cost, node, number, total)
                self._put(total, node, cost, is_wide=True)
                return
        if place < len(kept) and came == ARRIVED:
            self._reach((place + 1, state, ARRIVED), cost + 1, node, -1, total)
        for number, to in model.successors(state):
            self.needed[to] = self.needed.get(to, 0) | needed & ~(1 << number)
            is_inert = place < len(kept) and model.commute(number, kept[place])
            self._reach((place, to, INSERTING if is_inert else READY), cost + 1, node, number, total)

    def _plan(self, node: _Node) -> Iterator[int]:
        """Return the operators that lead to a node, and then those that are kept."""
        found = list(reversed(self.kept[node[0] :]))
        while node in self.came:
            node, number = self.came[node]
            if number >= 0:
                found.append(number)
        return reversed(found)
