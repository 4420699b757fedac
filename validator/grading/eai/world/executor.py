"""Executing actions of a PDDL domain in scenes of hundreds of objects and thousands of facts.

The semantics are those of ``validator.execution.simulator``, and tests hold the two together. Here conditions are
answered through the indices of the state, derived predicates only for the atoms that are asked for, and every state
stays at hand, because the grading of a step looks back.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TypeAlias

from validator.grading.eai.world.query import Queries, conjuncts
from validator.grading.eai.world.state import State
from validator.model.conditions import Binding, ground
from validator.model.values import Action, Conditional, Domain, Effect, Formula, GroundAtom, Literal, Parameter

_Changes: TypeAlias = Callable[[State, Binding, set[GroundAtom], set[GroundAtom]], None]


def bind(action: Action, args: Sequence[str]) -> Binding:
    """Return the objects of an action's parameters. Raises ValueError for a wrong number."""
    return {parameter.name: value for parameter, value in zip(action.parameters, args, strict=True)}


class World:
    """A domain over some objects: what holds in its states, and what its actions do there.

    ``objects`` maps each object to its types.
    """

    def __init__(self, domain: Domain, objects: Mapping[str, frozenset[str]]) -> None:
        self.domain = domain
        self.actions = {name.lower(): action for name, action in domain.actions.items()}
        self.objects = {**domain.constants, **objects}
        self._queries = Queries(domain, self.objects)
        self._tests: dict[Formula, Callable[[State, Binding], bool]] = {}
        self._checks: dict[str, list[Callable[[State, Binding], bool]]] = {}
        self._changes: dict[str, list[_Changes]] = {}

    def holds(self, formula: Formula, state: State, binding: Binding | None = None) -> bool:
        """Return whether a condition holds in a state; all its free variables must be bound."""
        test = self._tests.get(formula)
        if test is None:
            test = self._tests[formula] = self._queries.test(formula)
        return test(state, binding or {})

    def failing(self, action: Action, args: Sequence[str], state: State) -> int | None:
        """Return the index of the first conjunct of the precondition that is false; None when all hold."""
        checks = self._checks.get(action.name)
        if checks is None:
            checks = [self._queries.test(part) for part in conjuncts(action.precondition)]
            self._checks[action.name] = checks
        binding = bind(action, args)
        return next((index for index, check in enumerate(checks) if not check(state, binding)), None)

    def effects(self, action: Action, args: Sequence[str], state: State) -> tuple[set[GroundAtom], set[GroundAtom]]:
        """Return what an action adds and what it deletes in a state; of the deleted only what holds."""
        changes = self._changes.get(action.name)
        if changes is None:
            changes = [found for effect in action.effects for found in self._compiled(effect, (), (), action)]
            self._changes[action.name] = changes
        added: set[GroundAtom] = set()
        deleted: set[GroundAtom] = set()
        binding = bind(action, args)
        for change in changes:
            change(state, binding, added, deleted)
        return added, deleted

    def result(self, action: Action, args: Sequence[str], state: State) -> State:
        """Return the state after an action that is applicable."""
        added, deleted = self.effects(action, args, state)
        return state.after(added, deleted)

    def _compiled(
        self, effect: Effect, parameters: tuple[Parameter, ...], conditions: tuple[Formula, ...], action: Action
    ) -> list[_Changes]:
        if isinstance(effect, Conditional):
            within = (*parameters, *effect.parameters), (*conditions, *conjuncts(effect.condition))
            return [found for each in effect.effects for found in self._compiled(each, *within, action)]
        if isinstance(effect, Literal):
            return [self._literal(effect, parameters, conditions, action)]
        return []

    def _literal(
        self, effect: Literal, parameters: tuple[Parameter, ...], conditions: tuple[Formula, ...], action: Action
    ) -> _Changes:
        atom, positive = effect.atom, effect.positive
        typing = {parameter.name: parameter for parameter in parameters}
        bound = frozenset(parameter.name for parameter in action.parameters) - typing.keys()
        # To delete what does not hold changes nothing, so that the atoms that hold say which objects matter.
        solve = self._queries.solve(conditions if positive else (*conditions, atom), bound, typing)

        def change(state: State, binding: Binding, added: set[GroundAtom], deleted: set[GroundAtom]) -> None:
            known = binding if not typing else {name: value for name, value in binding.items() if name in bound}
            (added if positive else deleted).update(ground(atom, found) for found in solve(state, known))

        return change
