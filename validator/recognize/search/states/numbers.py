"""The costs of all goals in a model with numbers: one search from the initial state, uniform in cost, and no planner.

The states are the model's own, with exact values, each with the observations that are behind it. A goal is met at its
cost first in a state with none of them behind it, and at its cost with the observations in one with all of them. The
search knows no heuristic, and states with numbers may be without end: what it has not met has a lower bound.
"""

from __future__ import annotations

import heapq
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import count

from validator.execution.time.acts.effects import Update
from validator.grounding.limits import Limits, Status
from validator.grounding.numbers.action_costs import ActionCosts, action_costs
from validator.grounding.numbers.relaxed_reachability import reachable_steps
from validator.grounding.numbers.states import GroundStep, State, States
from validator.model.numeric import truth
from validator.model.values import And, Formula, Model
from validator.reading.plan import Step
from validator.recognize.problem import NUMBERS, Observation, Order, RecognitionProblem, Settings
from validator.recognize.search.compile import placed
from validator.recognize.search.known import Known
from validator.recognize.search.observed import Observed, Reachable, Seen, observed
from validator.records import dataclass, replace
from validator.repair.edit import Edit, Move

__all__ = ["NumberSearch", "number_search"]

_PULSE = 4096
"""Steps that are tried between two looks at the clock."""
_BYTES = 4000
"""What a state takes, about."""
_MOST_BITS = 2000
"""Values with larger numerators or denominators are not searched: they could double with each step."""


def number_search(
    problem: RecognitionProblem,
    observations: Sequence[Observation],
    settings: Settings,
    price: Fraction | None,
    limits: Limits,
) -> NumberSearch | Status | str:
    """Return the search for some observations, each with a ``price`` unless it is explained, or why there is none.

    That may be the limit that was met while the model was grounded. Raises PlannerError when the planner's translator
    fails, by which the reachable steps are found.
    """
    model = problem.model
    for feature, place in model.features.items():
        if feature != NUMBERS:
            return f"goals are compared in models without time and preferences, and this one has {feature} ({place})"
    if model.domain.constraints or model.problem.constraints:
        return "goals are compared in models without constraints on trajectories"
    facts = [one.fact for one in observations if one.fact is not None]
    read = And((*(one.goal for one in problem.hypotheses), *facts))
    model = replace(model, problem=replace(model.problem, goal=read))  # values that goals read tell states apart
    costs = action_costs(model)
    if isinstance(costs, str):
        return costs
    steps = reachable_steps(model, limits)
    if isinstance(steps, Status):
        return steps
    known = Reachable(dict.fromkeys(steps), dict.fromkeys(facts, ((),)))
    missing, order = settings.missing_cost, settings.order
    seen = observed(problem, known, observations, price=price, missing=missing, order=order)
    return NumberSearch(model, costs, seen, steps)


@dataclass(frozen=True, slots=True, eq=False)
class _Node:
    cost: Fraction
    state: State
    behind: int
    parent: _Node | None = None
    edit: tuple[int | None, Edit] | None = None


class NumberSearch:
    """A search for one set of observations; what it finds is written into what is known of the goals.

    ``costs`` are those of the steps, of which the metric's ``constant`` is no part.
    """

    def __init__(self, model: Model, costs: ActionCosts, observed: Observed, steps: Sequence[Step]) -> None:
        self.states, self.costs, self.observed = States(model), costs, observed
        self._steps = list(map(self.states.ground, steps))
        self._all = (1 << len(observed.seen)) - 1
        self._before = [self._needed(place) for place in range(len(observed.seen))]
        self._explained_by: Mapping[Step, list[int]] = {
            step: [place for place, one in enumerate(observed.seen) if step in one.steps] for step in steps
        }
        self._queue: list[tuple[Fraction, int, _Node]] = []
        self._number = count()
        self._done: dict[tuple[State, int], Fraction] = {}
        self._doubt: Fraction | None = None
        self._push(_Node(Fraction(0), self.states.start, 0))

    def begin(self, goal: Known, missing: Fraction) -> None:
        """Forget what was known of a goal in the light of other observations."""
        seen = self.observed
        goal.forget(None)
        goal.nothing_seen = not seen.tokens
        goal.begin(seen.forced, seen.total_price, missing * len(seen.seen))
        goal.is_unexplained = seen.forced is None

    def run(self, goals: Sequence[Known], limits: Limits, seconds: float, is_over: Callable[[], bool]) -> None:
        """Search for so many CPU seconds at most, or until ``is_over`` says so of what is known by then."""
        until, looked = time.thread_time() + seconds, 0
        while self._queue and not all(goal.is_exact and goal.is_base_proven for goal in goals):
            looked += 1 + len(self._steps)
            if looked >= _PULSE:
                looked = 0
                self._at_least(goals)
                if time.thread_time() > until or self._is_full(limits) or is_over():
                    return
            node = heapq.heappop(self._queue)[-1]
            if self._doubt is not None and node.cost > self._doubt:
                break
            if self._done.get((node.state, node.behind), node.cost) >= node.cost:
                self._visit(node, goals)
        if self._queue or self._doubt is not None:
            self._at_least(goals)
        else:
            self._never(goals)

    def cost(self, plan: Sequence[Step]) -> Fraction:
        """Return what the steps of a plan cost, which can be executed."""
        state, total = self.states.start, Fraction(0)
        for step in plan:
            after = self.states.after(state, self.states.situation(state), self.states.ground(step))
            assert after is not None
            state, total = after[0], total + self.costs.by(after[1])
        return total

    def _is_full(self, limits: Limits) -> bool:
        return not limits.seconds or _BYTES * (len(self._done) + len(self._queue)) > limits.memory

    # --- what is met -------------------------------------------------------------------------------

    def _visit(self, node: _Node, goals: Sequence[Known]) -> None:
        situation = self.states.situation(node.state)

        def holds(formula: Formula) -> bool:
            return truth(formula, {}, situation) is True

        for goal in goals:
            if node.behind and node.behind != self._all:
                break
            waits_for_base = not node.behind and not goal.is_base_proven
            if (waits_for_base or node.behind == self._all) and holds(goal.hypothesis.goal):
                self._meet(goal, node)
        for place, one in enumerate(self.observed.seen):
            if self._may_follow(node.behind, place):
                self._pass(node, place, one, holds)
        for step in self._steps:
            if (after := self.states.after(node.state, situation, step)) is not None:
                self._take(node, step, *after)

    def _meet(self, goal: Known, node: _Node) -> None:
        if not node.behind and not goal.is_base_proven:
            goal.base_lower = goal.base_upper = node.cost
        forced = self.observed.forced
        if node.behind == self._all and forced is not None and goal.edits is None:
            goal.lower = goal.upper = node.cost + forced
            goal.edits = placed(self.observed, _edits(node))

    def _never(self, goals: Sequence[Known]) -> None:
        """Take that what was not met never will be."""
        for goal in goals:
            goal.is_unsolvable = not goal.is_base_proven
            goal.is_unexplained = goal.upper is None and not goal.is_unsolvable

    def _at_least(self, goals: Sequence[Known]) -> None:
        """Take lower bounds of what was not met."""
        known = [self._queue[0][0]] if self._queue else []
        least = min(known + ([] if self._doubt is None else [self._doubt]), default=Fraction(0))
        for goal in goals:
            if not goal.is_base_proven:
                goal.base_lower = max(goal.base_lower, least)
            if goal.edits is None and self.observed.forced is not None:
                goal.lower = max(goal.lower, least + self.observed.forced)

    # --- what follows ------------------------------------------------------------------------------

    def _needed(self, place: int) -> int:
        """Return the observations that have to be behind before one is explained or paid for."""
        seen, order = self.observed.seen, self.observed.order
        if order is Order.TOTAL:
            return (1 << place) - 1
        after = seen[place].after if order is Order.PARTIAL else frozenset()
        return sum(1 << at for at, one in enumerate(seen) if one.index in after)

    def _may_follow(self, behind: int, place: int) -> bool:
        return not behind >> place & 1 and self._before[place] & ~behind == 0

    def _pass(self, node: _Node, place: int, one: Seen, holds: Callable[[Formula], bool]) -> None:
        """Explain an observation by the state, or pay for it."""
        fact, token, behind = self.observed.facts[one.index], self.observed.tokens[one.index], node.behind | 1 << place
        if fact is not None and holds(fact):
            self._push(_Node(node.cost, node.state, behind, node, (one.index, Edit(move=Move.KEEP, token=token))))
        elif one.price is not None:
            edit = one.index, Edit(move=Move.SKIP, token=token)
            self._push(_Node(node.cost + one.price, node.state, behind, node, edit))

    def _take(self, node: _Node, step: GroundStep, state: State, update: Update) -> None:
        """Take a step, which may be what was observed."""
        cost = node.cost + self.costs.by(update)
        for place in self._explained_by[step.step]:
            if self._may_follow(node.behind, place):
                edit = self.observed.seen[place].index, Edit(move=Move.KEEP, token=step.step)
                self._push(_Node(cost, state, node.behind | 1 << place, node, edit))
        if state != node.state:
            inserted = None, Edit(move=Move.INSERT, token=step.step)
            self._push(_Node(cost + self.observed.missing, state, node.behind, node, inserted))

    def _push(self, node: _Node) -> None:
        if node.state.bits > _MOST_BITS:
            self._doubt = node.cost if self._doubt is None else min(self._doubt, node.cost)
            return
        known = self._done.get((node.state, node.behind))
        if known is None or node.cost < known:
            self._done[node.state, node.behind] = node.cost
            heapq.heappush(self._queue, (node.cost, next(self._number), node))


def _edits(node: _Node) -> Iterator[tuple[int | None, Edit]]:
    found = []
    at: _Node | None = node
    while at is not None and at.edit is not None:
        found.append(at.edit)
        at = at.parent
    return reversed(found)
