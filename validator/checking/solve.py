"""``solve``: a cheapest plan of a model with the proof that none is cheaper, or a plan and a bound of all others."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING

from validator.alarms import OutOfTime, alarm
from validator.checking.prepared import Prepared, prepare
from validator.grounding.limits import DEFAULT_MEMORY_LIMIT, DEFAULT_TIME_LIMIT, Limits, Status, hard_limit
from validator.model.values import Domain, Model, Problem
from validator.reading.plan import Token
from validator.records import dataclass
from validator.render.printed import Printed
from validator.texts import decimal

if TYPE_CHECKING:
    from unified_planning.model import Problem as UpProblem


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Solution(Printed):
    """The cheapest plan of a model, or what is known about it.

    ``status`` is "solved", "unsolvable", "unsupported", or the limit that was reached; ``reason`` says why there is no
    answer. ``proven``: the plan is proven cheapest or, without a plan, it is proven that there is none. ``lower_bound``
    is a proven bound of the cost, None if none is known. Costs are values of the metric; without one, numbers of steps,
    or the makespan of a plan over time.
    """

    status: str
    reason: str = ""
    proven: bool = False
    lower_bound: Fraction | None = None
    cost: Fraction | None = None
    plan: tuple[Token, ...] | None = None
    warnings: tuple[str, ...] = ()

    @property
    def text(self) -> str:
        """Return the steps and what they cost, as a comment of a plan; or why there is no plan."""
        price = "" if self.plan is None else "; "
        return "".join(f"{line}\n" for line in (*map(str, self.plan or ()), f"{price}{self._headline()}"))

    def _headline(self) -> str:
        if self.plan is not None:
            return self.price
        return "no plan: the goal cannot be reached (proven)" if self.proven else f"no plan found: {self.reason}"

    @property
    def price(self) -> str:
        """Return what a plan costs, and whether that is the least."""
        cost = "cost unknown" if self.cost is None else f"cost {decimal(self.cost)}"
        if self.proven:
            return f"{cost}, proven cheapest"
        if self.lower_bound is None:
            return f"{cost}, not proven cheapest: {self.reason}"
        return f"{cost}, not proven cheapest: at least {decimal(self.lower_bound)}"


def solve(
    domain: str | Path | Domain | Model | Prepared | UpProblem,
    problem: str | Path | Problem | None = None,
    *,
    time_limit: float = DEFAULT_TIME_LIMIT,
    memory_limit: int = DEFAULT_MEMORY_LIMIT,
) -> Solution:
    """Find a cheapest plan of a model, or prove that there is none.

    Takes what ``prepare`` takes. Limits are in seconds and, for each process of the planner, in bytes; what was found
    until a limit is returned. Proven answers are kept with the model. Raises as
    ``prepare``, and PlannerError when the planner fails.
    """
    limits = Limits.from_now(time_limit, memory_limit)
    try:
        with alarm(hard_limit(time_limit)):
            return _solved(prepare(domain, problem), limits)
    except OutOfTime:
        return Solution(status=Status.TIME_LIMIT.value, reason=f"the {Status.TIME_LIMIT.value} was met")


def _solved(model: Prepared, limits: Limits) -> Solution:
    if model.model.features:
        return _beyond(model, limits)
    try:
        task = model.task(limits)
    except ValueError as error:
        return Solution(status="unsupported", reason=f"the planner cannot be given the model: {error}")
    if isinstance(task, Status):
        return Solution(status=task.value, reason=f"the {task.value} was met while the model was grounded")
    found = model.optimum(task, None, limits)
    if found.plan is not None and model.simulator.measure is None:
        why = "the metric is not the minimum of total-cost, the only one whose cheapest value is known"
        return Solution(
            status=found.status.value, reason=why, cost=model.simulator.run(found.plan).cost, plan=found.plan
        )
    scale, start = task.encoding.scale, model.simulator.initial_cost
    return Solution(
        status=found.status.value,
        reason="" if found.plan is not None or found.is_proven else f"the {found.status.value} was met",
        proven=found.is_proven,
        lower_bound=Fraction(found.lower, scale) + start,
        cost=None if found.upper is None else Fraction(found.upper, scale) + start,
        plan=found.plan,
    )


def _beyond(model: Prepared, limits: Limits) -> Solution:
    """Plan for a model with numbers, time or preferences."""
    from validator.checking.nonclassical.cost import planned

    found = planned(model, limits)
    if isinstance(found, str):
        return Solution(status="unsupported", reason=found)
    is_settled = found.upper == found.lower if found.plan is not None else found.status is Status.UNSOLVABLE
    return Solution(
        status=Status.SOLVED.value if found.plan is not None else found.status.value,
        reason=found.why,
        proven=is_settled,
        lower_bound=found.lower,
        cost=found.upper,
        plan=found.plan,
    )
