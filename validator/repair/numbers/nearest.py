"""The nearest plan of a model with numbers or trajectory constraints, its cheapest plan, and the nearest of these.

The exact search starts alone. While it has proven nothing and knows no plan, a greedy search looks for one:
then there is an answer, and the exact search goes on below its cost. Every plan is executed before it counts.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress

from validator.alarms import OutOfTime
from validator.execution.simulator import Simulator
from validator.grounding.action_costs import ActionCosts, action_costs
from validator.grounding.limits import HEAD_START, Limits, Status
from validator.grounding.relaxed_reachability import reachable_steps
from validator.grounding.states import States
from validator.model.values import And
from validator.reading.plan import Step, Token, bare
from validator.records import dataclass, replace
from validator.repair import Policy
from validator.repair.alignment import aligned, minimal_edits
from validator.repair.edit import Edit
from validator.repair.incumbent import Progress
from validator.repair.numbers.greedy import Greedy
from validator.repair.numbers.search import FREE, Cost, EditSearch, NumericRepair, Prices
from validator.repair.proved import Prover

__all__ = ["NumericQuestion", "NumericRepair", "cheapest_with_numbers", "nearest_of_cheapest", "nearest_with_numbers"]

_ALMOST = 0.95
"""of the time that is left, for the exact search: what it found is put together behind it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class NumericQuestion:
    """What a plan is wanted for.

    ``accepted`` executes a plan and says whether it has the quality.
    """

    simulator: Simulator
    tokens: tuple[Token, ...]
    policy: Policy
    with_goal: bool
    limits: Limits
    accepted: Callable[[tuple[Step, ...]], bool]
    progress: Progress


_EDITS = Prices(skip=(1, 0), kept=lambda own: FREE, inserted=lambda own: (1, 0))
_KEEP = Prices(skip=(1, 0), kept=lambda own: FREE, inserted=lambda own: (0, max(own, 1)), weight=10**6)
_OWN = Prices(skip=FREE, kept=lambda own: (own, 0), inserted=lambda own: (own, 0))
_OWN_THEN_EDITS = Prices(skip=(0, 1), kept=lambda own: (own, 0), inserted=lambda own: (own, 1), weight=10**6)


def nearest_with_numbers(asked: NumericQuestion) -> NumericRepair:
    """Return the nearest plan with a quality. Raises PlannerError when the translator fails."""
    if asked.policy is not Policy.KEEP:
        return _searched(asked, asked.tokens, _EDITS, ActionCosts(), None, (1, 0))
    known = action_costs(asked.simulator.model)
    return _searched(asked, asked.tokens, _KEEP, ActionCosts() if isinstance(known, str) else known, None, (0, 1))


def cheapest_with_numbers(asked: NumericQuestion, known: ActionCosts, valid: Sequence[Step] | None) -> NumericRepair:
    """Return the cheapest plan of the model, given a valid one or none; its cost is the first sum."""
    return _searched(asked, (), _OWN, known, valid)


def nearest_of_cheapest(asked: NumericQuestion, known: ActionCosts, plan: Sequence[Step]) -> NumericRepair:
    """Return the nearest of the cheapest plans, of which ``plan`` is one."""
    return _searched(asked, asked.tokens, _OWN_THEN_EDITS, known, plan)


def _searched(
    asked: NumericQuestion,
    tokens: Sequence[Token],
    prices: Prices,
    costs: ActionCosts,
    valid: Sequence[Step] | None,
    least: Cost = FREE,
) -> NumericRepair:
    """Return the cheapest edits at some prices, as far as the time goes.

    ``valid`` is a plan that is known already; ``least`` is what execution proves that each answer costs.
    """
    limits, states = asked.limits.within(_ALMOST * asked.limits.seconds), States(asked.simulator.model)
    found, best = NumericRepair(status=Status.TIME_LIMIT), NumericRepair(status=Status.STOPPED)

    def take(edits: tuple[Edit, ...] | None, by: str) -> bool:
        nonlocal best
        cost = None if edits is None else prices.of(edits, states, costs)
        if cost is None or (best.cost is not None and cost >= best.cost):
            return False
        best = NumericRepair(status=Status.SOLVED, edits=edits, cost=cost, by=by)
        return True

    take(None if valid is None else aligned(tokens, valid), Prover.EXACT)
    with suppress(OutOfTime):  # in what does not look at the clock; what a search knew before is true all the same
        steps = reachable_steps(asked.simulator.model, asked.limits)
        if isinstance(steps, Status):
            return _with_proof(best, NumericRepair(status=steps), least, prices.weight)
        search = EditSearch(
            asked.simulator, tokens, prices, costs, steps, with_goal=asked.with_goal, accepted=asked.accepted
        )
        search.bound = best.cost
        found = search.run(limits.within(HEAD_START))
        is_wanted = best.cost is None or (not tokens and best.cost > least)
        if found.status is Status.TIME_LIMIT and is_wanted and take(_greedy(asked, tokens, steps), Prover.GREEDY):
            cost = best.cost or FREE
            asked.progress(0, int(cost[0] * prices.weight + cost[1]))
        if found.status is Status.TIME_LIMIT and (best.cost is None or best.cost > least):
            search.bound = best.cost
            found = search.run(limits)
    return _with_proof(best, found, least, prices.weight)


def _greedy(asked: NumericQuestion, tokens: Sequence[Token], steps: Sequence[Step]) -> tuple[Edit, ...] | None:
    """Look for a plan by greedy search, near the lines where there are some."""
    model, limits = asked.simulator.model, asked.limits.half
    try:
        greedy = Greedy(model, steps, model.problem.goal if asked.with_goal else And(()), limits.is_over)
        lines = (bare(token) for token in tokens if isinstance(token, Step))
        observed = [step for step in lines if not asked.simulator.malformed(0, step)]
        plan = greedy.near(observed) if tokens else greedy.whole()
    except (TimeoutError, MemoryError):  # or no room for what it needs: the exact search goes on
        return None
    return None if plan is None else minimal_edits(plan, tokens, asked.accepted, limits.is_over)


def _with_proof(best: NumericRepair, found: NumericRepair, least: Cost, weight: int) -> NumericRepair:
    """Put together what the searches know: the best edits so far, and what the exact search found."""
    lower, by = max((found.lower, Prover.EXACT), (least, Prover.EXECUTION), key=lambda bound: bound[0])
    if found.cost is not None and (best.cost is None or found.cost < best.cost):
        best = replace(found, status=Status.SOLVED)
    if best.cost is None:
        return replace(found, lower=lower, proven=found.status is Status.UNSOLVABLE, weight=weight)
    if best.cost <= lower:
        return replace(best, lower=best.cost, by=by, proven=True, weight=weight)
    return replace(best, lower=lower, weight=weight)
