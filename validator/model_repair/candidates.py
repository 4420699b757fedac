"""The actions of a domain with their edits: what can be removed, and the literals that may be put in.

What may be put in is every declared predicate over the variables of a place and the constants.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import product

from validator.model.values import Atom, Domain, GroundAtom, Not
from validator.model_repair.actions import Body, Schema, schema_of
from validator.model_repair.edits import Edit, Kind
from validator.records import dataclass

__all__ = ["Occurrence", "Space", "all_of", "grounding_to", "space_of"]

Terms = Mapping[str, tuple[tuple[str, ...], ...]]
"""predicate -> for each place the variables and constants whose type fits"""


class _Candidates:
    """The atoms that can be said in a domain, at places with different variables.

    A term fits a place when some object can be of both types; derived predicates and equality are never candidates.
    """

    def __init__(self, domain: Domain) -> None:
        self._domain = domain
        derived = {axiom.predicate for axiom in domain.axioms}
        self.predicates = {
            name: parameters
            for name, parameters in domain.predicates.items()
            if name not in derived and not name.startswith("=")
        }
        self._fits: dict[tuple[frozenset[str], frozenset[str]], bool] = {}

    def terms(self, variables: Mapping[str, frozenset[str]]) -> Terms:
        """Return what may stand where, for the variables that are bound at a place."""
        known = {**self._domain.constants, **variables}
        return {
            name: tuple(
                tuple(term for term, types in known.items() if self._may_be(types, parameter.types))
                for parameter in parameters
            )
            for name, parameters in self.predicates.items()
        }

    def _may_be(self, given: frozenset[str], wanted: frozenset[str]) -> bool:
        found = self._fits.get((given, wanted))
        if found is None:
            above = self._domain.types.ancestors
            found = not wanted.isdisjoint(above(given)) or not given.isdisjoint(above(wanted))
            self._fits[given, wanted] = found
        return found


def grounding_to(terms: Terms, fact: GroundAtom, binding: Mapping[str, str]) -> Iterator[Atom]:
    """Yield the candidates that become a fact under a binding."""
    places = terms.get(fact[0])
    if places is None:
        return
    matching = []
    for allowed, value in zip(places, fact[1:], strict=True):
        found = [term for term in allowed if binding.get(term, term) == value]
        if not found:
            return
        matching.append(found)
    for chosen in product(*matching):
        yield Atom(fact[0], chosen)


def all_of(terms: Terms) -> Iterator[Atom]:
    """Yield every candidate."""
    for name, places in terms.items():
        for chosen in product(*places):
            yield Atom(name, chosen)


class Space:
    """The actions of a domain with their edits, and what may be put into each of their parts."""

    def __init__(self, schemas: Mapping[str, Schema], candidates: _Candidates) -> None:
        self.schemas = schemas
        self._candidates = candidates
        self._terms: dict[tuple[str, tuple[int, ...]], Terms] = {}
        self._added: dict[str, tuple[Edit, ...]] = {}

    def terms(self, action: str, body: Body) -> Terms:
        """Return what may stand where in a body of an action."""
        key = action, body.scope
        if key not in self._terms:
            self._terms[key] = self._candidates.terms(body.variables)
        return self._terms[key]

    def preconditions(self, action: str) -> tuple[Edit, ...]:
        """Return the edits that add a precondition, true or false, to an action."""
        if action not in self._added:
            schema = self.schemas[action]
            there = {part.formula for part in schema.precondition}
            self._added[action] = tuple(
                Edit(Kind.ADD_PRECONDITION, action, literal)
                for atom in all_of(self.terms(action, schema.body))
                for literal in (atom, Not(atom))
                if literal not in there
            )
        return self._added[action]


@dataclass(frozen=True, slots=True)
class Occurrence:
    """An action with its arguments at one place of a plan."""

    action: str
    binding: Mapping[str, str]


def space_of(domain: Domain, actions: Iterable[str]) -> Space:
    """Return what can be edited in some actions of a domain."""
    return Space({name: schema_of(domain.actions[name]) for name in actions}, _Candidates(domain))
