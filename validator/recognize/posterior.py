"""From cost differences to probabilities, with bounds where costs are only bounded."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import exp, inf, lgamma, log, log1p

from validator.records import dataclass

__all__ = ["Bounds", "Formula", "Share", "Weight", "difference", "log_chance", "rg2010", "shares"]


@dataclass(frozen=True, slots=True)
class Bounds:
    """A cost difference between two bounds; ``point`` is what stands for it, and all are ``inf`` without a plan."""

    least: float
    most: float
    point: float

    @classmethod
    def exactly(cls, value: float) -> Bounds:
        return cls(value, value, value)


@dataclass(frozen=True, slots=True)
class Weight:
    """The logarithm of what a probability is in proportion to, between two bounds; ``-inf`` for no weight."""

    least: float
    most: float
    point: float


@dataclass(frozen=True, slots=True)
class Share:
    """A probability with its bounds; ``point`` is None where only they are known."""

    point: float | None
    least: float
    most: float


Formula = Callable[[float, Bounds, float], Weight]
"""(prior, cost difference, beta) -> weight"""


def difference(prior: float, delta: Bounds, beta: float) -> Weight:
    """Return the weight ``prior * exp(-beta * delta)``."""
    return _weight(prior, delta, lambda value: -beta * value)


def rg2010(prior: float, delta: Bounds, beta: float) -> Weight:
    """Return the weight ``prior / (1 + exp(beta * delta))``.

    ``delta`` is the cost with the observations explained less the cost without (Ramirez and Geffner 2010): ``inf``
    when they cannot be explained, ``-inf`` when every plan explains them.
    """

    def likelihood(value: float) -> float:
        product = beta * value
        return -log1p(exp(product)) if product <= 0 else -product - log1p(exp(-product))

    return _weight(prior, delta, likelihood)


def _weight(prior: float, delta: Bounds, likelihood: Callable[[float], float]) -> Weight:
    if not prior:
        return Weight(-inf, -inf, -inf)
    least, most, point = (
        -inf if value == inf else likelihood(value) for value in (delta.most, delta.least, delta.point)
    )
    return Weight(log(prior) + least, log(prior) + most, log(prior) + point)


def log_chance(length: float, seen: float) -> float:
    """Return the logarithm of the probability that just these steps of a plan are seen, whatever share of it is.

    Each step is seen with the same probability, of which nothing is known: its integral is a beta function. Of two
    plans that explain the observations the shorter one is the likelier, the more was seen (the size principle,
    Tenenbaum and Griffiths 2001).
    """
    length = max(length, seen)
    return lgamma(seen + 1) + lgamma(length - seen + 1) - lgamma(length + 2)


def shares(weights: Sequence[Weight]) -> tuple[Share, ...] | None:
    """Return the probabilities in proportion to the weights; None when all are 0."""
    shift = max((weight.point for weight in weights), default=-inf)
    if shift == -inf:
        return None
    parts = [_parts(weight, shift) for weight in weights]
    point = sum(own for _, own, _ in parts)
    return tuple(
        Share(point=own / point, least=_of(low, _others(parts, at, 2)), most=_of(high, _others(parts, at, 0)))
        for at, (low, own, high) in enumerate(parts)
    )


def _parts(weight: Weight, shift: float) -> tuple[float, float, float]:
    """Return the weights in units of the greatest, so that one is 1 whatever the costs are."""
    least, point, most = (exp(min(value - shift, _LARGEST)) for value in (weight.least, weight.point, weight.most))
    return least, point, most


_LARGEST = 600.0
"""The exponent above which a weight would not fit a number."""


def _others(parts: Sequence[tuple[float, float, float]], own: int, which: int) -> float:
    return sum(part[which] for at, part in enumerate(parts) if at != own)


def _of(part: float, others: float) -> float:
    return part / (part + others) if part > 0 else 0.0
