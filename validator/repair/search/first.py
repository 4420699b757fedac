"""A first repair, in about the time that a greedy search needs on the unmodified task.

The observed plan is executed as far as that goes, steps that fail are left out, and a plan for the goal is looked for
from the state at its end: few steps when the plan was nearly good. Where that takes long, a plan from the initial state
is looked for beside it, and taken with all that it has in common with the observed one.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from math import inf
from threading import Event

from validator.grounding.limits import Limits, Status
from validator.grounding.planner import search
from validator.grounding.strategies import BETTER, better
from validator.grounding.task import Task
from validator.reading.plan import Step, bare
from validator.repair.alignment import aligned
from validator.repair.edit import Edit, EditTask, Move, unmodified

__all__ = ["first_repair"]

_SECONDS = 0.15
"""seconds for a plan from where the observed one ends, before one from the beginning is looked for beside it"""


def first_repair(edit_task: EditTask, limits: Limits, is_over: Callable[[], bool]) -> tuple[Edit, ...] | None:
    """Return edits to a plan that reaches the goal, whichever is found first; None when it is over before."""
    task = edit_task.task
    found = Event()

    def plan(state: Sequence[int] | None) -> tuple[Step, ...] | None:
        steps = _plan(task, state, limits, lambda: is_over() or found.is_set())
        if steps is not None:
            found.set()
        return steps

    with ThreadPoolExecutor(max_workers=2) as pool:
        near = None
        if not task.has_axioms:  # whose values the state of an operator does not tell
            edits, state = _executed(edit_task)
            near = pool.submit(plan, state)
            wait([near], timeout=min(_SECONDS, limits.seconds))
        far = None if near is not None and near.done() and near.result() is not None else pool.submit(plan, None)
    if near is not None and (steps := near.result()) is not None:
        return (*edits, *(Edit(move=Move.INSERT, token=step) for step in steps))
    if far is not None and (steps := far.result()) is not None:
        return aligned(edit_task.tokens, steps)
    return None


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
    task: Task, state: Sequence[int] | None, limits: Limits, is_over: Callable[[], bool]
) -> tuple[Step, ...] | None:
    """Return a plan for the goal from a state, if one is found before it is over."""
    if task.goal == ():  # it holds everywhere, which the planner does not take for a goal
        return ()
    strategy, _ = BETTER[0]
    outcome = search(unmodified(task, state), better((strategy, inf), None), limits, lambda _: is_over())
    if outcome.status is not Status.SOLVED:
        return None
    numbers = (int(name[2:]) for name in outcome.plan if name.startswith("i "))
    return tuple(task.encoding.step(task.operators[number].name) for number in numbers)
