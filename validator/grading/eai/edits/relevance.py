"""Which steps can change what is wrong: those with an effect on an atom that the false condition reads.

A condition is read as the patterns of atoms that would help, with what they should be: ``near character ?`` true. In a
nearest plan the condition is true where it is false now, so some pattern is; going back from there, either a step that
is in both plans must come to change it (and then what its conditional effect waits for is wanted as well), or an
inserted step changes it, or a deleted one no longer does. So steps without such an effect need not be tried.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from functools import cache
from itertools import product
from typing import TypeAlias

from validator.grading.eai.edits.script import Line
from validator.grading.eai.world.query import atoms_in, conjuncts, static_test
from validator.grading.eai.world.state import State
from validator.grading.eai.world.world import World, bind
from validator.model.conditions import substituted
from validator.model.values import (
    Action,
    And,
    Atom,
    Axiom,
    Conditional,
    Effect,
    Exists,
    Forall,
    Formula,
    GroundAtom,
    Imply,
    Literal,
    Not,
    Or,
    Parameter,
)

Wanted: TypeAlias = tuple[GroundAtom, bool]
"""A pattern of atoms, in which ``ANY`` stands for any object, and whether they should be true."""

ANY = "?"


class Relevance:
    """Answers for one world which steps over ``names`` matter; ``kept`` actions are never left out as duplicates."""

    def __init__(self, world: World, initial: State, names: Sequence[str], kept: frozenset[str]) -> None:
        self._world = world
        self._initial = initial
        self._names = names
        self._is_static = static_test(world.domain)
        self._axioms = axioms_of(world)
        self.actions = _distinct(world.domain.actions.values(), kept)
        self._effects = {name: list(literals(action.effects)) for name, action in world.domain.actions.items()}
        for answer in ("wanted", "steps", "before", "_atoms", "_waits", "_bringing", "is_impossible"):
            setattr(self, answer, cache(getattr(self, answer)))  # each is asked for again and again

    def wanted(self, formula: Formula) -> frozenset[Wanted]:
        """Return the patterns that help to make a condition true."""
        return frozenset(self._helpful(formula, True, frozenset()))

    def steps(self, wanted: frozenset[Wanted]) -> tuple[Line, ...]:
        """Return the steps that can bring a pattern about, in a fixed order, without those that can never run."""
        return tuple(dict.fromkeys(line for each in sorted(wanted) for line in self._bringing(each)))

    def all_steps(self) -> list[Line]:
        """Return every step that is not impossible."""
        return [line for action in self.actions for line in self.instances(action, {})]

    def called(self, names: Set[str]) -> list[Line]:
        """Return the steps of actions by name, also ``LOOKAT_SHORT`` for ``LOOKAT``."""
        actions = self._world.domain.actions.values()
        chosen = [each for each in actions if any(f"{each.name.upper()}_".startswith(f"{name}_") for name in names)]
        return [line for action in chosen for line in self.instances(action, {})]

    def hinders(self, line: Line, wanted: frozenset[Wanted]) -> bool:
        """Return whether a step can make a pattern other than it should be."""
        return any(not helps for helps, _ in self._touching(line, wanted))

    def before(self, line: Line, wanted: frozenset[Wanted]) -> frozenset[Wanted]:
        """Return what helps before a step: the patterns, and what its effects on them wait for, or should not find."""
        touched = sorted({(index, helps) for helps, index in self._touching(line, wanted)})
        return wanted.union(*(self._waits(line, index, helps) for index, helps in touched))

    def _touching(self, line: Line, wanted: frozenset[Wanted]) -> Iterator[tuple[bool, int]]:
        """Yield for each effect of a step on a pattern whether it helps, and its index."""
        for index, (atom, added) in enumerate(self._atoms(line)):
            for found, positive in wanted:
                if found[0] == atom[0] and _meet(atom, found):
                    yield added == positive, index

    def _atoms(self, line: Line) -> tuple[Wanted, ...]:
        """Return what a step adds and deletes, as patterns."""
        effects = self._effects.get(line[0], ())
        return tuple((pattern(each.atom, self._known(line, hidden)), each.positive) for each, _, hidden in effects)

    def _waits(self, line: Line, index: int, helps: bool) -> frozenset[Wanted]:
        """Return the patterns that let an effect of a step happen, or not happen."""
        _, conditions, hidden = self._effects[line[0]][index]
        parts = (substituted(part, self._known(line, hidden)) for part in conditions)
        return frozenset(each for part in parts for each in self._helpful(part, helps, frozenset()))

    def _known(self, line: Line, hidden: frozenset[str]) -> dict[str, str]:
        action = self._world.domain.actions[line[0]]
        if len(action.parameters) != len(line) - 1:
            return {}
        return {name: value for name, value in bind(action, line[1:]).items() if name not in hidden}

    def _bringing(self, wanted: Wanted) -> tuple[Line, ...]:
        return tuple(dict.fromkeys(line for action in self.actions for line in self._of(action, wanted)))

    def _of(self, action: Action, wanted: Wanted) -> Iterator[Line]:
        found, positive = wanted
        own = {parameter.name for parameter in action.parameters}
        for literal, _, hidden in self._effects[action.name]:
            if literal.positive == positive:
                known = unified(literal.atom, found, own - hidden)
                if known is not None:
                    yield from self.instances(action, known)

    def instances(self, action: Action, known: Mapping[str, str]) -> Iterator[Line]:
        """Yield the steps of an action with some objects given, without those that are never possible."""
        choices = [[name for name in self._names if self._fits(name, each, known)] for each in action.parameters]
        lines = ((action.name, *args) for args in product(*choices))
        yield from (line for line in lines if not self.is_impossible(line))

    def _fits(self, name: str, parameter: Parameter, known: Mapping[str, str]) -> bool:
        types = self._world.domain.types.ancestors(self._world.objects[name])
        return known.get(parameter.name, name) == name and not types.isdisjoint(parameter.types)

    def is_impossible(self, line: Line) -> bool:
        """Return whether a condition of a step is false that no action changes."""
        action = self._world.domain.actions[line[0]]
        binding = bind(action, line[1:])
        parts = (part for part in conjuncts(action.precondition) if self._is_static(part))
        return any(not self._world.holds(part, self._initial, binding) for part in parts)

    def _helpful(self, formula: Formula, positive: bool, seen: frozenset[Wanted]) -> Iterator[Wanted]:
        match formula:
            case Atom(predicate):
                found = pattern(formula)
                if predicate not in self._axioms:
                    yield found, positive
                elif (found, positive) not in seen:
                    for axiom in self._axioms[predicate]:
                        yield from self._helpful(body(axiom, found), positive, seen | {(found, positive)})
            case Not(part):
                yield from self._helpful(part, not positive, seen)
            case And(parts) | Or(parts):
                for part in parts:
                    yield from self._helpful(part, positive, seen)
            case Imply(premise, conclusion):
                yield from self._helpful(premise, not positive, seen)
                yield from self._helpful(conclusion, positive, seen)
            case Forall(_, part) | Exists(_, part):
                yield from self._helpful(part, positive, seen)


def objects(formula: Formula) -> frozenset[str]:
    """Return the objects that a condition names."""
    return frozenset(term for atom in atoms_in(formula) for term in atom.terms if term[0] != "?")


def _distinct(actions: Iterable[Action], kept: frozenset[str]) -> tuple[Action, ...]:
    """Leave out actions that do what an earlier one does, unless they are to be kept."""
    found: list[Action] = []
    seen: set[object] = set()
    for action in sorted(actions, key=lambda action: (action.name not in kept, action.name)):
        does = (action.parameters, action.precondition, action.effects)
        if action.name in kept or does not in seen:
            found.append(action)
        seen.add(does)
    return tuple(found)


# --- patterns of atoms ----------------------------------------------------------------------------


def axioms_of(world: World) -> dict[str, list[Axiom]]:
    """Return the axioms of a world by what they derive."""
    found: dict[str, list[Axiom]] = {}
    for axiom in world.domain.axioms:
        found.setdefault(axiom.predicate, []).append(axiom)
    return found


def literals(
    effects: tuple[Effect, ...], conditions: tuple[Formula, ...] = (), hidden: frozenset[str] = frozenset()
) -> Iterator[tuple[Literal, tuple[Formula, ...], frozenset[str]]]:
    """Yield each literal of effects, what it waits for, and the variables that are quantified in front of it."""
    for effect in effects:
        if isinstance(effect, Conditional):
            names = hidden | {parameter.name for parameter in effect.parameters}
            yield from literals(effect.effects, (*conditions, *conjuncts(effect.condition)), names)
        elif isinstance(effect, Literal):
            yield effect, conditions, hidden


def pattern(atom: Atom, binding: Mapping[str, str] | None = None) -> GroundAtom:
    """Return an atom with ``ANY`` in place of the variables of which nothing is known."""
    terms = (binding.get(term, term) if binding else term for term in atom.terms)
    return (atom.predicate, *(ANY if term[0] == "?" else term for term in terms))


def body(axiom: Axiom, found: GroundAtom) -> Formula:
    """Return the condition of an axiom with what a pattern says of its parameters."""
    names = (parameter.name for parameter in axiom.parameters)
    known = {name: value for name, value in zip(names, found[1:], strict=True) if value != ANY}
    return substituted(axiom.condition, known)


def unified(atom: Atom, found: GroundAtom, own: Set[str]) -> dict[str, str] | None:
    """Return what a pattern says of the variables of an atom that are ``own``; None when it is of other atoms."""
    if atom.predicate != found[0] or len(atom.terms) != len(found) - 1:
        return None
    binding: dict[str, str] = {}
    for term, value in zip(atom.terms, found[1:], strict=True):
        if value == ANY or (term[0] == "?" and term not in own):
            continue
        if (binding.setdefault(term, value) if term[0] == "?" else term) != value:
            return None
    return binding


def _meet(one: GroundAtom, other: GroundAtom) -> bool:
    return all(a in (b, ANY) or b == ANY for a, b in zip(one, other, strict=True))
