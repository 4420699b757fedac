"""The policy ``move``: what stands out of order is moved, and that no plan is nearer is so."""

from __future__ import annotations

import pytest

from tests.support.flow_building import operator, ran
from validator.flow import check_flow
from validator.flow.model import Flow
from validator.repair.diff import DiffAction

pytestmark = pytest.mark.planner

ORDER = Flow(
    name="order",
    operators=(
        operator("find", "city", "hotel"),
        operator("book", "hotel", "booking"),
        operator("pay", "booking", "receipt"),
    ),
    goals=((ran("pay"),),),
)
GOOD = ["ask(city)", "hotel = find(city)", "booking = book(hotel)", "receipt = pay(booking)"]


@pytest.mark.parametrize("first", range(3))
def test_swapped_lines_are_moved_and_nothing_is_asked(first: int) -> None:
    lines = list(GOOD)
    lines[first : first + 2] = reversed(lines[first : first + 2])
    report = check_flow(ORDER, lines)
    assert (report.determination, report.proven, report.repaired_cost) == (False, True, 165_030)
    added, deleted = (
        [str(diff.step) for diff in report.plan_diff_obj if diff.diff_type is kind]
        for kind in (DiffAction.ADD, DiffAction.DELETE)
    )
    assert added == deleted and len(added) == 1
    assert [str(step) for step in report.repaired_plan or ()] == GOOD
    assert check_flow(ORDER, [str(step) for step in report.repaired_plan or ()]).determination
