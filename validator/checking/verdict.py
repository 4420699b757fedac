"""The report on a plan for a classical model, from its execution and from what a planner found."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from typing import TYPE_CHECKING

from validator.checking.question import Question
from validator.checking.report import Interval, PlannerResponse, Quality, Report
from validator.execution.trace import Failure, Kind, Trace
from validator.grounding.limits import Status
from validator.reading.plan import NoPlan, Plan, Step, Token
from validator.records import dataclass, replace

if TYPE_CHECKING:
    from validator.execution.trace import Timeline
    from validator.repair.cheapest import Optimum
    from validator.repair.diff import StepDiff
    from validator.repair.proved import Proved


@dataclass(frozen=True, slots=True, kw_only=True)
class Conclusion:
    """What is decided so far, and by what; ``scale`` is what the costs of ``optimum`` are multiplied by."""

    determination: bool | None
    reason: str
    response: PlannerResponse = PlannerResponse()
    optimum: Optimum | None = None
    scale: int = 1
    repaired: Proved | None = None


def summary(plan: Plan, trace: Trace) -> str:
    """Say in one sentence why a plan lacks a quality."""
    empty = "" if plan.tokens or plan.claims_no_plan else "the plan has no steps, and "
    return f"{empty}{worst(plan, trace.failures)}"


def worst(plan: Plan, failures: Iterable[Failure]) -> str:
    """Say what is worst of the faults of a plan."""
    said = "no step could be read from the text" if plan.is_unreadable else _worst(failures)
    return f"{said}; the text says that there is no plan" if plan.claims_no_plan else said


def _worst(failures: Iterable[Failure]) -> str:
    of_steps = [failure for failure in failures if failure.kind is not Kind.GOAL]
    if any(failure.is_malformed for failure in of_steps):
        return "some steps do not fit the model"
    if any(not failure.is_violation for failure in of_steps):
        return "some steps cannot be executed"
    return "a trajectory constraint is violated" if of_steps else "the goal is not reached"


def report_on(question: Question, trace: Trace, found: Conclusion, *, with_repair: bool) -> Report:
    """Return the report."""
    failures = trace.failures
    if question.quality is Quality.SOUND:
        failures = tuple(failure for failure in failures if failure.kind is not Kind.GOAL)
    repaired = found.repaired
    plan = repaired.plan if repaired is not None else None
    diffs, diff = _diff(question, repaired)
    proven = found.determination is not None
    if found.determination is False and with_repair:
        proven = repaired is not None and repaired.proven
    return Report(
        report_type=question.quality,
        determination=found.determination,
        reason=found.reason,
        reference=question.tokens,
        failures=failures,
        unmet_goals=trace.unmet_goals,
        cost=trace.cost if trace.is_sound else None,
        optimal_cost=_interval(question, found),
        plan_diff_obj=diffs,
        plan_diff_str=diff,
        repaired_plan=plan,
        repaired_cost=None if plan is None else question.simulator.run(Plan(parts=plan)).cost,
        planner_response=found.response,
        proven=proven,
        timeline=_timeline(question, trace),
        claims_no_plan=question.plan.claims_no_plan is not None,
        reading=question.plan.reading,
        warnings=question.model.warnings + question.plan.warnings + _sequence_warning(question.tokens, diffs),
        timings=question.clock.seconds,
    )


def _diff(question: Question, repaired: Proved | None) -> tuple[tuple[StepDiff, ...], str]:
    if repaired is None or repaired.edits is None:
        return (), ""
    from validator.repair.diff import step_diffs, unified

    diffs = step_diffs(repaired.edits)
    return diffs, unified(diffs, question.context)


def claim_decided(report: Report) -> Report:
    """Return the report on a text that says that there is no plan: right where none is valid, wrong where one is."""
    said = "the text says that there is no plan"
    if report.repaired_plan is not None:
        return replace(report, determination=False, reason=f"{said}, and there is one", failures=())
    if report.planner_response.no_solution:
        right = f"{said}, and that is right: the goal cannot be reached (proven)"
        return replace(report, determination=True, reason=right, failures=(), unmet_goals=(), proven=True)
    why = f"{said}; whether that is right was not found out"
    return replace(report, determination=None, reason=why, failures=(), proven=False)


def without_repair(report: Report) -> Report:
    """Return a report on a text that claims that there is no plan, without the plan by which that was decided."""
    return replace(
        report,
        repaired_plan=None,
        repaired_cost=None,
        plan_diff_obj=(),
        plan_diff_str="",
        proven=report.determination is not None,
    )


def not_understood(quality: Quality, plan: Plan, tokens: tuple[Token, ...], why: str) -> Report:
    """Return the report that says nothing of a plan, because its text was not understood, or has none."""
    reading = plan.reading
    return Report(
        report_type=quality,
        determination=None,
        reason=why,
        reference=tokens or plan.unread,
        warnings=plan.warnings,
        reading=reading,
        is_understood=reading is not None and reading.no_plan in (NoPlan.CLAIM, NoPlan.GIVEN_UP),
    )


def certain(report: Report, plan: Plan, until: int) -> Report:
    """Return the report on a plan of which nothing is understood from an offset of its text on.

    It has the faults alone that the plan has whatever its pieces mean that were not understood.
    """
    placed = zip(plan.tokens, plan.places, strict=True)
    known = {place for token, place in placed if token.span[0] < until}
    failures = tuple(failure for failure in report.failures if failure.step in known)
    line = plan.text.count("\n", 0, until) + 1
    why = f"{_worst(failures)}, whatever is meant from line {line} on; no repair, as that is open"
    return replace(report, reason=why, failures=failures, unmet_goals=(), cost=None, optimal_cost=None, proven=False)


def _timeline(question: Question, trace: Trace) -> Timeline | None:
    if not question.trace or question.plan.is_unreadable:
        return None
    from validator.execution.time.course import classical_timeline

    return classical_timeline(trace, question.tokens, question.plan.places)


def _sequence_warning(tokens: Iterable[Token], diffs: object) -> tuple[str, ...]:
    """Say that a repaired plan is a sequence, when the observed one has steps at one time."""
    if not diffs:
        return ()
    steps = [token for token in tokens if isinstance(token, Step)]
    times = [step.time for step in steps if step.time is not None]
    concurrent = len(times) != len(set(times)) or any(step.concurrent is not None for step in steps)
    return ("the repaired plan is a sequence: steps at one time follow each other",) if concurrent else ()


def _interval(question: Question, found: Conclusion) -> Interval | None:
    optimum = found.optimum
    if optimum is None or optimum.status is Status.UNSOLVABLE:
        return None
    upper = None if optimum.upper is None else value_of(question, optimum.upper, found.scale)
    return Interval(lower=value_of(question, optimum.lower, found.scale), upper=upper)


def value_of(question: Question, cost: int, scale: int) -> Fraction:
    """Return a cost of the planner's as the metric's value."""
    return Fraction(cost, scale) + question.simulator.initial_cost
