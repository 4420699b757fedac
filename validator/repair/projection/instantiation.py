"""The steps of a model among some objects, told without grounding it; and how many steps the whole has about."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence, Set
from itertools import product
from math import prod
from typing import TypeAlias

from validator.model.conditions import conjuncts
from validator.model.values import Action, Atom, GroundAtom, Model, changed_predicates

GroundAction: TypeAlias = tuple[str, tuple[str, ...]]
"""The name of a declared action, and objects for its parameters."""


class Parts:
    """The steps of a model by what never changes: the types of their arguments, and the facts that nothing changes."""

    def __init__(self, model: Model) -> None:
        self._model = model
        actions = model.domain.actions.values()
        changed = changed_predicates(*(action.effects for action in actions))
        changed |= {axiom.predicate for axiom in model.domain.axioms}
        self._facts: dict[str, list[GroundAtom]] = {}
        for atom in model.problem.init:
            if atom[0] not in changed:
                self._facts.setdefault(atom[0], []).append(atom)
        self._asked: Mapping[str, Sequence[Atom]] = {
            action.name: [
                part
                for part in conjuncts(action.precondition)
                if isinstance(part, Atom) and part.predicate not in changed
            ]
            for action in actions
        }

    def size(self) -> float:
        """Return about how many steps all objects have: each fact that never changes is taken for independent."""
        return sum(map(self._size, self._model.domain.actions.values()))

    def _size(self, action: Action) -> float:
        sizes = {one.name: len(self._model.objects_of(one.types)) for one in action.parameters}
        found = float(prod(sizes.values()))
        for atom in self._asked[action.name]:
            possible = prod(sizes[term] for term in set(atom.terms) if term in sizes)
            found *= min(1.0, len(self._facts.get(atom.predicate, ())) / max(1, possible))
        return found

    def among(self, objects: Set[str], most: int) -> list[GroundAction] | None:
        """Return the steps whose arguments are all of these objects; None where they are more than ``most``."""
        found: list[GroundAction] = []
        for action in self._model.domain.actions.values():
            rows = self._rows(action, objects, most - len(found))
            if rows is None:
                return None
            found += ((action.name, row) for row in rows)
        return found

    def _rows(self, action: Action, objects: Set[str], most: int) -> list[tuple[str, ...]] | None:
        """Return the arguments of an action among some objects; None for more than ``most``."""
        names = [parameter.name for parameter in action.parameters]
        allowed = {
            one.name: [o for o in self._model.objects_of(one.types) if o in objects] for one in action.parameters
        }
        bound: list[str] = []
        rows: list[tuple[str, ...]] = [()]
        for atom in _ordered(self._asked[action.name]):
            new = [term for term in dict.fromkeys(atom.terms) if term in allowed and term not in bound]
            rows = list(self._joined(rows, bound, atom, new, allowed, most + 1))
            bound += new
            if len(rows) > most:
                return None
        free = [name for name in names if name not in bound]
        if len(rows) * prod(len(allowed[name]) for name in free) > most:
            return None
        places = [(bound + free).index(name) for name in names]
        every = ((*row, *rest) for row in rows for rest in product(*(allowed[name] for name in free)))
        return [tuple([row[place] for place in places]) for row in every]

    def _joined(
        self,
        rows: Sequence[tuple[str, ...]],
        bound: Sequence[str],
        atom: Atom,
        new: Sequence[str],
        allowed: Mapping[str, Sequence[str]],
        most: int,
    ) -> Iterator[tuple[str, ...]]:
        """Yield rows of the ``bound`` variables with the ``new`` ones of an atom, as its facts have them."""
        known = [term for term in dict.fromkeys(atom.terms) if term in bound]
        index: dict[tuple[str, ...], list[tuple[str, ...]]] = {}
        domains = {term: frozenset(allowed[term]) for term in new}
        for fact in self._facts.get(atom.predicate, ()):
            values: dict[str, str] = {}
            fits = all(
                values.setdefault(term, value) == value
                and (value in domains[term] if term in domains else term in allowed or term == value)
                for term, value in zip(atom.terms, fact[1:], strict=True)
            )
            if fits:
                key = tuple([values[term] for term in known])
                index.setdefault(key, []).append(tuple([values[term] for term in new]))
        places = [bound.index(term) for term in known]
        for row in rows:
            for rest in index.get(tuple([row[place] for place in places]), ()):
                yield (*row, *rest)
                most -= 1
                if not most:
                    return


def _ordered(atoms: Sequence[Atom]) -> Iterator[Atom]:
    """Yield atoms so that each has variables of those before it, where that is possible."""
    waiting, seen = list(atoms), set[str]()
    while waiting:
        atom = max(waiting, key=lambda one: (len(seen.intersection(one.terms)), -len(one.terms)))
        waiting.remove(atom)
        seen.update(atom.terms)
        yield atom
