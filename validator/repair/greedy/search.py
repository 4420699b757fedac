"""Greedy best-first search for a plan of a model with numbers: lazy, with the promising steps of relaxed plans first.

A state is looked at when it is taken out of the queue, with the estimate of the state before it; whenever an estimate
is the best so far, promising steps come first for a while (Richter and Helmert 2009). Where a plan is known, cheaper
ones are looked for by what the way to a state costs together with its weighted estimate (Richter, Thayer and Ruml
2010).
"""

from __future__ import annotations

import heapq
from collections.abc import Callable, Generator, Iterator, Sequence
from copy import copy
from itertools import count
from math import inf
from typing import TYPE_CHECKING, TypeAlias

from validator.grounding.limits import checked
from validator.grounding.numbers.states import GroundStep, State, States
from validator.model.conditions import Binding
from validator.model.numeric import Situation, truth
from validator.model.values import Formula, Model
from validator.reading.plan import Step
from validator.records import dataclass
from validator.repair.greedy.requirements import Requirements
from validator.resources import loading

if TYPE_CHECKING:
    from validator.repair.greedy.relaxation import Estimate, Relaxation

__all__ = ["Greedy", "Target"]

_BOOST = 1000
"""How many states are taken out of the queue of promising steps first when an estimate was the best so far."""

_AHEAD, _AHEAD_EACH = 20_000, 8
"""How many steps may be tried to do relaxed plans in any case, and more with each state: that takes as long."""

_MOST_BITS = 2000
"""Numbers with larger numerators or denominators are not searched: they could double with each step."""


@dataclass(frozen=True, slots=True)
class Target:
    """The states in which a condition holds, and the numbers of its needs in a relaxation; None where it never does."""

    formula: Formula
    binding: Binding
    needs: Sequence[int] | None


@dataclass(frozen=True, slots=True, eq=False)
class _Node:
    state: State
    parent: _Node | None
    step: int
    cost: float


_Queue: TypeAlias = list[tuple[float, int, _Node, Iterator[int]]]
"""States by rank and by age, each with the steps that were not taken in it."""


class Greedy:
    """Greedy searches among the ground steps of a model, each of which costs 1.

    ``is_over`` ends everything: the preparation with a TimeoutError. Without room for NumPy there is a MemoryError.
    ``states`` are those of the model, where another kind of them is to be searched.
    """

    def __init__(
        self,
        model: Model,
        steps: Sequence[Step],
        goal: Formula,
        is_over: Callable[[], bool],
        states: States | None = None,
    ) -> None:
        self.states = states or States(model)
        self.is_over = is_over
        self.steps = list(map(self.states.ground, checked(steps, is_over)))
        self.prices = [1.0] * len(steps)
        self.relaxation = self._relaxed(model, goal)
        self.target = Target(goal, {}, self.relaxation.needs(goal, {}))

    def _relaxed(self, model: Model, goal: Formula) -> Relaxation:
        with loading("numpy"):
            from validator.repair.greedy.relaxation import Relaxation  # NumPy, which few plans need

        requirements = Requirements(model, model.problem.init, self.states.values)
        return Relaxation(requirements, self.steps, goal, self.is_over)

    def with_prices(self, prices: Sequence[float]) -> Greedy:
        """Return the same searches with other prices of the steps."""
        other = copy(self)
        other.prices = list(prices)
        other.relaxation = self.relaxation.with_prices(prices)
        return other

    def applied(self, state: State, step: GroundStep) -> State | None:
        """Return the state after a step, None where it cannot take place."""
        found = self.states.after(state, self.states.situation(state), step)
        return None if found is None else found[0]

    def enabling(self, step: GroundStep) -> Target:
        """Return the states in which a step can take place."""
        condition, binding = step.action.precondition, step.binding
        return Target(condition, binding, self.relaxation.needs(condition, binding))

    def needed(self, plan: Sequence[Step]) -> tuple[Step, ...]:
        """Return the steps of a plan that reaches the goal which it needs, as far as there is time.

        Each step is left out with all that cannot take place without it: action elimination (Nakhost and Müller 2010).
        """
        state, steps, place = self.states.start, list(map(self.states.ground, plan)), 0
        while place < len(steps) and not self.is_over():
            rest = self._possible(state, steps[place + 1 :])
            if rest is not None:
                steps[place:] = rest
            else:
                state, place = self.applied(state, steps[place]) or state, place + 1
        return tuple(ground.step for ground in steps)

    def _possible(self, state: State, steps: Sequence[GroundStep]) -> list[GroundStep] | None:
        """Return those of some steps that can take place one after the other, None where they miss the goal."""
        found = list[GroundStep]()
        for step in steps:
            after = self.applied(state, step)
            if after is not None:
                state = after
                found.append(step)
        return found if self._is_reached(state, self.states.situation(state), self.target) else None

    def plans(
        self,
        start: State,
        target: Target | None = None,
        *,
        weight: float = inf,
        bound: float = inf,
        nodes: float = inf,
        ahead: bool = False,
    ) -> Generator[tuple[Step, ...], None, bool]:
        """Yield plans from a state to a target, the goal without one, that cost less and less, and less than a bound.

        With an infinite weight, estimates alone guide, and relaxed plans are done as far as they go where ``ahead`` is
        true: that leads far, or astray. At most so many ``nodes`` are looked at. Returns whether none was left, and no
        plan found.
        """
        target = target or self.target
        number, seen = count(), {start: 0.0}
        queues: tuple[_Queue, ...] = ([], [])  # all steps, promising ones
        chosen, best, effort, is_vain = [0, 0], inf, _AHEAD, True
        node: _Node | None = _Node(start, None, -1, 0.0)
        while node is not None and nodes > 0 and not self.is_over():
            nodes -= 1
            situation = self.states.situation(node.state)
            if self._is_reached(node.state, situation, target):
                bound, is_vain = min(bound, node.cost), False
                yield self._way(node)
            estimate = self._estimate(node.state, situation, target)
            is_best, effort = estimate.cost < best, effort + _AHEAD_EACH
            if is_best:
                best = estimate.cost
                chosen[1] -= _BOOST
            if estimate.cost < inf:
                rank = estimate.cost if weight == inf else node.cost + weight * estimate.cost
                for queue, steps in zip(queues, (estimate.applicable, estimate.promising), strict=True):
                    if steps:
                        heapq.heappush(queue, (rank, next(number), node, iter(steps)))
            later: _Node | None = None
            if ahead and weight == inf and estimate.cost < inf and (is_best or effort > 0):
                later, tried = self._ahead(node, estimate.plan)
                effort -= tried
            if later is not None and later.cost < min(seen.get(later.state, inf), bound):
                seen[later.state], node = later.cost, later
            else:
                node = self._next(queues, chosen, seen, bound)
        return is_vain and node is None

    def _is_reached(self, state: State, situation: Situation, target: Target) -> bool:
        return truth(target.formula, target.binding, situation) is True

    def _ahead(self, node: _Node, plan: Sequence[tuple[int, int]]) -> tuple[_Node | None, int]:
        """Return what becomes of a state when as much of a relaxed plan is done as can be (Vidal 2004).

        None where that is nothing. Then how many steps were tried.
        """
        at, tried, left, goes_on = node, 0, list(plan), True
        while left and goes_on and not self.is_over():
            waiting, left, goes_on = left, [], False
            for step, often in waiting:
                for done in range(often):
                    tried += 1
                    state = self.applied(at.state, self.steps[step])
                    if state is None:
                        left.append((step, often - done))
                        break
                    at, goes_on = _Node(state, at, step, at.cost + self.prices[step]), True
        return None if at is node else at, tried

    def _next(
        self, queues: tuple[_Queue, ...], chosen: list[int], seen: dict[State, float], bound: float
    ) -> _Node | None:
        """Return the next state that is new, or that is reached in a cheaper way."""
        while any(queues) and not self.is_over():
            which = min((one for one, queue in enumerate(queues) if queue), key=chosen.__getitem__)
            _, _, parent, steps = queues[which][0]
            step = next(steps, None)
            if step is None:
                heapq.heappop(queues[which])
                continue
            chosen[which] += 1
            cost = parent.cost + self.prices[step]
            if cost >= bound:
                continue
            state = self.applied(parent.state, self.steps[step])
            if state is None or seen.get(state, inf) <= cost:
                continue
            if state.values is not parent.state.values and state.bits > _MOST_BITS:
                continue
            seen[state] = cost
            return _Node(state, parent, step, cost)
        return None

    def _estimate(self, state: State, situation: Situation, target: Target) -> Estimate:
        return self.relaxation.estimate(situation.atoms, dict(state.values), target.needs)

    def _way(self, node: _Node) -> tuple[Step, ...]:
        found = list[Step]()
        at: _Node | None = node
        while at is not None and at.parent is not None:
            found.append(self.steps[at.step].step)
            at = at.parent
        return tuple(reversed(found))
