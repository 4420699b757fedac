"""Small models with states as bits, for the searches in this process.

``LiteralModel`` makes operators when they are asked for; a state has a bit for each atom that holds, of those that
something changes. ``GroundModel`` has all operators; a state has bits for atoms that must not hold somewhere as well.
Both are of models whose conditions and effects are literals.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence, Set
from functools import cached_property

from validator.execution.simulator import Simulator
from validator.model.values import GroundAtom, Model, changed_predicates
from validator.reading.plan import Step, Token, bare
from validator.records import dataclass
from validator.repair.canonical import Collection, bits, collections_of, remembered
from validator.repair.projection.instantiation import Parts

__all__ = ["Condition", "GroundModel", "LiteralModel", "Operator", "bits"]

_MOST_OPERATORS = 4_000
"""ground operators of a model that is searched with all of them"""

_MOST_TRIED = 300_000
"""operators that one search tries: some tenths of a second, while the start of a planner takes as much"""


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

    def known(self, atoms: Iterable[GroundAtom]) -> int:
        """Return the bits of those atoms that have one."""
        return sum(self._bits.get(atom, 0) for atom in atoms)

    @property
    def declared(self) -> Model:
        return self._simulator.model

    def atoms(self, mask: int) -> Iterator[GroundAtom]:
        """Yield the atoms of bits."""
        yield from map(self._atoms.__getitem__, bits(mask))

    @property
    def size(self) -> int:
        """Return how many atoms have bits by now."""
        return len(self._atoms)


class GroundModel:
    """The ground operators of a model, its initial state and its goal, with atoms that must not hold as literals."""

    def __init__(self, model: LiteralModel, operators: Sequence[Operator], goal: Condition | None) -> None:
        self._model, self.size, forbidden = model, model.size, 0 if goal is None else goal.forbids
        for each in operators:
            forbidden |= each.condition.forbids
        self._absent = {atom: self.size + number for number, atom in enumerate(bits(forbidden))}
        self._forbidden, atoms = forbidden, (1 << self.size) - 1
        self.steps = [each.step for each in operators]
        self._numbers = {step: number for number, step in enumerate(self.steps)}
        self.needs, self.adds, self.deletes = list[int](), list[int](), list[int]()
        for each in operators:
            deleted = ~each.spares & atoms & ~each.adds
            self.needs.append(each.condition.needs | self._negated(each.condition.forbids))
            self.adds.append(each.adds | self._negated(deleted))
            self.deletes.append(deleted | self._negated(each.adds))
        self.init = self.completed(model.init)
        self.goal = None if goal is None else goal.needs | self._negated(goal.forbids)
        """None where it is more than literals"""
        self._inner = [
            (1 << number, tuple(bits(need)), tuple(bits(adds)))
            for number, (need, adds) in enumerate(zip(self.needs, self.adds, strict=True))
        ]
        self._literals = self.size + len(self._absent)
        self._users: dict[int, list[int]] = defaultdict(list)
        for number, (_, need, _) in enumerate(self._inner):
            for literal in need:
                self._users[literal].append(number)
        self.successors = remembered(self._successors)
        self.landmarks = remembered(self._landmarks)

    @classmethod
    def of(cls, simulator: Simulator) -> GroundModel | None:
        """Return a model's ground operators; None where there are too many, or they are more than literals."""
        if not LiteralModel.suits(simulator):
            return None
        found = Parts(simulator.model).among(frozenset(simulator.model.problem.objects), _MOST_OPERATORS)
        if found is None:
            return None
        model, steps = LiteralModel(simulator), (Step(name=name, args=args) for name, args in found)
        return cls(model, [each for step in steps if (each := model.operator(step)) is not None], model.goal)

    def is_spent(self, looked: int) -> bool:
        """Return whether a search that looked at some nodes has tried as many operators as it may."""
        return looked * len(self.steps) >= _MOST_TRIED

    def number(self, token: Token) -> int | None:
        """Return the number of the operator that a token is; None where it is none."""
        return self._numbers.get(bare(token)) if isinstance(token, Step) else None

    @cached_property
    def collections(self) -> list[Collection]:
        """Return groups of atoms whose bounds add up."""
        effects = list(zip(self.needs, self.adds, self.deletes, strict=True))
        atoms = list(self._model.atoms((1 << self.size) - 1))
        return collections_of(self._model.declared, atoms, self.init, effects)

    def state(self, atoms: Set[GroundAtom]) -> int:
        """Return the state in which some atoms hold, and no others."""
        return self.completed(self._model.known(atoms))

    def completed(self, atoms: int) -> int:
        """Return the state of a ``LiteralModel`` with the bits of atoms that do not hold."""
        return atoms | self._negated(self._forbidden & ~atoms)

    def _negated(self, mask: int) -> int:
        return sum(1 << self._absent[atom] for atom in bits(mask & self._forbidden))

    def after(self, state: int, operator: int) -> int:
        return state & ~self.deletes[operator] | self.adds[operator]

    def _successors(self, state: int) -> list[tuple[int, int]]:
        """Return the operators that can be applied and change the state, each with the state behind it."""
        able = (number for number, need in enumerate(self.needs) if not need & ~state)
        return [(number, to) for number in able if (to := self.after(state, number)) != state]

    def _landmarks(self, state: int) -> int | None:
        """Return operators that each plan from a state has; None where none reaches the goal, if nothing is deleted.

        Each literal has the operators that all ways to it have, where nothing is deleted, to a fixpoint (Keyder,
        Richter and Helmert 2010).
        """
        unreached = -1  # all operators
        ways = [unreached] * self._literals
        for literal in bits(state):
            ways[literal] = 0
        missing = [(need & ~state).bit_count() for need in self.needs]
        waiting = {number for number, count in enumerate(missing) if not count}
        while waiting:
            following = set[int]()
            for number in waiting:
                way, need, added = self._inner[number]
                for literal in need:
                    way |= ways[literal]
                for literal in added:
                    known = ways[literal]
                    if known & ~way:
                        ways[literal] = known & way
                        for user in self._users[literal]:
                            missing[user] -= known == unreached
                            if not missing[user]:
                                following.add(user)
            waiting = following
        found = 0
        for literal in bits(self.goal or 0):
            if ways[literal] == unreached:
                return None
            found |= ways[literal]
        return found
