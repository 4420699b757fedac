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

from validator.execution.simulator import Simulator
from validator.reading.plan import Step, Token, bare
from validator.repair.edit import Edit, Move
from validator.repair.projection.instantiation import Parts
from validator.repair.search.literals import Condition, LiteralModel, Operator

__all__ = ["MOST_STEPS", "SmallModel", "nearest_in"]

MOST_STEPS = 400
"""ground steps of a small model"""

_MOST_TRIED = 40_000
"""steps tried and nodes made in one search, at less than a microsecond each: less than the start of a planner takes"""

_Node: TypeAlias = tuple[int, int]
"""A state, a bit for each atom that holds, and how many of the steps that can be kept are consumed."""


class SmallModel(LiteralModel):
    """The ground steps of a model whose conditions and effects are literals."""

    def __init__(self, simulator: Simulator, steps: Iterable[Step]) -> None:
        super().__init__(simulator)
        self.operators = {step: each for step in steps if (each := self.operator(step)) is not None}

    @classmethod
    def of(cls, simulator: Simulator) -> SmallModel | None:
        """Return a model's ground steps; None for a model that is not small, or has more than literals."""
        if not cls.suits(simulator):
            return None
        model = simulator.model
        found = Parts(model).among(frozenset(model.problem.objects), MOST_STEPS)
        if found is None:
            return None
        return cls(simulator, (Step(name=name, args=args) for name, args in sorted(found)))  # of equals always one


def nearest_in(model: SmallModel, tokens: Sequence[Token], *, with_goal: bool) -> tuple[Edit, ...] | None:
    """Return the fewest edits to a plan that is sound, with ``with_goal`` valid; None where they were not found.

    That they are the fewest is proven: all ways with fewer were looked at.
    """
    if with_goal and model.goal is None:
        return None
    search = _Search(model, tokens, model.goal if with_goal and model.goal else Condition(0, 0))
    end = search.run()
    return None if end is None else tuple(search.edits(end))


class _Search:
    """One search: the nodes, each with the node and the move from which it was first reached."""

    def __init__(self, model: SmallModel, tokens: Sequence[Token], goal: Condition) -> None:
        self.model = model
        self.tokens = tokens
        steps = ((index, bare(token)) for index, token in enumerate(tokens) if isinstance(token, Step))
        self.kept = [(index, model.operators[step]) for index, step in steps if step in model.operators]
        self.rest: list[Condition | None] = [goal]
        for _, operator in reversed(self.kept):
            behind = self.rest[-1]
            self.rest.append(None if behind is None else operator.before(behind))
        self.rest.reverse()
        self.reached: dict[_Node, tuple[_Node, Move, Step] | None] = {}
        self.ways: dict[int, list[tuple[Operator, int]]] = {}
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

    def _ways(self, state: int) -> list[tuple[Operator, int]]:
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
