"""Terms, numeric expressions, conditions and effects, as values.

The terms are PDDL's (Fox and Long 2003; Edelkamp and Hoffmann 2004). A term is a text: ``?x`` is a
variable, anything else the name of an object. A ground atom is a tuple ``(predicate, object, ...)``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from fractions import Fraction
from typing import TypeAlias

from validator.records import dataclass

GroundAtom: TypeAlias = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Parameter:
    """A variable (``?x``) and the types of which its object must have at least one."""

    name: str
    types: frozenset[str] = frozenset(("object",))


# --- numeric expressions -----------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Number:
    value: Fraction


@dataclass(frozen=True, slots=True)
class Fluent:
    """A function applied to terms, such as ``(distance ?a ?b)``."""

    function: str
    terms: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Arithmetic:
    """``operator`` is one of ``+ - * /``; one operand means negation for ``-``."""

    operator: str
    operands: tuple[Expression, ...]


Expression: TypeAlias = Number | Fluent | Arithmetic

TOTAL_COST = Fluent("total-cost", ())
"""what steps add their costs to, in a model whose metric is the sum of action costs"""


# --- formulas ----------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Atom:
    predicate: str
    terms: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Equal:
    left: str
    right: str


@dataclass(frozen=True, slots=True)
class Compare:
    """``comparator`` is one of ``< <= = >= >``."""

    comparator: str
    left: Expression
    right: Expression


@dataclass(frozen=True, slots=True)
class Not:
    part: Formula


@dataclass(frozen=True, slots=True)
class And:
    parts: tuple[Formula, ...]


@dataclass(frozen=True, slots=True)
class Or:
    parts: tuple[Formula, ...]


@dataclass(frozen=True, slots=True)
class Imply:
    premise: Formula
    conclusion: Formula


@dataclass(frozen=True, slots=True)
class Forall:
    parameters: tuple[Parameter, ...]
    part: Formula


@dataclass(frozen=True, slots=True)
class Exists:
    parameters: tuple[Parameter, ...]
    part: Formula


Formula: TypeAlias = Atom | Equal | Compare | Not | And | Or | Imply | Forall | Exists
TRUE = And(())


def conjunction(parts: Iterable[Formula]) -> Formula:
    """Return what holds where all parts do; conjunctions among them come apart."""
    found = tuple(inner for part in parts for inner in (part.parts if isinstance(part, And) else (part,)))
    return found[0] if len(found) == 1 else And(found)


def disjunction(parts: Iterable[Formula]) -> Formula:
    """Return what holds where one of the parts does; disjunctions among them come apart."""
    found = tuple(inner for part in parts for inner in (part.parts if isinstance(part, Or) else (part,)))
    return found[0] if len(found) == 1 else Or(found)


# --- effects -----------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Literal:
    """An atom that an effect makes true (``positive``) or false."""

    atom: Atom
    positive: bool = True


@dataclass(frozen=True, slots=True)
class NumericEffect:
    """``operator`` is one of assign, increase, decrease, scale-up, scale-down."""

    operator: str
    fluent: Fluent
    value: Expression


@dataclass(frozen=True, slots=True)
class Conditional:
    """For every object tuple of ``parameters`` for which ``condition`` holds before the step: ``effects``."""

    parameters: tuple[Parameter, ...]
    condition: Formula
    effects: tuple[Effect, ...]


Effect: TypeAlias = Literal | NumericEffect | Conditional


@dataclass(frozen=True, slots=True)
class Option:
    """Effects of which all take place, and what else is open in them."""

    effects: tuple[Effect, ...]
    choices: tuple[OneOf, ...] = ()


@dataclass(frozen=True, slots=True)
class OneOf:
    """Of ``options`` one takes place, nobody knows which: for every object tuple of ``parameters`` by itself.

    Where ``condition`` does not hold before the step, nothing does. What has probability 0 is no option.
    """

    parameters: tuple[Parameter, ...]
    condition: Formula
    options: tuple[Option, ...]


def simple_effects(effects: Iterable[Effect]) -> Iterator[Literal | NumericEffect]:
    """Yield what effects do, under whatever condition."""
    for effect in effects:
        if isinstance(effect, Conditional):
            yield from simple_effects(effect.effects)
        else:
            yield effect


def literals_of(effects: Iterable[Effect]) -> Iterator[Literal]:
    """Yield what effects can make true or false, under whatever condition."""
    return (effect for effect in simple_effects(effects) if isinstance(effect, Literal))


def numeric_effects(effects: Iterable[Effect]) -> Iterator[NumericEffect]:
    """Yield the effects on numbers, under whatever condition."""
    return (effect for effect in simple_effects(effects) if isinstance(effect, NumericEffect))


def conditions_of(effects: Iterable[Effect]) -> Iterator[Formula]:
    """Yield the conditions of effects, nested ones as well."""
    for effect in effects:
        if isinstance(effect, Conditional):
            yield effect.condition
            yield from conditions_of(effect.effects)


def changed_predicates(*effects: Iterable[Effect]) -> set[str]:
    """Return the predicates whose atoms the effects of some actions can make true or false."""
    return {literal.atom.predicate for each in effects for literal in literals_of(each)}


# --- walks -------------------------------------------------------------------------------------


def parts_of(part: Formula | Expression) -> tuple[Formula | Expression, ...]:
    """Return what a condition or an expression is made of, in order of the text."""
    match part:
        case Not(inner) | Forall(_, inner) | Exists(_, inner):
            return (inner,)
        case And(parts) | Or(parts) | Arithmetic(_, parts):
            return parts
        case Imply(first, second) | Compare(_, first, second):
            return first, second
        case _:
            return ()


def mapped(formula: Formula, change: Callable[[Formula], Formula]) -> Formula:
    """Return a condition whose parts are changed; one without conditions inside stays as it is."""
    match formula:
        case Not(part):
            return Not(change(part))
        case And(parts) | Or(parts):
            return type(formula)(tuple(map(change, parts)))
        case Imply(premise, conclusion):
            return Imply(change(premise), change(conclusion))
        case Forall(parameters, part) | Exists(parameters, part):
            return type(formula)(parameters, change(part))
        case _:
            return formula


def walk(part: Formula | Expression) -> Iterator[Formula | Expression]:
    """Yield a condition or an expression, and all that is inside it."""
    yield part
    for inner in parts_of(part):
        yield from walk(inner)


def free(part: Formula | Expression) -> frozenset[str]:
    """Return the free variables of a condition or an expression."""
    match part:
        case Atom(_, terms) | Fluent(_, terms):
            return frozenset(term for term in terms if term[0] == "?")
        case Equal(left, right):
            return frozenset(term for term in (left, right) if term[0] == "?")
        case Forall(parameters, inner) | Exists(parameters, inner):
            return free(inner) - {parameter.name for parameter in parameters}
        case _:
            return frozenset().union(*map(free, parts_of(part)))


def fluents_of(part: Formula | Expression) -> Iterator[Fluent]:
    """Yield the fluents that a condition or an expression reads."""
    return (each for each in walk(part) if isinstance(each, Fluent))


def functions_of(part: Formula | Expression) -> set[str]:
    """Return the functions that a condition or an expression reads."""
    return {fluent.function for fluent in fluents_of(part)}
