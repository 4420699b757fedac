"""The exact search for the nearest plan of a model with numbers or trajectory constraints, without any planner.

Its states are those of the modified problem (``validator.repair.edit``): how many lines of the plan are behind, the
atoms that hold, and the values, which are exact fractions. It is uniform in cost and knows no heuristic: what it has
not yet taken out of its queue is a lower bound for all that follows. It proves repairs of one or two changes at once,
others in small models only.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable, Sequence
from fractions import Fraction
from itertools import count
from math import inf
from typing import TypeAlias

from validator.execution.simulator import Simulator
from validator.grounding.action_costs import ActionCosts
from validator.grounding.limits import Limits, Status
from validator.grounding.states import State, States
from validator.model.numeric import truth
from validator.model.values import And, Formula
from validator.reading.plan import Step, Token, bare
from validator.records import dataclass
from validator.repair.edit import Edit, Move, kept_steps
from validator.repair.projection.instantiation import Parts
from validator.repair.proved import Prover

_BYTES, _BYTES_EACH = 2000, 200
"""What a state of the search takes, roughly, and each of its atoms and values."""


_Sum: TypeAlias = Fraction | int

Cost: TypeAlias = tuple[_Sum, _Sum]
"""What edits cost, compared one after the other: where the first sums are equal, the second ones decide."""

FREE: Cost = (0, 0)


@dataclass(frozen=True, slots=True, kw_only=True)
class Prices:
    """What an edit costs; a step that is kept or inserted by its own cost.

    ``weight`` is what one of the first sum counts where both are told as one number.
    """

    skip: Cost
    kept: Callable[[_Sum], Cost]
    inserted: Callable[[_Sum], Cost]
    weight: int = 1

    def of(self, edits: Sequence[Edit], states: States, costs: ActionCosts) -> Cost | None:
        """Return what edits cost; None where their plan cannot be executed in this order."""
        total, state = FREE, states.start
        for edit in edits:
            if edit.move is Move.SKIP:
                total = plus(total, self.skip)
                continue
            assert isinstance(edit.token, Step)
            after = states.after(state, states.situation(state), states.ground(bare(edit.token)))
            if after is None:
                return None
            state, price = after[0], self.kept if edit.move is Move.KEEP else self.inserted
            total = plus(total, price(costs.by(after[1])))
        return total


def plus(one: Cost, other: Cost) -> Cost:
    return one[0] + other[0], one[1] + other[1]


@dataclass(frozen=True, slots=True, eq=False)
class _Node:
    """A state with the number of lines that are behind, and the edit that led here."""

    cost: Cost
    place: int
    state: State
    parent: _Node | None = None
    edit: Edit | None = None

    def edits(self) -> tuple[Edit, ...]:
        """Return the edits that lead here."""
        found: list[Edit] = []
        at: _Node | None = self
        while at is not None and at.edit is not None:
            found.append(at.edit)
            at = at.parent
        return tuple(reversed(found))


@dataclass(frozen=True, slots=True, kw_only=True)
class NumericRepair:
    """The best edits that were found, with cost and lower bound in the terms of the prices.

    ``by`` proved that there are no cheaper ones; where they are not ``proven``, it found them. With the status
    UNSOLVABLE there are none at all, with STOPPED none below a bound that was given.
    """

    status: Status
    edits: tuple[Edit, ...] | None = None
    cost: Cost | None = None
    lower: Cost = FREE
    by: str = Prover.EXACT
    proven: bool = False
    weight: int = 1

    def number(self, cost: Cost) -> int | None:
        """Return a cost as one number, as it is told; None where that is none."""
        total = cost[0] * self.weight + cost[1]
        return int(total) if total.denominator == 1 else None

    def met(self, before: str) -> str:
        """Say which limit was met before something, or only that it did not come."""
        if self.status in (Status.SOLVED, Status.STOPPED):
            return f"the search ended before {before}"
        return f"the {self.status.value} was met before {before}"

    @property
    def plan(self) -> tuple[Step, ...] | None:
        """Return the steps that the edits lead to."""
        return None if self.edits is None else kept_steps(self.edits)


class EditSearch:
    """The search for a nearest plan; ``run`` may be called again, and resumes.

    ``insertable`` are the steps that may be inserted; ``accepted`` is asked of a plan whether it has the quality, after
    the goal was found to hold at its end. Where trajectories are constrained, states that were reached on different
    ways are different; elsewhere a plan that is not accepted ends all proofs of what costs as much, since it should
    have been. ``bound`` is a cost from which on nothing is of interest.
    """

    def __init__(
        self,
        simulator: Simulator,
        tokens: Sequence[Token],
        prices: Prices,
        costs: ActionCosts,
        insertable: Sequence[Step],
        *,
        with_goal: bool,
        accepted: Callable[[tuple[Step, ...]], bool],
    ) -> None:
        model = simulator.model
        self.states = States(model)
        self.insertable = list(map(self.states.ground, insertable))
        self.accepted = accepted
        self.bound: Cost | None = None
        self.goal: Formula = model.problem.goal if with_goal else And(())
        self._tokens, self._prices, self._costs = tokens, prices, costs
        self.most = inf
        """of states and insertable steps that are tried in them"""
        self._lines = [
            self.states.ground(bare(token)) if isinstance(token, Step) and not simulator.malformed(0, token) else None
            for token in tokens
        ]
        """the step of each line; None for one that can only be skipped"""
        self._has_history = with_goal and bool(model.domain.constraints or model.problem.constraints)
        self._doubt: Cost | None = None
        """the least cost of what was left out, of which nothing is proven"""
        self._best: _Node | None = None
        self._queue: list[tuple[Cost, int, int, _Node]] = []
        self._number = count()
        self._known: dict[tuple[int, State], Cost] = {}
        self._push(_Node(FREE, 0, self.states.start))

    @property
    def _size(self) -> int:
        """Return how many bytes the search takes, about."""
        each = _BYTES + _BYTES_EACH * (len(self.states.start.atoms) + len(self.states.start.values))
        return (len(self._known) + len(self._queue)) * each

    def run(self, limits: Limits) -> NumericRepair:
        """Search until a nearest plan is proven, or a limit is met."""
        try:
            status = self._searched(limits)
        except KeyboardInterrupt:
            status = Status.INTERRUPTED
        least = self._queue[0][0] if self._queue else None
        costs = (None if self._best is None else self._best.cost, self.bound, least, self._doubt)
        lower = min((cost for cost in costs if cost is not None), default=FREE)
        if self._best is None:
            return NumericRepair(status=status, lower=lower)
        return NumericRepair(status=status, edits=self._best.edits(), cost=self._best.cost, lower=lower)

    def _searched(self, limits: Limits) -> Status:
        """Expand nodes, cheapest first, until there are none that cost less than what is known."""
        while self._queue:
            if limits.is_over():
                return Status.TIME_LIMIT
            if self._size > limits.room:
                return Status.MEMORY_LIMIT
            if len(self._known) * len(self.insertable) > self.most:
                return Status.STOPPED
            node = heapq.heappop(self._queue)[-1]
            try:
                if self._is_dear(node):
                    self._queue.clear()
                elif self._known.get((node.place, node.state), node.cost) >= node.cost:
                    self._expand(node)
            except KeyboardInterrupt:  # not everything may have been done about it
                heapq.heappush(self._queue, (node.cost, 0, next(self._number), node))
                raise
        if self._doubt is not None:
            return Status.STOPPED
        if self._best is not None:
            return Status.SOLVED
        return Status.UNSOLVABLE if self.bound is None else Status.STOPPED

    def _is_dear(self, node: _Node) -> bool:
        """Return whether a node costs no less than what is known already."""
        if self._best is not None and node.cost >= self._best.cost:
            return True
        return self.bound is not None and node.cost >= self.bound

    def _push(self, node: _Node) -> None:
        """Let a node be expanded, unless it need not be, or, with large numbers, must not be."""
        if self._is_dear(node):
            return
        if node.parent is not None and node.state is not node.parent.state and node.state.is_huge:
            self._leave_open(node)
            return
        if not self._has_history:
            known = self._known.get((node.place, node.state))
            if known is not None and known <= node.cost:
                return
            self._known[node.place, node.state] = node.cost
        # Of those that cost the same, the ones that have come furthest are looked at first.
        heapq.heappush(self._queue, (node.cost, -node.place, next(self._number), node))
        if node.place == len(self._tokens) and self._has_quality(node):
            self._best = node

    def _leave_open(self, node: _Node) -> None:
        """Prove nothing any more about plans that cost as much as a node."""
        self._doubt = node.cost if self._doubt is None else min(node.cost, self._doubt)

    def _expand(self, node: _Node) -> None:
        """Push what follows a node: the next line kept or skipped, and steps inserted."""
        situation, place = self.states.situation(node.state), node.place
        if place < len(self._tokens):
            token, line = self._tokens[place], self._lines[place]
            after = None if line is None else self.states.after(node.state, situation, line)
            if after is not None:
                cost = plus(node.cost, self._prices.kept(self._costs.by(after[1])))
                self._push(_Node(cost, place + 1, after[0], node, Edit(move=Move.KEEP, token=token)))
            cost = plus(node.cost, self._prices.skip)
            self._push(_Node(cost, place + 1, node.state, node, Edit(move=Move.SKIP, token=token)))
        for step in self.insertable:
            after = self.states.after(node.state, situation, step)
            if after is not None and (after[0] != node.state or self._has_history):
                cost = plus(node.cost, self._prices.inserted(self._costs.by(after[1])))
                self._push(_Node(cost, place, after[0], node, Edit(move=Move.INSERT, token=step.step)))

    def _has_quality(self, node: _Node) -> bool:
        if truth(self.goal, {}, self.states.situation(node.state)) is not True:
            return False
        accepted = self.accepted(kept_steps(node.edits()))
        if not accepted and not self._has_history:
            self._leave_open(node)
        return accepted


# --- classical models of few steps ----------------------------------------------------------------

_MOST_STEPS, _MOST_TRIED = 100, 60_000
"""ground steps, and how often one of them is tried: some tenths of a second"""

_FEWEST = Prices(skip=(1, 0), kept=lambda own: FREE, inserted=lambda own: (1, 1))


def nearest_of_few_steps(
    simulator: Simulator, tokens: Sequence[Token], limits: Limits, *, with_goal: bool
) -> tuple[Edit, ...] | None:
    """Return the fewest edits to a plan that is sound, with ``with_goal`` valid; None where they were not found.

    Of as many edits they are those with the fewest insertions. The model is classical, and any conditions and effects
    will do; there are None for one with many ground steps, or of another kind of simulator.
    """
    if type(simulator) is not Simulator or any(names != [name] for name, names in simulator.ways.items()):
        return None
    rows = Parts(simulator.model).among(frozenset(simulator.model.problem.objects), _MOST_STEPS)
    if rows is None:
        return None
    steps = [Step(name=name, args=args) for name, args in rows]
    search = EditSearch(
        simulator, tokens, _FEWEST, ActionCosts(), steps, with_goal=with_goal, accepted=lambda plan: True
    )
    search.most = _MOST_TRIED
    found = search.run(limits)
    return found.edits if found.status is Status.SOLVED else None
