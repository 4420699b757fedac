"""A cheapest plan of a model with numbers or time, or the best plan that was found with a bound of all others."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from validator.automata.properties import Property
from validator.checking.beyond.constrained import PricedTask, classical_costs, constrained_part, own_steps
from validator.checking.beyond.cost import NUMBERS
from validator.checking.beyond.repair import numbers_asked
from validator.checking.beyond.report import Asked, decided, has_quality
from validator.checking.beyond.time_cost import cheapest_in_time, why_open
from validator.checking.beyond.time_repair import time_asked
from validator.checking.prepared import Prepared
from validator.checking.report import Quality
from validator.execution.time.acts.happening import is_temporal
from validator.execution.time.execution import APART, execute, not_executed
from validator.grounding.limits import Limits, Status
from validator.grounding.numbers.action_costs import ActionCosts, action_costs
from validator.model.values import Model
from validator.reading.plan import Plan, Step, TimedStep
from validator.records import dataclass
from validator.repair.cheapest import find_optimum
from validator.repair.numbers.nearest import cheapest
from validator.repair.policy import Policy
from validator.repair.time.nearest import nearest
from validator.up.engines.installed import Installed

__all__ = ["Planned", "planned"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Planned:
    """Bounds of the cheapest cost, and the plan of the upper one; None where not known. ``why`` they do not meet."""

    status: Status
    lower: Fraction | None
    upper: Fraction | None = None
    plan: tuple[Step, ...] | None = None
    why: str = ""


def planned(prepared: Prepared, limits: Limits) -> Planned | str:
    """Return what is known of the cheapest plan, or why no plan is looked for. Raises PlannerError."""
    model = prepared.model
    missing = {**not_executed(model), **{name: place for name, place in model.features.items() if name == NUMBERS}}
    if missing:
        named = ", ".join(f"{name} ({place})" for name, place in missing.items())
        return f"plans are not searched for in a model with {named}"
    asked = _asked(prepared, limits)
    if is_temporal(model):
        return _in_time(asked)
    if (classical := classical_costs(model)) is not None:
        beside = _beside(*classical, asked)
        if beside is not None:
            return beside
    compiled = PricedTask.of(model, limits)
    if not isinstance(compiled, str):
        found = find_optimum(compiled.task, None, limits)
        lower, upper = compiled.plain(found.lower), compiled.plain(found.upper)
        steps = None if found.plan is None else own_steps(found.plan)
        if steps is None or has_quality(asked, steps):
            return Planned(status=found.status, lower=lower or Fraction(0), upper=upper, plan=steps)
    return _by_own_search(asked)


def _asked(prepared: Prepared, limits: Limits) -> Asked:
    """Return the question for a cheapest plan, as it is asked of the empty plan."""

    def classical(_: object) -> object:
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
        engines=Installed(None),
        classical=classical,  # type: ignore[arg-type]
    )


def _beside(part: Model, kept: Sequence[Property], asked: Asked) -> Planned | None:
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
    return Planned(status=found.status, lower=lower, upper=upper, plan=found.plan, why=why)


def _in_time(asked: Asked) -> Planned | str:
    report, execution = decided(asked)
    found = cheapest_in_time(asked, report, execution)
    if isinstance(found, str):
        why, near = f"the cheapest cost is not known: {found}", nearest(time_asked(asked, report, execution))
        return Planned(status=near.status, lower=None, why=why) if near.kept is None else _priced(asked, near.plan, why)
    plan = None if found.plan is None else tuple(map(TimedStep.of, found.plan))
    return Planned(status=found.status, lower=found.lower, upper=found.upper, plan=plan, why=why_open(found))


def _by_own_search(asked: Asked) -> Planned:
    known = action_costs(asked.simulator.model)
    if isinstance(known, str):
        return _of_few_steps(asked, f"the cheapest cost is not known: {known}")
    found = cheapest(numbers_asked(asked), known, None)
    upper = None if found.cost is None else known.constant + found.cost
    why = "" if found.prover else found.met("the cheapest cost was proven")
    return Planned(status=found.status, lower=known.constant + found.lower, upper=upper, plan=found.plan, why=why)


def _of_few_steps(asked: Asked, why: str) -> Planned:
    """Return a plan of few steps where nobody knows how to compare what plans cost."""
    found = cheapest(numbers_asked(asked), ActionCosts(model=asked.simulator.model), None)
    if found.plan is None:
        return Planned(status=found.status, lower=None, why="" if found.prover else why)
    return _priced(asked, found.plan, why)


def _priced(asked: Asked, plan: tuple[Step, ...], why: str) -> Planned:
    """Return a plan with what it costs, without a bound of all others."""
    timed = tuple(map(TimedStep.of, plan)) if is_temporal(asked.simulator.model) else plan
    cost = execute(asked.simulator, Plan(parts=timed), asked.apart).cost
    return Planned(status=Status.SOLVED, lower=None, upper=cost, plan=timed, why=why)
