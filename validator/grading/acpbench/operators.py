"""Ground conditions and steps, whose sets of facts are bits, and how they are made of a model's actions."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import cached_property, reduce

from validator.model.conditions import Binding, bindings, conjuncts, ground
from validator.model.values import (
    And,
    Atom,
    Conditional,
    Effect,
    Equal,
    Exists,
    Forall,
    Formula,
    GroundAtom,
    Imply,
    Literal,
    Model,
    Not,
    Or,
)
from validator.reading.plan import Step
from validator.records import dataclass

# --- ground conditions ----------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Clause:
    """A condition: ``needs`` hold, ``lacks`` do not, and of each of ``either`` one clause holds."""

    needs: int = 0
    lacks: int = 0
    either: tuple[tuple[Clause, ...], ...] = ()

    def holds(self, state: int) -> bool:
        if state & self.needs != self.needs or state & self.lacks:
            return False
        return all(any(clause.holds(state) for clause in some) for some in self.either)

    def may_hold(self, found: int) -> bool:
        """Return whether it could hold if nothing that was ever true were lost: what must be false is not asked."""
        if found & self.needs != self.needs:
            return False
        return all(any(clause.may_hold(found) for clause in some) for some in self.either)

    def __and__(self, other: Clause) -> Clause:
        return Clause(self.needs | other.needs, self.lacks | other.lacks, self.either + other.either)


TRUE = Clause()
NEVER = Clause(either=((),))
"""What no state has: a choice of nothing."""


def grounder(model: Model, changing: frozenset[str], bit: Callable[[GroundAtom], int]) -> Callable[..., Clause]:
    """Return what makes a clause of a condition and a binding of its variables.

    Facts of predicates that are not ``changing`` are decided by the initial state.
    """
    init = model.problem.init

    def clause(formula: Formula, binding: Binding, holds: bool = True) -> Clause:
        match formula:
            case Atom():
                atom = ground(formula, binding)
                if formula.predicate not in changing:
                    return _decided((atom in init) == holds)
                return Clause(needs=bit(atom)) if holds else Clause(lacks=bit(atom))
            case Equal(left, right):
                return _decided((binding.get(left, left) == binding.get(right, right)) == holds)
            case Not(part):
                return clause(part, binding, not holds)
            case Imply(premise, conclusion):
                return _joined((clause(premise, binding, not holds), clause(conclusion, binding, holds)), not holds)
            case And(parts) | Or(parts):
                return _joined((clause(part, binding, holds) for part in parts), isinstance(formula, And) == holds)
            case Forall(parameters, part) | Exists(parameters, part):
                all_of = isinstance(formula, Forall) == holds
                return _joined((clause(part, each, holds) for each in bindings(model, parameters, binding)), all_of)
            case _:
                raise ValueError(f"a condition of the kind {type(formula).__name__}")

    return clause


def _decided(holds: bool) -> Clause:
    return TRUE if holds else NEVER


def _joined(clauses: Iterable[Clause], all_of: bool) -> Clause:
    """Return a conjunction, or a choice, without what decides nothing."""
    found = list(dict.fromkeys(clauses))
    if all_of:
        return NEVER if NEVER in found else reduce(Clause.__and__, found, TRUE)
    found = [clause for clause in found if clause != NEVER]
    if TRUE in found:
        return TRUE
    return found[0] if len(found) == 1 else Clause(either=(tuple(found),))


# --- ground steps ---------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Operator:
    """A ground step; sets of facts are bits. ``effects`` are those with conditions: what they add, what they delete.

    ``close`` adds to a state the derived facts that follow from it.
    """

    step: Step
    condition: Clause
    adds: int
    deletes: int
    effects: tuple[tuple[Clause, int, int], ...] = ()
    close: Callable[[int], int] | None = None

    def is_applicable(self, state: int) -> bool:
        return self.condition.holds(state)

    def apply(self, state: int) -> int:
        adds, deletes = self.adds, self.deletes
        for condition, more, less in self.effects:
            if condition.holds(state):
                adds, deletes = adds | more, deletes | less
        after = (state & ~deletes) | adds
        return after if self.close is None else self.close(after)

    @property
    def is_plain(self) -> bool:
        return not self.condition.either and not self.effects and self.close is None


@dataclass
class Grounding:
    """Makes the ground steps of a model. ``changing`` are the predicates that are not the same in all states.

    ``grounded`` returns a condition for objects, ``bits_of`` facts as bits, ``close`` adds derived facts to a state.
    """

    model: Model
    changing: frozenset[str]
    grounded: Callable[..., Clause]
    bits_of: Callable[[Iterable[GroundAtom]], int]
    close: Callable[[int], int] | None

    def operators(self, name: str) -> Iterator[Operator]:
        """Yield the steps of an action whose conditions that never change hold."""
        action = self.model.domain.actions[name]
        parts = list(conjuncts(action.precondition))
        places = {parameter.name: place for place, parameter in enumerate(action.parameters)}
        checks: list[list[Formula]] = [[] for _ in range(len(places) + 1)]
        for part in parts:
            if _is_literal(part) and not self._changes(part):
                last = max((places[term] + 1 for term in _terms(part) if term in places), default=0)
                checks[last].append(part)
        allowed = [self.model.objects_of(parameter.types) for parameter in action.parameters]
        names = [parameter.name for parameter in action.parameters]
        for args in self._bindings(names, allowed, checks, {}):
            operator = self.operator(Step(name=action.step or name, args=args), name)
            if operator.condition != NEVER:
                yield operator

    def _bindings(
        self, names: list[str], allowed: list[tuple[str, ...]], checks: list[list[Formula]], bound: dict[str, str]
    ) -> Iterator[tuple[str, ...]]:
        """Yield the arguments for which all that never changes holds, one parameter after the other."""
        if not all(self._holds(part, bound) for part in checks[len(bound)]):
            return
        if len(bound) == len(names):
            yield tuple(bound[name] for name in names)
            return
        for value in self._candidates(names[len(bound)], allowed[len(bound)], checks[len(bound) + 1], bound):
            yield from self._bindings(names, allowed, checks, {**bound, names[len(bound)]: value})

    def _candidates(
        self, name: str, allowed: tuple[str, ...], checks: list[Formula], bound: dict[str, str]
    ) -> Iterable[str]:
        """Return the objects for the next parameter that a fact about it, which never changes, leaves."""
        atom = next((part for part in checks if isinstance(part, Atom) and part.terms.count(name) == 1), None)
        if atom is None:
            return allowed
        place = atom.terms.index(name)
        key = (atom.predicate, place, tuple(bound.get(term, term) for term in atom.terms if term != name))
        values = self._values.get(key, set())
        return (value for value in allowed if value in values)

    @cached_property
    def _values(self) -> dict[tuple[str, int, tuple[str, ...]], set[str]]:
        """Return what stands in each place of the initial facts that never change, by the other arguments."""
        found: dict[tuple[str, int, tuple[str, ...]], set[str]] = {}
        for predicate, *args in self.model.problem.init:
            if predicate not in self.changing:
                for place, value in enumerate(args):
                    others = (*args[:place], *args[place + 1 :])
                    found.setdefault((predicate, place, others), set()).add(value)
        return found

    def _changes(self, part: Formula) -> bool:
        inner = part.part if isinstance(part, Not) else part
        return isinstance(inner, Atom) and inner.predicate in self.changing

    def _holds(self, part: Formula, bound: dict[str, str]) -> bool:
        if isinstance(part, Not):
            return not self._holds(part.part, bound)
        if isinstance(part, Atom):
            atom = (part.predicate, *(bound.get(term, term) for term in part.terms))
            return atom in self.model.problem.init
        left, right = (bound.get(term, term) for term in _terms(part))
        return left == right

    def operator(self, step: Step, name: str) -> Operator:
        """Return a step of an action as an operator, also where its condition never holds."""
        action = self.model.domain.actions[name]
        binding = {parameter.name: value for parameter, value in zip(action.parameters, step.args, strict=True)}
        adds = deletes = 0
        conditional: dict[Clause, tuple[int, int]] = {}
        for condition, add, delete in self._effects(action.effects, binding, TRUE):
            if condition == TRUE:
                adds, deletes = adds | add, deletes | delete
            elif condition != NEVER:
                more, less = conditional.get(condition, (0, 0))
                conditional[condition] = more | add, less | delete
        effects = tuple((condition, *changes) for condition, changes in conditional.items())
        return Operator(step, self.grounded(action.precondition, binding), adds, deletes, effects, self.close)

    def _effects(self, effects: Iterable[Effect], binding: Binding, when: Clause) -> Iterator[tuple[Clause, int, int]]:
        for effect in effects:
            if isinstance(effect, Literal):
                bit = self.bits_of((ground(effect.atom, binding),))
                yield (when, bit, 0) if effect.positive else (when, 0, bit)
            elif isinstance(effect, Conditional):
                for each in bindings(self.model, effect.parameters, binding):
                    condition = self.grounded(effect.condition, each)
                    if condition != NEVER:
                        yield from self._effects(effect.effects, each, when & condition)


def bits_in(facts: int) -> Iterator[int]:
    while facts:
        lowest = facts & -facts
        yield lowest
        facts ^= lowest


def _is_literal(part: Formula) -> bool:
    return isinstance(part.part if isinstance(part, Not) else part, Atom | Equal)


def _terms(part: Formula) -> tuple[str, ...]:
    inner = part.part if isinstance(part, Not) else part
    if isinstance(inner, Equal):
        return inner.left, inner.right
    assert isinstance(inner, Atom)
    return inner.terms
