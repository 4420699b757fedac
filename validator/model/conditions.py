"""Conditions: whether they hold in a state, which part of a false one is to blame, what they mention."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Set
from itertools import combinations, product
from math import prod
from typing import TypeAlias, TypeVar

from validator.model.formulas import mapped, parts_of
from validator.model.joins import Atoms, joined, ordered
from validator.model.values import (
    And,
    Arithmetic,
    Atom,
    Compare,
    Conditional,
    Effect,
    Equal,
    Exists,
    Expression,
    Fluent,
    Forall,
    Formula,
    GroundAtom,
    Imply,
    Literal,
    Model,
    Not,
    Or,
    Parameter,
    walk,
)

State: TypeAlias = Set[GroundAtom]
Binding: TypeAlias = dict[str, str]
_Value = TypeVar("_Value")


# --- what may not be known: Kleene's three values ---------------------------------------------------------


def both(truths: Iterable[bool | None]) -> bool | None:
    """Return whether all are true; None where what is not known decides."""
    found: bool | None = True
    for truth in truths:
        if truth is False:
            return False
        found = None if truth is None else found
    return found


def either(truths: Iterable[bool | None]) -> bool | None:
    """Return whether one is true; None where what is not known decides."""
    found: bool | None = False
    for truth in truths:
        if truth:
            return True
        found = None if truth is None else found
    return found


def opposite(truth: bool | None) -> bool | None:
    return None if truth is None else not truth


# --- formulas -----------------------------------------------------------------------------------------


def conjuncts(formula: Formula) -> Iterator[Formula]:
    """Yield the parts that conjunctions join, however nested; any other condition is its own only part."""
    if isinstance(formula, And):
        for part in formula.parts:
            yield from conjuncts(part)
    else:
        yield formula


def ground(atom: Atom, binding: Mapping[str, str]) -> GroundAtom:
    """Return an atom with its variables replaced by objects."""
    return (atom.predicate, *(binding.get(term, term) for term in atom.terms))


def bound(parameters: Iterable[Parameter], args: Iterable[str]) -> Binding:
    """Return what the parameters of an action stand for in a step. Raises ValueError for a wrong number."""
    return {parameter.name: value for parameter, value in zip(parameters, args, strict=True)}


def bindings(model: Model, parameters: tuple[Parameter, ...], outer: Binding) -> Iterator[Binding]:
    """Yield ``outer`` extended by every object tuple for ``parameters``, in order of declaration."""
    domains = [model.objects_of(parameter.types) for parameter in parameters]
    names = [parameter.name for parameter in parameters]
    for objects in product(*domains):
        yield {**outer, **dict(zip(names, objects, strict=True))}


def bindings_of_true(
    model: Model, parameters: tuple[Parameter, ...], needed: Iterable[Formula], outer: Binding, state: State
) -> Iterator[Binding]:
    """Yield those of ``bindings``, at least, with which all that is ``needed`` holds in a state.

    Where there are more tuples of objects than atoms, parameters are read off the atoms that the needed ones may be.
    """
    domains = {parameter.name: model.objects_of(parameter.types) for parameter in parameters}
    if prod(map(len, domains.values())) > len(state):
        atoms = [part for part in needed if isinstance(part, Atom) and not domains.keys().isdisjoint(part.terms)]
        if atoms:
            names = {atom.predicate for atom in atoms}
            allowed = {name: frozenset(objects) for name, objects in domains.items()}
            start = {name: value for name, value in outer.items() if name not in domains}
            parts = ordered(atoms, allowed, wanted=domains)
            facts = Atoms(atom for atom in state if atom[0] in names)
            yield from joined(parts, start, facts, lambda condition, binding: True)
            return
    yield from bindings(model, parameters, outer)


def _needed_to_fail(formula: Formula) -> Iterator[Formula]:
    """Yield conditions that all hold where another one does not."""
    match formula:
        case Imply(premise, conclusion):
            yield from conjuncts(premise)
            yield from _needed_to_fail(conclusion)
        case Or(parts):
            for part in parts:
                yield from _needed_to_fail(part)
        case Not(part):
            yield from conjuncts(part)
        case _:
            pass


def holds(model: Model, formula: Formula, binding: Binding, state: State) -> bool:
    """Return whether a condition holds; what is not in the state is false."""
    match formula:
        case Atom():
            return ground(formula, binding) in state
        case Not(part):
            return not holds(model, part, binding, state)
        case And(parts):
            return all(holds(model, part, binding, state) for part in parts)
        case Or(parts):
            return any(holds(model, part, binding, state) for part in parts)
        case Imply(premise, conclusion):
            return not holds(model, premise, binding, state) or holds(model, conclusion, binding, state)
        case Equal(left, right):
            return binding.get(left, left) == binding.get(right, right)
        case Forall(parameters, part):
            inners = bindings_of_true(model, parameters, _needed_to_fail(part), binding, state)
            return all(holds(model, part, inner, state) for inner in inners)
        case Exists(parameters, part):
            inners = bindings_of_true(model, parameters, conjuncts(part), binding, state)
            return any(holds(model, part, inner, state) for inner in inners)
        case _:
            raise NotImplementedError(f"{type(formula).__name__} is read, not executed")


def false_parts(model: Model, formula: Formula, binding: Binding, state: State) -> Iterator[tuple[Formula, Binding]]:
    """Yield the smallest parts of a condition that is false in a state, as ``unmet_parts`` does."""
    return unmet_parts(model, formula, binding, lambda part, inner: holds(model, part, inner, state))


def unmet_parts(
    model: Model, formula: Formula, binding: Binding, is_met: Callable[[Formula, Binding], bool], wanted: bool = True
) -> Iterator[tuple[Formula, Binding]]:
    """Yield the smallest parts of an unmet condition that must each become true.

    Conjunctions come apart, and so does all that is one: a ``forall`` into its false instances, a negated
    ``or``, ``imply`` or ``exists`` into the negations. Disjunctions stay whole. Nothing for a condition that is met.
    """
    whole = formula if wanted else Not(formula)
    if is_met(whole, binding):
        return
    match formula:
        case Not(part):
            yield from unmet_parts(model, part, binding, is_met, not wanted)
        case And(parts) | Or(parts) if isinstance(formula, And) is wanted:
            for part in parts:
                yield from unmet_parts(model, part, binding, is_met, wanted)
        case Imply(premise, conclusion) if not wanted:
            yield from unmet_parts(model, premise, binding, is_met)
            yield from unmet_parts(model, conclusion, binding, is_met, False)
        case Forall(parameters, part) | Exists(parameters, part) if isinstance(formula, Forall) is wanted:
            for inner in bindings(model, parameters, binding):
                yield from unmet_parts(model, part, inner, is_met, wanted)
        case _:
            yield whole, binding


def folded(
    model: Model,
    formula: Formula,
    binding: Binding,
    leaf: Callable[[Formula, Binding, bool], _Value],
    all_of: Callable[[Iterator[_Value]], _Value],
    any_of: Callable[[Iterator[_Value]], _Value],
    *,
    wanted: bool = True,
) -> _Value:
    """Return what a condition, or with ``wanted`` false its negation, comes to.

    Negations stand at atoms, equalities and comparisons, which ``leaf`` is asked for with what is wanted of them;
    quantifiers are taken apart into their instances.
    """

    def inner(part: Formula, bound: Binding, is_wanted: bool) -> _Value:
        return folded(model, part, bound, leaf, all_of, any_of, wanted=is_wanted)

    match formula:
        case Not(part):
            return inner(part, binding, not wanted)
        case And(parts) | Or(parts):
            found = (inner(part, binding, wanted) for part in parts)
            return (all_of if isinstance(formula, And) is wanted else any_of)(found)
        case Imply(premise, conclusion):
            both = ((premise, not wanted), (conclusion, wanted))
            return (any_of if wanted else all_of)(inner(part, binding, asked) for part, asked in both)
        case Forall(parameters, part) | Exists(parameters, part):
            found = (inner(part, bound, wanted) for bound in bindings(model, parameters, binding))
            return (all_of if isinstance(formula, Forall) is wanted else any_of)(found)
        case _:
            return leaf(formula, binding, wanted)


def predicates(formula: Formula) -> Iterator[str]:
    """Yield the predicates and functions that a condition mentions."""
    for part in walk(formula):
        if isinstance(part, Atom):
            yield part.predicate
        elif isinstance(part, Fluent):
            yield part.function


def dependencies(condition: Formula | Expression, positive: bool = True) -> Iterator[tuple[str, bool]]:
    """Yield each predicate of a condition with whether it is needed true."""
    match condition:
        case Atom(predicate, _):
            yield predicate, positive
        case Not(part):
            yield from dependencies(part, not positive)
        case Imply(premise, conclusion):
            yield from dependencies(premise, not positive)
            yield from dependencies(conclusion, positive)
        case _:
            for each in parts_of(condition):
                yield from dependencies(each, positive)


def substituted(formula: Formula, names: Mapping[str, str]) -> Formula:
    """Replace free variables; the new names occur nowhere in the formula, so that none is captured."""
    match formula:
        case Atom(predicate, terms):
            return Atom(predicate, tuple(names.get(term, term) for term in terms))
        case Equal(left, right):
            return Equal(names.get(left, left), names.get(right, right))
        case Compare(comparator, left, right):
            return Compare(comparator, _substituted(left, names), _substituted(right, names))
        case Forall(parameters, _) | Exists(parameters, _):
            names = {name: new for name, new in names.items() if name not in {p.name for p in parameters}}
    return mapped(formula, lambda part: substituted(part, names))


def _substituted(expression: Expression, names: Mapping[str, str]) -> Expression:
    match expression:
        case Fluent(function, terms):
            return Fluent(function, tuple(names.get(term, term) for term in terms))
        case Arithmetic(operator, operands):
            return Arithmetic(operator, tuple(_substituted(operand, names) for operand in operands))
        case _:
            return expression


def compares_numbers(condition: Formula) -> bool:
    """Return whether a numeric comparison stands somewhere in a condition."""
    return any(isinstance(part, Compare) for part in walk(condition))


def instances(
    model: Model, part: Formula | Expression, binding: Binding
) -> Iterator[tuple[Formula | Expression, Binding]]:
    """Yield all that is inside a condition or an expression, with every instance of its quantifiers."""
    yield part, binding
    if isinstance(part, Forall | Exists):
        for more in bindings(model, part.parameters, binding):
            yield from instances(model, part.part, more)
        return
    for each in parts_of(part):
        yield from instances(model, each, binding)


# --- object fluents ---------------------------------------------------------------------------------------


def may_assign_twice(effects: Iterable[Effect]) -> bool:
    """Return whether effects may give one object fluent two values: predicates cannot say which one it gets."""
    changed = list(_assigned(effects, ()))
    if any(not set(bound) <= set(atom.terms[:-1]) for atom, bound in changed):
        return True
    return any(
        one.predicate == other.predicate
        and one.terms[-1] != other.terms[-1]
        and all(a == b or "?" in (a[0], b[0]) for a, b in zip(one.terms[:-1], other.terms[:-1], strict=True))
        for (one, _), (other, _) in combinations(changed, 2)
    )


def _assigned(found: Iterable[Effect], outer: tuple[str, ...]) -> Iterator[tuple[Atom, tuple[str, ...]]]:
    """Yield the atoms that give an object fluent its value, each with the variables quantified around it."""
    for effect in found:
        if isinstance(effect, Conditional):
            # A variable that stands for an object fluent has one value at most.
            bound = (parameter.name for parameter in effect.parameters if "@" not in parameter.name)
            yield from _assigned(effect.effects, (*outer, *bound))
        elif isinstance(effect, Literal) and effect.positive and effect.atom.predicate.startswith("="):
            yield effect.atom, outer
