"""What a grounded flow allows, by looking at everything: an oracle for nearest plans with moves, and for all plans."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from heapq import heappop, heappush
from itertools import count

from validator.grounding.task import Task
from validator.reading.plan import Step

__all__ = ["cheapest_with_moves"]

State = tuple[int, ...]


def _after(task: Task, state: State, step: Step) -> tuple[State, int] | None:
    """Return the state behind a step and what it costs, by the cheapest way that the state allows."""
    ways = sorted((task.operators[number] for number in task.by_step.get(step, ())), key=lambda way: way.cost)
    way = next((way for way in ways if way.applies(state)), None)
    return None if way is None else (tuple(way.after(state)), way.cost)


def _is_goal(task: Task, state: State) -> bool:
    choices = (any(all(state[v] == x for v, x in way) for way in ways) for ways in task.goal_stages)
    return all(choices)


def cheapest_with_moves(
    task: Task, tokens: Sequence[Step | None], *, with_goal: bool, most: int
) -> tuple[int, int] | None:
    """Return how many lines the nearest plan loses, and what it costs otherwise; (-1, -1) when there is none.

    A line that is done behind one that stands after it in the plan is moved, for 1. None when more than ``most``
    states would have to be looked at.
    """
    start = (task.init, 0, frozenset[int]())
    waiting = [(0, 0, start)]
    settled: dict[tuple[State, int, frozenset[int]], int] = {}
    numbers = count(1)
    ends: list[tuple[int, int]] = []
    while waiting:
        cost, _, node = heappop(waiting)
        if node in settled:
            continue
        settled[node] = cost
        if len(settled) > most:
            return None
        state, place, used = node
        if not with_goal or _is_goal(task, state):
            ends.append((len(tokens) - len(used), cost))
        for step in task.by_step:
            if (found := _after(task, state, step)) is not None:
                heappush(waiting, (cost + max(found[1], 1), next(numbers), (found[0], place, used)))
        for index, token in enumerate(tokens):
            if token is None or index in used or (found := _after(task, state, token)) is None:
                continue
            if index >= place:
                heappush(waiting, (cost, next(numbers), (found[0], index + 1, used | {index})))
            heappush(waiting, (cost + 1, next(numbers), (found[0], place, used | {index})))
    return min(ends, default=(-1, -1))


def _smallest(plans: dict[frozenset[tuple[Step, int]], int]) -> Iterator[tuple[frozenset[tuple[Step, int]], int]]:
    for key, cost in plans.items():
        others = (dict(other) for other in plans if other != key)
        own = dict(key)
        if not any(all(own.get(step, 0) >= number for step, number in other.items()) for other in others):
            yield key, cost
