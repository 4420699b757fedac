"""States of large scenes: immutable, indexed by every argument, each sharing with others what did not change."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from typing import TypeAlias

from validator.model.values import GroundAtom
from validator.records import dataclass, field

Key: TypeAlias = tuple[str, int, str]
"""A predicate, a position (0 is the first argument) and the object there; ``(predicate, -1, "")`` without arguments."""

_NONE: frozenset[GroundAtom] = frozenset()


@dataclass(frozen=True, slots=True, kw_only=True)
class State:
    """A set of ground atoms; ``changed`` holds the rows that differ from those of ``base``."""

    base: Mapping[Key, frozenset[GroundAtom]]
    changed: Mapping[Key, frozenset[GroundAtom]] = field(default_factory=dict)
    _firsts: dict[str, tuple[str, ...]] = field(default_factory=dict, compare=False, repr=False)

    @classmethod
    def of(cls, atoms: Iterable[GroundAtom]) -> State:
        rows: dict[Key, set[GroundAtom]] = defaultdict(set)
        for atom in atoms:
            for key in _keys(atom):
                rows[key].add(atom)
        return cls(base={key: frozenset(row) for key, row in rows.items()})

    def __contains__(self, atom: GroundAtom) -> bool:
        return atom in self.row(_first_key(atom))

    def __iter__(self) -> Iterator[GroundAtom]:
        for key in {**self.base, **self.changed}:
            if key[1] <= 0:
                yield from self.row(key)

    def row(self, key: Key) -> frozenset[GroundAtom]:
        """Return the atoms of a predicate that have an object at a position."""
        found = self.changed.get(key)
        return self.base.get(key, _NONE) if found is None else found

    def firsts(self, predicate: str) -> tuple[str, ...]:
        """Return the objects that are the first argument of an atom of a predicate, sorted."""
        found = self._firsts.get(predicate)
        if found is None:
            keys = {key for rows in (self.base, self.changed) for key in rows if key[0] == predicate and key[1] == 0}
            found = self._firsts[predicate] = tuple(sorted(key[2] for key in keys if self.row(key)))
        return found

    def after(self, added: Iterable[GroundAtom], deleted: Iterable[GroundAtom]) -> State:
        """Return the state with atoms deleted, then atoms added."""
        rows: dict[Key, set[GroundAtom]] = {}
        for atoms, change in ((deleted, set.discard), (added, set.add)):
            for atom in atoms:
                for key in _keys(atom):
                    if key not in rows:
                        rows[key] = set(self.row(key))
                    change(rows[key], atom)
        touched = {key[0] for key in rows}
        return State(
            base=self.base,
            changed={**self.changed, **{key: frozenset(row) for key, row in rows.items()}},
            _firsts={name: found for name, found in self._firsts.items() if name not in touched},
        )


def _first_key(atom: GroundAtom) -> Key:
    return (atom[0], 0, atom[1]) if len(atom) > 1 else (atom[0], -1, "")


def _keys(atom: GroundAtom) -> Iterator[Key]:
    if len(atom) == 1:
        yield atom[0], -1, ""
    for position, name in enumerate(atom[1:]):
        yield atom[0], position, name
