"""Networks of times for plans over time, and which schedules they have: by all pairs of distances."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from random import Random
from typing import Any, TypeAlias

from tests.support.random_triggered import Sample, Timed

__all__ = ["Network", "network_of", "only_schedule", "stn_of"]

Node: TypeAlias = tuple[int, str]
"""a step's place in the plan and which of its times; ``(-1, "start")`` is the beginning of the plan"""
Bound: TypeAlias = tuple[Node, Fraction | None, Fraction | None, Node]
"""how much later the second is at least and at most"""

_BEGIN: Node = (-1, "start")


@dataclass(frozen=True)
class Network:
    """``lasting`` are the places of the steps that have an end."""

    plan: tuple[Timed, ...]
    lasting: frozenset[int]
    bounds: tuple[Bound, ...]


def network_of(draw: Random, model: Sample) -> Network:
    """Return bounds between the times of a plan, which mostly leave one schedule only, and sometimes none."""
    lasting = frozenset(at for at, (_, name, _) in enumerate(model.plan) if model.acts[name].durations is not None)
    times: dict[Node, Fraction] = {_BEGIN: Fraction(0)}
    for at, (start, _, duration) in enumerate(model.plan):
        times[at, "start"] = start
        if at in lasting:
            times[at, "end"] = start + duration
    bounds, done = list[Bound](), [_BEGIN]
    slack = draw.random() < 0.3
    for node in draw.sample(list(times)[1:], len(times) - 1):
        near = draw.choice(done)
        low = high = times[node] - times[near]
        if slack and draw.random() < 0.4:
            low, high = draw.choice(((low - Fraction(1, 2), high), (low, None), (None, high), (low, high + 1)))
        bounds.append((near, low, high, node))
        done.append(node)
    for _ in range(draw.choice((0, 0, 1, 2)) if len(times) > 1 else 0):
        one, other = draw.sample(list(times), 2)
        apart = times[other] - times[one] + draw.choice((0, 0, 0, Fraction(1, 2), -1))
        bounds.append((one, *draw.choice(((apart, None), (None, apart), (apart, apart))), other))
    return Network(model.plan, lasting, tuple(bounds))


def only_schedule(network: Network) -> Sequence[Timed] | str:
    """Return the steps at their times, or ``none`` or ``several`` where the bounds leave no schedule or more."""
    nodes = [_BEGIN, *((at, "start") for at in range(len(network.plan))), *((at, "end") for at in network.lasting)]
    most: dict[tuple[Node, Node], Fraction | None] = {(one, other): None for one in nodes for other in nodes}

    def at_most(one: Node, other: Node, bound: Fraction) -> None:
        known = most[one, other]
        most[one, other] = bound if known is None else min(known, bound)

    for node in nodes:
        at_most(node, node, Fraction(0))
        at_most(node, _BEGIN, Fraction(0))  # nothing is before the beginning
    for one, low, high, other in network.bounds:
        if high is not None:
            at_most(one, other, high)
        if low is not None:
            at_most(other, one, -low)
    for middle in nodes:
        for one in nodes:
            for other in nodes:
                first, second = most[one, middle], most[middle, other]
                if first is not None and second is not None:
                    at_most(one, other, first + second)
    if any((most[node, node] or 0) < 0 for node in nodes):
        return "none"
    times: dict[Node, Fraction] = {}
    for node in nodes:
        latest, soonest = most[_BEGIN, node], most[node, _BEGIN]
        if latest is None or soonest is None or latest != -soonest:
            return "several"
        times[node] = latest
    return _steps(network, times)


def _steps(network: Network, times: Mapping[Node, Fraction]) -> list[Timed]:
    found = []
    for at, (_, name, _) in enumerate(network.plan):
        start = times[at, "start"]
        found.append((start, name, times[at, "end"] - start if at in network.lasting else Fraction(0)))
    return sorted(found)


def stn_of(network: Network, problem: Any) -> Any:
    """Return a network as unified-planning has it."""
    from unified_planning.model import TimepointKind
    from unified_planning.plans import ActionInstance, STNPlan
    from unified_planning.plans.stn_plan import STNPlanNode

    steps = [ActionInstance(problem.action(name)) for _, name, _ in network.plan]

    def node(given: Node) -> Any:
        at, which = given
        if at < 0:
            return STNPlanNode(TimepointKind.GLOBAL_START)
        return STNPlanNode(TimepointKind.START if which == "start" else TimepointKind.END, steps[at])

    return STNPlan([(node(one), low, high, node(other)) for one, low, high, other in network.bounds])
