"""Actions compiled for execution, so that a step costs a few look-ups."""

from __future__ import annotations

from collections.abc import Callable, Set
from fractions import Fraction
from operator import itemgetter
from typing import TypeAlias

from validator.execution.trace import Change
from validator.model.conditions import Binding, bound, conjuncts
from validator.model.values import Action, Atom, Conditional, Expression, Formula, GroundAtom, Literal, Model, Not
from validator.records import dataclass, field

FREE = Fraction(0)
"""the cost of a step of an action that has none: always this value, which is not worth an addition"""

Env: TypeAlias = tuple[str, ...]
Getter: TypeAlias = Callable[[Env], GroundAtom]


@dataclass(slots=True)
class Schema:
    """An action compiled for execution.

    A ground atom is picked out of the environment, the tuple of the arguments followed by the constants and
    predicate names that the action mentions, by one ``itemgetter`` call.
    """

    action: Action
    constants: tuple[str, ...]
    allowed: tuple[frozenset[str], ...]
    positive: list[Getter] = field(default_factory=list)
    negative: list[Getter] = field(default_factory=list)
    literals: list[tuple[Getter, bool]] = field(default_factory=list)
    """of both, whether it is positive, in the order of the text"""
    complex: list[Formula] = field(default_factory=list)
    adds: list[Getter] = field(default_factory=list)
    deletes: list[Getter] = field(default_factory=list)
    conditional: list[Conditional] = field(default_factory=list)
    costs: list[Expression] = field(default_factory=list)

    def false_literals(self, env: Env, state: Set[GroundAtom]) -> list[tuple[GroundAtom, bool]]:
        """Return which literals of a condition that has nothing else are false, in the order of the text."""
        parts = ((getter(env), positive) for getter, positive in self.literals)
        return [(atom, positive) for atom, positive in parts if (atom in state) is not positive]

    def grounded(self, args: tuple[str, ...], cost: Fraction) -> GroundStep | None:
        """Return the step with these arguments; None where its condition or effects are more than literals."""
        if self.complex or self.conditional:
            return None
        env = args + self.constants
        adds = frozenset([getter(env) for getter in self.adds])
        deletes = frozenset([getter(env) for getter in self.deletes]) - adds
        return GroundStep(
            needs=frozenset([getter(env) for getter in self.positive]),
            forbids=frozenset([getter(env) for getter in self.negative]),
            change=Change(adds, deletes),
            cost=cost,
        )

    def binding(self, args: tuple[str, ...]) -> Binding:
        return bound(self.action.parameters, args)


@dataclass(frozen=True, slots=True)
class GroundStep:
    """A step whose condition and effects are literals, so that plans that have it again find both made.

    ``change`` is what it changes where all that it adds is false, and all that it deletes is true.
    """

    needs: frozenset[GroundAtom]
    forbids: frozenset[GroundAtom]
    change: Change
    cost: Fraction

    def is_applicable(self, state: Set[GroundAtom]) -> bool:
        return self.needs <= state and self.forbids.isdisjoint(state)

    def change_in(self, state: Set[GroundAtom]) -> Change:
        """Return what it changes in a state: itself the same value again and again, of which a long trace has many."""
        if self.change.added.isdisjoint(state) and self.change.deleted <= state:
            return self.change
        return Change(self.change.added - state, self.change.deleted & state)


def compile_action(model: Model, is_derived: Callable[[str], bool], action: Action) -> Schema:
    """Return an action compiled for execution."""
    index = {parameter.name: position for position, parameter in enumerate(action.parameters)}
    constants: dict[str, int] = {}

    def getter(atom: Atom) -> Getter:
        places = []
        for term in (atom.predicate, *atom.terms):
            place = index.get(term)
            places.append(constants.setdefault(term, len(index) + len(constants)) if place is None else place)
        if len(places) == 1:  # itemgetter of one place returns the item, not a tuple
            return itemgetter(slice(places[0], places[0] + 1))
        return itemgetter(*places)

    schema = Schema(action, (), tuple(frozenset(model.objects_of(parameter.types)) for parameter in action.parameters))
    for part in conjuncts(action.precondition):
        if isinstance(part, Atom) and not is_derived(part.predicate):
            schema.positive.append(getter(part))
            schema.literals.append((schema.positive[-1], True))
        elif isinstance(part, Not) and isinstance(part.part, Atom) and not is_derived(part.part.predicate):
            schema.negative.append(getter(part.part))
            schema.literals.append((schema.negative[-1], False))
        else:
            schema.complex.append(part)
    for effect in action.effects:
        if isinstance(effect, Literal):
            (schema.adds if effect.positive else schema.deletes).append(getter(effect.atom))
        elif isinstance(effect, Conditional):
            schema.conditional.append(effect)
        else:
            schema.costs.append(effect.value)
    schema.constants = tuple(constants)
    return schema
