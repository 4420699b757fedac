"""Models that are classical but for trajectory constraints: these are automata beside the grounded task.

So the planner, and the searches of this program, look for plans that keep to them as they do for any others.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction

from validator.automata.compile import ConstrainedSimulator, Soft, constrain
from validator.automata.constraints import Constraint
from validator.automata.facts import World
from validator.automata.properties import Property, trajectories, untimed
from validator.checking.prepared import Prepared, prepare
from validator.errors import InputError
from validator.execution.simulator import Simulator
from validator.grounding.classical_part import Priced, classical_part, priced
from validator.grounding.ground import ground
from validator.grounding.limits import Limits, Status
from validator.grounding.task import Task
from validator.model.numeric import Situation
from validator.model.values import Model
from validator.reading.plan import Step, Token
from validator.records import dataclass


def constrained(world: World, constraints: Sequence[Constraint], limits: Limits | None = None) -> Prepared:
    """Return a model whose valid plans are those that keep to the constraints as well, whatever they cost.

    Raises InputError for constraints that make the task too large, TimeoutError when the limits are met before.
    """
    prepared = prepare(world.model)
    if not constraints:
        return prepared
    task = constrain(world, constraints, lambda: limits is not None and limits.is_over())
    simulator = ConstrainedSimulator(world.simulator, constraints, world.show)
    return Prepared(model=world.model, simulator=simulator, vocabulary=prepared.vocabulary, _task=task)


def constrained_part(part: Model, kept: Sequence[Property], limits: Limits, *, costs_matter: bool) -> Prepared | None:
    """Return a classical model beside constraints, ready for checks; None where it is too large, or takes too long."""
    prepared = prepare(part)
    if not kept:
        return prepared
    try:
        task = prepared.task(limits, costs_matter=costs_matter)
        if isinstance(task, Status):
            return None
        return constrained(World(simulator=prepared.simulator, task=task), kept, limits)
    except (InputError, TimeoutError, ValueError):  # the last one of costs that the planner does not take
        return None


def classical_beside(model: Model, *, with_goal: bool) -> tuple[Model, tuple[Property, ...]] | None:
    """Return the classical part of a model with its constraints; None where there is more to its plans.

    Without the goal nothing is asked of the way either.
    """
    part = classical_part(model)
    if isinstance(part, str):
        return None
    kept = trajectories(model) if with_goal else ()
    return None if isinstance(kept, str) else (part, kept)


@dataclass(frozen=True, slots=True, kw_only=True)
class PricedTask:
    """The task whose cheapest plans are those of a metric, given up preferences and all; ``soft`` are those of the way,
    by the number of their instance."""

    priced: Priced
    world: World
    task: Task
    soft: Mapping[int, Soft]

    @classmethod
    def of(cls, model: Model, limits: Limits) -> PricedTask | str:
        """Return the task of a model, or why there is none."""
        compiled = priced(model)
        if isinstance(compiled, str):
            return compiled
        kept = trajectories(model)
        if isinstance(kept, str):
            return kept
        soft = {}
        for number, (preference, binding) in enumerate(compiled.instances):
            asked = untimed(model, preference.trajectories, binding)
            if isinstance(asked, str):
                return asked
            if asked:
                soft[number] = Soft(properties=asked, kept=f"%keep-{number}", given_up=f"%give-up-{number}")
        try:
            task = ground(simulator := Simulator(compiled.model), limits)
            if isinstance(task, Status):
                return f"the {task.value} was met while the model was grounded"
            world = World(simulator=simulator, task=task)
            beside = constrain(world, kept, limits.is_over, soft.values())
            return cls(priced=compiled, world=world, task=beside, soft=soft)
        except (InputError, ValueError) as error:
            return f"the planner cannot be given the model: {error}"
        except TimeoutError:
            return "the time limit was met while the constraints were laid beside the model"

    def finished(self, steps: tuple[Step, ...], end: Situation) -> tuple[Step, ...]:
        """Return a plan, which ends in a situation, with the steps that settle the preferences."""

        def is_kept(number: int) -> bool:
            return number not in self.soft or self.world.keeps(self.soft[number].properties, steps)

        return (*steps, *self.priced.ending(end, is_kept))

    def plain(self, cost: int | None) -> Fraction | None:
        """Return a cost of the task's as the metric's value."""
        return None if cost is None else Fraction(cost, self.task.encoding.scale) + self.priced.constant


def own_steps(plan: Iterable[Token]) -> tuple[Step, ...]:
    """Return the steps of a plan that are the model's."""
    return tuple(step for step in plan if isinstance(step, Step) and not step.name.startswith("%"))
