"""Greedy best-first search for a plan of a model with numbers: lazy, promising steps of relaxed plans in turn.

A state is looked at when it is taken out of a queue, with the estimate of the state before it. Promising steps have a
queue of their own, and the two take turns (Richter and Helmert 2009).

Near an observed plan, that is executed from left to right: where a step cannot take place, the search looks for a short
way to a state in which it can; without one the step is left out. Behind the last step it goes on to the goal.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable, Iterator, Sequence
from itertools import count
from math import inf
from typing import TypeAlias

from validator.grounding.limits import checked
from validator.grounding.states import GroundStep, State, States
from validator.model.conditions import Binding
from validator.model.numeric import truth
from validator.model.values import Formula, Model
from validator.reading.plan import Step
from validator.records import dataclass
from validator.repair.numbers.needs import Requirements
from validator.repair.numbers.relaxation import Relaxation, ways_of

_AHEAD, _AHEAD_EACH = 20_000, 8
"""How many steps may be tried to do relaxed plans in any case, and more with each state: that takes as long."""

_BRIDGE, _REST, _WHOLE = 60, 1000, 20_000
"""States that are looked at for a way to the next step, for the rest of a plan, and for a whole one at most."""

_PLAIN, _FAR = 500, 2000
"""States that are looked at first, and then with relaxed plans that are done as far as they go, at most."""


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


_Queue: TypeAlias = list[tuple[float, int, _Node, Iterator[int]]]
"""States by rank and by age, each with the steps that were not taken in it."""


class Greedy:
    """Greedy searches among the ground steps of a model.

    ``is_over`` ends everything: the preparation with a TimeoutError.
    """

    def __init__(self, model: Model, steps: Sequence[Step], goal: Formula, is_over: Callable[[], bool]) -> None:
        self.states, self.is_over = States(model), is_over
        self.steps = list(map(self.states.ground, checked(steps, is_over)))
        requirements = Requirements(model, model.problem.init, self.states.values)
        self.relaxation = Relaxation(requirements, ways_of(requirements, self.steps), goal, is_over)
        self.target = Target(goal, {}, self.relaxation.needs(goal, {}))

    def applied(self, state: State, step: GroundStep) -> State | None:
        """Return the state after a step, None where it cannot take place."""
        found = self.states.after(state, self.states.situation(state), step)
        return None if found is None else found[0]

    def enabling(self, step: GroundStep) -> Target:
        """Return the states in which a step can take place."""
        condition, binding = step.action.precondition, step.binding
        return Target(condition, binding, self.relaxation.needs(condition, binding))

    def near(self, observed: Sequence[Step]) -> tuple[Step, ...] | None:
        """Return a plan that is likely to keep most of an observed one, or any; None where none is found in time."""
        return self._mended(observed) or self.whole(_WHOLE)

    def whole(self, nodes: float = inf) -> tuple[Step, ...] | None:
        """Return a plan from the initial state, if one is found among so many states."""
        for most, ahead in ((_PLAIN, False), (_FAR, True), (nodes, False)):
            plan = self.plan(self.states.start, nodes=most, ahead=ahead)
            if plan is not None:
                return plan
        return None

    def _mended(self, observed: Sequence[Step]) -> tuple[Step, ...] | None:
        """Return the observed plan with a way to each step that cannot take place, as far as one is found."""
        state, found = self.states.start, list[Step]()
        for step in observed:
            way = self._way_to(state, step)
            if way is not None:
                state = way[1]
                found += way[0]
            if self.is_over():
                return None
        rest = self.plan(state, nodes=_REST)
        return None if rest is None else (*found, *rest)

    def _way_to(self, state: State, step: Step) -> tuple[tuple[Step, ...], State] | None:
        """Return the steps up to and with one that is to take place, and the state behind it."""
        ground = self.states.ground(step)
        after = self.applied(state, ground)
        if after is not None:
            return (step,), after
        way = self.plan(state, self.enabling(ground), nodes=_BRIDGE)
        if way is None:
            return None
        for each in (*way, step):
            following = self.applied(state, self.states.ground(each))
            if following is None:
                return None
            state = following
        return (*way, step), state

    def plan(
        self, start: State, target: Target | None = None, *, nodes: float = inf, ahead: bool = False
    ) -> tuple[Step, ...] | None:
        """Return a plan from a state to a target, the goal without one, if there is one among so many ``nodes``.

        Relaxed plans are done as far as they go where ``ahead`` is true: that leads far, or astray.
        """
        target, number, seen = target or self.target, count(), {start}
        queues: tuple[_Queue, ...] = ([], [])  # all steps, promising ones
        chosen, best, effort = [0, 0], inf, _AHEAD
        node: _Node | None = _Node(start, None, -1)
        while node is not None and nodes > 0 and not self.is_over():
            nodes -= 1
            situation = self.states.situation(node.state)
            if truth(target.formula, target.binding, situation) is True:
                return self._way(node)
            estimate = self.relaxation.estimate(situation, target.needs)
            is_best, effort = estimate.cost < best, effort + _AHEAD_EACH
            best = min(best, estimate.cost)
            later: _Node | None = None
            if estimate.cost < inf:
                for queue, steps in zip(queues, (estimate.applicable, estimate.promising), strict=True):
                    if steps:
                        heapq.heappush(queue, (estimate.cost, next(number), node, iter(steps)))
                if ahead and (is_best or effort > 0):
                    later, tried = self._ahead(node, estimate.plan)
                    effort -= tried
            if later is not None and later.state not in seen:
                seen.add(later.state)
                node = later
            else:
                node = self._next(queues, chosen, seen)
        return None

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
                    at, goes_on = _Node(state, at, step), True
        return None if at is node else at, tried

    def _next(self, queues: tuple[_Queue, ...], chosen: list[int], seen: set[State]) -> _Node | None:
        """Return the next state that is new."""
        while any(queues) and not self.is_over():
            which = min((one for one, queue in enumerate(queues) if queue), key=chosen.__getitem__)
            _, _, parent, steps = queues[which][0]
            step = next(steps, None)
            if step is None:
                heapq.heappop(queues[which])
                continue
            chosen[which] += 1
            state = self.applied(parent.state, self.steps[step])
            if state is None or state in seen:
                continue
            if state.values is not parent.state.values and state.is_huge:
                continue
            seen.add(state)
            return _Node(state, parent, step)
        return None

    def _way(self, node: _Node) -> tuple[Step, ...]:
        found = list[Step]()
        at: _Node | None = node
        while at is not None and at.parent is not None:
            found.append(self.steps[at.step].step)
            at = at.parent
        return tuple(reversed(found))
