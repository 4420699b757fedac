"""What a report says of a plan: what its execution decides, what the cheapest cost means for it, and how it is mended.

It is written step by step: first ``decided``, then by what a search finds. ``classical`` and ``nonclassical`` models
have it in common.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from validator.checking.question import Question
from validator.checking.report import PlannerResponse, Quality, Report
from validator.execution.trace import Failure, Kind, Trace
from validator.grounding.limits import Status
from validator.reading.plan import NoPlan, Plan, Step, Token
from validator.records import replace
from validator.texts import decimal

if TYPE_CHECKING:
    from validator.execution.time.execution import Execution
    from validator.repair.diff import StepDiff

# --- execution ------------------------------------------------------------------------------------


def decided(question: Question, ran: Trace | Execution, unsettled: Sequence[str] = (), **more: Any) -> Report:
    """Return what an execution decides; whether a valid plan is optimal is left open, without a reason.

    ``unsettled`` is why a plan without faults may lack the quality, ``more`` are other fields of the report.
    """
    failures = ran.failures
    if question.quality is Quality.SOUND:
        failures = tuple(failure for failure in failures if failure.is_of_steps)
    is_open = not failures and (unsettled or question.quality is Quality.OPTIMAL)
    return Report(
        report_type=question.quality,
        determination=None if is_open else not failures,
        reason=worst(question.plan, failures) if failures else "; ".join(unsettled),
        reference=question.tokens,
        failures=failures,
        unmet_goals=ran.unmet_goals,
        proven=not is_open,
        claims_no_plan=question.plan.claims_no_plan is not None,
        timings=question.clock.seconds,
        **{"warnings": question.model.warnings + question.plan.warnings, **more},
    )


def of_trace(question: Question, trace: Trace) -> Report:
    """Return what the execution of a plan for a classical model decides."""
    timeline = None
    if question.trace and not question.plan.is_unreadable:
        from validator.execution.time.course import classical_timeline

        timeline = classical_timeline(trace, question.tokens, question.plan.places)
    report = decided(question, trace, cost=trace.cost if trace.is_sound else None, timeline=timeline)
    if question.plan.tokens or question.plan.claims_no_plan or not report.failures:
        return report
    return replace(report, reason=f"the plan has no steps, and {report.reason}")


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


# --- searches -------------------------------------------------------------------------------------


def left_open(report: Report, reason: str) -> Report:
    """Add why the cheapest cost, or a repair, is not known; a verdict that stands stays."""
    if report.determination is None:
        return replace(report, reason=reason)
    return replace(report, reason=f"{report.reason}; {reason}" if report.reason else reason, proven=False)


def compared(report: Report, lower: Fraction | None, upper: Fraction | None) -> Report:
    """Decide whether a valid plan is cheapest, as far as bounds of the cheapest cost do."""
    if report.determination is not None or report.cost is None:
        return report
    if upper is not None and upper < report.cost:
        return replace(report, determination=False, proven=True, reason=f"a plan of cost {decimal(upper)} exists")
    if lower is not None and lower >= report.cost:
        return replace(report, determination=True, proven=True, reason="")
    return report


def no_plan(report: Report, by: str, times: str = "", how: str = "proven") -> Report:
    """Say that no plan has the quality, which a search has proven."""
    response = PlannerResponse(status=Status.UNSOLVABLE.value, engine=by)
    why = f"no plan{times} is {report.report_type.value}: the goal cannot be reached ({how})"
    return replace(report, reason=f"{report.reason}; {why}", planner_response=response, proven=True)


def shown(report: Report, diffs: tuple[StepDiff, ...], plan: tuple[Token, ...], context: int | None) -> Report:
    """Put a repaired plan into a report, without its cost; ``context`` is that of the diff."""
    from validator.repair.diff import unified

    return replace(report, plan_diff_obj=diffs, plan_diff_str=unified(diffs, context), repaired_plan=plan)


# --- texts ----------------------------------------------------------------------------------------


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


def sequence_warning(tokens: Iterable[Token]) -> tuple[str, ...]:
    """Say that a repaired plan is a sequence, when the observed one has steps at one time."""
    steps = [token for token in tokens if isinstance(token, Step)]
    times = [step.time for step in steps if step.time is not None]
    concurrent = len(times) != len(set(times)) or any(step.concurrent is not None for step in steps)
    return ("the repaired plan is a sequence: steps at one time follow each other",) if concurrent else ()
