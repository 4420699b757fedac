"""What the steps of a unified-planning problem cost in its modified problem: whole numbers, action by action."""

from __future__ import annotations

from collections.abc import Iterator
from math import lcm

from validator.execution.measure import Measure
from validator.execution.simulator import Simulator
from validator.execution.time.metric import fluents_of
from validator.grounding.encoding.encode import encode
from validator.grounding.numbers.action_costs import ActionCosts, action_costs
from validator.model.conditions import bindings
from validator.model.values import Action, Expression, NumericEffect, Parameter
from validator.reading.plan import Step
from validator.records import dataclass
from validator.repair.edit import Weighting

__all__ = ["Price", "StepCosts"]


@dataclass(frozen=True, slots=True)
class Price:
    """What inserting an action costs: ``values`` for each tuple of objects of the parameters that it depends on."""

    parameters: tuple[Parameter, ...]
    values: dict[tuple[str, ...], int | None]


class StepCosts:
    """The costs of a model's steps times ``scale``, which makes them whole numbers.

    Raises ValueError for a model with numbers in which what steps add to the metric is not fixed.
    """

    def __init__(self, simulator: Simulator, weighting: Weighting, *, has_numbers: bool) -> None:
        self.simulator = simulator
        self.model = simulator.model
        self.weighting = weighting
        self._added = self._fixed() if has_numbers else None
        self.scale = encode(simulator).scale if self._added is None else self._scale(self._added)

    def of(self, step: Step) -> int | None:
        """Return what a step costs; None where the model leaves it undefined."""
        if self._added is not None:
            added = self._added.of(step)
            return None if added is None else int(added * self.scale)
        cost = self.simulator.cost_of(step)
        if cost is None:
            return None
        return int(cost * self.scale) if self.simulator.measure is Measure.TOTAL_COST else 1

    def price(self, name: str) -> Price:
        """Return what inserting an action costs."""
        action = self.model.domain.actions[name]
        values = {}
        parameters = self._read(action)
        for key, step in self._steps(action, parameters):
            cost = self.of(step)
            values[key] = None if cost is None else self.weighting.insertion(cost)
        return Price(parameters, values)

    def _read(self, action: Action) -> tuple[Parameter, ...]:
        """Return the parameters that the cost of an action depends on."""
        if self._added is not None:
            read = {term for change in self._added.changes(action) for term in _terms_of(change)}
        else:
            read = {term for cost in self.simulator.schema(action.name).costs for term in _terms(cost)}
        return tuple(parameter for parameter in action.parameters if parameter.name in read)

    def _steps(self, action: Action, parameters: tuple[Parameter, ...]) -> Iterator[tuple[tuple[str, ...], Step]]:
        """Yield every tuple of objects for some parameters, with a step; what else it has may be anything."""
        for binding in bindings(self.model, parameters, {}):
            args = tuple(binding.get(parameter.name, "") for parameter in action.parameters)
            yield tuple(binding[parameter.name] for parameter in parameters), Step(name=action.name, args=args)

    def _fixed(self) -> ActionCosts:
        """Return what steps of a model with numbers cost; where no cost is asked for, each costs one."""
        if not self.weighting.insert and not self.weighting.keep:
            return ActionCosts(model=self.model)
        found = action_costs(self.model)
        if isinstance(found, str):
            raise ValueError(found)
        if not found.is_fixed:
            raise ValueError("what steps add to the metric depends on the state")
        return found

    def _scale(self, known: ActionCosts) -> int:
        costs = (
            known.of(step)
            for action in self.model.domain.actions.values()
            for _, step in self._steps(action, self._read(action))
        )
        return lcm(*(cost.denominator for cost in costs if cost is not None))


def _terms(expression: Expression) -> Iterator[str]:
    """Yield the terms that a cost reads."""
    for fluent in fluents_of(expression):
        yield from fluent.terms


def _terms_of(change: NumericEffect) -> Iterator[str]:
    yield from change.fluent.terms
    yield from _terms(change.value)
