"""Weighted sums of values out of numeric expressions."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from typing import TypeAlias

from validator.model.values import Arithmetic, Expression, Fluent, GroundAtom, Number

__all__ = ["Weights", "linear"]

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
