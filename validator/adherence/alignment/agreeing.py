"""The heaviest chain of two sequences that mostly agree, without a look at all of their pairs.

A best-first search over places (step, call) from which both sequences go on (compare A*, and Myers 1986):
leave the step out, leave the call out, or pair them. From a place on, no chain weighs more than what is left of either
sequence could at best, each member with its own best partner. Three arguments keep the search near the diagonals on
which the sequences agree, and its result exact:

- A step and a call of which neither can weigh more with another are paired at once. Whatever chain leaves that out has
  at most one of the two in another pair, as two such pairs would cross.
- Of two ways to one diagonal, the further one is as good if what it weighs, with what is left at best, is no less, by
  steps and by calls: a chain from the nearer place loses at most what the steps, or the calls, between could weigh.
- The bound never grows along a way, so that the first way to the end of a sequence is a heaviest one.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from heapq import heappop, heappush
from itertools import accumulate

from validator.adherence.alignment.weights import Weights

__all__ = ["agreeing"]


def agreeing(weights: Weights, most: int) -> list[tuple[int, int]] | None:
    """Return the pairs (step, call) of a heaviest chain; None where it takes more than a look at ``most`` places."""
    search = _Search(weights)
    for _ in range(most):
        if (found := search.next()) is not None:
            return search.pairs(found)
    return None


class _Search:
    def __init__(self, weights: Weights) -> None:
        self._weigh = weights.weigh
        self._step_tops, self._call_tops = weights.tops
        self._steps, self._calls = len(self._step_tops), len(self._call_tops)
        self._steps_left, self._calls_left = _left(self._step_tops), _left(self._call_tops)
        self._ways: list[tuple[int, int, int, int]] = []
        """The step and the call where a run of pairs begins, its length, and the way before it"""
        self._kept: dict[int, list[tuple[int, int, int]]] = {}
        """Of the ways to each diagonal: where it goes on, what it weighs with what is left of steps, and of calls"""
        self._waiting: list[tuple[int, int, int, int]] = []
        self._go(0, 0, 0, 0, -1)

    def next(self) -> int | None:
        """Look at the most hopeful place; return the way to it where it is the end of a sequence."""
        _, _, weight, way = heappop(self._waiting)
        step, call, length, _ = self._ways[way]
        step, call = step + length, call + length
        if step == self._steps or call == self._calls:
            return way
        self._go(step + 1, call, 0, weight, way)
        self._go(step, call + 1, 0, weight, way)
        own = self._weigh(step, call)
        if own:
            self._go(step, call, 1, weight + own, way)
        return None

    def _go(self, step: int, call: int, length: int, weight: int, before: int) -> None:
        """Go on from a place, and past all pairs that are best for both, unless another way is as good."""
        at, across = step + length, call + length
        while at < self._steps and across < self._calls:
            own = self._weigh(at, across)
            if not own or own < self._step_tops[at] or own < self._call_tops[across]:
                break
            weight, at, across = weight + own, at + 1, across + 1
        by_steps, by_calls = weight + self._steps_left[at], weight + self._calls_left[across]
        kept = self._kept.setdefault(at - across, [])
        place = bisect_left(kept, (at, 0, 0))
        if any(kept[other][1] >= by_steps and kept[other][2] >= by_calls for other in range(place, len(kept))):
            return
        kept.insert(place, (at, by_steps, by_calls))
        self._ways.append((step, call, at - step, before))
        heappush(self._waiting, (-min(by_steps, by_calls), -at - across, weight, len(self._ways) - 1))

    def pairs(self, way: int) -> list[tuple[int, int]]:
        """Return the pairs along a way."""
        found: list[tuple[int, int]] = []
        while way >= 0:
            step, call, length, way = self._ways[way]
            found += ((step + each, call + each) for each in reversed(range(length)))
        return found[::-1]


def _left(tops: Sequence[int]) -> list[int]:
    """Return what is left at best from each place on, and at the end."""
    return list(accumulate(reversed(tops), initial=0))[::-1]
