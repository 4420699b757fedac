"""Axioms and effects as rules: a head, atoms that bind variables, and conditions that are tested once these are bound.

What came and went is followed by deleting all that may have lost its ground and deriving again what still follows
(Gupta, Mumick and Subrahmanian 1993, Maintaining views incrementally).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import count, product

from validator.model.conditions import compares_numbers, dependencies, substituted
from validator.model.formulas import free
from validator.model.joins import Atoms, Test, joined, ordered
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
from validator.records import dataclass, field, replace

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


# --- strata --------------------------------------------------------------------------------------

_Joins = dict[str, list[Join]]


def _joins() -> _Joins:
    return defaultdict(list)


@dataclass(slots=True)
class Layer:
    """The rules of one stratum.

    ``needing`` and ``barring`` are those that need an atom of a predicate, or its absence, ``again`` those with a head
    of it. Where one of the predicates ``opaque`` changes, all is derived again: other tests read them.
    """

    predicates: frozenset[str]
    fresh: list[Join] = field(default_factory=list)
    needing: _Joins = field(default_factory=_joins)
    barring: _Joins = field(default_factory=_joins)
    again: _Joins = field(default_factory=_joins)
    whole: list[Join] = field(default_factory=list)
    opaque: set[str] = field(default_factory=set)
    reads_numbers: bool = False

    def change(self, atoms: Atoms, test: Test, new: set[GroundAtom], gone: set[GroundAtom]) -> None:
        """Follow atoms that are new and gone, and add to both what that changes in this stratum."""
        changed = {atom[0] for atom in (*new, *gone)}
        read = self.needing.keys() | self.barring.keys() | self.opaque
        if self.reads_numbers or changed & self.opaque or (self.whole and changed & read):
            before = {atom for name in self.predicates for atom in atoms.of(name)}
            atoms.remove(before)
            after = self.build(atoms, test)
        elif changed & read:
            before = self._lost(atoms, test, [a for a in new if a[0] in read], [a for a in gone if a[0] in read])
            atoms.remove(before)
            found = _heads(self.again, atoms, test, before)
            found += _heads(self.needing, atoms, test, new) + _heads(self.barring, atoms, test, gone)
            after = self._grow(atoms, test, found)
        else:
            return
        new |= after - before
        gone |= before - after

    def build(self, atoms: Atoms, test: Test) -> set[GroundAtom]:
        """Add all that the stratum derives, of which nothing is there, and return it."""
        return self._grow(atoms, test, [head for join in self.fresh for head in join.heads(atoms, test)])

    def _lost(self, atoms: Atoms, test: Test, new: Sequence[GroundAtom], gone: Sequence[GroundAtom]) -> set[GroundAtom]:
        """Return the atoms of the stratum that were derived by what has changed."""
        atoms.remove(new)
        atoms.add(gone)
        lost: set[GroundAtom] = set()
        found = {*_heads(self.needing, atoms, test, gone), *_heads(self.barring, atoms, test, new)}
        while found:
            lost |= found
            found = {*_heads(self.needing, atoms, test, found)} - lost
        atoms.remove(gone)
        atoms.add(new)
        return lost

    def _grow(self, atoms: Atoms, test: Test, found: list[GroundAtom]) -> set[GroundAtom]:
        """Add atoms and all that follows from them in the stratum; return what is new."""
        grown: set[GroundAtom] = set()
        while new := atoms.add(found):
            grown.update(new)
            found = _heads(self.needing, atoms, test, new)
            found += [head for join in self.whole for head in join.heads(atoms, test)]
        return grown


def _heads(joins: Mapping[str, list[Join]], atoms: Atoms, test: Test, firsts: Iterable[GroundAtom]) -> list[GroundAtom]:
    """Return what follows from atoms by the rules that begin with one of their predicate."""
    of: dict[str, list[GroundAtom]] = defaultdict(list)
    for atom in firsts:
        of[atom[0]].append(atom)
    return [head for name, some in of.items() for join in joins.get(name, ()) for head in join.heads(atoms, test, some)]


def layers_of(model: Model, levels: dict[str, int]) -> list[Layer]:
    """Return the strata of a model, given the level of each derived predicate, from the lowest on."""
    axioms: dict[int, list[Axiom]] = defaultdict(list)
    for axiom in model.domain.axioms:
        axioms[levels[axiom.predicate]].append(axiom)
    return [_layer(model, [rule for axiom in axioms[level] for rule in rules_of(axiom)]) for level in sorted(axioms)]


def _layer(model: Model, rules: list[Rule]) -> Layer:
    layer = Layer(frozenset(rule.head.predicate for rule in rules))
    for rule in rules:
        layer.reads_numbers = layer.reads_numbers or any(map(compares_numbers, rule.tests))
        layer.fresh.append(Join(model, rule))
        if rule.tested() & layer.predicates:
            # A test reads what this stratum derives: no new atom says where it holds now.
            layer.whole.append(layer.fresh[-1])
        layer.again[rule.head.predicate].append(_beginning(model, rule, rule.head))
        for place, atom in enumerate(rule.atoms):
            layer.needing[atom.predicate].append(Join(model, rule, place))
        for test in rule.tests:
            if isinstance(test, Not) and isinstance(test.part, Atom):
                others = tuple(each for each in rule.tests if each is not test)
                layer.barring[test.part.predicate].append(_beginning(model, replace(rule, tests=others), test.part))
            else:
                layer.opaque |= replace(rule, tests=(test,)).tested()
    return layer


def _beginning(model: Model, rule: Rule, first: Atom) -> Join:
    """Return a rule made ready with one more atom, which is taken from new ones."""
    return Join(model, replace(rule, atoms=(first, *rule.atoms)), 0)
