"""The objects with which atoms are all true in a state and conditions hold, found atom by atom."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence, Set
from operator import itemgetter
from typing import TypeAlias, TypeGuard

from validator.model.formulas import Atom, Equal, Formula, GroundAtom, Not, free
from validator.records import dataclass


class Atoms:
    """A set of ground atoms; an index is built when it is first asked for, and kept as atoms come and go."""

    def __init__(self, atoms: Iterable[GroundAtom] = ()) -> None:
        self.all: set[GroundAtom] = set()
        self._of: dict[str, set[GroundAtom]] = {}
        self._indexes: dict[str, dict[tuple[int, ...], dict[object, set[GroundAtom]]]] = {}
        self.add(atoms)

    def of(self, predicate: str) -> Collection[GroundAtom]:
        """Return the atoms of a predicate."""
        return self._of.get(predicate, ())

    def having(self, predicate: str, places: tuple[int, ...], key: object) -> Collection[GroundAtom]:
        """Return the atoms that have terms at places of their tuple: the term itself, for several a tuple."""
        indexes = self._indexes.setdefault(predicate, {})
        index = indexes.get(places)
        if index is None:
            index, key_of = indexes.setdefault(places, {}), itemgetter(*places)
            for atom in self.of(predicate):
                index.setdefault(key_of(atom), set()).add(atom)
        return index.get(key, ())

    def add(self, atoms: Iterable[GroundAtom]) -> list[GroundAtom]:
        """Add atoms; return those that are new."""
        new = []
        for atom in atoms:
            if atom not in self.all:
                new.append(atom)
                self.all.add(atom)
                self._of.setdefault(atom[0], set()).add(atom)
                for places, index in self._indexes.get(atom[0], {}).items():
                    index.setdefault(itemgetter(*places)(atom), set()).add(atom)
        return new

    def remove(self, atoms: Iterable[GroundAtom]) -> None:
        """Remove atoms that are there."""
        for atom in atoms:
            self.all.remove(atom)
            self._of[atom[0]].remove(atom)
            for places, index in self._indexes.get(atom[0], {}).items():
                index[itemgetter(*places)(atom)].remove(atom)


Test: TypeAlias = Callable[[Formula, dict[str, str]], bool]
"""whether a condition holds under a binding"""

_Ready: TypeAlias = "Callable[[dict[str, str], Atoms, Test], bool]"
"""whether a condition holds of atoms under a binding, by the test for those that need it"""


@dataclass(frozen=True, slots=True)
class Part:
    """One of the atoms that are looked for in a row: what is known of it by then, what it binds, and what holds then.

    ``bound`` has places, variables and the objects of their types. An equality binds one variable, and so does a part
    with ``objects``, which are tried one after the other.
    """

    predicate: str
    places: tuple[int, ...]
    terms: tuple[str, ...]
    bound: tuple[tuple[int, str, Set[str]], ...]
    tests: tuple[_Ready, ...] = ()
    objects: tuple[GroundAtom, ...] = ()

    def rows(self, binding: Mapping[str, str], atoms: Atoms) -> Collection[GroundAtom]:
        """Return the atoms that it may be."""
        if self.objects:
            return self.objects
        terms = tuple([binding.get(term, term) for term in self.terms])
        if not self.bound:
            atom = (self.predicate, *terms)
            return (atom,) if atom in atoms.all else ()
        if not terms:
            return atoms.of(self.predicate)
        if self.predicate == "=":
            return ((terms[0], terms[0]),)
        return atoms.having(self.predicate, self.places, terms if len(terms) > 1 else terms[0])


def ordered(
    atoms: Iterable[Atom],
    domains: Mapping[str, Set[str]],
    tests: Iterable[Formula] = (),
    *,
    first: Atom | None = None,
    wanted: Iterable[str] = (),
) -> tuple[Part, ...]:
    """Return the parts that bind variables, which have domains: the best known first, tests as soon as they can be.

    ``wanted`` are variables that are bound in any case.
    """
    waiting, untested, left, found = list(atoms), list(tests), {*domains}, list[Part]()

    def known(atom: Atom) -> tuple[int, int]:
        return sum(term not in left for term in atom.terms), -len(left.intersection(atom.terms))

    def part(predicate: str, terms: Iterable[tuple[int, str]], objects: tuple[GroundAtom, ...] = ()) -> Part:
        given = [(place, term) for place, term in terms if term not in left]
        bound = tuple((place, term, domains[term]) for place, term in terms if term in left)
        left.difference_update(name for _, name, _ in bound)
        ready = tuple(each for each in untested if left.isdisjoint(free(each)))
        untested[:] = (each for each in untested if each not in ready)
        places, names = tuple(place for place, _ in given), tuple(term for _, term in given)
        return Part(predicate, places, names, bound, tuple(map(_ready, ready)), objects)

    if first is not None:
        found.append(part(first.predicate, [*enumerate(first.terms, 1)]))
    elif any(left.isdisjoint(free(each)) for each in untested):
        found.append(part("", (), (("",),)))
    names = {*wanted}.union(*map(free, untested))
    while True:
        if equal := next((each for each in untested if _binds(each, left)), None):
            untested.remove(equal)
            terms = (equal.left, equal.right) if equal.right in left else (equal.right, equal.left)
            found.append(part("=", [*enumerate(terms)]))
        elif waiting:
            atom = waiting.pop(waiting.index(max(waiting, key=known)))
            found.append(part(atom.predicate, [*enumerate(atom.terms, 1)]))
        elif open_ := left & names:
            name = min(open_)
            found.append(part("", [(1, name)], tuple(("", each) for each in domains[name])))
        else:
            return tuple(found)


def _binds(test: Formula, left: Set[str]) -> TypeGuard[Equal]:
    """Return whether an equality tells a variable that is left."""
    return isinstance(test, Equal) and (test.left in left) is not (test.right in left)


def joined(
    parts: Sequence[Part],
    binding: dict[str, str],
    atoms: Atoms,
    test: Test,
    rows: Iterable[GroundAtom] | None = None,
    at: int = 0,
) -> Iterator[dict[str, str]]:
    """Yield a binding extended by objects with which all parts from one on are true, which is one of any ``rows``."""
    if at == len(parts):
        yield binding
        return
    part, is_last = parts[at], at + 1 == len(parts)
    for row in part.rows(binding, atoms) if rows is None else rows:
        found = binding.copy() if part.bound else binding
        for place, name, allowed in part.bound:
            value = row[place]
            if value not in allowed or found.setdefault(name, value) != value:
                break
        else:
            for holds in part.tests:
                if not holds(found, atoms, test):
                    break
            else:
                if is_last:
                    yield found
                else:
                    yield from joined(parts, found, atoms, test, None, at + 1)


def _ready(condition: Formula) -> _Ready:
    """Return what tests a condition, by itself where it is an atom, an equality or the negation of one."""
    inner, wanted = (condition.part, False) if isinstance(condition, Not) else (condition, True)
    if isinstance(inner, Atom):
        predicate, terms = inner.predicate, inner.terms
        return lambda binding, atoms, _: ((predicate, *[binding.get(t, t) for t in terms]) in atoms.all) is wanted
    if isinstance(inner, Equal):
        left, right = inner.left, inner.right
        return lambda binding, atoms, _: (binding.get(left, left) == binding.get(right, right)) is wanted
    return lambda binding, atoms, test: test(condition, binding)
