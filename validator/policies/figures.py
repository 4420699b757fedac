"""Figures on one run, from 0 to 1, each decided and none guessed; None where it is not known, with the reason.

``goal_reached``, ``plan_sound``, ``cost_ratio``, ``no_dead_end`` and ``no_harm`` need a model, ``permission`` a policy;
``no_loop`` takes a model where there is one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from validator.adherence import Adherence, adhere
from validator.adherence.reads import reading_tools
from validator.adherence.requirements import Requirement, met
from validator.metrics.score import Score
from validator.policies.conform import conform, executor_of, run_of
from validator.policies.events import Event
from validator.policies.rules import Allow, Never, OnlyIf
from validator.reading.traces.read import read_trace
from validator.texts import decimal

__all__ = [
    "FIGURES",
    "cost_ratio",
    "goal_reached",
    "no_dead_end",
    "no_harm",
    "no_loop",
    "permission",
    "plan_sound",
]


def _truth(holds: bool | None, reason: str) -> Score:
    return Score(value=None if holds is None else float(holds), reason=reason)


def goal_reached(trace: Any, *, model: Any, plan: Any = None) -> Score:
    """Return 1 where the calls, executed on the model, reach its goal, else 0."""
    execution = adhere(plan, trace, model=model, time_limit=0).execution
    if execution is None:
        return Score(value=None, reason="the calls could not be executed on the model")
    return _truth(execution.reaches_goal, execution.reason or "; ".join(execution.faults))


def plan_sound(trace: Any, *, model: Any, plan: Any = None) -> Score:
    """Return 1 where every step of the plan, given or stated, can be executed on the model, else 0."""
    found = adhere(plan, trace, model=model, time_limit=0)
    execution = found.execution
    if found.plan is None or execution is None or execution.plan_is_valid is None:
        return Score(value=None, reason=found.not_applicable or (execution.reason if execution else "no model"))
    return _truth(execution.plan_cost is not None, "" if execution.plan_is_valid else "the plan misses the goal")


def cost_ratio(trace: Any, *, model: Any, plan: Any = None, time_limit: float = 30.0) -> Score:
    """Return the cheapest cost by what the calls cost: 1 where nothing is cheaper. Only where they reach the goal."""
    from validator.checking.solve import solve

    execution = adhere(plan, trace, model=model, time_limit=0).execution
    if execution is None or not execution.sound or not execution.reaches_goal or execution.cost is None:
        return Score(value=None, reason="the calls do not reach the goal, so that there is no cost to compare")
    found = solve(executor_of(model).prepared, time_limit=time_limit)
    if found.cost is None or not found.proven:
        return Score(value=None, reason=f"the cheapest cost is not proven: {found.reason}")
    said = f"executed {decimal(execution.cost)}, cheapest {decimal(found.cost)}"
    return Score(value=1.0 if not execution.cost else float(found.cost / execution.cost), reason=said)


def no_dead_end(trace: Any, *, model: Any, plan: Any = None, time_limit: float = 30.0) -> Score:
    """Return 0 where a call led to a state from which no plan reaches the goal (proven), 1 where one still does."""
    execution = adhere(plan, trace, model=model, time_limit=time_limit).execution
    if execution is None:
        return Score(value=None, reason="the calls could not be executed on the model")
    if execution.dead_end is not None:
        return Score(value=0.0, reason=f"after call {execution.dead_end + 1} no plan reaches the goal (proven)")
    if execution.reaches_goal or execution.recovery is not None:
        return Score(value=1.0)
    return Score(value=None, reason=execution.reason)


def no_harm(trace: Any, *, model: Any, plan: Any = None, time_limit: float = 30.0) -> Score:
    """Return 0 where a deviation from the plan did harm, as the model proves, else 1."""
    found: Adherence = adhere(plan, trace, model=model, time_limit=time_limit)
    if found.plan is None:
        return Score(value=None, reason=found.not_applicable)
    harm = [f"{row.reason} {row.proof}" for row in found.deviations if row.effect == "harmful"]
    return _truth(met(found, (Requirement.NO_HARM,)).holds, "; ".join(harm))


def permission(trace: Any, *, policy: Any, model: Any = None) -> Score:
    """Return the share of the calls that may be made: by ``never``, ``allow`` and ``only if`` of a policy."""
    found = conform(policy, trace, model=model, repair=False)
    own = [finding for finding in found.findings if isinstance(finding.rule, Never | Allow | OnlyIf)]
    if found.reason or any(finding.kept is None for finding in own):
        return Score(value=None, reason=found.reason or "something that is not known decides")
    wrong = {fault.call: fault.said for finding in own for fault in finding.faults}
    share = 1 - len(wrong) / len(found.run) if found.run else 1.0
    return Score(value=share, reason="; ".join(wrong.values()))


def no_loop(trace: Any, *, model: Any = None) -> Score:
    """Return the share of the calls that are no repetition: the same call in a state in which it was made before.

    With a model a state is the model's; without one it is as it was until a call may have changed something.
    """
    run = run_of(read_trace(trace))
    again = list(_repeated(run, model))
    said = "; ".join(f"call {place + 1} {run[place]} was made in this state before" for place in again)
    return Score(value=1 - len(again) / len(run) if run else 1.0, reason=said)


def _repeated(run: tuple[Event, ...], model: Any) -> Iterator[int]:
    executor = None if model is None else executor_of(model)
    state: object = 0 if executor is None else executor.start
    seen: set[tuple[object, str]] = set()
    for place, event in enumerate(run):
        if not event.is_known:
            continue
        if (state, str(event)) in seen:
            yield place
        seen.add((state, str(event)))
        if executor is not None:
            state = state if event.failed else executor.judge(state, event).after
        elif not event.failed and not reading_tools([event.name], {}, {}):
            state = place + 1


FIGURES: Mapping[str, Callable[..., Score]] = {
    "goal reached": goal_reached,
    "plan sound": plan_sound,
    "cost ratio": cost_ratio,
    "no dead end": no_dead_end,
    "no harm": no_harm,
    "permission": permission,
    "no loop": no_loop,
}
