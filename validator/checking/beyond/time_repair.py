"""The repair of a plan over time as a report tells it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction

from validator.checking.beyond.report import Asked, has_quality
from validator.checking.report import PlannerResponse, Quality, Report
from validator.execution.time.execution import Execution, execute
from validator.grounding.limits import Status
from validator.reading.plan import Plan, Step, TimedStep, Token
from validator.records import replace
from validator.repair.diff import DiffAction, StepDiff, unified
from validator.repair.engines import found_by
from validator.repair.policy import Policy
from validator.repair.time.nearest import nearest
from validator.repair.time.observed import Asked as TimeAsked
from validator.repair.time.observed import Nearest
from validator.texts import decimal

__all__ = ["repaired_in_time", "time_asked", "with_nearest"]


def repaired_in_time(asked: Asked, report: Report, execution: Execution) -> Report:
    """Return the report on a plan over time that lacks a quality, or times, with the nearest plan that has it."""
    if asked.policy is not Policy.EDITS:
        why = f"plans over time are repaired with the policy 'edits', not '{asked.policy.value}'"
        return replace(report, reason=f"{report.reason}; {why}", proven=False)
    return with_nearest(asked, report, nearest(time_asked(asked, report, execution)))


def time_asked(asked: Asked, report: Report, execution: Execution) -> TimeAsked:
    time = asked.simulator.model.problem.time
    return TimeAsked(
        simulator=asked.simulator,
        tokens=asked.tokens,
        with_goal=asked.quality is not Quality.SOUND,
        epsilon=max(asked.apart.epsilon, (time.epsilon or asked.apart.epsilon) if time else asked.apart.epsilon),
        limits=asked.limits,
        failures=report.failures,
        happening=tuple(sorted({moment.time for moment in execution.state.moments})),
        accepted=lambda steps: has_quality(asked, steps),
        engines=asked.engines,
    )


def with_nearest(asked: Asked, report: Report, answer: Nearest) -> Report:
    """Put what was found into a report."""
    if report.determination is None:  # what it would be nearest to is no plan yet
        answer = replace(answer, prover="")
    engine = ", ".join(dict.fromkeys(name for name in (answer.engine, answer.prover) if name))
    response = PlannerResponse(
        status=answer.status.value if answer.engine else "unsupported",
        engine=engine,
        plan=tuple(str(TimedStep.of(step)) for step in answer.plan),
        note=_summary(asked, answer) if answer.kept is not None else "",
    )
    report = replace(report, planner_response=response, proven=bool(answer.prover))
    if answer.kept is None:
        return replace(report, reason="; ".join((report.reason, _why_none(asked, answer), *answer.notes)))
    diffs = tuple(_diffs(asked.tokens, answer))
    plan = tuple(map(TimedStep.of, answer.plan))
    return replace(
        report,
        plan_diff_obj=diffs,
        plan_diff_str=unified(diffs, asked.context),
        repaired_plan=plan,
        repaired_cost=execute(asked.simulator, Plan(parts=plan), asked.apart).cost,
    )


def _why_none(asked: Asked, answer: Nearest) -> str:
    if answer.status is Status.UNSOLVABLE:
        times = f"at times that are multiples of {decimal(answer.resolution)}"
        return f"no plan {times} is {asked.quality.value} (proven by {answer.prover})"
    if not answer.engine:
        return "no repair was looked for"
    if answer.status is Status.STOPPED:
        return f"no repaired plan was found: {answer.doubt or 'the search stopped'}"
    why = f" ({answer.doubt})" if answer.doubt else ""
    return f"the {answer.status.value} was met before a repaired plan was found{why}"


def _diffs(tokens: Sequence[Token], answer: Nearest) -> Iterator[StepDiff]:
    """Yield the lines of both plans: those that stay in their common order, between them deletions, then additions."""
    kept = answer.kept or {}
    stays = kept.keys() - answer.moved
    left = [(step, number) for number, step in kept.items()]
    left += [(step, len(tokens)) for step in answer.inserted]
    left.sort(key=lambda entry: (entry[0].time or Fraction(0), entry[1]))
    place = 0
    for number in sorted(stays):
        yield from _deleted(tokens[place:number])
        while left[0][1] != number:
            yield StepDiff(diff_type=DiffAction.ADD, step=TimedStep.of(left.pop(0)[0]))
        left.pop(0)
        yield StepDiff(diff_type=None, step=_line(kept[number]))
        place = number + 1
    yield from _deleted(tokens[place:])
    for step, _ in left:
        yield StepDiff(diff_type=DiffAction.ADD, step=TimedStep.of(step))


def _deleted(tokens: Sequence[Token]) -> Iterator[StepDiff]:
    for token in tokens:
        yield StepDiff(diff_type=DiffAction.DELETE, step=_line(token))


def _line(token: Token) -> Token:
    return TimedStep.of(token) if isinstance(token, Step) else token


def _summary(asked: Asked, answer: Nearest) -> str:
    """Say what changes, who found it, and who proved that none is nearer."""
    plan = "cheapest plan" if asked.quality is Quality.OPTIMAL else "plan"
    said = [
        f"{number} step{'s' * (number != 1)} {what}"
        for number, what in (
            (len(answer.moved), "at another time or of another duration"),
            (len(asked.tokens) - len(answer.kept or {}), "left out"),
            (len(answer.inserted), "inserted"),
        )
        if number
    ]
    if answer.prover:
        known = f"no {plan} at times that are multiples of {decimal(answer.resolution)} changes fewer steps"
    else:
        known = f"a nearer {plan} may exist: {answer.doubt}"
    return f"{', '.join(said)}; {found_by(answer.engine, answer.prover)}: {known}"
