"""Conditions of a model on its grounded task: as values of variables, in the state and in the state after an operator.

A condition is True, False, a ``Values`` (one variable has one of some values), or a ``Joined`` of conditions.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property, partial
from itertools import islice, product, starmap
from typing import TypeAlias

from validator.automata.constraints import Constraint, OnlyIf, Show, violations
from validator.automata.properties import Property
from validator.errors import InputError
from validator.execution.simulator import Simulator
from validator.grounding.operators import Operator, Value
from validator.grounding.task import Task
from validator.model.conditions import Binding, State, folded, ground
from validator.model.values import (
    Atom,
    Axiom,
    Equal,
    Formula,
    GroundAtom,
    Model,
)
from validator.reading.plan import Plan, Step
from validator.records import dataclass

_ATOM = re.compile(r"(Negated)?Atom (\w+)\(([^)]*)\)")
_MOST_ALTERNATIVES = 4096
_MOST_DERIVED = 50_000
"""ways in which the axioms of one derived atom can hold"""
_MOST_KEPT = 500
"""of these, those of which none asks for more than another one"""


@dataclass(frozen=True, slots=True)
class Values:
    """The variable has one of these values."""

    variable: int
    allowed: frozenset[int]


@dataclass(frozen=True, slots=True)
class Joined:
    """All of the parts hold, or with ``is_any`` one of them."""

    parts: tuple[Condition, ...]
    is_any: bool


Condition: TypeAlias = bool | Values | Joined


class Facts:
    """The atoms of a model as values of its task's variables."""

    def __init__(self, model: Model, task: Task) -> None:
        self.model = model
        self.sizes = task.sizes
        predicates = {f"p{number}": name for number, name in enumerate(model.domain.predicates)}
        self.values: dict[GroundAtom, Value] = {}
        self._holds: dict[GroundAtom, Condition] = {}
        self._growing: dict[GroundAtom, Condition] | None = None
        self._atoms: dict[Value, tuple[GroundAtom, bool]] = {}
        for variable, text in enumerate(task.variables):
            for value, line in enumerate(text.splitlines()[4:-1]):
                found = _ATOM.fullmatch(line)
                if found is None or found[2] not in predicates:
                    continue
                args = (task.encoding.objects[arg] for arg in found[3].split(", ") if arg)
                atom = (predicates[found[2]], *args)
                self._atoms[variable, value] = atom, not found[1]
                if not found[1]:
                    self.values[atom] = variable, value

    def atom(self, value: Value) -> tuple[GroundAtom, bool] | None:
        """Return the atom that a value says, and whether it holds then; None for a value that says nothing of one."""
        return self._atoms.get(value)

    def condition(self, formula: Formula, binding: Binding | None = None, *, positive: bool = True) -> Condition:
        """Return a condition of the model, or its negation. Raises InputError for what no variable says."""
        all_of, any_of = (partial(joined, is_any=is_any) for is_any in (False, True))
        found: Condition = folded(self.model, formula, binding or {}, self._leaf, all_of, any_of, wanted=positive)
        return found

    def _leaf(self, formula: Formula, binding: Binding, positive: bool) -> Condition:
        if isinstance(formula, Atom):
            atom = ground(formula, binding)
            return self._derived(atom, positive) if atom[0] in self._rules else self._literal(atom, positive)
        if isinstance(formula, Equal):
            return (binding.get(formula.left, formula.left) == binding.get(formula.right, formula.right)) is positive
        raise InputError("a question about facts cannot compare numbers in this model")

    # --- derived facts -------------------------------------------------------------------------

    def _derived(self, atom: GroundAtom, positive: bool) -> Condition:
        """Return what the axioms of a derived atom ask for: while these are worked out, what is known of it so far."""
        if atom not in self._holds:
            if self._growing is not None and positive:
                self._growing.setdefault(atom, False)
                return self._growing[atom]
            self._work_out(atom)
        return self._holds[atom] if positive else negated(self._holds[atom], self.sizes)

    def _work_out(self, atom: GroundAtom) -> None:
        """Apply the axioms until nothing is added: the least fixpoint, of shortest ways in which an atom can hold."""
        outer = self._growing
        growing: dict[GroundAtom, Condition] = {atom: False}
        self._growing = growing
        try:
            while True:
                before = dict(growing)
                for each in [*growing]:
                    growing[each] = self._shortest(each[0], self._rule(each))
                if growing == before:
                    break
        finally:
            self._growing = outer
        self._holds |= growing

    def _rule(self, atom: GroundAtom) -> Condition:
        """Return what the axioms for the types of an atom's terms say of it."""
        found = []
        for axiom in self._rules[atom[0]]:
            pairs = list(zip(axiom.parameters, atom[1:], strict=True))
            if all(term in self.model.objects_of(parameter.types) for parameter, term in pairs):
                binding = {parameter.name: term for parameter, term in pairs}
                found.append(self.condition(axiom.condition, binding))
        return joined(found, is_any=True)

    def _shortest(self, predicate: str, condition: Condition) -> Condition:
        """Return a condition as the ways in which it can hold, without those that ask for more than another one."""
        ways = list(islice(_ways(condition, {}), _MOST_DERIVED + 1))
        kept: list[frozenset[tuple[int, frozenset[int]]]] = []
        for way in sorted({frozenset(way.items()) for way in ways}, key=len):
            if not any(other <= way for other in kept):
                kept.append(way)
            if len(ways) > _MOST_DERIVED or len(kept) > _MOST_KEPT:
                raise InputError(f"'{predicate}' can hold in too many ways for a question to speak of it")
        parts = (joined(starmap(Values, sorted(way, key=str)), is_any=False) for way in sorted(kept, key=str))
        return joined(parts, is_any=True)

    @cached_property
    def _rules(self) -> Mapping[str, list[Axiom]]:
        """Return the axioms of each derived predicate."""
        found: dict[str, list[Axiom]] = {}
        for axiom in self.model.domain.axioms:
            found.setdefault(axiom.predicate, []).append(axiom)
        return found

    def _literal(self, atom: GroundAtom, positive: bool) -> Condition:
        value = self.values.get(atom)
        if value is None:  # it holds always, or never
            return (atom in self.model.problem.init) is positive
        variable, number = value
        allowed = frozenset((number,))
        return Values(variable, allowed if positive else frozenset(range(self.sizes[variable])) - allowed)


def joined(parts: Iterable[Condition], *, is_any: bool) -> Condition:
    """Join conditions, without those that change nothing and without conjunctions in conjunctions."""
    found: list[Condition] = []
    for part in parts:
        if isinstance(part, bool):
            if part is is_any:
                return part
        elif isinstance(part, Joined) and part.is_any is is_any:
            found += part.parts
        else:
            found.append(part)
    if not found:
        return not is_any
    return found[0] if len(found) == 1 else Joined(tuple(dict.fromkeys(found)), is_any)


def conjuncts_of(condition: Condition) -> tuple[Condition, ...]:
    """Return the parts of which all must hold."""
    return condition.parts if isinstance(condition, Joined) and not condition.is_any else (condition,)


def negated(condition: Condition, sizes: Sequence[int]) -> Condition:
    """Return the negation of a condition."""
    if isinstance(condition, bool):
        return not condition
    if isinstance(condition, Values):
        return Values(condition.variable, frozenset(range(sizes[condition.variable])) - condition.allowed)
    return joined((negated(part, sizes) for part in condition.parts), is_any=not condition.is_any)


def variables(condition: Condition) -> frozenset[int]:
    """Return the variables that a condition speaks of."""
    if isinstance(condition, Values):
        return frozenset((condition.variable,))
    return frozenset().union(*map(variables, condition.parts)) if isinstance(condition, Joined) else frozenset()


def values_of(condition: Condition) -> Iterator[tuple[int, frozenset[int]]]:
    """Yield each variable that a condition speaks of, with the values that a part of it allows."""
    if isinstance(condition, Values):
        yield condition.variable, condition.allowed
    elif isinstance(condition, Joined):
        for part in condition.parts:
            yield from values_of(part)


def holds_in(condition: Condition, state: Sequence[int]) -> bool:
    """Return whether a condition holds in a state."""
    if isinstance(condition, Values):
        return state[condition.variable] in condition.allowed
    if isinstance(condition, Joined):
        return (any if condition.is_any else all)(holds_in(part, state) for part in condition.parts)
    return condition


def behind(condition: Condition, operator: Operator, sizes: Sequence[int]) -> Condition:
    """Return what must hold before an operator for a condition to hold after it (regression)."""
    if isinstance(condition, Joined):
        return joined((behind(part, operator, sizes) for part in condition.parts), is_any=condition.is_any)
    if isinstance(condition, bool):
        return condition
    made: list[Condition] = []  # an effect makes it hold, and no later one undoes that
    kept: list[Condition] = []  # no later effect undoes it
    for effect in reversed(operator.effect_values):
        if effect.variable != condition.variable:
            continue
        if effect.value in condition.allowed:
            fires = (Values(variable, frozenset((value,))) for variable, value in effect.conditions)
            made.append(joined((*fires, *kept), is_any=False))
        else:
            kept.append(joined((_other(value, sizes) for value in effect.conditions), is_any=True))
    return joined((*made, joined((condition, *kept), is_any=False)), is_any=True)


def _other(value: Value, sizes: Sequence[int]) -> Condition:
    return Values(value[0], frozenset(range(sizes[value[0]])) - {value[1]})


def is_possible(condition: Condition, needed: Mapping[int, int]) -> bool:
    """Return whether a condition can hold beside given values."""
    given = {variable: frozenset((value,)) for variable, value in needed.items()}
    return next(_ways(condition, given), None) is not None


def alternatives(condition: Condition, needed: Mapping[int, int]) -> list[dict[int, int]]:
    """Return the ways in which a condition can hold beside given values: each what must hold besides.

    Raises InputError when there are too many.
    """
    given = {variable: frozenset((value,)) for variable, value in needed.items()}
    found: dict[frozenset[Value], dict[int, int]] = {}
    for way in _ways(condition, given):
        free = sorted(way.keys() - needed.keys())
        for chosen in product(*(sorted(way[variable]) for variable in free)):
            found[frozenset(zip(free, chosen, strict=True))] = dict(zip(free, chosen, strict=True))
            if len(found) > _MOST_ALTERNATIVES:
                raise InputError("the condition of a question has too many ways to hold; ask for less at once")
    return (
        [way for key, way in found.items() if not any(other < key for other in found)]
        if len(found) < 64
        else [*found.values()]
    )


def _ways(condition: Condition, given: dict[int, frozenset[int]]) -> Iterator[dict[int, frozenset[int]]]:
    if isinstance(condition, Values):
        known = given.get(condition.variable)
        left = condition.allowed if known is None else known & condition.allowed
        if left:
            yield {**given, condition.variable: left}
    elif isinstance(condition, Joined) and condition.is_any:
        for part in condition.parts:
            yield from _ways(part, given)
    elif isinstance(condition, Joined):
        first, *rest = condition.parts
        for way in _ways(first, given):
            yield from _ways(joined(rest, is_any=False), way)
    elif condition:
        yield given


# --- the model with its task --------------------------------------------------------------------


@dataclass(frozen=True, kw_only=True)
class World:
    """A model with what executes its plans, its task, and how its steps are seen."""

    simulator: Simulator
    task: Task
    show: Show = lambda step: step

    @property
    def model(self) -> Model:
        return self.simulator.model

    @cached_property
    def facts(self) -> Facts:
        """Return the model's atoms as values of the task."""
        return Facts(self.model, self.task)

    def keeps(self, constraints: Sequence[Constraint], steps: Sequence[Step]) -> bool:
        """Return whether a valid plan keeps to constraints, whatever it costs."""
        states: list[State] = []
        if any(isinstance(each, Property | OnlyIf) for each in constraints):
            states = [self.simulator.view(state) for state in self.simulator.run(Plan(parts=tuple(steps))).states()]
        shown = [self.show(step) for step in steps]
        return not any(True for each in constraints for _ in violations(each, shown, states, self.model))
