"""The bindings that make a rule hold, found atom by atom; what is tested is tested as soon as it can be."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence, Set
from operator import itemgetter
from typing import TypeAlias

from validator.model.conditions import free
from validator.model.derived.rules import Rule
from validator.model.values import Atom, Equal, Formula, GroundAtom, Model, Not
from validator.records import dataclass, field

__all__ = ["Atoms", "Join", "Test"]

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


Test: TypeAlias = Callable[[Formula, dict[str, str]], bool]
"""whether a condition holds under a binding"""


@dataclass(slots=True)
class _Search:
    """What a search looks in, and what it has found; ``new`` are the atoms that the first one is taken from."""

    atoms: Atoms
    test: Test
    new: Iterable[GroundAtom]
    found: list[GroundAtom] = field(default_factory=list)


_Step: TypeAlias = Callable[[list[str], _Search], None]
"""goes through the bindings of a part of a rule, given those of the parts before it"""

_Candidates: TypeAlias = Callable[[list[str], _Search], Iterable[GroundAtom]]


class Join:
    """A rule made ready: ``heads`` finds what follows. With ``first``, that atom of it is taken from new ones only.

    An environment is a list with the objects of the variables, then the constants and predicates of the rule; what is
    said of terms is said of their places in it.
    """

    def __init__(self, model: Model, rule: Rule, first: int | None = None) -> None:
        self._slots = {parameter.name: slot for slot, parameter in enumerate(rule.parameters)}
        self._names = list(self._slots)
        self._objects = [model.objects_of(parameter.types) for parameter in rule.parameters]
        self._allowed = [frozenset(objects) for objects in self._objects]
        self._env = [""] * len(self._slots)
        self._constants: dict[str, int] = {}
        self._bound: set[str] = set()
        self.first = "" if first is None else rule.atoms[first].predicate
        self._run = self._last(rule.head)
        for step in reversed(self._steps(rule, first)):
            self._run = step(self._run)

    def heads(self, atoms: Atoms, test: Test, new: Iterable[GroundAtom] = ()) -> list[GroundAtom]:
        """Return the heads that follow from the atoms there are, the first one among the new ones."""
        search = _Search(atoms, test, new)
        if all(self._objects):
            self._run(self._env.copy(), search)
        return search.found

    def _slot(self, term: str) -> int:
        slot = self._slots.get(term)
        if slot is None:
            slot = self._constants.get(term)
        if slot is None:
            slot = self._constants[term] = len(self._env)
            self._env.append(term)
        return slot

    def _atom(self, atom: Atom) -> Callable[[list[str]], GroundAtom]:
        """Return what makes a ground atom of an environment."""
        predicate, slots = atom.predicate, list(map(self._slot, atom.terms))
        return itemgetter(self._slot(predicate), *slots) if slots else lambda env: (predicate,)

    # --- the order -------------------------------------------------------------------------------

    def _steps(self, rule: Rule, first: int | None) -> list[Callable[[_Step], _Step]]:
        """Choose the order: tests and equalities as soon as they can be, else the atom of which most is known."""
        atoms = [atom for place, atom in enumerate(rule.atoms) if place != first]
        tests = list(rule.tests)
        steps = [] if first is None else [self._match(rule.atoms[first], is_new=True)]
        steps += self._tested(tests)
        while atoms:
            atom = max(atoms, key=self._known)
            atoms.remove(atom)
            steps += [self._match(atom), *self._tested(tests)]
        while open_ := ({*rule.head.terms}.union(*map(free, tests)) & self._slots.keys()) - self._bound:
            name = min(open_)
            self._bound.add(name)
            steps += [self._each(self._slots[name]), *self._tested(tests)]
        return steps

    def _known(self, atom: Atom) -> tuple[int, int]:
        open_ = {term for term in atom.terms if term in self._slots} - self._bound
        return len(atom.terms) - len(open_), -len(open_)

    def _tested(self, tests: list[Formula]) -> list[Callable[[_Step], _Step]]:
        """Take from the tests what can be tested by now, and what tells a variable by an equality."""
        steps: list[Callable[[_Step], _Step]] = []
        for test in list(tests):
            open_ = (free(test) & self._slots.keys()) - self._bound
            if not open_:
                tests.remove(test)
                steps.append(self._filter(test))
            elif isinstance(test, Equal) and len(open_) == 1 and test.left != test.right:
                tests.remove(test)
                (name,) = open_
                self._bound.add(name)
                steps.append(self._is(self._slots[name], test.right if test.left == name else test.left))
                return steps + self._tested(tests)
        return steps

    # --- the steps -------------------------------------------------------------------------------

    def _last(self, head: Atom) -> _Step:
        ground = self._atom(head)

        def run(env: list[str], search: _Search) -> None:
            search.found.append(ground(env))

        return run

    def _match(self, atom: Atom, *, is_new: bool = False) -> Callable[[_Step], _Step]:
        known: list[tuple[int, int]] = []
        bound: list[tuple[int, int, frozenset[str]]] = []
        same: list[tuple[int, int]] = []
        for place, term in enumerate(atom.terms, 1):
            slot = self._slot(term)
            if term not in self._slots or term in self._bound:
                known.append((place, slot))
            elif any(slot == other for _, other, _ in bound):
                same.append((place, slot))
            else:
                bound.append((place, slot, self._allowed[slot]))
        self._bound.update(self._names[slot] for _, slot, _ in bound)
        candidates = _given(atom.predicate, known) if is_new else self._looked_up(atom, known)

        def step(then: _Step) -> _Step:
            def run(env: list[str], search: _Search) -> None:
                for found in candidates(env, search):
                    for place, slot, allowed in bound:
                        value = found[place]
                        if value not in allowed:
                            break
                        env[slot] = value
                    else:
                        if not same or all(found[place] == env[slot] for place, slot in same):
                            then(env, search)

            return run

        return step

    def _looked_up(self, atom: Atom, known: Sequence[tuple[int, int]]) -> _Candidates:
        """Return what looks up the atoms of a predicate that have known terms."""
        predicate, places, slots = atom.predicate, tuple(place for place, _ in known), [slot for _, slot in known]
        if len(places) == len(atom.terms):
            ground = self._atom(atom)

            def whole(env: list[str], search: _Search) -> Iterable[GroundAtom]:
                found = ground(env)
                return (found,) if found in search.atoms.all else ()

            return whole
        if not places:
            return lambda env, search: search.atoms.of(predicate)
        key = itemgetter(*slots)
        return lambda env, search: search.atoms.having(predicate, places, key(env))

    def _filter(self, test: Formula) -> Callable[[_Step], _Step]:
        holds = self._plain(test)
        if holds is None:
            names = [(name, self._slots[name]) for name in free(test) & self._slots.keys()]

            def holds(env: list[str], search: _Search) -> bool:
                return search.test(test, {name: env[slot] for name, slot in names})

        def step(then: _Step) -> _Step:
            def run(env: list[str], search: _Search) -> None:
                if holds(env, search):
                    then(env, search)

            return run

        return step

    def _plain(self, test: Formula) -> Callable[[list[str], _Search], bool] | None:
        """Return how an equality or the absence of an atom is tested; None for any other condition."""
        inner, wanted = (test.part, False) if isinstance(test, Not) else (test, True)
        if isinstance(inner, Equal):
            left, right = self._slot(inner.left), self._slot(inner.right)
            return lambda env, search: (env[left] == env[right]) is wanted
        if isinstance(inner, Atom):
            ground = self._atom(inner)
            return lambda env, search: (ground(env) in search.atoms.all) is wanted
        return None

    def _is(self, slot: int, term: str) -> Callable[[_Step], _Step]:
        other, allowed = self._slot(term), self._allowed[slot]

        def step(then: _Step) -> _Step:
            def run(env: list[str], search: _Search) -> None:
                value = env[other]
                if value in allowed:
                    env[slot] = value
                    then(env, search)

            return run

        return step

    def _each(self, slot: int) -> Callable[[_Step], _Step]:
        objects = self._objects[slot]

        def step(then: _Step) -> _Step:
            def run(env: list[str], search: _Search) -> None:
                for value in objects:
                    env[slot] = value
                    then(env, search)

            return run

        return step


def _given(predicate: str, known: Sequence[tuple[int, int]]) -> _Candidates:
    """Return what goes through the new atoms of a predicate that have known terms."""

    def candidates(env: list[str], search: _Search) -> Iterable[GroundAtom]:
        return [
            atom
            for atom in search.new
            if atom[0] == predicate and all(atom[place] == env[slot] for place, slot in known)
        ]

    return candidates
