"""A proof by looking at all repairs up to a cost, for dearer and dearer ones, with bounds that add up."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from contextlib import suppress

from validator.repair.cost_partitioning.layers import Layers, Swept
from validator.repair.cost_partitioning.partition import NEVER, Partitions, prices_of
from validator.repair.cost_partitioning.problem import Problem

_ORDERS, _TRIED = 8, 1000
"""Orders of variables that are tried after a sweep, of so many prices for each state that was looked at, or for as many
states; an order has a price for each class of operators at each place."""

_WIDTH = 4
"""states at a time in the first beam search, and how many times as many in the next one"""

_STATE = 200
"""bytes of a state beside its facts"""


def suits(problem: Problem, memory: int) -> bool:
    """Return whether there is room for the prices, in a quarter of the memory."""
    classes = problem.alike.classes
    changing = Counter(variable for change in classes for variable in change.changed)
    # Two bounds for each fact, and three numbers for each operator that changes the variable at hand, of eight bytes.
    each = 8 * (2 * sum(problem.sizes) + 3 * max(changing.values(), default=0))
    return (problem.length + 1) * (len(classes) * prices_of(classes).itemsize + each) <= memory // 4


def prove(
    problem: Problem,
    bound: Callable[[], float],
    go_on: Callable[[int], bool],
    memory: int,
    better: Callable[[tuple[str, ...]], None] = lambda names: None,
    least: int = 0,
) -> Swept:
    """Raise the lower bound until it meets ``bound()``, the cost of the best plan so far, or find a cheapest plan.

    ``go_on`` is told each lower bound and says whether there is time left; ``memory`` is in bytes. Costs are without
    those of the tokens that can only be skipped; any repair costs ``least``. ``better`` is given the edits of good
    repairs, early: before all repairs up to a cost are looked at, a few that may cost a little more, more and more of
    them. Where there is no room nothing is proven. Raises TimeoutError when it is over before the first bound.
    """
    if not suits(problem, memory):
        return Swept(lower=0)

    def is_going_on() -> bool:
        return go_on(0)

    partitions, prices = Partitions(problem), (problem.length + 1) * len(problem.alike.classes)
    guides = partitions.best(0, is_going_on)
    lower, step, slack, width = max(least, guides[0].total), 1, 1, _WIDTH
    near = Swept(lower=NEVER)
    if lower >= NEVER:
        return Swept(lower=least)
    with suppress(TimeoutError):
        layers = Layers(problem, memory // 4 // (4 * len(problem.sizes) + _STATE))
        while lower < min(bound(), near.lower) and go_on(lower):
            layers.guide(guides)
            limit = int(min(lower + step, bound(), near.lower)) - 1
            swept = layers.run(limit, is_going_on)
            if swept.names is not None:
                return swept
            if swept.lower >= NEVER:  # no repair at all, which others prove
                break
            lower = max(lower, swept.lower)
            limit = int(min(lower + slack, bound(), near.lower)) - 1
            if limit >= lower:
                found, width = layers.run(limit, is_going_on, width), width * _WIDTH
                if found.names is not None:
                    near = found
                    better(found.names)
            if lower >= min(bound(), near.lower):
                break
            orders = _TRIED * max(_TRIED, swept.states) // max(prices, 1)
            guides = partitions.best(min(_ORDERS, orders), is_going_on)
            lower = max(lower, guides[0].total)
            step, slack = (1, slack + 1) if problem.is_unit else (2 * step, 2 * slack)
    names = near.names if lower >= near.lower else None
    return Swept(lower=min(lower, near.lower), names=names)
