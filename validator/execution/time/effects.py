"""What an act does to atoms and values, read in the situation before it (Fox and Long 2003, section 5)."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from fractions import Fraction

from validator.model.conditions import Binding, bindings, ground
from validator.model.numeric import Gap, Missing, Situation, evaluate, first_gap, fluent_key, truth
from validator.model.pddl.write import atom_text
from validator.model.values import Conditional, Effect, GroundAtom, Literal, NumericEffect
from validator.records import dataclass, field
from validator.texts import decimal

ADDITIVE = frozenset(("increase", "decrease"))


@dataclass(slots=True)
class Update:
    """Atoms added and deleted, and the changes of values as ``(operator, operand)``, in order of the text.

    ``undefined`` are the values that the effects read and that are missing.
    """

    adds: set[GroundAtom] = field(default_factory=set)
    deletes: set[GroundAtom] = field(default_factory=set)
    changes: dict[GroundAtom, list[tuple[str, Fraction]]] = field(default_factory=lambda: defaultdict(list))
    undefined: list[Missing] = field(default_factory=list)

    def merge(self, other: Update) -> None:
        """Take over another update of the same happening."""
        self.adds |= other.adds
        self.deletes |= other.deletes
        for key, changes in other.changes.items():
            self.changes[key] += changes

    def values(self, before: Mapping[GroundAtom, Fraction]) -> tuple[dict[GroundAtom, Fraction], list[str]]:
        """Return the values that it changes, and for each one that it changes in two ways why these conflict."""
        found: dict[GroundAtom, Fraction] = {}
        conflicts: list[str] = []
        for key, changes in self.changes.items():
            value = combined(key, changes, before.get(key))
            if isinstance(value, str):
                conflicts.append(value)
            else:
                found[key] = value
        return found, conflicts

    def only_adds_to(self, key: GroundAtom) -> bool:
        """Return whether a value is only increased and decreased, so that other such changes add up with it."""
        return all(operator in ADDITIVE for operator, _ in self.changes[key])


def collect(effects: Iterable[Effect], binding: Binding, situation: Situation, update: Update) -> Update:
    """Add to ``update`` what effects would do in a situation, and return it."""
    for effect in effects:
        if isinstance(effect, Literal):
            (update.adds if effect.positive else update.deletes).add(ground(effect.atom, binding))
        elif isinstance(effect, NumericEffect):
            _numeric(effect, binding, situation, update)
        else:
            _conditional(effect, binding, situation, update)
    return update


def _conditional(effect: Conditional, outer: Binding, situation: Situation, update: Update) -> None:
    for binding in bindings(situation.model, effect.parameters, outer):
        holds = truth(effect.condition, binding, situation)
        if holds is None:
            # Whether the effect happens depends on a value that there is not.
            gap = first_gap(effect.condition, binding, situation)
            update.undefined += [] if gap is None else [gap]
        elif holds:
            collect(effect.effects, binding, situation, update)


def _numeric(effect: NumericEffect, binding: Binding, situation: Situation, update: Update) -> None:
    key = fluent_key(effect.fluent, binding)
    value = evaluate(effect.value, binding, situation)
    if isinstance(value, Missing):
        update.undefined.append(value)
        return
    if effect.operator != "assign":
        known = evaluate(effect.fluent, binding, situation)
        if isinstance(known, Missing):
            update.undefined.append(known)
            return
    if effect.operator == "scale-down" and value == 0:
        update.undefined.append(Missing(Gap.DIVISION, f"(scale-down {atom_text(key)} 0)"))
        return
    update.changes[key].append((effect.operator, value))


def combined(key: GroundAtom, changes: Iterable[tuple[str, Fraction]], before: Fraction | None) -> Fraction | str:
    """Return the value after all changes of one happening, or why they conflict.

    Increases and decreases add up. Anything else must be the only change, but that a value may be assigned twice
    over.
    """
    found = list(changes)
    if all(operator in ADDITIVE for operator, _ in found):
        assert before is not None
        return before + sum((value if operator == "increase" else -value for operator, value in found), Fraction(0))
    if len(set(found)) > 1 or (len(found) > 1 and found[0][0] != "assign"):
        said = ", ".join(f"({operator} {atom_text(key)} {decimal(value)})" for operator, value in found)
        return f"{said} conflict"
    operator, value = found[0]
    if operator == "assign":
        return value
    assert before is not None
    return before * value if operator == "scale-up" else before / value
