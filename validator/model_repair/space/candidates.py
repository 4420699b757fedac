"""The literals that may be put into an action: every declared predicate over its variables and the constants."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import product

from validator.model.values import Atom, Domain, GroundAtom

__all__ = ["Candidates", "Terms"]

Terms = Mapping[str, tuple[tuple[str, ...], ...]]
"""predicate -> for each place the variables and constants whose type fits"""


class Candidates:
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
