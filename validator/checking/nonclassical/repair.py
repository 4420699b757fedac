"""Repairs of plans for models beyond classical planning, and how a report shows them.

Where what can be executed is decided by the classical part of the model alone, the plan is repaired on that part.
Otherwise our searches for numbers and for time look for the repair.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction

from validator.automata.properties import Property
from validator.checking.nonclassical.constrained import classical_beside
from validator.checking.nonclassical.report import has_quality
from validator.checking.question import Question
from validator.checking.report import PlannerResponse, Quality, Report
from validator.checking.verdict import no_plan, shown
from validator.execution.time.execution import Execution, only_duration
from validator.execution.time.happening import is_temporal
from validator.grounding.limits import Status
from validator.model.values import Model
from validator.reading.plan import Step, TimedStep, Token
from validator.records import replace
from validator.repair import Policy
from validator.repair.diff import DiffAction, StepDiff, step_diffs
from validator.repair.numbers.nearest import NumericQuestion, NumericRepair, nearest_with_numbers
from validator.repair.time.nearest import nearest_over_time
from validator.repair.time.observed import TemporalQuestion, TemporalRepair
from validator.texts import decimal

Classical = Callable[[Model, Sequence[Property]], Report | None]
"""checks and repairs the plan on a classical model, beside constraints; None where they make it too large"""


def repaired(question: Question, report: Report, execution: Execution, classical: Classical) -> Report:
    """Return the report on a plan that lacks a quality, or times, with the nearest plan that has it.

    The classical part alone does not tell where steps read values that are missing, or change one in two ways.
    """
    model = question.model
    beside = classical_beside(model, with_goal=question.quality is not Quality.SOUND)
    found = None if beside is None else classical(*beside)
    if found is not None:
        is_repaired = found.repaired_plan is not None and has_quality(question, found.repaired_plan)
        if is_repaired or (found.repaired_plan is None and not found.determination):
            return on_classical_part(question, report, found)
    is_over_time = is_temporal(model)
    if question.policy is not Policy.EDITS if is_over_time else question.policy is Policy.MOVE:
        kind = "over time" if is_over_time else "with numbers or preferences"
        why = f"plans {kind} are not repaired with the policy '{question.policy.value}'"
        return replace(report, reason=f"{report.reason}; {why}", proven=False)
    if is_over_time:
        return with_temporal_repair(question, report, nearest_over_time(temporal_question(question, report, execution)))
    return with_numeric_repair(question, report, nearest_with_numbers(numeric_question(question)))


def lacks_times(question: Question) -> bool:
    """Return whether a plan over time leaves times or durations open, so that it is no plan yet."""
    model = question.model
    if not is_temporal(model):
        return False
    steps = [step for step in question.tokens if isinstance(step, Step)]
    durative = (step for step in steps if step.name in model.domain.durative and step.duration is None)
    return any(step.time is None for step in steps) or any(
        len(step.args) == len(model.domain.durative[step.name].parameters) and only_duration(model, step) is None
        for step in durative
    )


def numeric_question(question: Question) -> NumericQuestion:
    return NumericQuestion(
        simulator=question.simulator,
        tokens=question.tokens,
        policy=question.policy,
        with_goal=question.quality is not Quality.SOUND,
        limits=question.limits,
        accepted=lambda steps: has_quality(question, steps),
        progress=question.progress or (lambda lower, best: None),
    )


def temporal_question(question: Question, report: Report, execution: Execution) -> TemporalQuestion:
    time, epsilon = question.model.problem.time, question.apart.epsilon
    return TemporalQuestion(
        simulator=question.simulator,
        tokens=question.tokens,
        with_goal=question.quality is not Quality.SOUND,
        epsilon=epsilon if time is None or time.epsilon is None else max(epsilon, time.epsilon),
        limits=question.limits,
        failures=report.failures,
        happening=tuple(sorted({moment.time for moment in execution.state.moments})),
        accepted=lambda steps: has_quality(question, steps),
    )


# --- what a report shows -------------------------------------------------------------------------


def priced(question: Question, report: Report, diffs: tuple[StepDiff, ...], plan: tuple[Token, ...]) -> Report:
    """Put a repaired plan and its cost into a report."""
    return replace(shown(report, diffs, plan, question.context), repaired_cost=question.cost(plan))


def on_classical_part(question: Question, report: Report, found: Report) -> Report:
    """Take over what was found on the classical part."""
    response = found.planner_response
    if found.repaired_plan is None:
        behind = found.reason.partition("; ")[2]  # what is wrong with the plan is told already
        reason = f"{report.reason}; {behind}" if behind and response.status != "not asked" else report.reason
        return replace(report, reason=reason, planner_response=response, proven=response.no_solution)
    warnings = tuple(dict.fromkeys((*report.warnings, *found.warnings)))
    report = replace(report, planner_response=response, proven=found.proven, warnings=warnings)
    return priced(question, report, found.plan_diff_obj, found.repaired_plan)


def with_numeric_repair(question: Question, report: Report, answer: NumericRepair) -> Report:
    """Put what was found for a model with numbers into a report."""
    if answer.status is Status.UNSOLVABLE:
        return no_plan(report, answer.by, how=f"proven by {answer.by}")
    response = PlannerResponse(
        status=answer.status.value,
        engine=answer.by,
        plan=tuple(map(str, answer.plan or ())),
        cost=None if answer.cost is None else answer.number(answer.cost),
        lower_bound=None if answer.cost is None else answer.number(answer.lower),
    )
    report = replace(report, planner_response=response, proven=answer.proven)
    if answer.plan is None or answer.edits is None:
        return replace(report, reason=f"{report.reason}; {answer.met('a repaired plan was found')}")
    return priced(question, report, step_diffs(answer.edits), answer.plan)


def with_temporal_repair(question: Question, report: Report, answer: TemporalRepair) -> Report:
    """Put what was found for a model over time into a report."""
    if answer.status is Status.UNSOLVABLE:
        times = f" at times that are multiples of {decimal(answer.resolution)}"
        return no_plan(report, answer.by, times, how=f"proven by {answer.by}")
    if report.determination is None:  # what it would be nearest to is no plan yet
        answer = replace(answer, proven=False)
    response = PlannerResponse(
        status=answer.status.value,
        engine=answer.by,
        plan=tuple(str(TimedStep.of(step)) for step in answer.plan),
        note="" if answer.kept is None else _summary(question, answer),
    )
    report = replace(report, planner_response=response, proven=answer.proven)
    if answer.kept is None:
        return replace(report, reason=f"{report.reason}; {_why_none(answer)}")
    return priced(question, report, tuple(_diffs(question.tokens, answer)), tuple(map(TimedStep.of, answer.plan)))


def _why_none(answer: TemporalRepair) -> str:
    if answer.status is Status.STOPPED:
        return f"no repaired plan was found: {answer.doubt or 'the search stopped'}"
    why = f" ({answer.doubt})" if answer.doubt else ""
    return f"the {answer.status.value} was met before a repaired plan was found{why}"


def _diffs(tokens: Sequence[Token], answer: TemporalRepair) -> Iterator[StepDiff]:
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


def _summary(question: Question, answer: TemporalRepair) -> str:
    """Say what changes, and what is known of nearer plans."""
    plan = "cheapest plan" if question.quality is Quality.OPTIMAL else "plan"
    said = [
        f"{number} step{'s' * (number != 1)} {what}"
        for number, what in (
            (len(answer.moved), "with a different time or duration"),
            (len(question.tokens) - len(answer.kept or {}), "left out"),
            (len(answer.inserted), "inserted"),
        )
        if number
    ]
    if answer.proven:
        known = f"no {plan} at times that are multiples of {decimal(answer.resolution)} changes fewer steps"
    else:
        known = f"a nearer {plan} may exist: {answer.doubt}"
    return f"{', '.join(said)}; {known}"
