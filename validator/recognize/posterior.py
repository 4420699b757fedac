"""From what is known of each candidate goal to probabilities with bounds, ranks, and the set of the best."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from math import exp, inf, log, log1p
from typing import TypeAlias

from validator.checking.report import Interval
from validator.recognize.problem import Candidate, Method, Posterior, Settings, Standing, Verdict
from validator.recognize.search.bounds import Known
from validator.records import dataclass

__all__ = ["Bounds", "candidates", "shares", "weight"]

_LARGEST = 600.0
"""The exponent above which a number would not fit."""
_DIGITS = 9
"""Digits of the logarithm of a weight: goals that differ by less are equally good."""


@dataclass(frozen=True, slots=True)
class Bounds:
    """Something between two bounds; ``point`` is what stands for it."""

    least: float
    most: float
    point: float | None

    @classmethod
    def exactly(cls, value: float) -> Bounds:
        return cls(value, value, value)


def candidates(
    known: Sequence[Known], settings: Settings, method: Method, margin: Fraction
) -> tuple[Verdict, tuple[Candidate, ...], bool]:
    """Return the verdict, each candidate, and whether the set of the best is proven."""
    best = min((one.handicapped(one.most) for one in known if one.has_plan and one.base_upper is not None), default=inf)
    standings = [_standing(one, method, best + float(margin)) for one in known]
    if method is Method.LANDMARKS:
        keys = [_landmark_key(one) for one in known]
        points: Sequence[Bounds | None] = (None,) * len(known)
        is_proven = False
    else:
        # One that is cut off counts as near as it can be.
        stand_ins = [one.least if it is Standing.CUT else one.point for one, it in zip(known, standings, strict=True)]
        weights = [_weight(one, point, settings) for one, point in zip(known, stand_ins, strict=True)]
        keys = [_key(*one) for one in zip(known, stand_ins, weights, strict=True)]
        points = _shares(keys, weights)
        is_proven = _is_proven(keys, weights)
    found = tuple(
        _candidate(one, standing, 1 + sum(other < key for other in keys), share, method)
        for one, standing, key, share in zip(known, standings, keys, points, strict=True)
    )
    if all(key == _OUT for key in keys):
        return Verdict.NO_HYPOTHESIS_EXPLAINS, found, True
    return Verdict.RANKED, found, is_proven


def _candidate(known: Known, standing: Standing, rank: int, share: Bounds | None, method: Method) -> Candidate:
    searched = method is not Method.LANDMARKS and standing is not Standing.EXCLUDED
    base = Interval(lower=known.base_lower, upper=known.base_upper)
    return Candidate(
        hypothesis=known.hypothesis,
        standing=standing,
        rank=rank,
        base=base if searched and not known.is_unsolvable else None,
        delta=Interval(lower=known.least, upper=known.most) if searched and known.has_plan else None,
        probability=None if share is None else share.point,
        least=None if share is None else share.least,
        most=None if share is None else share.most,
        landmark_score=known.landmark_score,
        edits=known.edits if known.has_plan else None,
    )


def _standing(known: Known, method: Method, far: float) -> Standing:
    """Return how much is known; ``far`` is the handicapped difference from which on a goal is cut off."""
    if known.is_unsolvable:
        return Standing.UNSOLVABLE
    if method is Method.LANDMARKS:
        return Standing.NOT_SEARCHED
    if known.is_unexplained:
        return Standing.UNEXPLAINED
    if not known.hypothesis.prior:
        return Standing.EXCLUDED
    if known.is_exact:
        return Standing.EXACT
    if method is Method.LINEAR:
        return Standing.NOT_SEARCHED
    if known.is_open:
        return Standing.NOT_UNDERSTOOD
    if known.base_upper is not None and known.handicapped(known.least) > far:
        return Standing.CUT
    return Standing.TIMEOUT if known.is_base_proven else Standing.BASE_UNKNOWN


# --- ranks -----------------------------------------------------------------------------------------

_Key: TypeAlias = tuple[int, float, float]

_OUT: _Key = (2, 0.0, 0.0)
"""The key of what cannot be the goal."""


def _key(known: Known, point: Fraction | None, weight: Bounds) -> _Key:
    """Return by what a candidate is ranked, the smallest first: its weight, and then what the weight may be at most.

    A goal of which no plan was found, and whose costs were not estimated, comes after all others.
    """
    if weight.most == -inf:
        return _OUT
    if point is None:
        return 1, -(known.landmark_score or 0.0), 0.0
    return 0, round(-(weight.point or 0.0), _DIGITS), round(-weight.most, _DIGITS)


def _landmark_key(known: Known) -> _Key:
    return _OUT if known.is_unsolvable else (0, round(-(known.landmark_score or 0.0), _DIGITS), 0.0)


def _is_proven(keys: Sequence[_Key], weights: Sequence[Bounds]) -> bool:
    """Return whether no candidate that is not among the best can be as probable as one that is, and no best differ.

    A goal that may have no plan is not among them for certain.
    """
    first = min(keys)
    leading = [weight for key, weight in zip(keys, weights, strict=True) if key == first]
    least = min(weight.least for weight in leading)
    if least == -inf:
        return False
    settled = len(leading) == 1 or all(weight.least == weight.most for weight in leading)
    return settled and all(weight.most < least for key, weight in zip(keys, weights, strict=True) if key != first)


# --- probabilities ---------------------------------------------------------------------------------


def shares(weights: Sequence[Bounds]) -> tuple[Bounds, ...] | None:
    """Return the probabilities in proportion to weights, of which the logarithms are given; None when all are 0."""
    shift = max((_point(one) for one in weights), default=-inf)
    if shift == -inf:
        return None
    # In units of the greatest, so that one is 1 whatever the costs are.
    parts = [[exp(min(value - shift, _LARGEST)) for value in (one.least, _point(one), one.most)] for one in weights]
    total = sum(point for _, point, _ in parts)

    def share(own: int, which: int, against: int) -> float:
        others = sum(part[against] for at, part in enumerate(parts) if at != own)
        return parts[own][which] / (parts[own][which] + others) if parts[own][which] > 0 else 0.0

    return tuple(
        Bounds(point=point / total, least=share(own, 0, 2), most=share(own, 2, 0))
        for own, (_, point, _) in enumerate(parts)
    )


def _point(bounds: Bounds) -> float:
    return -inf if bounds.point is None else bounds.point


def _shares(keys: Sequence[_Key], weights: Sequence[Bounds]) -> Sequence[Bounds | None]:
    """Return the probabilities; while nothing is known of a goal that is possible, only their bounds."""
    found = shares(weights)
    if found is None:
        return (None,) * len(weights)
    is_open = any(key[0] == 1 for key in keys)
    return [Bounds(point=None, least=one.least, most=one.most) for one in found] if is_open else found


def weight(posterior: Posterior, prior: float, delta: Bounds, beta: float) -> Bounds:
    """Return the logarithm of what a probability is in proportion to; a difference of ``inf`` is no plan.

    For the posterior of Ramirez and Geffner (2010) ``delta`` is the cost with the observations explained less the cost
    without: ``-inf`` when every plan explains them.
    """

    def likelihood(value: float | None) -> float:
        product = beta * (inf if value is None else value)
        if posterior is Posterior.DIFFERENCE or product == inf:
            return -product
        return -log1p(exp(product)) if product <= 0 else -product - log1p(exp(-product))

    if not prior:
        return Bounds.exactly(-inf)
    return Bounds(*(log(prior) + likelihood(value) for value in (delta.most, delta.least, delta.point)))


def _weight(known: Known, point: Fraction | None, settings: Settings) -> Bounds:
    delta: Callable[[Known, Fraction | None], Bounds] = _difference_bounds
    if settings.posterior is Posterior.RG2010:
        delta = _avoiding_bounds
    return weight(settings.posterior, float(known.hypothesis.prior), delta(known, point), settings.beta)


def _difference_bounds(known: Known, point: Fraction | None) -> Bounds:
    if not known.has_plan:
        return Bounds.exactly(inf)
    is_open = known.most is None or not known.is_reached  # a goal that none of the plans reach may have no plan at all
    most = inf if is_open else float(known.most or 0)
    return Bounds(float(known.least), most, None if point is None else float(point))


def _avoiding_bounds(known: Known, point: Fraction | None) -> Bounds:
    """Return the difference to plans that do not explain all; a cheapest plan is one, unless the difference is 0."""
    plain = _difference_bounds(known, point)
    if known.has_plan and known.cannot_avoid:
        return Bounds.exactly(-inf)
    if not known.needs_avoiding:
        return plain
    least = -inf if known.avoiding_upper is None else float(max(known.lower, known.base_lower) - known.avoiding_upper)
    most = plain.most if known.upper is None else min(plain.most, float(known.upper - known.avoiding_lower))
    return Bounds(least, most, most)
