"""Whether the goal can still be reached from a state, asked of the planner."""

from __future__ import annotations

import time

from validator.checking.prepared import prepare
from validator.errors import PlannerError
from validator.grounding.limits import Limits, Status
from validator.grounding.planner import search
from validator.grounding.strategies import optimal_strategy
from validator.model.values import GroundAtom, Model
from validator.reading.plan import Plan, Step
from validator.records import replace
from validator.repair.cheapest import find_optimum
from validator.repair.edit import own_steps, unmodified

__all__ = ["Reach"]

_FOR_A_CHEAPER = 2.0
"""seconds"""

_GREEDY = "let(h, ff(), lazy_greedy([h], preferred=[h]))"


class Reach:
    """Answers for the states of one model, within one time limit."""

    def __init__(self, model: Model, limits: Limits) -> None:
        self._model = model
        self._limits = limits

    def plan(self, state: frozenset[GroundAtom], *, cheap: bool = False) -> tuple[Step, ...] | str | None:
        """Return a plan from a state to the goal, None when the planner proves that there is none, else why not known.

        For a ``cheap`` one, a cheapest is looked for during two seconds more.

        Raises PlannerError when the planner fails or answers with a plan that does not execute.
        """
        problem = replace(self._model.problem, init=state)
        prepared = prepare(replace(self._model, problem=problem))
        if prepared.simulator.run(()).is_valid:
            return ()
        try:
            task = prepared.task(self._limits, costs_matter=False)
        except ValueError as error:
            return f"the planner cannot be given the model: {error}"
        if isinstance(task, Status):
            return f"the {task.value} was met while the model was grounded"
        if task.is_relaxed_unsolvable:
            return None
        if task.goal == ():
            return ()
        text = unmodified(task)
        half = time.monotonic() + self._limits.seconds / 2  # the search that proves nothing leaves time for a proof
        outcome = search(text, _GREEDY, replace(self._limits, deadline=half))
        if outcome.status is not Status.SOLVED:
            outcome = search(text, optimal_strategy(task), self._limits)
        if outcome.status is Status.UNSOLVABLE:
            return None
        if outcome.status is not Status.SOLVED:
            return f"the {outcome.status.value} was met before it was known whether the goal can still be reached"
        steps = own_steps(task, outcome.plan)
        if cheap:
            steps = find_optimum(task, steps, self._limits.within(_FOR_A_CHEAPER)).plan or steps
        if not prepared.simulator.run(Plan(parts=steps)).is_valid:
            raise PlannerError("the planner's plan does not execute")
        return steps
