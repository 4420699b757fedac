"""Conditions taken apart: free variables, substitution, negation, what no action changes."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from validator.model.conditions import predicates
from validator.model.values import Action, And, Atom, Domain, Equal, Exists, Forall, Formula, Imply, Literal, Not, Or

__all__ = ["conjuncts", "literals", "negated", "static_test", "substituted"]


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


def static_test(domain: Domain) -> Callable[[Formula], bool]:
    """Return the test whether a condition is about what things are: no action changes any predicate that it reads."""
    changed = {atom.predicate for action in domain.actions.values() for atom, _ in literals(action)}
    derived: dict[str, list[Formula]] = {}
    for axiom in domain.axioms:
        derived.setdefault(axiom.predicate, []).append(axiom.condition)

    def is_static(formula: Formula, seen: frozenset[str] = frozenset()) -> bool:
        return all(
            name not in changed
            and (name in seen or all(is_static(condition, seen | {name}) for condition in derived.get(name, ())))
            for name in predicates(formula)
        )

    return is_static


def literals(action: Action) -> list[tuple[Atom, bool]]:
    """Return what an action adds (True) and deletes (False), under whatever condition."""
    found: list[tuple[Atom, bool]] = []
    waiting = list(action.effects)
    while waiting:
        effect = waiting.pop()
        if isinstance(effect, Literal):
            found.append((effect.atom, effect.positive))
        else:
            waiting += getattr(effect, "effects", ())
    return found
