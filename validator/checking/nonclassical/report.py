"""The report on a plan for a model beyond classical planning: numbers, time, trajectories, preferences, PDDL+.

Sound and valid are decided by execution. ``cost`` looks for the cheapest cost, ``repair`` for repairs.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction

from validator.automata.properties import Property
from validator.checking.report import Quality, Report
from validator.execution.simulator import Simulator
from validator.execution.time.acts.happening import Apart
from validator.execution.time.course import timeline
from validator.execution.time.execution import Execution, execute, within_bounds
from validator.execution.trace import Failure, Kind
from validator.grounding.limits import Limits
from validator.model.values import Model
from validator.reading.plan import Plan, Token
from validator.records import dataclass, replace
from validator.repair.incumbent import Progress
from validator.repair.policy import Policy
from validator.texts import counted, decimal

__all__ = ["Asked", "decided", "has_quality"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """What is asked of a plan.

    ``classical`` checks and repairs the plan on a classical model, beside constraints, by Fast Downward; None where
    they make it too large. ``context`` is for the diff.
    """

    simulator: Simulator
    plan: Plan
    tokens: tuple[Token, ...]
    quality: Quality
    policy: Policy
    limits: Limits
    apart: Apart
    trace: bool
    context: int | None
    progress: Progress
    classical: Callable[[Model, Sequence[Property]], Report | None]

    def cost(self, steps: tuple[Token, ...]) -> Fraction | None:
        """Return what a plan costs, None where its metric has no value."""
        return execute(self.simulator, Plan(parts=steps), self.apart).cost


def decided(asked: Asked) -> tuple[Report, Execution]:
    """Return what execution decides; whether a valid plan is optimal is left open, without a reason."""
    execution = execute(asked.simulator, asked.plan, asked.apart)
    return _tolerated(asked, execution, _decided(asked, execution)), execution


def _tolerated(asked: Asked, execution: Execution, report: Report) -> Report:
    """Return a report that is left open where the tolerance of durations decides, and says so where it was needed."""
    asked = replace(asked, quality=Quality.VALID) if asked.quality is Quality.OPTIMAL else asked
    determination = _decided(asked, execution).determination
    if not execution.tolerated or determination is None:
        return report
    index, nearest = min(execution.tolerated.items())
    step = asked.plan.tokens[index]
    others = len(execution.tolerated) - 1
    more = f", and those of {counted(others, 'other step', 'other steps')}" if others else ""
    place = asked.plan.places[index] + 1
    said = f"the duration of step {place} {step}{more} is outside of its bounds, whose nearest is {decimal(nearest)}"
    for inside in within_bounds(asked.simulator, execution, asked.plan, asked.apart):
        other = _decided(asked, inside)
        if other.determination is not determination:
            quality, why = asked.quality.value, f": {other.reason}" if other.reason else ""
            have = f"it is {quality}" if other.determination else f"it is not known to be {quality}{why}"
            have = f"it is not {quality}{why}" if other.determination is False else have
            reason = f"{said}, and that decides: with durations within their bounds {have}"
            return replace(report, determination=None, failures=(), unmet_goals=(), proven=False, reason=reason)
    warning = f"{said}; it is taken, as it is off by no more than {decimal(asked.apart.tolerance)}"
    return replace(report, warnings=(*report.warnings, warning))


def _decided(asked: Asked, execution: Execution) -> Report:
    failures = execution.failures
    unsettled = execution.open + execution.open_goal
    if asked.quality is Quality.SOUND:
        failures, unsettled = tuple(failure for failure in failures if failure.is_of_steps), execution.open
    determination: bool | None = not failures
    if not failures and (unsettled or asked.quality is Quality.OPTIMAL):
        determination = None
    return Report(
        report_type=asked.quality,
        determination=determination,
        reason=_reason(unsettled, failures, asked.plan),
        reference=asked.tokens,
        failures=failures,
        unmet_goals=execution.unmet_goals,
        cost=execution.cost if _is_sound(execution) else None,
        violations=execution.violations,
        timeline=timeline(execution) if asked.trace else None,
        proven=determination is not None,
        claims_no_plan=asked.plan.claims_no_plan is not None,
        warnings=asked.simulator.model.warnings + asked.plan.warnings + execution.warnings,
    )


# --- faults ------------------------------------------------------------------------------------


def _is_sound(execution: Execution) -> bool:
    return not any(failure.is_of_steps for failure in execution.failures)


def left_open(report: Report, reason: str) -> Report:
    """Add why the cheapest cost, or a repair, is not known; a verdict that stands stays."""
    if report.determination is None:
        return replace(report, reason=reason)
    return replace(report, reason=f"{report.reason}; {reason}" if report.reason else reason, proven=False)


def has_quality(asked: Asked, steps: tuple[Token, ...]) -> bool:
    """Return whether a plan that was found has the quality, beyond doubt."""
    execution = execute(asked.simulator, Plan(parts=steps), asked.apart)
    found = [execution]
    if execution.tolerated:
        found += within_bounds(asked.simulator, execution, Plan(parts=steps), asked.apart)
    if asked.quality is Quality.SOUND:
        return not any(each.open or any(failure.is_of_steps for failure in each.failures) for each in found)
    return not any(each.failures or each.open or each.open_goal for each in found)


def _reason(unsettled: tuple[str, ...], failures: tuple[Failure, ...], plan: Plan) -> str:
    if not failures:
        return "; ".join(unsettled)
    if plan.is_unreadable:
        said = "no step could be read from the text"
    elif any(map(_is_malformed, failures)):
        said = "some steps do not fit the model"
    elif any(failure.is_of_steps for failure in failures):
        said = "some steps cannot be executed"
    elif any(failure.kind is Kind.CONSTRAINT for failure in failures):
        said = "a trajectory constraint is violated"
    else:
        said = "the goal is not reached"
    return f"{said}; the text says that there is no plan" if plan.claims_no_plan else said


_MALFORMED = frozenset((Kind.SYNTAX, Kind.UNKNOWN_ACTION, Kind.WRONG_ARITY, Kind.UNKNOWN_OBJECT, Kind.WRONG_TYPE))


def _is_malformed(failure: Failure) -> bool:
    return failure.kind in _MALFORMED or (failure.kind is Kind.CONSTRAINT and not failure.is_violation)
