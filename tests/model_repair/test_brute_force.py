"""Sizes and sets of smallest repairs, compared with a repairer that tries every set of edits."""

from __future__ import annotations

import pytest

from tests.support.depth import deep
from tests.support.model_repair_oracle import reach_trial
from tests.support.model_repairs import agree, compared

pytest.importorskip("pysat")


@pytest.mark.parametrize("must_fail", [False, True])
def test_the_smallest_repairs_are_those_of_trying_every_set(must_fail: bool) -> None:
    outcomes = [agree(seed, must_fail=must_fail) for seed in range(10)]
    assert "2" in outcomes


@pytest.mark.deep
@pytest.mark.parametrize("must_fail", [False, True])
def test_the_smallest_repairs_of_hundreds_of_domains(must_fail: bool) -> None:
    outcomes = [agree(seed, must_fail=must_fail) for seed in range(1_000, 1_250)]
    assert outcomes.count("1") + outcomes.count("2") > 25


@pytest.mark.parametrize("seeds", [range(12), deep(range(12, 120))], ids=["few", "many"])
def test_the_smallest_repairs_where_a_predicate_stands_for_itself(seeds: range) -> None:
    outcomes = [compared(seed, reach_trial(seed)) for seed in seeds]
    assert outcomes.count("1") > len(seeds) // 8
