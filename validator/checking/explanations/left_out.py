"""Which steps of a valid plan with numbers or over time can be left out: sets of steps, and the rest executed as it is.

No planner takes such a model with its steps at their times. Sets of many steps come first, so that the first one that
can be left out is a largest one.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from itertools import combinations

from validator.checking.check import check
from validator.checking.prepared import Prepared
from validator.grounding.limits import Limits
from validator.reading.plan import Plan

__all__ = ["largest_set"]

_LEAST = 0.01
"""seconds in which a plan is executed"""


def largest_set(prepared: Prepared, plan: Plan, limits: Limits, left: list[int]) -> str:
    """Take from ``left``, which has all places of a valid plan's steps, the most that can be left out together.

    Returns why no more is known; empty where it is proven that they are the most. Raises ValueError when the plan is
    not valid.
    """
    left[:] = range(len(plan.tokens))
    if (is_valid := _is_valid(prepared, plan, left, limits)) is not True:
        if is_valid is False:
            raise ValueError("only a valid plan has redundant steps")
        return "it is not known whether the plan is valid"
    for place in tuple(left):
        rest = [other for other in left if other != place]
        if limits.seconds and _is_valid(prepared, plan, rest, limits):
            left[:] = rest
    unknown = False
    for fewer in _fewer(len(plan.tokens), len(left)):
        if not limits.seconds:
            return "the time limit was met before the proof"
        is_valid = _is_valid(prepared, plan, fewer, limits)
        if is_valid:
            left[:] = fewer
            break
        unknown = unknown or is_valid is None
    return "it is not known of each part of the plan whether it is valid" if unknown else ""


def _fewer(steps: int, than: int) -> Iterator[tuple[int, ...]]:
    """Yield every choice of fewer places, those of the fewest first."""
    return (rest for size in range(than) for rest in combinations(range(steps), size))


def _is_valid(prepared: Prepared, plan: Plan, places: Collection[int], limits: Limits) -> bool | None:
    rest = Plan(parts=tuple(plan.tokens[place] for place in places))
    seconds = max(_LEAST, limits.seconds)
    return check(prepared, None, rest, repair=False, strict=True, time_limit=seconds).determination
