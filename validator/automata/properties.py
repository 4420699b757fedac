"""What a question asks of the states of a plan and of its cost: the trajectory constraints of PDDL 3, and a budget.

A trajectory constraint is an automaton whose transitions, ``edges``, are open where conditions hold in the state that
is reached. It may have several ways; a plan keeps to the constraint if one of them is accepting. None of them needs a
way through a state in which every condition is as in the state before, so that only operators count that change one.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import islice
from typing import TypeAlias

from validator.execution.time.trajectory import Point, violation
from validator.model.conditions import Binding, State, bindings, compares_numbers, holds, substituted
from validator.model.formulas import mapped
from validator.model.pddl.write import formula_text
from validator.model.temporal import Trajectory
from validator.model.values import And, Atom, Exists, Forall, Formula, Model, Not
from validator.reading.plan import Constraint as Assertion
from validator.reading.plan import Step
from validator.records import dataclass
from validator.texts import decimal

ANY = "?any-"
"""how the variables begin that stand where a question has ``_``"""

Edge: TypeAlias = tuple[int | None, int | None, tuple[tuple[int, bool, bool], ...]]
"""The state before (None: any), the state after (None: the same), and what opens the way: (number of the condition,
whether it must hold, whether it did already in the state before)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Machine:
    """An automaton: ``first`` says from what holds initially where it begins, None: it is broken at once."""

    states: int
    accepting: int | None
    edges: tuple[Edge, ...]
    first: tuple[tuple[tuple[int, bool], int | None], ...] = ()
    otherwise: int = 0

    def begin(self, held: Sequence[bool]) -> int | None:
        """Return the state after the initial state, in which these conditions hold."""
        return next((state for (part, wanted), state in self.first if held[part] is wanted), self.otherwise)


_YES, _NO, _STAYS, _STAYS_OUT = (0, True, False), (0, False, False), (0, True, True), (0, False, True)
_OTHER = (1, True, False)

OPERATORS: Mapping[str, Machine] = {
    "at end": Machine(states=2, accepting=1, edges=((None, 1, (_YES,)), (None, 0, ())), first=(((0, True), 1),)),
    "always": Machine(states=1, accepting=None, edges=((None, None, (_STAYS,)),), first=(((0, False), None),)),
    "sometime": Machine(states=2, accepting=1, edges=((None, 1, (_YES,)), (None, None, ())), first=(((0, True), 1),)),
    "at-most-once": Machine(
        states=3,
        accepting=None,
        edges=(
            (0, None, (_STAYS_OUT,)),
            (0, 1, (_YES,)),
            (1, None, (_STAYS,)),
            (1, 2, (_NO,)),
            (2, None, (_STAYS_OUT,)),
        ),
        first=(((0, True), 1),),
    ),
    "sometime-after": Machine(
        states=2,
        accepting=0,
        edges=((0, None, (_NO,)), (0, None, (_OTHER,)), (1, 0, (_OTHER,)), (0, 1, ()), (1, None, ())),
        first=(((1, True), 0), ((0, True), 1)),
    ),
    "sometime-before": Machine(
        states=2,
        accepting=None,
        edges=((0, 1, (_STAYS_OUT, _OTHER)), (0, None, (_STAYS_OUT,)), (1, None, ())),
        first=(((0, True), None), ((1, True), 1)),
    ),
}
"""The operators of PDDL 3 that need no clock (Gerevini et al. 2009).

Where several ways are open, the first one leads where all can be done that the others allow: who executes steps one
after the other takes it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Property:
    """A trajectory constraint of PDDL 3 on facts: its conditions, its times, and the objects of free variables."""

    operator: str
    parts: tuple[Formula, ...]
    times: tuple[Fraction, ...] = ()
    objects: tuple[tuple[str, str], ...] = ()

    def __str__(self) -> str:
        if self.operator == "always" and isinstance(self.parts[0], Not):
            return f"{said(self.parts[0].part)} must never hold"
        return PHRASES[self.operator].format(*map(said, self.parts), *map(decimal, self.times))

    @property
    def machine(self) -> Machine:
        return OPERATORS[self.operator]

    def violations(
        self, model: Model, steps: Sequence[Step | Assertion], states: Sequence[State]
    ) -> Iterator[int | None]:
        """Yield where the states break the constraint, by the definition: the first place only."""
        points = [
            Point(
                time=Fraction(number),
                after=number - 1,
                holds=tuple(holds(model, part, dict(self.objects), state) for part in self.parts),
            )
            for number, state in enumerate(states)
        ]
        broken = violation(Trajectory(operator=self.operator, parts=self.parts), points)
        if broken is not None:
            yield broken.step


def said(formula: Formula) -> str:
    """Return a condition as a person writes it: ``_`` for any object."""
    return formula_text(_opened(formula), {})


def _opened(formula: Formula) -> Formula:
    """Return a condition with ``_`` in place of the variables that stand where a question has it."""
    match formula:
        case Exists(parameters, Atom() as part) if all(each.name.startswith(ANY) for each in parameters):
            return substituted(part, {each.name: "_" for each in parameters})
    return mapped(formula, _opened)


PHRASES = {
    "at end": "{} must hold at the end",
    "always": "{} must always hold",
    "sometime": "{} must hold at some time",
    "at-most-once": "{} may hold in one stretch only",
    "sometime-after": "whenever {} holds, {} must hold then or later",
    "sometime-before": "{1} must hold before {0} does",
    "within": "{0} must hold by {1}",
    "always-within": "whenever {0} holds, {1} must hold within {2}",
    "hold-during": "{0} must hold from {1} to {2}",
    "hold-after": "{0} must hold after {1}",
}
"""what is said of conditions, and then of times"""


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
