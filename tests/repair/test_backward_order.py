"""The order of the backward search: every repair has one in that order, with the same steps to the same state."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from itertools import combinations, permutations

import pytest

from tests.support.depth import some
from validator.repair.cost_partitioning.change import Change
from validator.repair.regression.order import ANY, NONE, Order

VARIABLES, VALUES = 3, 2

Move = tuple[str, int]
"""A step that is kept or skipped, or an operator that is inserted, with the number of the operator."""


def values(rng: random.Random, most: int) -> dict[int, int]:
    chosen = rng.sample(range(VARIABLES), rng.randint(0, most))
    return {variable: rng.randrange(VALUES) for variable in chosen}


def operators(rng: random.Random) -> list[Change]:
    found = []
    for number in range(4):
        need, sets = values(rng, 2), values(rng, 2)
        gains = tuple(value for value in sets.items() if need.get(value[0]) != value[1])
        found.append(Change(number=number, cost=1, need=need, sets=sets, gains=gains))
    return found


def behind(moves: Sequence[Move], changes: Sequence[Change], state: tuple[int, ...]) -> tuple[int, ...] | None:
    """Return the state behind moves, None where one of them cannot be made."""
    now = list(state)
    for kind, number in moves:
        if kind == "skip":
            continue
        if any(now[variable] != value for variable, value in changes[number].need.items()):
            return None
        for variable, value in changes[number].sets.items():
            now[variable] = value
    return tuple(now)


def reorderings(tokens: Sequence[Move], inserted: Sequence[Move]) -> Iterator[tuple[Move, ...]]:
    """Yield all ways to stand insertions between tokens, whose order stays."""
    length = len(tokens) + len(inserted)
    for places in combinations(range(length), len(inserted)):
        for order in set(permutations(inserted)):
            new, old = iter(order), iter(tokens)
            yield tuple(next(new) if place in places else next(old) for place in range(length))


def is_looked_at(moves: Sequence[Move], order: Order) -> bool:
    """Return whether the search goes this way, from the end."""
    last = ANY
    for kind, number in reversed(moves):
        if kind == "insert" and not order.allows(number, last):
            return False
        last = {"insert": number, "keep": Order.kept(number), "skip": NONE}[kind]
    return True


@pytest.mark.parametrize("seed", some(range(60), 20))
def test_of_every_repair_one_order_is_looked_at(seed: int) -> None:
    rng = random.Random(seed)
    changes = operators(rng)
    order = Order(changes)
    state = tuple(rng.randrange(VALUES) for _ in range(VARIABLES))
    tokens = [(rng.choice(["keep", "keep", "skip"]), rng.randrange(4)) for _ in range(rng.randint(0, 3))]
    inserted = [("insert", rng.randrange(4)) for _ in range(rng.randint(1, 3))]
    ends: dict[tuple[int, ...], list[bool]] = {}
    for moves in reorderings(tokens, inserted):
        end = behind(moves, changes, state)
        if end is not None:
            ends.setdefault(end, []).append(is_looked_at(moves, order))
    assert all(map(any, ends.values()))


def test_most_orders_are_not_looked_at() -> None:
    changes = [
        Change(number=number, cost=1, need={}, sets={number: 1}, gains=((number, 1),)) for number in range(VARIABLES)
    ]
    inserted = [("insert", number) for number in range(VARIABLES)]
    looked = [is_looked_at(moves, Order(changes)) for moves in reorderings([("skip", 0)], inserted)]
    assert (sum(looked), len(looked)) == (1, 24)
