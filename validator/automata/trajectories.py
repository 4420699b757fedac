"""The trajectory constraints of a model itself, as properties of its plans' states."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice

from validator.automata.properties import OPERATORS, Property
from validator.model.conditions import Binding, bindings, compares_numbers
from validator.model.temporal import Trajectory
from validator.model.values import And, Forall, Formula, Model

__all__ = ["trajectories", "untimed"]

_MOST = 50_000
"""constraints, one for each tuple of objects, that are laid beside a task"""


def trajectories(model: Model) -> tuple[Property, ...] | str:
    """Return the constraints of a model without time, or why they are no properties of states alone.

    One that holds for every object is one for each; ``always`` of a conjunction is one for each of its parts, so that
    each automaton speaks of little.
    """
    return untimed(model, (*model.domain.constraints, *model.problem.constraints), {})


def untimed(model: Model, constraints: Iterable[Trajectory], binding: Binding) -> tuple[Property, ...] | str:
    """Return constraints as ``trajectories`` does; ``binding`` has the objects of variables around them."""
    constraints = tuple(constraints)
    for each in constraints:
        if each.operator not in OPERATORS:
            return f"has '{each.operator}', which counts steps"
        if any(map(compares_numbers, each.parts)):
            return "has trajectory constraints on numbers"
    found = tuple(islice((one for each in constraints for one in _properties(model, each, binding)), _MOST + 1))
    return found if len(found) <= _MOST else f"has more than {_MOST:,} trajectory constraints"


def _properties(model: Model, trajectory: Trajectory, outer: Binding) -> Iterator[Property]:
    for binding in bindings(model, trajectory.parameters, outer):
        if trajectory.operator == "always":
            for part, bound in _parts(model, trajectory.parts[0], binding):
                yield Property(operator="always", parts=(part,), objects=tuple(bound.items()))
        else:
            yield Property(operator=trajectory.operator, parts=trajectory.parts, objects=tuple(binding.items()))


def _parts(model: Model, formula: Formula, binding: Binding) -> Iterator[tuple[Formula, Binding]]:
    """Yield what a condition asks for at once, each with the objects of its variables."""
    match formula:
        case And(parts):
            for part in parts:
                yield from _parts(model, part, binding)
        case Forall(parameters, part):
            for bound in bindings(model, parameters, binding):
                yield from _parts(model, part, bound)
        case _:
            yield formula, binding
