"""What is known of one goal, and the searches for its cheapest plan without the observations and with them."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import cached_property
from math import inf, log
from threading import Event, Lock
from typing import TYPE_CHECKING

from validator.grounding.limits import Limits, Outcome, Status
from validator.grounding.planner import better, optimal_strategy, search
from validator.reading.plan import Step
from validator.recognize.grounded import Grounded, Observed, Ways
from validator.recognize.modified import Modified
from validator.recognize.problem import Hypothesis
from validator.records import dataclass, field, replace
from validator.repair.edit import Edit, EditTask, Move, kept_steps

if TYPE_CHECKING:
    from validator.recognize.counting import Counting


_ZERO = Fraction(0)


@dataclass(slots=True, eq=False)
class GoalBounds:
    """Bounds of one goal's costs: ``base`` without the observations, the others with them.

    ``floor`` and ``cap`` bound the cost difference whatever is searched: nothing is saved by observations, and
    leaving all of them unexplained is always possible where it is allowed. ``handicap`` is what its prior takes from
    the goal, as a cost: 0 for the most probable one. ``estimate`` is what the cost difference is thought to be.
    """

    hypothesis: Hypothesis
    handicap: float = 0.0
    estimate: Fraction | None = None
    ways: Ways = ()
    base_lower: Fraction = _ZERO
    base_upper: Fraction | None = None
    lower: Fraction = _ZERO
    upper: Fraction | None = None
    floor: Fraction = _ZERO
    cap: Fraction | None = None
    nothing_seen: bool = False
    edits: tuple[Edit, ...] | None = None
    is_unsolvable: bool = False
    is_unexplained: bool = False
    tried: float = 0.0
    """the CPU seconds that were not enough"""

    @classmethod
    def nothing(cls, hypotheses: Sequence[Hypothesis], beta: float) -> list[GoalBounds]:
        """Return candidate goals of which nothing is known but what their priors are worth beside the greatest."""
        priors = [float(one.prior) for one in hypotheses]
        worth = [log(max(priors) / prior) / beta if prior else inf for prior in priors]
        return [cls(hypothesis=one, handicap=cost) for one, cost in zip(hypotheses, worth, strict=True)]

    @property
    def is_base_proven(self) -> bool:
        return self.base_upper is not None and self.base_lower >= self.base_upper

    @property
    def is_reached(self) -> bool:
        """Return whether some plan for the goal is known."""
        return self.base_upper is not None or self.upper is not None

    @property
    def least(self) -> Fraction:
        """Return a lower bound of the cost difference."""
        return self.floor if self.base_upper is None else max(self.floor, self.lower - self.base_upper)

    @property
    def most(self) -> Fraction | None:
        """Return an upper bound of the cost difference if the goal has a plan, None without one."""
        if self.upper is None:
            return self.cap
        reached = self.upper - self.base_lower
        return reached if self.cap is None else min(reached, self.cap)

    @property
    def is_exact(self) -> bool:
        """Return whether the difference is proven; for that, some plan for the goal has to be known.

        Where nothing was seen, any plan will do: the difference is 0 for every goal that can be reached.
        """
        most = self.most
        has_plan = self.base_upper is not None or (self.nothing_seen and self.is_reached)
        return has_plan and most is not None and self.least >= most

    def handicapped(self, difference: Fraction | None) -> float:
        """Return a cost difference as it counts beside those of other goals; infinite for one without a bound."""
        return inf if difference is None else float(difference) + self.handicap

    @property
    def point(self) -> Fraction | None:
        """Return what stands for the cost difference: the estimate between the bounds, without one the upper bound.

        A lower bound would reward a goal for being hard to search for. None where nothing is known.
        """
        most = self.most
        if self.estimate is not None:
            return max(self.least, self.estimate if most is None else min(self.estimate, most))
        return most if self.base_upper is not None or self.is_exact else None

    @property
    def has_plan(self) -> bool:
        return not self.is_unsolvable and not self.is_unexplained

    def explain(self, cost: Fraction, edits: tuple[Edit, ...]) -> None:
        """Take a way to explain the observations, if it is cheaper than the one known."""
        if self.upper is None or cost < self.upper:
            self.upper, self.edits = cost, edits


@dataclass(kw_only=True)
class Searches:
    """Searches for one set of observations; what they find is written into what is known of a goal.

    ``over`` ends all of them, and so does the end of ``budget``, the CPU seconds that they may use together, about.
    They may run side by side, each for a goal of its own.
    """

    grounded: Grounded
    observed: Observed
    limits: Limits
    budget: float
    over: Event = field(default_factory=Event)
    is_free: bool = False
    lock: Lock = field(default_factory=Lock)

    @cached_property
    def problem(self) -> Modified:
        return Modified(grounded=self.grounded, observed=self.observed, is_free=self.is_free)

    def is_over(self) -> bool:
        return self.over.is_set() or self.limits.is_over() or self.budget <= 0

    def begin(self, goal: GoalBounds, ways: Ways) -> None:
        """Take what needs no search: what bounds the difference in any case, and whether a goal holds at the start."""
        goal.ways, goal.is_unsolvable = ways, not ways
        goal.nothing_seen = not self.observed.tokens
        goal.floor, goal.cap = self.observed.forced or Fraction(0), self.observed.total_price
        if any(self.grounded.is_initial(way) for way in ways):
            self._reached(goal, ())

    def count(self, goal: GoalBounds, counting: Counting, seconds: float) -> None:
        """Bound a goal's costs by linear programs, and estimate the difference by what they differ.

        An observation that cannot be explained has its price; without one no plan is what is looked for.
        """
        begin = time.thread_time()
        base, total = (counting.bound(goal.ways, seconds, explains=explains) for explains in (False, True))
        self.budget -= time.thread_time() - begin
        if base is not None:
            goal.base_lower = max(goal.base_lower, base)
        if total is None or self.observed.forced is None:
            return
        goal.lower = max(goal.lower, total + self.observed.forced)
        if base is not None:
            goal.estimate = max(Fraction(0), total + self.observed.forced - base)

    def base(self, goal: GoalBounds, share: float) -> None:
        """Search for a cheapest plan as if nothing was observed, for ``share`` CPU seconds at most."""

        def stop(bound: int) -> bool:
            goal.base_lower = max(goal.base_lower, Fraction(bound, self.problem.unit))
            return self.is_over()

        task = self.problem.without(goal.ways)
        outcome = self._search(task, share, stop)
        if outcome.status is Status.SOLVED:
            goal.base_lower = self._reached(goal, kept_steps(task.edits(outcome.plan)))
        elif outcome.status is Status.UNSOLVABLE:
            goal.is_unsolvable = True
        else:
            _failed(goal, outcome, share)

    def explaining(self, goal: GoalBounds, share: float, reach: Callable[[], float] = lambda: inf) -> Status:
        """Search for a cheapest plan that explains the observations, up to the cost difference ``reach``."""
        forced = self.observed.forced
        if forced is None:
            goal.is_unexplained = True
            return Status.UNSOLVABLE

        def stop(bound: int) -> bool:
            goal.lower = max(goal.lower, Fraction(bound, self.problem.unit) + forced)
            return self.is_over() or goal.is_exact or goal.least > reach()

        task = self.problem.explaining(goal.ways)
        outcome = self._search(task, share, stop)
        found = self._explained(goal, task, outcome) if outcome.cost is not None else None
        if outcome.status is Status.SOLVED and found is not None:
            goal.lower = found
        elif outcome.status is Status.UNSOLVABLE:
            goal.is_unexplained = True
        else:
            _failed(goal, outcome, share)
        return outcome.status

    def from_above(self, goal: GoalBounds, share: float, *, explains: bool) -> None:
        """Search for a cheaper plan than the one known, with or without the observations; nothing is proven by it."""
        forced = self.observed.forced
        if explains and (forced is None or goal.is_unexplained):
            return
        task = self.problem.explaining(goal.ways) if explains else self.problem.without(goal.ways)
        known = goal.base_upper if not explains else None if goal.upper is None else goal.upper - (forced or 0)
        bound = None if known is None else int(known * self.problem.unit)
        outcome = self._spending(share, lambda most: better(bound, most), task, lambda _: self.is_over())
        if outcome.status is Status.SOLVED and explains:
            self._explained(goal, task, outcome)
        elif outcome.status is Status.SOLVED:
            self._reached(goal, kept_steps(task.edits(outcome.plan)))

    def _search(self, task: EditTask, share: float, stop: Callable[[int], bool]) -> Outcome:
        """Search for a cheapest plan."""

        def strategy(seconds: float) -> str:
            limit = "infinity" if seconds == inf else f"{seconds:g}"
            return f"{optimal_strategy(self.grounded.task)[:-1]}, max_time={limit})"

        outcome = self._spending(share, strategy, task, stop)
        if outcome.status is Status.SOLVED and not self.problem.fits(outcome.cost or 0):
            return replace(outcome, status=Status.COST_LIMIT)
        return outcome

    def _spending(
        self, share: float, strategy: Callable[[float], str], task: EditTask, stop: Callable[[int], bool]
    ) -> Outcome:
        """Search, and take from the budget what the search has used: without its word, the time, up to its share."""
        most, begin = max(0.0, min(share, self.budget)), time.monotonic()
        outcome = search(task.text, strategy(most), self.limits, stop)
        used = time.monotonic() - begin if outcome.seconds is None else outcome.seconds
        self.budget -= min(most, used)
        return outcome

    # --- plans -------------------------------------------------------------------------------------

    def _reached(self, goal: GoalBounds, plan: tuple[Step, ...]) -> Fraction:
        """Take a plan for a goal, and return what it costs as if nothing was observed."""
        self._check(goal, _inserted(plan))
        cost = self.problem.cost(plan)
        goal.base_upper = cost if goal.base_upper is None else min(goal.base_upper, cost)
        if (found := self.problem.aligned(plan)) is not None:
            goal.explain(cost + found[0], found[1])
        return cost

    def _explained(self, goal: GoalBounds, task: EditTask, outcome: Outcome) -> Fraction:
        """Take a plan that explains the observations, or pays for them, and return what it costs."""
        cost = Fraction(outcome.cost or 0, self.problem.unit) + (self.observed.forced or 0)
        edits = task.edits(outcome.plan)
        self._check(goal, edits)
        goal.explain(cost, edits)
        return cost

    def _check(self, goal: GoalBounds, edits: Sequence[Edit]) -> None:
        with self.lock:  # the simulator fills its tables as it goes
            self.problem.check(goal.hypothesis, edits)


def _inserted(plan: Sequence[Step]) -> list[Edit]:
    return [Edit(move=Move.INSERT, token=step) for step in plan]


def _failed(goal: GoalBounds, outcome: Outcome, share: float) -> None:
    """Note that a search was not enough; more time is no help against a limit on memory or costs."""
    if outcome.status is Status.TIME_LIMIT:
        goal.tried = share
    elif outcome.status is not Status.STOPPED:
        goal.tried = inf
