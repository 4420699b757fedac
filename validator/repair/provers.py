"""The searches of the grounded model: those that prove a nearest plan, and a greedy one where they find no plan.

Proofs go on until their bound meets the best plan so far. Where they find no plan, the observed one is executed as far
as that goes, steps that fail are left out, and a plan for the goal is looked for from the state at its end: few steps
when the plan was nearly good. Else one from the initial state is, with all that it has in common with the observed one.

In a sum of skips and insertions a dear insertion outweighs a skip, whatever a skip costs. So for the policy ``keep``
the fewest skips are proven by themselves, with insertions for nothing; only then is the cheapest sum the nearest plan.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress

from validator.alarms import OutOfTime
from validator.errors import NotInstalledError
from validator.grounding.limits import Limits, Status
from validator.grounding.planner import first_plan_strategy, optimal_strategy, prover_of, search
from validator.grounding.task import Task
from validator.reading.plan import Step
from validator.records import replace
from validator.repair.alignment import aligned
from validator.repair.cost_partitioning.problem import problem_of
from validator.repair.edit import LARGEST, Edit, EditTask, Move, Weighting, compile_edit, own_steps, unmodified
from validator.repair.incumbent import Incumbent
from validator.repair.proved import Proved, Prover
from validator.resources import loading


def prove_by_a_star(incumbent: Incumbent, limits: Limits) -> Status:
    """Search by Fast Downward, until a cheapest plan is found or the bound meets the best one."""
    edit_task = incumbent.edit_task
    strategy = optimal_strategy(edit_task.task)
    by = prover_of(strategy)

    def stop(bound: int) -> bool:
        incumbent.raise_lower(bound, by)
        return incumbent.is_proven()

    with incumbent.clock("A*"):
        outcome = search(edit_task.text, strategy, limits, stop)
    if outcome.status is Status.SOLVED:
        incumbent.settle(outcome.plan, by)
    elif outcome.status is Status.UNSOLVABLE:
        incumbent.exclude(by)
    return outcome.status


def prove_by_cost_partitioning(incumbent: Incumbent, limits: Limits) -> None:
    """Search with bounds of all variables added up; a task with axioms is left to A*.

    Others have a share of the time where insertions have costs of their own, or while no plan is known.
    """
    edit_task, by = incumbent.edit_task, Prover.COST_PARTITIONING
    half = limits.half

    def go_on(bound: int) -> bool:
        incumbent.raise_lower(bound, by)
        is_last = edit_task.weighting.insert == 0 and incumbent.best is not None
        return not (incumbent.is_proven() or (limits if is_last else half).is_over())

    def better(names: tuple[str, ...]) -> None:
        incumbent.take(edit_task.edits(names), by)

    # Without memory for it, or for NumPy itself, A* goes on.
    without = (TimeoutError, MemoryError, ImportError, NotInstalledError)
    with incumbent.clock("cost partitioning"), suppress(*without), loading("numpy"):
        from validator.repair.cost_partitioning.prove import prove  # NumPy, which most repairs never need

        problem = problem_of(edit_task, with_goal=incumbent.with_goal, is_over=lambda: not go_on(0))
        if problem is not None:
            known = incumbent.lower - edit_task.forced_cost
            found = prove(problem, incumbent.bound, go_on, limits.memory, better, known)
            if found.names is not None:
                better(found.names)
            incumbent.raise_lower(found.lower, by)


# --- a first plan ----------------------------------------------------------------------------------


def find_any_plan(incumbent: Incumbent, limits: Limits) -> None:
    """Look for a plan, in half of the time: for one that goes on where the observed one ends, then for any."""
    task, tokens, limits = incumbent.edit_task.task, incumbent.edit_task.tokens, limits.half
    with incumbent.clock("first plan"):
        if not task.has_axioms:  # whose values the state of an operator does not tell
            kept, state = _executed(incumbent.edit_task)
            if (steps := _plan(task, state, limits.half)) is not None:
                incumbent.take((*kept, *(Edit(move=Move.INSERT, token=step) for step in steps)), Prover.PLANNER_GREEDY)
                return
        if (steps := _plan(task, None, limits)) is not None:
            incumbent.take(aligned(tokens, steps), Prover.PLANNER_GREEDY)


def _executed(edit_task: EditTask) -> tuple[list[Edit], Sequence[int]]:
    """Return the edits that leave out the steps which cannot be executed, and the state behind them."""
    task, edits = edit_task.task, list[Edit]()
    state: Sequence[int] = task.init
    for token in edit_task.tokens:
        operator = task.way(token, state) if isinstance(token, Step) else None
        edits.append(Edit(move=Move.SKIP if operator is None else Move.KEEP, token=token))
        state = state if operator is None else operator.after(state)
    return edits, state


def _plan(task: Task, state: Sequence[int] | None, limits: Limits) -> tuple[Step, ...] | None:
    """Return a plan for the goal from a state, if one is found in time."""
    if task.goal == ():  # it holds everywhere, which the planner does not take for a goal
        return ()
    outcome = search(unmodified(task, state), first_plan_strategy(task), limits)
    return own_steps(task, outcome.plan) if outcome.status is Status.SOLVED else None


# --- the policy keep -------------------------------------------------------------------------------


def with_fewest_skips(
    incumbent: Incumbent,
    limits: Limits,
    again: Callable[[EditTask], Incumbent],
    searched: Callable[[Incumbent, Limits], Proved],
) -> Proved:
    """Search for the policy ``keep``: proven is a plan with proven fewest skips, and of these the cheapest.

    ``again`` begins with other weights: where a plan with fewer skips inserts for more than a skip costs.
    """
    found, edit_task = searched(incumbent, limits), incumbent.edit_task
    most = _skips(found.edits or ()) - (len(edit_task.tokens) - len(edit_task.kept))
    if not found.proven or most <= 0:
        return found
    try:
        weighting, with_goal = Weighting.fewest_skips(), incumbent.with_goal
        task = compile_edit(edit_task.task, edit_task.tokens, weighting, with_goal=with_goal)
        strategy = optimal_strategy(task.task)
        outcome = search(task.text, strategy, limits, lambda bound: bound >= most)
        if outcome.least >= most:
            return found
        if outcome.status is not Status.SOLVED:
            return replace(found, proven=False, status=outcome.status)
        keeping_more = task.edits(outcome.plan)
        fewest = _skips(keeping_more)
        dearer = replace(edit_task.weighting, skip=edit_task.cost(keeping_more) - edit_task.weighting.skip * fewest + 1)
        if dearer.skip * (len(keeping_more) + 2) > LARGEST:
            return replace(incumbent.checked(keeping_more, prover_of(strategy)), status=Status.COST_LIMIT)
        second = again(compile_edit(edit_task.task, edit_task.tokens, dearer, with_goal=with_goal))
        second.take(keeping_more, prover_of(strategy))
        cheapest = searched(second, limits)
        return cheapest if _skips(cheapest.edits or keeping_more) == fewest else replace(cheapest, proven=False)
    except OutOfTime:  # in what does not look at the clock
        return replace(found, proven=False, status=Status.TIME_LIMIT)


def _skips(edits: Sequence[Edit]) -> int:
    return sum(edit.move is Move.SKIP for edit in edits)
