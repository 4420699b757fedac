"""A proof by looking at all repairs up to a cost, for dearer and dearer ones, with bounds that add up."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress

from validator.repair.search.backward.regression import Regression
from validator.repair.search.backward.search import Found
from validator.repair.search.sweep.layers import Layers
from validator.repair.search.sweep.partition import Partitions
from validator.repair.search.sweep.projection import NEVER

__all__ = ["prove", "suits"]

_MOST_PRICES = 2**23
"""operators by places, of each of which there is a price"""

_ORDERS, _STATES_ORDER, _MOST_ORDERS = 8, 1000, 16
"""Orders of variables that are tried at first; later one for so many states that were looked at, up to so many."""

_MOST_TRIED = 2**20
"""prices of all orders that are tried at first, together"""

_WIDTH, _BEYOND = 16, 2
"""States at a time on the way to a first repair, and the most changes that it may have beyond twice the bound."""

_ROW = 200
"""bytes of a state beside its facts"""


def suits(regression: Regression) -> bool:
    """Return whether there is room for the prices."""
    places = regression.length + 1
    return places * max(len(regression.changes), sum(regression.sizes)) <= _MOST_PRICES


def prove(
    regression: Regression,
    bound: Callable[[], float],
    go_on: Callable[[int], bool],
    memory: int,
    better: Callable[[tuple[str, ...]], None] = lambda names: None,
) -> Found:
    """Raise the lower bound until it meets ``bound()``, the cost of the best plan so far, or find a cheapest plan.

    ``go_on`` is told each lower bound and says whether there is time left; ``memory`` is in bytes. Costs are without
    those of the tokens that can only be skipped. ``better`` is given the edits of a good repair, early.
    Raises TimeoutError as soon as it is over, if that comes before.
    """
    partitions = Partitions(regression)
    prices = (regression.length + 1) * len(regression.changes)
    chosen = partitions.best(min(_ORDERS, _MOST_TRIED // max(prices, 1)), lambda: go_on(0))
    if chosen[0].total >= NEVER:
        return Found(lower=0)
    lower, step, states = chosen[0].total, 1, 0
    most = memory // 4 // (8 * len(regression.sizes) + _ROW)
    with suppress(TimeoutError):
        first = Layers(regression, chosen, most)
        limit = min(2 * lower + _BEYOND * regression.skip, bound() - 1)
        if lower < bound() and (names := first.run(int(limit), lambda: go_on(0), _WIDTH).names) is not None:
            better(names)
    while lower < bound() and go_on(lower):
        try:
            swept = Layers(regression, chosen, most).run(int(min(lower + step, bound())) - 1, lambda: go_on(0))
        except TimeoutError:
            break
        states += swept.states
        if swept.lower >= NEVER:  # no repair at all, which others prove
            break
        if swept.names is not None:
            return Found(lower=swept.lower, names=swept.names, nodes=states)
        chosen = partitions.best(min(swept.states // _STATES_ORDER, _MOST_ORDERS), lambda: go_on(0))
        lower = max(lower, swept.lower, chosen[0].total)
        step = 1 if regression.is_unit else 2 * step
    return Found(lower=lower, nodes=states)
