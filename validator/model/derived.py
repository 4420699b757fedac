"""Derived predicates: their extension in a state, stratum by stratum to the least fixpoint (PDDL 2.2)."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from typing import TypeAlias

from validator.model.conditions import Binding, bindings, free, holds
from validator.model.pddl.formulas.axioms import strata
from validator.model.values import (
    And,
    Atom,
    Axiom,
    Exists,
    Formula,
    GroundAtom,
    Model,
    Or,
    Parameter,
)

__all__ = ["Closure"]

_Typing: TypeAlias = Mapping[str, Parameter]


class Closure:
    """The axioms of a model, ready to be applied to states. ``predicates`` are the derived ones."""

    def __init__(self, model: Model) -> None:
        axioms = model.domain.axioms
        levels = strata(axioms)
        if isinstance(levels, str):
            raise ValueError(f"derived predicate '{levels}' depends on its own negation")
        layers: dict[int, list[Axiom]] = defaultdict(list)
        for axiom in axioms:
            layers[levels[axiom.predicate]].append(axiom)
        self._layers = [layers[level] for level in sorted(layers)]
        self._model = model
        self.predicates = frozenset(levels)

    def extend(self, state: Set[GroundAtom]) -> Set[GroundAtom]:
        """Return a state together with every derived atom that holds in it."""
        if not self.predicates:
            return state
        search = _Search(self._model, state)
        for layer in self._layers:
            # Each round reads the atoms of the rounds before, so that no set grows while it is walked.
            while search.add([head for axiom in layer for head in search.consequences(axiom)]):
                pass
        return search.atoms


class _Search:
    """Finds the bindings that make a condition true, through the atoms there are where possible."""

    def __init__(self, model: Model, state: Set[GroundAtom]) -> None:
        self._model = model
        self.atoms = set(state)
        self._by_predicate: dict[str, list[GroundAtom]] = defaultdict(list)
        for atom in state:
            self._by_predicate[atom[0]].append(atom)

    def add(self, found: Iterable[GroundAtom]) -> bool:
        """Add atoms; return whether one was new."""
        grown = False
        for atom in found:
            if atom not in self.atoms:
                grown = True
                self.atoms.add(atom)
                self._by_predicate[atom[0]].append(atom)
        return grown

    def consequences(self, axiom: Axiom) -> Iterator[GroundAtom]:
        """Yield the heads of an axiom whose condition holds."""
        typing = {parameter.name: parameter for parameter in axiom.parameters}
        for binding in self._satisfying(axiom.condition, {}, typing):
            for full in self._bind(axiom.parameters, binding):
                if self._well_typed(axiom.parameters, full):
                    yield (axiom.predicate, *(full[parameter.name] for parameter in axiom.parameters))

    def _satisfying(self, formula: Formula, binding: Binding, typing: _Typing) -> Iterator[Binding]:
        """Yield extensions of ``binding`` under which a condition holds, whatever its free variables left are."""
        match formula:
            case Atom():
                yield from self._matches(formula, binding)
            case And(parts):
                # What can bind variables comes first; the rest only filters.
                yield from self._all(sorted(parts, key=_selectivity), binding, typing)
            case Or(parts):
                for part in parts:
                    yield from self._satisfying(part, binding, typing)
            case Exists(parameters, part):
                hidden = {parameter.name for parameter in parameters}
                inner = {name: value for name, value in binding.items() if name not in hidden}
                scope = {**typing, **{parameter.name: parameter for parameter in parameters}}
                for found in self._satisfying(part, inner, scope):
                    if self._well_typed(parameters, found) and self._inhabited(parameters, found):
                        kept = {name: value for name, value in found.items() if name not in hidden}
                        yield {**kept, **binding}
            case _:
                unbound = [typing[name] for name in sorted(free(formula)) if name not in binding]
                for full in self._bind(unbound, binding):
                    if holds(self._model, formula, full, self.atoms):
                        yield full

    def _all(self, parts: Sequence[Formula], binding: Binding, typing: _Typing) -> Iterator[Binding]:
        if not parts:
            yield binding
            return
        for found in self._satisfying(parts[0], binding, typing):
            yield from self._all(parts[1:], found, typing)

    def _matches(self, atom: Atom, binding: Binding) -> Iterator[Binding]:
        for candidate in self._by_predicate.get(atom.predicate, ()):
            found = binding
            for term, value in zip(atom.terms, candidate[1:], strict=True):
                known = found.get(term, None if term[0] == "?" else term)
                if known is None:
                    found = {**found, term: value}
                elif known != value:
                    break
            else:
                yield found

    def _bind(self, parameters: Sequence[Parameter], binding: Binding) -> Iterator[Binding]:
        """Yield ``binding`` with every object for the parameters that it lacks."""
        missing = tuple(parameter for parameter in parameters if parameter.name not in binding)
        yield from bindings(self._model, missing, binding)

    def _well_typed(self, parameters: Sequence[Parameter], binding: Binding) -> bool:
        return all(
            self._model.has_type(binding[parameter.name], parameter.types)
            for parameter in parameters
            if parameter.name in binding
        )

    def _inhabited(self, parameters: Sequence[Parameter], binding: Binding) -> bool:
        """Return whether the variables that a condition does not mention have an object at all."""
        return all(self._model.objects_of(parameter.types) for parameter in parameters if parameter.name not in binding)


def _selectivity(formula: Formula) -> int:
    return 0 if isinstance(formula, Atom) else 1 if isinstance(formula, And | Exists | Or) else 2
