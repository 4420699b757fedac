"""The report on a plan for a model beyond classical planning: numbers, time, trajectories, preferences, PDDL+.

Sound and valid are decided by execution. ``cost`` looks for the cheapest cost, ``repair`` for repairs. Where a model is
not executed as a whole, the steps of a plan before the first one that needs it are decided.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from fractions import Fraction

from validator.checking.question import Question
from validator.checking.report import Quality, Report
from validator.checking.verdict import decided
from validator.execution.time.course import timeline
from validator.execution.time.execution import Execution, execute, within_bounds
from validator.execution.trace import Failure, Kind
from validator.model.values import Model
from validator.reading.plan import Plan, Step, Token
from validator.records import dataclass, replace
from validator.texts import counted, decimal


def executed(question: Question) -> tuple[Report, Execution]:
    """Return what execution decides, and how it went."""
    execution = execute(question.simulator, question.plan, question.apart)
    report = replace(_decided(question, execution), timeline=timeline(execution) if question.trace else None)
    return (_tolerated(question, execution, report) if execution.tolerated else report), execution


def _tolerated(question: Question, execution: Execution, report: Report) -> Report:
    """Return a report that is left open where the tolerance of durations decides, and says so where it was needed."""
    question = replace(question, quality=Quality.VALID) if question.quality is Quality.OPTIMAL else question
    determination = _decided(question, execution).determination
    if determination is None:
        return report
    index, nearest = min(execution.tolerated.items())
    step = question.plan.tokens[index]
    others = len(execution.tolerated) - 1
    more = f", and those of {counted(others, 'other step', 'other steps')}" if others else ""
    place = question.plan.places[index] + 1
    said = f"the duration of step {place} {step}{more} is outside of its bounds, whose nearest is {decimal(nearest)}"
    for inside in within_bounds(question.simulator, execution, question.plan, question.apart):
        other = _decided(question, inside)
        if other.determination is not determination:
            quality, why = question.quality.value, f": {other.reason}" if other.reason else ""
            have = f"it is {quality}" if other.determination else f"it is not known to be {quality}{why}"
            have = f"it is not {quality}{why}" if other.determination is False else have
            reason = f"{said}, and that decides: with durations within their bounds {have}"
            return replace(report, determination=None, failures=(), unmet_goals=(), proven=False, reason=reason)
    warning = f"{said}; it is taken, as it is off by no more than {decimal(question.apart.tolerance)}"
    return replace(report, warnings=(*report.warnings, warning))


def _decided(question: Question, execution: Execution) -> Report:
    is_sound = not any(failure.is_of_steps for failure in execution.failures)
    return decided(
        question,
        execution,
        execution.open if question.quality is Quality.SOUND else execution.open + execution.open_goal,
        cost=execution.cost if is_sound else None,
        violations=execution.violations,
        warnings=question.model.warnings + question.plan.warnings + execution.warnings,
    )


def has_quality(question: Question, steps: tuple[Token, ...]) -> bool:
    """Return whether a plan that was found has the quality, beyond doubt."""
    execution = execute(question.simulator, Plan(parts=steps), question.apart)
    found = [execution]
    if execution.tolerated:
        found += within_bounds(question.simulator, execution, Plan(parts=steps), question.apart)
    if question.quality is Quality.SOUND:
        return not any(each.open or any(failure.is_of_steps for failure in each.failures) for each in found)
    return not any(each.failures or each.open or each.open_goal for each in found)


# --- what is not executed -------------------------------------------------------------------------

_IN_EFFECTS = frozenset(
    (
        "non-deterministic-effects",
        "computed-probabilities",
        "conditional-effects-over-all",
        "conditional-continuous-effects",
        "object-fluents-assigned-twice",
        "object-fluents-of-other-types",
        "simulated-effects",
    )
)
"""what stands in effects only, so that the conditions of a step that has it are known"""
_BEGINS = (Kind.PRECONDITION, Kind.AT_START, Kind.DURATION)


@dataclass(frozen=True, slots=True, kw_only=True)
class First:
    """The first step of an action that is not executed: its place, and when it begins in a plan over time."""

    place: int
    time: Fraction | None
    is_known_to_begin: bool


def without(model: Model, missing: Mapping[str, str]) -> Model | None:
    """Return a model without features that only actions have; None where anything else has one of them."""
    domain, problem = model.domain, model.problem
    elsewhere = domain.features_of.get("", frozenset()) | problem.features.keys()
    if not domain.features_of or elsewhere & missing.keys():
        return None
    features = {name: place for name, place in domain.features.items() if name not in missing}
    return Model(domain=replace(domain, features=features), problem=problem)


def first_use(model: Model, plan: Plan, missing: Mapping[str, str]) -> First | None:
    """Return the first step of a plan that uses what is not executed; None for a plan without one."""
    found = [
        (step.time or Fraction(0), place, step)
        for place, step in zip(plan.places, plan.tokens, strict=True)
        if isinstance(step, Step) and _used(model, step.name) & missing.keys()
    ]
    if not found:
        return None
    _, place, step = min(found, key=lambda entry: entry[:2])
    return First(place=place, time=step.time, is_known_to_begin=_used(model, step.name) & missing.keys() <= _IN_EFFECTS)


def _used(model: Model, action: str) -> frozenset[str]:
    names = (name for name in model.domain.features_of if name and name.lower() == action.lower())
    return frozenset().union(*(model.domain.features_of[name] for name in names))


def before(failures: Iterable[Failure], first: First) -> tuple[Failure, ...]:
    """Return the faults that stand whatever the first step does that is not executed, and its own as it begins."""
    return tuple(failure for failure in failures if _stands(failure, first))


def _stands(failure: Failure, first: First) -> bool:
    if failure.is_malformed:
        return True
    if failure.step == first.place and failure.kind in _BEGINS:
        return first.is_known_to_begin and failure.time in (None, first.time)
    if failure.time is not None and first.time is not None:
        return failure.time < first.time
    return failure.step is not None and failure.step < first.place
