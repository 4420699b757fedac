"""The report on a plan for a model beyond classical planning: numbers, time, trajectories, preferences, PDDL+.

Sound and valid are decided by execution. Where what can be executed is decided by the classical part of the model
alone, the repair is looked for on that part, and the cheapest cost on one with the metric as costs; see
``validator.classical_part``.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from fractions import Fraction

from validator.classical_part import Priced, classical_part, priced
from validator.edit import bare
from validator.execute import Simulator
from validator.model import Model
from validator.pddl.write import decimal
from validator.plan import Plan, Step, Token
from validator.planner import Limits, Status
from validator.repair import find_optimum
from validator.report import Interval, PlannerResponse, Quality, Report, sentences
from validator.task import Task, ground
from validator.temporal.course import timeline
from validator.temporal.execution import Execution, execute
from validator.trace import Failure, Kind

__all__ = ["Asked", "faults_of", "report_beyond"]

_ENGINE = "Fast Downward (up-fast-downward)"
_INSTALL = "an engine for numbers, such as up-enhsp, can look for one with --planner where the plan has no times"


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """What is asked of a plan. ``nearest`` repairs the plan on a classical model: see ``report_beyond``."""

    simulator: Simulator
    plan: Plan
    tokens: tuple[Token, ...]
    quality: Quality
    limits: Limits
    epsilon: Fraction
    trace: bool


def report_beyond(asked: Asked, nearest: Callable[[Model], Report] | None) -> Report:
    """Return the report on a plan.

    ``nearest`` checks and repairs the plan on the classical part of the model; None when no repair is asked for.
    """
    execution = execute(asked.simulator, asked.plan, asked.epsilon)
    report = _decided(asked, execution)
    if asked.quality is Quality.OPTIMAL and report.determination is None and not report.reason:
        report = _compared(asked, execution, report)
    if nearest is None or report.determination is not False:
        return report
    if asked.quality is Quality.OPTIMAL:
        return replace(
            report, reason=f"{report.reason}; repairs to cheapest plans are looked for in classical models only"
        )
    part = classical_part(asked.simulator.model, with_constraints=asked.quality is not Quality.SOUND)
    if isinstance(part, str):
        return _without_repair(report, f"the model {part}")
    return _repaired(asked, report, nearest(part))


def _decided(asked: Asked, execution: Execution) -> Report:
    """Return what execution decides; OPTIMAL is left open for a valid plan."""
    failures = execution.failures
    unsettled = execution.open + execution.open_goal
    if asked.quality is Quality.SOUND:
        failures, unsettled = tuple(filter(_is_of_steps, failures)), execution.open
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


# --- the cheapest cost -------------------------------------------------------------------------


def _compared(asked: Asked, execution: Execution, report: Report) -> Report:
    """Compare the metric of a valid plan with the cheapest one, where a classical model tells it."""
    compiled = priced(asked.simulator.model)
    if isinstance(compiled, str):
        return replace(report, reason=f"the cheapest cost is not known: the model {compiled}")
    task = _task(compiled.model, asked.limits)
    if isinstance(task, str):
        return replace(report, reason=f"the cheapest cost is not known: {task}")
    steps = tuple(bare(token) for token in asked.tokens if isinstance(token, Step))
    known = (*steps, *compiled.ending(execution.state.situation()))
    optimum = find_optimum(task, known, asked.limits)
    lower, upper = (_plain(cost, task, compiled) for cost in (optimum.lower, optimum.upper))
    interval = None if lower is None else Interval(lower=lower, upper=upper)
    response = PlannerResponse(
        status=optimum.status.value, engine=_ENGINE, cost=optimum.upper, lower_bound=optimum.lower
    )
    report = replace(report, optimal_cost=interval, planner_response=response)
    assert lower is not None and execution.cost is not None
    if upper is not None and upper < execution.cost:
        return replace(report, determination=False, proven=True, reason=f"a plan of cost {decimal(upper)} exists")
    if lower >= execution.cost:
        return replace(report, determination=True, proven=True, reason="")
    return replace(report, reason=f"the {optimum.status.value} was met before the cheapest cost was proven")


def _task(model: Model, limits: Limits) -> Task | str:
    try:
        task = ground(Simulator(model), limits)
    except ValueError as error:
        return f"the planner cannot be given the model: {error}"
    return f"the {task.value} was met while the model was grounded" if isinstance(task, Status) else task


def _plain(cost: int | None, task: Task, compiled: Priced) -> Fraction | None:
    """Return a cost of the planner's as the metric's value."""
    return None if cost is None else Fraction(cost, task.encoding.scale) + compiled.constant


# --- repair ------------------------------------------------------------------------------------


def _without_repair(report: Report, why: str) -> Report:
    reason = f"{report.reason}; no repair was looked for, since {why}; {_INSTALL}"
    return replace(report, reason=reason, proven=False)


def _repaired(asked: Asked, report: Report, found: Report) -> Report:
    """Take over a repair that was found on the classical part, if it has the quality in the whole model."""
    if found.repaired_plan is None:
        reason = f"{report.reason}; {found.reason}" if found.planner_response.status != "not asked" else report.reason
        no_plan = found.planner_response.no_solution
        return replace(report, reason=reason, planner_response=found.planner_response, proven=no_plan)
    again = execute(asked.simulator, Plan(parts=found.repaired_plan), asked.epsilon)
    faults = [failure for failure in again.failures if asked.quality is not Quality.SOUND or _is_of_steps(failure)]
    if faults or again.open or (again.open_goal and asked.quality is not Quality.SOUND):
        return replace(
            report, reason=f"{report.reason}; the repair of the classical part does not execute", proven=False
        )
    return replace(
        report,
        plan_diff_obj=found.plan_diff_obj,
        plan_diff_str=found.plan_diff_str,
        repaired_plan=found.repaired_plan,
        repaired_cost=again.cost,
        planner_response=found.planner_response,
        proven=found.proven,
        warnings=tuple(dict.fromkeys((*report.warnings, *found.warnings))),
    )


def _is_of_steps(failure: Failure) -> bool:
    """Return whether a fault is one of soundness: the goal is not, and neither is a constraint on the trajectory."""
    return failure.kind is not Kind.GOAL and not (failure.kind is Kind.CONSTRAINT and failure.unmet)


def _is_sound(execution: Execution) -> bool:
    return not any(map(_is_of_steps, execution.failures))


def faults_of(simulator: Simulator, steps: tuple[Token, ...], *, with_goal: bool) -> list[str]:
    """Return what keeps a plan that was found from having the quality, a line for each fault."""
    execution = execute(simulator, Plan(parts=steps))
    failures = [failure for failure in execution.failures if with_goal or _is_of_steps(failure)]
    return [*sentences(failures, steps), *execution.open, *(execution.open_goal if with_goal else ())]


def _reason(unsettled: tuple[str, ...], failures: tuple[Failure, ...], plan: Plan) -> str:
    if not failures:
        return "; ".join(unsettled)
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
