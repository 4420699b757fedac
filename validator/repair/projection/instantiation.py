"""The steps of a model among some objects, told without grounding it; and how many steps the whole has about."""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from math import prod
from typing import TypeAlias

from validator.model.conditions import conjuncts
from validator.model.joins import Atoms, joined, ordered
from validator.model.values import Action, Atom, Model, changed_predicates

GroundAction: TypeAlias = tuple[str, tuple[str, ...]]
"""The name of a declared action, and objects for its parameters."""


class Parts:
    """The steps of a model by what never changes: the types of their arguments, and the facts that nothing changes."""

    def __init__(self, model: Model) -> None:
        self._model = model
        actions = model.domain.actions.values()
        changed = changed_predicates(*(action.effects for action in actions))
        changed |= {axiom.predicate for axiom in model.domain.axioms}
        self._facts = Atoms(atom for atom in model.problem.init if atom[0] not in changed)
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
            found *= min(1.0, len(self._facts.of(atom.predicate)) / max(1, possible))
        return found

    def among(self, objects: Set[str], most: float) -> list[GroundAction] | None:
        """Return the steps whose arguments are all of these objects, sorted; None where they are more than ``most``."""
        found: list[GroundAction] = []
        for action in self._model.domain.actions.values():
            domains = {one.name: objects & frozenset(self._model.objects_of(one.types)) for one in action.parameters}
            asked = ordered(self._asked[action.name], domains, wanted=domains)
            for binding in joined(asked, {}, self._facts, lambda condition, binding: True):
                if len(found) >= most:
                    return None
                found.append((action.name, tuple([binding[name] for name in domains])))
        return sorted(found)
