"""What is known of a nearest plan while it is searched for: the best repair, a lower bound, and who found them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from math import inf
from typing import TypeAlias

from validator.execution.simulator import Simulator
from validator.grounding.limits import Status
from validator.grounding.task import Task
from validator.reading.plan import Plan, Step, Token, bare
from validator.records import replace
from validator.repair import Policy
from validator.repair.alignment import aligned
from validator.repair.cheapest import Optimum, plan_cost
from validator.repair.edit import LARGEST, Edit, EditTask, Move, Weighting, kept_steps
from validator.repair.proved import Proved, Prover, executed

Progress: TypeAlias = Callable[[int, int | None], None]
"""What is told the lower bound and the cost of the best repair, whenever one of them changes."""


class Incumbent:
    """The best repair and bound so far, which one search after the other takes further."""

    def __init__(
        self,
        edit_task: EditTask,
        simulator: Simulator,
        *,
        with_goal: bool,
        cheapest: int | None,
        progress: Progress,
        clock: Callable[[str], AbstractContextManager[object]],
    ) -> None:
        """Begin without a repair; ``cheapest`` is what a repaired plan must cost, in the task's scaled integers."""
        self.edit_task, self.simulator, self.with_goal = edit_task, simulator, with_goal
        self.best: Proved | None = None
        self.lower, self._by = edit_task.forced_cost, str(Prover.EXECUTION)
        self.clock = clock
        self._cheapest, self._progress = cheapest, progress
        self._is_unsolvable = False

    def take(self, edits: tuple[Edit, ...], by: str) -> None:
        """Take a repair that is cheaper than the best one and, where a cheapest plan is asked for, is one.

        Raises PlannerError when its plan does not execute.
        """
        found = self.checked(edits, by)
        weight = self.edit_task.weighting.insert
        if self._cheapest is not None and (found.upper or 0) // weight != self._cheapest:
            return
        if self.best is None or (found.upper or 0) < (self.best.upper or 0):
            self.best = found
            self._progress(self.lower, found.upper)

    def raise_lower(self, bound: int, by: str) -> None:
        """Take a lower bound, without the tokens that can only be skipped."""
        if bound + self.edit_task.forced_cost > self.lower:
            self.lower, self._by = bound + self.edit_task.forced_cost, by
            self._progress(self.lower, None if self.best is None else self.best.upper)

    def settle(self, names: tuple[str, ...], by: str) -> None:
        """Take a cheapest plan of the modified task."""
        self.best = self.checked(self.edit_task.edits(names), by)
        self.lower, self._by = self.best.upper or 0, by

    def exclude(self, by: str) -> None:
        """Take it that there is no repair."""
        self._is_unsolvable, self._by = True, by

    def bound(self) -> float:
        """Return the cost of the best plan so far, without the tokens that can only be skipped."""
        return inf if self.best is None else (self.best.upper or 0) - self.edit_task.forced_cost

    def is_proven(self) -> bool:
        """Return whether nothing is left to be searched for."""
        return self._is_unsolvable or (self.best is not None and self.lower >= (self.best.upper or 0))

    def checked(self, edits: tuple[Edit, ...], by: str) -> Proved:
        """Return a repair after executing the plan that it stands for. Raises PlannerError when it does not execute."""
        repaired = Proved(status=Status.SOLVED, edits=edits, upper=self.edit_task.cost(edits), by=by)
        executed(self.simulator, repaired.plan or (), with_goal=self.with_goal)
        return repaired

    def result(self, status: Status) -> Proved:
        """Return what the searches come to, of which the last ended so."""
        if self._is_unsolvable:
            return Proved(status=Status.UNSOLVABLE, proven=True, by=self._by)
        if self.best is None:
            return Proved(status=status, lower=self.lower, by=self._by)
        is_met, fits = self.is_proven(), self.edit_task.fits(self.best.upper or 0)
        if is_met:
            status = Status.SOLVED if fits else Status.COST_LIMIT
        lower, proven = min(self.lower, self.best.upper or 0), is_met and fits
        by = self._by if proven else self.best.by
        return replace(self.best, status=status, lower=lower, proven=proven, by=by)


# --- what is known without a search ------------------------------------------------------------------


def begun(
    edit_task: EditTask,
    simulator: Simulator,
    *,
    with_goal: bool,
    optimum: Optimum | None,
    progress: Progress,
    known: Proved | None,
    clock: Callable[[str], AbstractContextManager[object]],
) -> Incumbent:
    """Return an incumbent with what is known without a search, and the bounds that hold in any case.

    ``optimum`` and ``known`` are as for ``validator.repair.nearest.repair``.
    """
    cheapest = None if optimum is None else optimum.upper
    incumbent = Incumbent(edit_task, simulator, with_goal=with_goal, cheapest=cheapest, progress=progress, clock=clock)
    first = _without_failing(edit_task, simulator)  # if that has the quality, an upper bound at no cost
    trace = simulator.run(kept_steps(first))
    is_repair = trace.is_valid if with_goal else trace.is_sound
    if is_repair:
        incumbent.take(first, Prover.EXECUTION)
    if optimum is not None and optimum.plan is not None:
        incumbent.raise_lower(edit_task.weighting.insert * plan_cost(edit_task.task, optimum.plan), optimum.by)
        incumbent.take(aligned(edit_task.tokens, optimum.plan), optimum.by)
    elif not is_repair or edit_task.cost(first):
        # As it stands the plan lacks the quality, so that one change at least is needed.
        incumbent.raise_lower(1 - edit_task.forced_cost, Prover.EXECUTION)
    if known is not None:
        incumbent.raise_lower(known.lower - edit_task.forced_cost, Prover.PROJECTION)
    if known is not None and known.edits is not None:
        incumbent.take(known.edits, known.by)
    return incumbent


def weighting_of(tokens: Sequence[Token], policy: Policy, optimum: Optimum | None, task: Task) -> Weighting:
    """Return the costs that a policy stands for. Raises OverflowError when they do not fit 30 bits."""
    if optimum is not None:
        most_edits = len(tokens) + len(optimum.plan or ())
        weighting = Weighting.cheapest(most_edits)
        if weighting.insert * ((optimum.upper or 0) + task.dearest + 1) + most_edits > LARGEST:
            raise OverflowError("the costs of the modified problem do not fit the planner's 30 bits")
        return weighting
    return Weighting.keeping(len(tokens)) if policy is Policy.KEEP else Weighting.edits()


def _without_failing(edit_task: EditTask, simulator: Simulator) -> tuple[Edit, ...]:
    """Return the edits that leave out the steps which fail: what is left can be executed."""
    tokens, kept = edit_task.tokens, set(edit_task.kept)
    # Without times and sets, so that steps execute one after the other.
    plain = [bare(token) if isinstance(token, Step) else token for token in tokens]
    failing = {failure.step for failure in simulator.run(plain).failures}
    keeps = (index in kept and place not in failing for index, place in enumerate(Plan(parts=tokens).places))
    return tuple(
        Edit(move=Move.KEEP if keep else Move.SKIP, token=token) for keep, token in zip(keeps, tokens, strict=True)
    )
