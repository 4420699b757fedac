"""The heaviest chain of pairs between a sequence and batches of members that have no order among themselves.

A front of ever later and ever heavier chains (compare Hunt and Szymanski 1977 for the longest common subsequence); a
batch is assigned to a stretch of the sequence as a whole, which grows by augmenting paths (Kuhn 1955).
"""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter, deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TypeAlias

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
    sequence: Sequence[int],
    batches: Sequence[Sequence[int]],
    weigh: Callable[[int], Iterator[tuple[int, int]]],
    base: int,
) -> Found:
    """Return the weight and the pairs (place, member) of a heaviest chain of a sequence with batches of members.

    ``weigh`` yields the places of a member with their weights, none below ``base``; with a base above 0 two members
    have the same places or none in common.
    """
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
            offers.extend(_stretches(front, table, base))
        for offer in offers:
            front.offer(*offer)
    value, chain = front.before(len(sequence))
    pairs: list[tuple[int, int]] = []
    while chain is not None:
        pairs += reversed(chain[0])
        chain = chain[1]
    return value, pairs[::-1]


def _stretches(front: _Front, table: Mapping[int, Mapping[int, int]], base: int) -> Iterator[tuple[int, int, _Chain]]:
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
        assigned = _Assignment(table, base)
        gain = 0
        for place in places[first:]:
            own = assigned.add(place)
            if own > gain:
                gain = own
                yield place + 1, before + gain, (tuple(sorted(assigned.pairs())), chain)
                if assigned.is_full:
                    break


class _Assignment:
    """The heaviest assignment of the members of a batch to places, which are added one by one.

    What weighs only ``base`` fills up the rest: it is the same for all members of one name and all of their places.
    """

    def __init__(self, table: Mapping[int, Mapping[int, int]], base: int) -> None:
        self._base = base
        self._heavy: dict[int, dict[int, int]] = {}
        self._name: dict[int, int] = {}
        """of each place, the first member that may take it"""
        for member, row in table.items():
            for place, weight in row.items():
                self._name.setdefault(place, member)
                if weight > base:
                    self._heavy.setdefault(place, {})[member] = weight - base
        self._names = {member: self._name[next(iter(row))] for member, row in table.items() if row}
        self._room = Counter(self._names.values())
        self._most = sum(max(row.values()) for row in table.values() if row)
        self._member: dict[int, int] = {}
        self._place: dict[int, int] = {}
        self._added: list[int] = []
        self._gain = 0

    def add(self, place: int) -> int:
        """Add a place, and return what the heaviest assignment weighs now."""
        self._added.append(place)
        if place in self._heavy:
            self._gain += self._augment(place)
        if self._base and self._room[self._name[place]]:
            self._room[self._name[place]] -= 1
            self._gain += self._base
        return self._gain

    @property
    def is_full(self) -> bool:
        """Return whether no further place can add anything."""
        return self._gain >= self._most

    def _augment(self, start: int) -> int:
        """Take the heaviest path from a new place to a member that is free, or whose place becomes so."""
        best: dict[int, int] = {}
        before: dict[int, int] = {}
        waiting, gains = deque([start]), {start: 0}
        while waiting:
            place = waiting.popleft()
            for member, weight in self._heavy[place].items():
                if gains[place] + weight > best.get(member, 0) and self._place.get(member) != place:
                    best[member], before[member] = gains[place] + weight, place
                    other = self._place.get(member)
                    if other is not None:
                        gains[other] = best[member] - self._heavy[other][member]
                        waiting.append(other)
        ends = {member: gains[self._place[member]] if member in self._place else gain for member, gain in best.items()}
        end = max(ends, key=ends.__getitem__)
        if ends[end] <= 0:
            return 0
        self._member.pop(self._place.get(end, -1), None)
        freed: int | None = end
        while freed is not None:
            place, member = before[freed], freed
            freed = self._member.get(place)
            self._member[place], self._place[member] = member, place
        return ends[end]

    def pairs(self) -> Iterator[tuple[int, int]]:
        """Yield (place, member)."""
        yield from self._member.items()
        free = [member for member in self._names if member not in self._place]
        for place in self._added if self._base else ():
            member = next((each for each in free if self._names[each] == self._name[place]), None)
            if place not in self._member and member is not None:
                free.remove(member)
                yield place, member
