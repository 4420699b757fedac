"""Execution monitoring: the first steps of a plan have happened; whether the rest still works, and what would.

The rest is checked as a plan of its own, from the state that the first steps led to or, where the world is not as
planned, from the state that was seen there. Its repair leaves alone what has happened, and changes as little as
possible of what is to come: plan stability (Fox, Gerevini, Long and Serina 2006).
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from functools import partial
from pathlib import Path

from validator.alarms import OutOfTime, alarm
from validator.checking.check import check
from validator.checking.explain import explain
from validator.checking.monitoring.state import (
    Moment,
    State,
    changed,
    differences,
    look_back,
    moment,
    problem_from,
    seen,
    shifted,
    still_running,
)
from validator.checking.prepared import Prepared, prepare
from validator.checking.report import PlannerResponse, Quality, Report
from validator.checking.verdict import not_understood
from validator.errors import InputError
from validator.execution.time.execution import DEFAULT_SEPARATION
from validator.execution.time.happening import is_temporal
from validator.execution.trace import Failure, UnmetGoal
from validator.grounding.limits import (
    DEFAULT_MEMORY_LIMIT,
    DEFAULT_TIME_LIMIT,
    Status,
    deadline_of,
    hard_limit,
    left_until,
)
from validator.model.values import GroundAtom, Model
from validator.reading.plan import Dialect, Plan, Step, Token, Unparsed
from validator.reading.tokens import tokenize
from validator.reading.understood import unclear
from validator.records import dataclass, replace
from validator.repair import Policy
from validator.repair.diff import StepDiff, unified
from validator.repair.incumbent import Progress
from validator.texts import decimal, listed, read_written_plan

__all__ = ["State", "check_rest"]


def check_rest(
    prepared: Prepared,
    plan: str | Path | Plan,
    *,
    executed: int,
    state: State | None = None,
    is_complete: bool = False,
    changes: str | Path | None = None,
    quality: Quality | str = Quality.VALID,
    policy: Policy | str | None = None,
    repair: bool = True,
    explained: bool = False,
    time_limit: float = DEFAULT_TIME_LIMIT,
    memory_limit: int = DEFAULT_MEMORY_LIMIT,
    dialect: Dialect | str | None = None,
    context: int | None = None,
    progress: Progress | None = None,
    strict: bool = False,
) -> Report:
    """Say whether the rest of a plan has a quality after its first ``executed`` lines have happened, and repair it.

    ``state`` is what holds now; None means what the model says after these steps. A text of facts may leave out all
    facts that no action changes, and values: then those of the problem hold, and the planned ones, each a warning. With
    ``is_complete``, one of those facts, or within ``(:init ...)``, it is the whole state. ``changes`` are what is not
    as planned, in place of a state: facts, ``(not FACT)``, values. The report is about the whole plan, in which the
    steps that have happened stay; its costs, the cheapest one too, are those of what is to come. Where the first steps
    cannot have happened as the model has it, and no state is given, nothing is known. The other arguments are those of
    ``validator.check``; ``explained`` adds what each changed step is for.

    Raises InputError for more executed lines than there are, or a part of the steps of one time, ModelError for a state
    that cannot be read, ValueError for a state and changes, and what ``validator.check`` raises.
    """
    if state is not None and changes is not None:
        raise ValueError("a state says all that holds, changes what is not as planned: give one of them")
    latest, quality = deadline_of(time_limit, memory_limit), Quality(quality)

    def checked(model: Prepared, plan: Plan, quality: Quality = quality, *, repair: bool = repair) -> Report:
        """Check a plan with what is asked here, in the time that is left."""
        return check(
            model,
            None,
            plan,
            quality=quality,
            policy=policy,
            repair=repair,
            time_limit=left_until(latest),
            memory_limit=memory_limit,
            progress=progress,
        )

    try:
        with alarm(hard_limit(time_limit)):
            if not isinstance(plan, Plan):
                known = Dialect(dialect) if dialect else None
                text, warnings = read_written_plan(plan)
                plan = tokenize(text, prepared.vocabulary, known, strict=strict)
                plan = replace(plan, warnings=(*warnings, *plan.warnings)) if warnings else plan
            given = _Given(executed, state, is_complete, changes)
            late = partial(_explained_until, time.monotonic() + hard_limit(time_limit)) if explained else None
            return _on_rest(prepared, plan, given, quality, checked, late, context)
    except OutOfTime:  # in what does not look at the clock
        return Report(
            report_type=quality,
            determination=None,
            reason="the time limit was met before the rest of the plan was checked",
            reference=plan.tokens if isinstance(plan, Plan) else (),
            planner_response=PlannerResponse(status=Status.TIME_LIMIT.value),
        )


@dataclass(frozen=True, slots=True)
class _Given:
    """What is known of the world, as ``check_rest`` takes it."""

    executed: int
    state: State | None
    is_complete: bool
    changes: str | Path | None


def _on_rest(
    prepared: Prepared,
    plan: Plan,
    given: _Given,
    quality: Quality,
    checked: Callable[..., Report],
    explained: Callable[[Prepared, Report, Sequence[Token]], Report] | None,
    context: int | None,
) -> Report:
    """Return the report on a plan that was read; ``checked`` checks another one in the time that is left."""
    model, executed, state, changes = prepared.model, given.executed, given.state, given.changes
    tokens = tuple(map(prepared.simulator.resolve, plan.tokens))
    if why := unclear(plan):
        return not_understood(quality, plan, tokens, why)
    _refuse(executed, tokens)
    happened = tokens[:executed]
    if why := _not_by_itself(model, tokens, executed):
        if state is None and changes is None:
            return _with_the_past(checked(prepared, plan, repair=False), executed, why)
        return Report(report_type=quality, determination=None, reason=why, reference=tokens)
    expected = moment(prepared.simulator, happened)
    if state is None and (expected.faults or expected.open):
        return _unknown(quality, tokens, expected)
    now, assumed = expected, tuple[str, ...]()
    if state is not None:
        now, assumed = seen(state, expected, model, is_complete=given.is_complete)
    elif changes is not None:
        now = changed(changes, expected, model)
    rest = prepare(problem_from(model, now))
    left = plan.unread if plan.is_unreadable else shifted(tokens[executed:], -now.time)
    surprises = () if expected.faults else tuple(_surprises(expected, now, executed))
    report = checked(
        rest, Plan(parts=left, dialect=plan.dialect, claims_no_plan=plan.claims_no_plan, warnings=plan.warnings)
    )
    is_as_planned = state is None and changes is None
    if report.determination and is_as_planned and (why := _may_interfere(model, tokens, executed)):
        whole = checked(prepared, plan, Quality.SOUND, repair=False)
        if not whole.determination:
            return _with_the_past(replace(whole, report_type=quality), executed, why)
    if explained is not None:
        report = explained(rest, report, happened)
    report = replace(report, reading=plan.reading, warnings=(*surprises, *assumed, *report.warnings))
    return _whole(report, happened, now.time, context)


def _not_by_itself(model: Model, tokens: tuple[Token, ...], executed: int) -> str:
    """Return why what is to come cannot be judged from a state alone; empty when it can."""
    if back := look_back(model):
        return f"the rest from a state is not decided with {', '.join(back)}, which judge what happened as well"
    if running := still_running(model, tokens, executed):
        first, following = running
        said = f"step {first + 1} is still under way when step {following + 1} begins"
        return f"{said}; what it will still do is in no state"
    return ""


def _may_interfere(model: Model, tokens: tuple[Token, ...], executed: int) -> str:
    """Say which executed step ends so shortly before the rest that the two may interfere; empty where none does."""
    found = still_running(model, tokens, executed, DEFAULT_SEPARATION.epsilon) if is_temporal(model) else None
    return f"step {found[0] + 1} ends when step {found[1] + 1} begins" if found else ""


def _with_the_past(report: Report, executed: int, why: str) -> Report:
    """Return the report on a rest that cannot be parted from what happened, which was executed with it."""
    places = (failure.step for failure in report.failures if failure.is_of_steps)
    if any(place is not None and place < executed for place in places):
        reason = "what happened is not possible in the model, so that the state is not known"
        return replace(report, determination=None, reason=reason, proven=False)
    said = f"judged together with what happened, and so is the cost: {why}"
    return replace(report, warnings=(said, *report.warnings))


def _refuse(executed: int, tokens: Sequence[Token]) -> None:
    if not 0 <= executed <= len(tokens):
        raise InputError(f"the plan has {len(tokens)} steps; {executed} cannot have happened")
    if 0 < executed < len(tokens):
        last, following = tokens[executed - 1], tokens[executed]
        if (
            isinstance(last, Step)
            and isinstance(following, Step)
            and _moment(last) == _moment(following) != (None, None)
        ):
            raise InputError(f"steps {executed} and {executed + 1} happen at one time; both have happened, or none")


def _moment(step: Step) -> tuple[object, object]:
    return step.time, step.concurrent


def _unknown(quality: Quality, tokens: Sequence[Token], expected: Moment) -> Report:
    """Return the report on a plan whose first steps do not execute in the model."""
    return Report(
        report_type=quality,
        determination=None,
        reason=expected.open or "what happened is not possible in the model, so that the state is not known",
        reference=tuple(tokens),
        failures=expected.faults,
    )


# --- surprises -----------------------------------------------------------------------------------


def _explained_until(latest: float, rest: Prepared, report: Report, happened: Sequence[Token]) -> Report:
    """Return a report with what each changed step is for, where there is time for that."""
    try:
        with alarm(left_until(latest)):
            return replace(report, explanations=explain(rest, report, happened))
    except OutOfTime:
        return replace(report, warnings=(*report.warnings, "what the changed steps are for was not known in time"))


def _surprises(expected: Moment, now: Moment, executed: int) -> Iterator[str]:
    """Yield a sentence when the world is not as the model has it."""
    wrong = [f"{_shown(atom)} is {'true' if is_true else 'false'}" for atom, is_true in differences(expected, now)]
    every = now.values.keys() | expected.values.keys()
    values = sorted(key for key in every if expected.values.get(key) != now.values.get(key))
    wrong += [f"{_shown(key)} is {_value(now, key)}" for key in values]
    if wrong:
        yield f"after step {executed}, not as planned: {listed(wrong)}"


def _value(now: Moment, key: GroundAtom) -> str:
    value = now.values.get(key)
    return "unknown" if value is None else decimal(value)


def _shown(atom: GroundAtom) -> str:
    return f"({' '.join(atom)})"


# --- the report on the whole plan ----------------------------------------------------------------


def _whole(report: Report, happened: Sequence[Token], by: Fraction, context: int | None) -> Report:
    """Return a report on the rest of a plan, whose clock begins ``by`` later, as one on the whole plan."""
    before = sum(not isinstance(token, Unparsed) or token.reading is not None for token in happened)
    diffs = report.plan_diff_obj
    if diffs:
        later = (replace(diff, step=shifted((diff.step,), by)[0]) for diff in diffs)
        diffs = (*(StepDiff(diff_type=None, step=token) for token in happened), *later)
    repaired = report.repaired_plan
    return replace(
        report,
        reference=(*happened, *shifted(report.reference, by)),
        failures=tuple(_later(failure, before, by) for failure in report.failures),
        unmet_goals=tuple(_later_goal(goal, before) for goal in report.unmet_goals),
        plan_diff_obj=diffs,
        plan_diff_str=unified(diffs, context),
        repaired_plan=None if repaired is None else (*happened, *shifted(repaired, by)),
    )


def _later(failure: Failure, steps: int, by: Fraction) -> Failure:
    moved = failure.later(steps)
    return moved if moved.time is None else replace(moved, time=moved.time + by)


def _later_goal(goal: UnmetGoal, steps: int) -> UnmetGoal:
    return goal if goal.last_held is None else replace(goal, last_held=goal.last_held + steps)
