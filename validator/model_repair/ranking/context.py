"""A domain as statistics of its literals: which predicate stands where, over which variables, in which actions."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from enum import StrEnum
from functools import cached_property

from validator.model.values import Action, Atom, Conditional, Domain, Effect, Formula, GroundAtom, Literal, Not
from validator.model_repair.space.actions import flat
from validator.records import dataclass, field

__all__ = ["Context", "Entry", "Place", "Written"]


class Place(StrEnum):
    """Where a literal stands in an action."""

    PRECONDITION = "precondition"
    ADD = "add"
    DELETE = "delete"


@dataclass(frozen=True, slots=True)
class Entry:
    """A literal of an action; ``negative`` preconditions ask for the atom to be false."""

    action: str
    place: Place
    atom: Atom
    negative: bool = False


@dataclass(slots=True)
class Written:
    """What an action says: its literals by place, and the types of its variables."""

    types: Mapping[str, frozenset[str]]
    entries: set[Entry] = field(default_factory=set)

    def atoms(self, place: Place, without: Entry) -> set[Atom]:
        """Return the atoms at a place, but for one literal and negative preconditions."""
        return {e.atom for e in self.entries if e.place is place and not e.negative and e != without}


class Context:
    """The literals of a domain, and what its problems say of its predicates; each answer leaves one literal out."""

    def __init__(self, domain: Domain, states: Iterable[frozenset[GroundAtom]], goals: Iterable[Formula]) -> None:
        self.domain = domain
        self.actions = {name: _written(action) for name, action in domain.actions.items()}
        self.initial = {fact[0] for state in states for fact in state}
        self.goal = {part.predicate for goal in goals for part, _ in flat(goal) if isinstance(part, Atom)}

    def others(self, without: Entry, place: Place, predicate: str) -> list[Entry]:
        """Return the literals of a predicate at a place, anywhere, but for one."""
        return [entry for entry in self._by_predicate.get((place, predicate), ()) if entry != without]

    @cached_property
    def _by_predicate(self) -> Mapping[tuple[Place, str], Sequence[Entry]]:
        found: dict[tuple[Place, str], list[Entry]] = defaultdict(list)
        for written in self.actions.values():
            for entry in written.entries:
                found[entry.place, entry.atom.predicate].append(entry)
        return found

    @cached_property
    def roles(self) -> Mapping[tuple[str, str], frozenset[tuple[str, int, Entry]]]:
        """Return for each variable (action, name) where it stands: predicate, position, and in which literal."""
        found: dict[tuple[str, str], set[tuple[str, int, Entry]]] = defaultdict(set)
        for name, written in self.actions.items():
            for entry in written.entries:
                for position, term in enumerate(entry.atom.terms):
                    found[name, term].add((entry.atom.predicate, position, entry))
        return {key: frozenset(value) for key, value in found.items()}

    @cached_property
    def standing(self) -> Mapping[tuple[str, int], Sequence[tuple[str, str]]]:
        """Return for each place of a predicate the variables that stand there somewhere."""
        found: dict[tuple[str, int], set[tuple[str, str]]] = defaultdict(set)
        for variable, places in self.roles.items():
            for predicate, position, _ in places:
                found[predicate, position].add(variable)
        return {key: sorted(value) for key, value in found.items()}

    @cached_property
    def kinds(self) -> Mapping[tuple[str, str], frozenset[tuple[str, int]]]:
        """Return for each variable (action, name) the places of predicates at which it stands."""
        return {
            variable: frozenset((predicate, position) for predicate, position, _ in places)
            for variable, places in self.roles.items()
        }

    @cached_property
    def signatures(self) -> Mapping[str, frozenset[tuple[Place, str]]]:
        """Return for each action the predicates that it has, by place."""
        return {name: _signature(written.entries) for name, written in self.actions.items()}

    def signature(self, without: Entry) -> frozenset[tuple[Place, str]]:
        """Return the same for the action of a literal, but for that one."""
        return _signature(entry for entry in self.actions[without.action].entries if entry != without)


def _signature(entries: Iterable[Entry]) -> frozenset[tuple[Place, str]]:
    return frozenset((entry.place, entry.atom.predicate) for entry in entries)


def _written(action: Action) -> Written:
    found = Written({parameter.name: parameter.types for parameter in action.parameters})
    for part, _ in flat(action.precondition):
        inner = part.part if isinstance(part, Not) else part
        if isinstance(inner, Atom):
            found.entries.add(Entry(action.name, Place.PRECONDITION, inner, isinstance(part, Not)))
    _effects(action.name, action.effects, found.entries)
    return found


def _effects(action: str, effects: Iterable[Effect], entries: set[Entry]) -> None:
    for effect in effects:
        if isinstance(effect, Literal):
            entries.add(Entry(action, Place.ADD if effect.positive else Place.DELETE, effect.atom))
        elif isinstance(effect, Conditional):
            _effects(action, effect.effects, entries)
