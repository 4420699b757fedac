"""Whether a plan of a model beyond classical planning is a cheapest one, and the nearest of the cheapest plans.

Where a classical model tells the metric, its cheapest cost is that of the planner. Otherwise it is looked for over time
(``validator.repair.time.cheapest``), or by what steps add to values (``validator.repair.numbers.nearest``).
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import TypeAlias

from validator.alarms import OutOfTime
from validator.checking.nonclassical.constrained import PricedTask, own_steps
from validator.checking.nonclassical.repair import (
    Classical,
    lacks_times,
    numeric_question,
    priced,
    repaired,
    temporal_question,
    with_numeric_repair,
    with_temporal_repair,
)
from validator.checking.nonclassical.report import executed, has_quality
from validator.checking.prepared import Prepared
from validator.checking.question import Question
from validator.checking.report import Interval, PlannerResponse, Quality, Report
from validator.checking.verdict import compared, left_open, no_plan
from validator.errors import PlannerError
from validator.execution.time.execution import Execution, not_executed
from validator.execution.time.happening import is_temporal
from validator.grounding.action_costs import ActionCosts, action_costs
from validator.grounding.limits import Limits, Status
from validator.model.values import features_text
from validator.reading.plan import Step, TimedStep, bare
from validator.records import replace
from validator.repair import Policy
from validator.repair.cheapest import find_optimum
from validator.repair.diff import step_diffs
from validator.repair.edit import Move, kept_steps
from validator.repair.nearest import repair
from validator.repair.numbers.nearest import cheapest_with_numbers, nearest_of_cheapest
from validator.repair.proved import CostBounds
from validator.repair.time.cheapest import cheapest_over_time
from validator.repair.time.nearest import nearest_over_time
from validator.repair.time.price import Budget, TimePrice, time_price

_NUMBERS = "numbers-in-derived-predicates"
"""what no search looks through; a plan is executed all the same"""


_Nearest: TypeAlias = Callable[[Report], Report]
"""puts the nearest of the cheapest plans into a report, once their cost is proven"""


def further(
    question: Question, report: Report, execution: Execution, classical: Classical, *, with_repair: bool
) -> Report:
    """Return a report with what execution alone does not tell: the repair, and the cheapest cost."""
    place = question.model.features.get(_NUMBERS)
    if question.quality is Quality.OPTIMAL:
        if report.determination is None and report.reason:
            return report
        if place is not None:
            return left_open(report, f"the cheapest cost is not known: {_NUMBERS} ({place})")
        return _compared(question, report, execution, with_repair)
    is_wanted = report.determination is False or (report.determination is None and lacks_times(question))
    if not (with_repair and is_wanted):
        return report
    if question.apart.together and is_temporal(question.model):
        return left_open(report, "with VAL's tolerance no repair is looked for")
    if place is not None:
        return left_open(report, f"no repair: {_NUMBERS} ({place})")
    return repaired(question, report, execution, classical)


def _compared(question: Question, report: Report, execution: Execution, with_repair: bool) -> Report:
    """Compare the metric of a plan with the cheapest one; a plan that is not valid is only repaired."""
    if report.determination is False and not with_repair:
        return report
    answer = by_cost(question, report, execution) or _by_values(question, report, execution)
    if isinstance(answer, str):
        return left_open(report, f"the cheapest cost is not known: {answer}")
    found, nearest = answer
    if found.status is Status.UNSOLVABLE and report.determination is False:
        return no_plan(report, found.by, how=f"proven by {found.by}")
    return _with_cost(report, found, nearest if with_repair else None)


def _with_cost(report: Report, found: CostBounds, nearest: _Nearest | None) -> Report:
    """Say what the cheapest cost that was found means for the plan."""
    assert found.lower is not None
    status = Status.SOLVED if found.lower == found.upper else found.status
    response = PlannerResponse(status=status.value, engine=found.by)
    interval = Interval(lower=found.lower, upper=found.upper)
    report = compared(replace(report, optimal_cost=interval, planner_response=response), found.lower, found.upper)
    if report.determination:
        return report
    if found.lower != found.upper:
        return left_open(report, found.why)
    if report.determination is not False or nearest is None:
        return report
    try:
        return nearest(report)
    except OutOfTime:  # in what does not look at the clock
        return left_open(report, "the time limit was met before a repaired plan was found")


def _valid_steps(question: Question, report: Report) -> tuple[Step, ...] | None:
    """Return the steps of a plan that is valid, without times; None for another one."""
    if report.determination is False or report.reason:
        return None
    return tuple(bare(token) for token in question.tokens if isinstance(token, Step))


def _by_values(question: Question, report: Report, execution: Execution) -> tuple[CostBounds, _Nearest] | str:
    """Return what is known of the cheapest cost by searches over numbers or time, or why nothing is."""
    if is_temporal(question.model):
        return _over_time(question, report, execution)
    return _with_numbers(question, report)


# --- with numbers ------------------------------------------------------------------------------


def _with_numbers(question: Question, report: Report) -> tuple[CostBounds, _Nearest] | str:
    """Return what is known of the cheapest cost by what steps add to values, or why nothing is."""
    known = action_costs(question.model)
    if isinstance(known, str):
        return known
    answer = cheapest_with_numbers(numeric_question(question), known, _valid_steps(question, report))

    def nearest(report: Report) -> Report:
        assert answer.plan is not None
        return with_numeric_repair(
            question, report, nearest_of_cheapest(numeric_question(question), known, answer.plan)
        )

    bounds = CostBounds(
        status=answer.status,
        lower=known.constant + answer.lower[0],
        upper=None if answer.cost is None else known.constant + answer.cost[0],
        plan=answer.plan,
        by=answer.by,
        why="" if answer.proven else answer.met("the cheapest cost was proven"),
    )
    return bounds, nearest


# --- over time ---------------------------------------------------------------------------------


def _over_time(question: Question, report: Report, execution: Execution) -> tuple[CostBounds, _Nearest] | str:
    """Return what is known of the cheapest plan over time, or why nothing is; a valid plan bounds it."""
    price = time_price(question.model)
    if isinstance(price, str):
        return price
    if question.apart.together:
        return "with VAL's tolerance it is not looked for"
    timed = temporal_question(question, report, execution)
    try:
        steps = timed.reachable()
    except PlannerError:  # which each search says in its way
        steps = Status.STOPPED
    timed = timed if isinstance(steps, Status) else replace(timed, steps=steps)
    known = []
    if report.determination is None:
        known.append(tuple(step for step in question.tokens if isinstance(step, Step)))
    elif question.tokens:
        near = nearest_over_time(replace(timed, limits=question.limits.half))
        known += [] if near.kept is None else [near.plan]
    found = cheapest_over_time(timed, price, question.cost, known)
    plan = None if found.plan is None else tuple(map(TimedStep.of, found.plan))

    def nearest(report: Report) -> Report:
        return _nearest_of_cheapest_over_time(question, report, execution, price, found.plan, found.upper)

    return replace(found, plan=plan), nearest


def _nearest_of_cheapest_over_time(
    question: Question,
    report: Report,
    execution: Execution,
    price: TimePrice,
    plan: tuple[Step, ...] | None,
    most: Fraction | None,
) -> Report:
    """Look for the nearest of the cheapest plans, one of which is known."""
    timed = temporal_question(question, report, execution)
    assert most is not None

    def accepted(steps: tuple[Step, ...]) -> bool:
        cost = question.cost(steps)
        return timed.accepted(steps) and cost is not None and cost <= most

    budget = Budget(price=price, most=most)
    return with_temporal_repair(
        question, report, nearest_over_time(replace(timed, accepted=accepted, budget=budget, known=plan))
    )


# --- by a classical model ----------------------------------------------------------------------


def by_cost(question: Question, report: Report, execution: Execution) -> tuple[CostBounds, _Nearest] | None:
    """Return what is known of the cheapest cost on a classical model that tells the metric; None without one.

    Nor where its cheapest plan is none of the model: values that it leaves out may be missing, or change in two ways.
    """
    compiled = PricedTask.of(question.model, question.limits)
    if isinstance(compiled, str):
        return None
    steps = _valid_steps(question, report)
    known = None if steps is None else compiled.finished(steps, execution.state.situation())
    optimum = find_optimum(compiled.task, known, question.limits)
    plan = None if optimum.plan is None else own_steps(optimum.plan)
    if plan is not None and not has_quality(question, plan):
        return None

    def nearest(report: Report) -> Report:
        try:
            found = repair(
                compiled.task,
                compiled.world.simulator,
                question.tokens,
                Policy.EDITS,
                question.limits,
                with_goal=True,
                optimum=optimum,
            )
        except OverflowError:  # costs too large to be counted beside changes
            return left_open(report, "the nearest of the cheapest plans is not looked for")
        edits = tuple(edit for edit in found.edits or () if own_steps((edit.token,)) or edit.move is not Move.INSERT)
        plan = kept_steps(edits)
        if (
            found.edits is None
            or not has_quality(question, plan)
            or question.cost(plan) != compiled.plain(optimum.upper)
        ):
            return left_open(report, "the nearest of the cheapest plans was not found")
        response = replace(report.planner_response, plan=tuple(map(str, plan)))
        # Steps by which preferences are given up count as changes, and plans have more of them or fewer.
        report = replace(report, proven=found.proven and not compiled.soft, planner_response=response)
        return priced(question, report, step_diffs(edits), plan)

    bounds = CostBounds(
        status=optimum.status,
        lower=compiled.plain(optimum.lower),
        upper=compiled.plain(optimum.upper),
        plan=plan,
        by=optimum.by,
        why="" if optimum.is_proven else f"the {optimum.status.value} was met before the cheapest cost was proven",
    )
    return bounds, nearest


# --- planning ----------------------------------------------------------------------------------


def planned(prepared: Prepared, limits: Limits) -> CostBounds | str:
    """Return what is known of the cheapest plan, or why no plan is looked for. Raises PlannerError."""
    model = prepared.model
    missing = {**not_executed(model), **{name: place for name, place in model.features.items() if name == _NUMBERS}}
    if missing:
        named = features_text(missing)
        return f"plans are not searched for in a model with {named}"
    question = Question.of_empty_plan(prepared, limits)
    report, execution = executed(question)
    best = by_cost(question, report, execution) or _by_values(question, report, execution)
    return _without_cost(question, report, execution, best) if isinstance(best, str) else best[0]


def _without_cost(question: Question, report: Report, execution: Execution, because: str) -> CostBounds:
    """Return a plan of few steps where nobody knows how to compare what plans cost, without a bound of all others."""
    why = f"the cheapest cost is not known: {because}"
    if is_temporal(question.model):
        near = nearest_over_time(temporal_question(question, report, execution))
        plan = None if near.kept is None else tuple(map(TimedStep.of, near.plan))
        cost = None if plan is None else question.cost(plan)
        return CostBounds(status=near.status, lower=None, upper=cost, plan=plan, why=why)
    found = cheapest_with_numbers(numeric_question(question), ActionCosts(), None)
    if found.plan is None:
        return CostBounds(status=found.status, lower=None, why="" if found.proven else why)
    return CostBounds(status=found.status, lower=None, upper=question.cost(found.plan), plan=found.plan, why=why)
