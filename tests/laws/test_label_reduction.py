"""Classes of operators: only what changes nothing is left out, and a class has one price everywhere."""

from __future__ import annotations

from itertools import product
from random import Random

from tests.support.laws import law
from validator.repair.cost_partitioning.problem import FREE, Change, Classes

SIZES = (2, 2, 3)


@law(50, quick=8)
def test_in_every_state_whatever_changes_something_is_among_them(seed: int) -> None:
    changes = [_change(number, Random(f"{seed} {number}")) for number in range(40)]
    alike = Classes.of(changes, lambda: False)
    for state in product(*map(range, SIZES)):
        behind = {(after, change.cost) for change in alike.operators if (after := _after(change, state)) != state}
        for change in changes:
            after = _after(change, state)
            assert after == state or (after, change.cost) in behind


@law(50, quick=8)
def test_a_class_does_one_thing_to_each_variable_by_itself(seed: int) -> None:
    alike = Classes.of([_change(number, Random(f"{seed} {number}")) for number in range(40)], lambda: False)
    members = iter(alike.operators)
    for number, (length, one) in enumerate(zip(alike.lengths, alike.classes, strict=True)):
        assert one.number == number
        assert all(_arcs(next(members)) == _arcs(one) for _ in range(length))
    assert next(members, None) is None


def _change(number: int, random: Random) -> Change:
    def values() -> dict[int, int]:
        return {variable: random.randrange(size) for variable, size in enumerate(SIZES) if random.random() < 0.5}

    return Change.of(number, random.choice((1, 2)), values(), values(), {})


def _after(change: Change, state: tuple[int, ...]) -> tuple[int, ...]:
    """Return the state behind an operator; the same where it is not applicable."""
    if any(state[variable] != value for variable, value in change.need.items()):
        return state
    return tuple(change.sets.get(variable, value) for variable, value in enumerate(state))


def _arcs(change: Change) -> tuple[int, frozenset[tuple[int, int, int]]]:
    return change.cost, frozenset((v, change.need.get(v, FREE), value) for v, value in change.sets.items())
