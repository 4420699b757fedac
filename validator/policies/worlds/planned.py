"""What is to be called from a state of a model: the rest of a plan, repaired, or a cheapest plan, by planners."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from validator.checking.check import check
from validator.checking.prepared import Prepared
from validator.checking.solve import solve
from validator.flow.plans.tokens import BASIC
from validator.policies.events import Event
from validator.policies.worlds.flows import FlowWorld
from validator.policies.worlds.pddl import PddlWorld
from validator.policies.worlds.world import State, World
from validator.reading.calls import folded
from validator.reading.plan import Plan, Step, Token

__all__ = ["called", "rest_of"]


def rest_of(
    world: World, state: State, planned: Sequence[Event] | None, time_limit: float
) -> tuple[tuple[Token, ...] | None, bool, str]:
    """Return the steps from a state to the goal, whether no others are nearer or cheaper, and why there are none.

    With ``planned`` steps of a PDDL model the nearest steps to these; else a cheapest plan, which need not be near what
    was planned.
    """
    assert isinstance(world, PddlWorld | FlowWorld)
    rest = world.ahead(state)
    if planned is not None and isinstance(world, PddlWorld):
        known = [step for event in planned if isinstance(step := world.step(event), Step)]
        if len(known) == len(planned):
            return _repaired(rest, known, time_limit)
    found = solve(rest, time_limit=time_limit)
    if found.plan is None:
        return None, found.proven, found.reason or "no plan reaches the goal any more"
    steps = world.shown(found.plan, state) if isinstance(world, FlowWorld) else found.plan
    return steps, found.proven and planned is None, ""


def called(world: World, steps: Iterable[Token]) -> Iterator[Event]:
    """Yield the calls that steps of a model are, without what leaves none; of a flow the values are not known."""
    for step in steps:
        if isinstance(step, Step) and (isinstance(world, PddlWorld) or step.name not in BASIC):
            names = world.parameters[folded(step.name)] if isinstance(world, PddlWorld) else step.args
            values = step.args if isinstance(world, PddlWorld) else [f"<{item}>" for item in step.args]
            yield Event(step.name, dict(zip(names, values, strict=True)))


def _repaired(rest: Prepared, steps: Sequence[Step], time_limit: float) -> tuple[tuple[Token, ...] | None, bool, str]:
    report = check(rest, None, Plan(parts=tuple(steps)), time_limit=time_limit)
    if report.determination:
        return tuple(steps), True, ""
    return report.repaired_plan, bool(report.proven), report.reason
