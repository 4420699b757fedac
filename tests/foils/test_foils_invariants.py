"""Values that never hold at once: what is excluded is in no reachable state, and sums are found that mutexes miss."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import product
from types import SimpleNamespace
from typing import cast

from hypothesis import given, settings
from hypothesis import strategies as st

from validator.foils.invariants import Invariants
from validator.grounding.operators import Effect, Operator
from validator.grounding.task import Task


def operator(needed: dict[int, int], effects: dict[int, int]) -> Operator:
    made = [Effect(conditions=(), variable=variable, value=value) for variable, value in effects.items()]
    return Operator.made("o", tuple(needed.items()), made, 1)


def invariants(init: Sequence[int], operators: Iterable[Operator]) -> Invariants:
    return Invariants(task=cast(Task, SimpleNamespace(init=tuple(init), operators=tuple(operators))))


def test_a_sum_of_more_than_two_values() -> None:
    """Two free cells and three cards: no pair of cards excludes the third, nor a card the count of two."""
    operators = []
    for card, free in product((1, 2, 3), (1, 2)):
        operators.append(operator({0: free, card: 0}, {0: free - 1, card: 1}))
        operators.append(operator({0: free - 1, card: 1}, {0: free, card: 0}))
    known = invariants((2, 0, 0, 0), operators)
    assert known.exclude({1: 1, 2: 1, 3: 1}, 5)
    assert known.exclude({0: 2, 1: 1}, 5)
    assert known.exclude({1: 7}, 5)  # a value that nothing makes
    assert not known.exclude({0: 0, 1: 1, 2: 1}, 5)
    assert not known.exclude({1: 1, 2: 1, 3: 0}, 5)


Values = dict[int, int]

_VALUES = st.dictionaries(st.integers(0, 3), st.integers(0, 2), min_size=1, max_size=3)


@settings(max_examples=25)
@given(st.lists(st.tuples(_VALUES, _VALUES), max_size=6), _VALUES)
def test_what_is_excluded_is_in_no_reachable_state(steps: list[tuple[Values, Values]], asked: Values) -> None:
    operators = [operator(needed, effects) for needed, effects in steps]
    reached, agenda = {(0, 0, 0, 0)}, [(0, 0, 0, 0)]
    while agenda:
        state = agenda.pop()
        for each in operators:
            after = tuple(each.after(state))
            if each.applies(state) and after not in reached:
                reached.add(after)  # type: ignore[arg-type]
                agenda.append(after)  # type: ignore[arg-type]
    holds = any(all(state[variable] == value for variable, value in asked.items()) for state in reached)
    assert not (holds and invariants((0, 0, 0, 0), operators).exclude(asked, 5))
