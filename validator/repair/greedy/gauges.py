"""Comparisons of numbers as gauges: how much is missing of them in a state, and how much of it a step brings.

A gauge holds where an expression is above zero, or zero. Where the expression is a weighted sum and a step changes its
values by amounts that never change, the step brings the same everywhere, so that it is known how often it must be
taken: the subgoaling relaxation of simple numeric conditions (Scala, Haslum and Thiébaux 2016). Elsewhere what it
brings in the state at hand stands for that.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from math import inf
from sys import float_info
from typing import TypeAlias

from validator.execution.time.metric import fluents_of
from validator.model.conditions import Binding
from validator.model.linear import Weights, linear
from validator.model.values import Arithmetic, Compare, Expression, Fluent, GroundAtom, Number, NumericEffect
from validator.records import dataclass

__all__ = ["LATER", "Change", "Gauge", "Known", "Values", "as_float", "changes", "gain_in", "gain_of", "gauges_of"]

Values: TypeAlias = Mapping[GroundAtom, float]
"""Values as floats: nothing that is found with them is believed before it was executed."""

Known: TypeAlias = Mapping[GroundAtom, Fraction]

_HAIR = 1e-6
"""What is missing of a gauge that is just not more than zero."""

LATER = 8
"""How often a step is taken to be needed that brings nothing now, and may bring something once values have changed."""


def as_float(value: Fraction) -> float:
    """Return the nearest float: the largest for a number that is beyond all of them."""
    try:
        return float(value)
    except OverflowError:
        return float_info.max if value > 0 else -float_info.max


@dataclass(frozen=True, slots=True)
class Gauge:
    """Holds where ``expression`` is more than zero, or also where it is zero unless ``is_strict``.

    ``weights`` and ``constant`` are those of a weighted sum, None where it is none.
    """

    expression: Expression
    is_strict: bool
    weights: tuple[tuple[GroundAtom, float], ...] | None
    constant: float

    @classmethod
    def of(cls, expression: Expression, is_strict: bool) -> Gauge:
        weights = linear(expression)
        if weights is None:
            return cls(expression, is_strict, None, 0.0)
        constant = as_float(weights.pop((), Fraction(0)))
        return cls(expression, is_strict, tuple((key, as_float(one)) for key, one in weights.items() if one), constant)

    @property
    def reads(self) -> Iterable[GroundAtom]:
        if self.weights is not None:
            return [key for key, _ in self.weights]
        return {(fluent.function, *fluent.terms) for fluent in fluents_of(self.expression)}

    def missing(self, values: Values) -> float:
        """Return how much is missing, not above zero where the gauge holds."""
        value = self.value(values)
        return inf if value is None else self.missing_at(value)

    def missing_at(self, value: float) -> float:
        """Return how much is missing where the expression has a value."""
        return _HAIR - value if self.is_strict else -value

    def value(self, values: Values) -> float | None:
        if self.weights is None:
            return value_of(self.expression, values)
        total = self.constant
        for key, weight in self.weights:
            value = values.get(key)
            if value is None:
                return None
            total += weight * value
        return total


@dataclass(frozen=True, slots=True)
class Change:
    """A numeric effect of a ground step."""

    key: GroundAtom
    operator: str
    value: Expression


def gauges_of(comparison: Compare, binding: Binding, known: Known) -> list[Gauge]:
    """Return the gauges that hold together where a comparison does; ``known`` are the values that never change."""
    left, right = (bound_expression(side, binding, known) for side in (comparison.left, comparison.right))
    above, below = Arithmetic("-", (left, right)), Arithmetic("-", (right, left))
    match comparison.comparator:
        case ">" | ">=":
            return [Gauge.of(above, comparison.comparator == ">")]
        case "<" | "<=":
            return [Gauge.of(below, comparison.comparator == "<")]
        case _:
            return [Gauge.of(above, False), Gauge.of(below, False)]


def bound_expression(expression: Expression, binding: Binding, known: Known) -> Expression:
    """Return an expression about objects, with the values that never change in place of their names."""
    if isinstance(expression, Fluent):
        key = (expression.function, *(binding.get(term, term) for term in expression.terms))
        return Number(known[key]) if key in known else Fluent(key[0], key[1:])
    if isinstance(expression, Arithmetic):
        operands = tuple(bound_expression(operand, binding, known) for operand in expression.operands)
        return Arithmetic(expression.operator, operands)
    return expression


def changes(effects: Iterable[object], binding: Binding, known: Known) -> Iterator[Change]:
    """Yield the unconditional numeric effects of a ground step."""
    for effect in effects:
        if isinstance(effect, NumericEffect):
            key = (effect.fluent.function, *(binding.get(term, term) for term in effect.fluent.terms))
            yield Change(key, effect.operator, bound_expression(effect.value, binding, known))


def gain_of(gauge: Gauge, change: Change, linear: Callable[[Expression], Weights | None]) -> Weights | None:
    """Return what a change brings as a weighted sum of the values before it; None where it is none.

    ``linear`` is ``validator.model.linear``, or what remembers its answers.
    """
    if gauge.weights is None:
        return None
    weight = next((weight for key, weight in gauge.weights if key == change.key), 0.0)
    if not weight:
        return {}
    amount = linear(change.value)
    if amount is None:
        return None
    factor = Fraction(weight)
    match change.operator:
        case "increase":
            found = amount
        case "decrease":
            factor, found = -factor, amount
        case "assign":
            found = {**amount, change.key: amount.get(change.key, Fraction(0)) - 1}
        case _:
            scale = amount.get((), Fraction(0))
            if amount.keys() - {()} or not scale:
                return None
            found = {change.key: (scale if change.operator == "scale-up" else 1 / scale) - 1}
    return {key: factor * each for key, each in found.items()}


def gain_in(gauge: Gauge, done: Sequence[Change], values: Values) -> float:
    """Return what a step brings in a state."""
    before = gauge.value(values)
    after = dict(values)
    for change in done:
        amount = value_of(change.value, values)
        if amount is None:
            return 0.0
        old = values.get(change.key, 0.0)
        after[change.key] = _changed(change.operator, old, amount)
    now = gauge.value(after)
    if now is None:
        return 0.0
    return inf if before is None else now - before


def value_of(expression: Expression, values: Values) -> float | None:
    """Return the value of an expression about objects, None where it has none."""
    if isinstance(expression, Number):
        return as_float(expression.value)
    if isinstance(expression, Fluent):
        return values.get((expression.function, *expression.terms))
    found: list[float] = []
    for operand in expression.operands:
        value = value_of(operand, values)
        if value is None:
            return None
        found.append(value)
    result, rest = found[0], found[1:]
    if expression.operator == "-" and not rest:
        return -result
    for value in rest:
        match expression.operator:
            case "+":
                result += value
            case "-":
                result -= value
            case "*":
                result *= value
            case _:
                if not value:
                    return None
                result /= value
    return result


def _changed(operator: str, old: float, amount: float) -> float:
    match operator:
        case "increase":
            return old + amount
        case "decrease":
            return old - amount
        case "scale-up":
            return old * amount
        case "scale-down":
            return old / amount if amount else old
        case _:
            return amount
