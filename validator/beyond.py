"""The report on a plan for a model beyond classical planning: numbers, time, trajectories, preferences, PDDL+.

Sound and valid are decided by execution. Where the model has a classical part that decides both, the cheapest cost
and the repair are looked for on that part; see ``validator.classical_part``.
"""

from __future__ import annotations

from fractions import Fraction

from validator.execute import Simulator
from validator.plan import Plan, Token
from validator.report import Quality, Report
from validator.temporal.course import timeline
from validator.temporal.execution import EPSILON, Execution, execute
from validator.trace import Failure, Kind

__all__ = ["report_beyond"]


def report_beyond(
    simulator: Simulator,
    plan: Plan,
    tokens: tuple[Token, ...],
    quality: Quality,
    *,
    epsilon: Fraction | None = None,
    trace: bool = False,
) -> Report:
    """Return what execution decides about a plan; nothing is repaired, and no cheapest cost is looked for."""
    execution = execute(simulator, plan, EPSILON if epsilon is None else epsilon)
    failures = tuple(failure for failure in execution.failures if quality is not Quality.SOUND or _is_of_steps(failure))
    determination: bool | None = not failures
    if execution.open and not failures:
        determination = None
    reason = _reason(execution, failures, plan)
    if determination and quality is Quality.OPTIMAL:
        determination = None
        reason = "no cheapest cost is known of a model with numbers, time or preferences"
    return Report(
        report_type=quality,
        determination=determination,
        reason=reason,
        reference=tokens,
        failures=failures,
        unmet_goals=execution.unmet_goals,
        cost=execution.cost if _is_sound(execution) else None,
        violations=execution.violations,
        timeline=timeline(execution) if trace else None,
        proven=determination is not None,
        claims_no_plan=plan.claims_no_plan is not None,
        warnings=simulator.model.warnings + plan.warnings + execution.warnings,
    )


def _is_of_steps(failure: Failure) -> bool:
    """Return whether a fault is one of soundness: the goal is not, and neither is a constraint on the trajectory."""
    return failure.kind is not Kind.GOAL and not (failure.kind is Kind.CONSTRAINT and failure.unmet)


def _is_sound(execution: Execution) -> bool:
    return not any(map(_is_of_steps, execution.failures))


def _reason(execution: Execution, failures: tuple[Failure, ...], plan: Plan) -> str:
    if execution.open:
        return "; ".join(execution.open)
    if not failures:
        return ""
    if plan.is_unreadable:
        said = "no step could be read from the text"
    elif any(map(_is_malformed, failures)):
        said = "some steps do not fit the model"
    elif any(_is_of_steps(failure) for failure in failures):
        said = "some steps cannot be executed"
    elif any(failure.kind is Kind.CONSTRAINT for failure in failures):
        said = "a trajectory constraint is violated"
    else:
        said = "the goal is not reached"
    return f"{said}; the text says that there is no plan" if plan.claims_no_plan else said


_MALFORMED = frozenset((Kind.SYNTAX, Kind.UNKNOWN_ACTION, Kind.WRONG_ARITY, Kind.UNKNOWN_OBJECT, Kind.WRONG_TYPE))


def _is_malformed(failure: Failure) -> bool:
    return failure.kind in _MALFORMED or (failure.kind is Kind.CONSTRAINT and not failure.unmet)
