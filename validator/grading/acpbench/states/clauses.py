"""Ground conditions as sets of bits: what must hold, what must not, and choices of which one must."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import reduce

from validator.model.conditions import Binding, bindings, ground
from validator.model.values import (
    And,
    Atom,
    Equal,
    Exists,
    Forall,
    Formula,
    GroundAtom,
    Imply,
    Model,
    Not,
    Or,
)
from validator.records import dataclass

__all__ = ["NEVER", "TRUE", "Clause", "grounder"]


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
