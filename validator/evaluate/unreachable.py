"""Proving that a condition stays false, without a planner: by a set of atoms that only its own members can make true.

All atoms of the set are false, and every effect that adds one of them waits for another one of them. By induction over
the steps none ever becomes true. (In the reading of a task as a Petri net, the set is a siphon without a token.)
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from validator.conditions import Binding
from validator.evaluate.query import free, substituted
from validator.evaluate.state import State
from validator.evaluate.world import World, conjuncts
from validator.model import Action, And, Atom, Conditional, Effect, Formula, GroundAtom, Literal, Or

__all__ = ["stays_false"]


def stays_false(world: World, formula: Formula, state: State, is_static: Callable[[Formula], bool]) -> bool:
    """Return whether a ground condition is proven to hold in no state that can be reached."""
    match formula:
        case And(parts):
            return any(stays_false(world, part, state, is_static) for part in parts)
        case Or(parts):
            return all(stays_false(world, part, state, is_static) for part in parts)
        case Atom(predicate, terms) if not _is_derived(world, predicate):
            return _never_added(world, (predicate, *terms), state, is_static)
        case _:
            return is_static(formula) and not world.holds(formula, state)


def _is_derived(world: World, predicate: str) -> bool:
    return any(axiom.predicate == predicate for axiom in world.domain.axioms)


def _never_added(world: World, atom: GroundAtom, state: State, is_static: Callable[[Formula], bool]) -> bool:
    if atom in state:
        return False
    closed = {atom}
    waiting = [atom]
    while waiting:
        for needs in _ways(world, waiting.pop()):
            blocked = [part for part in needs if not free(part) and not world.holds(part, state)]
            if any(is_static(part) or (isinstance(part, Atom) and _key(part) in closed) for part in blocked):
                continue
            atoms = [part for part in blocked if isinstance(part, Atom) and not _is_derived(world, part.predicate)]
            if not atoms:
                return False
            closed.add(_key(atoms[0]))
            waiting.append(_key(atoms[0]))
    return True


def _key(atom: Atom) -> GroundAtom:
    return (atom.predicate, *atom.terms)


def _ways(world: World, atom: GroundAtom) -> Iterator[list[Formula]]:
    """Yield for every effect that may add an atom what must hold before, as far as the atom says of which objects."""
    for action in world.domain.actions.values():
        names = {parameter.name for parameter in action.parameters}
        for literal, conditions, quantified in _additions(action.effects, (), frozenset()):
            binding = _unified(literal.atom, atom)
            if binding is None:
                continue
            if quantified & names:
                yield []  # one name for two variables: nothing is said of either
            else:
                yield [substituted(part, binding) for part in _needs(action, conditions)]


def _needs(action: Action, conditions: tuple[Formula, ...]) -> Iterator[Formula]:
    for formula in (action.precondition, *conditions):
        yield from conjuncts(formula)


def _additions(
    effects: tuple[Effect, ...], conditions: tuple[Formula, ...], quantified: frozenset[str]
) -> Iterator[tuple[Literal, tuple[Formula, ...], frozenset[str]]]:
    """Yield each added literal with its conditions and the variables that are quantified in front of it."""
    for effect in effects:
        if isinstance(effect, Conditional):
            names = quantified | {parameter.name for parameter in effect.parameters}
            yield from _additions(effect.effects, (*conditions, effect.condition), names)
        elif isinstance(effect, Literal) and effect.positive:
            yield effect, conditions, quantified


def _unified(pattern: Atom, atom: GroundAtom) -> Binding | None:
    if pattern.predicate != atom[0] or len(pattern.terms) != len(atom) - 1:
        return None
    binding: Binding = {}
    for term, value in zip(pattern.terms, atom[1:], strict=True):
        if (binding.setdefault(term, value) if term[0] == "?" else term) != value:
            return None
    return binding
