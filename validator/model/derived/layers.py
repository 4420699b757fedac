"""One stratum of derived predicates: what its rules add to a state, from scratch or from what has changed.

What came and went is followed by deleting all that may have lost its ground and deriving again what still follows
(Gupta, Mumick and Subrahmanian 1993, Maintaining views incrementally).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence

from validator.model.conditions import compares_numbers
from validator.model.derived.rules import Join, Rule, rules_of
from validator.model.joins import Atoms, Test
from validator.model.values import Atom, Axiom, GroundAtom, Model, Not
from validator.records import dataclass, field, replace

__all__ = ["Layer", "layers_of"]

_Joins = dict[str, list[Join]]


def _joins() -> _Joins:
    return defaultdict(list)


@dataclass(slots=True)
class Layer:
    """The rules of one stratum.

    ``needing`` and ``barring`` are those that need an atom of a predicate, or its absence, ``again`` those with a head
    of it. Where one of the predicates ``opaque`` changes, all is derived again: other tests read them.
    """

    predicates: frozenset[str]
    fresh: list[Join] = field(default_factory=list)
    needing: _Joins = field(default_factory=_joins)
    barring: _Joins = field(default_factory=_joins)
    again: _Joins = field(default_factory=_joins)
    whole: list[Join] = field(default_factory=list)
    opaque: set[str] = field(default_factory=set)
    reads_numbers: bool = False

    def change(self, atoms: Atoms, test: Test, new: set[GroundAtom], gone: set[GroundAtom]) -> None:
        """Follow atoms that are new and gone, and add to both what that changes in this stratum."""
        changed = {atom[0] for atom in (*new, *gone)}
        read = self.needing.keys() | self.barring.keys() | self.opaque
        if self.reads_numbers or changed & self.opaque or (self.whole and changed & read):
            before = {atom for name in self.predicates for atom in atoms.of(name)}
            atoms.remove(before)
            after = self.build(atoms, test)
        elif changed & read:
            before = self._lost(atoms, test, [a for a in new if a[0] in read], [a for a in gone if a[0] in read])
            atoms.remove(before)
            found = _heads(self.again, atoms, test, before)
            found += _heads(self.needing, atoms, test, new) + _heads(self.barring, atoms, test, gone)
            after = self._grow(atoms, test, found)
        else:
            return
        new |= after - before
        gone |= before - after

    def build(self, atoms: Atoms, test: Test) -> set[GroundAtom]:
        """Add all that the stratum derives, of which nothing is there, and return it."""
        return self._grow(atoms, test, [head for join in self.fresh for head in join.heads(atoms, test)])

    def _lost(self, atoms: Atoms, test: Test, new: Sequence[GroundAtom], gone: Sequence[GroundAtom]) -> set[GroundAtom]:
        """Return the atoms of the stratum that were derived by what has changed."""
        atoms.remove(new)
        atoms.add(gone)
        lost: set[GroundAtom] = set()
        found = {*_heads(self.needing, atoms, test, gone), *_heads(self.barring, atoms, test, new)}
        while found:
            lost |= found
            found = {*_heads(self.needing, atoms, test, found)} - lost
        atoms.remove(gone)
        atoms.add(new)
        return lost

    def _grow(self, atoms: Atoms, test: Test, found: list[GroundAtom]) -> set[GroundAtom]:
        """Add atoms and all that follows from them in the stratum; return what is new."""
        grown: set[GroundAtom] = set()
        while new := atoms.add(found):
            grown.update(new)
            found = _heads(self.needing, atoms, test, new)
            found += [head for join in self.whole for head in join.heads(atoms, test)]
        return grown


def _heads(joins: Mapping[str, list[Join]], atoms: Atoms, test: Test, firsts: Iterable[GroundAtom]) -> list[GroundAtom]:
    """Return what follows from atoms by the rules that begin with one of their predicate."""
    of: dict[str, list[GroundAtom]] = defaultdict(list)
    for atom in firsts:
        of[atom[0]].append(atom)
    return [head for name, some in of.items() for join in joins.get(name, ()) for head in join.heads(atoms, test, some)]


def layers_of(model: Model, levels: dict[str, int]) -> list[Layer]:
    """Return the strata of a model, given the level of each derived predicate, from the lowest on."""
    axioms: dict[int, list[Axiom]] = defaultdict(list)
    for axiom in model.domain.axioms:
        axioms[levels[axiom.predicate]].append(axiom)
    return [_layer(model, [rule for axiom in axioms[level] for rule in rules_of(axiom)]) for level in sorted(axioms)]


def _layer(model: Model, rules: list[Rule]) -> Layer:
    layer = Layer(frozenset(rule.head.predicate for rule in rules))
    for rule in rules:
        layer.reads_numbers = layer.reads_numbers or any(map(compares_numbers, rule.tests))
        layer.fresh.append(Join(model, rule))
        if rule.tested() & layer.predicates:
            # A test reads what this stratum derives: no new atom says where it holds now.
            layer.whole.append(layer.fresh[-1])
        layer.again[rule.head.predicate].append(_beginning(model, rule, rule.head))
        for place, atom in enumerate(rule.atoms):
            layer.needing[atom.predicate].append(Join(model, rule, place))
        for test in rule.tests:
            if isinstance(test, Not) and isinstance(test.part, Atom):
                others = tuple(each for each in rule.tests if each is not test)
                layer.barring[test.part.predicate].append(_beginning(model, replace(rule, tests=others), test.part))
            else:
                layer.opaque |= replace(rule, tests=(test,)).tested()
    return layer


def _beginning(model: Model, rule: Rule, first: Atom) -> Join:
    """Return a rule made ready with one more atom, which is taken from new ones."""
    return Join(model, replace(rule, atoms=(first, *rule.atoms)), 0)
