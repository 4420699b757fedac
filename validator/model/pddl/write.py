"""Printing conditions as PDDL text: one line, lower case."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from itertools import groupby
from typing import TYPE_CHECKING

from validator.model.values import (
    And,
    Arithmetic,
    Atom,
    Compare,
    Equal,
    Exists,
    Expression,
    Fluent,
    Forall,
    Formula,
    Imply,
    Not,
    Number,
    Or,
    Parameter,
)
from validator.texts import decimal

if TYPE_CHECKING:
    from validator.model.temporal import Trajectory

__all__ = ["atom_text", "decimal", "expression_text", "formula_text", "readable_text", "trajectory_text", "type_text"]


def atom_text(atom: tuple[str, ...]) -> str:
    """Return a ground atom as PDDL text.

    The value of an object fluent is the atom ``("=loc", "t", "x")`` and is written ``(= (loc t) x)``.
    """
    if atom[0][0] == "=":
        return f"(= ({' '.join((atom[0][1:], *atom[1:-1]))}) {atom[-1]})"
    return f"({' '.join(atom)})"


def trajectory_text(trajectory: Trajectory, binding: Mapping[str, str]) -> str:
    """Return a trajectory constraint as PDDL text, without the quantifiers around it."""
    words = [trajectory.operator, *map(decimal, trajectory.times)]
    return f"({' '.join((*words, *(formula_text(part, binding) for part in trajectory.parts)))})"


def formula_text(formula: Formula, binding: Mapping[str, str]) -> str:
    """Return a condition as people read it: objects in place of its free variables, object fluents as terms."""
    return _text(formula, binding, True)


def readable_text(formula: Formula) -> str:
    """Return a condition as PDDL that says the same when it is read again."""
    return _text(formula, {}, False)


def _text(formula: Formula, binding: Mapping[str, str], folds: bool) -> str:
    """Return a condition as PDDL text; ``folds`` writes object fluents as terms."""
    match formula:
        case Atom(predicate, terms):
            return atom_text((predicate, *(binding.get(term, term) for term in terms)))
        case Equal(left, right):
            return f"(= {binding.get(left, left)} {binding.get(right, right)})"
        case Compare(comparator, first, second):
            return f"({comparator} {expression_text(first, binding)} {expression_text(second, binding)})"
        case Not(part):
            return f"(not {_text(part, binding, folds)})"
        case And(parts):
            return _connective("and", parts, binding, folds)
        case Or(parts):
            return _connective("or", parts, binding, folds)
        case Imply(premise, conclusion):
            return _connective("imply", (premise, conclusion), binding, folds)
        case Forall(parameters, part):
            return f"(forall ({_typed(parameters)}) {_text(part, _hide(binding, parameters), folds)})"
        case Exists(parameters, part) if folds and (said := _folded(parameters, part, binding)) is not None:
            return said
        case Exists(parameters, part):
            return f"(exists ({_typed(parameters)}) {_text(part, _hide(binding, parameters), folds)})"


def expression_text(expression: Expression, binding: Mapping[str, str]) -> str:
    """Return a numeric expression as PDDL text."""
    match expression:
        case Number(value):
            return decimal(value)
        case Fluent(function, ()) if function[0] in "?#":
            return function
        case Fluent(function, terms):
            return atom_text((function, *(binding.get(term, term) for term in terms)))
        case Arithmetic(operator, operands):
            return f"({operator} {' '.join(expression_text(operand, binding) for operand in operands)})"


def _connective(name: str, parts: tuple[Formula, ...], binding: Mapping[str, str], folds: bool) -> str:
    return f"({' '.join((name, *(_text(part, binding, folds) for part in parts)))})"


def _folded(parameters: tuple[Parameter, ...], part: Formula, binding: Mapping[str, str]) -> str | None:
    """Return a condition with the object fluents in it that variables such as ``?loc@2`` stand for; None for others."""
    names, waiting = _hide(binding, parameters), {each.name for each in parameters}
    parts = list(part.parts) if isinstance(part, And) else [part]
    if not all("@" in name for name in waiting):
        return None
    while waiting:
        values = (each for each in parts if isinstance(each, Atom) and each.predicate.startswith("="))
        ready = (each for each in values if each.terms[-1] in waiting and waiting.isdisjoint(each.terms[:-1]))
        found = next(ready, None)
        if found is None or len(parts) == 1:
            return None
        *terms, name = found.terms
        names[name] = f"({' '.join((found.predicate[1:], *(names.get(term, term) for term in terms)))})"
        waiting.remove(name)
        parts.remove(found)
    said = _text(parts[0], names, True) if len(parts) == 1 else _connective("and", tuple(parts), names, True)
    return said if all(names[each.name] in said for each in parameters) else None  # else it asks for a value only


def _names(parameters: tuple[Parameter, ...]) -> str:
    return " ".join(parameter.name for parameter in parameters)


def _typed(parameters: tuple[Parameter, ...]) -> str:
    """Return the variables of a quantifier, ``?x ?y - cup ?z - (either cup jug)``; ``object`` only beside others."""
    if all(parameter.types == _OBJECT for parameter in parameters):
        return _names(parameters)
    groups = groupby(parameters, lambda parameter: parameter.types)
    return " ".join(f"{_names(tuple(group))} - {type_text(types)}" for types, group in groups)


_OBJECT = frozenset(("object",))


def type_text(types: Collection[str]) -> str:
    """Return the name of a type, or one of several: ``(either cup jug)``."""
    return next(iter(types)) if len(types) == 1 else f"(either {' '.join(sorted(types))})"


def _hide(binding: Mapping[str, str], parameters: tuple[Parameter, ...]) -> dict[str, str]:
    """Return the binding without the variables that a quantifier binds anew."""
    hidden = {parameter.name for parameter in parameters}
    return {variable: value for variable, value in binding.items() if variable not in hidden}
