"""Conditions taken apart: free variables, substitution, negation, the predicates that they read."""

from __future__ import annotations

from collections.abc import Mapping

from validator.model.values import And, Atom, Equal, Exists, Forall, Formula, Imply, Not, Or

__all__ = ["conjuncts", "negated", "substituted"]


def conjuncts(formula: Formula) -> tuple[Formula, ...]:
    """Return the parts of a conjunction in their order; any other condition is its own only part."""
    return formula.parts if isinstance(formula, And) else (formula,)


def substituted(formula: Formula, names: Mapping[str, str]) -> Formula:
    """Replace free variables; the new names occur nowhere in the formula, so that none is captured."""
    match formula:
        case Atom(predicate, terms):
            return Atom(predicate, tuple(names.get(term, term) for term in terms))
        case Equal(left, right):
            return Equal(names.get(left, left), names.get(right, right))
        case Not(part):
            return Not(substituted(part, names))
        case And(parts):
            return And(tuple(substituted(part, names) for part in parts))
        case Or(parts):
            return Or(tuple(substituted(part, names) for part in parts))
        case Imply(premise, conclusion):
            return Imply(substituted(premise, names), substituted(conclusion, names))
        case Forall(parameters, part) | Exists(parameters, part):
            kept = {name: new for name, new in names.items() if name not in {p.name for p in parameters}}
            return type(formula)(parameters, substituted(part, kept))
        case _:
            return formula


def negated(formula: Formula) -> Formula:
    """Return the negation, driven inwards as far as it lets a join start from what must hold."""
    match formula:
        case Imply(premise, conclusion):
            return And((premise, Not(conclusion)))
        case Or(parts):
            return And(tuple(map(negated, parts)))
        case Not(part):
            return part
        case _:
            return Not(formula)
