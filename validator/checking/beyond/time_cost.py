"""Whether a plan over time is a cheapest one: an interval of the cheapest cost, and the plan of its upper end."""

from __future__ import annotations

from fractions import Fraction

from validator.checking.beyond.report import Asked, left_open
from validator.checking.beyond.time_repair import time_asked, with_nearest
from validator.checking.report import Interval, PlannerResponse, Report
from validator.errors import PlannerError
from validator.execution.time.execution import Execution, execute
from validator.grounding.limits import Status
from validator.reading.plan import Plan, Step
from validator.records import replace
from validator.repair.time.cheapest import Cheapest, cheapest
from validator.repair.time.nearest import nearest
from validator.repair.time.observed import OWN_SEARCH
from validator.repair.time.price import Budget, time_price
from validator.resources import OutOfTime
from validator.texts import decimal

__all__ = ["cheapest_in_time", "compared_in_time", "why_open"]


def compared_in_time(asked: Asked, report: Report, execution: Execution, *, with_repair: bool) -> Report:
    """Compare the cost of a plan over time with the cheapest one; for one that is not valid, look for that."""
    answer = cheapest_in_time(asked, report, execution)
    if isinstance(answer, str):
        return left_open(report, f"the cheapest cost is not known: {answer}")
    if answer.status is Status.UNSOLVABLE and report.determination is False:
        response = PlannerResponse(status=answer.status.value, engine=OWN_SEARCH)
        why = f"no plan is {asked.quality.value}: the goal cannot be reached (proven by {OWN_SEARCH})"
        return replace(report, planner_response=response, proven=True, reason=f"{report.reason}; {why}")
    response = PlannerResponse(status=answer.status.value, engine=OWN_SEARCH)
    interval = Interval(lower=answer.lower, upper=answer.upper)
    report = replace(report, optimal_cost=interval, planner_response=response)
    if report.determination is None:
        report = _decided(report, execution, answer)
    if answer.lower != answer.upper:
        return left_open(report, why_open(answer))
    return _repaired(asked, report, execution, answer) if with_repair and report.determination is False else report


def cheapest_in_time(asked: Asked, report: Report, execution: Execution) -> Cheapest | str:
    """Return what is known of the cheapest plan over time, or why nothing is; a valid plan bounds it."""
    price = time_price(asked.simulator.model)
    if isinstance(price, str):
        return price
    if asked.apart.together:
        return "with VAL's tolerance it is not looked for"
    if asked.engines.is_named:
        return "engines are not asked for the cheapest plan over time"
    own = time_asked(asked, report, execution)
    try:
        steps = own.reachable()
    except PlannerError:  # which each search says in its way
        steps = Status.STOPPED
    own = own if isinstance(steps, Status) else replace(own, steps=steps)
    known = []
    if report.determination is None:
        known.append(tuple(step for step in asked.tokens if isinstance(step, Step)))
    elif asked.tokens:
        half = replace(asked.limits, deadline=asked.limits.deadline - asked.limits.seconds / 2)
        near = nearest(replace(own, limits=half))
        known += [] if near.kept is None else [near.plan]

    def cost(steps: tuple[Step, ...]) -> Fraction | None:
        return execute(asked.simulator, Plan(parts=steps), asked.apart).cost

    return cheapest(own, price, cost, known)


def _decided(report: Report, execution: Execution, answer: Cheapest) -> Report:
    """Decide whether a valid plan is a cheapest one, as far as the interval tells."""
    assert execution.cost is not None and answer.upper is not None
    if answer.upper < execution.cost:
        why = f"a plan of cost {decimal(answer.upper)} exists"
        return replace(report, determination=False, proven=True, reason=why)
    if answer.lower >= execution.cost:
        return replace(report, determination=True, proven=True, reason="")
    return report


def why_open(answer: Cheapest) -> str:
    """Say why the bounds of the cheapest cost do not meet; empty where they do."""
    if answer.lower == answer.upper or answer.status is Status.UNSOLVABLE:
        return ""
    why = f"the {answer.status.value} was met"
    if answer.status is Status.STOPPED:
        why = answer.doubt or "an order of starts and ends may have other times at which it has the quality"
    return f"the cheapest cost is not proven: {why}"


def _repaired(asked: Asked, report: Report, execution: Execution, answer: Cheapest) -> Report:
    """Look for the nearest of the cheapest plans, one of which is known."""
    own, price, most = time_asked(asked, report, execution), time_price(asked.simulator.model), answer.upper
    assert not isinstance(price, str) and most is not None

    def accepted(steps: tuple[Step, ...]) -> bool:
        found = execute(asked.simulator, Plan(parts=steps), asked.apart)
        return own.accepted(steps) and found.cost is not None and found.cost <= most

    budget = Budget(price=price, most=most)
    try:
        found = nearest(replace(own, accepted=accepted, budget=budget, known=answer.plan))
    except OutOfTime:  # in what does not look at the clock
        return left_open(report, "the time limit was met before a repaired plan was found")
    return with_nearest(asked, report, found)
