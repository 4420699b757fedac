"""The modified problem as cost partitioning reads it.

``Plain`` is that of a task without conditional effects; with them it is ``components.Components``, on variables joined.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property
from typing import Protocol

from validator.grounding.operators import Value
from validator.reading.plan import Step, bare
from validator.repair.cost_partitioning.change import Change, Choice
from validator.repair.cost_partitioning.label_reduction import Classes
from validator.repair.edit import EditTask

__all__ = ["Plain", "Problem"]


class Problem(Protocol):
    """A modified problem, to be gone through from its beginning."""

    @property
    def length(self) -> int:
        """Return how many observed steps can be kept."""

    @property
    def sizes(self) -> Sequence[int]:
        """Return how many values each variable has."""

    @property
    def init(self) -> Sequence[int]:
        """Return the value of each variable in the initial state."""

    @property
    def steps(self) -> Sequence[Sequence[Change]]:
        """Return the variants of each observed step that can be kept."""

    @property
    def stages(self) -> Sequence[Sequence[Choice]]:
        """Return what must hold at the end: one choice of each of these."""

    @property
    def alike(self) -> Classes:
        """Return the operators worth inserting, in classes. Raises TimeoutError as soon as it is over."""

    @property
    def skip(self) -> int:
        """Return what it costs to skip an observed step."""

    @property
    def is_unit(self) -> bool:
        """Return whether each insertion costs the same."""

    @property
    def is_over(self) -> Callable[[], bool]:
        """Return what says whether the search must end."""


class Plain:
    """The modified problem of an edit task without axioms and conditional effects."""

    def __init__(self, edit_task: EditTask, *, with_goal: bool, is_over: Callable[[], bool] = lambda: False) -> None:
        """Read it; raises TimeoutError as soon as it is over."""
        task, weighting = edit_task.task, edit_task.weighting
        self.edit_task, self.is_over = edit_task, is_over
        self.skip = weighting.skip
        self.is_unit = weighting.insert == 0
        self.length = len(edit_task.kept)
        self.sizes = task.sizes
        self.init = task.init
        self.changes = Change.all(task.operators, weighting.insertion, is_over)
        kept = [edit_task.tokens[index] for index in edit_task.kept]
        self.steps = [
            [self.changes[number] for number in task.by_step[bare(token)]] for token in kept if isinstance(token, Step)
        ]
        self.stages: Sequence[Sequence[Sequence[Value]]] = task.goal_stages if with_goal else (((),),)

    @staticmethod
    def suits(edit_task: EditTask) -> bool:
        """Return whether a task is of this kind, and keeping a step costs nothing."""
        task = edit_task.task
        return edit_task.weighting.keeps_freely and not task.has_axioms and not task.has_conditional_effects

    @cached_property
    def alike(self) -> Classes:
        """Return the operators worth inserting, in classes. Raises TimeoutError as soon as it is over."""
        return Classes.of(self.changes, self.is_over)
