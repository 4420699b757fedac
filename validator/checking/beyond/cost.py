"""Whether a plan of a model beyond classical planning is a cheapest one, and the nearest of the cheapest plans.

Where a classical model tells the metric, its cheapest cost is Fast Downward's
(``validator.grounding.numbers.classical_part``). Where what steps add to the metric is fixed, our own search and
installed engines look for it (``validator.repair.numbers.nearest``).
"""

from __future__ import annotations

from fractions import Fraction

from validator.checking.beyond.repair import lacks_times, numbers_asked, repaired, with_answer
from validator.checking.beyond.report import Asked, left_open
from validator.checking.report import Interval, PlannerResponse, Quality, Report
from validator.checking.seek import ENGINE
from validator.execution.simulator import Simulator
from validator.execution.time.acts.happening import is_temporal
from validator.execution.time.execution import Execution
from validator.grounding.ground import ground
from validator.grounding.limits import Limits, Status
from validator.grounding.numbers.action_costs import ActionCosts, action_costs
from validator.grounding.numbers.classical_part import Priced, priced
from validator.grounding.task import Task
from validator.model.values import Model
from validator.reading.plan import Step, bare
from validator.records import replace
from validator.repair.nearest import find_optimum
from validator.repair.numbers.answer import Answer
from validator.repair.numbers.nearest import cheapest, nearest_of_cheapest
from validator.resources import OutOfTime
from validator.texts import decimal

__all__ = ["NUMBERS", "classical_task", "further", "plain_cost"]

NUMBERS = "numbers-in-derived-predicates"
"""what no search looks through; a plan is executed all the same"""


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
    if not asked.engines.is_named and report.determination is None:
        compiled = priced(model)
        if not isinstance(compiled, str):
            return _by_classical_model(asked, execution, report, compiled)
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


def _by_classical_model(asked: Asked, execution: Execution, report: Report, compiled: Priced) -> Report:
    """Compare the metric of a valid plan with the cheapest one on a classical model that tells it."""
    task = classical_task(compiled.model, asked.limits)
    if isinstance(task, str):
        return replace(report, reason=f"the cheapest cost is not known: {task}")
    steps = tuple(bare(token) for token in asked.tokens if isinstance(token, Step))
    known = (*steps, *compiled.ending(execution.state.situation()))
    optimum = find_optimum(task, known, asked.limits)
    lower, upper = (plain_cost(cost, task, compiled) for cost in (optimum.lower, optimum.upper))
    interval = None if lower is None else Interval(lower=lower, upper=upper)
    response = PlannerResponse(
        status=optimum.status.value, engine=ENGINE, cost=optimum.upper, lower_bound=optimum.lower
    )
    report = replace(report, optimal_cost=interval, planner_response=response)
    assert lower is not None and execution.cost is not None
    if upper is not None and upper < execution.cost:
        return replace(report, determination=False, proven=True, reason=f"a plan of cost {decimal(upper)} exists")
    if lower >= execution.cost:
        return replace(report, determination=True, proven=True, reason="")
    return replace(report, reason=f"the {optimum.status.value} was met before the cheapest cost was proven")


def classical_task(model: Model, limits: Limits) -> Task | str:
    """Return the grounded task of a classical model, or why there is none."""
    try:
        task = ground(Simulator(model), limits)
    except ValueError as error:
        return f"the planner cannot be given the model: {error}"
    return f"the {task.value} was met while the model was grounded" if isinstance(task, Status) else task


def plain_cost(cost: int | None, task: Task, compiled: Priced) -> Fraction | None:
    """Return a cost of the planner's as the metric's value."""
    return None if cost is None else Fraction(cost, task.encoding.scale) + compiled.constant
