"""The fewest edits that make a run keep rules: calls dropped, added, or moved, by A*.

A call is moved by taking it out and putting it back later, or by making it early; both cost one edit, as dropping and
adding do. With a model each call is executed as well, by the same executor that decides runs: what is searched is the
product of the states of the rules and of the model.
"""

from __future__ import annotations

import heapq
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import count
from typing import TYPE_CHECKING

from validator.policies.events import FOLLOWING, Event
from validator.policies.product import Position, Product
from validator.policies.rules import AtLeast, AtMost

if TYPE_CHECKING:
    from validator.policies.executor import ModelState

_UNORDERED = AtMost | AtLeast
"""the rules to which the order of the calls does not matter, as far as they look at no facts"""


@dataclass(frozen=True, slots=True)
class NearestRun:
    """The repaired run, None without one, and whether it is proven that none has fewer edits (or that there is none).

    ``calls`` are numbers of calls, those of added ones from the number of calls on.
    """

    calls: tuple[int, ...] | None
    edits: int = 0
    is_proven: bool = False


@dataclass(frozen=True, slots=True)
class _Node:
    place: int
    position: Position
    held: frozenset[int]
    early: frozenset[int]


def search(
    beside: Product, start: Position, run: Sequence[Event], added: Sequence[Event], deadline: float
) -> NearestRun:
    """Return the fewest edits that make a run keep a policy, or some edits where the time is not enough for a proof.

    ``start`` is how far the run was before it. With a model all calls can be executed on it too; a call of the run that
    the model does not know is kept, and changes nothing.
    """
    space = _Space(beside, start, run, added)
    now = time.monotonic()
    if space.none_keeps(now + (deadline - now) / 4):
        return NearestRun(None, is_proven=True)
    return space.look(deadline) or space.without_broken()


class _Space:
    """The edits of a run."""

    def __init__(self, beside: Product, start: Position, run: Sequence[Event], added: Sequence[Event]) -> None:
        self.product, self.start, self.length = beside, start, len(run)
        self.policy, self.executor = beside.policy, beside.executor
        self.events = (*run, *added)
        self.added = range(len(run), len(self.events))
        has_order = self.executor is not None or not all(isinstance(rule, _UNORDERED) for rule in self.policy.rules)
        self.moves = has_order and not self.policy.has_windows  # a call that was made has its time
        self.after = lru_cache(maxsize=200_000)(self._after)
        self.executed = lru_cache(maxsize=200_000)(self._executed)
        self.can_end = lru_cache(maxsize=200_000)(self._can_end)

    def _after(self, position: Position, number: int, before: int | None = None) -> Position | None:
        """Return how far a run is after a call; None where a rule is, or may be, broken, or it cannot be executed.

        ``before`` is the place of the run at which a call is added; None for a call of the run.
        """
        following = None if self.executor is None else self.executed(position.state, number)
        if following is None and self.executor is not None:
            return None
        event = self.events[number]
        if before is not None:
            event = replace(event, time=self.events[before].time if before < self.length else FOLLOWING)
        progress, broken = self.policy.after(position.progress, event, self.product.holds(position.state))
        return None if broken else Position(progress, following)

    def _executed(self, state: ModelState, number: int) -> ModelState:
        """Return the state after a call of the model; None where it cannot be executed."""
        assert self.executor is not None
        event = self.events[number]
        judged = self.executor.judge(state, event)
        may_be_kept = number < self.length or event.key not in self.executor.tools
        return judged.after if judged.allowed or (judged.allowed is None and may_be_kept) else None

    def _can_end(self, place: int, position: Position) -> bool:
        """Return whether the rest of the run can stay as it is."""
        for number in range(place, self.length):
            following = self.after(position, number)
            if following is None:
                return False
            position = following
        return self.product.may_end(position)

    def without_broken(self) -> NearestRun:
        """Return the run without the calls that break a rule where they stand; none where that does not keep all."""
        position = self.start
        calls = []
        for number in range(self.length):
            following = self.after(position, number)
            if following is not None:
                calls.append(number)
                position = following
        return NearestRun(tuple(calls) if self.product.may_end(position) else None, self.length - len(calls))

    def none_keeps(self, deadline: float) -> bool:
        """Return whether no run at all keeps the rules, of whichever calls, as often as one likes: a proof in time."""
        if (self.executor is not None and self.policy.external_facts) or self.policy.looks_back:
            return False  # the states are too many
        seen, waiting = {self.start.progress}, [self.start.progress]
        while waiting:
            progress = waiting.pop()
            if self.policy.is_kept(progress) or time.monotonic() > deadline:
                return False
            for number in range(len(self.events)):
                following, broken = self.policy.after(progress, self.events[number])
                if not broken and following not in seen:
                    seen.add(following)
                    waiting.append(following)
        return True

    def left(self, node: _Node) -> int:
        """Return a lower bound for the edits that are still needed: none without a model."""
        if self.executor is None or node.held or node.early:
            return 0
        return 0 if self.can_end(node.place, node.position) else 1

    def look(self, deadline: float) -> NearestRun | None:
        """Return the run with the fewest edits, or that there is none; None when time is up."""
        start = _Node(0, self.start, frozenset(), frozenset())
        best = {start: 0}
        parents: dict[_Node, tuple[_Node, int | None]] = {}
        ticks = count()
        queue = [(0, 0, next(ticks), start)]
        while queue:
            *_, node = heapq.heappop(queue)
            cost = best[node]
            if node.place == self.length and not node.held and self.product.may_end(node.position):
                return NearestRun(tuple(_calls(node, parents)), cost // _EDIT, is_proven=True)
            if time.monotonic() > deadline:
                return None
            for following, edits, call in self._edits(node):
                known = best.get(following)
                if known is None or cost + edits < known:
                    best[following] = cost + edits
                    parents[following] = (node, call)
                    rank = cost + edits + self.left(following) * _EDIT
                    heapq.heappush(queue, (rank, -following.place, next(ticks), following))
        return NearestRun(None, is_proven=True)

    def _may_move(self, call: int) -> bool:
        return self.moves and not self.events[call].is_message

    def _edits(self, node: _Node) -> Iterator[tuple[_Node, int, int | None]]:
        """Yield what can be done next: the node after it, its cost, and the call that is made."""
        place, held, early = node.place, node.held, node.early
        now = node.position
        before = place if self.policy.has_windows else None
        if place in early:
            yield _Node(place + 1, now, held, early - {place}), 0, None
            return
        if place < self.length and (kept := self.after(now, place)) is not None:
            yield _Node(place + 1, kept, held, early), 0, place
        if place < self.length and not self.events[place].is_message:
            yield _Node(place + 1, now, held, early), _EDIT + 2, None
            if self.moves:
                yield _Node(place + 1, now, held | {place}, early), _EDIT, None
        for call in held:
            if (put := self.after(now, call)) is not None:
                yield _Node(place, put, held - {call}, early), 0, call
        later = (call for call in range(place + 1, self.length) if self._may_move(call) and call not in early)
        for call in (*later, *self.added):
            done = self.after(now, call, before)
            if done is not None and done != now:
                is_new = call >= self.length
                yield _Node(place, done, held, early if is_new else early | {call}), _EDIT + is_new, call


_EDIT = 1000
"""what an edit costs; adding a call costs a little more and dropping one still more: as few edits keep most so"""


def _calls(node: _Node, parents: dict[_Node, tuple[_Node, int | None]]) -> list[int]:
    found = []
    while node in parents:
        node, call = parents[node]
        if call is not None:
            found.append(call)
    return found[::-1]
