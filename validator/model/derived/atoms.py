"""Atoms that are looked up by what is known of their terms."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Set
from operator import itemgetter
from typing import TypeAlias

from validator.model.values import GroundAtom

__all__ = ["Atoms"]

_Index: TypeAlias = dict[object, set[GroundAtom]]

_NONE: frozenset[GroundAtom] = frozenset()


class Atoms:
    """A set of ground atoms; an index is built when it is first asked for, and kept as atoms come and go."""

    def __init__(self) -> None:
        self.all: set[GroundAtom] = set()
        self._of: dict[str, set[GroundAtom]] = {}
        self._indexes: dict[str, dict[tuple[int, ...], tuple[Callable[[GroundAtom], object], _Index]]] = {}

    def of(self, predicate: str) -> Set[GroundAtom]:
        """Return the atoms of a predicate."""
        return self._of.get(predicate, _NONE)

    def having(self, predicate: str, places: tuple[int, ...], key: object) -> Set[GroundAtom]:
        """Return the atoms that have terms at places of their tuple: the term itself, for several a tuple."""
        indexes = self._indexes.setdefault(predicate, {})
        found = indexes.get(places)
        if found is None:
            found = indexes[places] = (itemgetter(*places), {})
            for atom in self.of(predicate):
                found[1].setdefault(found[0](atom), set()).add(atom)
        return found[1].get(key, _NONE)

    def add(self, atoms: Iterable[GroundAtom]) -> list[GroundAtom]:
        """Add atoms; return those that are new."""
        new = []
        for atom in atoms:
            if atom not in self.all:
                new.append(atom)
                self.all.add(atom)
                self._of.setdefault(atom[0], set()).add(atom)
                for key, index in self._indexes.get(atom[0], {}).values():
                    index.setdefault(key(atom), set()).add(atom)
        return new

    def remove(self, atoms: Iterable[GroundAtom]) -> None:
        """Remove atoms that are there."""
        for atom in atoms:
            self.all.remove(atom)
            self._of[atom[0]].remove(atom)
            for key, index in self._indexes.get(atom[0], {}).values():
                index[key(atom)].remove(atom)
