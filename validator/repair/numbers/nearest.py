"""The nearest plan of a model with numbers or trajectory constraints, its cheapest plan, and the nearest of these.

The exact search starts alone. While it has proven nothing and knows no plan, a greedy search looks for one:
then there is an answer, and the exact search goes on below its cost. Every plan is executed before it counts.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

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
        return _Searches(asked, asked.tokens, _EDITS, ActionCosts(), least=(1, 0)).run()
    known = action_costs(asked.simulator.model)
    known = ActionCosts() if isinstance(known, str) else known
    return _Searches(asked, asked.tokens, _KEEP, known, least=(0, 1)).run()


def cheapest_with_numbers(asked: NumericQuestion, known: ActionCosts, valid: Sequence[Step] | None) -> NumericRepair:
    """Return the cheapest plan of the model, given a valid one or none; its cost is the first sum."""
    edits = None if valid is None else aligned((), valid)
    return _Searches(asked, (), _OWN, known, edits=edits).run()


def nearest_of_cheapest(asked: NumericQuestion, known: ActionCosts, plan: Sequence[Step]) -> NumericRepair:
    """Return the nearest of the cheapest plans, of which ``plan`` is one."""
    return _Searches(asked, asked.tokens, _OWN_THEN_EDITS, known, edits=aligned(asked.tokens, plan)).run()


class _Searches:
    """The searches for the cheapest edits at some prices.

    ``edits`` lead to a plan that is known already; ``least`` is what execution proves that each answer costs.
    """

    def __init__(
        self,
        asked: NumericQuestion,
        tokens: Sequence[Token],
        prices: Prices,
        known: ActionCosts,
        *,
        edits: tuple[Edit, ...] | None = None,
        least: Cost = FREE,
    ) -> None:
        self.asked, self.tokens, self.prices, self.known, self.lower = asked, tokens, prices, known, least
        self.states = States(asked.simulator.model)
        self.best: NumericRepair | None = None
        cost = None if edits is None else prices.of(edits, self.states, known)
        if cost is not None:
            self.best = NumericRepair(status=Status.SOLVED, edits=edits, cost=cost)

    def run(self) -> NumericRepair:
        """Search until the best edits are proven, or the time is over."""
        limits = self.asked.limits.within(_ALMOST * self.asked.limits.seconds)
        found = NumericRepair(status=Status.TIME_LIMIT)
        try:
            steps = reachable_steps(self.asked.simulator.model, self.asked.limits)
            if isinstance(steps, Status):
                return self._answer(NumericRepair(status=steps))
            search = EditSearch(
                self.asked.simulator,
                self.tokens,
                self.prices,
                self.known,
                steps,
                with_goal=self.asked.with_goal,
                accepted=self.asked.accepted,
            )
            search.bound = None if self.best is None else self.best.cost
            found = search.run(limits.within(HEAD_START))
            if found.status is not Status.TIME_LIMIT:
                return self._answer(found)
            if self.best is None or not (self.tokens or self._is_met()):
                self._first(steps)
            if not self._is_met():
                search.bound = None if self.best is None else self.best.cost
                found = search.run(limits)
        except OutOfTime:  # in what does not look at the clock; what the search knew before is true all the same
            pass
        return self._answer(found)

    def _is_met(self) -> bool:
        """Return whether what is known costs no more than anything does."""
        return not self._is_better(self.lower)

    def _is_better(self, cost: Cost | None) -> bool:
        """Return whether something costs less than what is known."""
        return cost is not None and (self.best is None or self.best.cost is None or cost < self.best.cost)

    def _first(self, steps: Sequence[Step]) -> None:
        """Look for a plan by greedy search, near the lines where there are some."""
        asked, limits = self.asked, self.asked.limits.half
        goal = asked.simulator.model.problem.goal if asked.with_goal else And(())

        try:
            greedy = Greedy(asked.simulator.model, steps, goal, limits.is_over)
            lines = (bare(token) for token in self.tokens if isinstance(token, Step))
            observed = [step for step in lines if not asked.simulator.malformed(0, step)]
            plan = greedy.near(observed) if self.tokens else greedy.whole()
        except (TimeoutError, MemoryError):  # or no room for what it needs: the exact search goes on
            return
        if plan is None:
            return
        if (edits := minimal_edits(plan, self.tokens, asked.accepted, limits.is_over)) is not None:
            cost = self.prices.of(edits, self.states, self.known)
            if cost is not None and self._is_better(cost):
                self.best = NumericRepair(status=Status.SOLVED, edits=edits, cost=cost, by=Prover.GREEDY)
                asked.progress(0, int(cost[0] * self.prices.weight + cost[1]))

    def _answer(self, found: NumericRepair) -> NumericRepair:
        """Put together what the searches know."""
        found = replace(found, weight=self.prices.weight)
        if self._is_better(found.cost):
            self.best = replace(found, status=Status.SOLVED)
        lower, by = max((found.lower, Prover.EXACT), (self.lower, Prover.EXECUTION), key=lambda bound: bound[0])
        if self.best is None:
            return replace(found, lower=lower, proven=found.status is Status.UNSOLVABLE)
        best = replace(self.best, weight=self.prices.weight)
        if best.cost is not None and best.cost <= lower:
            return replace(best, lower=best.cost, by=by, proven=True)
        return replace(best, lower=lower)
