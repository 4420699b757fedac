"""Long sequences that mostly agree are aligned without a look at all pairs, and as heavily as with one."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random
from typing import Any

import pytest

from validator.adherence import Adherence, adhere
from validator.adherence.alignment import align as alignments
from validator.adherence.alignment.agreeing import agreeing
from validator.adherence.alignment.weights import Weights
from validator.adherence.values import RowKind
from validator.reading.stated.stated import given_plan
from validator.reading.traces.read import read_trace

_VALUES = (1, 2, 1.0, "1", "1.0", "x", "X", "<q>", "a b", None)


def _arguments(draw: Random, keys: int) -> dict[str, object] | list[object]:
    """Return a few arguments, by names or by position."""
    values = {name: draw.choice(_VALUES) for name in draw.sample("abc", draw.randint(0, keys))}
    return list(values.values()) if draw.random() < 0.2 else values


def _changed(draw: Random, plan: Sequence[dict[str, Any]], share: float) -> list[dict[str, Any]]:
    """Return calls of which a share are left out, made twice, changed, or change places."""
    calls: list[dict[str, Any]] = []
    for step in plan:
        change = draw.randrange(4) if draw.random() < share else None
        if change == 0:
            continue
        if change == 1:
            calls.append(draw.choice(plan))
        call = {**step, "arguments": _arguments(draw, 3)} if change == 2 else step
        calls.insert(len(calls) - (change == 3 and bool(calls)), call)
    return calls


def _figures(found: Adherence) -> tuple[object, int, int]:
    kinds = [row.kind for row in found.rows]
    return found.weight, kinds.count(RowKind.MATCHED), kinds.count(RowKind.CHANGED)


@pytest.mark.parametrize("seed", range(200))
def test_it_is_as_heavy_as_with_a_look_at_all_pairs(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    draw = Random(seed)
    keys, length = draw.choice((0, 1, 3)), draw.choice((4, 12, 40))
    plan = [{"name": draw.choice("fg"), "arguments": _arguments(draw, keys)} for _ in range(length)]
    calls = _changed(draw, plan, draw.choice((0.05, 0.3, 1)))
    expected = _figures(adhere(plan, calls))
    monkeypatch.setattr(alignments, "_MANY_PAIRS", 0)
    if draw.random() < 0.7:  # to the end, however many places that takes
        monkeypatch.setattr(alignments, "agreeing", lambda weights, _: agreeing(weights, 10**6))
    assert _figures(adhere(plan, calls)) == expected


def test_what_mostly_agrees_is_aligned_with_a_look_at_few_places() -> None:
    """There are some 800,000 pairs of one name."""
    draw = Random(1)
    plan = [
        {"name": f"f{draw.randrange(5)}", "arguments": {name: draw.randrange(20) for name in "abc"}}
        for _ in range(2_000)
    ]
    steps, calls = given_plan(plan, ()).steps, read_trace(_changed(draw, plan, 0.05)).calls
    assert steps is not None and agreeing(Weights(steps, calls, {}), 30_000) is not None
