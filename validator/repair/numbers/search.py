"""Searches by our own states, for models with numbers and trajectory constraints: exact, without any planner.

The states of ``Product`` are those of the modified problem (``validator.repair.edit``): the observations that are
behind, the atoms that hold, and the values, which are exact fractions. The search is uniform in cost and knows no
heuristic: what it has not yet taken out of its queue is a lower bound for all that follows. ``EditSearch`` is the one
for a nearest plan: the first one that it takes out. Repairs of one or two changes it proves at once, others in small
models only.
"""

from __future__ import annotations

import heapq
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Sequence
from fractions import Fraction
from itertools import count
from typing import TypeVar

from validator.execution.simulator import Simulator
from validator.execution.time.acts.effects import Update
from validator.grounding.limits import Limits, Status
from validator.grounding.numbers.action_costs import ActionCosts
from validator.grounding.numbers.states import State, States
from validator.model.numeric import truth
from validator.model.values import And, Formula, Model
from validator.reading.plan import Step, Token, bare
from validator.records import dataclass
from validator.repair.edit import Edit, Move, Weighting, kept_steps

__all__ = ["EXACT", "Answer", "EditSearch", "Item", "Node", "Product"]

EXACT = "plan-validator's exact search"

_BYTES, _BYTES_EACH, _MOST_BYTES = 2000, 200, 2**30
"""What a state of the search takes, roughly, each of its atoms and values, and what all may take."""

_MOST_BITS = 2000
"""Numbers with larger numerators or denominators are not searched: they could double with each step."""

_PULSE = 4096
"""Steps that are tried between two looks at the clock."""

_Ended = TypeVar("_Ended")


@dataclass(frozen=True, slots=True, kw_only=True)
class Item:
    """One item of an observation: any of some steps, or a state in which a fact holds.

    ``skip`` is the price of leaving it out, None where that is not allowed. ``before`` has a bit for each item that
    must be behind before it. ``token`` is how it was written; with ``is_pattern`` a step that explains it is shown
    instead.
    """

    token: Token
    steps: Sequence[Step] = ()
    fact: Formula | None = None
    skip: Fraction | None = None
    before: int = 0
    is_pattern: bool = False
    index: int = 0


@dataclass(frozen=True, slots=True, eq=False)
class Node:
    """A state with the items that are behind, a bit each, and the edit that led here."""

    cost: Fraction
    behind: int
    state: State
    parent: Node | None = None
    edit: tuple[int | None, Edit] | None = None

    def edits(self) -> list[tuple[int | None, Edit]]:
        """Return the edits that lead here, each with the index of its item."""
        found: list[tuple[int | None, Edit]] = []
        at: Node | None = self
        while at is not None and at.edit is not None:
            found.append(at.edit)
            at = at.parent
        return found[::-1]


class Product(ABC):
    """A search in the product of a model's states and an observation; ``visit`` says what to do with a node.

    ``keep`` and ``insert`` are the prices of a step, by what it does. Where states have a history, those that were
    reached on different ways are different.
    """

    has_history = False

    def __init__(
        self,
        model: Model,
        items: Iterable[Item],
        insertable: Sequence[Step],
        keep: Callable[[Update], Fraction],
        insert: Callable[[Update], Fraction],
    ) -> None:
        self.states = States(model)
        self.items = list(items)
        self.insertable = list(map(self.states.ground, insertable))
        self.keep, self.insert = keep, insert
        self.every = (1 << len(self.items)) - 1
        self.doubt: Fraction | None = None
        """the least cost of what was left out, of which nothing is proven"""
        self._steps = [list(map(self.states.ground, item.steps)) for item in self.items]
        self._is_line = all(item.before == (1 << place) - 1 for place, item in enumerate(self.items))
        self._queue: list[tuple[Fraction, int, int, Node]] = []
        self._number = count()
        self._known: dict[tuple[int, State], Fraction] = {}
        self._unseen = 0
        """steps since the last look at the limits"""

    @abstractmethod
    def visit(self, node: Node) -> bool:
        """Do what is to be done with the cheapest node, and return whether to go on."""

    def search(self, look: Callable[[], _Ended | None]) -> _Ended | None:
        """Visit nodes, cheapest first, until there are none, or ``look`` ends it, which is called from time to time."""
        while self._queue:
            self._unseen += 1 + len(self.insertable)
            if self._unseen >= _PULSE:
                self._unseen = 0
                if (ended := look()) is not None:
                    return ended
            node = heapq.heappop(self._queue)[-1]
            try:
                if self._known.get((node.behind, node.state), node.cost) >= node.cost and not self.visit(node):
                    self._queue.clear()
            except KeyboardInterrupt:  # not everything may have been done about it
                heapq.heappush(self._queue, (node.cost, 0, next(self._number), node))
                raise
        return None

    @property
    def size(self) -> int:
        """Return how many bytes the search takes, about."""
        each = _BYTES + _BYTES_EACH * (len(self.states.start.atoms) + len(self.states.start.values))
        return (len(self._known) + len(self._queue)) * each

    @property
    def least(self) -> Fraction | None:
        """Return the cost below which everything was visited; None when all was."""
        return self._queue[0][0] if self._queue else None

    def push(self, node: Node) -> bool:
        """Let a node be visited; return False for one that need not be, or, with large numbers, must not be."""
        if node.parent is not None and node.state is not node.parent.state and node.state.bits > _MOST_BITS:
            self.leave_open(node)
            return False
        if not self.has_history:
            known = self._known.get((node.behind, node.state))
            if known is not None and known <= node.cost:
                return False
            self._known[node.behind, node.state] = node.cost
        # Of those that cost the same, the ones that have come furthest are looked at first.
        heapq.heappush(self._queue, (node.cost, -node.behind.bit_count(), next(self._number), node))
        return True

    def leave_open(self, node: Node) -> None:
        """Prove nothing any more about plans that cost as much as a node."""
        self.doubt = node.cost if self.doubt is None else min(node.cost, self.doubt)

    def expand(self, node: Node) -> None:
        """Push what follows a node: items explained, or left out, and steps inserted."""
        situation, free = self.states.situation(node.state), Fraction(0)
        for place in self._open(node.behind):
            item, behind = self.items[place], node.behind | 1 << place
            for step in self._steps[place]:
                if (after := self.states.after(node.state, situation, step)) is not None:
                    edit = Edit(move=Move.KEEP, token=step.step if item.is_pattern else item.token)
                    self._follow(node, self.keep(after[1]), behind, after[0], (item.index, edit))
            if item.fact is not None and truth(item.fact, {}, situation) is True:
                self._follow(node, free, behind, node.state, (item.index, Edit(move=Move.KEEP, token=item.token)))
            elif item.skip is not None:
                edit = Edit(move=Move.SKIP, token=item.token)
                self._follow(node, item.skip, behind, node.state, (item.index, edit))
        for step in self.insertable:
            after = self.states.after(node.state, situation, step)
            if after is not None and (after[0] != node.state or self.has_history):
                edit = Edit(move=Move.INSERT, token=step.step)
                self._follow(node, self.insert(after[1]), node.behind, after[0], (None, edit))

    def _open(self, behind: int) -> Iterator[int]:
        """Yield the items that may come next."""
        if self._is_line:
            yield from (place for place in (behind.bit_length(),) if place < len(self.items))
            return
        for place, item in enumerate(self.items):
            if not behind >> place & 1 and item.before & ~behind == 0:
                yield place

    def _follow(self, node: Node, price: Fraction, behind: int, state: State, edit: tuple[int | None, Edit]) -> None:
        self.push(Node(node.cost + price, behind, state, node, edit))


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """The best edits that were found, with cost and lower bound in the terms of the weighting.

    ``by`` proved that there are no cheaper ones; where they are not ``proven``, it found them. With the status
    UNSOLVABLE there are none at all, with STOPPED none below a bound that was given.
    """

    status: Status
    edits: tuple[Edit, ...] | None = None
    cost: Fraction | None = None
    lower: Fraction = Fraction(0)
    by: str = EXACT
    proven: bool = False

    def met(self, before: str) -> str:
        """Say which limit was met before something, or only that it did not come."""
        if self.status in (Status.SOLVED, Status.STOPPED):
            return f"the search ended before {before}"
        return f"the {self.status.value} was met before {before}"

    @property
    def plan(self) -> tuple[Step, ...] | None:
        """Return the steps that the edits lead to."""
        return None if self.edits is None else kept_steps(self.edits)


class EditSearch(Product):
    """The search for a nearest plan; ``run`` may be called again and goes on where it stopped.

    ``insertable`` are the steps that may be inserted; ``accepted`` is asked of a plan whether it has the
    quality, after the goal was found to hold at its end. Where trajectories are constrained, states that were reached
    on different ways are different; elsewhere a plan that is not accepted ends all proofs of what costs as much, since
    it should have been. ``bound`` is a cost from which on nothing is of interest.
    """

    def __init__(
        self,
        simulator: Simulator,
        tokens: Sequence[Token],
        weighting: Weighting,
        costs: ActionCosts,
        insertable: Sequence[Step],
        *,
        with_goal: bool,
        accepted: Callable[[tuple[Step, ...]], bool],
    ) -> None:
        model = simulator.model
        skip = Fraction(weighting.skip)
        items = (
            Item(token=token, steps=_line(simulator, token), skip=skip, before=(1 << place) - 1)
            for place, token in enumerate(tokens)
        )

        def keep(update: Update) -> Fraction:
            return weighting.keep * costs.by(update) + weighting.keep_extra

        def insert(update: Update) -> Fraction:
            price = weighting.insert * costs.by(update) + weighting.insert_extra
            return max(price, Fraction(weighting.insert_least))

        super().__init__(model, items, insertable, keep, insert)
        self.accepted = accepted
        self.bound: Fraction | None = None
        self.goal: Formula = model.problem.goal if with_goal else And(())
        self.has_history = with_goal and bool(model.domain.constraints or model.problem.constraints)
        self._best: Node | None = None
        self.push(Node(Fraction(0), 0, self.states.start))

    @property
    def impossible(self) -> int:
        """Return how many lines can only be skipped, since they are no steps of the model."""
        return sum(not item.steps for item in self.items)

    # --- the search ----------------------------------------------------------------------------

    def run(self, limits: Limits) -> Answer:
        """Search until a nearest plan is proven, or a limit is met."""

        def look() -> Status | None:
            if not limits.seconds:
                return Status.TIME_LIMIT
            return Status.MEMORY_LIMIT if self.size > min(limits.memory, _MOST_BYTES) else None

        try:
            status = self.search(look)
        except KeyboardInterrupt:
            status = Status.INTERRUPTED
        if status is None and self.doubt is not None:
            status = Status.STOPPED
        elif status is None and self._best is not None:
            status = Status.SOLVED
        elif status is None:
            status = Status.UNSOLVABLE if self.bound is None else Status.STOPPED
        costs = (None if self._best is None else self._best.cost, self.bound, self.least, self.doubt)
        lower = min((cost for cost in costs if cost is not None), default=Fraction(0))
        if self._best is None:
            return Answer(status=status, lower=lower)
        edits = tuple(edit for _, edit in self._best.edits())
        return Answer(status=status, edits=edits, cost=self._best.cost, lower=lower)

    def visit(self, node: Node) -> bool:
        if self._is_dear(node):
            return False
        self.expand(node)
        return True

    def _is_dear(self, node: Node) -> bool:
        """Return whether a node costs no less than what is known already."""
        if self._best is not None and node.cost >= self._best.cost:
            return True
        return self.bound is not None and node.cost >= self.bound

    def push(self, node: Node) -> bool:
        if self._is_dear(node) or not super().push(node):
            return False
        if node.behind == self.every and self._has_quality(node):
            self._best = node
        return True

    def _has_quality(self, node: Node) -> bool:
        if truth(self.goal, {}, self.states.situation(node.state)) is not True:
            return False
        accepted = self.accepted(kept_steps(edit for _, edit in node.edits()))
        self._unseen = _PULSE  # a plan was executed, which takes as long as many steps
        if not accepted and not self.has_history:
            self.leave_open(node)
        return accepted


def _line(simulator: Simulator, token: Token) -> tuple[Step, ...]:
    """Return the step of a line; nothing for one that can only be skipped."""
    return (bare(token),) if isinstance(token, Step) and not simulator.malformed(0, token) else ()
