"""The heaviest assignment of a batch to a growing stretch of the other side, name by name.

Only steps and calls of one name can be a pair, so that a place changes the assignment of its own name alone. There,
what has no equal argument weighs the same with everything, and the rest falls into parts that share no place: most have
one member, whose best place is enough; the Hungarian method (Kuhn 1955) is left for the others.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

__all__ = ["Assigned"]

_MAX_PART = 100
"""Members of one part times its places; beyond, each place goes to the best member that is left, which is not exact."""


class Assigned:
    """Members of a batch, assigned to the places that were added; ``table`` has the weights of each member by place."""

    def __init__(self, table: Mapping[int, Mapping[int, int]]) -> None:
        self._groups: list[_Group] = []
        self._of_place: dict[int, _Group] = {}
        for members in _connected({member: set(row) for member, row in table.items() if row}):
            group = _Group({member: table[member] for member in members})
            self._groups.append(group)
            for member in members:
                self._of_place.update(dict.fromkeys(table[member], group))
        self._gain = 0
        self._most = sum(group.most for group in self._groups)

    def add(self, place: int) -> int:
        """Add a place, and return what the heaviest assignment weighs now."""
        group = self._of_place[place]
        before = group.gain
        group.add(place)
        self._gain += group.gain - before
        return self._gain

    @property
    def is_full(self) -> bool:
        """Return whether no further place can add anything."""
        return self._gain >= self._most

    def pairs(self) -> Iterator[tuple[int, int]]:
        """Yield (place, member)."""
        for group in self._groups:
            yield from group.pairs()


def _connected(places: Mapping[int, set[int]]) -> Iterator[list[int]]:
    """Yield the members, those together that share a place, at once or over others."""
    waiting = set(places)
    while waiting:
        first = min(waiting)
        waiting.discard(first)
        found, rest = [first], [first]
        held = set(places[first])
        while rest:
            held |= places[rest.pop()]
            near = [other for other in waiting if not places[other].isdisjoint(held)]
            waiting.difference_update(near)
            found += near
            rest += near
        yield sorted(found)


class _Group:
    """Members that share their places: those of one name, each of which may take each of their places.

    Where only the pairs with an equal argument are looked at, a member may not take all of them, and nothing is filled
    up with others.
    """

    def __init__(self, rows: Mapping[int, Mapping[int, int]]) -> None:
        self._rows = rows
        self._places: list[int] = []
        places = {place for row in rows.values() for place in row}
        is_whole = all(len(row) == len(places) for row in rows.values())
        self._least = min(weight for row in rows.values() for weight in row.values()) if is_whole else 0
        heavy = {
            member: {place for place, weight in row.items() if weight > self._least} for member, row in rows.items()
        }
        self._parts = [
            _Part({member: rows[member] for member in members}, set().union(*(heavy[member] for member in members)))
            for members in _connected({member: own for member, own in heavy.items() if own})
        ]
        self._of_place = {place: part for part in self._parts for place in part.places}
        self.most = sum(max(row.values()) for row in rows.values())
        self.gain = 0

    def add(self, place: int) -> None:
        self._places.append(place)
        part = self._of_place.get(place)
        if part is not None:
            part.add(place)
        paired = sum(len(part.found) for part in self._parts)
        rest = min(len(self._rows), len(self._places)) - paired
        self.gain = sum(part.gain for part in self._parts) + rest * self._least

    def pairs(self) -> Iterator[tuple[int, int]]:
        found = [pair for part in self._parts for pair in part.found]
        taken, members = {place for place, _ in found}, {member for _, member in found}
        yield from found
        if not self._least:
            return
        free = (place for place in self._places if place not in taken)
        yield from zip(free, (member for member in self._rows if member not in members), strict=False)


class _Part:
    """Members that compete for some places; ``found`` are the pairs of the best assignment to those that were added."""

    def __init__(self, rows: Mapping[int, Mapping[int, int]], places: set[int]) -> None:
        self.rows = rows
        self.places = places
        self.gain = 0
        self.found: list[tuple[int, int]] = []
        self._added: list[int] = []

    def add(self, place: int) -> None:
        self._added.append(place)
        if len(self.rows) == 1:
            ((member, row),) = self.rows.items()
            if row.get(place, 0) > self.gain:
                self.gain, self.found = row[place], [(place, member)]
            return
        from validator.metrics.assignment import heaviest_assignment  # and all metrics, which hardly any trace needs

        members = list(self.rows)
        if len(members) * len(self._added) <= _MAX_PART:
            weights = [[self.rows[member].get(each, 0) for each in self._added] for member in members]
            self._take([(self._added[column], members[row]) for row, column in heaviest_assignment(weights)])
        else:
            self._greedily(place, members)

    def _take(self, found: list[tuple[int, int]]) -> None:
        self.found = found
        self.gain = sum(self.rows[member][place] for place, member in found)

    def _greedily(self, place: int, members: Sequence[int]) -> None:
        taken = {member for _, member in self.found}
        free = [member for member in members if member not in taken]
        best = max(free, key=lambda member: self.rows[member].get(place, 0), default=None)
        if best is not None and self.rows[best].get(place):
            self._take([*self.found, (place, best)])
