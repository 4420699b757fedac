"""The prices of the modified planning problem; what its plans are is held to an oracle by ``tests/laws``."""

from __future__ import annotations

import pytest

from tests.repair.test_repair import ROADS, roads
from tests.support.models import task_of
from validator import prepare
from validator.grounding.task import Task
from validator.reading.plan import Constraint, Step, Unparsed
from validator.repair.edit import Weighting, compile_edit

pytestmark = pytest.mark.planner


@pytest.fixture(scope="module")
def task() -> Task:
    return task_of(prepare(ROADS, roads("(at b)")))


def test_the_skips_of_a_long_plan_fit_the_search() -> None:
    weighting = Weighting.keeping(100_000)
    assert weighting.skip * 100_000 < 2**29


def test_what_is_no_reachable_operator_is_skipped_before_the_search(task: Task) -> None:
    steps = [Step(name="go", args=args) for args in (("a", "b"), ("b", "d"), ("a",))]
    tokens = [*steps, Step(name="fly"), Unparsed(text="(", reason="x"), Constraint(text="x")]
    found = compile_edit(task, tokens, Weighting.edits(), with_goal=False)
    assert (found.kept, found.forced_cost) == ((0,), 5)


def test_costs_that_do_not_fit_are_refused(task: Task) -> None:
    with pytest.raises(OverflowError, match="do not fit"):
        compile_edit(task, [Step(name="go", args=("a", "b"))], Weighting.cheapest(10**9), with_goal=True)
