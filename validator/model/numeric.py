"""Numeric expressions and conditions in a state, exactly: values are fractions, nothing is rounded.

A value may be missing: a fluent that was never assigned, a division by zero. A comparison that reads a missing
value is neither true nor false, and conditions over it follow Kleene's three values; only a true condition is
satisfied (Fox and Long 2003, section 5: a comparison with an undefined value is not satisfied). Some expressions are
weighted sums of values.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable, Iterator, Mapping, Set
from enum import StrEnum
from fractions import Fraction
from typing import TypeAlias

from validator.model.conditions import Binding, bindings, both, either, ground, instances, opposite, unmet_parts
from validator.model.pddl.write import atom_text, expression_text
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
    GroundAtom,
    Imply,
    Model,
    Not,
    Number,
    Or,
)
from validator.records import dataclass
from validator.texts import decimal

COMPARE: Mapping[str, Callable[[Fraction, Fraction], bool]] = {
    "<": operator.lt,
    "<=": operator.le,
    "=": operator.eq,
    ">=": operator.ge,
    ">": operator.gt,
}


class Gap(StrEnum):
    """Why an expression has no value."""

    UNDEFINED = "undefined"
    DIVISION = "division by zero"


@dataclass(frozen=True, slots=True)
class Missing:
    """No value; ``what`` says of which fluent or division, as text for people."""

    gap: Gap
    what: str

    def __str__(self) -> str:
        return f"{self.what} has no value" if self.gap is Gap.UNDEFINED else f"{self.what} divides by zero"


@dataclass(frozen=True, slots=True, kw_only=True)
class Situation:
    """What conditions are evaluated in: the atoms that hold (derived ones as well) and the values of fluents.

    ``duration`` is the value of ``?duration`` where a durative action is evaluated.
    """

    model: Model
    atoms: Set[GroundAtom]
    values: Mapping[GroundAtom, Fraction]
    duration: Fraction | None = None


def fluent_key(fluent: Fluent, binding: Binding) -> GroundAtom:
    """Return a fluent with its variables replaced by objects."""
    return (fluent.function, *(binding.get(term, term) for term in fluent.terms))


def evaluate(expression: Expression, binding: Binding, situation: Situation) -> Fraction | Missing:
    """Return the exact value of an expression, or what is missing."""
    if isinstance(expression, Number):
        return expression.value
    if isinstance(expression, Fluent):
        if expression.function == "?duration" and situation.duration is not None:
            return situation.duration
        key = fluent_key(expression, binding)
        value = situation.values.get(key)
        return Missing(Gap.UNDEFINED, atom_text(key)) if value is None else value
    return _arithmetic(expression, binding, situation)


def _arithmetic(expression: Arithmetic, binding: Binding, situation: Situation) -> Fraction | Missing:
    found: list[Fraction] = []
    for operand in expression.operands:
        value = evaluate(operand, binding, situation)
        if isinstance(value, Missing):
            return value
        found.append(value)
    result, rest = found[0], found[1:]
    if expression.operator == "-" and not rest:
        return -result
    if expression.operator == "/" and not all(rest):
        return Missing(Gap.DIVISION, expression_text(expression, binding))
    combine = {"+": operator.add, "-": operator.sub, "*": operator.mul, "/": operator.truediv}[expression.operator]
    for value in rest:
        result = combine(result, value)
    return result


# --- conditions --------------------------------------------------------------------------------


def truth(formula: Formula, binding: Binding, situation: Situation) -> bool | None:
    """Return whether a condition holds; None where that depends on a value that is missing."""
    match formula:
        case Atom():
            return ground(formula, binding) in situation.atoms
        case Compare(comparator, first, second):
            left, right = evaluate(first, binding, situation), evaluate(second, binding, situation)
            if isinstance(left, Missing) or isinstance(right, Missing):
                return None
            return COMPARE[comparator](left, right)
        case Equal(one, other):
            return binding.get(one, one) == binding.get(other, other)
        case Not(part):
            return opposite(truth(part, binding, situation))
        case And(parts):
            return both(truth(part, binding, situation) for part in parts)
        case Or(parts):
            return either(truth(part, binding, situation) for part in parts)
        case Imply(premise, conclusion):
            return either(truth(part, binding, situation) for part in (Not(premise), conclusion))
        case Forall(parameters, part):
            return both(truth(part, inner, situation) for inner in bindings(situation.model, parameters, binding))
        case Exists(parameters, part):
            return either(truth(part, inner, situation) for inner in bindings(situation.model, parameters, binding))


def unsatisfied(formula: Formula, binding: Binding, situation: Situation) -> Iterator[tuple[Formula, Binding]]:
    """Yield the smallest parts of an unsatisfied condition, as ``unmet_parts`` does."""
    return unmet_parts(situation.model, formula, binding, lambda part, inner: truth(part, inner, situation) is True)


def values_text(comparison: Compare, binding: Binding, situation: Situation) -> str:
    """Return a comparison with the values of its sides, ``3 >= 4``, or what is missing."""
    sides = [evaluate(side, binding, situation) for side in (comparison.left, comparison.right)]
    missing = [side for side in sides if isinstance(side, Missing)]
    if missing:
        return str(missing[0])
    left, right = (decimal(side) for side in sides if not isinstance(side, Missing))
    return f"{left} {comparison.comparator} {right}"


def first_gap(formula: Formula, binding: Binding, situation: Situation) -> Missing | None:
    """Return the first missing value that a condition reads, in order of the text."""
    for part, inner in instances(situation.model, formula, binding):
        for side in (part.left, part.right) if isinstance(part, Compare) else ():
            value = evaluate(side, inner, situation)
            if isinstance(value, Missing):
                return value
    return None


# --- weighted sums --------------------------------------------------------------------------------

Weights: TypeAlias = dict[GroundAtom, Fraction]
"""What each fluent is multiplied by; ``()`` has the constant."""


def linear(expression: Expression) -> Weights | None:
    """Return the weights of the fluents in an expression; None for one that is no weighted sum."""
    if isinstance(expression, Number):
        return {(): expression.value}
    if isinstance(expression, Fluent):
        return {(expression.function, *expression.terms): Fraction(1)}
    parts = [linear(operand) for operand in expression.operands]
    found = [part for part in parts if part is not None]
    return _combined(expression, found) if len(found) == len(parts) else None


def _combined(expression: Arithmetic, parts: list[Weights]) -> Weights | None:
    first, rest = parts[0], parts[1:]
    if expression.operator == "+":
        return _sum(parts)
    if expression.operator == "-":
        return _sum([first, *(_times(part, Fraction(-1)) for part in rest)]) if rest else _times(first, Fraction(-1))
    result = first
    for part in rest:
        result, part = (part, result) if _is_plain(result) and expression.operator == "*" else (result, part)
        factor = part.get((), Fraction(0))
        if not _is_plain(part) or (expression.operator == "/" and not factor):
            return None
        result = _times(result, factor if expression.operator == "*" else 1 / factor)
    return result


def _is_plain(weights: Weights) -> bool:
    return weights.keys() <= {()}


def _times(weights: Weights, factor: Fraction) -> Weights:
    return {key: factor * weight for key, weight in weights.items()}


def _sum(parts: Iterable[Weights]) -> Weights:
    total: Weights = {}
    for part in parts:
        for key, weight in part.items():
            total[key] = total.get(key, Fraction(0)) + weight
    return total
