"""The modified problems of candidate goals, on the grounding that they share, and what reads and checks their plans.

``validator.repair.edit`` compiles the observations. Here stands what they are for one goal: without them and with them
(Ramirez and Geffner 2009, 2010).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import cached_property
from math import lcm
from typing import Any, TypeAlias

from validator.errors import PlannerError
from validator.grounding.operators import Effect, Operator, Value
from validator.grounding.task import Task
from validator.model.conditions import holds
from validator.reading.plan import Constraint, Step
from validator.recognize.grounded import Grounded, Meaning, Observed, Placed, Ways
from validator.recognize.problem import Hypothesis, Order, RecognitionProblem
from validator.records import dataclass, replace
from validator.repair.cheapest import plan_cost
from validator.repair.edit import (
    LARGEST,
    Automaton,
    Edit,
    EditTask,
    Evidence,
    Move,
    Weighting,
    kept_steps,
    modified,
    observation,
)
from validator.repair.proved import executed


@dataclass(frozen=True, kw_only=True)
class Modified:
    """Writes planning problems for one set of observations, and reads their plans.

    All costs are multiplied by ``unit``, so that they are integers. Raises ValueError for costs that the search cannot
    hold. Where ``is_free`` is set, steps cost nothing, and only what is left unexplained costs its whole price.
    """

    grounded: Grounded
    observed: Observed
    is_free: bool = False

    @cached_property
    def unit(self) -> int:
        if self.is_free:
            return 1
        prices = [one.price for one in self.observed.seen if one.price is not None]
        unit = lcm(self.grounded.scale, *(price.denominator for price in prices))
        if max(unit * self._dearest, sum(prices) * unit) > LARGEST:
            raise ValueError("the costs of the observations and of the model do not fit the planner's 30 bits")
        return unit

    @cached_property
    def _dearest(self) -> Fraction:
        """Return what the dearest step costs."""
        costs = (self.grounded.task.operators[number].cost for number in self.grounded.operators)
        return Fraction(max(costs, default=0), self.grounded.scale)

    @cached_property
    def weighting(self) -> Weighting:
        """Return the costs of steps: their own."""
        if self.is_free:
            return Weighting.fewest_skips()
        own = self.unit // self.grounded.scale
        return replace(Weighting.own_costs(), keep=own, insert=own)

    def fits(self, cost: int) -> bool:
        """Return whether no path that is looked at before a plan of this cost can overflow."""
        return cost + self.unit * self._dearest <= LARGEST

    def without(self, goal: Ways) -> EditTask:
        """Return the problem of reaching a goal as if nothing was observed."""
        return self._edit_task(goal, (), Automaton())

    def explaining(self, goal: Ways) -> EditTask:
        """Return the problem of reaching a goal by a plan that explains the observations, or pays for them."""
        seen, first = self.observed.seen, len(self.grounded.task.variables)
        items = [
            Evidence(
                operators=self.grounded.meant(one),
                states=one.ways or (),
                skip=None if one.price is None else int(one.price * self.unit),
            )
            for one in seen
        ]
        in_order = self.observed.order is Order.TOTAL
        return self._edit_task(goal, seen, observation(first, items, self.weighting, in_order=in_order))

    def _edit_task(self, goal: Ways, seen: Sequence[Meaning], automaton: Automaton) -> EditTask:
        task = self.grounded.relevant_task(goal, seen)
        wanted = _wanted(task, goal)
        return EditTask(
            written=lambda: modified(task, automaton, self.weighting, *wanted),
            task=task,
            tokens=self.observed.tokens,
            kept=tuple(one.index for one in self.observed.seen),
            weighting=self.weighting,
            in_order=self.observed.order is Order.TOTAL,
            has_patterns=True,
        )

    # --- plans -------------------------------------------------------------------------------------

    def cost(self, plan: Sequence[Step]) -> Fraction:
        """Return what a plan costs by itself."""
        return Fraction(plan_cost(self.grounded.task, plan), self.grounded.scale)

    def check(self, wanted: Hypothesis, edits: Sequence[Edit]) -> None:
        """Execute the plan to which edits lead. Raises PlannerError when it fails, or misses the goal or a fact."""
        simulator, plan, observed = self.grounded.simulator, kept_steps(edits), self.observed
        states = list(executed(simulator, plan, with_goal=False).states())
        conditions = [(len(plan), wanted.goal)]
        facts = {str(token): fact for token, fact in zip(observed.tokens, observed.facts, strict=True) if fact}
        place = 0
        for edit in edits:
            if edit.move is Move.KEEP and isinstance(edit.token, Constraint):
                conditions.append((place, facts[str(edit.token)]))
            elif edit.move is not Move.SKIP:
                place += 1
        for place, condition in conditions:
            if not holds(simulator.model, condition, {}, simulator.view(states[place])):
                raise PlannerError("the planner's answer does not reach what it was asked for")

    def aligned(self, plan: Sequence[Step]) -> tuple[Fraction, tuple[Edit, ...]] | None:
        """Match a plan's steps with observations in order, and return the price of what stays unexplained.

        None when something would stay unexplained that must not, or the observations are not in order.
        """
        observed, simulator = self.observed, self.grounded.simulator
        if observed.forced is None or observed.order is not Order.TOTAL:
            return None
        views = []
        if any(one.ways for one in observed.seen):
            views = [simulator.view(state) for state in simulator.run(tuple(plan)).states()]

        def held(one: Meaning, place: int) -> bool:
            fact = observed.facts[one.index]
            return fact is not None and holds(simulator.model, fact, {}, views[place])

        found = _in_order(observed, plan, held)
        return None if found is None else (found[0] + observed.forced, observed.placed(found[1]))


# --- explanations by a plan that is known ----------------------------------------------------------

_Path: TypeAlias = tuple[Fraction, tuple[Any, ...]]
"""A price, and the last edit of a path with the path before it."""
_Holds: TypeAlias = Callable[[Meaning, int], bool]
"""Whether a fact that was observed holds after so many steps."""


def _in_order(observed: Observed, plan: Sequence[Step], held: _Holds) -> tuple[Fraction, list[Placed]] | None:
    """Find the cheapest way through a line of observations."""
    best: dict[int, _Path] = {0: (Fraction(0), ())}

    def take(known: dict[int, _Path], behind: int, path: _Path, price: Fraction, edit: Placed) -> None:
        cost = path[0] + price
        if behind not in known or cost < known[behind][0]:
            known[behind] = cost, (edit, path[1])

    free = Fraction(0)
    for place in range(len(plan) + 1):
        for behind, one in enumerate(observed.seen):
            token = observed.tokens[one.index]
            if behind in best and held(one, place):
                take(best, behind + 1, best[behind], free, (one.index, Edit(move=Move.KEEP, token=token)))
            elif behind in best and one.price is not None:
                take(best, behind + 1, best[behind], one.price, (one.index, Edit(move=Move.SKIP, token=token)))
        if place == len(plan):
            break
        step, after = plan[place], dict[int, _Path]()
        for behind, path in best.items():
            take(after, behind, path, free, (None, Edit(move=Move.INSERT, token=step)))
            if behind < len(observed.seen) and step in observed.seen[behind].steps:
                edit = observed.seen[behind].index, Edit(move=Move.KEEP, token=step)
                take(after, behind + 1, path, free, edit)
        best = after
    if len(observed.seen) not in best:
        return None
    cost, trail = best[len(observed.seen)]
    edits: list[Placed] = []
    while trail:
        edit, trail = trail
        edits.append(edit)
    return cost, edits[::-1]


def written_edits(problem: RecognitionProblem, edits: Sequence[Edit]) -> tuple[Edit, ...]:
    """Return edits with the steps of the plan as people see them."""
    shown = iter(problem.written(kept_steps(edits)))
    return tuple(
        replace(edit, token=next(shown)) if edit.move is not Move.SKIP and isinstance(edit.token, Step) else edit
        for edit in edits
    )


def _wanted(task: Task, goal: Ways) -> tuple[tuple[Value, ...], tuple[Operator, ...]]:
    """Return what is asked for; a goal that can hold in several ways, or asks for nothing, by an operator for each."""
    if len(goal) == 1 and goal[0]:
        return goal[0], ()
    reached = (Effect(conditions=(), variable=task.reached[0], value=task.reached[1]),)
    return (task.reached,), tuple(Operator.made("g", way, reached, 0) for way in goal)
