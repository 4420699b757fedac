"""A model with its grounded task, as questions are asked of it: how its steps are seen, its facts as values."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

from validator.automata.constraints import Constraint, OnlyIf, Show, violations
from validator.automata.facts import Facts
from validator.automata.properties import Property
from validator.execution.simulator import Simulator
from validator.grounding.task import Task
from validator.model.conditions import State
from validator.model.values import Model
from validator.reading.plan import Plan, Step
from validator.records import dataclass

__all__ = ["World", "keeps", "states_of"]


@dataclass(frozen=True, kw_only=True)
class World:
    """A model with what executes its plans, its task, and how its steps are seen."""

    simulator: Simulator
    task: Task
    show: Show

    @property
    def model(self) -> Model:
        return self.simulator.model

    @cached_property
    def facts(self) -> Facts:
        """Return the model's atoms as values of the task."""
        return Facts(self.model, self.task)

    def keeps(self, constraints: Sequence[Constraint], steps: Sequence[Step]) -> bool:
        """Return whether a valid plan keeps to constraints, whatever it costs."""
        return keeps(self.simulator, constraints, steps, self.show)


def keeps(simulator: Simulator, constraints: Sequence[Constraint], steps: Sequence[Step], show: Show) -> bool:
    """Return whether a valid plan keeps to constraints, whatever it costs."""
    shown = [show(step) for step in steps]
    speaks_of_facts = any(isinstance(each, Property | OnlyIf) for each in constraints)
    states = states_of(simulator, steps) if speaks_of_facts else ()
    return not any(True for each in constraints for _ in violations(each, shown, states, simulator.model))


def states_of(simulator: Simulator, steps: Sequence[Step]) -> list[State]:
    """Return the initial state and the state after each step, with derived facts."""
    return [simulator.view(state) for state in simulator.run(Plan(parts=tuple(steps))).states()]
