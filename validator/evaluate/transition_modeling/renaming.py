"""Renaming the parameters of an action; variables that a quantifier binds anew keep their names."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from validator.model import (
    Action,
    And,
    Atom,
    Conditional,
    Effect,
    Equal,
    Exists,
    Forall,
    Formula,
    Imply,
    Literal,
    Not,
    Or,
    Parameter,
)

__all__ = ["renamed"]

_Names = Mapping[str, str]


def renamed(action: Action, names: Mapping[str, str]) -> Action:
    """Return an action with other names for its parameters, which must be names of no variable in it."""
    return replace(
        action,
        parameters=tuple(replace(parameter, name=names[parameter.name]) for parameter in action.parameters),
        precondition=_formula(action.precondition, names),
        effects=tuple(_effect(effect, names) for effect in action.effects),
    )


def _atom(atom: Atom, names: _Names) -> Atom:
    return Atom(atom.predicate, tuple(names.get(term, term) for term in atom.terms))


def _formula(formula: Formula, names: _Names) -> Formula:
    match formula:
        case Atom():
            return _atom(formula, names)
        case Equal(left, right):
            return Equal(names.get(left, left), names.get(right, right))
        case Not(part):
            return Not(_formula(part, names))
        case And(parts):
            return And(tuple(_formula(part, names) for part in parts))
        case Or(parts):
            return Or(tuple(_formula(part, names) for part in parts))
        case Imply(premise, conclusion):
            return Imply(_formula(premise, names), _formula(conclusion, names))
        case Forall(parameters, part):
            return Forall(parameters, _formula(part, _outside(names, parameters)))
        case Exists(parameters, part):
            return Exists(parameters, _formula(part, _outside(names, parameters)))
        case _:
            return formula


def _effect(effect: Effect, names: _Names) -> Effect:
    match effect:
        case Literal(atom, positive):
            return Literal(_atom(atom, names), positive)
        case Conditional(parameters, condition, effects):
            inner = _outside(names, parameters)
            return Conditional(parameters, _formula(condition, inner), tuple(_effect(part, inner) for part in effects))
        case _:
            return effect


def _outside(names: _Names, parameters: tuple[Parameter, ...]) -> _Names:
    """Return the names without those that are bound anew."""
    bound = {parameter.name for parameter in parameters}
    return {name: image for name, image in names.items() if name not in bound}
