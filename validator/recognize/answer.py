"""From what is known of each candidate goal to ranks, probabilities and the set of the best."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from math import exp, inf
from typing import TypeAlias

from validator.checking.report import Interval
from validator.recognize.posterior import Bounds, Formula, Share, Weight, difference, log_chance, rg2010, shares
from validator.recognize.problem import (
    Candidate,
    Method,
    Posterior,
    Settings,
    Standing,
    Verdict,
)
from validator.recognize.search.known import Known
from validator.records import dataclass

__all__ = ["Seen", "candidates"]

_Key: TypeAlias = tuple[int, float, float]


@dataclass(frozen=True, slots=True)
class Seen:
    """How many steps were seen, the price of one that is not explained, and the cost that counts as one."""

    steps: int
    price: Fraction | None
    unit: Fraction = Fraction(1)


_EPSILON = 1e-9
_MOST_ODDS = 600.0
"""The exponent above which odds would not fit a number."""
_DIGITS = 9
"""Digits of the logarithm of a weight: goals that differ by less are equally good."""


def candidates(
    known: Sequence[Known], settings: Settings, method: Method, margin: Fraction, seen: Seen | None = None
) -> tuple[Verdict, tuple[Candidate, ...], bool]:
    """Return the verdict, each candidate, and whether the set of the best is proven.

    ``seen`` tells the goals apart that are equally probable; without it, all of them are equally good.
    """
    best = min((one.handicapped(one.most) for one in known if one.has_plan and one.base_upper is not None), default=inf)
    standings = [_standing(one, method, best + float(margin)) for one in known]
    if method.is_by_landmarks:
        far = max((one.landmark_score or 0.0 for one in known), default=0.0) - settings.threshold
        keys = [_landmark_key(one, far) for one in known]
        points: Sequence[Share | None] = (None,) * len(known)
        odds: Sequence[float | None] = (None,) * len(known)
        is_proven = False
    else:
        points_of = [_point(one, standing) for one, standing in zip(known, standings, strict=True)]
        weights = [_weight(one, point, settings) for one, point in zip(known, points_of, strict=True)]
        keys = [_key(*one) for one in zip(known, points_of, weights, strict=True)]
        points = _shares(keys, weights)
        odds = _tie_odds(known, keys, seen)
        is_proven = _is_proven(keys, weights) and _are_parted(known, keys, seen)
    places = [(key, tie is not None and tie > settings.tie_ratio) for key, tie in zip(keys, odds, strict=True)]
    found = tuple(
        _candidate(one, standing, 1 + sum(other < place for other in places), share, tie, method)
        for one, standing, place, share, tie in zip(known, standings, places, points, odds, strict=True)
    )
    if all(key == _OUT for key in keys):
        return Verdict.NO_HYPOTHESIS_EXPLAINS, found, True
    return Verdict.RANKED, found, is_proven


def _candidate(
    known: Known, standing: Standing, rank: int, share: Share | None, odds: float | None, method: Method
) -> Candidate:
    searched = not method.is_by_landmarks and standing is not Standing.EXCLUDED
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
        tie_odds=odds,
        landmark_score=known.landmark_score,
        edits=known.edits if known.has_plan else None,
    )


def _standing(known: Known, method: Method, far: float) -> Standing:
    """Return how much is known; ``far`` is the handicapped difference from which on a goal is cut off."""
    if known.is_unsolvable:
        return Standing.UNSOLVABLE
    if method.is_by_landmarks:
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

_OUT: _Key = (2, 0.0, 0.0)
"""The key of what cannot be the goal."""


def _key(known: Known, point: Fraction | None, weight: Weight) -> _Key:
    """Return by what a candidate is ranked, the smallest first: its weight, and then what the weight may be at most.

    A goal of which no plan was found, and whose costs were not estimated, comes behind all others.
    """
    if weight.most == -inf:
        return _OUT
    if point is None:
        return 1, -(known.landmark_score or 0.0), 0.0
    return 0, round(-weight.point, _DIGITS), round(-weight.most, _DIGITS)


def _landmark_key(known: Known, far: float) -> _Key:
    """Return by what a candidate is ranked; all from the score ``far`` on are the first."""
    if known.is_unsolvable:
        return _OUT
    score = known.landmark_score or 0.0
    return (0, 0.0, 0.0) if score >= far - _EPSILON else (1, -score, 0.0)


def _is_proven(keys: Sequence[_Key], weights: Sequence[Weight]) -> bool:
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


# --- ties ------------------------------------------------------------------------------------------


def _tie_odds(known: Sequence[Known], keys: Sequence[_Key], seen: Seen | None) -> list[float | None]:
    """Return how much less likely what was seen is for a goal than for one that is equally probable."""
    chances = [None if seen is None else _log_chance(one, seen) for one in known]
    return [
        _odds(chance, [other for other, its in zip(chances, keys, strict=True) if its == key != _OUT])
        for chance, key in zip(chances, keys, strict=True)
    ]


def _odds(chance: float | None, tied: Sequence[float | None]) -> float | None:
    chances = [one for one in tied if one is not None]
    if chance is None or len(tied) < 2 or len(chances) < len(tied):
        return None
    return exp(min(max(chances) - chance, _MOST_ODDS))


def _log_chance(known: Known, seen: Seen) -> float | None:
    """Return how likely it is that this much is seen of a goal's cheapest plan; None where its cost is not proven.

    What the observations add to the cost counts as if it were all observations of steps that were never taken.
    """
    if not known.is_base_proven or known.base_upper is None:
        return None
    more = known.point if known.is_open and known.point is not None else known.least
    taken = seen.steps - (float(more / seen.price) if seen.price else 0.0)
    return log_chance(float(known.base_upper / seen.unit), max(0.0, taken))


def _are_parted(known: Sequence[Known], keys: Sequence[_Key], seen: Seen | None) -> bool:
    """Return whether it is known which of the most probable goals come behind: their costs have to be proven."""
    first = min(keys)
    leading = [one for one, key in zip(known, keys, strict=True) if key == first]
    return seen is None or len(leading) == 1 or all(one.is_base_proven for one in leading)


# --- probabilities ---------------------------------------------------------------------------------


def _shares(keys: Sequence[_Key], weights: Sequence[Weight]) -> Sequence[Share | None]:
    """Return the probabilities; while nothing is known of a goal that is possible, only their bounds."""
    found = shares(weights)
    if found is None:
        return (None,) * len(weights)
    is_open = any(key[0] == 1 for key in keys)
    return [Share(point=None, least=one.least, most=one.most) for one in found] if is_open else found


def _point(known: Known, standing: Standing) -> Fraction | None:
    """Return what stands for a cost difference: the lower bound where it is cut off; None where nothing is known."""
    return known.least if standing is Standing.CUT else known.point


def _weight(known: Known, point: Fraction | None, settings: Settings) -> Weight:
    is_2010 = settings.posterior is Posterior.RG2010
    formula: Formula = rg2010 if is_2010 else difference
    delta = _avoiding_bounds(known, point) if is_2010 else _difference_bounds(known, point)
    return formula(float(known.hypothesis.prior), delta, settings.beta)


def _difference_bounds(known: Known, point: Fraction | None) -> Bounds:
    if not known.has_plan:
        return Bounds.exactly(inf)
    is_open = known.most is None or not known.is_reached  # a goal that none of the plans reach may have no plan at all
    most = inf if is_open else float(known.most or 0)
    return Bounds(float(known.least), most, inf if point is None else float(point))


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
