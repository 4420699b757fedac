"""Conditions taken apart: negation, what no action changes."""

from __future__ import annotations

from collections.abc import Callable

from validator.model.conditions import predicates
from validator.model.values import Action, And, Atom, Domain, Formula, Imply, Literal, Not, Or

__all__ = ["conjuncts", "literals", "negated", "static_test"]


def conjuncts(formula: Formula) -> tuple[Formula, ...]:
    """Return the parts of a conjunction in their order; any other condition is its own only part."""
    return formula.parts if isinstance(formula, And) else (formula,)


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
