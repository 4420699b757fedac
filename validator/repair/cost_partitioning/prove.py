"""A proof by looking at all repairs up to a cost, for dearer and dearer ones, with bounds that add up."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from time import thread_time

from validator.repair.cost_partitioning.atomic import NEVER
from validator.repair.cost_partitioning.layers import Layers, Swept
from validator.repair.cost_partitioning.partition import Partitions, prices_of
from validator.repair.cost_partitioning.problem import Problem
from validator.repair.cost_partitioning.windows import LONG, in_windows

__all__ = ["prove", "suits"]

_MOST_PRICES = 2**27
"""prices, of which there is one for each class of operators at each place: some seconds for an order of variables"""

_BOUND, _DIFFERENCE = 16, 24
"""Bytes for the bounds of a fact at a place, and for what an operator on the variable at hand takes there."""

_ORDERS, _MOST_TRIED = 8, 2**20
"""Orders of variables that are tried after a first sweep, fewer where all their prices are more than so many."""

_STATES_ORDER, _MOST_ORDERS = 1000, 16
"""Later one more for so many states that were looked at, and for a state more by so many prices; up to so many."""

_PATIENCE = 12
"""times the CPU seconds of the first order, after which a plan without a repair is cut into windows"""

_FIRST, _FIRST_STEP = 0.15, 0.0007
"""CPU seconds for windows before the whole plan is looked at, and for each step of it"""

_WIDTH, _WIDER = 4, 4
"""States at a time on the way to a first repair, and how many times as many on the way to the next one."""

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
    repairs, early: those of the windows of a long plan, which are looked at first, and, before all repairs up to a cost
    are looked at, a few that may cost a little more, more and more of them. Where there is no room nothing is proven.
    Raises TimeoutError as soon as it is over, if that comes before.
    """
    if problem.length >= LONG and suits(problem, memory):
        seconds = _FIRST + _FIRST_STEP * problem.length
        least = in_windows(problem, sweep, least, bound, go_on, memory, better, seconds, wide=False)
        if least >= bound() or not go_on(least):
            return Swept(lower=int(min(least, bound())))
    return sweep(problem, bound, go_on, memory, better, least, is_whole=True)


def sweep(
    problem: Problem,
    bound: Callable[[], float],
    go_on: Callable[[int], bool],
    memory: int,
    better: Callable[[tuple[str, ...]], None] = lambda names: None,
    least: int = 0,
    *,
    is_whole: bool = False,
) -> Swept:
    """Prove a problem without windows first; a long plan that is the whole is cut when no repair is found for long."""
    if not suits(problem, memory):
        return Swept(lower=0)
    can_cut = is_whole and problem.length >= LONG

    def is_going_on() -> bool:
        return go_on(0)

    began = thread_time()
    partitions, prices = Partitions(problem), (problem.length + 1) * len(problem.alike.classes)
    guides = partitions.best(0, is_going_on)
    lower, step, slack, width, states = max(least, guides[0].total), 1, 1, _WIDTH, 0
    near = Swept(lower=NEVER)
    if lower >= NEVER:
        return Swept(lower=least)

    def cut() -> float:
        """Look for a repair in windows for as long as all has taken, and return when to do so again."""
        now = thread_time()
        nonlocal lower
        lower = in_windows(problem, sweep, lower, bound, go_on, memory, better, now - began, wide=True)
        return 3 * now - 2 * began

    with suppress(TimeoutError):
        next_cut = began + _PATIENCE * (thread_time() - began)
        orders = min(_ORDERS, _MOST_TRIED // max(prices, 1)) if is_whole else 0
        layers = Layers(problem, memory // 4 // (_FACT * len(problem.sizes) + _ROW))
        while lower < min(bound(), near.lower) and go_on(lower):
            if can_cut and min(bound(), near.lower) >= NEVER and thread_time() > next_cut:
                next_cut = cut()
            layers.guide(guides)
            limit = int(min(lower + step, bound(), near.lower)) - 1
            swept = layers.run(limit, is_going_on)
            if swept.names is not None:
                return Swept(lower=swept.lower, names=swept.names, states=states + swept.states)
            if swept.lower >= NEVER:  # no repair at all, which others prove
                break
            states += swept.states
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
    return Swept(lower=min(lower, near.lower), names=names, states=states)


def _orders(states: int, prices: int) -> int:
    """Return how many orders of variables are tried after a sweep through so many states."""
    return min(states // (_STATES_ORDER + prices // _STATES_ORDER), _MOST_ORDERS)
