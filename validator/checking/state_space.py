"""The states through which a plan in words is followed: of facts alone, or of facts with numbers.

A state space has a first state. It says what a step makes of a state, which facts hold there, and whether it is a goal.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence, Set
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Protocol

from validator.execution.simulator import Simulator
from validator.model.values import GroundAtom, Model
from validator.reading.plan import Step, Token
from validator.records import replace

if TYPE_CHECKING:
    from validator.grounding.states import State


_NUMBERS = frozenset(("numeric-fluents", "conditional-costs"))
"""what the states with numbers follow"""


class StateSpace(Protocol):
    """States of one model. They can be compared and stand in sets."""

    start: Any

    def after(self, state: Any, step: Step) -> Hashable | None:
        """Return the state after a step; None where it cannot be executed."""

    def facts(self, state: Any) -> Set[GroundAtom]:
        """Return the facts that hold, of those that no axiom derives at least."""

    def is_goal(self, state: Any) -> bool:
        """Return whether the goal holds."""


def is_sequential(model: Model) -> bool:
    """Return whether the states of a model change by one step after the other and by nothing else."""
    return not model.features or (model.domain.is_whole and _NUMBERS.issuperset(model.features))


def state_space_of(simulator: Simulator) -> StateSpace:
    """Return the states of a model that ``is_sequential``."""
    return _Numbers(simulator) if simulator.model.features else _Facts(simulator)


def executes(simulator: Simulator, tokens: Sequence[Token]) -> bool:
    """Return whether tokens are steps that can be executed one after the other from the first state."""
    space = state_space_of(simulator)
    state = space.start
    for token in map(simulator.resolve, tokens):
        if not isinstance(token, Step):
            return False
        state = space.after(state, token)
        if state is None:
            return False
    return True


class _Facts:
    """States of facts."""

    def __init__(self, simulator: Simulator) -> None:
        self.simulator = simulator
        self.start: frozenset[GroundAtom] = simulator.model.problem.init

    def after(self, state: frozenset[GroundAtom], step: Step) -> frozenset[GroundAtom] | None:
        return self.simulator.after(state, step)

    def facts(self, state: frozenset[GroundAtom]) -> Set[GroundAtom]:
        return state

    def is_goal(self, state: frozenset[GroundAtom]) -> bool:
        return not self.simulator.goal_parts(state)


class _Numbers:
    """States of facts and of the numbers that anything reads."""

    def __init__(self, simulator: Simulator) -> None:
        from validator.grounding.states import States  # which plans of facts alone do not need

        self.simulator = simulator
        self.states = States(simulator.model)
        self.start = self.states.start
        self._situation = lru_cache(maxsize=2_000)(self.states.situation)
        self._ground = lru_cache(maxsize=2_000)(self.states.ground)

    def after(self, state: State, step: Step) -> State | None:
        situation = self._situation(state)
        ways = (replace(step, name=name) for name in self.simulator.admitted(step))
        ends = (self.states.after(state, situation, self._ground(way)) for way in ways)
        return next((end for end, _ in filter(None, ends)), None)

    def facts(self, state: State) -> Set[GroundAtom]:
        return self._situation(state).atoms

    def is_goal(self, state: State) -> bool:
        return self.states.is_goal(self._situation(state))
