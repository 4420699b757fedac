"""Small random flows, and what can be done in them by looking at every state: an oracle that shares no search."""

from __future__ import annotations

from random import Random

from validator.flow.model import (
    Claim,
    Flow,
    FlowOptions,
    Input,
    ItemState,
    LifeCycle,
    Map,
    MemoryItem,
    Operator,
    Order,
    Output,
    Slot,
)

__all__ = ["random_flow"]


def random_flow(rng: Random) -> Flow:
    """Return a flow of up to four items and three operators, with any options."""
    items = "abcd"[: rng.randint(2, 4)]
    types = {item: rng.choice([None, "T", "T", "U"]) for item in items}
    operators = tuple(_operator(rng, f"f{number}", items, types) for number in range(rng.randint(1, 3)))
    pairs = {(rng.choice(items), rng.choice(items)) for _ in range(rng.randint(0, 2))}
    return Flow(
        name="random",
        operators=operators,
        memory=tuple(MemoryItem(item=item, type=types[item], state=rng.choice(list(ItemState))) for item in items),
        slots=tuple(Slot(item=item, desirability=rng.choice([0, 0, 0.5])) for item in items),
        maps=tuple(
            Map(source=source, target=target, probability=rng.choice([0, 1, 1]))
            for source, target in sorted(pairs)
            if source != target
        ),
        orders=(Order(first="f0", then="f1"),) if len(operators) > 1 and rng.randint(0, 4) == 4 else (),
        options=_options(rng),
    )


def _operator(rng: Random, name: str, items: str, types: dict[str, str | None]) -> Operator:
    def claims(rarity: int) -> tuple[Claim, ...]:
        claim = Claim(text=f"${rng.choice(items)} > 1", holds=rng.choice([True, True, False]))
        return (claim,) if rng.randint(1, rarity) == rarity else ()

    return Operator(
        name=name,
        inputs=tuple(
            Input(item=item, type=types[item]) for item in rng.sample(items, rng.randint(0, min(2, len(items))))
        ),
        outputs=tuple(Output(item=item, type=types[item]) for item in rng.sample(items, rng.randint(0, 2))),
        needs=claims(3),
        ensures=claims(6),
        max_try=rng.choice([1, 1, 2]),
    )


def _options(rng: Random) -> FlowOptions:
    def rarely() -> bool:
        return rng.randint(0, 4) == 4

    return FlowOptions(
        ask_always=not rarely(),
        ask_last_resort=rarely(),
        ask_ordered=rarely(),
        ask_together=rarely(),
        map_types=rng.choice([True, False]),
        map_transitive=rarely(),
        map_always=rarely(),
        life_cycle=frozenset(cycle for cycle in LifeCycle if rarely()),
        multi_instance=not rarely(),
        retries=rng.choice([True, False]),
        lookahead=int(rarely()),
    )
