"""Values that change as polynomials of time: where a condition may change its truth (Fox and Long 2006).

Between two happenings a value is a polynomial, a line in most models. A comparison of polynomials changes its truth at
most where their difference is zero, so a condition is constant between the roots of its comparisons, and testing it at
the roots and between them is exact.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from fractions import Fraction
from itertools import pairwise

from validator.execution.time.polynomials import ONE, Point, Polynomial, Root, plus, real_roots, times
from validator.model.conditions import Binding, instances
from validator.model.numeric import Missing, Situation, evaluate, fluent_key
from validator.model.pddl.write import expression_text
from validator.model.values import Compare, Expression, Fluent, Formula, GroundAtom, Number

Curves = Mapping[GroundAtom, Polynomial]
"""how the values that change do so, in the time from now"""


class NonPolynomialError(Exception):
    """An expression that is no polynomial of time; the message is its PDDL text."""


def polynomial(expression: Expression, binding: Binding, situation: Situation, curves: Curves) -> Polynomial | Missing:
    """Return an expression as a polynomial of the time from now. Raises NonPolynomialError."""
    if isinstance(expression, Number):
        return _constant(expression.value)
    if isinstance(expression, Fluent):
        known = curves.get(fluent_key(expression, binding))
        value = evaluate(expression, binding, situation) if known is None else Fraction(0)
        return value if isinstance(value, Missing) else _constant(value) if known is None else known
    operands: list[Polynomial] = []
    for operand in expression.operands:
        found = polynomial(operand, binding, situation, curves)
        if isinstance(found, Missing):
            return found
        operands.append(found)
    first, rest = operands[0], operands[1:]
    if expression.operator in "+-":
        sign = Fraction(1 if expression.operator == "+" else -1)
        if not rest:
            return plus((), first, sign)
        for other in rest:
            first = plus(first, other, sign)
        return first
    for other in rest:
        if expression.operator == "*":
            first = times(first, other)
        elif len(other) > 1:
            raise NonPolynomialError(expression_text(expression, binding))
        elif not other:
            return _gap(expression, binding, situation)
        else:
            first = plus((), first, 1 / other[0])
    return first


def _constant(value: Fraction) -> Polynomial:
    return plus((), ONE, value)


def _gap(expression: Expression, binding: Binding, situation: Situation) -> Missing:
    found = evaluate(expression, binding, situation)
    assert isinstance(found, Missing)
    return found


def roots(
    conditions: Iterable[tuple[Formula, Binding]], situation: Situation, curves: Curves, span: Fraction
) -> list[Point]:
    """Return the times in (0, span], from now and in order, at which a condition may change its truth.

    Raises NonPolynomialError.
    """
    found: set[Polynomial] = set()
    for formula, outer in conditions:
        for part, binding in instances(situation.model, formula, outer):
            if not isinstance(part, Compare):
                continue
            left = polynomial(part.left, binding, situation, curves)
            right = polynomial(part.right, binding, situation, curves)
            if not isinstance(left, Missing) and not isinstance(right, Missing):
                found.add(plus(left, right, Fraction(-1)))
    return real_roots(found, span)


def pieces(cuts: Iterable[Point], end: Point, begin: Point = Fraction(0)) -> Iterator[tuple[Point, Point, Fraction]]:
    """Yield the open pieces between ``begin`` and ``end``, of which the cuts are inside: from, to, a time between."""
    for low, high in pairwise((begin, *cuts, end)):
        after = low.high if isinstance(low, Root) else low
        before = high.low if isinstance(high, Root) else high
        yield low, high, (after + before) / 2
