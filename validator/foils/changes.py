"""What if the model were another one: each change is a function from a model to a model."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction
from typing import TypeAlias

from validator.automata.constraints import Constraint, Phrased
from validator.automata.properties import said
from validator.errors import InputError
from validator.model.conditions import conjuncts, substituted
from validator.model.formulas import conjunction
from validator.model.pddl.write import atom_text
from validator.model.values import TOTAL_COST, Formula, GroundAtom, Model, Problem
from validator.records import dataclass, replace


@dataclass(frozen=True, slots=True, kw_only=True)
class WithoutObject(Phrased):
    """An object is not there: with it go what holds of it initially and the goals that speak of it."""

    says = "without the object {name}"
    name: str

    def apply(self, model: Model) -> Model:
        """Return the model without the object. Raises InputError for a constant that the domain speaks of."""
        if self.name in model.domain.constants:
            raise InputError(
                f"'{self.name}' is a constant, of which the domain itself may speak; it cannot be left out"
            )
        problem = model.problem
        return _with(
            model,
            objects={name: types for name, types in problem.objects.items() if name != self.name},
            init=frozenset(atom for atom in problem.init if self.name not in atom[1:]),
            values={key: value for key, value in problem.values.items() if self.name not in key[1:]},
            goal=conjunction(part for part in conjuncts(problem.goal) if not _speaks_of(part, self.name)),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class WithoutFact(Phrased):
    """A fact does not hold initially."""

    says = "without the fact {fact}"
    fact: GroundAtom

    def apply(self, model: Model) -> Model:
        """Return the model without the fact. Raises InputError for one that does not hold initially."""
        if self.fact not in model.problem.init:
            raise InputError(f"{atom_text(self.fact)} does not hold initially; it cannot be left out")
        return _with(model, init=model.problem.init - {self.fact})


@dataclass(frozen=True, slots=True, kw_only=True)
class WithFact(Phrased):
    """A fact holds initially as well."""

    says = "with the fact {fact}"
    fact: GroundAtom

    def apply(self, model: Model) -> Model:
        """Return the model with the fact. Raises InputError for a derived one."""
        if any(axiom.predicate == self.fact[0] for axiom in model.domain.axioms):
            raise InputError(f"{atom_text(self.fact)} is derived; it cannot be made to hold")
        return _with(model, init=model.problem.init | {self.fact})


@dataclass(frozen=True, slots=True, kw_only=True)
class WithValue(Phrased):
    """A function has another value initially: more fuel, a shorter road."""

    says = "with the value (= {function} {value})"
    function: GroundAtom
    value: Fraction

    def apply(self, model: Model) -> Model:
        """Return the model with the value. Raises InputError for what plans pay."""
        if self.function[0] == TOTAL_COST.function:
            raise InputError("what plans pay begins at what the model says; ask 'within cost' for a budget")
        return _with(model, values={**model.problem.values, self.function: self.value})


@dataclass(frozen=True, slots=True, kw_only=True)
class WithGoal(Phrased):
    """One goal more."""

    says = "with the goal {goal} as well"
    goal: Formula

    def apply(self, model: Model) -> Model:
        """Return the model with the goal."""
        return _with(model, goal=conjunction((*conjuncts(model.problem.goal), self.goal)))


@dataclass(frozen=True, slots=True, kw_only=True)
class WithoutGoal(Phrased):
    """One goal less."""

    says = "without the goal {goal}"
    goal: Formula

    def apply(self, model: Model) -> Model:
        """Return the model without the goal. Raises InputError for what is no part of the goal."""
        parts = list(conjuncts(model.problem.goal))
        if self.goal not in parts:
            known = ", ".join(said(part) for part in parts)
            raise InputError(f"{said(self.goal)} is not one of the goals: {known}")
        return _with(model, goal=conjunction(part for part in parts if part != self.goal))


@dataclass(frozen=True, slots=True, kw_only=True)
class OtherGoal(Phrased):
    """Another goal in place of the model's."""

    says = "with the goal {goal} instead"
    goal: Formula

    def apply(self, model: Model) -> Model:
        """Return the model with this goal alone."""
        return _with(model, goal=self.goal)


@dataclass(frozen=True, slots=True, kw_only=True)
class Goal(Phrased):
    """One of the goals, as one of several wishes of which not all can be met. It changes nothing."""

    says = "the goal {goal}"
    goal: Formula


Change: TypeAlias = WithoutObject | WithoutFact | WithFact | WithValue | WithGoal | WithoutGoal | OtherGoal
Wish: TypeAlias = Constraint | Change


def changes_of(wishes: Sequence[Wish]) -> tuple[Change, ...]:
    return tuple(wish for wish in wishes if isinstance(wish, Change))


def constraints_of(wishes: Sequence[Wish]) -> tuple[Constraint, ...]:
    return tuple(wish for wish in wishes if not isinstance(wish, Change))


def changed(model: Model, changes: Iterable[Change]) -> Model:
    """Return a model after changes: another goal comes first, an object that is not there last."""
    for change in sorted(changes, key=_order):
        model = change.apply(model)
    return model


def fallen_goals(model: Model, change: WithoutObject) -> Iterator[Formula]:
    """Yield the goals that fall away with an object."""
    return (part for part in conjuncts(model.problem.goal) if _speaks_of(part, change.name))


def _order(change: Change) -> int:
    return {OtherGoal: 0, WithoutObject: 2}.get(type(change), 1)


def _with(model: Model, **values: object) -> Model:
    problem: Problem = replace(model.problem, **values)  # type: ignore[arg-type]
    return Model(domain=model.domain, problem=problem)


def _speaks_of(condition: Formula, name: str) -> bool:
    """Return whether an object is named, which may be called as a type or a predicate is."""
    return substituted(condition, {name: ""}) != condition
