"""Executing steps on a grounded task: which of the operators that a step stands for applies, and what it costs.

A step has several operators where a condition was split, or where an action is one of several ways to do it
(``validator.model.values.Action``); only then can their costs differ, and only the state tells which one is meant.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from validator.reading.plan import Step

if TYPE_CHECKING:
    from validator.grounding.task import Task

__all__ = ["step_costs"]


def step_costs(task: Task, steps: Iterable[Step]) -> list[int]:
    """Return what each step of a sound plan costs, in the task's scaled integers.

    Only for tasks in which the ways of a step cost differently is the plan executed; such tasks have no axioms.
    """
    if not task.has_dearer_ways:
        return [task.operators[task.by_step[step][0]].cost for step in steps]
    state: Sequence[int] = task.init
    costs = []
    for step in steps:
        ways = sorted((task.operators[number] for number in task.by_step[step]), key=lambda operator: operator.cost)
        way = next((way for way in ways if way.applies(state)), ways[0])
        state = way.after(state)
        costs.append(way.cost)
    return costs
