"""Renaming the parameters of an action; variables that a quantifier binds anew keep their names."""

from __future__ import annotations

from collections.abc import Mapping

from validator.model.conditions import substituted
from validator.model.values import (
    Action,
    Atom,
    Conditional,
    Effect,
    Literal,
    Parameter,
)
from validator.records import replace

__all__ = ["renamed"]

_Names = Mapping[str, str]


def renamed(action: Action, names: Mapping[str, str]) -> Action:
    """Return an action with other names for its parameters, which must be names of no variable in it."""
    return replace(
        action,
        parameters=tuple(replace(parameter, name=names[parameter.name]) for parameter in action.parameters),
        precondition=substituted(action.precondition, names),
        effects=tuple(_effect(effect, names) for effect in action.effects),
    )


def _effect(effect: Effect, names: _Names) -> Effect:
    match effect:
        case Literal(atom, positive):
            return Literal(Atom(atom.predicate, tuple(names.get(term, term) for term in atom.terms)), positive)
        case Conditional(parameters, condition, effects):
            inner = _outside(names, parameters)
            return Conditional(
                parameters, substituted(condition, inner), tuple(_effect(part, inner) for part in effects)
            )
        case _:
            return effect


def _outside(names: _Names, parameters: tuple[Parameter, ...]) -> _Names:
    """Return the names without those that are bound anew."""
    bound = {parameter.name for parameter in parameters}
    return {name: image for name, image in names.items() if name not in bound}
