"""A cheapest plan of a model with numbers or time, or the best plan that was found with a bound of all others."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from validator.automata.properties import Property
from validator.checking.nonclassical.constrained import classical_costs, constrained_part
from validator.checking.nonclassical.cost import NUMBERS, Cheapest, by_cost, in_time, with_numbers
from validator.checking.nonclassical.repair import numbers_asked, time_asked
from validator.checking.nonclassical.report import Asked, decided, has_quality
from validator.checking.prepared import Prepared
from validator.checking.report import Quality, Report
from validator.execution.time.acts.happening import is_temporal
from validator.execution.time.execution import APART, Execution, not_executed
from validator.grounding.limits import Limits, Status
from validator.grounding.numbers.action_costs import ActionCosts
from validator.model.values import Model
from validator.reading.plan import Plan, TimedStep
from validator.repair.numbers.nearest import cheapest
from validator.repair.policy import Policy
from validator.repair.time.nearest import nearest

__all__ = ["planned"]


def planned(prepared: Prepared, limits: Limits) -> Cheapest | str:
    """Return what is known of the cheapest plan, or why no plan is looked for. Raises PlannerError."""
    model = prepared.model
    missing = {**not_executed(model), **{name: place for name, place in model.features.items() if name == NUMBERS}}
    if missing:
        named = ", ".join(f"{name} ({place})" for name, place in missing.items())
        return f"plans are not searched for in a model with {named}"
    asked = _asked(prepared, limits)
    report, execution = decided(asked)
    if not is_temporal(model):
        classical = classical_costs(model)
        found = None if classical is None else _beside(*classical, asked)
        found = found or by_cost(asked, report, execution)
        if found is not None and (found.plan is None or has_quality(asked, found.plan)):
            return found
    best = (in_time if is_temporal(model) else with_numbers)(asked, report, execution)
    return _without_cost(asked, report, execution, best) if isinstance(best, str) else best


def _asked(prepared: Prepared, limits: Limits) -> Asked:
    """Return the question for a cheapest plan, as it is asked of the empty plan."""

    def classical(part: Model, kept: Sequence[Property]) -> Report | None:
        raise AssertionError("no plan is repaired here")

    return Asked(
        simulator=prepared.simulator,
        plan=Plan(parts=()),
        tokens=(),
        quality=Quality.OPTIMAL,
        policy=Policy.EDITS,
        limits=limits,
        apart=APART,
        trace=False,
        context=None,
        progress=lambda lower, best: None,
        classical=classical,
    )


def _beside(part: Model, kept: Sequence[Property], asked: Asked) -> Cheapest | None:
    """Return what the planner finds on a classical model beside constraints; None where it cannot be asked."""
    limits = asked.limits
    prepared = constrained_part(part, kept, limits, costs_matter=True)
    if prepared is None:
        return None
    task = prepared.task(limits)
    if isinstance(task, Status):
        return None
    found = prepared.optimum(task, None, limits)
    if found.plan is not None and not has_quality(asked, found.plan):
        return None
    start, scale = prepared.simulator.initial_cost, task.encoding.scale
    lower, upper = (None if cost is None else Fraction(cost, scale) + start for cost in (found.lower, found.upper))
    why = "" if found.is_proven else f"the {found.status.value} was met before the cheapest cost was proven"
    return Cheapest(status=found.status, lower=lower, upper=upper, plan=found.plan, by=found.by, why=why)


def _without_cost(asked: Asked, report: Report, execution: Execution, because: str) -> Cheapest:
    """Return a plan of few steps where nobody knows how to compare what plans cost, without a bound of all others."""
    why = f"the cheapest cost is not known: {because}"
    if is_temporal(asked.simulator.model):
        near = nearest(time_asked(asked, report, execution))
        plan = None if near.kept is None else tuple(map(TimedStep.of, near.plan))
        cost = None if plan is None else asked.cost(plan)
        return Cheapest(status=near.status, lower=None, upper=cost, plan=plan, why=why)
    found = cheapest(numbers_asked(asked), ActionCosts(model=asked.simulator.model), None)
    if found.plan is None:
        return Cheapest(status=found.status, lower=None, why="" if found.proven else why)
    return Cheapest(status=found.status, lower=None, upper=asked.cost(found.plan), plan=found.plan, why=why)
