"""The searches of the grounded model: those that prove a nearest plan, and a greedy one for a first plan beside them.

Proofs go on until their bound meets the best plan so far. For a first plan the observed one is executed as far as that
goes, steps that fail are left out, and a plan for the goal is looked for from the state at its end: few steps when the
plan was nearly good. Beside it plans from the initial state are looked for, with another guide each; the first that is
found is taken, with all that it has in common with the observed one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from contextlib import contextmanager, suppress
from threading import Event

from validator.errors import NotInstalledError
from validator.grounding.limits import Limits, Status
from validator.grounding.planner import search
from validator.grounding.strategies import first_plans, optimal_strategy, prover_of
from validator.grounding.task import Task
from validator.reading.plan import Step, bare
from validator.repair.alignment import aligned
from validator.repair.cost_partitioning.components import Components
from validator.repair.cost_partitioning.problem import Plain, Problem
from validator.repair.edit import Edit, EditTask, Move, own_steps, unmodified
from validator.repair.incumbent import Incumbent
from validator.repair.proved import Prover
from validator.resources import loading

__all__ = ["first_plan", "first_plan_beside", "prove_by_a_star", "prove_by_cost_partitioning"]

_SHARE = 0.5
"""of the time that is left, for cost partitioning where insertions have costs of their own; A* has the rest"""


def prove_by_a_star(incumbent: Incumbent, limits: Limits) -> Status:
    """Search by Fast Downward, until a cheapest plan is found or the bound meets the best one."""
    edit_task = incumbent.edit_task
    strategy = optimal_strategy(edit_task.task)
    by = prover_of(strategy)

    def stop(bound: int) -> bool:
        incumbent.raise_lower(bound, by)
        return incumbent.is_proven()

    with incumbent.timed("A*"):
        outcome = search(edit_task.text, strategy, limits, stop)
    if outcome.status is Status.SOLVED:
        incumbent.settle(outcome.plan, by)
    elif outcome.status is Status.UNSOLVABLE:
        incumbent.exclude(by)
    return outcome.status


def prove_by_cost_partitioning(incumbent: Incumbent, limits: Limits) -> None:
    """Search with bounds of all variables added up; a task with axioms is left to A*."""
    edit_task, by = incumbent.edit_task, Prover.COST_PARTITIONING
    within = limits if edit_task.weighting.insert == 0 else limits.within(_SHARE * limits.seconds)

    def go_on(bound: int) -> bool:
        incumbent.raise_lower(bound, by)
        return not incumbent.is_proven() and within.seconds > 0

    def better(names: tuple[str, ...]) -> None:
        incumbent.take(edit_task.edits(names), by)

    # Without memory for it, or for NumPy itself, A* goes on.
    without = (TimeoutError, MemoryError, ImportError, NotInstalledError)
    with incumbent.timed("cost partitioning"), suppress(*without), loading("numpy"):
        from validator.repair.cost_partitioning.prove import prove  # NumPy, which most repairs never need

        problem: Problem | None = None
        if Components.suits(edit_task):
            problem = Components(edit_task, with_goal=incumbent.with_goal, is_over=lambda: not go_on(0))
        elif Plain.suits(edit_task):
            problem = Plain(edit_task, with_goal=incumbent.with_goal, is_over=lambda: not go_on(0))
        if problem is not None:
            known = incumbent.lower - edit_task.forced_cost
            found = prove(problem, incumbent.bound, go_on, limits.memory, better, known)
            if found.names is not None:
                better(found.names)
            incumbent.raise_lower(found.lower, by)


# --- a first plan ----------------------------------------------------------------------------------

_GREEDY = "greedy search (Fast Downward)"

_HEAD_START = 0.5
"""seconds for the search from the end of the plan, whose repair is the nearer one, before others begin beside it"""

_FEW = 10_000
"""operators up to which landmarks guide the search from the end of the plan: of more they take longer than it does"""


@contextmanager
def first_plan_beside(incumbent: Incumbent, limits: Limits) -> Iterator[None]:
    """Look for any plan within, until there is one."""
    over = Event()

    def is_over() -> bool:
        return over.is_set() or incumbent.best is not None

    def look() -> None:
        edits = first_plan(incumbent.edit_task, limits, is_over)
        if edits is not None:
            incumbent.take(edits, _GREEDY)

    if incumbent.best is not None or not incumbent.with_goal:
        yield
        return
    with ThreadPoolExecutor(max_workers=1) as pool:
        looking = pool.submit(look)
        try:
            yield
        finally:
            over.set()
        looking.result()


def first_plan(edit_task: EditTask, limits: Limits, is_over: Callable[[], bool]) -> tuple[Edit, ...] | None:
    """Return edits to a plan that reaches the goal, whichever is found first; None when it is over before."""
    task, found = edit_task.task, list[tuple[Edit, ...]]()
    is_found = Event()

    def is_needless() -> bool:
        return is_over() or is_found.is_set()

    def from_the_end() -> None:
        edits, state = _executed(edit_task, [Edit(move=Move.KEEP, token=token) for token in edit_task.tokens])
        strategy = first_plans(task)[-1 if len(task.operators) <= _FEW else 0]
        steps = _plan(task, state, strategy, limits, is_needless)
        if steps is not None:
            found.append((*edits, *(Edit(move=Move.INSERT, token=step) for step in steps)))
            is_found.set()

    def from_the_beginning(way: tuple[Task, str]) -> None:
        steps = _plan(way[0], None, way[1], limits, is_needless)
        # A task with axioms may have had another goal.
        if steps is not None and (way[0] is task or _reaches_goal(edit_task, steps)):
            found.append(aligned(edit_task.tokens, steps))
            is_found.set()

    ways = [(task, strategy) for strategy in first_plans(task)]
    if task.with_axioms is not None:
        ways.append((task.with_axioms, first_plans(task.with_axioms)[0]))
    with ThreadPoolExecutor(max_workers=1 + len(ways)) as pool:
        begun = list[Future[None]]()
        if not task.has_axioms:  # whose values the state of an operator does not tell
            begun.append(pool.submit(from_the_end))
            wait(begun, timeout=min(_HEAD_START, limits.seconds))
        begun += (pool.submit(from_the_beginning, way) for way in ways if not is_needless())
    for search_begun in begun:
        search_begun.result()
    return found[0] if found else None


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
) -> tuple[Step, ...] | None:
    """Return a plan for the goal from a state, if one is found before it is over."""
    if task.goal == ():  # it holds everywhere, which the planner does not take for a goal
        return ()
    outcome = search(unmodified(task, state), strategy, limits, lambda _: is_over())
    return own_steps(task, outcome.plan) if outcome.status is Status.SOLVED else None
