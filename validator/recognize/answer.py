"""From what is known of each candidate goal to ranks, probabilities and the set of the best."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction
from math import inf
from typing import TypeAlias

from validator.checking.report import Interval
from validator.recognize.posterior import Bounds, Share, difference, rg2010
from validator.recognize.problem import (
    Candidate,
    Method,
    Posterior,
    Settings,
    Standing,
    Verdict,
)
from validator.recognize.search.known import Known

__all__ = ["candidates"]

_Key: TypeAlias = tuple[int, float]


def candidates(
    known: Sequence[Known], settings: Settings, method: Method, margin: Fraction
) -> tuple[Verdict, tuple[Candidate, ...], bool]:
    """Return the verdict, each candidate, and whether the set of the best is proven."""
    best = min(
        (one.most for one in known if one.has_plan and one.base_upper is not None and one.most is not None),
        default=None,
    )
    standings = [_standing(one, method, best, margin) for one in known]
    bounds = _avoiding_bounds if settings.posterior is Posterior.RG2010 else _difference_bounds
    differences = [bounds(one, standing, margin) for one, standing in zip(known, standings, strict=True)]
    keys = _keys(known, standings, best, differences)
    shares = None if method is Method.LANDMARKS else _shares(known, differences, settings)
    found = tuple(
        _candidate(one, standing, 1 + sum(other < key for other in keys), share, method)
        for one, standing, key, share in zip(known, standings, keys, shares or (None,) * len(known), strict=True)
    )
    if all(key[1] == inf for key in keys):
        return Verdict.NO_HYPOTHESIS_EXPLAINS, found, True
    proven = _all_proven(standings, _possible(known, standings, best))
    return Verdict.RANKED, found, method is not Method.LANDMARKS and proven


def _candidate(known: Known, standing: Standing, rank: int, share: Share | None, method: Method) -> Candidate:
    searched = method is not Method.LANDMARKS
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


def _standing(known: Known, method: Method, best: Fraction | None, margin: Fraction) -> Standing:
    if known.is_unsolvable:
        return Standing.UNSOLVABLE
    if method is Method.LANDMARKS:
        return Standing.NOT_SEARCHED
    if known.is_unexplained:
        return Standing.UNEXPLAINED
    if known.is_exact:
        return Standing.EXACT
    if best is not None and known.base_upper is not None and known.least > best + margin:
        return Standing.CUT
    return Standing.TIMEOUT if known.is_base_proven else Standing.BASE_UNKNOWN


def _keys(
    known: Sequence[Known], standings: Sequence[Standing], best: Fraction | None, differences: Sequence[Bounds]
) -> list[_Key]:
    """Return by what the candidates are ranked, the smallest first.

    Where costs that were not proven leave open which goals are best, the landmarks decide among those that could
    be; but what can be equalled only, and not beaten, stays with the best.
    """
    possible = _possible(known, standings, best)
    is_open = not _all_proven(standings, possible)
    certain = [index for index in possible if is_open and _is_unbeaten(known, index)]
    leading = max((_score(known[index]) for index in certain), default=inf)
    keys: list[_Key] = []
    for index, (one, standing) in enumerate(zip(known, standings, strict=True)):
        if standing in (Standing.UNSOLVABLE, Standing.UNEXPLAINED):
            keys.append((2, inf))
        elif standing is Standing.NOT_SEARCHED:
            keys.append((0, -_score(one)))
        elif is_open and index in possible:
            keys.append((0, -leading if index in certain else -min(_score(one), leading)))
        else:
            keys.append((1, differences[index].point))
    return keys


def _possible(known: Sequence[Known], standings: Sequence[Standing], best: Fraction | None) -> frozenset[int]:
    """Return the candidates that could be best, by the bounds of their costs."""
    searched = frozenset((Standing.EXACT, Standing.TIMEOUT, Standing.BASE_UNKNOWN))
    return frozenset(
        index
        for index, standing in enumerate(standings)
        if standing in searched and (best is None or known[index].least <= best)
    )


def _all_proven(standings: Sequence[Standing], possible: Iterable[int]) -> bool:
    return all(standings[index] is Standing.EXACT for index in possible)


def _is_unbeaten(known: Sequence[Known], index: int) -> bool:
    """Return whether no other candidate can be better, whatever the costs turn out to be."""
    most = known[index].most
    others = (one for place, one in enumerate(known) if place != index and one.has_plan)
    return known[index].base_upper is not None and most is not None and all(one.least >= most for one in others)


def _score(known: Known) -> float:
    return known.landmark_score or 0.0


def _point(known: Known, standing: Standing, margin: Fraction) -> Fraction:
    """Return what stands for a cost difference: a proven one for itself, the lower bound of one that is cut off.

    For one that was not proven in time neither bound would be honest, so its middle is taken; the upper bound counts
    as far as the margin, so that a goal does not look unlikely for being hard to search for.
    """
    if standing in (Standing.EXACT, Standing.CUT):
        return known.least
    far = known.least + margin
    return (known.least + (far if known.most is None else min(known.most, far))) / 2


def _shares(known: Sequence[Known], differences: Sequence[Bounds], settings: Settings) -> tuple[Share, ...] | None:
    formula = rg2010 if settings.posterior is Posterior.RG2010 else difference
    return formula([float(one.hypothesis.prior) for one in known], differences, settings.beta)


def _difference_bounds(known: Known, standing: Standing, margin: Fraction) -> Bounds:
    if not known.has_plan:
        return Bounds.exactly(inf)
    most = inf if known.most is None else float(known.most)
    return Bounds(float(known.least), most, float(_point(known, standing, margin)))


def _avoiding_bounds(known: Known, standing: Standing, margin: Fraction) -> Bounds:
    """Return the difference to plans that do not explain all; a cheapest plan is one, unless the difference is 0."""
    plain = _difference_bounds(known, standing, margin)
    if known.has_plan and known.cannot_avoid:
        return Bounds.exactly(-inf)
    if not known.needs_avoiding:
        return plain
    least = -inf if known.avoiding_upper is None else float(max(known.lower, known.base_lower) - known.avoiding_upper)
    most = plain.most if known.upper is None else min(plain.most, float(known.upper - known.avoiding_lower))
    return Bounds(least, most, most if least == -inf else (least + most) / 2)
