"""One stratum of derived predicates: what its rules add to a state, from scratch or from what has changed."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable

from validator.model.conditions import compares_numbers
from validator.model.derived.joins import Atoms, Join, Test
from validator.model.derived.rules import Rule, rules_of
from validator.model.values import Axiom, GroundAtom, Model
from validator.records import dataclass, field

__all__ = ["Layer", "layers_of"]


@dataclass(slots=True)
class Layer:
    """The rules of one stratum. ``tested`` are the predicates that its tests read: there, more may mean less."""

    predicates: frozenset[str]
    fresh: list[Join] = field(default_factory=list)
    onward: dict[str, list[Join]] = field(default_factory=lambda: defaultdict(list))
    whole: list[Join] = field(default_factory=list)
    reads: set[str] = field(default_factory=set)
    tested: set[str] = field(default_factory=set)
    reads_numbers: bool = False

    def change(self, atoms: Atoms, test: Test, new: set[GroundAtom], gone: set[GroundAtom]) -> None:
        """Follow atoms that are new and gone, and add to both what that changes in this stratum."""
        changed, lost = {atom[0] for atom in (*new, *gone)}, {atom[0] for atom in gone}
        if self.reads_numbers or changed & self.tested or lost & self.reads:
            before = self.derived(atoms)
            atoms.remove(before)
            self.build(atoms, test)
            after = self.derived(atoms)
            new |= after - before
            gone |= before - after
        elif changed & self.reads:
            new |= self._grow(atoms, test, self._onward(atoms, test, new))

    def build(self, atoms: Atoms, test: Test) -> None:
        """Add all that the stratum derives, of which nothing is there."""
        self._grow(atoms, test, _heads(self.fresh, atoms, test))

    def derived(self, atoms: Atoms) -> set[GroundAtom]:
        """Return the atoms of this stratum."""
        return {atom for name in self.predicates for atom in atoms.of(name)}

    def _grow(self, atoms: Atoms, test: Test, found: list[GroundAtom]) -> set[GroundAtom]:
        """Add atoms and all that follows from them in the stratum; return what is new."""
        grown: set[GroundAtom] = set()
        while new := atoms.add(found):
            grown.update(new)
            found = self._onward(atoms, test, new) + _heads(self.whole, atoms, test)
        return grown

    def _onward(self, atoms: Atoms, test: Test, new: Iterable[GroundAtom]) -> list[GroundAtom]:
        """Return what follows from new atoms."""
        of: dict[str, list[GroundAtom]] = defaultdict(list)
        for atom in new:
            of[atom[0]].append(atom)
        joins = ((join, some) for name, some in of.items() for join in self.onward.get(name, ()))
        return [head for join, some in joins for head in join.heads(atoms, test, some)]


def _heads(joins: Iterable[Join], atoms: Atoms, test: Test) -> list[GroundAtom]:
    return [head for join in joins for head in join.heads(atoms, test)]


def layers_of(model: Model, levels: dict[str, int]) -> list[Layer]:
    """Return the strata of a model, given the level of each derived predicate, from the lowest on."""
    axioms: dict[int, list[Axiom]] = defaultdict(list)
    for axiom in model.domain.axioms:
        axioms[levels[axiom.predicate]].append(axiom)
    return [_layer(model, [rule for axiom in axioms[level] for rule in rules_of(axiom)]) for level in sorted(axioms)]


def _layer(model: Model, rules: list[Rule]) -> Layer:
    layer = Layer(frozenset(rule.head.predicate for rule in rules))
    for rule in rules:
        tested = rule.tested()
        layer.tested |= tested
        layer.reads |= tested | {atom.predicate for atom in rule.atoms}
        layer.reads_numbers = layer.reads_numbers or any(map(compares_numbers, rule.tests))
        layer.fresh.append(Join(model, rule))
        if tested & layer.predicates:
            # A test reads what this stratum derives: no new atom says where it holds now.
            layer.whole.append(layer.fresh[-1])
        for place, atom in enumerate(rule.atoms):
            layer.onward[atom.predicate].append(Join(model, rule, place))
    return layer
