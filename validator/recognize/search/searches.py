"""The searches for one goal: its cheapest plan without the observations, with them, and without explaining them."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import cached_property
from math import inf
from threading import Event, Lock
from typing import TYPE_CHECKING

from validator.grounding.limits import Limits, Outcome, Status
from validator.grounding.planner import search
from validator.grounding.strategies import BETTER, better
from validator.reading.plan import Step
from validator.recognize.problem import RecognitionProblem, Settings
from validator.recognize.search.align import align
from validator.recognize.search.compile import Compiler
from validator.recognize.search.grounded import Grounded
from validator.recognize.search.known import Known
from validator.recognize.search.observed import Observed
from validator.recognize.search.recheck import check_plan, plan_cost, steps_of, strategy
from validator.records import dataclass, field, replace
from validator.repair.edit import Edit, Move
from validator.resources import loading

if TYPE_CHECKING:
    from validator.recognize.search.counting import Counting
    from validator.recognize.search.states.sweep import Found

__all__ = ["Budget", "Searches"]

_LEAST_SHARE = 1e-6
_PROCESS = 0.01
"""CPU seconds that a process of the planner costs beside what it says, about."""

_SOMEHOW, _ = BETTER[2]
"""Weighted A*: greedy search would leave every observation unexplained that has a price."""


@dataclass(slots=True)
class Budget:
    """The CPU seconds that all searches may still use together, about."""

    left: float


@dataclass(frozen=True, kw_only=True)
class Searches:
    """Searches for one set of observations; what they find is written into what is known of a goal.

    ``over`` ends all of them, and so does the end of ``budget``. They may run side by side, each for a goal of its own.
    """

    problem: RecognitionProblem
    settings: Settings
    grounded: Grounded
    observed: Observed
    limits: Limits
    over: Event
    budget: Budget
    lock: Lock = field(default_factory=Lock)

    @cached_property
    def compiler(self) -> Compiler:
        return Compiler(grounded=self.grounded, observed=self.observed)

    def is_over(self) -> bool:
        return self.over.is_set() or self.limits.seconds <= 0 or self.budget.left <= 0

    def begin(self, goal: Known) -> None:
        """Take what needs no search: a goal that holds at the start, plans that are known."""
        if not goal.is_base_proven and any(self.grounded.is_initial(way) for way in goal.ways):
            self._found_base(goal, ())
        self._align(goal)

    def count(self, goal: Known, counting: Counting, seconds: float) -> None:
        """Bound a goal's costs by linear programs, and estimate the difference by what they differ.

        An observation that cannot be explained has its price; without one no plan is what is looked for.
        """
        begin = time.thread_time()
        base, total = counting.base(goal.ways, seconds), counting.explaining(goal.ways, seconds)
        self.budget.left -= time.thread_time() - begin
        if base is not None:
            goal.base_lower = max(goal.base_lower, base)
        if total is None or self.observed.forced is None:
            return
        goal.lower = max(goal.lower, total + self.observed.forced)
        if base is not None:
            goal.estimate = max(Fraction(0), total + self.observed.forced - base)

    def sweep(self, goals: Sequence[Known], seconds: float) -> None:
        """Search for the costs of many goals at once, where the states are such that this can be done."""
        try:
            with loading("numpy"):
                from validator.recognize.search.states.sweep import Sweep  # numpy, which most recognitions never need
        except MemoryError:
            return
        sweep = Sweep(compiler=self.compiler)
        if not sweep.is_possible:
            return
        begin = time.thread_time()
        nearest = min(goal.lower if goal.is_base_proven else goal.base_lower for goal in goals)
        nearest -= self.observed.forced or 0
        every = sweep.run([goal.ways for goal in goals], seconds, nearest, self.limits.deadline)
        for goal, found in zip(goals, every, strict=True):
            self._swept(goal, found)
        self.budget.left -= time.thread_time() - begin

    def _swept(self, goal: Known, found: Found) -> None:
        """Take what a sweep says of a goal."""
        if found.base is None:
            goal.is_unsolvable = True
            return
        goal.base_lower = max(goal.base_lower, found.base)
        if found.is_base_met:
            goal.base_upper = goal.base_lower
        if self.observed.forced is None or found.total is None:
            goal.is_unexplained = True
            return
        total = found.total + self.observed.forced
        goal.lower = max(goal.lower, total)
        if found.is_total_met and (goal.upper is None or total < goal.upper):
            goal.upper, goal.edits = total, None

    def reaching(self, goal: Known, share: float) -> None:
        """Search for a cheap plan, for ``share`` CPU seconds at most; that there is none only ``base`` proves."""
        outcome = self._somehow(self.compiler.without(goal.ways), share, goal.base_upper)
        if outcome.status is Status.SOLVED:
            self._reached(goal, self.compiler.steps(outcome.plan))
            self._align(goal)

    def explaining_somehow(self, goal: Known, share: float) -> None:
        """Search for a cheap plan that explains the observations, or pays for them."""
        forced = self.observed.forced
        if forced is None or goal.is_unexplained:
            return
        known = None if goal.upper is None else goal.upper - forced
        outcome = self._somehow(self.compiler.explaining(goal.ways), share, known)
        if outcome.status is Status.SOLVED:
            self._explained(goal, outcome)

    def _somehow(self, text: str, share: float, known: Fraction | None) -> Outcome:
        """Search for a plan that is cheaper than the one known, by weighted A*."""
        bound = None if known is None else int(known * self.compiler.unit)
        return self._spending(share, lambda most: better((_SOMEHOW, most), bound), text, lambda _: self.is_over())

    def base(self, goal: Known, share: float) -> None:
        """Search for a cheapest plan as if nothing was observed, for ``share`` CPU seconds at most."""
        unit = self.compiler.unit

        def stop(bound: int) -> bool:
            goal.base_lower = max(goal.base_lower, Fraction(bound, unit))
            return self.is_over()

        outcome = self._search(self.compiler.without(goal.ways), share, stop)
        if outcome.status is Status.SOLVED:
            self._found_base(goal, self.compiler.steps(outcome.plan))
            self._align(goal)
        elif outcome.status is Status.UNSOLVABLE:
            goal.is_unsolvable = True
        else:
            _failed(goal, outcome, share)

    def explaining(self, goal: Known, share: float, reach: Callable[[], float]) -> None:
        """Search for a cheapest plan that explains the observations, up to the cost difference ``reach``."""
        if self.observed.forced is None:
            goal.is_unexplained = True
            return
        unit, forced = self.compiler.unit, self.observed.forced

        def stop(bound: int) -> bool:
            goal.lower = max(goal.lower, Fraction(bound, unit) + forced)
            return self.is_over() or goal.is_exact or goal.least > reach()

        outcome = self._search(self.compiler.explaining(goal.ways), share, stop)
        if outcome.status is Status.SOLVED:
            self._found(goal, outcome)
        elif outcome.status is Status.UNSOLVABLE:
            goal.is_unexplained = True
        else:
            _failed(goal, outcome, share)

    def avoiding(self, goal: Known, share: float) -> None:
        """Search for a cheapest plan that does not explain all observations."""
        unit = self.compiler.unit

        def stop(bound: int) -> bool:
            goal.avoiding_lower = max(goal.avoiding_lower, Fraction(bound, unit))
            return self.is_over()

        if self.is_over():
            return
        outcome = self._search(self.compiler.avoiding(goal.ways), share, stop)
        if outcome.status is Status.SOLVED:
            plan = self.compiler.steps(outcome.plan)
            self._check(goal, _inserted(plan))
            goal.avoiding_lower = goal.avoiding_upper = self._cost(plan)
        elif outcome.status is Status.UNSOLVABLE:
            goal.cannot_avoid = True

    def _search(self, text: str, share: float, stop: Callable[[int], bool]) -> Outcome:
        outcome = self._spending(share, lambda most: strategy(self.grounded, most), text, stop)
        if outcome.status is Status.SOLVED and not self.compiler.fits(outcome.cost or 0):
            return replace(outcome, status=Status.COST_LIMIT)
        return outcome

    def _spending(self, share: float, ask: Callable[[float], str], text: str, stop: Callable[[int], bool]) -> Outcome:
        """Search, and take from the budget what the search has used: without its word, the time, up to its share."""
        most, begin = max(_LEAST_SHARE, min(share, self.budget.left)), time.monotonic()
        outcome = search(text, ask(most), self.limits, stop)
        used = time.monotonic() - begin if outcome.seconds is None else outcome.seconds + _PROCESS
        self.budget.left -= min(most, used)
        return outcome

    # --- plans -------------------------------------------------------------------------------------

    def _found_base(self, goal: Known, plan: tuple[Step, ...]) -> None:
        """Take a cheapest plan for a goal."""
        self._reached(goal, plan)
        goal.base_lower = goal.base_upper = self._whole_cost(plan)

    def _reached(self, goal: Known, plan: tuple[Step, ...]) -> None:
        """Take a plan for a goal."""
        self._check(goal, _inserted(plan))
        cost = self._whole_cost(plan)
        goal.base_upper = cost if goal.base_upper is None else min(goal.base_upper, cost)
        goal.plans.append(plan)

    def _whole_cost(self, plan: Sequence[Step]) -> Fraction:
        """Return what a plan costs as if nothing was observed."""
        return self._cost(plan) + len(plan) * self.settings.missing_cost

    def _found(self, goal: Known, outcome: Outcome) -> None:
        """Take a plan that explains the observations as cheaply as any."""
        self._explained(goal, outcome)
        assert goal.upper is not None
        goal.lower = goal.upper

    def _explained(self, goal: Known, outcome: Outcome) -> None:
        """Take a plan that explains the observations, or pays for them."""
        assert outcome.cost is not None and self.observed.forced is not None
        cost = Fraction(outcome.cost, self.compiler.unit) + self.observed.forced
        edits = self.compiler.edits(outcome.plan)
        self._check(goal, edits)
        if (plan := steps_of(edits)) not in goal.plans:
            goal.plans.append(plan)
        if goal.upper is None or cost < goal.upper:
            goal.upper, goal.edits = cost, edits

    def _align(self, goal: Known) -> None:
        """Let the plans that are known explain the observations as well as they can."""
        for plan in goal.plans:
            found = align(self.grounded, self.observed, plan)
            if found is None:
                continue
            cost = self._cost(plan) + found[0]
            if goal.upper is None or cost < goal.upper:
                goal.upper, goal.edits = cost, found[1]

    def _cost(self, plan: Sequence[Step]) -> Fraction:
        return plan_cost(self.grounded, plan)

    def _check(self, goal: Known, edits: Sequence[Edit]) -> None:
        with self.lock:  # the simulator fills its tables as it goes
            check_plan(self.grounded, goal.hypothesis, self.observed, edits)


def _inserted(plan: Sequence[Step]) -> list[Edit]:
    return [Edit(move=Move.INSERT, token=step) for step in plan]


def _failed(goal: Known, outcome: Outcome, share: float) -> None:
    """Note that a search was not enough; more time is no help against a limit on memory or costs."""
    if outcome.status is Status.TIME_LIMIT:
        goal.tried = share
    elif outcome.status is not Status.STOPPED:
        goal.tried = inf
