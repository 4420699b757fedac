"""How large a task may become."""

from __future__ import annotations

from validator.grounding.task import Task

__all__ = ["TooManyError", "most_operators"]


class TooManyError(Exception):
    """What is to be compiled away passes a limit."""


def most_operators(task: Task) -> int:
    """Return how many operators all of them may become."""
    return 4 * len(task.operators) + 4000
