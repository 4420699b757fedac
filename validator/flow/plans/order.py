"""The order of a plan's steps for people: questions to the user stand first, wherever that changes nothing else."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from validator.execution.simulator import Simulator
from validator.flow.compiled.compile import Compiled
from validator.reading.plan import Step

__all__ = ["questions_first"]


def questions_first(simulator: Simulator, compiled: Compiled, steps: Sequence[Step]) -> tuple[Step, ...]:
    """Return the steps of a valid plan, its questions as early as the plan stays valid and costs the same.

    All at once if that can be, else one by one. A last resort, which waits for operators, stays behind them.
    """
    plan = tuple(steps)
    asked = [step for step in plan if _asks(compiled, step)]
    rest = [step for step in plan if not _asks(compiled, step)]
    cost = simulator.run(plan).cost

    def is_as_good(other: Sequence[Step]) -> bool:
        trace = simulator.run(other)
        return trace.is_valid and trace.cost == cost

    front = (*asked, *rest)
    if front == plan or is_as_good(front):
        return front
    return _one_by_one(compiled, plan, is_as_good)


def _one_by_one(
    compiled: Compiled, plan: tuple[Step, ...], is_as_good: Callable[[Sequence[Step]], bool]
) -> tuple[Step, ...]:
    front = 0
    for place, step in enumerate(plan):
        if not _asks(compiled, step):
            continue
        moved = (*plan[:front], step, *plan[front:place], *plan[place + 1 :])
        if place == front or is_as_good(moved):
            plan, front = moved, front + 1
    return plan


def _asks(compiled: Compiled, step: Step) -> bool:
    return getattr(compiled.outer(step), "name", "") == "ask"
