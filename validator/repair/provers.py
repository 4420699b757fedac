"""The searches of the grounded model that prove a nearest plan, each until its bound meets the best plan so far."""

from __future__ import annotations

from contextlib import suppress

from validator.errors import NotInstalledError
from validator.grounding.limits import Limits, Status
from validator.grounding.planner import search
from validator.grounding.strategies import optimal_strategy, prover_of
from validator.repair.cost_partitioning.components import Components
from validator.repair.cost_partitioning.problem import Plain, Problem
from validator.repair.incumbent import Incumbent
from validator.repair.proved import Prover
from validator.resources import loading

__all__ = ["prove_by_a_star", "prove_by_cost_partitioning"]

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
