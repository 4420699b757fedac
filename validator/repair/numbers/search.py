"""Nearest plans by our own search, for models with numbers and trajectory constraints: exact, without any planner.

The states are those of the modified problem (``validator.repair.edit``): how much of the observed plan is consumed, the
atoms that hold, and the values, which are exact fractions. The search is uniform in cost, so that the first plan that
it takes out of its queue is a nearest one, and what it has not yet taken out is a lower bound for all others. It knows
no heuristic: repairs of one or two changes it proves at once, others in small models only.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from itertools import count

from validator.execution.simulator import Simulator
from validator.grounding.limits import Limits, Status
from validator.grounding.numbers.action_costs import ActionCosts
from validator.grounding.numbers.states import GroundStep, State, States
from validator.model.numeric import truth
from validator.model.values import And, Formula
from validator.reading.plan import Step, Token, bare
from validator.records import dataclass
from validator.repair.edit import Edit, Move, Weighting, kept_steps

__all__ = ["EditSearch", "Found"]

_BYTES, _BYTES_EACH, _MOST_BYTES = 2000, 200, 2**30
"""What a state of the search takes, roughly, each of its atoms and values, and what all may take."""

_MOST_BITS = 2000
"""Numbers with larger numerators or denominators are not searched: they could double with each step."""

_PULSE = 4096
"""Steps that are tried between two looks at the clock."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """What the search knows: the cheapest edits so far with their cost, and a lower bound of all others.

    ``status`` is SOLVED or UNSOLVABLE when nothing is open any more, STOPPED when nothing cheaper than the bound is,
    otherwise the limit that was met.
    """

    status: Status
    edits: tuple[Edit, ...] | None
    cost: Fraction | None
    lower: Fraction


@dataclass(frozen=True, slots=True, eq=False)
class _Node:
    cost: Fraction
    place: int
    state: State
    parent: _Node | None
    edit: Edit | None


class EditSearch:
    """The search for a nearest plan; ``run`` may be called again and goes on where it stopped.

    ``insertable`` are the ground steps that may be inserted; ``accepted`` is asked of a plan whether it has the
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
        self.model = simulator.model
        self.weighting = weighting
        self.costs = costs
        self.accepted = accepted
        self.bound: Fraction | None = None
        self.goal: Formula = self.model.problem.goal if with_goal else And(())
        self.states = States(self.model)
        self._has_history = with_goal and bool(self.model.domain.constraints or self.model.problem.constraints)
        self._tokens = tuple(tokens)
        self._lines = [self._line(simulator, token) for token in tokens]
        self.insertable = list(map(self.states.ground, insertable))
        self._queue: list[tuple[Fraction, int, int, _Node]] = []
        self._number = count()
        self._known: dict[tuple[int, State], Fraction] = {}
        self._best: _Node | None = None
        self._doubt: Fraction | None = None
        self._unseen = 0
        """steps since the last look at the limits"""
        self._push(_Node(Fraction(0), 0, self.states.start, None, None))

    @property
    def impossible(self) -> int:
        """Return how many lines can only be skipped, since they are no steps of the model."""
        return sum(line is None for line in self._lines)

    # --- the search ----------------------------------------------------------------------------

    def run(self, limits: Limits, stop: Callable[[], bool] = lambda: False) -> Found:
        """Search until a nearest plan is proven, a limit is met, or ``stop`` says so."""
        node = None
        try:
            while self._queue:
                self._unseen += 1 + len(self.insertable)
                if self._unseen >= _PULSE:
                    self._unseen = 0
                    if (status := self._limit(limits, stop)) is not None:
                        return self._found(status)
                node = heapq.heappop(self._queue)[-1]
                if self._is_dear(node):
                    self._queue.clear()
                elif self._is_open(node):
                    self._expand(node)
        except KeyboardInterrupt:
            if node is not None:  # not everything may have been done about it
                heapq.heappush(self._queue, (node.cost, 0, next(self._number), node))
            return self._found(Status.INTERRUPTED)
        if self._best is not None:
            return self._found(Status.SOLVED)
        return self._found(Status.UNSOLVABLE if self.bound is None else Status.STOPPED)

    def _limit(self, limits: Limits, stop: Callable[[], bool]) -> Status | None:
        if stop():
            return Status.STOPPED
        if not limits.seconds:
            return Status.TIME_LIMIT
        each = _BYTES + _BYTES_EACH * (len(self.states.start.atoms) + len(self.states.start.values))
        size = (len(self._known) + len(self._queue)) * each
        return Status.MEMORY_LIMIT if size > min(limits.memory, _MOST_BYTES) else None

    def _is_dear(self, node: _Node) -> bool:
        """Return whether a node costs no less than what is known already."""
        if self._best is not None and node.cost >= self._best.cost:
            return True
        return self.bound is not None and node.cost >= self.bound

    def _is_open(self, node: _Node) -> bool:
        return self._has_history or self._known.get((node.place, node.state), node.cost) >= node.cost

    def _found(self, status: Status) -> Found:
        best = self._best
        known = [cost for cost in (None if best is None else best.cost, self.bound) if cost is not None]
        lowers = [self._queue[0][0]] if self._queue else known
        lower = min((*lowers, *known, *(() if self._doubt is None else (self._doubt,))), default=Fraction(0))
        if self._doubt is not None and status in (Status.SOLVED, Status.UNSOLVABLE):
            status = Status.STOPPED
        if best is None:
            return Found(status=status, edits=None, cost=None, lower=lower)
        return Found(status=status, edits=tuple(_edits(best)), cost=best.cost, lower=lower)

    def _push(self, node: _Node) -> None:
        if self._is_dear(node):
            return
        if node.parent is not None and node.state is not node.parent.state and node.state.bits > _MOST_BITS:
            self._leave_open(node)
            return
        if not self._has_history:
            key = (node.place, node.state)
            known = self._known.get(key)
            if known is not None and known <= node.cost:
                return
            self._known[key] = node.cost
        # Of those that cost the same, the ones that have come furthest are looked at first.
        heapq.heappush(self._queue, (node.cost, -node.place, next(self._number), node))
        if node.place == len(self._lines) and self._has_quality(node):
            self._best = node

    def _has_quality(self, node: _Node) -> bool:
        if truth(self.goal, {}, self.states.situation(node.state)) is not True:
            return False
        accepted = self.accepted(kept_steps(_edits(node)))
        self._unseen = _PULSE  # a plan was executed, which takes as long as many steps
        if not accepted and not self._has_history:
            self._leave_open(node)
        return accepted

    def _leave_open(self, node: _Node) -> None:
        """Prove nothing any more about plans that cost as much as a node."""
        self._doubt = node.cost if self._doubt is None else min(node.cost, self._doubt)

    def _expand(self, node: _Node) -> None:
        situation = self.states.situation(node.state)
        if node.place < len(self._lines):
            token, line = self._tokens[node.place], self._lines[node.place]
            kept = None if line is None else self.states.after(node.state, situation, line)
            if kept is not None:
                state, update = kept
                cost = node.cost + self.weighting.keep * self.costs.by(update) + self.weighting.keep_extra
                self._push(_Node(cost, node.place + 1, state, node, Edit(move=Move.KEEP, token=token)))
            skipped = Edit(move=Move.SKIP, token=token)
            self._push(_Node(node.cost + self.weighting.skip, node.place + 1, node.state, node, skipped))
        for step in self.insertable:
            inserted = self.states.after(node.state, situation, step)
            if inserted is None:
                continue
            state, update = inserted
            if state != node.state or self._has_history:
                price = self.weighting.insert * self.costs.by(update) + self.weighting.insert_extra
                cost = node.cost + max(price, Fraction(self.weighting.insert_least))
                self._push(_Node(cost, node.place, state, node, Edit(move=Move.INSERT, token=step.step)))

    def _line(self, simulator: Simulator, token: Token) -> GroundStep | None:
        """Return the step of a line, ready to be applied, or None for one that can only be skipped."""
        if not isinstance(token, Step) or simulator.malformed(0, token):
            return None
        return self.states.ground(bare(token))


def _edits(node: _Node) -> Iterator[Edit]:
    found: list[Edit] = []
    at: _Node | None = node
    while at is not None and at.edit is not None:
        found.append(at.edit)
        at = at.parent
    return reversed(found)
