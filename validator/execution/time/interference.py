"""Which acts may not take place together: the rule of no moving targets (Fox and Long 2003, definition 12).

No act may read an atom or a value that another one changes at the same time, and none may delete what another adds.
Two acts may change the same value only where both increase or decrease it. What an act reads are the ground atoms and
values of its conditions, whether they decide anything or not. A derived atom that is read counts as disturbed when the
other act changes its truth.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Set

from validator.execution.time.effects import Update
from validator.execution.time.happening import Act
from validator.model.conditions import Binding, bindings, ground, instances
from validator.model.numeric import fluent_key
from validator.model.pddl.write import atom_text
from validator.model.values import (
    Atom,
    Conditional,
    Effect,
    Expression,
    Fluent,
    Formula,
    GroundAtom,
    Model,
    NumericEffect,
)
from validator.records import dataclass, field


@dataclass(slots=True)
class Reads:
    """The ground atoms and fluents that an act reads."""

    atoms: set[GroundAtom] = field(default_factory=set)
    values: set[GroundAtom] = field(default_factory=set)

    def add(self, model: Model, binding: Binding, *parts: Formula | Expression) -> None:
        """Add what conditions and expressions read, every instance of their quantifiers."""
        for part in parts:
            for each, inner in instances(model, part, binding):
                if isinstance(each, Atom):
                    self.atoms.add(ground(each, inner))
                elif isinstance(each, Fluent):
                    self.values.add(fluent_key(each, inner))

    def add_effects(self, model: Model, binding: Binding, effects: Iterable[Effect]) -> None:
        """Add what effects read: their conditions and the right sides of their changes."""
        for effect in effects:
            if isinstance(effect, NumericEffect):
                self.add(model, binding, effect.value)
            elif isinstance(effect, Conditional):
                for inner in bindings(model, effect.parameters, binding):
                    self.add(model, inner, effect.condition)
                    self.add_effects(model, inner, effect.effects)


@dataclass(frozen=True, slots=True, eq=False)
class Planned:
    """An act with what it reads and what it would do in the situation before its happening."""

    act: Act
    reads: Reads
    update: Update


_Derive = Callable[[Update], tuple[Set[GroundAtom], Set[GroundAtom]]]


def interference(one: Planned, other: Planned, is_derived: Callable[[str], bool], derive: _Derive) -> str | None:
    """Return what two acts both touch, as PDDL text, or None where they may take place together.

    ``derive`` returns the atoms, derived ones as well, before and after an update.
    """
    return next(_interferences(one, other, is_derived, derive), None)


def _interferences(one: Planned, other: Planned, is_derived: Callable[[str], bool], derive: _Derive) -> Iterator[str]:
    for reads, update in ((one.reads, other.update), (other.reads, one.update)):
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
    yield from conflicts(one.update, other.update)


def conflicts(one: Update, other: Update) -> Iterator[str]:
    """Yield what two updates change in two ways: an atom, or a value unless both only add to it."""
    for update, against in ((one, other), (other, one)):
        for atom in sorted(update.adds & against.deletes):
            yield f"one adds {atom_text(atom)}, which the other deletes"
    for key in sorted(one.changes.keys() & other.changes.keys()):
        if not (one.only_adds_to(key) and other.only_adds_to(key)):
            yield f"both change {atom_text(key)}"
