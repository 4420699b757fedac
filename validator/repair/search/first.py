"""A first repair, in about the time that a greedy search needs on the unmodified task.

The observed plan is executed as far as that goes, steps that fail are left out, and a plan for the goal is looked for
from the state at its end: few steps when the plan was nearly good. Where that leads nowhere, a plan from the initial
state is taken, with all that it has in common with the observed one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from validator.grounding.planner import Limits, Status, search
from validator.grounding.strategies import BETTER, better
from validator.grounding.task import Task
from validator.reading.plan import Step
from validator.repair.alignment import aligned
from validator.repair.edit import Edit, EditTask, Move, bare, unmodified

__all__ = ["first_repairs"]

_SECONDS = 0.15
"""CPU seconds for a plan from where the observed one ends, before the one from the beginning is looked for"""


def first_repairs(edit_task: EditTask, limits: Limits, is_over: Callable[[], bool]) -> Iterator[tuple[Edit, ...]]:
    """Yield edits to plans that reach the goal, until it is over."""
    task = edit_task.task
    if not task.has_axioms:  # whose values the state of an operator does not tell
        edits, state = _executed(edit_task)
        plan = _plan(task, state, _SECONDS, limits, is_over)
        if plan is not None:
            yield (*edits, *(Edit(move=Move.INSERT, token=step) for step in plan))
            return
    if (plan := _plan(task, None, limits.seconds, limits, is_over)) is not None:
        yield aligned(edit_task.tokens, plan)


def _executed(edit_task: EditTask) -> tuple[list[Edit], Sequence[int]]:
    """Return edits that leave out what cannot be executed, and the state behind them."""
    task, kept = edit_task.task, frozenset(edit_task.kept)
    state: Sequence[int] = task.init
    edits = []
    for index, token in enumerate(edit_task.tokens):
        numbers = task.by_step[bare(token)] if index in kept and isinstance(token, Step) else ()
        operator = next((found for found in map(task.operators.__getitem__, numbers) if found.applies(state)), None)
        edits.append(Edit(move=Move.SKIP if operator is None else Move.KEEP, token=token))
        if operator is not None:
            state = operator.after(state)
    return edits, state


def _plan(
    task: Task, state: Sequence[int] | None, seconds: float, limits: Limits, is_over: Callable[[], bool]
) -> tuple[Step, ...] | None:
    """Return a plan for the goal from a state, if one is found in so many CPU seconds."""
    strategy, _ = BETTER[0]
    outcome = search(unmodified(task, state), better((strategy, seconds), None), limits, lambda _: is_over())
    if outcome.status is not Status.SOLVED:
        return None
    numbers = (int(name[2:]) for name in outcome.plan if name.startswith("i "))
    return tuple(task.encoding.step(task.operators[number].name) for number in numbers)
