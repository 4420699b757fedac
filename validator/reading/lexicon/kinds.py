"""What may stand where: the kinds of an action's parameters, from declared types and from facts that never change."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property

from validator.model.values import Action, And, Atom, Formula, Model, changed_predicates
from validator.records import dataclass

_MOST_VALUES = 2000
"""objects that are tried for an argument that was not said"""


@dataclass(frozen=True)
class Kinds:
    """The kinds of one model. Names of objects are those of the model."""

    model: Model

    @cached_property
    def changing(self) -> frozenset[str]:
        """Return the predicates that an action, an axiom or time can change."""
        domain = self.model.domain
        found = {axiom.predicate for axiom in domain.axioms}
        for action in (*domain.actions.values(), *domain.events):
            found |= changed_predicates(action.effects)
        if domain.durative or domain.processes or self.model.problem.timed:
            return frozenset(domain.predicates)
        return frozenset(found)

    @cached_property
    def properties(self) -> Mapping[str, frozenset[str]]:
        """Return the objects of each unary predicate that never changes."""
        found: dict[str, set[str]] = {
            name: set()
            for name, parameters in self.model.domain.predicates.items()
            if len(parameters) == 1 and name not in self.changing
        }
        for fact in self.model.problem.init:
            if len(fact) == 2 and fact[0] in found:
                found[fact[0]].add(fact[1])
        return {name: frozenset(objects) for name, objects in found.items()}

    @cached_property
    def required(self) -> Mapping[str, tuple[Atom, ...]]:
        """Return for each action the atoms that must hold before it and that no step can change."""
        return {
            name: tuple(atom for atom in atoms_of(action.precondition) if atom.predicate not in self.changing)
            for name, action in self.model.domain.actions.items()
        }

    @cached_property
    def _asked(self) -> Mapping[tuple[str, int], tuple[frozenset[str], ...]]:
        """Return for each parameter the sets of objects that its unary conditions allow."""
        found: dict[tuple[str, int], list[frozenset[str]]] = defaultdict(list)
        for name, action in self.model.domain.actions.items():
            places = {parameter.name: index for index, parameter in enumerate(action.parameters)}
            for atom in self.required[name]:
                if len(atom.terms) == 1 and atom.terms[0] in places:
                    found[name, places[atom.terms[0]]].append(self.properties.get(atom.predicate, frozenset()))
        return {place: tuple(sets) for place, sets in found.items()}

    def fits(self, action: Action, index: int, name: str) -> bool:
        """Return whether an object may stand at a place of an action, as far as kinds tell: of one unknown, nothing."""
        if name not in self.model.problem.objects:
            return True
        place = (action.name, index)
        if place not in self._allowed:
            allowed = frozenset(self.model.objects_of(action.parameters[index].types))
            self._allowed[place] = allowed.intersection(*self._asked.get(place, ()))
        return name in self._allowed[place]

    @cached_property
    def _allowed(self) -> dict[tuple[str, int], frozenset[str]]:
        """Return the objects that kinds allow at each place that was asked for so far."""
        return {}

    def nouns(self, action: Action, index: int) -> frozenset[str]:
        """Return what the object at a place is called: its types and unary conditions, the parameter's name."""
        parameter = action.parameters[index]
        asked = (atom.predicate for atom in self.required[action.name] if atom.terms == (parameter.name,))
        return frozenset((*parameter.types, *asked, parameter.name.lstrip("?"))) - {"object"}

    def values(self, action: Action, index: int, known: Mapping[str, str]) -> tuple[str, ...]:
        """Return the objects that may stand at a place beside the known arguments, at most two.

        Kinds and the conditions that never change tell it; ``known`` maps parameters to objects.
        """
        parameter = action.parameters[index]
        candidates = self.model.objects_of(parameter.types)
        if len(candidates) > _MOST_VALUES:
            return candidates[:2]
        atoms = [
            atom
            for atom in self.required[action.name]
            if parameter.name in atom.terms and len(atom.terms) > 1 and self._is_known(atom, parameter.name, known)
        ]
        found: list[str] = []
        for name in candidates:
            if self.fits(action, index, name) and self._hold(atoms, {**known, parameter.name: name}):
                found.append(name)
                if len(found) == 2:
                    break
        return tuple(found)

    @staticmethod
    def _is_known(atom: Atom, open_one: str, known: Mapping[str, str]) -> bool:
        return all(term == open_one or not term.startswith("?") or term in known for term in atom.terms)

    def _hold(self, atoms: Sequence[Atom], binding: Mapping[str, str]) -> bool:
        init = self.model.problem.init
        return all((atom.predicate, *(binding.get(term, term) for term in atom.terms)) in init for atom in atoms)


def atoms_of(formula: Formula) -> Iterator[Atom]:
    """Yield the atoms that a conjunction asks for."""
    if isinstance(formula, Atom):
        yield formula
    elif isinstance(formula, And):
        for part in formula.parts:
            yield from atoms_of(part)
