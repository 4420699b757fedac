"""Executing steps on a grounded task: which of the operators that a step stands for applies, and what it costs.

A step has several operators where a condition was split, or where an action is one of several ways to do it
(``validator.model.Action``); only then can their costs differ, and only the state tells which one is meant.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache

from validator.plan import Step
from validator.task import Operator, Task, Value

__all__ = ["step_costs"]


@dataclass(frozen=True, slots=True)
class _Ground:
    """An operator as values: what it needs, and what it sets when some values hold."""

    needed: tuple[Value, ...]
    effects: tuple[tuple[tuple[Value, ...], Value], ...]

    def applies(self, state: Sequence[int]) -> bool:
        return all(state[variable] == value for variable, value in self.needed)

    def apply(self, state: list[int]) -> list[int]:
        after = list(state)
        for conditions, (variable, value) in self.effects:
            if all(state[each] == wanted for each, wanted in conditions):
                after[variable] = value
        return after


@lru_cache(maxsize=100_000)
def _ground(operator: Operator) -> _Ground:
    needed = [_pair(line.split()) for line in operator.prevail.splitlines()]
    effects = []
    for line in operator.effects.splitlines():
        number, *rest = map(int, line.split())
        conditions = tuple((rest[2 * each], rest[2 * each + 1]) for each in range(number))
        variable, before, after = rest[2 * number :]
        if before != -1:
            needed.append((variable, before))
        effects.append((conditions, (variable, after)))
    return _Ground(tuple(needed), tuple(effects))


def _pair(words: Sequence[str]) -> Value:
    return int(words[0]), int(words[1])


def step_costs(task: Task, steps: Iterable[Step]) -> list[int]:
    """Return what each step of a sound plan costs, in the task's scaled integers.

    Only for tasks in which the ways of a step cost differently is the plan executed; such tasks have no axioms.
    """
    if not task.has_dearer_ways:
        return [task.operators[task.by_step[step][0]].cost for step in steps]
    state = list(task.init)
    costs = []
    for step in steps:
        ways = sorted((task.operators[number] for number in task.by_step[step]), key=lambda operator: operator.cost)
        way = next((way for way in ways if _ground(way).applies(state)), ways[0])
        state = _ground(way).apply(state)
        costs.append(way.cost)
    return costs
