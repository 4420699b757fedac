"""Repairs in parts of a model: what is proven there holds in the whole."""

from __future__ import annotations

import pytest

from benchmarks.models import towers
from validator import Report, check
from validator.checking.check import prepare
from validator.model.bundled import bundle
from validator.model.pddl import read_model

pytestmark = pytest.mark.planner

BLOCKS = bundle("blocks")


def changes(report: Report) -> int:
    return sum(diff.diff_type is not None for diff in report.plan_diff_obj)


@pytest.mark.deep
def test_a_tower_of_two_hundred_blocks_is_repaired_and_one_change_is_proven_nearest() -> None:
    tower = towers(200)
    prepared = prepare(read_model(BLOCKS.domain, tower.problem))
    assert prepared.is_large
    report = check(prepared, None, "\n".join(tower.steps[:500] + tower.steps[501:]), time_limit=120)
    assert (report.proven, changes(report), prepared.is_grounded) == (True, 1, False)
