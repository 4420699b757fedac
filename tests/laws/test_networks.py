"""Simple temporal networks against Bellman and Ford: consistent or not, the earliest times, the latest times."""

from __future__ import annotations

from random import Random

from tests.support.laws import law
from validator.execution.time.happening import Part
from validator.repair.time.network import ORIGIN, Constraint, Key, Network

KEYS = [(number, part) for number in range(1, 4) for part in (Part.START, Part.END)]


@law(300, quick=60)
def test_a_network_has_the_times_of_the_longest_ways_however_constraints_come(seed: int) -> None:
    draw = Random(seed)
    known, network = list[Constraint](), Network()
    for _ in range(draw.randint(1, 6)):
        more = [_constraint(draw) for _ in range(draw.randint(1, 4))]
        known += more
        right = earliest(known)
        assert network.add(more) is (right is not None), known
        if right is None:
            return
        assert network.times == {key: right[key] for key in network.times}, known
        assert {key: network.latest(key) for key in network.times} == {key: latest(known, key) for key in network.times}
        network = draw.choice((network, network.copy(), Network(network.times, known)))


def _constraint(draw: Random) -> Constraint:
    early, late = draw.choice((ORIGIN, *KEYS)), draw.choice((ORIGIN, *KEYS))
    return early, late, draw.randint(-6, 4)


def earliest(constraints: list[Constraint]) -> dict[Key, int] | None:
    """Return the longest ways from the origin; None where a circle has no end."""
    times = dict.fromkeys((ORIGIN, *KEYS), 0)
    for _ in range(len(times) + 1):
        before = dict(times)
        for early, late, least in constraints:
            times[late] = max(times[late], times[early] + least)
        if times == before:
            return None if times[ORIGIN] else times
    return None


def latest(constraints: list[Constraint], key: Key) -> int | None:
    """Return the last time of a key at which the others still have some."""
    if key == ORIGIN:
        return 0
    times = earliest(constraints)
    assert times is not None
    last = sum(abs(least) for _, _, least in constraints) + times[key] + 1
    if earliest([*constraints, (ORIGIN, key, last)]) is not None:
        return None
    while earliest([*constraints, (ORIGIN, key, last)]) is None:
        last -= 1
    return last
