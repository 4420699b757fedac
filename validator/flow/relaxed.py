"""Whether a goal can be reached when nothing is ever deleted: where it cannot, no search is needed to say so."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Set
from functools import cached_property

from validator.grounding.operators import Operator, Value
from validator.grounding.task import Task

__all__ = ["Relaxed"]


class Relaxed:
    """The delete relaxation of a task, in which all conditional effects take place; of axioms nothing is said."""

    def __init__(self, task: Task) -> None:
        self.task = task

    @cached_property
    def _operators(self) -> list[tuple[tuple[Value, ...], tuple[Value, ...]]]:
        return [_relaxed(operator) for operator in (*self.task.operators, *self.task.goal_operators)]

    @cached_property
    def _readers(self) -> dict[Value, list[int]]:
        found: dict[Value, list[int]] = defaultdict(list)
        for number, (needed, _) in enumerate(self._operators):
            for value in needed:
                found[value].append(number)
        return found

    def reaches_goal(self, without: Set[int]) -> bool:
        """Return whether the goal can be reached without the operators of these numbers, or that is not known."""
        if self.task.has_axioms:
            return True
        goal = {self.task.reached} if self.task.goal is None else set(self.task.goal)
        missing = [len(needed) for needed, _ in self._operators]
        waiting = list(enumerate(self.task.init))
        for number, (needed, added) in enumerate(self._operators):
            if not needed and number not in without:
                waiting += added
        reached: set[Value] = set()
        while waiting and not goal <= reached:
            value = waiting.pop()
            if value in reached:
                continue
            reached.add(value)
            for number in self._readers.get(value, ()):
                missing[number] -= 1
                if not missing[number] and number not in without:
                    waiting += self._operators[number][1]
        return goal <= reached


def _relaxed(operator: Operator) -> tuple[tuple[Value, ...], tuple[Value, ...]]:
    added = tuple((effect.variable, effect.value) for effect in operator.effect_values)
    return tuple(operator.needed.items()), added
