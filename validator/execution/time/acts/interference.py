"""Which acts may not take place together: the rule of no moving targets (Fox and Long 2003, definition 12).

No act may read an atom or a value that another one changes at the same time, and none may delete what another adds.
Two acts may change the same value only where both increase or decrease it. What an act reads are the ground atoms and
values of its conditions, whether they decide anything or not. A derived atom that is read counts as disturbed when the
other act changes its truth.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Set

from validator.execution.time.acts.effects import Update
from validator.model.conditions import Binding, bindings, ground
from validator.model.numeric import fluent_key
from validator.model.pddl.write import atom_text
from validator.model.values import (
    And,
    Arithmetic,
    Atom,
    Compare,
    Conditional,
    Effect,
    Exists,
    Expression,
    Fluent,
    Forall,
    Formula,
    GroundAtom,
    Imply,
    Literal,
    Model,
    Not,
    NumericEffect,
    Or,
)
from validator.records import dataclass, field

__all__ = ["Reads", "interference", "reads_of_effects", "reads_of_expression", "reads_of_formula"]


@dataclass(slots=True)
class Reads:
    """The ground atoms and fluents that an act reads."""

    atoms: set[GroundAtom] = field(default_factory=set)
    values: set[GroundAtom] = field(default_factory=set)


def reads_of_formula(model: Model, formula: Formula, binding: Binding, reads: Reads) -> None:
    """Add what a condition reads, every instance of its quantifiers."""
    match formula:
        case Atom():
            reads.atoms.add(ground(formula, binding))
        case Compare(_, first, second):
            reads_of_expression(first, binding, reads)
            reads_of_expression(second, binding, reads)
        case Not(part):
            reads_of_formula(model, part, binding, reads)
        case And(parts) | Or(parts):
            for part in parts:
                reads_of_formula(model, part, binding, reads)
        case Imply(premise, conclusion):
            reads_of_formula(model, premise, binding, reads)
            reads_of_formula(model, conclusion, binding, reads)
        case Forall(parameters, part) | Exists(parameters, part):
            for inner in bindings(model, parameters, binding):
                reads_of_formula(model, part, inner, reads)
        case _:
            pass


def reads_of_expression(expression: Expression, binding: Binding, reads: Reads) -> None:
    if isinstance(expression, Fluent):
        reads.values.add(fluent_key(expression, binding))
    elif isinstance(expression, Arithmetic):
        for operand in expression.operands:
            reads_of_expression(operand, binding, reads)


def reads_of_effects(model: Model, effects: Iterable[Effect], binding: Binding, reads: Reads) -> None:
    """Add what effects read: their conditions and the right sides of their changes."""
    for effect in effects:
        if isinstance(effect, NumericEffect):
            reads_of_expression(effect.value, binding, reads)
        elif isinstance(effect, Conditional):
            for inner in bindings(model, effect.parameters, binding):
                reads_of_formula(model, effect.condition, inner, reads)
                reads_of_effects(model, effect.effects, inner, reads)
        else:
            assert isinstance(effect, Literal)


_Derive = Callable[[Update], tuple[Set[GroundAtom], Set[GroundAtom]]]


def interference(
    one: tuple[Reads, Update], other: tuple[Reads, Update], is_derived: Callable[[str], bool], derive: _Derive
) -> str | None:
    """Return what two acts both touch, as PDDL text, or None where they may take place together.

    ``derive`` returns the atoms, derived ones as well, before and after an update.
    """
    return next(_interferences(one, other, is_derived, derive), None)


def _interferences(
    one: tuple[Reads, Update], other: tuple[Reads, Update], is_derived: Callable[[str], bool], derive: _Derive
) -> Iterator[str]:
    for (reads, _), (_, update) in ((one, other), (other, one)):
        for atom in sorted(reads.atoms & (update.adds | update.deletes)):
            yield f"one changes {atom_text(atom)}, which the other reads"
        for key in sorted(reads.values & update.changes.keys()):
            yield f"one changes {atom_text(key)}, which the other reads"
        derived = [atom for atom in sorted(reads.atoms) if is_derived(atom[0])]
        if derived and (update.adds or update.deletes or update.changes):
            before, after = derive(update)
            for atom in derived:
                if (atom in before) is not (atom in after):
                    yield f"one changes {atom_text(atom)}, which the other reads"
    for (_, update), (_, against) in ((one, other), (other, one)):
        for atom in sorted(update.adds & against.deletes):
            yield f"one adds {atom_text(atom)}, which the other deletes"
    for key in sorted(one[1].changes.keys() & other[1].changes.keys()):
        if not (one[1].only_adds_to(key) and other[1].only_adds_to(key)):
            yield f"both change {atom_text(key)}"
