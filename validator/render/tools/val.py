"""A report as VAL's ``validate`` prints it, for scripts and editors that read that.

The words are VAL's (KCL-Planning/VAL, version 4), the findings this package's: a plan that VAL would crash on or cut is
told as what it is. As VAL does, execution is told up to the first happening that fails.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING

from validator.execution.faults import said, sentences
from validator.execution.trace import Cause, Failure, Kind, Origin, Timeline
from validator.reading.plan import Step
from validator.records import dataclass
from validator.texts import rounded

if TYPE_CHECKING:
    from validator.checking.report import Report


_DESCRIPTION = frozenset((Kind.SYNTAX, Kind.UNKNOWN_ACTION, Kind.WRONG_TYPE, Kind.CONSTRAINT))
"""What VAL finds when it reads a plan, before it executes a step."""
_MET_LATER = frozenset((Kind.WRONG_ARITY, Kind.UNKNOWN_OBJECT))
"""What VAL meets when it comes to the step, where nothing failed before."""
_UNMET = {Kind.PRECONDITION: "", Kind.AT_START: " - start", Kind.AT_END: " - end"}
_PART = {**_UNMET, Kind.DURATION: " - start"}
"""kind -> what of the step it is about, in VAL's words"""


@dataclass(frozen=True, kw_only=True)
class Checked:
    """A plan by the name of its file, and the report on it, with its timeline where the course is to be told."""

    name: str
    report: Report
    by_makespan: bool = False

    @property
    def is_described(self) -> bool:
        """Return whether the plan can be read as one of the model."""
        kinds = [fault.kind for fault in self.report.failures if not fault.is_violation]
        return self.report.is_understood and _DESCRIPTION.isdisjoint(kinds) and _MET_LATER.isdisjoint(kinds[:1])

    @property
    def amount(self) -> Fraction:
        """Return the value of the metric; the makespan where that is asked for, else the number of steps."""
        course, cost = self.report.timeline, self.report.cost
        if self.by_makespan and course is not None:
            return course.end
        return Fraction(len(self.report.reference)) if cost is None else cost

    @property
    def value(self) -> str:
        return _number(self.amount)


def plan_text(checked: Checked, *, verbose: bool, advice: bool, goes_on: bool) -> str:
    """Return what is reported of one plan; ``goes_on`` is VAL's ``-c``: every fault, not only the first."""
    return "".join(f"{line}\n" for line in _plan(checked, verbose, advice, goes_on))


def outcomes(plans: Sequence[Checked], unread: Sequence[str] = (), *, cheapest_first: bool) -> str:
    """Return the lists at the end: the plans that are valid by their value, those that are not, and the unknown.

    ``unread`` are files that are no plans.
    """
    text = ""
    if valid := [plan for plan in plans if plan.report.determination]:
        text += "\nSuccessful plans:"
        in_order = sorted(valid, key=lambda plan: plan.amount, reverse=not cheapest_first)
        for value in dict.fromkeys(plan.value for plan in in_order):
            told = "".join(f"{plan.name} {value} \n" for plan in valid if plan.value == value)
            text += f"\nValue: {value}\n {told}"
        text += "\n"
    for head, verdict in (("Failed plans", False), ("Queries (validator failed)", None)):
        names = [plan.name for plan in plans if _verdict(plan) is verdict] + list(unread if verdict is False else ())
        if names:
            text += f"\n\n{head}:\n {' '.join(names)} \n"
    return text


def _verdict(plan: Checked) -> bool | None:
    return plan.report.determination if plan.is_described else False


def _plan(checked: Checked, verbose: bool, advice: bool, goes_on: bool) -> Iterator[str]:
    report = checked.report
    if not checked.is_described:
        if verbose:
            yield from report.feedback(with_repair=False).splitlines()
        yield "Bad plan description!"
        return
    if report.determination is None:
        yield f"Error occurred in validation attempt:\n  {report.reason}"
        return
    faults = [fault for fault in report.failures if fault.kind is not Kind.GOAL]
    told = faults if goes_on else faults[:1]
    if verbose:
        yield from _course(report, told, goes_on)
    if told and not goes_on:
        yield "\nPlan failed to execute"
    else:
        yield "\nPlan failed to execute - checking goal" if told else "Plan executed successfully - checking goal"
        yield from ("Plan valid", f"Final value: {checked.value} ") if report.determination else _invalid(report)
    if verbose and advice and not report.determination:
        yield "\nPlan Repair Advice:"
        unmet = [fault for fault in report.failures if fault.kind is Kind.GOAL]
        for fault in told + (unmet if goes_on or not told else []):
            yield from _advice(fault, report)


def _invalid(report: Report) -> Iterator[str]:
    if any(fault.kind is Kind.GOAL for fault in report.failures):
        yield "Goal not satisfied"
    yield "Plan invalid"


# --- the course of the plan ----------------------------------------------------------------------


def _course(report: Report, told: Sequence[Failure], goes_on: bool) -> Iterator[str]:
    course = report.timeline
    if course is None:
        return
    acts = sorted(_acts(course), key=lambda pair: pair[0])
    yield f"Plan to validate:\n\nPlan size: {len(acts)}"
    for time, act in acts:
        yield f"{_number(time)}:\n{act}\n "
    yield "\nPlan Validation details\n-----------------------" if course.bars else ""
    failed = {_time(fault): fault for fault in reversed(told)}
    for time in sorted({*failed, *(row.time for row in course.rows)}):
        yield f"\nChecking next happening (time {_number(time)})"
        if time in failed:
            what = "violated constraint" if failed[time].is_violation else "unsatisfied precondition"
            yield f"Plan failed because of {what} in:\n{_act(failed[time], report)}"
            if not goes_on:
                return
        for row in course.rows:
            if row.time == time:
                yield from (f"Deleting {atom}" for atom in row.deleted)
                yield from (f"Adding {atom}" for atom in row.added)
                yield from (f"Updating {fluent} to {_number(value)}" for fluent, value in row.values)


def _acts(course: Timeline) -> Iterator[tuple[Fraction, str]]:
    for bar in course.bars:
        if bar.start == bar.end:
            yield bar.start, bar.label
        else:
            yield from ((bar.start, f"{bar.label} - start"), (bar.end, f"{bar.label} - end"))


# --- advice --------------------------------------------------------------------------------------


def _advice(fault: Failure, report: Report) -> Iterator[str]:
    """Yield how to mend a fault; PlanBench's scripts read the literals to be set."""
    if fault.kind is Kind.GOAL:
        yield "\nThe goal is not satisfied"
        yield from _each(fault.causes)
        return
    act, time = _act(fault, report), _number(_time(fault))
    if fault.is_violation:
        yield f"\n{act} violates a constraint at time {time}\n({sentences([fault], report.reference)[0]})"
    elif fault.kind in _UNMET:
        yield f"\n{act} has an unsatisfied precondition at time {time}"
        yield from _each(fault.causes)
    elif fault.kind is Kind.OVER_ALL:
        until = _number(fault.until if fault.until is not None else _time(fault))
        yield f"\n{act} has its condition unsatisfied between time {time} to {until}, "
        yield from _each(fault.causes)
    elif fault.kind is Kind.MUTEX:
        yield f"\n{act} has a mutex violation at time {time}: {said(fault)}\nSeparate these actions!"
    else:
        yield f"\n{act} has an unsatisfied precondition at time {time}"
        yield f"({sentences([fault], report.reference)[0]})"


def _each(causes: Sequence[Cause]) -> Iterator[str]:
    lines = list(map(_set, causes))
    if len(lines) < 2:
        yield from lines
        return
    yield "(Follow each of:"
    yield f"    {lines[0]}"
    yield from (f"    and {line}" for line in lines[1:])
    yield ")"


def _set(cause: Cause) -> str:
    literal = cause.literal
    if cause.origin is Origin.COMPARISON:
        return f"(Satisfy {literal}: {cause.detail})"
    if cause.origin is Origin.COMPOUND:
        return f"(Satisfy {literal}!)"
    if literal.startswith("(not ("):
        return f"(Set {literal.removeprefix('(not ').removesuffix(')')} to false)"
    return f"(Set {literal} to true)"


def _act(fault: Failure, report: Report) -> str:
    steps = [token for token in report.reference if isinstance(token, Step)]
    if fault.step is None or fault.step >= len(steps):
        return "The plan"
    step = steps[fault.step]
    return f"({' '.join((step.name, *step.args))}){_PART.get(fault.kind, '')}"


def _time(fault: Failure) -> Fraction:
    """Return when a fault happens; without time stamps that is the number of its step."""
    return fault.time if fault.time is not None else Fraction((fault.step or 0) + 1)


def _number(value: Fraction) -> str:
    return rounded(value, ".10g")
