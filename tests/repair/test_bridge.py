"""A repair fault by fault: each repaired up to the next one, without what is right behind it."""

from __future__ import annotations

import pytest

from tests.support.models import carry, gripper, limits
from validator.checking.prepared import prepare
from validator.grounding.task import Task
from validator.model.pddl import read_model
from validator.reading.plan import Plan
from validator.reading.tokens import tokenize
from validator.repair.edit import Weighting, compile_edit, kept_steps
from validator.repair.search.plans.bridge import bridge

pytestmark = pytest.mark.planner

BALLS = 6


@pytest.mark.parametrize(
    ("missing", "added", "changes"),
    [((8,), None, 1), ((8, 12), None, 2), ((8, 12), "(drop b4 y l)", 3), ((4, 8, 12), "(drop b4 y l)", 4)],
)
def test_one_missing_step_costs_one_change_with_other_faults_behind_it(
    missing: tuple[int, ...], added: str | None, changes: int
) -> None:
    """What all steps behind a window need contradicts itself where there are other faults."""
    lines = carry(BALLS).splitlines()
    if added is not None:
        lines.insert(17, added)
    for place in sorted(missing, reverse=True):
        del lines[place - 1]
    prepared = prepare(read_model(*gripper(BALLS)))
    task = prepared.task(limits())
    assert isinstance(task, Task)
    tokens = [prepared.simulator.resolve(token) for token in tokenize("\n".join(lines), prepared.vocabulary).tokens]
    edit_task = compile_edit(task, tokens, Weighting.edits(), with_goal=True)
    edits = bridge(edit_task, "astar(lmcut())", limits(), lambda: False, with_goal=True)
    assert edits is not None
    assert prepared.simulator.run(Plan(parts=kept_steps(edits))).is_valid
    assert edit_task.cost(edits) == changes
