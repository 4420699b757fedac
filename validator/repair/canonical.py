"""Bounds of groups of atoms, added up where no operator changes two of them (canonical heuristic, Haslum et al. 2007).

Of a group at most one atom holds at a time, so that it is a variable, whose values are its atoms and none. Its bound is
exact for the observed steps by themselves: at each place, and for each value, the fewest edits with which the rest of
the steps executes on this variable and comes to the goal. What a step does to such bounds is kept, so that plans that
end alike are looked at once.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from functools import cached_property, lru_cache
from typing import TypeAlias, TypeVar
from weakref import WeakMethod

from validator.model.values import GroundAtom, Model
from validator.repair.projection.invariants import groups

NEVER = 2**30
"""what it costs to come to what cannot be reached: more than any cost, and within 32 bits"""

MOST_KEPT = 50_000
"""of what is remembered: bounds of places, values, landmarks and successors of states"""

_MOST_ATOMS = 60
"""atoms of a group, as all its pairs are looked at"""

_MOST_COLLECTIONS = 4
"""collections that are asked, of those that cover most operators"""

_Row: TypeAlias = tuple[int, ...]
"""by value, the fewest edits to the end of the plan"""

_Result = TypeVar("_Result")


def bits(mask: int) -> Iterator[int]:
    """Yield the places of the bits of a mask."""
    while mask:
        lowest = mask & -mask
        yield lowest.bit_length() - 1
        mask ^= lowest


def remembered(method: Callable[..., _Result]) -> Callable[..., _Result]:
    """Return a method whose latest results are kept.

    It does not keep its object alive: what refers to itself stays in memory until the garbage collector comes, which
    counts objects, and the results are few objects and much memory.
    """
    owner = WeakMethod(method)

    @lru_cache(MOST_KEPT)
    def ask(*key: Hashable) -> _Result:
        bound = owner()
        assert bound is not None
        return bound(*key)

    return ask


class _Group:
    """A variable: ``arcs`` says of each operator that needs or changes it which values it leads to from which."""

    def __init__(self, atoms: Sequence[int], effects: Iterable[tuple[int, int, int, int]]) -> None:
        """Read it; ``effects`` are operators with what they need, add and delete, as bits."""
        self.mask = sum(1 << atom for atom in atoms)
        self.values = {**{1 << atom: value for value, atom in enumerate(atoms)}, 0: len(atoms)}
        self.arcs = dict[int, list[tuple[int, int]]]()
        for number, need, add, delete in effects:
            need, add, delete = need & self.mask, add & self.mask, delete & self.mask
            if need or add or delete:
                old = [need] if need else list(self.values)
                pairs = ((self.values.get(each), self.values.get(each & ~delete | add)) for each in old)
                self.arcs[number] = [(one, other) for one, other in pairs if one is not None and other is not None]
        self.changing = {number for number, arcs in self.arcs.items() if any(one != other for one, other in arcs)}
        self.at_end = remembered(self._at_end)
        self.before = remembered(self._before)

    @cached_property
    def _ways(self) -> list[list[int]]:
        """Return how many insertions lead to each value, from each one."""
        size = len(self.values)
        found = [[0 if one == other else NEVER for other in range(size)] for one in range(size)]
        for one, other in {arc for arcs in self.arcs.values() for arc in arcs if arc[0] != arc[1]}:
            found[other][one] = 1
        for between in range(size):
            for row in found:
                if (more := row[between]) < NEVER:
                    row[:] = [min(known, more + first) for known, first in zip(row, found[between], strict=True)]
        return found

    def _at_end(self, goal: int) -> _Row:
        """Return the bounds where no steps are left."""
        asked = goal & self.mask
        ends = [value for atom, value in self.values.items() if atom == asked or not asked]
        ways = ([self._ways[end][value] for end in ends] for value in range(len(self.values)))
        return tuple(min(each, default=NEVER) for each in ways)

    def _before(self, row: _Row, number: int) -> _Row:
        """Return the bounds before a step, by those behind it: it is skipped for 1, or kept for nothing."""
        least = [each + 1 for each in row]
        for old, new in self.arcs[number]:
            if (kept := row[new]) < least[old]:
                least = [min(known, kept + way) for known, way in zip(least, self._ways[old], strict=True)]
        return tuple(least)


class Collection:
    """Groups of which each operator changes one at the most: of each step one group has the price of its skip."""

    def __init__(self, members: Sequence[_Group]) -> None:
        self._groups = members
        self._owner = dict[int, int]()
        for place, group in enumerate(members):
            for number in group.arcs:
                if number in group.changing or number not in self._owner:
                    self._owner[number] = place
        self._values = remembered(self._values_of)

    def rows(self, kept: Sequence[int], goal: int) -> list[tuple[_Row, ...]]:
        """Return the bounds of each group at each place of a plan, by value."""
        last = [group.at_end(goal) for group in self._groups]
        found = [tuple(last)]
        for number in reversed(kept):
            owner = self._owner.get(number)
            if owner is not None:
                last[owner] = self._groups[owner].before(last[owner], number)
            found.append(tuple(last))
        return found[::-1]

    def bound(self, rows: tuple[_Row, ...], state: int) -> int:
        """Return a number of edits that are needed at the least from a state on; ``rows`` are those of its place."""
        return sum([row[value] for row, value in zip(rows, self._values(state), strict=True)])

    def _values_of(self, state: int) -> _Row:
        return tuple([group.values[state & group.mask] for group in self._groups])


def collections_of(
    model: Model, atoms: Sequence[GroundAtom], init: int, effects: Sequence[tuple[int, int, int]]
) -> list[Collection]:
    """Return the collections of groups that cover most operators; ``atoms`` are those of the bits of a state.

    ``effects`` are what operators need, add and delete, as bits.
    """
    touching = defaultdict[int, list[int]](list)
    for number, masks in enumerate(effects):
        for atom in bits((masks[0] | masks[1] | masks[2]) & (1 << len(atoms)) - 1):
            touching[atom].append(number)
    parts = list(_parts(model, atoms, init))
    grouped = {atom for each in parts for atom in each}
    parts += [[atom] for atom in range(len(atoms)) if atom not in grouped]
    members: list[list[_Group]] = []
    for part in parts:
        numbers = sorted({number for atom in part for number in touching[atom]})
        group = _Group(part, [(number, *effects[number]) for number in numbers])
        some = next((some for some in members if all(map(group.changing.isdisjoint, (x.changing for x in some)))), None)
        if some is None:
            members.append([group])
        else:
            some.append(group)
    members.sort(key=lambda some: -sum(len(group.changing) for group in some))
    return [Collection(some) for some in members[:_MOST_COLLECTIONS]]


def _parts(model: Model, atoms: Sequence[GroundAtom], init: int) -> Iterable[list[int]]:
    """Return the atoms, by number, of each group of which initially one holds at the most."""
    for group in groups(model):
        by_binding = defaultdict[tuple[str, ...], list[int]](list)
        for number, atom in enumerate(atoms):
            binding = group.binding(atom[0], atom[1:])
            if binding is not None:
                by_binding[binding].append(number)
        for some in by_binding.values():
            if 1 < len(some) <= _MOST_ATOMS and sum(init >> number & 1 for number in some) <= 1:
                yield some
