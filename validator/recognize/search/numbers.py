"""The costs of all goals in a model with numbers: one search from the initial state, uniform in cost, and no planner.

The states are the model's own, with exact values, each with the observations that are after it. A goal is met at its
cost first in a state with none of them after it, and at its cost with the observations in one with all of them. The
search knows no heuristic, and states with numbers may be without end: what it has not met has a lower bound.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from fractions import Fraction

from validator.grounding.limits import Limits, Status
from validator.grounding.numbers.action_costs import ActionCosts, action_costs
from validator.grounding.numbers.relaxed_reachability import reachable_steps
from validator.model.numeric import truth
from validator.model.values import And, Model
from validator.reading.plan import Step
from validator.recognize.problem import NUMBERS, Observation, Order, RecognitionProblem, Settings
from validator.recognize.search.bounds import Known
from validator.recognize.search.grounded import Meaning, Observed, observed
from validator.records import replace
from validator.repair.numbers.search import Item, Node, Product

__all__ = ["NumberSearch", "number_search"]


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
    ways = dict.fromkeys(facts, ((),))
    seen = observed(problem, steps, ways, observations, price=price, order=settings.order)
    return NumberSearch(model, costs, seen, steps)


class NumberSearch(Product):
    """A search for one set of observations; what it finds is written into what is known of the goals.

    ``costs`` are those of the steps, of which the metric's ``constant`` is no part.
    """

    def __init__(self, model: Model, costs: ActionCosts, seen: Observed, steps: Sequence[Step]) -> None:
        self.costs, self.observed = costs, seen
        self._goals: Sequence[Known] = ()
        items = (_item(seen, place, one) for place, one in enumerate(seen.seen))
        super().__init__(model, items, steps, costs.by, costs.by)
        self.push(Node(Fraction(0), 0, self.states.start))

    def begin(self, goal: Known) -> None:
        """Forget what was known of a goal in the light of other observations."""
        seen = self.observed
        goal.begin(seen, None)
        goal.is_unexplained = seen.forced is None

    def run(self, goals: Sequence[Known], limits: Limits, seconds: float, is_over: Callable[[], bool]) -> None:
        """Search for so many CPU seconds at most, or until ``is_over`` says so of what is known by then."""
        until, self._goals = time.thread_time() + seconds, goals

        def look() -> bool | None:
            self._at_least()
            is_full = not limits.seconds or self.size > limits.memory
            return True if time.thread_time() > until or is_full or is_over() else None

        is_ended = self.search(look)
        if is_ended or self.doubt is not None or self.is_met:
            self._at_least()
            return
        for goal in goals:  # what was not met never will be
            goal.is_unsolvable = not goal.is_base_proven
            goal.is_unexplained = goal.upper is None and not goal.is_unsolvable

    def cost(self, plan: Sequence[Step]) -> Fraction:
        """Return what the steps of a plan cost, which can be executed."""
        state, total = self.states.start, Fraction(0)
        for step in plan:
            after = self.states.after(state, self.states.situation(state), self.states.ground(step))
            assert after is not None
            state, total = after[0], total + self.costs.by(after[1])
        return total

    @property
    def is_met(self) -> bool:
        """Return whether both costs of every goal are known."""
        return all(goal.is_exact and goal.is_base_proven for goal in self._goals)

    def visit(self, node: Node) -> bool:
        if self.is_met or (self.doubt is not None and node.cost > self.doubt):
            return False
        if node.behind in (0, self.every):
            situation = self.states.situation(node.state)
            for goal in self._goals:
                is_wanted = node.behind == self.every or not goal.is_base_proven
                if is_wanted and truth(goal.hypothesis.goal, {}, situation) is True:
                    self._meet(goal, node)
        self.expand(node)
        return True

    def _meet(self, goal: Known, node: Node) -> None:
        if not node.behind and not goal.is_base_proven:
            goal.base_lower = goal.base_upper = node.cost
        forced = self.observed.forced
        if node.behind == self.every and forced is not None and goal.edits is None:
            goal.lower = goal.upper = node.cost + forced
            goal.edits = self.observed.placed(node.edits())

    def _at_least(self) -> None:
        """Take lower bounds of what was not met."""
        least = min((cost for cost in (self.least, self.doubt) if cost is not None), default=Fraction(0))
        for goal in self._goals:
            if not goal.is_base_proven:
                goal.base_lower = max(goal.base_lower, least)
            if goal.edits is None and self.observed.forced is not None:
                goal.lower = max(goal.lower, least + self.observed.forced)


def _item(observed: Observed, place: int, one: Meaning) -> Item:
    """Return what an observation is to the search: what must be after before it is explained or paid for."""
    before = (1 << place) - 1
    if observed.order is not Order.TOTAL:
        before = sum(1 << at for at, other in enumerate(observed.seen) if other.index in one.after)
    return Item(
        token=observed.tokens[one.index],
        steps=sorted(one.steps, key=str),
        fact=observed.facts[one.index],
        skip=one.price,
        before=before,
        is_pattern=True,
        index=one.index,
    )
