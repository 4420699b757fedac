"""From what is known of each candidate goal to probabilities with bounds, ranks, and the set of the best.

A goal's probability is in proportion to its prior times ``exp(-beta * difference)``, where the difference is the cost
with the observations less the cost without (Ramirez and Geffner 2009, 2010).
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from math import exp, inf, log
from typing import TypeAlias

from validator.checking.report import Interval
from validator.recognize.problem import Candidate, Method, Settings, Standing, Verdict
from validator.recognize.searches import GoalBounds
from validator.records import dataclass

_LARGEST = 600.0
"""The exponent above which a number would not fit."""
_DIGITS = 9
"""Digits of the logarithm of a weight: goals that differ by less are equally good."""

_Key: TypeAlias = tuple[int, float, float]

_OUT: _Key = (2, 0.0, 0.0)
"""The key of what cannot be the goal."""


@dataclass(frozen=True, slots=True)
class _Bounds:
    """Something between two bounds; ``point`` is what stands for it."""

    least: float
    most: float
    point: float | None


def candidates(
    known: Sequence[GoalBounds], settings: Settings, method: Method, margin: Fraction
) -> tuple[Verdict, tuple[Candidate, ...], bool]:
    """Return the verdict, each candidate, and whether the set of the best is proven."""
    best = min((one.handicapped(one.most) for one in known if one.has_plan and one.base_upper is not None), default=inf)
    standings = [_standing(one, method, best + float(margin)) for one in known]
    # One that is cut off counts as near as it can be.
    points = [one.least if it is Standing.CUT else one.point for one, it in zip(known, standings, strict=True)]
    weights = [_weight(one, point, settings.beta) for one, point in zip(known, points, strict=True)]
    keys = [_key(point, weight) for point, weight in zip(points, weights, strict=True)]
    found = tuple(
        _candidate(one, standing, 1 + sum(other < key for other in keys), share)
        for one, standing, key, share in zip(known, standings, keys, _shares(keys, weights), strict=True)
    )
    if all(key == _OUT for key in keys):
        return Verdict.NO_HYPOTHESIS_EXPLAINS, found, True
    return Verdict.RANKED, found, _is_proven(keys, weights)


def _candidate(known: GoalBounds, standing: Standing, rank: int, share: _Bounds | None) -> Candidate:
    searched = standing is not Standing.EXCLUDED
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
        edits=known.edits if known.has_plan else None,
    )


def _standing(known: GoalBounds, method: Method, far: float) -> Standing:
    """Return how much is known; ``far`` is the handicapped difference from which on a goal is cut off."""
    if known.is_unsolvable:
        return Standing.UNSOLVABLE
    if known.is_unexplained:
        return Standing.UNEXPLAINED
    if not known.hypothesis.prior:
        return Standing.EXCLUDED
    if known.is_exact:
        return Standing.EXACT
    if method is Method.LINEAR:
        return Standing.NOT_SEARCHED
    if known.base_upper is not None and known.handicapped(known.least) > far:
        return Standing.CUT
    return Standing.TIMEOUT if known.is_base_proven else Standing.BASE_UNKNOWN


# --- ranks -----------------------------------------------------------------------------------------


def _key(point: Fraction | None, weight: _Bounds) -> _Key:
    """Return by what a candidate is ranked, the smallest first: its weight, and then what the weight may be at most.

    A goal of which no plan was found, and whose costs were not estimated, comes after all others.
    """
    if weight.most == -inf:
        return _OUT
    if point is None:
        return 1, 0.0, 0.0
    return 0, round(-(weight.point or 0.0), _DIGITS), round(-weight.most, _DIGITS)


def _is_proven(keys: Sequence[_Key], weights: Sequence[_Bounds]) -> bool:
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


def _shares(keys: Sequence[_Key], weights: Sequence[_Bounds]) -> Sequence[_Bounds | None]:
    """Return the probabilities in proportion to weights, of which the logarithms are given.

    None for all when all are 0; while nothing is known of a goal that is possible, only their bounds.
    """
    shift = max((_point(one) for one in weights), default=-inf)
    if shift == -inf:
        return (None,) * len(weights)
    # In units of the greatest, so that one is 1 whatever the costs are.
    parts = [[exp(min(value - shift, _LARGEST)) for value in (one.least, _point(one), one.most)] for one in weights]
    total = sum(point for _, point, _ in parts)
    is_open = any(key[0] == 1 for key in keys)

    def share(own: int, which: int, against: int) -> float:
        others = sum(part[against] for at, part in enumerate(parts) if at != own)
        return parts[own][which] / (parts[own][which] + others) if parts[own][which] > 0 else 0.0

    return [
        _Bounds(point=None if is_open else point / total, least=share(own, 0, 2), most=share(own, 2, 0))
        for own, (_, point, _) in enumerate(parts)
    ]


def _point(bounds: _Bounds) -> float:
    return -inf if bounds.point is None else bounds.point


def _weight(known: GoalBounds, point: Fraction | None, beta: float) -> _Bounds:
    """Return the logarithm of what a probability is in proportion to; without a plan it is ``-inf``."""
    prior = float(known.hypothesis.prior)
    if not prior or not known.has_plan:
        return _Bounds(-inf, -inf, -inf)
    # A goal that none of the plans reach may have no plan at all.
    most = inf if known.most is None or not known.is_reached else float(known.most)
    stands = inf if point is None else float(point)
    return _Bounds(*(log(prior) - beta * value for value in (most, float(known.least), stands)))
