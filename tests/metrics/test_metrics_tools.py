"""Tool correctness: DeepEval's recorded cases, with the differences that its own faults make; the best match."""

from __future__ import annotations

from fractions import Fraction
from itertools import permutations
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from validator.metrics import tool_correctness
from validator.metrics.assignment import heaviest_assignment


def call(name: str, **arguments: Any) -> dict[str, Any]:
    return {"name": name, "arguments": arguments}


def test_the_reason_names_every_deviation() -> None:
    found = tool_correctness(["a", call("b", x=1), "d"], ["a", call("b", x=2), "c"], with_arguments=True)
    assert (found.missing, found.extra) == (("b", "c"), ("b", "d"))
    half = tool_correctness([call("b", x=1, y=1)], [call("b", x=1, y=2)], with_arguments=True)
    assert half.partial == (("b", 0.5),)
    assert half.reason == "b was called, with a share of 0.5 as expected."
    assert tool_correctness(["a"], ["a"]).reason == "Every expected tool was called, and no other."


names = st.lists(st.sampled_from("abc"), max_size=6)


@given(names, names)
def test_order_can_only_cost(called: list[str], expected: list[str]) -> None:
    scores = [tool_correctness(called, expected, matching=mode).score for mode in ("any", "ordered", "exact")]
    assert scores == sorted(scores, reverse=True)


weights = st.integers(0, 4).flatmap(
    lambda columns: st.lists(st.lists(st.integers(0, 3).map(Fraction), min_size=columns, max_size=columns), max_size=4)
)


@given(weights)
def test_the_assignment_is_the_heaviest_of_all(table: list[list[Fraction]]) -> None:
    pairs = heaviest_assignment(table)
    assert len({row for row, _ in pairs}) == len({column for _, column in pairs}) == len(pairs)
    width = len(table[0]) if table else 0
    padded = [row + [Fraction(0)] * len(table) for row in table]
    best = max(
        sum(padded[row][column] for row, column in enumerate(chosen))
        for chosen in permutations(range(width + len(table)), len(table))
    )
    assert sum(table[row][column] for row, column in pairs) == best
