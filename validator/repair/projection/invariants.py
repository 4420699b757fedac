"""Atoms of which at most one ever holds, told by the actions as they are declared, whatever steps they stand for.

A group is a set of predicates with places for its parameters, and at most one place in each that is counted over: for
each block, that it is held, on the table, or on any other. No action makes such a group heavier, as what it adds to one
it takes from the same (Helmert 2009, "Concise finite-domain representations for PDDL planning tasks"). So where at most
one atom of a group holds initially, at most one ever does.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import combinations, permutations
from typing import TypeAlias

from validator.model.conditions import conjuncts, ground
from validator.model.values import Atom, Conditional, Effect, Equal, Formula, Literal, Model, Not
from validator.records import dataclass

_MOST_PARAMETERS, _MOST_GUESSES = 3, 400

_Terms: TypeAlias = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Group:
    """``parts`` say of each predicate which parameter stands at each of its places; None: that is counted over."""

    parts: frozenset[tuple[str, tuple[int | None, ...]]]

    def of(self, predicate: str) -> tuple[int | None, ...] | None:
        return next((places for name, places in self.parts if name == predicate), None)

    def binding(self, predicate: str, terms: Sequence[str]) -> _Terms | None:
        """Return the arguments of the group that an atom is one of; None where it is of none."""
        places = self.of(predicate)
        if places is None:
            return None
        bound = {place: term for place, term in zip(places, terms, strict=True) if place is not None}
        return tuple(bound[place] for place in range(len(bound)))


def groups(model: Model) -> list[Group]:
    """Return the groups that no action makes heavier; none for a model with conditional effects."""
    actions = model.domain.actions.values()
    if any(isinstance(effect, Conditional) for action in actions for effect in action.effects):
        return []
    schemas = [Schema.of(action.precondition, action.effects) for action in actions]
    changed = {atom.predicate: len(atom.terms) for schema in schemas for atom in (*schema.adds, *schema.deletes)}
    derived = {axiom.predicate for axiom in model.domain.axioms}
    guesses = deque(_first(changed[name], name) for name in sorted(changed.keys() - derived))
    waiting = deque(group for each in guesses for group in each)
    seen, found = set(waiting), list[Group]()
    while waiting and len(seen) < _MOST_GUESSES:
        group = waiting.popleft()
        heavier = next(((schema, add) for schema in schemas for add in schema.adding(group)), None)
        if heavier is None:
            found.append(group)
            continue
        schema, add = heavier
        for refined in schema.balanced(group, add) if add is not None else ():
            if refined not in seen:
                seen.add(refined)
                waiting.append(refined)
    return found


def _first(arity: int, predicate: str) -> Iterator[Group]:
    """Yield the groups of one predicate."""
    for counted in (None, *range(arity)):
        kept = [place for place in range(arity) if place != counted]
        if len(kept) <= _MOST_PARAMETERS:
            places = tuple(None if place == counted else kept.index(place) for place in range(arity))
            yield Group(frozenset(((predicate, places),)))


@dataclass(frozen=True, slots=True)
class Schema:
    """The literals of a condition, and of effects; what is more than a literal is taken to hold, or not to happen."""

    needs: tuple[Atom, ...]
    forbids: tuple[Atom, ...]
    equal: tuple[Equal, ...]
    unequal: tuple[Equal, ...]
    adds: tuple[Atom, ...]
    deletes: tuple[Atom, ...]

    @classmethod
    def of(cls, condition: Formula, effects: Iterable[Effect] = ()) -> Schema:
        parts = list(dict.fromkeys(conjuncts(condition)))
        denied = [part.part for part in parts if isinstance(part, Not)]
        literals = list(dict.fromkeys(effect for effect in effects if isinstance(effect, Literal)))
        return cls(
            tuple(part for part in parts if isinstance(part, Atom)),
            tuple(part for part in denied if isinstance(part, Atom)),
            tuple(part for part in parts if isinstance(part, Equal)),
            tuple(part for part in denied if isinstance(part, Equal)),
            tuple(literal.atom for literal in literals if literal.positive),
            tuple(literal.atom for literal in literals if not literal.positive),
        )

    def terms(self) -> Iterator[str]:
        """Yield all terms."""
        for atom in (*self.needs, *self.forbids, *self.adds, *self.deletes):
            yield from atom.terms
        for one in (*self.equal, *self.unequal):
            yield from (one.left, one.right)

    def adding(self, group: Group) -> Iterator[Atom | None]:
        """Yield what may make a group heavier: an atom that nothing makes up for, None where two are added at once."""
        covered = [(add, bound) for add in self.adds if (bound := group.binding(add.predicate, add.terms)) is not None]
        for (one, first), (other, second) in combinations(covered, 2):
            same = self._merged(zip(first, second, strict=True))
            if same is None or ground(one, same) == ground(other, same) or self._is_heavy(group, first, same):
                continue
            if not self._holds(same, one) and not self._holds(same, other):
                yield None
        for add, bound in covered:
            if add not in self.needs and not any(
                group.binding(atom.predicate, atom.terms) == bound and self._goes(group, atom, add)
                for atom in self.deletes
            ):
                yield add

    def balanced(self, group: Group, add: Atom) -> Iterator[Group]:
        """Yield the group with one more predicate, of which an atom goes where one is added."""
        bound = group.binding(add.predicate, add.terms)
        assert bound is not None
        for atom in self.deletes:
            if group.of(atom.predicate) is not None or not self._goes(None, atom, add):
                continue
            for order in permutations(range(len(atom.terms)), len(bound)):
                if len(atom.terms) - len(bound) <= 1 and all(
                    atom.terms[at] == term for at, term in zip(order, bound, strict=True)
                ):
                    places = tuple(order.index(at) if at in order else None for at in range(len(atom.terms)))
                    yield Group(group.parts | {(atom.predicate, places)})

    def _goes(self, group: Group | None, atom: Atom, add: Atom) -> bool:
        """Return whether an atom held and is gone whenever another one of a group is really added."""
        if atom not in self.needs:
            return False
        for other in self.adds:
            if other != add and other.predicate == atom.predicate:
                same = self._merged(zip(other.terms, atom.terms, strict=True))
                if same is None or self._holds(same, add):
                    continue
                if group is not None and not self._is_heavy(group, group.binding(add.predicate, add.terms) or (), same):
                    return False
        return True

    def _is_heavy(self, group: Group, bound: _Terms, same: Mapping[str, str]) -> bool:
        """Return whether an action needs two atoms of a group, with some terms the same: then it is never done."""
        wanted = tuple(same.get(term, term) for term in bound)
        names = {
            need.predicate
            for need in self.needs
            if (found := group.binding(need.predicate, need.terms)) is not None
            and tuple(same.get(term, term) for term in found) == wanted
        }
        return len(names) > 1

    def _holds(self, same: Mapping[str, str], atom: Atom) -> bool:
        """Return whether an atom holds before, where some terms are the same."""
        wanted = ground(atom, same)
        return any(ground(need, same) == wanted for need in self.needs)

    def _merged(self, pairs: Iterable[tuple[str, str]]) -> Mapping[str, str] | None:
        """Return what stands for each term where pairs of them are the same; None where they cannot be."""
        same: dict[str, str] = {}
        for left, right in pairs:
            one, other = same.get(left, left), same.get(right, right)
            if one == other:
                continue
            if not one.startswith("?"):
                one, other = other, one
            if not one.startswith("?"):
                return None  # two objects
            same = {term: other if stands == one else stands for term, stands in same.items()} | {one: other}
        is_denied = any(same.get(one.left, one.left) == same.get(one.right, one.right) for one in self.unequal)
        return None if is_denied else same
