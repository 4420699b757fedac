"""A model whose conditions and effects are literals, with all that is computed once for a problem and serves all texts.

A state is a set of literals, as bits, and a set of ground operators is one too.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator

from validator.execution.simulator import Simulator
from validator.reading.plan import Step
from validator.repair.projection.instantiation import Parts
from validator.repair.search.uniform_cost import SmallModel

__all__ = ["Literals", "bits"]

_MOST_OPERATORS = 4_000
"""ground operators of a model that is searched here"""

_MOST_KEPT = 50_000
"""states of which landmarks or successors are kept, before all are forgotten"""


def bits(mask: int) -> Iterator[int]:
    """Yield the places of the bits of a mask."""
    while mask:
        lowest = mask & -mask
        yield lowest.bit_length() - 1
        mask ^= lowest


class Literals:
    """The ground operators of a model, its initial state and its goal, with atoms that must not hold as literals."""

    def __init__(self, small: SmallModel) -> None:
        assert small.goal is not None
        operators = list(small.operators.values())
        self.size, forbidden = small.size, small.goal.forbids
        for each in operators:
            forbidden |= each.condition.forbids
        self._absent = {atom: self.size + number for number, atom in enumerate(bits(forbidden))}
        self._forbidden, atoms = forbidden, (1 << self.size) - 1
        self.steps = [each.step for each in operators]
        self.index = {step: number for number, step in enumerate(self.steps)}
        self.needs, self.adds, self.deletes = list[int](), list[int](), list[int]()
        self.adders: dict[int, int] = defaultdict(int)
        for number, each in enumerate(operators):
            deleted = ~each.spares & atoms & ~each.adds
            self.needs.append(each.condition.needs | self._negated(each.condition.forbids))
            self.adds.append(each.adds | self._negated(deleted))
            self.deletes.append(deleted | self._negated(each.adds))
            for literal in bits(self.adds[-1]):
                self.adders[literal] |= 1 << number
        self.init = small.init | self._negated(forbidden & ~small.init)
        self.goal = small.goal.needs | self._negated(small.goal.forbids)
        self._inner = [
            (number, 1 << number, tuple(bits(need)), tuple(bits(self.adds[number])))
            for number, need in enumerate(self.needs)
        ]
        self._users: dict[int, list[int]] = defaultdict(list)
        for number, _, need, _ in self._inner:
            for literal in need:
                self._users[literal].append(number)
        self._successors: dict[int, list[tuple[int, int]]] = {}
        self._landmarks: dict[int, int | None] = {}
        self._commuting: dict[tuple[int, int], bool] = {}

    @classmethod
    def of(cls, simulator: Simulator) -> Literals | None:
        """Return a model's ground operators; None where there are too many, or they are more than literals."""
        if not SmallModel.suits(simulator):
            return None
        found = Parts(simulator.model).among(frozenset(simulator.model.problem.objects), _MOST_OPERATORS)
        if found is None:
            return None
        small = SmallModel(simulator, (Step(name=name, args=args) for name, args in sorted(found)))
        return None if small.goal is None else cls(small)

    def _negated(self, mask: int) -> int:
        return sum(1 << self._absent[atom] for atom in bits(mask & self._forbidden))

    def after(self, state: int, operator: int) -> int:
        return state & ~self.deletes[operator] | self.adds[operator]

    def successors(self, state: int) -> list[tuple[int, int]]:
        """Return the operators that can be applied and change the state, each with the state after it."""
        found = self._successors.get(state)
        if found is None:
            if len(self._successors) > _MOST_KEPT:
                self._successors.clear()
            able = (number for number, need in enumerate(self.needs) if not need & ~state)
            found = [(number, to) for number in able if (to := self.after(state, number)) != state]
            self._successors[state] = found
        return found

    def commute(self, one: int, other: int) -> bool:
        """Return whether two operators may change places."""
        found = self._commuting.get((one, other))
        if found is None:
            touched, changes = (self.adds[one] | self.deletes[one]), (self.adds[other] | self.deletes[other])
            found = self._commuting[one, other] = not (
                touched & self.needs[other]
                or changes & self.needs[one]
                or self.adds[one] & self.deletes[other]
                or self.deletes[one] & self.adds[other]
            )
        return found

    def landmarks(self, state: int) -> int | None:
        """Return operators that each plan from a state has; None where none reaches the goal, if nothing is deleted."""
        if state not in self._landmarks:
            if len(self._landmarks) > _MOST_KEPT:
                self._landmarks.clear()
            self._landmarks[state] = self._in_all_ways(state)
        return self._landmarks[state]

    def _in_all_ways(self, state: int) -> int | None:
        """Let each literal have the operators that all ways to it have, where nothing is deleted, to a fixpoint."""
        ways = dict.fromkeys(bits(state), 0)
        missing = [(need & ~state).bit_count() for need in self.needs]
        waiting = [number for number, count in enumerate(missing) if not count]
        queued = set(waiting)
        while waiting:
            following: list[int] = []
            queued.clear()
            for number in waiting:
                _, way, need, added = self._inner[number]
                for literal in need:
                    way |= ways[literal]
                for literal in added:
                    known = ways.get(literal)
                    if known is None:
                        ways[literal] = way
                        for user in self._users[literal]:
                            missing[user] -= 1
                            if not missing[user] and user not in queued:
                                queued.add(user)
                                following.append(user)
                    elif known & ~way:
                        ways[literal] = known & way
                        for user in self._users[literal]:
                            if not missing[user] and user not in queued:
                                queued.add(user)
                                following.append(user)
            waiting = following
        found = 0
        for literal in bits(self.goal):
            if literal not in ways:
                return None
            found |= ways[literal]
        return found
