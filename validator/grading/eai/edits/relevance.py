"""Which steps can change what is wrong: those with an effect on an atom that the false condition reads.

A condition is read as the patterns of atoms that would help, with what they should be: ``near character ?`` true. In a
nearest plan the condition is true where it is false now, so some pattern is; going back from there, either a step that
is in both plans must come to change it (and then what its conditional effect waits for is wanted as well), or an
inserted step changes it, or a deleted one no longer does. So steps without such an effect need not be tried.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from itertools import product
from typing import TypeAlias

from validator.grading.eai.edits.script import Line
from validator.grading.eai.world.query import conjuncts, static_test
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

__all__ = ["Relevance", "objects"]

Wanted: TypeAlias = tuple[GroundAtom, bool]
"""A pattern of atoms, in which ``?`` stands for any object, and whether they should be true."""

_ANY = "?"


class Relevance:
    """Answers for one world which steps over ``names`` matter; ``kept`` actions are never left out as duplicates."""

    def __init__(self, world: World, initial: State, names: Sequence[str], kept: frozenset[str]) -> None:
        self._world = world
        self._initial = initial
        self._names = names
        self._is_static = static_test(world.domain)
        self._axioms: dict[str, list[Axiom]] = {}
        for axiom in world.domain.axioms:
            self._axioms.setdefault(axiom.predicate, []).append(axiom)
        self.actions = _distinct(world.domain.actions.values(), kept)
        self._effects = {name: list(_literals(action.effects)) for name, action in world.domain.actions.items()}
        self._wanted: dict[Formula, frozenset[Wanted]] = {}
        self._steps: dict[Wanted, tuple[Line, ...]] = {}
        self._before: dict[tuple[Line, frozenset[Wanted]], frozenset[Wanted]] = {}
        self._static: dict[Line, bool] = {}
        self._changed: dict[Line, tuple[Wanted, ...]] = {}
        self._waiting: dict[tuple[Line, int, bool], frozenset[Wanted]] = {}
        self._all_steps: dict[frozenset[Wanted], tuple[Line, ...]] = {}

    def wanted(self, formula: Formula) -> frozenset[Wanted]:
        """Return the patterns that help to make a condition true."""
        found = self._wanted.get(formula)
        if found is None:
            found = self._wanted[formula] = frozenset(self._helpful(formula, True, frozenset()))
        return found

    def steps(self, wanted: frozenset[Wanted]) -> tuple[Line, ...]:
        """Return the steps that can bring a pattern about, in a fixed order, without those that can never run."""
        found = self._all_steps.get(wanted)
        if found is None:
            found = tuple(dict.fromkeys(line for each in sorted(wanted) for line in self._bringing(each)))
            self._all_steps[wanted] = found
        return found

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
        found = self._before.get((line, wanted))
        if found is None:
            touched = sorted({(index, helps) for helps, index in self._touching(line, wanted)})
            found = wanted.union(*(self._waits(line, index, helps) for index, helps in touched))
            self._before[line, wanted] = found
        return found

    def _touching(self, line: Line, wanted: frozenset[Wanted]) -> Iterator[tuple[bool, int]]:
        """Yield for each effect of a step on a pattern whether it helps, and its index."""
        for index, (atom, added) in enumerate(self._atoms(line)):
            for pattern, positive in wanted:
                if pattern[0] == atom[0] and _meet(atom, pattern):
                    yield added == positive, index

    def _atoms(self, line: Line) -> tuple[Wanted, ...]:
        """Return what a step adds and deletes, as patterns."""
        found = self._changed.get(line)
        if found is None:
            effects = self._effects.get(line[0], ())
            found = tuple(
                (_pattern(each.atom, self._known(line, hidden)), each.positive) for each, _, hidden in effects
            )
            self._changed[line] = found
        return found

    def _waits(self, line: Line, index: int, helps: bool) -> frozenset[Wanted]:
        """Return the patterns that let an effect of a step happen, or not happen."""
        found = self._waiting.get((line, index, helps))
        if found is None:
            _, conditions, hidden = self._effects[line[0]][index]
            parts = (substituted(part, self._known(line, hidden)) for part in conditions)
            found = frozenset(each for part in parts for each in self._helpful(part, helps, frozenset()))
            self._waiting[line, index, helps] = found
        return found

    def _known(self, line: Line, hidden: frozenset[str]) -> dict[str, str]:
        action = self._world.domain.actions[line[0]]
        if len(action.parameters) != len(line) - 1:
            return {}
        return {name: value for name, value in bind(action, line[1:]).items() if name not in hidden}

    def _bringing(self, wanted: Wanted) -> tuple[Line, ...]:
        found = self._steps.get(wanted)
        if found is None:
            lines = (line for action in self.actions for line in self._of(action, wanted))
            found = self._steps[wanted] = tuple(dict.fromkeys(lines))
        return found

    def _of(self, action: Action, wanted: Wanted) -> Iterator[Line]:
        pattern, positive = wanted
        own = {parameter.name for parameter in action.parameters}
        for literal, _, hidden in self._effects[action.name]:
            if literal.positive == positive and literal.atom.predicate == pattern[0]:
                yield from self.instances(action, _unified(literal.atom, pattern, own - hidden))

    def instances(self, action: Action, known: Mapping[str, str] | None) -> Iterator[Line]:
        """Yield the steps of an action with some objects given, without those that are never possible."""
        if known is None:
            return
        choices = [[name for name in self._names if self._fits(name, each, known)] for each in action.parameters]
        lines = ((action.name, *args) for args in product(*choices))
        yield from (line for line in lines if not self.is_impossible(line))

    def _fits(self, name: str, parameter: Parameter, known: Mapping[str, str]) -> bool:
        types = self._world.domain.types.ancestors(self._world.objects[name])
        return known.get(parameter.name, name) == name and not types.isdisjoint(parameter.types)

    def is_impossible(self, line: Line) -> bool:
        """Return whether a condition of a step is false that no action changes."""
        found = self._static.get(line)
        if found is None:
            action = self._world.domain.actions[line[0]]
            binding = bind(action, line[1:])
            parts = (part for part in conjuncts(action.precondition) if self._is_static(part))
            found = self._static[line] = any(not self._world.holds(part, self._initial, binding) for part in parts)
        return found

    def _helpful(self, formula: Formula, positive: bool, seen: frozenset[Wanted]) -> Iterator[Wanted]:
        match formula:
            case Atom(predicate):
                pattern = _pattern(formula, {})
                if predicate not in self._axioms:
                    yield pattern, positive
                elif (pattern, positive) not in seen:
                    for axiom in self._axioms[predicate]:
                        body = substituted(axiom.condition, _known(axiom, pattern))
                        yield from self._helpful(body, positive, seen | {(pattern, positive)})
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
    match formula:
        case Atom(_, terms):
            return frozenset(term for term in terms if term[0] != "?")
        case Not(part) | Forall(_, part) | Exists(_, part):
            return objects(part)
        case And(parts) | Or(parts):
            return frozenset().union(*map(objects, parts))
        case Imply(premise, conclusion):
            return objects(premise) | objects(conclusion)
        case _:
            return frozenset()


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


_Effect: TypeAlias = tuple[Literal, tuple[Formula, ...], frozenset[str]]
"""A literal, what it waits for, and the variables that are quantified in front of it."""


def _literals(
    effects: tuple[Effect, ...], conditions: tuple[Formula, ...] = (), hidden: frozenset[str] = frozenset()
) -> Iterator[_Effect]:
    for effect in effects:
        if isinstance(effect, Conditional):
            names = hidden | {parameter.name for parameter in effect.parameters}
            yield from _literals(effect.effects, (*conditions, *conjuncts(effect.condition)), names)
        elif isinstance(effect, Literal):
            yield effect, conditions, hidden


def _pattern(atom: Atom, binding: dict[str, str]) -> GroundAtom:
    terms = (binding.get(term, term) for term in atom.terms)
    return (atom.predicate, *(_ANY if term[0] == "?" else term for term in terms))


def _meet(one: GroundAtom, other: GroundAtom) -> bool:
    return all(a in (b, _ANY) or b == _ANY for a, b in zip(one, other, strict=True))


def _known(axiom: Axiom, pattern: GroundAtom) -> dict[str, str]:
    names = (parameter.name for parameter in axiom.parameters)
    return {name: value for name, value in zip(names, pattern[1:], strict=True) if value != _ANY}


def _unified(atom: Atom, pattern: GroundAtom, own: Set[str]) -> dict[str, str] | None:
    """Return what a pattern says of an action's parameters; None when the effect is on other atoms."""
    binding: dict[str, str] = {}
    for term, value in zip(atom.terms, pattern[1:], strict=True):
        if value == _ANY or (term[0] == "?" and term not in own):
            continue
        if (binding.setdefault(term, value) if term[0] == "?" else term) != value:
            return None
    return binding
