"""The costs of a variable's values, of which only those that differ are kept: the same as of each value by itself."""

from __future__ import annotations

import random
from math import inf

import pytest

from tests.support.depth import some
from validator.repair.cost_partitioning.change import FREE, Change
from validator.repair.regression.profiles import Projections


def change(number: int, cost: int, need: int, value: int) -> Change:
    before = {} if need == FREE else {0: need}
    gains = () if need == value else ((0, value),)
    return Change(number=number, cost=cost, need=before, sets={0: value}, gains=gains)


def case(seed: int) -> Projections:
    """Return one variable: a hub that most values lead to and come from, a road, or arcs at random."""
    draw = random.Random(seed)
    size = draw.choice((2, 3, 5, 40))
    values = range(size)
    arcs = [(draw.choice((*values, FREE)), draw.choice(values)) for _ in range(draw.randint(1, 2 * size))]
    if draw.random() < 0.6:
        hub = draw.choice(values)
        arcs += [(hub, value) for value in values if draw.random() < 0.95] + [(value, hub) for value in values]
    dear = draw.choice((1, 1, 4))
    changes = [change(number, draw.randint(1, dear), *arc) for number, arc in enumerate(arcs) if arc[0] != arc[1]]
    steps = [[draw.choice(changes) for _ in range(draw.choice((1, 1, 1, 2)))] if changes else [] for _ in range(30)]
    return Projections(sizes=[size], init=[0], changes=changes, steps=steps, skip=draw.randint(1, 3))


def closed(costs: list[float], changes: list[Change]) -> list[float]:
    for _ in costs:
        for each in changes:
            before = costs[each.need[0]] if 0 in each.need else min(costs)
            costs[each.sets[0]] = min(costs[each.sets[0]], before + each.cost)
    return costs


@pytest.mark.parametrize("start", [0, 7])
@pytest.mark.parametrize("seed", some(range(50), 12))
def test_what_is_kept_says_what_looking_at_each_value_says(seed: int, start: int) -> None:
    projections = case(seed)
    (size,), changes = projections.sizes, list(projections.changes)
    costs = closed([0.0 if start or value == 0 else inf for value in range(size)], changes)
    profile = projections.profile(start, len(projections.steps))
    row = profile.first[0]
    for place, changed in enumerate(profile.changed):
        if place:
            steps, before = projections.steps[start + place - 1], list(costs)
            costs = [cost + projections.skip for cost in before]
            for step in steps:
                passed = before[step.need[0]] if 0 in step.need else min(before)
                costs[step.sets[0]] = min(costs[step.sets[0]], passed)
            costs = closed(costs if steps else before, changes)
        row = changed.get(0, row)
        assert [row.at(value) for value in range(size)] == costs
        assert (row.least, row.most) == (min(costs), max(costs))
