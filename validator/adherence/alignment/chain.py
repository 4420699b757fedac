"""The heaviest chain of pairs between a sequence and batches of members that have no order among themselves.

A front of ever later and ever heavier chains (compare Hunt and Szymanski 1977 for the longest common subsequence); a
batch is assigned to a stretch of the sequence as a whole (the Hungarian method, Kuhn 1955).
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TypeAlias

from validator.adherence.alignment.assigned import Assigned

__all__ = ["Found", "heaviest"]

Found: TypeAlias = tuple[int, list[tuple[int, int]]]
"""The weight of a chain, and its pairs (place in the sequence, member of a batch)."""


_Chain: TypeAlias = "tuple[tuple[tuple[int, int], ...], _Chain] | None"
"""Pairs (place in the sequence, member of a batch) and the chain before them."""


class _Front:
    """The best chains so far: each ends later in the sequence than the one before it, and weighs more."""

    def __init__(self) -> None:
        self._ends: list[int] = [0]
        self._values: list[int] = [0]
        self._chains: list[_Chain] = [None]

    def before(self, place: int) -> tuple[int, _Chain]:
        """Return the heaviest chain that ends before a place."""
        at = bisect_right(self._ends, place) - 1
        return self._values[at], self._chains[at]

    def offer(self, end: int, value: int, chain: _Chain) -> None:
        """Take a chain that ends before ``end``, unless there is one as heavy that ends no later."""
        at = bisect_right(self._ends, end)
        if self._values[at - 1] >= value:
            return
        first = at - (self._ends[at - 1] == end)
        last = bisect_right(self._values, value, lo=at)
        self._ends[first:last], self._values[first:last], self._chains[first:last] = [end], [value], [chain]


def heaviest(
    sequence: Sequence[int], batches: Sequence[Sequence[int]], weigh: Callable[[int], Iterator[tuple[int, int]]]
) -> Found:
    """Return the weight and the pairs (place, member) of a heaviest chain of a sequence with batches of members."""
    place_of = {index: place for place, index in enumerate(sequence)}
    front = _Front()
    for batch in batches:
        offers: list[tuple[int, int, _Chain]] = []
        if len(batch) == 1:
            for index, weight in weigh(batch[0]):
                place = place_of[index]
                value, chain = front.before(place)
                offers.append((place + 1, value + weight, (((place, batch[0]),), chain)))
        else:
            table = {member: {place_of[index]: weight for index, weight in weigh(member)} for member in batch}
            offers.extend(_stretches(front, table))
        for offer in offers:
            front.offer(*offer)
    value, chain = front.before(len(sequence))
    pairs: list[tuple[int, int]] = []
    while chain is not None:
        pairs += reversed(chain[0])
        chain = chain[1]
    return value, pairs[::-1]


def _stretches(front: _Front, table: Mapping[int, Mapping[int, int]]) -> Iterator[tuple[int, int, _Chain]]:
    """Yield what the best assignments of a batch to each stretch of the sequence make of the chains before it.

    A stretch that begins where no better chain ends than before an earlier place is within a better one; one that gains
    nothing by its last place is no better than the shorter one.
    """
    places = sorted({place for row in table.values() for place in row})
    last = -1
    for first, start in enumerate(places):
        before, chain = front.before(start)
        if before == last:
            continue
        last = before
        assigned = Assigned(table)
        gain = 0
        for place in places[first:]:
            own = assigned.add(place)
            if own > gain:
                gain = own
                yield place + 1, before + gain, (tuple(sorted(assigned.pairs())), chain)
                if assigned.is_full:
                    break
