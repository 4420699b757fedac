"""Metrics of the steps alone: figures by hand, laws, and plain dynamic programmes as oracles; tool correctness."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from fractions import Fraction
from itertools import pairwise, permutations
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.places import ROOT
from validator import cli
from validator.metrics import (
    METRICS,
    actions_distance,
    compare,
    edit_distance,
    jaccard,
    lcs,
    read,
    stability_distance,
    step_f1,
    step_precision,
    step_recall,
    tool_correctness,
)
from validator.metrics.assignment import heaviest_assignment
from validator.reading.plan import Step
from validator.repair.alignment import common_pairs, edit_length, lcs_length

sequences = st.lists(st.integers(0, 4), max_size=80)
plans = st.lists(st.sampled_from(["a", "b", "c(x)", "c(y)", "d"]), max_size=9)


def plain_lcs(one: Sequence[int], other: Sequence[int]) -> int:
    row = [0] * (len(other) + 1)
    for item in one:
        before = row
        row = [0]
        for column, member in enumerate(other):
            row.append(before[column] + 1 if item == member else max(before[column + 1], row[column]))
    return row[-1]


def plain_edit(one: Sequence[int], other: Sequence[int]) -> int:
    row = list(range(len(other) + 1))
    for number, item in enumerate(one, start=1):
        before = row
        row = [number]
        for column, member in enumerate(other):
            row.append(min(before[column] + (item != member), before[column + 1] + 1, row[column] + 1))
    return row[-1]


@given(sequences, sequences)
def test_lcs_is_that_of_the_plain_programme(one: list[int], other: list[int]) -> None:
    assert lcs_length(one, other) == plain_lcs(one, other)


@given(sequences, sequences)
def test_the_pairs_are_a_longest_common_subsequence(one: list[int], other: list[int]) -> None:
    pairs = common_pairs(one, other)
    assert len(pairs) == plain_lcs(one, other)
    assert all(one[i] == other[j] for i, j in pairs)
    assert all(before[0] < after[0] and before[1] < after[1] for before, after in pairwise(pairs))


@given(sequences, sequences)
def test_edit_distance_is_that_of_the_plain_programme(one: list[int], other: list[int]) -> None:
    assert edit_length(one, other) == plain_edit(one, other)


@pytest.mark.parametrize(
    ("metric", "generated", "reference", "value"),
    [
        (lcs, "a, b, c, d", "a, x, c", 2 / 4),
        (jaccard, "a, b, b", "b, c", 1 / 3),
        (actions_distance, "a, b, b", "b, c", 2 / 3),
        (stability_distance, "a, b, c", "a, c, d", 2),
        (stability_distance, "a, a, b", "a, b", 1),
        (edit_distance, "a, b, c", "a, x, c", 1),
        (edit_distance, "a, b, c", "c, a, b", 2),
        (step_precision, "a, a, x, b", "b, a", 2 / 4),
        (step_recall, "a, a, x, b", "b, a", 1.0),
        (step_f1, "a, a, x, b", "b, a", 4 / 6),
        (lcs, "(a)\n(b)", "a, b", 1.0),
        (lcs, "{a, b}", "a, b", 0.0),
        (jaccard, "{a, b}", "a, b", 1.0),
    ],
)
def test_figures(metric: Callable[[str, str], float], generated: str, reference: str, value: float) -> None:
    assert metric(generated, reference) == pytest.approx(value)


DISTANCES = [stability_distance, edit_distance, actions_distance]
SYMMETRIC = [*DISTANCES, lcs, jaccard, step_f1]


@given(plans, plans, plans)
def test_metrics_are_distances_and_likenesses(one: list[str], other: list[str], third: list[str]) -> None:
    for metric in SYMMETRIC:
        assert metric(one, other) == metric(other, one)
    assert step_precision(one, other) == step_recall(other, one)
    for name, each in METRICS.items():
        if not each.needs_model and name != "cost":
            assert each.measure(one, one) == (0 if each.kind == "distance" else 1)  # type: ignore[arg-type]
    for distance in DISTANCES:
        assert distance(one, third) <= distance(one, other) + distance(other, third) + 1e-12
    assert (edit_distance(one, other) == 0) == (lcs(one, other) == 1) == (one == other)
    assert (stability_distance(one, other) == 0) == (sorted(one) == sorted(other))
    longest = max(len(one), len(other))
    assert stability_distance(one, other) <= 2 * edit_distance(one, other)
    assert longest - longest * lcs(one, other) <= edit_distance(one, other) + 1e-9


def test_sets_and_texts_may_be_members_of_a_list() -> None:
    pick, stack = Step(name="pick", args=("a",)), Step(name="stack", args=("a", "b"))
    assert read([{"pick(a)", stack}, "wait"]).elements == (frozenset([pick, stack]), Step(name="wait"))


# --- tool correctness ----------------------------------------------------------------------------


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


# --- the comparison of plans by name -------------------------------------------------------------


PUZZLE = ROOT / "domains" / "puzzle"
MODEL = [str(PUZZLE / "domain.pddl"), str(PUZZLE / "problem.pddl")]
GOOD, DETOUR, SWAPPED = (str(PUZZLE / f"{name}.plan") for name in ("good", "detour", "broken-swapped-steps"))


def test_one_name_is_a_list_of_one_and_one_text_is_no_list() -> None:
    (pair,) = compare(["a, b", "a"], metrics="lcs").pairs
    assert list(pair.scores) == ["lcs"]
    with pytest.raises(TypeError, match="a list of plans is needed"):
        compare("(a)")
    with pytest.raises(TypeError, match="a model is what prepare"):
        compare(["a", "b"], "domain.pddl")  # type: ignore[arg-type]


def test_a_plan_may_be_a_path() -> None:
    found = compare([GOOD, Path(DETOUR)])
    assert [plan.steps for plan in found.plans] == [8, 10]
    assert str(found).splitlines()[1:3] == ["1     8      8", "2     10     10"]
    with pytest.raises(FileNotFoundError):
        compare([GOOD, PUZZLE / "gone.plan"])


# --- the command ---------------------------------------------------------------------------------


def test_a_value_that_is_not_known_has_its_reason(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["compare", *MODEL, GOOD, SWAPPED, DETOUR, "--metrics", "states,links"]) == 0
    out = capsys.readouterr().out
    assert "1-2 states, links: the reference plan does not execute: step 4, precondition: (empty b1)" in out
    assert re.search(r"^pair +states +links$\n^1-2 +- +-$\n^1-3 +0.3638 +0.8148$", out, re.MULTILINE)
