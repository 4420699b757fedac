"""What any repair changes at least, told by a part of the model: places where observed steps contradict each other.

Where a step contradicts an earlier one, one of the two goes or something comes between them, whatever the operators of
the model are. Places that do not overlap add up, as with the windows of the backward search, which proves more
and needs all operators. That two values exclude each other the translator infers from the actions and the initial
state, which a part has in common with the whole.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from validator.grounding.operators import Operator, Value
from validator.grounding.task import Task
from validator.reading.plan import Step

__all__ = ["conflicts"]


def conflicts(task: Task, steps: Sequence[Step], *, with_goal: bool) -> Iterator[int]:
    """Yield the places of steps that contradict one before, behind the last of these; the goal's is behind all steps.

    ``steps`` can each be done in some state. What is more than values contradicts nothing.
    """
    if task.has_axioms or task.has_conditional_effects:
        return
    known: dict[int, int] = dict(enumerate(task.init))
    for place, step in enumerate(steps):
        operator = _only_way(task, step)
        if operator is None:  # it may do anything
            known = {}
        elif _contradicts(known, operator.needed.items()):
            yield place
            known = {}
        else:
            known |= operator.needed | operator.effect
    if with_goal and _contradicts(known, task.goal or ()):
        yield len(steps)


def _only_way(task: Task, step: Step) -> Operator | None:
    """Return the operator of a step; None where the part has none, or where the state tells which one it is."""
    numbers = task.by_step.get(step, ())
    return task.operators[numbers[0]] if len(numbers) == 1 else None


def _contradicts(known: Mapping[int, int], wanted: Iterable[Value]) -> bool:
    return any(known.get(variable, value) != value for variable, value in wanted)
