"""From cost differences to probabilities, with bounds where costs are only bounded."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import exp, isinf

from validator.records import dataclass

__all__ = ["Bounds", "Share", "difference", "rg2010"]


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
class Share:
    """A probability with its bounds."""

    point: float
    least: float
    most: float


def difference(priors: Sequence[float], deltas: Sequence[Bounds], beta: float) -> tuple[Share, ...] | None:
    """Return P(i) in proportion to ``prior * exp(-beta * delta)``; None when no goal has a finite difference."""
    finite = [delta.least for prior, delta in zip(priors, deltas, strict=True) if prior and not isinf(delta.least)]
    if not finite:
        return None
    shift = min(finite)  # the greatest weight is near 1, whatever the costs are
    return _shares(priors, deltas, lambda delta: exp(-beta * (delta - shift)) if not isinf(delta) else 0.0)


def rg2010(priors: Sequence[float], deltas: Sequence[Bounds], beta: float) -> tuple[Share, ...] | None:
    """Return P(i) in proportion to ``prior / (1 + exp(beta * delta))``; None when all are 0.

    ``delta`` is the cost with the observations explained less the cost without (Ramirez and Geffner 2010): ``inf``
    when they cannot be explained, ``-inf`` when every plan explains them.
    """

    def weight(delta: float) -> float:
        if isinf(delta):
            return 0.0 if delta > 0 else 1.0
        product = beta * delta
        return exp(-product) / (1 + exp(-product)) if product > 0 else 1 / (1 + exp(product))

    return _shares(priors, deltas, weight)


def _shares(
    priors: Sequence[float], deltas: Sequence[Bounds], weight: Callable[[float], float]
) -> tuple[Share, ...] | None:
    weights = [
        (prior * weight(delta.most), prior * weight(delta.point), prior * weight(delta.least))
        for prior, delta in zip(priors, deltas, strict=True)
    ]
    least, point, most = (sum(column) for column in zip(*weights, strict=True))
    if not point:
        return None
    return tuple(
        Share(point=own / point, least=_of(low, most - high + low), most=_of(high, least - low + high))
        for low, own, high in weights
    )


def _of(part: float, whole: float) -> float:
    return min(1.0, part / whole) if part > 0 and whole > 0 else 0.0
