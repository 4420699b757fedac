"""Whether a plan of a model beyond classical planning is a cheapest one, and the nearest of the cheapest plans.

Where a classical model tells the metric, its cheapest cost is Fast Downward's
(``validator.grounding.numbers.classical_part``). Where what steps add to the metric is fixed, our own search and
installed engines look for it (``validator.repair.numbers.nearest``).
"""

from __future__ import annotations

from fractions import Fraction

from validator.alarms import OutOfTime
from validator.checking.beyond.constrained import PricedTask, classical_costs, own_steps
from validator.checking.beyond.repair import lacks_times, numbers_asked, on_classical_part, repaired, with_answer
from validator.checking.beyond.report import Asked, has_quality, left_open
from validator.checking.report import Interval, PlannerResponse, Quality, Report
from validator.execution.time.acts.happening import is_temporal
from validator.execution.time.execution import Execution, execute
from validator.grounding.limits import Status
from validator.grounding.numbers.action_costs import ActionCosts, action_costs
from validator.reading.plan import Plan, Step, bare
from validator.records import replace
from validator.repair.cheapest import Optimum, find_optimum
from validator.repair.diff import step_diffs, unified
from validator.repair.edit import Move, kept_steps
from validator.repair.nearest import repair
from validator.repair.numbers.answer import Answer
from validator.repair.numbers.nearest import cheapest, nearest_of_cheapest
from validator.repair.policy import Policy
from validator.texts import decimal

__all__ = ["NUMBERS", "further"]

NUMBERS = "numbers-in-derived-predicates"
"""what no search looks through; a plan is executed all the same"""

_NO_PLAN = "no plan is optimal: the goal cannot be reached (proven)"


def further(asked: Asked, report: Report, execution: Execution, *, with_repair: bool) -> Report:
    """Return a report with what execution alone does not tell: the repair, and the cheapest cost."""
    if asked.quality is not Quality.OPTIMAL:
        is_wanted = report.determination is False or (report.determination is None and lacks_times(asked))
        if not (with_repair and is_wanted):
            return report
        if asked.apart.together and is_temporal(asked.simulator.model):
            return left_open(report, "with VAL's tolerance no repair is looked for")
        place = asked.simulator.model.features.get(NUMBERS)
        return (
            repaired(asked, report, execution)
            if place is None
            else left_open(report, f"no repair: {NUMBERS} ({place})")
        )
    return (
        report if report.determination is None and report.reason else _compared(asked, report, execution, with_repair)
    )


def _compared(asked: Asked, report: Report, execution: Execution, with_repair: bool) -> Report:
    """Compare the metric of a plan with the cheapest one; a plan that is not valid is only repaired."""
    model = asked.simulator.model
    if NUMBERS in model.features:
        return left_open(report, f"the cheapest cost is not known: {NUMBERS} ({model.features[NUMBERS]})")
    if not asked.engines.is_named and (classical := classical_costs(model)) is not None:
        if report.determination is False and not with_repair:
            return report
        found = asked.classical(*classical)
        if found is not None and _is_same(asked, report, found):
            return _as_classical(asked, report, found)
    elif not asked.engines.is_named and (with_repair or report.determination is None):
        compiled = PricedTask.of(model, asked.limits)
        if not isinstance(compiled, str):
            return _by_classical_model(asked, execution, report, compiled, with_repair=with_repair)
    if report.determination is False and not with_repair:
        return report
    if is_temporal(model):
        from validator.checking.beyond.time_cost import compared_in_time

        return compared_in_time(asked, report, execution, with_repair=with_repair)
    known = action_costs(model)
    if isinstance(known, str):
        return left_open(report, f"the cheapest cost is not known: {known}")
    valid = None if report.determination is False else tuple(bare(t) for t in asked.tokens if isinstance(t, Step))
    answer = cheapest(numbers_asked(asked), known, valid)
    return _told(asked, execution, report, known, answer, with_repair=with_repair)


# --- by our own search -------------------------------------------------------------------------


def _told(
    asked: Asked, execution: Execution, report: Report, known: ActionCosts, answer: Answer, *, with_repair: bool
) -> Report:
    """Say what the cheapest cost that was found means for the plan."""
    if answer.status is Status.UNSOLVABLE and report.determination is False:
        return with_answer(asked, report, answer)
    lower, upper = known.constant + answer.lower, _upper(execution, report, known, answer)
    response = PlannerResponse(
        status=Status.SOLVED.value if lower == upper else answer.status.value, engine=answer.prover or answer.engine
    )
    report = replace(report, optimal_cost=Interval(lower=lower, upper=upper), planner_response=response)
    if report.determination is None and answer.cost is not None:
        cheaper = decimal(known.constant + answer.cost)
        report = replace(report, determination=False, proven=True, reason=f"a plan of cost {cheaper} exists")
    elif report.determination is None and lower == upper:
        return replace(report, determination=True, proven=True, reason="")
    if lower != upper or answer.plan is None:
        unproven = answer.met("the cheapest cost was proven")
        if answer.status is Status.SOLVED and asked.engines.is_named:
            unproven = f"the engine '{answer.engine}' does not prove that its plans are cheapest"
            if answer.claims:
                unproven = f"the engine '{answer.engine}' says that its plan is cheapest, which is no proof here"
        return left_open(report, "; ".join((unproven, *answer.notes)))
    if not with_repair or report.determination is not False:
        return report
    try:
        nearest = nearest_of_cheapest(numbers_asked(asked), known, answer.plan)
    except OutOfTime:  # in what does not look at the clock
        return left_open(report, "the time limit was met before a repaired plan was found")
    return with_answer(asked, report, nearest)


def _upper(execution: Execution, report: Report, known: ActionCosts, answer: Answer) -> Fraction | None:
    """Return the cost of the cheapest plan that is known."""
    if answer.cost is not None:
        return known.constant + answer.cost
    return execution.cost if report.determination is None else None


# --- by a classical model ----------------------------------------------------------------------


def _by_classical_model(
    asked: Asked, execution: Execution, report: Report, compiled: PricedTask, *, with_repair: bool
) -> Report:
    """Compare the metric of a plan with the cheapest one on a classical model that tells it."""
    is_valid = report.determination is None
    steps = tuple(bare(token) for token in asked.tokens if isinstance(token, Step))
    known = compiled.finished(steps, execution.state.situation()) if is_valid else None
    optimum = find_optimum(compiled.task, known, asked.limits)
    response = PlannerResponse(
        status=optimum.status.value, engine=optimum.by, cost=optimum.upper, lower_bound=optimum.lower
    )
    report = replace(report, planner_response=response)
    if optimum.status is Status.UNSOLVABLE:
        return replace(report, proven=True, reason=f"{report.reason}; {_NO_PLAN}")
    lower, upper = compiled.plain(optimum.lower), compiled.plain(optimum.upper)
    assert lower is not None
    report = replace(report, optimal_cost=Interval(lower=lower, upper=upper))
    if is_valid and execution.cost is not None and lower >= execution.cost:
        return replace(report, determination=True, proven=True, reason="")
    if is_valid and upper is not None and execution.cost is not None and upper < execution.cost:
        report = replace(report, determination=False, proven=True, reason=f"a plan of cost {decimal(upper)} exists")
    if lower != upper:
        return left_open(report, f"the {optimum.status.value} was met before the cheapest cost was proven")
    return _nearest_of_cheapest(asked, report, compiled, optimum) if with_repair else report


def _nearest_of_cheapest(asked: Asked, report: Report, compiled: PricedTask, optimum: Optimum) -> Report:
    """Show the nearest of the cheapest plans that is found."""
    try:
        found = repair(
            compiled.task,
            compiled.world.simulator,
            asked.tokens,
            Policy.EDITS,
            asked.limits,
            with_goal=True,
            optimum=optimum,
        )
    except OverflowError:  # costs too large to be counted beside changes
        return left_open(report, "the nearest of the cheapest plans is not looked for")
    if found.edits is None:
        return left_open(report, "the nearest of the cheapest plans was not found")
    edits = tuple(edit for edit in found.edits if own_steps((edit.token,)) or edit.move is not Move.INSERT)
    plan = kept_steps(edits)
    execution = execute(asked.simulator, Plan(parts=plan), asked.apart)
    if not has_quality(asked, plan) or report.optimal_cost is None or execution.cost != report.optimal_cost.upper:
        return left_open(report, "the nearest of the cheapest plans was not found")
    diffs = step_diffs(edits)
    return replace(
        report,
        # Steps by which preferences are given up count as changes, and plans have more of them or fewer.
        proven=found.proven and not compiled.soft,
        plan_diff_obj=diffs,
        plan_diff_str=unified(diffs, asked.context),
        repaired_plan=plan,
        repaired_cost=execution.cost,
        planner_response=replace(report.planner_response, plan=tuple(map(str, plan))),
    )


def _is_same(asked: Asked, report: Report, found: Report) -> bool:
    """Return whether the classical model says of the plan what the model says, and its plans execute there."""
    is_right = found.repaired_plan is None or has_quality(asked, found.repaired_plan)
    return (
        is_right
        and (report.determination is not None or found.cost == report.cost)
        and (found.optimal_cost is not None or found.planner_response.no_solution)
    )


def _as_classical(asked: Asked, report: Report, found: Report) -> Report:
    """Take over the cheapest cost, and the nearest of the cheapest plans, from a model that has the same plans."""
    report = replace(report, optimal_cost=found.optimal_cost)
    if report.determination is False or found.repaired_plan is not None:
        told = on_classical_part(asked, report, found)
        return told if report.determination is False else replace(told, determination=False, reason=found.reason)
    return replace(
        report,
        determination=found.determination,
        reason=found.reason,
        proven=found.proven,
        planner_response=found.planner_response,
    )
