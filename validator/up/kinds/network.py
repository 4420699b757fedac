"""STN plans: networks of times, of which a schedule chooses one for each start and end."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, Any

from validator.reading.plan import Plan
from validator.records import dataclass, replace
from validator.up.problems import step_of

if TYPE_CHECKING:
    from unified_planning.plans import ActionInstance, STNPlan

__all__ = ["Soonest", "earliest"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Soonest:
    """The schedule that does everything as early as it can, and whether it is the only one.

    ``untold`` says which start or end the network has no time for, empty where it has all; then there is no schedule.
    """

    plan: Plan = Plan(parts=())
    is_only: bool = False
    untold: str = ""


def earliest(plan: STNPlan) -> Soonest | None:
    """Return the earliest schedule of a network. None where no times meet the constraints."""
    if not plan.is_consistent():
        return None
    nodes: dict[Any, int] = {}
    edges: list[tuple[int, int, Fraction]] = []  # the second is at most that much later than the first
    for one, found in plan.get_constraints().items():
        for lower, upper, other in found:
            # lower <= other - one <= upper
            first, second = nodes.setdefault(one, len(nodes)), nodes.setdefault(other, len(nodes))
            if upper is not None:
                edges.append((first, second, Fraction(upper)))
            if lower is not None:
                edges.append((second, first, -Fraction(lower)))
    origin = next((number for node, number in nodes.items() if node.kind.name == "GLOBAL_START"), None)
    if origin is None:
        return None
    latest = _distances(len(nodes), edges, origin)
    soonest = _distances(len(nodes), [(second, first, weight) for first, second, weight in edges], origin)
    times = {node: (-(soonest[number] or 0), latest[number]) for node, number in nodes.items()}
    spans: dict[Any, dict[str, Fraction]] = {}
    is_only = True
    for node, (soon, late) in times.items():
        if node.action_instance is not None:
            is_only = is_only and soon == late
            spans.setdefault(node.action_instance, {})[node.kind.name] = Fraction(soon)
    for instance, span in spans.items():
        missing = _asked(instance) - span.keys()
        if missing:
            return Soonest(
                untold=f"the network has no time for the {' and the '.join(sorted(missing)).lower()} of {instance}"
            )
        if span.get("END", span["START"]) != span["START"] and "END" not in _asked(instance):
            return Soonest(untold=f"the network has two times for {instance}, which takes no time")
    steps = [
        replace(
            step_of(instance),
            time=span["START"],
            duration=span["END"] - span["START"] if "END" in _asked(instance) else None,
        )
        for instance, span in spans.items()
    ]
    steps.sort(key=lambda step: step.time or Fraction(0))
    return Soonest(plan=Plan(parts=tuple(steps)), is_only=is_only)


def _asked(instance: ActionInstance) -> set[str]:
    """Return which times a step has: an instantaneous one has its start alone, as unified-planning writes networks."""
    return {"START", "END"} if hasattr(instance.action, "duration") else {"START"}


def _distances(size: int, edges: list[tuple[int, int, Fraction]], origin: int) -> list[Fraction | None]:
    """Return the shortest distance of each node from one of them (Bellman and Ford); None for one out of reach."""
    found: list[Fraction | None] = [None] * size
    found[origin] = Fraction(0)
    for _ in range(size):
        for first, second, weight in edges:
            near, far = found[first], found[second]
            if near is not None and (far is None or near + weight < far):
                found[second] = near + weight
    return found
