"""Models that are classical but for trajectory constraints: these are automata beside the grounded task.

So the planner, and the searches of this program, look for plans that keep to them as they do for any others.
"""

from __future__ import annotations

from collections.abc import Sequence

from validator.automata.compile import ConstrainedSimulator, constrain
from validator.automata.constraints import Constraint
from validator.automata.properties import Property
from validator.automata.trajectories import trajectories
from validator.automata.world import World
from validator.checking.prepared import Prepared, prepare
from validator.errors import InputError
from validator.grounding.limits import Limits, Status
from validator.grounding.numbers.classical_part import classical_part
from validator.model.values import Model
from validator.reading.plan import Step

__all__ = ["classical_costs", "constrained", "constrained_part"]


def constrained(world: World, constraints: Sequence[Constraint], limits: Limits | None = None) -> Prepared:
    """Return a model whose valid plans are those that keep to the constraints as well, whatever they cost.

    Raises InputError for constraints that make the task too large, TimeoutError when the limits are met before.
    """
    prepared = prepare(world.model)
    if not constraints:
        return prepared
    task = constrain(world, constraints, lambda: limits is not None and not limits.seconds)
    simulator = ConstrainedSimulator(world.simulator, constraints, world.show)
    return Prepared(model=world.model, simulator=simulator, vocabulary=prepared.vocabulary, _task=task, _costless=task)


def constrained_part(part: Model, kept: Sequence[Property], limits: Limits, *, costs_matter: bool) -> Prepared | None:
    """Return a classical model beside constraints, ready for checks; None where it is too large, or takes too long."""
    prepared = prepare(part)
    if not kept:
        return prepared
    try:
        task = prepared.task(limits, costs_matter=costs_matter)
        if isinstance(task, Status):
            return None
        return constrained(World(simulator=prepared.simulator, task=task, show=_itself), kept, limits)
    except (InputError, TimeoutError, ValueError):  # the last one of costs that the planner does not take
        return None


def classical_costs(model: Model) -> tuple[Model, tuple[Property, ...]] | None:
    """Return the classical part of a model and its constraints, where these have its plans at the same costs.

    None where it has no constraints, and where numbers or preferences say what plans cost.
    """
    kept = trajectories(model)
    part = classical_part(model)
    if isinstance(kept, str) or isinstance(part, str) or not kept:
        return None
    return (part, kept) if model.problem.metric is None or part.problem.metric is not None else None


def _itself(step: Step) -> Step:
    return step
