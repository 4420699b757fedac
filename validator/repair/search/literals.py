"""A model whose conditions and effects are literals, with states as bits: for the searches in this process.

A state has a bit for each atom that holds, of those that something changes. Operators are made when they are asked for.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from validator.execution.simulator import Simulator
from validator.model.values import GroundAtom, changed_predicates
from validator.reading.plan import Step
from validator.records import dataclass

__all__ = ["Condition", "LiteralModel", "Operator"]


@dataclass(frozen=True, slots=True)
class Condition:
    """The atoms that must hold and those that must not, as bits."""

    needs: int
    forbids: int

    def holds(self, state: int) -> bool:
        return state & self.needs == self.needs and not state & self.forbids

    def unmet(self, state: int) -> int:
        """Return how many atoms are not as they must be."""
        return (self.needs & ~state).bit_count() + (state & self.forbids).bit_count()


@dataclass(frozen=True, slots=True)
class Operator:
    """A ground step; ``spares`` has all bits but those of the atoms that it deletes."""

    step: Step
    condition: Condition
    adds: int
    spares: int

    def after(self, state: int) -> int:
        return state & self.spares | self.adds

    def before(self, behind: Condition) -> Condition | None:
        """Return what must hold before the step for something to hold behind it; None where nothing is enough."""
        if behind.needs & ~self.spares or behind.forbids & self.adds:
            return None
        needs = behind.needs & ~self.adds | self.condition.needs
        forbids = behind.forbids & self.spares | self.condition.forbids
        return None if needs & forbids else Condition(needs, forbids)


class LiteralModel:
    """A model, its initial state and its goal; ``goal`` is None where that is more than literals."""

    def __init__(self, simulator: Simulator) -> None:
        self._simulator, self._init = simulator, simulator.model.problem.init
        self._bits: dict[GroundAtom, int] = {}
        self._atoms: list[GroundAtom] = []
        self._operators: dict[Step, Operator | None] = {}
        self._changed = changed_predicates(*(each.effects for each in simulator.model.domain.actions.values()))
        goal = simulator.goal_literals
        seen = self._changed.union(atom[0] for atom, _ in goal or ())
        self.init = self.mask(atom for atom in self._init if atom[0] in seen)
        self.goal = None if goal is None else self.condition(goal)

    @classmethod
    def suits(cls, simulator: Simulator) -> bool:
        """Return whether a model has conditions and effects of literals only.

        A simulator of another kind may refuse plans for more than their steps, and has not.
        """
        domain = simulator.model.domain
        schemas = map(simulator.schema, domain.actions)
        return (
            type(simulator) is Simulator
            and not domain.axioms
            and all(names == [name] for name, names in simulator.ways.items())
            and not any(schema.complex or schema.conditional for schema in schemas)
        )

    def operator(self, step: Step) -> Operator | None:
        """Return a step, without the atoms that nothing changes; None where these rule it out, or it is none."""
        if step not in self._operators:
            self._operators[step] = self._made(step)
        return self._operators[step]

    def _made(self, step: Step) -> Operator | None:
        ground = self._simulator.grounded(step)
        if ground is None:
            return None
        needs, forbids = (
            {atom for atom in atoms if atom[0] in self._changed} for atoms in (ground.needs, ground.forbids)
        )
        if not ground.needs - needs <= self._init or not self._init.isdisjoint(ground.forbids - forbids):
            return None
        condition = Condition(self.mask(needs), self.mask(forbids))
        return Operator(step, condition, self.mask(ground.change.added), ~self.mask(ground.change.deleted))

    def condition(self, literals: Iterable[tuple[GroundAtom, bool]]) -> Condition:
        """Return a condition by its atoms, and whether each must hold."""
        known = list(literals)
        needs, forbids = (self.mask(atom for atom, holds in known if holds is wanted) for wanted in (True, False))
        return Condition(needs, forbids)

    def unmet(self, condition: Condition, state: int) -> list[tuple[GroundAtom, bool]]:
        """Return the atoms that are not as a condition has them, and whether they must hold."""
        missing = [(atom, True) for atom in self.atoms(condition.needs & ~state)]
        return missing + [(atom, False) for atom in self.atoms(condition.forbids & state)]

    def mask(self, atoms: Iterable[GroundAtom]) -> int:
        """Return the bits of atoms; new ones are numbered in their order, so that no order of a set decides."""
        found = 0
        for atom in sorted(atoms):
            bit = self._bits.get(atom)
            if bit is None:
                bit = self._bits[atom] = 1 << len(self._atoms)
                self._atoms.append(atom)
            found |= bit
        return found

    def atoms(self, mask: int) -> Iterator[GroundAtom]:
        """Yield the atoms of bits."""
        while mask:
            lowest = mask & -mask
            mask ^= lowest
            yield self._atoms[lowest.bit_length() - 1]

    @property
    def size(self) -> int:
        """Return how many atoms have bits by now."""
        return len(self._atoms)
