"""Repairs of plans for models beyond classical planning.

Where what can be executed is decided by the classical part of the model alone, Fast Downward repairs the plan on that
part. Otherwise our own searches look for the repair, with installed engines beside them where they take long.
"""

from __future__ import annotations

from validator.checking.beyond.constrained import classical_beside
from validator.checking.beyond.report import Asked, has_quality
from validator.checking.report import PlannerResponse, Quality, Report
from validator.execution.time.acts.happening import is_temporal
from validator.execution.time.execution import Execution, execute, only_duration
from validator.grounding.limits import Status
from validator.reading.plan import Plan, Step
from validator.records import replace
from validator.repair.diff import step_diffs, unified
from validator.repair.engines import found_by
from validator.repair.numbers.answer import Answer
from validator.repair.numbers.answer import Asked as NumbersAsked
from validator.repair.numbers.nearest import nearest
from validator.repair.policy import Policy

__all__ = ["lacks_times", "numbers_asked", "on_classical_part", "repaired", "with_answer"]


def repaired(asked: Asked, report: Report, execution: Execution) -> Report:
    """Return the report on a plan that lacks a quality, with the nearest plan that has it.

    The classical part alone does not tell where steps read values that are missing, or change one in two ways.
    """
    model = asked.simulator.model
    if not asked.engines.is_named:
        beside = classical_beside(model, with_goal=asked.quality is not Quality.SOUND)
        found = None if beside is None else asked.classical(*beside)
        if found is not None:
            is_repaired = found.repaired_plan is not None and has_quality(asked, found.repaired_plan)
            if is_repaired or (found.repaired_plan is None and not found.determination):
                return on_classical_part(asked, report, found)
    if asked.policy is Policy.MOVE:
        why = "plans with numbers, time or preferences are not repaired with the policy 'move'"
        return replace(report, reason=f"{report.reason}; {why}", proven=False)
    if is_temporal(model):
        from validator.checking.beyond.time_repair import repaired_in_time

        return repaired_in_time(asked, report, execution)
    return with_answer(asked, report, nearest(numbers_asked(asked)))


def lacks_times(asked: Asked) -> bool:
    """Return whether a plan over time leaves times or durations open, so that it is no plan yet."""
    model = asked.simulator.model
    if not is_temporal(model):
        return False
    steps = [step for step in asked.tokens if isinstance(step, Step)]
    durative = (step for step in steps if step.name in model.domain.durative and step.duration is None)
    return any(step.time is None for step in steps) or any(
        len(step.args) == len(model.domain.durative[step.name].parameters) and only_duration(model, step) is None
        for step in durative
    )


def numbers_asked(asked: Asked) -> NumbersAsked:
    return NumbersAsked(
        simulator=asked.simulator,
        tokens=asked.tokens,
        policy=asked.policy,
        with_goal=asked.quality is not Quality.SOUND,
        limits=asked.limits,
        accepted=lambda steps: has_quality(asked, steps),
        metric=lambda steps: execute(asked.simulator, Plan(parts=steps), asked.apart).cost,
        engines=asked.engines,
        progress=asked.progress,
    )


def with_answer(asked: Asked, report: Report, answer: Answer) -> Report:
    """Put what was found into a report."""
    response = PlannerResponse(
        status=answer.status.value if answer.engine else "unsupported",
        engine=answer.engines,
        plan=tuple(map(str, answer.plan or ())),
        cost=None if answer.cost is None or answer.cost.denominator > 1 else int(answer.cost),
        lower_bound=None if answer.cost is None or answer.lower.denominator > 1 else int(answer.lower),
        note="" if answer.edits is None else found_by(answer.engine, answer.prover, answer.claims),
    )
    report = replace(report, planner_response=response, proven=bool(answer.prover))
    if answer.plan is None or answer.edits is None:
        return replace(report, reason="; ".join((report.reason, _why_none(asked, answer), *answer.notes)))
    diffs = step_diffs(answer.edits)
    return replace(
        report,
        plan_diff_obj=diffs,
        plan_diff_str=unified(diffs, asked.context),
        repaired_plan=answer.plan,
        repaired_cost=execute(asked.simulator, Plan(parts=answer.plan), asked.apart).cost,
    )


def _why_none(asked: Asked, answer: Answer) -> str:
    if answer.status is Status.UNSOLVABLE:
        return f"no plan is {asked.quality.value}: the goal cannot be reached (proven by {answer.prover})"
    return answer.met("a repaired plan was found") if answer.engine else "no repaired plan"


def on_classical_part(asked: Asked, report: Report, found: Report) -> Report:
    """Take over what was found on the classical part."""
    response = found.planner_response
    if found.repaired_plan is None:
        behind = found.reason.partition("; ")[2]  # what is wrong with the plan is told already
        reason = f"{report.reason}; {behind}" if behind and response.status != "not asked" else report.reason
        return replace(report, reason=reason, planner_response=response, proven=response.no_solution)
    return replace(
        report,
        plan_diff_obj=found.plan_diff_obj,
        plan_diff_str=found.plan_diff_str,
        repaired_plan=found.repaired_plan,
        repaired_cost=execute(asked.simulator, Plan(parts=found.repaired_plan), asked.apart).cost,
        planner_response=response,
        proven=found.proven,
        warnings=tuple(dict.fromkeys((*report.warnings, *found.warnings))),
    )
