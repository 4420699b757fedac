"""Which steps of a valid plan can be left out: quickly, and as many as provably possible.

Greedy: leave a step out, with every later step that then fails, whenever the goal is still reached (greedy
justification, Fink and Yang 1992; action elimination, Nakhost and Mueller 2010). Provably: the modified problem without
insertions, where every kept step costs one (compare Balyo, Chrpa and Kilani 2014).
"""

from __future__ import annotations

import time
from collections.abc import Sequence

from validator.alarms import OutOfTime, alarm
from validator.checking.limits import DEFAULT_MEMORY_LIMIT, DEFAULT_TIME_LIMIT, with_patience
from validator.checking.prepared import Prepared
from validator.errors import PlanError, UnsupportedError
from validator.execution.simulator import Simulator
from validator.grounding.limits import Limits, Status
from validator.grounding.planner import search
from validator.grounding.strategies import optimal_strategy
from validator.grounding.task import Task
from validator.reading.plan import Plan, Step
from validator.reading.understood import unclear
from validator.records import dataclass
from validator.repair.edit import Move, Weighting, compile_edit

__all__ = ["Redundancy", "greedily_left_out", "redundant_steps"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Redundancy:
    """The steps that can be left out together, as indices from 0 in order of execution.

    ``proven`` says that no more steps can be left out; ``reason`` says why that is not known.
    """

    steps: tuple[int, ...]
    proven: bool
    reason: str = ""


def redundant_steps(
    prepared: Prepared,
    plan: Plan,
    *,
    time_limit: float = DEFAULT_TIME_LIMIT,
    memory_limit: int = DEFAULT_MEMORY_LIMIT,
) -> Redundancy:
    """Return the most steps of a valid plan that can be left out.

    Raises PlanError when its text was not understood, UnsupportedError for a model beyond classical planning,
    ValueError when the plan is not valid, PlannerError when the planner fails.
    """
    if why := unclear(plan):
        raise PlanError(why)
    if features := prepared.model.features:
        raise UnsupportedError(f"superfluous steps are found in classical models, not with {', '.join(features)}")
    limits = Limits(deadline=time.monotonic() + time_limit, memory=memory_limit)
    left = list[int]()
    try:
        with alarm(with_patience(time_limit)):
            return _redundant(prepared, plan, limits, left)
    except OutOfTime:  # in what does not look at the clock
        steps = tuple(sorted(set(range(len(plan.tokens))) - set(left))) if left else ()
        return Redundancy(steps=steps, proven=False, reason="the time limit was met before the proof")


def _redundant(prepared: Prepared, plan: Plan, limits: Limits, left: list[int]) -> Redundancy:
    """Return the most steps that can be left out; ``left`` has those that are kept by now, all of a valid plan."""
    simulator = prepared.simulator
    steps = [
        Step(name=step.name, args=step.args) for step in map(simulator.resolve, plan.steps) if isinstance(step, Step)
    ]
    if len(steps) != len(plan.tokens) or not simulator.run(Plan(parts=tuple(steps))).is_valid:
        raise ValueError("only a valid plan has redundant steps")
    left[:] = range(len(steps))
    greedy = greedily_left_out(simulator, steps, limits, left)
    task = prepared.task(limits)
    if isinstance(task, Status):
        return Redundancy(steps=greedy, proven=False, reason=f"the {task.value} was met while the model was grounded")
    return _proven(task, steps, greedy, limits)


def greedily_left_out(simulator: Simulator, steps: Sequence[Step], limits: Limits, left: list[int]) -> tuple[int, ...]:
    """Return steps of a valid plan that can be left out, each with those that then fail; ``left`` are the others."""
    kept = set(left)
    for index in range(len(steps)):
        if limits.seconds == 0:
            break
        if index not in kept:
            continue
        rest = [other for other in left if other != index]
        trace = simulator.run(Plan(parts=tuple(steps[other] for other in rest)))
        failing = {failure.step for failure in trace.failures if failure.step is not None}
        rest = [other for place, other in enumerate(rest) if place not in failing]
        if simulator.run(Plan(parts=tuple(steps[other] for other in rest))).is_valid:
            left[:], kept = rest, set(rest)
    return tuple(sorted(set(range(len(steps))) - kept))


def _proven(task: Task, steps: Sequence[Step], greedy: tuple[int, ...], limits: Limits) -> Redundancy:
    edit_task = compile_edit(task, steps, Weighting.fewest_steps(), with_goal=True)
    known = len(steps) - len(greedy)
    outcome = search(edit_task.text, optimal_strategy(task), limits, lambda bound: bound >= known)
    if outcome.status is Status.STOPPED:
        return Redundancy(steps=greedy, proven=True)
    if outcome.status is Status.SOLVED:
        moves = [edit.move for edit in edit_task.edits(outcome.plan)]
        return Redundancy(steps=tuple(i for i, move in enumerate(moves) if move is Move.SKIP), proven=True)
    return Redundancy(steps=greedy, proven=False, reason=f"the {outcome.status.value} was met before the proof")
