"""States of models with numbers and without time, and what ground steps make of them.

Only what steps change is in a state, and of the numbers only those that anything reads, as exact fractions.
"""

from __future__ import annotations

from collections.abc import Set
from fractions import Fraction

from validator.execution.time.effects import Update, collect
from validator.execution.time.metric import changed_functions, counting_functions
from validator.model.conditions import Binding, bound, conjuncts, ground
from validator.model.derived import Closure
from validator.model.numeric import Situation, truth
from validator.model.values import Action, Atom, Formula, GroundAtom, Model, Not, changed_predicates
from validator.reading.plan import Step
from validator.records import dataclass

_TOTAL_COST = ("total-cost",)

_MOST_BITS = 2000


@dataclass(frozen=True, slots=True)
class State:
    """The atoms that hold out of those that steps change, and the values that tell states apart, sorted."""

    atoms: frozenset[GroundAtom]
    values: tuple[tuple[GroundAtom, Fraction], ...]

    @property
    def is_huge(self) -> bool:
        """Return whether a numerator or denominator is too large to be searched: it could double with each step."""
        return any(part.bit_length() > _MOST_BITS for _, value in self.values for part in value.as_integer_ratio())


@dataclass(frozen=True, slots=True, kw_only=True)
class GroundStep:
    """A step with its action: the atoms that it needs and forbids, and the rest of its condition."""

    step: Step
    action: Action
    binding: Binding
    needs: frozenset[GroundAtom]
    forbids: frozenset[GroundAtom]
    rest: tuple[Formula, ...]


class States:
    """The states of a model; ``start`` is the first one."""

    def __init__(self, model: Model) -> None:
        self.model = model
        self._closure = Closure(model)
        self.values = {_TOTAL_COST: Fraction(0), **model.problem.values}
        self._kept = state_functions(model)
        changed = changed_predicates(*(action.effects for action in model.domain.actions.values()))
        init = frozenset(model.problem.init)
        atoms = frozenset(atom for atom in init if atom[0] in changed)
        self._static = init - atoms
        self.start = State(atoms, tuple(sorted((key, it) for key, it in self.values.items() if key[0] in self._kept)))

    def situation(self, state: State) -> Situation:
        """Return what conditions are evaluated in."""
        atoms: Set[GroundAtom] = self._closure.extend(state.atoms | self._static)
        return Situation(model=self.model, atoms=atoms, values={**self.values, **dict(state.values)})

    def is_goal(self, situation: Situation) -> bool:
        """Return whether the goal holds in a situation."""
        return truth(self.model.problem.goal, {}, situation) is True

    def ground(self, step: Step) -> GroundStep:
        """Return a step that fits the model, ready to be applied."""
        return ground_step(step, self.model.domain.actions[step.name])

    def applies(self, situation: Situation, step: GroundStep) -> bool:
        """Return whether what a step needs holds in a situation."""
        if not step.needs <= situation.atoms or not step.forbids.isdisjoint(situation.atoms):
            return False
        return all(truth(part, step.binding, situation) is True for part in step.rest)

    def after(self, state: State, situation: Situation, step: GroundStep) -> tuple[State, Update] | None:
        """Return the state after a step and what the step did, or None where it cannot take place.

        ``situation`` is the one of the state.
        """
        if not self.applies(situation, step):
            return None
        update = collect(step.action.effects, step.binding, situation, Update())
        if update.undefined:
            return None
        changed, conflicts = update.values(situation.values)
        if conflicts:
            return None
        values = {key: value for key, value in changed.items() if key[0] in self._kept}
        atoms = state.atoms
        if update.adds or update.deletes:
            atoms = (atoms - update.deletes) | update.adds
        return State(atoms, tuple(sorted({**dict(state.values), **values}.items())) if values else state.values), update


def ground_step(step: Step, action: Action) -> GroundStep:
    """Return a step with the action that it is one of, which need not be the model's."""
    binding = bound(action.parameters, step.args)
    needs, forbids, rest = set(), set(), []
    for part in conjuncts(action.precondition):
        if isinstance(part, Atom):
            needs.add(ground(part, binding))
        elif isinstance(part, Not) and isinstance(part.part, Atom):
            forbids.add(ground(part.part, binding))
        else:
            rest.append(part)
    return GroundStep(
        step=step,
        action=action,
        binding=binding,
        needs=frozenset(needs),
        forbids=frozenset(forbids),
        rest=tuple(rest),
    )


def state_functions(model: Model) -> set[str]:
    """Return the functions whose values tell states of a model without time apart: not only the metric reads them."""
    return changed_functions(model) - counting_functions(model)
