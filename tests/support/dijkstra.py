"""Dijkstra's search, for all oracles that look at every state."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable
from heapq import heappop, heappush
from itertools import count
from math import inf
from typing import Any

TOO_MANY = "too many states"


def cheapest(
    start: Hashable,
    moves: Callable[[Any], Iterable[tuple[Hashable, tuple[Any, Any]]]],
    is_end: Callable[[Any], bool],
    *,
    most: float = inf,
    within: float = inf,
) -> Any:
    """Return the least cost of a way to an end, a pair of which the first part counts first.

    None where there is no way, or none whose first part is within a limit; TOO_MANY where more states are looked at.
    """
    number, best, settled = count(), {start: (0, 0)}, set[Hashable]()
    heap: list[tuple[Any, int, Any]] = [((0, 0), next(number), start)]
    while heap:
        cost, _, node = heappop(heap)
        if node in settled:
            continue
        if is_end(node):
            return cost if cost[0] <= within else None
        settled.add(node)
        if len(settled) > most:
            return TOO_MANY
        if cost[0] > within:
            return None
        for target, more in moves(node):
            total = (cost[0] + more[0], cost[1] + more[1])
            if target not in best or total < best[target]:
                best[target] = total
                heappush(heap, (total, next(number), target))
    return None
