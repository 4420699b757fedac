"""Axioms as rules: a head, atoms that bind its variables, and conditions that are tested once these are bound."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import count, product

from validator.model.conditions import free, substituted
from validator.model.pddl.formulas.axioms import dependencies
from validator.model.values import (
    And,
    Atom,
    Axiom,
    Exists,
    Forall,
    Formula,
    Imply,
    Not,
    Or,
    Parameter,
)
from validator.records import dataclass, replace

__all__ = ["Rule", "rules_of"]

_MOST_BODIES = 256
"""ways in which the condition of one axiom may hold, before it is tested as a whole"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """``head`` holds where all ``atoms`` and all ``tests`` do, for objects of the types of ``parameters``."""

    head: Atom
    parameters: tuple[Parameter, ...]
    atoms: tuple[Atom, ...] = ()
    tests: tuple[Formula, ...] = ()

    def tested(self) -> frozenset[str]:
        """Return the predicates that the tests read."""
        return frozenset(name for test in self.tests for name, _ in dependencies(test))


@dataclass(frozen=True, slots=True)
class _Body:
    parameters: tuple[Parameter, ...] = ()
    atoms: tuple[Atom, ...] = ()
    tests: tuple[Formula, ...] = ()

    def and_(self, other: _Body) -> _Body:
        return _Body(self.parameters + other.parameters, self.atoms + other.atoms, self.tests + other.tests)


class _TooManyError(Exception):
    """The ways in which a condition may hold are more than the limit."""


def rules_of(axiom: Axiom) -> list[Rule]:
    """Return the rules that together are an axiom: one for each way in which its condition may hold."""
    head = Atom(axiom.predicate, tuple(parameter.name for parameter in axiom.parameters))
    whole = Rule(head=head, parameters=axiom.parameters, tests=(axiom.condition,))
    try:
        bodies = _bodies(axiom.condition, {}, count(), positive=True)
    except _TooManyError:
        return [whole]
    return [
        replace(whole, parameters=whole.parameters + body.parameters, atoms=body.atoms, tests=body.tests)
        for body in bodies
    ]


def _bodies(formula: Formula, names: Mapping[str, str], numbers: Iterator[int], *, positive: bool) -> list[_Body]:
    """Return the ways in which a condition, or its negation, may hold; ``names`` are those of variables outside."""

    def inner(part: Formula, is_true: bool = positive) -> list[_Body]:
        return _bodies(part, names, numbers, positive=is_true)

    match formula:
        case Not(part):
            return inner(part, not positive)
        case Imply(premise, conclusion) if positive:
            return _limited(inner(premise, False) + inner(conclusion))
        case Imply(premise, conclusion):
            return _all([inner(premise, True), inner(conclusion)])
        case And(parts) | Or(parts):
            found = [inner(part) for part in parts]
            if isinstance(formula, And) is positive:
                return _all(found)
            return _limited([body for bodies in found for body in bodies])
        case Exists(parameters, part) if positive:
            return _exists(parameters, part, names, numbers, positive=True)
        case Forall(parameters, part) if not positive:
            return _exists(parameters, part, names, numbers, positive=False)
        case Atom() if positive:
            return [_Body(atoms=(Atom(formula.predicate, _terms(formula.terms, names)),))]
        case _:
            test = _renamed(formula, names)
            return [_Body(tests=(test if positive else Not(test),))]


def _exists(
    parameters: tuple[Parameter, ...],
    part: Formula,
    names: Mapping[str, str],
    numbers: Iterator[int],
    *,
    positive: bool,
) -> list[_Body]:
    """Return the bodies of a quantified condition, its variables with names that no other has."""
    new = tuple(replace(parameter, name=f"{parameter.name}@{next(numbers)}") for parameter in parameters)
    inside = {**names, **{old.name: own.name for old, own in zip(parameters, new, strict=True)}}
    bodies = _bodies(part, inside, numbers, positive=positive)
    return [_Body(parameters=new).and_(body) for body in bodies]


def _all(parts: Iterable[list[_Body]]) -> list[_Body]:
    found = [_Body()]
    for bodies in parts:
        found = _limited([one.and_(other) for one, other in product(found, bodies)])
    return found


def _limited(bodies: list[_Body]) -> list[_Body]:
    if len(bodies) > _MOST_BODIES:
        raise _TooManyError
    return bodies


# --- other names of variables --------------------------------------------------------------------


def _terms(terms: tuple[str, ...], names: Mapping[str, str]) -> tuple[str, ...]:
    return tuple(names.get(term, term) for term in terms)


def _renamed(formula: Formula, names: Mapping[str, str]) -> Formula:
    """Return a condition with other names for its free variables."""
    return substituted(formula, names) if names and free(formula) & names.keys() else formula
