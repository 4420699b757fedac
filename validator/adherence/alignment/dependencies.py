"""The orders that a plan with dependencies allows."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import inf

from validator.reading.calls import Call, Planned

__all__ = ["orders"]


def orders(plan: Sequence[Planned], calls: Sequence[Call], most: int) -> Iterator[list[int]]:
    """Yield orders of the steps in which each comes behind what it depends on: first the one of the calls.

    All others follow, where there are at most ``most``.
    """
    place = {step.index: index for index, step in enumerate(plan)}
    before = [{place[each] for each in step.after or () if each in place} for step in plan]
    yield _as_made(plan, calls, before)
    others = _all(before, [], set())
    found = [order for order, _ in zip(others, range(most + 1), strict=False)]
    if len(found) <= most:
        yield from found


def _as_made(plan: Sequence[Planned], calls: Sequence[Call], before: Sequence[set[int]]) -> list[int]:
    """Return the order in which the steps were made, as far as it is allowed; the others as soon as they can be."""
    order: list[int] = []
    for call in calls:
        fitting = [index for index in _ready(before, order) if plan[index].name == call.name]
        equal = [index for index in fitting if plan[index].arguments == call.arguments]
        if fitting:
            order.append((equal or fitting)[0])
    while ready := _ready(before, order):
        order.append(ready[0])
    written = {step: number for number, step in enumerate(order)}
    return sorted(range(len(plan)), key=lambda index: written.get(index, inf))


def _ready(before: Sequence[set[int]], order: Sequence[int]) -> list[int]:
    done = set(order)
    return [index for index, needed in enumerate(before) if index not in done and needed <= done]


def _all(before: Sequence[set[int]], order: list[int], done: set[int]) -> Iterator[list[int]]:
    if len(order) == len(before):
        yield list(order)
        return
    for index in _ready(before, order):
        yield from _all(before, [*order, index], {*done, index})
