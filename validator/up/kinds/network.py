"""STN plans: networks of times, of which a schedule chooses one for each start and end."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING, Any

from validator.reading.plan import Plan
from validator.records import replace
from validator.up.problems import step_of

if TYPE_CHECKING:
    from unified_planning.plans import STNPlan

__all__ = ["earliest"]


def earliest(plan: STNPlan) -> tuple[Plan, bool] | None:
    """Return the schedule that does everything as early as it can, and whether it is the only one.

    None where no times meet the constraints.
    """
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
    steps = sorted(
        (
            replace(
                step_of(instance),
                time=span["START"],
                duration=span["END"] - span["START"] if hasattr(instance.action, "duration") else None,
            )
            for instance, span in spans.items()
        ),
        key=lambda step: step.time or Fraction(0),
    )
    return Plan(parts=tuple(steps)), is_only


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
