"""Scenes of a PDDL domain in the simulator of ``check``: the first false condition, or the state after a step."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property, lru_cache
from typing import TypeAlias

from validator.execution.simulator import Simulator
from validator.model.conditions import Binding, bound, conjuncts, holds, predicates
from validator.model.values import TRUE, Action, Domain, Formula, GroundAtom, Model, Problem
from validator.reading.plan import Step

State: TypeAlias = frozenset[GroundAtom]

_KEPT = 100
"""steps whose outcome is kept for the next answer: the state of a household takes half a megabyte"""


class Scenes:
    """A domain over the objects of some scenes, prepared once for all of them when the first is executed."""

    def __init__(self, domain: Domain) -> None:
        self.domain = domain
        self.objects = dict(domain.constants)

    @cached_property
    def simulator(self) -> Simulator:
        problem = Problem(name="scenes", objects=self.objects, init=frozenset(), values={}, goal=TRUE)
        return Simulator(Model(domain=self.domain, problem=problem))


class World:
    """One scene: its ``objects``, each with its types, and what holds and happens there."""

    def __init__(self, scenes: Scenes, objects: Mapping[str, frozenset[str]]) -> None:
        scenes.objects.update(objects)
        self.scenes = scenes
        self.domain = scenes.domain
        self.actions = {name.lower(): action for name, action in scenes.domain.actions.items()}
        self.objects = {**scenes.domain.constants, **objects}

    def holds(self, formula: Formula, state: State, binding: Binding | None = None) -> bool:
        """Return whether a condition holds in a state; all its free variables must be bound."""
        simulator = self.scenes.simulator
        is_plain = not any(map(simulator.is_derived, predicates(formula)))
        return holds(simulator.model, formula, binding or {}, state if is_plain else simulator.view(state))

    def step(self, action: Action, args: Sequence[str], state: State) -> State | int:
        """Return the state after an action, or the index of the first conjunct of its precondition that is false."""
        return _step(self, action.name, tuple(args), state)

    def changes(self, action: Action, args: Sequence[str], state: State) -> tuple[set[GroundAtom], set[GroundAtom]]:
        """Return what an action adds and what it deletes in a state."""
        return self.scenes.simulator.changes(Step(name=action.name, args=tuple(args)), state, is_alone=True)


@lru_cache(maxsize=_KEPT)
def _step(world: World, name: str, args: tuple[str, ...], state: State) -> State | int:
    action, simulator = world.domain.actions[name], world.scenes.simulator
    binding, view = bound(action.parameters, args), simulator.view(state)
    for index, part in enumerate(conjuncts(action.precondition)):
        if not holds(simulator.model, part, binding, view):
            return index
    added, deleted = world.changes(action, args, state)
    return frozenset((state - deleted) | added)
