"""The modified problem backwards: what must hold before a step for the rest of the plan to work.

A node is a place in the plan and what must hold there (goal regression, Waldinger 1975; Bonet and Geffner 2001, HSPr).
Only for tasks without axioms and conditional effects, and for policies under which keeping a step costs nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import cached_property
from itertools import count
from typing import TypeAlias

from validator.grounding.operators import Value
from validator.grounding.task import Task
from validator.reading.plan import Step, bare
from validator.repair.edit import EditTask
from validator.repair.search.backward.projection import FREE, Change, Needs, Projections, checked

__all__ = ["Before", "Regression"]

Before: TypeAlias = tuple[Needs, int]
"""What must hold, and the groups of values of which one is needed, a bit each."""


class Regression:
    """The modified problem of an edit task, to be searched backwards."""

    def __init__(self, edit_task: EditTask, *, with_goal: bool, is_over: Callable[[], bool] = lambda: False) -> None:
        """Prepare the search; raises TimeoutError as soon as it is over."""
        task = edit_task.task
        weighting = edit_task.weighting
        self.edit_task = edit_task
        self.task: Task = task
        self.skip = weighting.skip
        self.is_unit = weighting.insert == 0
        self.length = len(edit_task.kept)
        self.sizes = [int(variable.split("\n", 4)[3]) for variable in task.variables]
        self.changes = [
            Change.of(number, operator, weighting.insertion(operator.cost))
            for number, operator in enumerate(checked(task.operators, is_over))
        ]
        self.is_over = is_over
        self.steps = [self._variants(edit_task.tokens[index]) for index in edit_task.kept]
        self.targets = self._targets(with_goal)
        self.projections = Projections(
            sizes=self.sizes,
            init=task.init,
            changes=self.changes,
            steps=self.steps,
            skip=self.skip,
            is_over=is_over,
        )

    @staticmethod
    def suits(edit_task: EditTask) -> bool:
        """Return whether a task can be searched backwards."""
        task, weighting = edit_task.task, edit_task.weighting
        plain = not task.has_axioms and not task.has_conditional_effects
        return plain and weighting.inserts and weighting.keep == 0 and weighting.keep_extra == 0

    def _variants(self, token: object) -> list[Change]:
        assert isinstance(token, Step)
        return [self.changes[number] for number in self.task.by_step[bare(token)]]

    def _targets(self, with_goal: bool) -> list[Needs]:
        """Return what may be needed at the end: one of these."""
        if not with_goal:
            return [self.needs(())]
        if self.task.goal is not None:
            return [self.needs(self.task.goal)]
        return [self.needs(operator.needed.items()) for operator in self.task.goal_operators]

    def needs(self, values: Iterable[Value]) -> Needs:
        needs = [FREE] * len(self.sizes)
        for variable, value in values:
            needs[variable] = value
        return tuple(needs)

    @cached_property
    def groups(self) -> Mapping[Value, int]:
        """Return for each value the groups that it is in, a bit each: of a group at most one value ever holds.

        The values of one variable are no group here.
        """
        lines = iter(self.task.mutexes.splitlines()[1:])
        found: dict[Value, int] = {}
        bits = count()
        for line in lines:
            if line != "begin_mutex_group":
                continue
            values = [(int(v), int(x)) for v, x in (next(lines).split() for _ in range(int(next(lines))))]
            if len({variable for variable, _ in values}) > 1:
                bit = 1 << next(bits)
                for value in values:
                    found[value] = found.get(value, 0) | bit
        return found

    def grouped(self, needs: Needs) -> int:
        """Return the groups of which a value is needed."""
        found = 0
        for value in enumerate(needs):
            found |= self.groups.get(value, 0)
        return found

    def before(self, needs: Needs, grouped: int, change: Change) -> Before | None:
        """Return what must hold before an operator for the needs to hold behind it; None when that cannot be."""
        for variable, value in change.sets.items():
            if needs[variable] not in (FREE, value):
                return None
        found, groups = list(needs), self.groups
        for variable, value in change.sets.items():
            if found[variable] != FREE:
                found[variable] = FREE
                grouped &= ~groups.get((variable, value), 0)
        for one in change.need.items():
            variable, value = one
            if found[variable] == FREE:
                own = groups.get(one, 0)
                if own & grouped:
                    return None
                found[variable] = value
                grouped |= own
            elif found[variable] != value:
                return None
        return tuple(found), grouped
