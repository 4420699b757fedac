"""A first repair, in about the time that a greedy search needs on the unmodified task.

The observed plan is executed as far as that goes, steps that fail are left out, and a plan for the goal is looked for
from the state at its end: few steps when the plan was nearly good. Where that takes long, plans from the initial state
are looked for beside it, one after another with another guide each, and the first is taken with all that it has in
common with the observed one. They take turns, so that all together take half as long again as greedy search alone.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from threading import Event
from typing import TypeAlias

from validator.grounding.limits import Limits, Status
from validator.grounding.planner import search
from validator.grounding.processes.turns import Part, Turns
from validator.grounding.strategies import first_plans
from validator.grounding.task import Task
from validator.reading.plan import Step, bare
from validator.repair.alignment import aligned
from validator.repair.edit import Edit, EditTask, Move, unmodified

__all__ = ["carried_on", "first_repair"]

_SECONDS, _OPERATOR = 0.1, 12e-6
"""CPU seconds for the first search alone, at least, and for each operator, which it reads"""

_LATER = 2
"""times these for each other search, before the next one begins beside it: most often it is enough"""

_LOOK = 0.02
"""seconds by the clock between two looks at them"""

_FEW = 10_000
"""operators up to which landmarks guide the search from the end of the plan: of more they take longer than it does"""

_GREEDY = 4
"""times as long as any other search runs, the greedy one does: so it is there in time where no other finds a plan"""

_Found: TypeAlias = "Future[tuple[Step, ...] | None]"
"""A search that was begun; it ends with a plan, if it finds one."""


def first_repair(
    edit_task: EditTask, limits: Limits, is_over: Callable[[], bool], turns: Turns
) -> tuple[Edit, ...] | None:
    """Return edits to a plan that reaches the goal, whichever is found first; None when it is over before."""
    task = edit_task.task
    alone = max(_SECONDS, _OPERATOR * len(task.operators))
    found = Event()
    strategies = first_plans(task)
    ways = [(task, strategy) for strategy in strategies]
    if task.with_axioms is not None:
        ways.append((task.with_axioms, first_plans(task.with_axioms)[0]))

    def is_needless() -> bool:
        return is_over() or found.is_set()

    def plan(way: tuple[Task, str], state: Sequence[int] | None, part: Part) -> tuple[Step, ...] | None:
        with part:
            steps = _plan(way[0], state, way[1], limits, is_needless, part.rests)
        if steps is not None and way[0] is not task and not _reaches_goal(edit_task, steps):
            return None  # of a task whose goal was another one
        if steps is not None:
            found.set()
        return steps

    with ThreadPoolExecutor(max_workers=1 + len(ways)) as pool:

        def begin(way: tuple[Task, str], state: Sequence[int] | None, weight: int, first: float) -> _Found:
            part = turns.part(weight)
            begun = pool.submit(plan, way, state, part)
            while part.spent < first and limits.seconds > 0 and not (begun.done() or is_needless()):
                wait([begun], timeout=_LOOK)
            return begun

        near = None
        if not task.has_axioms:  # whose values the state of an operator does not tell
            edits, state = _executed(edit_task, [Edit(move=Move.KEEP, token=token) for token in edit_task.tokens])
            near = begin((task, strategies[-1 if len(task.operators) <= _FEW else 0]), state, 1, alone)
        far: list[_Found] = []
        for way in ways:
            if not is_needless():
                far.append(begin(way, None, 1 if far else _GREEDY, _LATER * alone))
    if near is not None and (steps := near.result()) is not None:
        return (*edits, *(Edit(move=Move.INSERT, token=step) for step in steps))
    steps = next((future.result() for future in far if future.result() is not None), None)
    return None if steps is None else aligned(edit_task.tokens, steps)


def carried_on(
    edit_task: EditTask, edits: Sequence[Edit], limits: Limits, is_over: Callable[[], bool]
) -> tuple[Edit, ...] | None:
    """Return edits that were nearly good without those that cannot be executed, and with a plan behind for the goal."""
    task = edit_task.task
    if task.has_axioms:
        return None
    executed, state = _executed(edit_task, edits)
    steps = _plan(task, state, first_plans(task)[-1], limits, is_over)
    return None if steps is None else (*executed, *(Edit(move=Move.INSERT, token=step) for step in steps))


def _executed(edit_task: EditTask, edits: Sequence[Edit]) -> tuple[list[Edit], Sequence[int]]:
    """Return edits without steps that cannot be executed, and the state behind them."""
    task = edit_task.task
    state: Sequence[int] = task.init
    executed = []
    for edit in edits:
        numbers: Sequence[int] = ()
        if edit.move is not Move.SKIP and isinstance(edit.token, Step):
            numbers = task.by_step.get(bare(edit.token), ())
        operator = next((found for found in map(task.operators.__getitem__, numbers) if found.applies(state)), None)
        if operator is not None:
            executed.append(edit)
            state = operator.after(state)
        elif edit.move is not Move.INSERT:
            executed.append(Edit(move=Move.SKIP, token=edit.token))
    return executed, state


def _reaches_goal(edit_task: EditTask, steps: Sequence[Step]) -> bool:
    """Return whether steps can be executed and reach the goal, on a task without axioms."""
    executed, state = _executed(edit_task, [Edit(move=Move.INSERT, token=step) for step in steps])
    reached = (any(all(state[v] == x for v, x in way) for way in ways) for ways in edit_task.task.goal_stages)
    return len(executed) == len(steps) and all(reached)


def _plan(
    task: Task,
    state: Sequence[int] | None,
    strategy: str,
    limits: Limits,
    is_over: Callable[[], bool],
    rests: Callable[[float], bool] = lambda spent: False,
) -> tuple[Step, ...] | None:
    """Return a plan for the goal from a state, if one is found before it is over."""
    if task.goal == ():  # it holds everywhere, which the planner does not take for a goal
        return ()
    outcome = search(unmodified(task, state), strategy, limits, lambda _: is_over(), rests=rests)
    if outcome.status is not Status.SOLVED:
        return None
    numbers = (int(name[2:]) for name in outcome.plan if name.startswith("i "))
    return tuple(task.encoding.step(task.operators[number].name) for number in numbers)
