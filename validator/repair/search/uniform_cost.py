"""The nearest plan of a small model, found and proven in this process: no planner is started for it.

Nodes are a state and how much of the observed plan is consumed, looked at in the order of the edits that lead to them,
so that the first way to the quality has the fewest (uniform-cost search). What the rest of the plan needs to be kept
as it stands is known for each place (goal regression, Waldinger 1975), so that a way ends as soon as the rest fits. A
model whose steps are more than literals, and a search that gets large, are left to the planner.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import chain
from operator import itemgetter
from typing import TypeAlias

from validator.execution.schema import GroundStep
from validator.execution.simulator import Simulator
from validator.model.values import GroundAtom
from validator.reading.plan import Step, Token, bare
from validator.records import dataclass
from validator.repair.edit import Edit, Move
from validator.repair.projection.instantiation import Parts

__all__ = ["MOST_STEPS", "SmallModel", "nearest_in"]

MOST_STEPS = 400
"""ground steps of a small model"""

_MOST_TRIED = 40_000
"""steps tried and nodes made in one search, at less than a microsecond each: less than the start of a planner takes"""

_Node: TypeAlias = tuple[int, int]
"""A state, a bit for each atom that holds, and how many of the steps that can be kept are consumed."""


@dataclass(frozen=True, slots=True)
class _Condition:
    """The atoms that must hold and those that must not, as bits."""

    needs: int
    forbids: int

    def holds(self, state: int) -> bool:
        return state & self.needs == self.needs and not state & self.forbids


@dataclass(frozen=True, slots=True)
class _Operator:
    step: Step
    condition: _Condition
    adds: int
    deletes: int

    def after(self, state: int) -> int:
        return state & ~self.deletes | self.adds

    def before(self, behind: _Condition) -> _Condition | None:
        """Return what must hold before the step for something to hold behind it; None where nothing is enough."""
        if behind.needs & self.deletes or behind.forbids & self.adds:
            return None
        needs = behind.needs & ~self.adds | self.condition.needs
        forbids = behind.forbids & ~self.deletes | self.condition.forbids
        return None if needs & forbids else _Condition(needs, forbids)


class SmallModel:
    """The ground steps of a model whose conditions and effects are literals."""

    def __init__(self, simulator: Simulator, grounded: Iterable[tuple[Step, GroundStep]]) -> None:
        self._bits: dict[GroundAtom, int] = {}
        self.init = self._mask(simulator.model.problem.init)
        self.operators = {step: self._operator(step, found) for step, found in grounded}
        goal = simulator.goal_literals
        self.goal = None
        if goal is not None:
            needed, forbidden = (
                self._mask(atom for atom, holds in goal if holds is wanted) for wanted in (True, False)
            )
            self.goal = _Condition(needed, forbidden)

    @classmethod
    def of(cls, simulator: Simulator) -> SmallModel | None:
        """Return a model's ground steps; None for a model that is not small, or has more than literals.

        A simulator of another kind may refuse plans for more than their steps, and has none either.
        """
        model = simulator.model
        if type(simulator) is not Simulator:
            return None
        if model.domain.axioms or any(names != [name] for name, names in simulator.ways.items()):
            return None
        schemas = map(simulator.schema, model.domain.actions)
        if any(schema.complex or schema.conditional for schema in schemas):
            return None
        found = Parts(model).among(frozenset(model.problem.objects), MOST_STEPS)
        if found is None:
            return None
        steps = (Step(name=name, args=args) for name, args in sorted(found))  # so that of equals always one is chosen
        pairs = ((step, simulator.grounded(step)) for step in steps)
        return cls(simulator, ((step, grounded) for step, grounded in pairs if grounded is not None))

    def _operator(self, step: Step, found: GroundStep) -> _Operator:
        condition = _Condition(self._mask(found.needs), self._mask(found.forbids))
        return _Operator(step, condition, self._mask(found.change.added), self._mask(found.change.deleted))

    def _mask(self, atoms: Iterable[GroundAtom]) -> int:
        found = 0
        for atom in atoms:
            found |= 1 << self._bits.setdefault(atom, len(self._bits))
        return found


def nearest_in(model: SmallModel, tokens: Sequence[Token], *, with_goal: bool) -> tuple[Edit, ...] | None:
    """Return the fewest edits to a plan that is sound, with ``with_goal`` valid; None where they were not found.

    That they are the fewest is proven: all ways with fewer were looked at.
    """
    if with_goal and model.goal is None:
        return None
    search = _Search(model, tokens, model.goal if with_goal and model.goal else _Condition(0, 0))
    end = search.run()
    return None if end is None else tuple(search.edits(end))


class _Search:
    """One search: the nodes, each with the node and the move from which it was first reached."""

    def __init__(self, model: SmallModel, tokens: Sequence[Token], goal: _Condition) -> None:
        self.model = model
        self.tokens = tokens
        steps = ((index, bare(token)) for index, token in enumerate(tokens) if isinstance(token, Step))
        self.kept = [(index, model.operators[step]) for index, step in steps if step in model.operators]
        self.rest: list[_Condition | None] = [goal]
        for _, operator in reversed(self.kept):
            behind = self.rest[-1]
            self.rest.append(None if behind is None else operator.before(behind))
        self.rest.reverse()
        self.reached: dict[_Node, tuple[_Node, Move, Step] | None] = {}
        self.ways: dict[int, list[tuple[_Operator, int]]] = {}
        self.left = _MOST_TRIED

    def run(self) -> _Node | None:
        """Return a node with the fewest edits, and of these the fewest insertions, behind which all can be kept."""
        start = (self.model.init, 0)
        self.reached[start] = None
        if self._is_end(start):
            return start
        layer = [self._kept_on([start])]
        while any(layer):
            following: list[list[_Node]] = []
            for skipping, inserting in zip((*layer, ()), ((), *layer), strict=True):
                nodes = []
                for node in chain(self._skipped_from(skipping), self._inserted_from(inserting)):
                    if self._is_end(node):
                        return node
                    nodes.append(node)
                if self.left < 0:
                    return None
                following.append(self._kept_on(nodes))
            layer = following
        return None

    def _is_end(self, node: _Node) -> bool:
        rest = self.rest[node[1]]
        return rest is not None and rest.holds(node[0])

    def _kept_on(self, nodes: list[_Node]) -> list[_Node]:
        """Return nodes and those that keeping steps leads to, at no cost; what has come furthest first."""
        for state, place in nodes:  # which grow meanwhile
            if place < len(self.kept) and (operator := self.kept[place][1]).condition.holds(state):
                behind = (operator.after(state), place + 1)
                if self._is_new(behind, (state, place), Move.KEEP, operator.step):
                    nodes.append(behind)
        return sorted(nodes, key=itemgetter(1), reverse=True)

    def _skipped_from(self, nodes: Iterable[_Node]) -> Iterator[_Node]:
        for state, place in nodes:
            behind = (state, place + 1)
            if place < len(self.kept) and self._is_new(behind, (state, place), Move.SKIP, self.kept[place][1].step):
                yield behind

    def _inserted_from(self, nodes: Iterable[_Node]) -> Iterator[_Node]:
        for state, place in nodes:
            if self.left < 0:
                return
            for operator, to in self._ways(state):
                if self._is_new((to, place), (state, place), Move.INSERT, operator.step):
                    yield to, place

    def _ways(self, state: int) -> list[tuple[_Operator, int]]:
        """Return the steps that can be done in a state and change it, each with the state behind it."""
        found = self.ways.get(state)
        if found is None:
            operators = self.model.operators.values()
            self.left -= len(operators)
            applicable = (each for each in operators if each.condition.holds(state))
            found = self.ways[state] = [(each, to) for each in applicable if (to := each.after(state)) != state]
        return found

    def _is_new(self, node: _Node, before: _Node, move: Move, step: Step) -> bool:
        self.left -= 1
        if node in self.reached:
            return False
        self.reached[node] = before, move, step
        return True

    def edits(self, end: _Node) -> Iterator[Edit]:
        """Yield the edits that lead to a node and keep the rest; every token appears once, in order."""
        moves = [(Move.KEEP, operator.step) for _, operator in reversed(self.kept[end[1] :])]
        node = end
        while (came := self.reached[node]) is not None:
            node, move, step = came
            moves.append((move, step))
        kept, place = iter(self.kept), 0
        for kind, step in reversed(moves):
            if kind is Move.INSERT:
                yield Edit(move=kind, token=step)
                continue
            index, _ = next(kept)
            yield from self._skipped(place, index)
            yield Edit(move=kind, token=self.tokens[index])
            place = index + 1
        yield from self._skipped(place, len(self.tokens))

    def _skipped(self, start: int, end: int) -> Iterator[Edit]:
        """Yield the edits of tokens that are no step of the model, and can only be skipped."""
        return (Edit(move=Move.SKIP, token=token) for token in self.tokens[start:end])
