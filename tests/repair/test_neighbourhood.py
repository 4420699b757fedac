"""A plan made cheaper stretch by stretch."""

from __future__ import annotations

import time

import pytest

from tests.support.models import carry, gripper
from validator import prepare
from validator.grounding.limits import Limits
from validator.grounding.task import Task
from validator.model.pddl import read_model
from validator.reading.plan import Step
from validator.repair.cheapest import cheaper_plan

pytestmark = pytest.mark.planner


@pytest.mark.parametrize("most", [0, 30])
def test_detours_are_taken_out(most: int) -> None:
    limits = Limits(deadline=time.monotonic() + 60, memory=2**32)
    prepared = prepare(read_model(*gripper(4)))
    task = prepared.task(limits)
    assert isinstance(task, Task)
    good = [Step(name=words[0], args=tuple(words[1:])) for words in map(_words, carry(4).splitlines())]
    move = next(step for step in good if step.name == "move")
    there_and_back = [move, Step(name="move", args=move.args[::-1])]
    place = good.index(move)
    long = [*good[:place], *there_and_back, *good[place:]]
    found = cheaper_plan(task, long, max(most, len(good)) if most else 0, limits, lambda: False)
    assert prepared.simulator.run(list(found)).is_valid
    assert len(found) <= (len(long) if most else len(good))
    assert cheaper_plan(task, long, 0, limits, lambda: True) == tuple(long)


def _words(line: str) -> list[str]:
    return line[1:-1].split()
