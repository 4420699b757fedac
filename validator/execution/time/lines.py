"""Values that change linearly with time: where a condition may change its truth (Fox and Long 2006).

Between two happenings a value is a line ``constant + slope * t``. A comparison of lines changes its truth at most at
the one root of their difference, so a condition is constant between the roots of its comparisons, and testing it at
the roots and between them is exact.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise

from validator.model.conditions import Binding, bindings
from validator.model.numeric import Missing, Situation, evaluate, fluent_key
from validator.model.pddl.write import expression_text
from validator.model.values import (
    And,
    Compare,
    Exists,
    Expression,
    Fluent,
    Forall,
    Formula,
    GroundAtom,
    Imply,
    Not,
    Number,
    Or,
)

__all__ = ["NonLinearError", "Rates", "pieces", "roots"]

Rates = Mapping[GroundAtom, Fraction]

_ZERO = Fraction(0)


class NonLinearError(Exception):
    """An expression that is no line; the message is its PDDL text."""


@dataclass(frozen=True, slots=True)
class _Line:
    constant: Fraction
    slope: Fraction = _ZERO

    def plus(self, other: _Line, sign: int) -> _Line:
        return _Line(self.constant + sign * other.constant, self.slope + sign * other.slope)

    def times(self, factor: Fraction) -> _Line:
        return _Line(self.constant * factor, self.slope * factor)


def _line(expression: Expression, binding: Binding, situation: Situation, rates: Rates) -> _Line | Missing:
    """Return an expression as a line in time from now. Raises NonLinearError."""
    if isinstance(expression, Number):
        return _Line(expression.value)
    if isinstance(expression, Fluent):
        value = evaluate(expression, binding, situation)
        return value if isinstance(value, Missing) else _Line(value, rates.get(fluent_key(expression, binding), _ZERO))
    operands: list[_Line] = []
    for operand in expression.operands:
        line = _line(operand, binding, situation, rates)
        if isinstance(line, Missing):
            return line
        operands.append(line)
    first, rest = operands[0], operands[1:]
    if expression.operator in "+-":
        if not rest and expression.operator == "-":
            return first.times(Fraction(-1))
        for line in rest:
            first = first.plus(line, 1 if expression.operator == "+" else -1)
        return first
    for line in rest:
        if expression.operator == "*" and first.slope and line.slope:
            raise NonLinearError(expression_text(expression, binding))
        if expression.operator == "*":
            first = line.times(first.constant) if not first.slope else first.times(line.constant)
        elif line.slope:
            raise NonLinearError(expression_text(expression, binding))
        elif line.constant == 0:
            return evaluate_gap(expression, binding, situation)
        else:
            first = first.times(1 / line.constant)
    return first


def evaluate_gap(expression: Expression, binding: Binding, situation: Situation) -> Missing:
    found = evaluate(expression, binding, situation)
    assert isinstance(found, Missing)
    return found


def _comparisons(formula: Formula, binding: Binding, situation: Situation) -> Iterator[tuple[Compare, Binding]]:
    match formula:
        case Compare():
            yield formula, binding
        case Not(part):
            yield from _comparisons(part, binding, situation)
        case And(parts) | Or(parts):
            for part in parts:
                yield from _comparisons(part, binding, situation)
        case Imply(premise, conclusion):
            yield from _comparisons(premise, binding, situation)
            yield from _comparisons(conclusion, binding, situation)
        case Forall(parameters, part) | Exists(parameters, part):
            for inner in bindings(situation.model, parameters, binding):
                yield from _comparisons(part, inner, situation)
        case _:
            pass


def roots(
    conditions: Iterable[tuple[Formula, Binding]], situation: Situation, rates: Rates, span: Fraction
) -> list[Fraction]:
    """Return the times in (0, span], from now and in order, at which a condition may change its truth.

    Raises NonLinearError.
    """
    found: set[Fraction] = set()
    for formula, outer in conditions:
        for comparison, binding in _comparisons(formula, outer, situation):
            left = _line(comparison.left, binding, situation, rates)
            right = _line(comparison.right, binding, situation, rates)
            if isinstance(left, Missing) or isinstance(right, Missing):
                continue
            line = left.plus(right, -1)
            if line.slope:
                root = -line.constant / line.slope
                if 0 < root <= span:
                    found.add(root)
    return sorted(found)


def pieces(cuts: Iterable[Fraction], span: Fraction) -> Iterator[tuple[Fraction, Fraction, Fraction]]:
    """Yield the open pieces of (0, span) between cuts: from, to, and the middle."""
    inner = [cut for cut in cuts if 0 < cut < span]
    for low, high in pairwise((_ZERO, *inner, span)):
        yield low, high, (low + high) / 2
