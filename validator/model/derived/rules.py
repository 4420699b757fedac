"""Axioms as rules: a head, atoms that bind its variables, and conditions that are tested once these are bound."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from itertools import count, product

from validator.model.conditions import free, substituted
from validator.model.joins import Atoms, Test, joined, ordered
from validator.model.pddl.formulas.axioms import dependencies
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
    Model,
    Not,
    Or,
    Parameter,
)
from validator.records import dataclass, replace

__all__ = ["Join", "Rule", "is_quantified", "rules_of", "rules_of_effects"]

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


def rules_of_effects(action: Action, effects: Iterable[Conditional]) -> Iterator[tuple[bool, Rule]]:
    """Yield the rules by which literals follow from a step, its first atom, and whether they are positive."""
    step = Atom(action.name, tuple(parameter.name for parameter in action.parameters))
    for effect in effects:
        for literal, names, bodies in _consequences(effect, {}, [_Body()], count()):
            head = Atom(literal.atom.predicate, _terms(literal.atom.terms, names))
            for body in bodies:
                parameters = action.parameters + body.parameters
                yield (
                    literal.positive,
                    Rule(head=head, parameters=parameters, atoms=(step, *body.atoms), tests=body.tests),
                )


def is_quantified(effect: Effect) -> bool:
    """Return whether an effect has variables of its own."""
    return isinstance(effect, Conditional) and bool(effect.parameters or any(map(is_quantified, effect.effects)))


def _consequences(
    effect: Effect, names: Mapping[str, str], bodies: list[_Body], numbers: Iterator[int]
) -> Iterator[tuple[Literal, Mapping[str, str], list[_Body]]]:
    """Yield the literals of an effect, with the names of variables there and the ways in which each comes about."""
    if isinstance(effect, Literal):
        yield effect, names, bodies
    elif isinstance(effect, Conditional):
        new, inside = _fresh(effect.parameters, names, numbers)
        try:
            own = _bodies(effect.condition, inside, numbers, positive=True)
            bodies = _all([[_Body(parameters=new)], bodies, own])
        except _TooManyError:
            own = [_Body(parameters=new, tests=(_renamed(effect.condition, inside),))]
            bodies = [one.and_(other) for one, other in product(bodies, own)]
        for inner in effect.effects:
            yield from _consequences(inner, inside, bodies, numbers)


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
    """Return the bodies of a quantified condition."""
    new, inside = _fresh(parameters, names, numbers)
    bodies = _bodies(part, inside, numbers, positive=positive)
    return [_Body(parameters=new).and_(body) for body in bodies]


def _fresh(
    parameters: tuple[Parameter, ...], names: Mapping[str, str], numbers: Iterator[int]
) -> tuple[tuple[Parameter, ...], Mapping[str, str]]:
    """Return variables with names that no other has, and the names of all that are known inside."""
    new = tuple(replace(parameter, name=f"{parameter.name}@{next(numbers)}") for parameter in parameters)
    return new, {**names, **{old.name: own.name for old, own in zip(parameters, new, strict=True)}}


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


# --- rules made ready ----------------------------------------------------------------------------


@lru_cache(maxsize=100)
def _set(objects: tuple[str, ...]) -> frozenset[str]:
    return frozenset(objects)


class Join:
    """A rule made ready: ``heads`` finds what follows. With ``first``, that atom of it is taken from new ones only."""

    def __init__(self, model: Model, rule: Rule, first: int | None = None) -> None:
        domains = {parameter.name: _set(model.objects_of(parameter.types)) for parameter in rule.parameters}
        begins = None if first is None else rule.atoms[first]
        others = (atom for place, atom in enumerate(rule.atoms) if place != first)
        self._head, self._has_objects, self._is_onward = rule.head, all(domains.values()), begins is not None
        self._parts = ordered(others, domains, rule.tests, first=begins, wanted=rule.head.terms)

    def heads(self, atoms: Atoms, test: Test, new: Iterable[GroundAtom] = ()) -> list[GroundAtom]:
        """Return the heads that follow from the atoms there are, the first one among the new ones."""
        if not self._has_objects:
            return []
        rows: list[GroundAtom] | None = None
        if self._is_onward:
            first = self._parts[0]
            given = list(zip(first.places, first.terms, strict=True))
            rows = [
                row for row in new if row[0] == first.predicate and all(row[place] == term for place, term in given)
            ]
        found = joined(self._parts, {}, atoms, test, rows)
        head = self._head
        return [(head.predicate, *[binding.get(term, term) for term in head.terms]) for binding in found]
