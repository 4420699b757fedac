"""A small model of any conditions and effects, for the search in this process: the simulator executes its steps.

It takes the place of ``GroundModel`` for models with conditional effects, quantifiers, disjunctions or axioms. Nothing
is known of a state but what it allows, so that the search is blind.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from validator.execution.simulator import Simulator
from validator.model.conditions import holds
from validator.model.values import GroundAtom
from validator.reading.plan import Step, Token, bare
from validator.repair.projection.instantiation import Parts
from validator.repair.search.canonical import Collection, bits

__all__ = ["ExplicitModel"]

_MOST_STEPS = 100
"""ground steps, each of which is tried in each state"""

_MOST_TRIED = 30_000
"""steps that are tried in states: some tenths of a second, while the start of a planner takes as much"""


class ExplicitModel:
    """The ground steps of a model, its initial state and its goal.

    The low bits of a state say which steps it allows, the next one whether the goal holds; the rest is its number.
    """

    collections: Sequence[Collection] = ()

    def __init__(self, simulator: Simulator, steps: Sequence[Step]) -> None:
        self._simulator, self.steps = simulator, steps
        self._numbers = {step: number for number, step in enumerate(steps)}
        self._size = len(steps) + 1
        self._atoms: list[frozenset[GroundAtom]] = []
        self._states: dict[frozenset[GroundAtom], int] = {}
        self.needs = [1 << number for number in range(len(steps))]
        self.goal = 1 << len(steps)
        self.init = self._state(simulator.model.problem.init)

    @classmethod
    def of(cls, simulator: Simulator) -> ExplicitModel | None:
        """Return a model's ground steps; None where there are too many, or another kind of simulator executes them."""
        if type(simulator) is not Simulator or any(names != [name] for name, names in simulator.ways.items()):
            return None
        found = Parts(simulator.model).among(frozenset(simulator.model.problem.objects), _MOST_STEPS)
        if found is None:
            return None
        steps = (Step(name=name, args=args) for name, args in sorted(found))
        return cls(simulator, [step for step in steps if simulator.cost_of(step) is not None])

    def number(self, token: Token) -> int | None:
        """Return the number of the step that a token is; None where it is none."""
        return self._numbers.get(bare(token)) if isinstance(token, Step) else None

    def _state(self, atoms: frozenset[GroundAtom]) -> int:
        found = self._states.get(atoms)
        if found is None:
            model, view = self._simulator.model, self._simulator.view(atoms)
            found = len(self._atoms) << self._size
            for number, step in enumerate(self.steps):
                schema = self._simulator.schema(step.name)
                if holds(model, schema.action.precondition, schema.binding(step.args), view):
                    found |= 1 << number
            if holds(model, model.problem.goal, {}, view):
                found |= self.goal
            self._states[atoms] = found
            self._atoms.append(atoms)
        return found

    def after(self, state: int, number: int) -> int:
        """Return the state behind a step that a state allows."""
        atoms = self._atoms[state >> self._size]
        adds, deletes = self._simulator.changes(self.steps[number], atoms)
        return self._state(atoms - deletes | adds)

    def successors(self, state: int) -> Iterator[tuple[int, int]]:
        """Yield the steps that a state allows and that change it, each with the state behind it."""
        for number in bits(state & self.goal - 1):
            if (behind := self.after(state, number)) != state:
                yield number, behind

    def is_spent(self, looked: int) -> bool:
        """Return whether a search has tried as many steps as it may."""
        return len(self._atoms) * len(self.steps) >= _MOST_TRIED

    def before(self, behind: int, number: int) -> int | None:
        """Return None: no condition is known that is enough."""

    def landmarks(self, state: int) -> int | None:
        """Return 0: no steps are known that each plan has."""
        return 0

    def commute(self, one: int, other: int) -> bool:
        """Return False: it is not known of two steps whether they may change places."""
        return False
