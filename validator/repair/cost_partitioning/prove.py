"""A proof by looking at all repairs up to a cost, for dearer and dearer ones, with bounds that add up."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from contextlib import suppress

from validator.repair.cost_partitioning.layers import Layers, Swept
from validator.repair.cost_partitioning.partition import NEVER, Partitions, prices_of
from validator.repair.cost_partitioning.problem import Problem

__all__ = ["prove", "suits"]

_MOST_PRICES = 2**27
"""prices, of which there is one for each class of operators at each place: some seconds for an order of variables"""

_BOUND, _DIFFERENCE = 16, 24
"""Bytes for the bounds of a fact at a place, and for what an operator on the variable at hand takes there."""

_ORDERS, _MOST_TRIED = 8, 2**20
"""Orders of variables that are tried after a first sweep, fewer where all their prices are more than so many."""

_STATES_ORDER, _MOST_ORDERS = 1000, 16
"""Later one more for so many states that were looked at, and for a state more by so many prices; up to so many."""

_WIDTH, _WIDER = 4, 4
"""states at a time in the first beam search, and how many times as many in the next one"""

_FACT, _ROW = 4, 200
"""Bytes of a fact of a state, and of a state beside its facts."""


def suits(problem: Problem, memory: int) -> bool:
    """Return whether there is room for the prices, in a quarter of the memory."""
    places = problem.length + 1
    classes = problem.alike.classes
    prices = places * len(classes)
    changing = Counter(variable for change in classes for variable in change.changed)
    dearest = _DIFFERENCE * max(changing.values(), default=0) + _BOUND * sum(problem.sizes)
    needed = prices * prices_of(classes).itemsize + places * dearest
    return prices <= _MOST_PRICES and needed <= memory // 4


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
        orders = min(_ORDERS, _MOST_TRIED // max(prices, 1))
        layers = Layers(problem, memory // 4 // (_FACT * len(problem.sizes) + _ROW))
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
                found, width = layers.run(limit, is_going_on, width), width * _WIDER
                if found.names is not None:
                    near = found
                    better(found.names)
            if lower >= min(bound(), near.lower):
                break
            guides, orders = partitions.best(max(orders, _orders(swept.states, prices)), is_going_on), 0
            lower = max(lower, guides[0].total)
            step, slack = (1, slack + 1) if problem.is_unit else (2 * step, 2 * slack)
    names = near.names if lower >= near.lower else None
    return Swept(lower=min(lower, near.lower), names=names)


def _orders(states: int, prices: int) -> int:
    """Return how many orders of variables are tried after a sweep through so many states."""
    return min(states // (_STATES_ORDER + prices // _STATES_ORDER), _MOST_ORDERS)
