"""What the steps of a unified-planning problem cost in its modified problem: whole numbers, action by action."""

from __future__ import annotations

from collections.abc import Iterator

from validator.execution.measure import Measure
from validator.execution.simulator import Simulator
from validator.grounding.encoding.encode import encode
from validator.model.conditions import bindings
from validator.model.values import Action, Parameter, fluents_of
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
    """The costs of a model's steps times ``scale``, which makes them whole numbers."""

    def __init__(self, simulator: Simulator, weighting: Weighting) -> None:
        self.simulator = simulator
        self.model = simulator.model
        self.weighting = weighting
        self.scale = encode(simulator).scale

    def of(self, step: Step) -> int | None:
        """Return what a step costs; None where the model leaves it undefined."""
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
        costs = self.simulator.schema(action.name).costs
        read = {term for cost in costs for fluent in fluents_of(cost) for term in fluent.terms}
        return tuple(parameter for parameter in action.parameters if parameter.name in read)

    def _steps(self, action: Action, parameters: tuple[Parameter, ...]) -> Iterator[tuple[tuple[str, ...], Step]]:
        """Yield every tuple of objects for some parameters, with a step; what else it has may be anything."""
        for binding in bindings(self.model, parameters, {}):
            args = tuple(binding.get(parameter.name, "") for parameter in action.parameters)
            yield tuple(binding[parameter.name] for parameter in parameters), Step(name=action.name, args=args)
