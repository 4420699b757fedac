"""Which acts may not take place together: the rule of no moving targets (Fox and Long 2003, definition 12).

No act may read an atom or a value that another one changes at the same time, and none may delete what another adds.
Two acts may change the same value only where both increase or decrease it. What an act reads are the ground atoms and
values of its conditions, whether they decide anything or not, and those that derived atoms among them depend on.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from validator.execution.time.effects import Update
from validator.execution.time.happening import Act
from validator.model.conditions import Binding, bindings, ground, instances
from validator.model.derived import Closure
from validator.model.numeric import Situation, fluent_key, truth
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

    def add_effects(self, situation: Situation, binding: Binding, effects: Iterable[Effect]) -> None:
        """Add what effects read: their conditions, and the right sides of changes that take place (definition 5)."""
        for effect in effects:
            if isinstance(effect, NumericEffect):
                self.add(situation.model, binding, effect.value)
            elif isinstance(effect, Conditional):
                for inner in bindings(situation.model, effect.parameters, binding):
                    self.add(situation.model, inner, effect.condition)
                    if truth(effect.condition, inner, situation):
                        self.add_effects(situation, inner, effect.effects)


@dataclass(frozen=True, slots=True, eq=False)
class Planned:
    """An act with what it reads and what it would do in the situation before its happening."""

    act: Act
    reads: Reads
    update: Update


def interference(one: Planned, other: Planned, closure: Closure) -> str | None:
    """Return what two acts both touch, as PDDL text, or None where they may take place together."""
    return next(_interferences(one, other, closure), None)


def _interferences(one: Planned, other: Planned, closure: Closure) -> Iterator[str]:
    yield from disturbances(one.reads, other.update, closure)
    yield from disturbances(other.reads, one.update, closure)
    yield from conflicts(one.update, other.update)


def disturbances(reads: Reads, update: Update, closure: Closure) -> Iterator[str]:
    """Yield what an update changes of what is read, as PDDL text."""
    changed = update.adds | update.deletes
    for key in (*sorted(reads.atoms & changed), *sorted(reads.values & update.changes.keys())):
        yield f"one changes {atom_text(key)}, which the other reads"
    for derived in sorted(atom for atom in reads.atoms if atom[0] in closure.predicates):
        for key in closure.support(derived).of(sorted(changed), sorted(update.changes)):
            yield f"one changes {atom_text(key)}, which the other reads by {atom_text(derived)}"


def conflicts(one: Update, other: Update) -> Iterator[str]:
    """Yield what two updates change in two ways: an atom, or a value unless both only add to it."""
    for update, against in ((one, other), (other, one)):
        for atom in sorted(update.adds & against.deletes):
            yield f"one adds {atom_text(atom)}, which the other deletes"
    for key in sorted(one.changes.keys() & other.changes.keys()):
        if not (one.only_adds_to(key) and other.only_adds_to(key)):
            yield f"both change {atom_text(key)}"
