"""Parts that may only take place at one time, as each of them breaks an invariant that another one mends.

A plan is searched part by part, and after each part the invariants of what runs have to hold. Parts of one time that
do not interfere can be put into such an order, ends before starts, where the invariants are literals: an end comes
before what makes its invariant false, a start after what makes its invariant true. That fails for ends alone, or for
starts alone, that go round in a circle, and for invariants that more than one part of a time can change: a comparison
of a value to which several add, a disjunction. Whether a model has any of these is told from its actions, without
their arguments.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Set

from validator.execution.time.acts.effects import ADDITIVE
from validator.execution.time.acts.happening import Part
from validator.execution.time.metric import changed_functions, fluents_of, functions_of
from validator.model.conditions import conjuncts
from validator.model.temporal import DurativeAction, When
from validator.model.values import (
    Atom,
    Compare,
    Conditional,
    Effect,
    Equal,
    Formula,
    Literal,
    Model,
    Not,
    NumericEffect,
)

__all__ = ["tied_parts"]

_Change = tuple[str, str]
"""A predicate with ``+`` or ``-``, or a function with ``=``."""


def tied_parts(model: Model) -> frozenset[Part]:
    """Return the parts that may break an invariant which others mend at the same time."""
    actions = model.domain.durative
    joint = _joint(model)
    if any(joint(part) for action in actions.values() for part in _invariants(action)):
        return frozenset(Part)
    true = {
        name: {change for part in _invariants(action) for change in _makes(part)} for name, action in actions.items()
    }
    false = {name: {_opposite(change) for change in changes} for name, changes in true.items()}
    tied = {
        part
        for part, when, asked in ((Part.START, When.START, true), (Part.END, When.END, false))
        if _has_circle(_before(actions, when, asked))
    }
    return frozenset(tied)


def _before(
    actions: Mapping[str, DurativeAction], when: When, asked: Mapping[str, Set[_Change]]
) -> dict[str, set[str]]:
    """Return for each action those whose invariants its effects may touch in the way that is asked for."""
    done = {
        name: {change for timed in action.effects if timed.when is when for change in _changes(timed.effects)}
        for name, action in actions.items()
    }
    return {name: {other for other in actions if changes & asked[other]} for name, changes in done.items()}


def _invariants(action: DurativeAction) -> Iterator[Formula]:
    for timed in action.conditions:
        if timed.when is When.ALL:
            yield from conjuncts(timed.condition)


def _joint(model: Model) -> Callable[[Formula], bool]:
    """Return what tells whether several parts of one time, that do not interfere, may change an invariant together."""
    changed, added = changed_functions(model), _added_to(model)

    def is_joint(invariant: Formula) -> bool:
        match invariant:
            case Atom() | Not(Atom()) | Equal() | Not(Equal()):
                return False
            case Compare(_, left, right) | Not(Compare(_, left, right)):
                fluents = {fluent for fluent in (*fluents_of(left), *fluents_of(right)) if fluent.function in changed}
                return len(fluents) > 1 or any(fluent.function in added for fluent in fluents)
            case _:
                return True

    return is_joint


def _makes(invariant: Formula) -> Iterator[_Change]:
    """Yield the changes that may make an invariant true."""
    match invariant:
        case Atom(predicate):
            yield predicate, "+"
        case Not(Atom(predicate)):
            yield predicate, "-"
        case Compare(_, left, right) | Not(Compare(_, left, right)):
            yield from ((function, "=") for function in functions_of(left) | functions_of(right))


def _opposite(change: _Change) -> _Change:
    return change[0], {"+": "-", "-": "+", "=": "="}[change[1]]


def _changes(effects: Iterable[Effect]) -> Iterator[_Change]:
    for effect in effects:
        if isinstance(effect, Literal):
            yield effect.atom.predicate, "+" if effect.positive else "-"
        elif isinstance(effect, NumericEffect):
            yield effect.fluent.function, "="
        elif isinstance(effect, Conditional):
            yield from _changes(effect.effects)


def _added_to(model: Model) -> set[str]:
    """Return the functions to whose values something is added."""
    effects = [effect for action in model.domain.actions.values() for effect in action.effects]
    for action in model.domain.durative.values():
        effects += [effect for timed in action.effects for effect in timed.effects]
    return set(_additions(effects))


def _additions(effects: Iterable[Effect]) -> Iterator[str]:
    for effect in effects:
        if isinstance(effect, NumericEffect) and effect.operator in ADDITIVE:
            yield effect.fluent.function
        elif isinstance(effect, Conditional):
            yield from _additions(effect.effects)


def _has_circle(later: Mapping[str, set[str]]) -> bool:
    return any(name in _reached(name, later) for name in later)


def _reached(name: str, later: Mapping[str, set[str]]) -> set[str]:
    found: set[str] = set()
    waiting = [name]
    while waiting:
        new = later[waiting.pop()] - found
        found |= new
        waiting += new
    return found
