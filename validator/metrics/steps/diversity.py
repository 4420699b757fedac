"""How different the plans of a set are."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import combinations
from statistics import fmean

from validator.metrics.reading import ModelLike, PlanLike, Reading, read
from validator.metrics.score import Score
from validator.metrics.steps.distances import actions_distance
from validator.records import dataclass

__all__ = ["Distance", "Diversity", "diversity", "diversity_of"]

Distance = Callable[[Reading, Reading], float | Score]


@dataclass(frozen=True, slots=True, kw_only=True)
class Diversity:
    """The mean, least and most distance over all pairs; None where there is no pair, or one has no distance.

    ``distinct`` is the number of plans no two of which are the same sequence.
    """

    mean: float | None
    least: float | None
    most: float | None
    distinct: int
    reason: str = ""


def diversity(
    plans: Sequence[PlanLike], distance: Distance = actions_distance, model: ModelLike | None = None
) -> Diversity:
    """Return the diversity of a set of plans by a distance between two.

    The mean is that of Nguyen et al. 2012 and Coman and Muñoz-Avila 2011, Generating diverse plans using quantitative
    and qualitative plan distance metrics; the least is what Srivastava et al. 2007 ask for a bound on; ``distinct``
    counts as the uniqueness of Roberts, Howe, Ray 2014, Evaluating diversity in classical planning.
    """
    readings = [read(plan, model) for plan in plans]
    return diversity_of(readings, [distance(one, other) for one, other in combinations(readings, 2)])


def diversity_of(readings: Sequence[Reading], distances: Sequence[float | Score]) -> Diversity:
    """Return the diversity of plans of which all pairs' distances are known."""
    distinct = len({reading.elements for reading in readings})
    values: list[float] = []
    for distance in distances:
        value, reason = (distance.value, distance.reason) if isinstance(distance, Score) else (distance, "")
        if value is None:
            return Diversity(mean=None, least=None, most=None, distinct=distinct, reason=reason)
        values.append(value)
    if not values:
        return Diversity(mean=None, least=None, most=None, distinct=distinct, reason="fewer than two plans")
    return Diversity(mean=fmean(values), least=min(values), most=max(values), distinct=distinct)
