"""What every search and every answer of the planner needs: the strategy, the execution, the names as written."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction

from validator.errors import PlannerError
from validator.execution.faults import sentences
from validator.grounding.strategies import optimal_strategy
from validator.model.conditions import holds
from validator.reading.plan import Constraint, Step
from validator.recognize.problem import Hypothesis, RecognitionProblem
from validator.recognize.search.grounded import Grounded
from validator.recognize.search.observed import Observed
from validator.records import replace
from validator.repair.cheapest import plan_cost as task_cost
from validator.repair.edit import Edit, Move

__all__ = ["check_plan", "plan_cost", "steps_of", "strategy", "written_edits"]


def strategy(grounded: Grounded, seconds: float | None = None) -> str:
    """Return the search that proves cheapest plans, for so many CPU seconds at most."""
    found = optimal_strategy(grounded.task)
    return found if seconds is None else f"{found[:-1]}, max_time={seconds:g})"


def steps_of(edits: Iterable[Edit]) -> tuple[Step, ...]:
    """Return the steps of the plan to which edits lead."""
    return tuple(edit.token for edit in edits if _is_step(edit) and isinstance(edit.token, Step))


def _is_step(edit: Edit) -> bool:
    return edit.move is not Move.SKIP and isinstance(edit.token, Step)


def plan_cost(grounded: Grounded, plan: Sequence[Step]) -> Fraction:
    """Return what a plan costs by itself."""
    return Fraction(task_cost(grounded.task, plan), grounded.scale)


def check_plan(grounded: Grounded, wanted: Hypothesis, seen: Observed, edits: Sequence[Edit]) -> None:
    """Execute the plan to which edits lead. Raises PlannerError when it fails, or misses the goal or a fact."""
    simulator, plan = grounded.simulator, steps_of(edits)
    trace = simulator.run(plan)
    if not trace.is_sound:
        faults = "; ".join(sentences(trace.failures[:3], plan))
        raise PlannerError(f"the planner's answer does not execute: {faults}")
    states = list(trace.states())
    conditions = [(len(plan), wanted.goal)]
    facts = {str(token): fact for token, fact in zip(seen.tokens, seen.facts, strict=True) if fact is not None}
    place = 0
    for edit in edits:
        if edit.move is Move.KEEP and isinstance(edit.token, Constraint):
            conditions.append((place, facts[str(edit.token)]))
        elif edit.move is not Move.SKIP:
            place += 1
    for place, condition in conditions:
        if not holds(simulator.model, condition, {}, simulator.view(states[place])):
            raise PlannerError("the planner's answer does not reach what it was asked for")


def written_edits(problem: RecognitionProblem, edits: Sequence[Edit]) -> tuple[Edit, ...]:
    """Return edits with the steps of the plan as people see them."""
    shown = iter(problem.written(steps_of(edits)))
    return tuple(replace(edit, token=next(shown)) if _is_step(edit) else edit for edit in edits)
