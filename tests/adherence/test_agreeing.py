"""Sequences that mostly agree: their heaviest chain without a look at all pairs, against the one that looks at them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction
from itertools import pairwise
from random import Random
from typing import TypeAlias

import pytest
from hypothesis import given
from hypothesis import strategies as st

from validator.adherence import Argument, Call, Planned, adhere
from validator.adherence.alignment import align as alignments
from validator.adherence.alignment.agreeing import agreeing
from validator.adherence.alignment.chain import heaviest
from validator.adherence.alignment.weights import Weights

_Made: TypeAlias = "tuple[str, tuple[Argument, ...] | None]"
_ARGUMENT = st.builds(
    Argument,
    st.sampled_from(["x", "y", None]),
    st.sampled_from(["1", "1.0", "a", "A", "<id>"]),
    st.sampled_from([True, False, None]),
)
_MADE = st.tuples(st.sampled_from("fg"), st.none() | st.lists(_ARGUMENT, max_size=2).map(tuple))
_SCHEMAS = st.sampled_from([{}, {"f": ("y", "x")}])


def _plan(made: Sequence[_Made], unreadable: Iterable[int] = ()) -> list[Planned]:
    bad = set(unreadable)
    return [
        Planned(index=index, name=name, arguments=arguments, is_readable=index not in bad)
        for index, (name, arguments) in enumerate(made)
    ]


def _calls(made: Sequence[_Made]) -> list[Call]:
    return [Call(index=index, name=name, arguments=arguments) for index, (name, arguments) in enumerate(made)]


def _figures(pairs: Iterable[tuple[int, int]], weights: Weights) -> tuple[Fraction, int, int]:
    shares = [weights.share(step, call) for step, call in pairs]
    return sum(shares, Fraction(0)), shares.count(Fraction(1)), len(shares)


def _assert_as_heavy(plan: Sequence[Planned], calls: Sequence[Call], schemas: dict[str, tuple[str, ...]]) -> None:
    weights = Weights(plan, calls, schemas)
    found = agreeing(weights, 10**6)
    _, pairs = heaviest(range(len(plan)), [[call] for call in range(len(calls))], weights.of_calls, weights.base)
    assert found is not None
    assert all(one[0] < other[0] and one[1] < other[1] for one, other in pairwise(found))
    assert _figures(found, weights) == _figures(pairs, weights)


@given(st.lists(_MADE, max_size=8), st.lists(_MADE, max_size=8), st.sets(st.integers(0, 7), max_size=2), _SCHEMAS)
def test_it_is_as_heavy_as_the_heaviest_of_all_chains(
    plan: list[_Made], calls: list[_Made], unreadable: set[int], schemas: dict[str, tuple[str, ...]]
) -> None:
    _assert_as_heavy(_plan(plan, unreadable), _calls(calls), schemas)


@given(st.integers(0, 10**6), st.sampled_from([1, 3, 50]), st.sampled_from([0, 1, 3]), st.sampled_from([0.05, 0.3, 1]))
def test_so_it_is_where_the_calls_are_the_plan_with_changes(seed: int, values: int, keys: int, share: float) -> None:
    plan, calls = _changed(Random(seed), 40, values, keys, share)
    _assert_as_heavy(plan, calls, {})


def test_what_mostly_agrees_is_aligned_with_a_look_at_few_places() -> None:
    """There are some 800,000 pairs of one name."""
    plan, calls = _changed(Random(1), 2_000, 20, 3, 0.05)
    assert agreeing(Weights(plan, calls, {}), 30_000) is not None


def test_what_does_not_agree_is_left_to_a_look_at_all_pairs(monkeypatch: pytest.MonkeyPatch) -> None:
    plan = [{"name": "f", "arguments": {"x": x, "y": 0}} for x in (1, 2, 3, 1, 2, 3)]
    made = [{"name": "f", "arguments": {"x": x, "y": 1}} for x in (3, 2, 1, 3, 2, 1)]
    expected = adhere(plan, made).exact
    monkeypatch.setattr(alignments, "_MANY_PAIRS", 0)
    assert adhere(plan, made).exact == expected
    monkeypatch.setattr(alignments, "_PAIRS_A_PLACE", 1)
    assert adhere(plan, made).exact == expected


def _changed(random: Random, length: int, values: int, keys: int, share: float) -> tuple[list[Planned], list[Call]]:
    """Return a plan, and calls of which a share are left out, made twice, changed, or change places."""
    plan = [
        (
            f"f{random.randrange(5)}",
            tuple(Argument(f"a{key}", str(random.randrange(values)), True) for key in range(keys)),
        )
        for _ in range(length)
    ]
    calls: list[tuple[str, tuple[Argument, ...]]] = []
    for name, arguments in plan:
        change = random.randrange(4) if random.random() < share else None
        if change == 0:
            continue
        if change == 1:
            calls.append(random.choice(plan))
        if change == 2:
            arguments = (Argument("a0", "other", True), *arguments[1:])
        calls.insert(len(calls) - (change == 3 and bool(calls)), (name, arguments))
    return _plan(plan), _calls(calls)


_TEXTS = ("1", "1.0", "x", "X", "01", "<q>", "a b", "-1", "-1.0", "1e3")


def _some_arguments(draw: Random) -> tuple[Argument, ...]:
    """Return a few arguments: by position, by names, or both; of some it is not told whether they are texts."""
    names = draw.choice(((None,), ("a", "b", "c"), (None, "a", "b")))
    return tuple(
        Argument(draw.choice(names), draw.choice(_TEXTS), draw.choice((None, True, False)))
        for _ in range(draw.randint(0, 3))
    )


@pytest.mark.parametrize("seed", range(150))
def test_no_pair_weighs_more_than_its_step_or_its_call_may(seed: int) -> None:
    draw = Random(seed)
    plan = [Planned(index=at, name="f", arguments=_some_arguments(draw)) for at in range(5)]
    calls = [Call(index=at, name="f", arguments=_some_arguments(draw)) for at in range(5)]
    order = draw.choice(((), ("a", "b", "c"), ("b", "a")))
    weights = Weights(plan, calls, {"f": order})
    steps, made = weights.tops
    for step in range(5):
        for call in range(5):
            weight = weights.weigh(step, call)
            assert weight <= min(steps[step], made[call])
            assert (weight == 1) is (weights.share(step, call) == 0)
