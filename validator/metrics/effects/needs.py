"""What a step needs and what it does, as ground literals, however its action writes it.

Quantifiers are instantiated; equalities and atoms that no action changes are decided by the initial state. What is left
of a condition is a set of literals, or no such set.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TypeAlias

from validator.model.conditions import Binding, bindings, ground
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
    NumericEffect,
    Or,
    changed_predicates,
)
from validator.reading.plan import Step
from validator.records import dataclass

__all__ = ["Grounder", "Need", "Needs"]

Need: TypeAlias = tuple[GroundAtom, bool]
"""An atom and whether it must hold, or must not."""

_Known: TypeAlias = bool | frozenset[Need] | None
"""Decided, a conjunction of literals, or neither."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Needs:
    """``is_exact`` says that ``literals`` is all that is needed, and that ``adds`` and ``deletes`` always happen.

    Otherwise ``reads`` are the atoms that could matter, None for any atom at all, and ``adds`` and ``deletes`` what
    could happen.
    """

    literals: frozenset[Need]
    adds: frozenset[GroundAtom]
    deletes: frozenset[GroundAtom]
    reads: frozenset[GroundAtom] | None
    is_exact: bool


class Grounder:
    """Grounds the steps of one model; each step once."""

    def __init__(self, model: Model) -> None:
        self._model = model
        self._derived = frozenset(axiom.predicate for axiom in model.domain.axioms)
        self._changing = self._derived | changed_predicates(*(each.effects for each in model.domain.actions.values()))
        self._found: dict[Step, Needs] = {}

    def of_step(self, step: Step) -> Needs:
        """Return the needs of a well-formed step."""
        found = self._found.get(step)
        if found is None:
            action = self._model.domain.actions[step.name]
            binding = {parameter.name: arg for parameter, arg in zip(action.parameters, step.args, strict=True)}
            found = self._found[step] = self._needs(action.precondition, action.effects, binding)
        return found

    def of_goal(self) -> Needs:
        return self._needs(self._model.problem.goal, (), {})

    def _needs(self, condition: Formula, effects: Iterable[Effect], binding: Binding) -> Needs:
        known = self._known(condition, binding, positive=True)
        adds: set[GroundAtom] = set()
        deletes: set[GroundAtom] = set()
        conditions: list[tuple[Formula, Binding]] = [(condition, binding)]
        is_plain = self._effects(effects, binding, adds, deletes, conditions)
        is_exact = is_plain and known is not None
        return Needs(
            literals=known if isinstance(known, frozenset) else frozenset(),
            adds=frozenset(adds),
            deletes=frozenset(deletes - adds) if is_exact else frozenset(deletes),
            reads=self._reads(conditions) if not any(map(_is_numeric, effects)) else None,
            is_exact=is_exact,
        )

    def _effects(
        self,
        effects: Iterable[Effect],
        binding: Binding,
        adds: set[GroundAtom],
        deletes: set[GroundAtom],
        conditions: list[tuple[Formula, Binding]],
    ) -> bool:
        """Collect what can happen, and on what it depends; return whether all of it always does."""
        is_plain = True
        for effect in effects:
            if isinstance(effect, Literal):
                (adds if effect.positive else deletes).add(ground(effect.atom, binding))
            elif isinstance(effect, Conditional):
                for inner in bindings(self._model, effect.parameters, binding):
                    known = self._known(effect.condition, inner, positive=True)
                    if known is not False:
                        conditions.append((effect.condition, inner))
                        always = self._effects(effect.effects, inner, adds, deletes, conditions)
                        is_plain = is_plain and always and known in (True, frozenset())
            else:
                is_plain = is_plain and not _is_numeric(effect)
        return is_plain

    # --- conditions ------------------------------------------------------------------------------

    def _known(self, formula: Formula, binding: Binding, *, positive: bool) -> _Known:
        match formula:
            case Atom():
                return self._atom(formula, binding, positive=positive)
            case Equal(left, right):
                return (binding.get(left, left) == binding.get(right, right)) is positive
            case Not(part):
                return self._known(part, binding, positive=not positive)
            case And(parts) | Or(parts):
                known = (self._known(part, binding, positive=positive) for part in parts)
                return _all(known) if isinstance(formula, And) is positive else _any(known)
            case Imply(premise, conclusion):
                return self._known(Or((Not(premise), conclusion)), binding, positive=positive)
            case Forall(parameters, part) | Exists(parameters, part):
                inner = bindings(self._model, parameters, binding)
                known = (self._known(part, each, positive=positive) for each in inner)
                return _all(known) if isinstance(formula, Forall) is positive else _any(known)
            case _:
                return None

    def _atom(self, atom: Atom, binding: Binding, *, positive: bool) -> _Known:
        if atom.predicate in self._derived:
            return None
        found = ground(atom, binding)
        if atom.predicate not in self._changing:
            return (found in self._model.problem.init) is positive
        return frozenset([(found, positive)])

    def _reads(self, conditions: Iterable[tuple[Formula, Binding]]) -> frozenset[GroundAtom] | None:
        found: set[GroundAtom] = set()
        for formula, binding in conditions:
            for atom in self._atoms(formula, binding):
                if atom is None:
                    return None
                found.add(atom)
        return frozenset(found)

    def _atoms(self, formula: Formula, binding: Binding) -> Iterator[GroundAtom | None]:
        """Yield the atoms that a condition mentions, None for a condition of anything else."""
        match formula:
            case Atom(predicate):
                yield None if predicate in self._derived else ground(formula, binding)
            case Equal():
                pass
            case Not(part):
                yield from self._atoms(part, binding)
            case And(parts) | Or(parts):
                for part in parts:
                    yield from self._atoms(part, binding)
            case Imply(premise, conclusion):
                yield from self._atoms(premise, binding)
                yield from self._atoms(conclusion, binding)
            case Forall(parameters, part) | Exists(parameters, part):
                for inner in bindings(self._model, parameters, binding):
                    yield from self._atoms(part, inner)
            case _:
                yield None


def _all(parts: Iterable[_Known]) -> _Known:
    found: set[Need] = set()
    is_known = True
    for part in parts:
        if part is False:
            return False
        if part is None:
            is_known = False
        elif part is not True:
            found |= part
    return (frozenset(found) or True) if is_known else None


def _any(parts: Iterable[_Known]) -> _Known:
    left: set[frozenset[Need] | None] = set()
    for part in parts:
        if part is True:
            return True
        if part is not False:
            left.add(part)
    return False if not left else left.pop() if len(left) == 1 else None


def _is_numeric(effect: Effect) -> bool:
    """Return whether an effect changes a number that something else than the cost could depend on."""
    if isinstance(effect, Conditional):
        return any(map(_is_numeric, effect.effects))
    return isinstance(effect, NumericEffect) and effect.fluent.function != "total-cost"
