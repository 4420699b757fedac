"""The nearest plan of a model with numbers or trajectory constraints, its cheapest plan, and the nearest of these.

The exact search starts alone. What it has not proven in a second, a greedy search looks for while there is no plan:
then there is an answer, and the exact search goes on below its cost. Every plan is executed before it counts.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from math import ceil, inf

from validator.alarms import OutOfTime
from validator.execution.simulator import Simulator
from validator.grounding.limits import Limits, Status
from validator.grounding.numbers.action_costs import ActionCosts, action_costs
from validator.grounding.numbers.relaxed_reachability import reachable_steps
from validator.model.values import And
from validator.reading.plan import Step, Token, bare
from validator.records import dataclass, replace
from validator.repair.alignment import aligned, minimal_edits
from validator.repair.edit import Edit, Move, Weighting, kept_steps
from validator.repair.greedy.search import Greedy
from validator.repair.incumbent import Progress
from validator.repair.numbers.search import EXACT, Answer, EditSearch
from validator.repair.policy import Policy

__all__ = ["Answer", "Asked", "NumericSearch", "cheapest", "nearest", "nearest_of_cheapest"]

_GREEDY = "plan-validator's greedy search"
_EXECUTION = "execution"
"""proves that a plan without the quality needs a change"""

_HEAD_START = 1.0
"""Seconds that the exact search has for itself."""

_SHARE = 0.5
"""of the time that is left, for a greedy search, at most."""

_ALMOST = 0.95
"""of the time that is left, for the exact search: what it found is put together behind it."""

_FINER = 1000
"""How much smaller differences of cost have to outweigh all changes, where the former ones did not."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """What a plan is wanted for.

    ``accepted`` executes a plan and says whether it has the quality, ``metric`` what one that has it costs.
    """

    simulator: Simulator
    tokens: tuple[Token, ...]
    policy: Policy
    with_goal: bool
    limits: Limits
    accepted: Callable[[tuple[Step, ...]], bool]
    metric: Callable[[tuple[Step, ...]], Fraction | None]
    progress: Progress


def nearest(asked: Asked) -> Answer:
    """Return the nearest plan with a quality. Raises PlannerError when the translator fails."""
    known = ActionCosts(model=asked.simulator.model)
    if asked.policy is not Policy.KEEP:
        return NumericSearch(asked, asked.tokens, Weighting.edits(), known, least=1).run()
    fixed = action_costs(asked.simulator.model)
    if not isinstance(fixed, str) and fixed.is_fixed:
        known = fixed
    weighting, edits = Weighting.keeping(len(asked.tokens)), None
    while True:
        search = NumericSearch(asked, asked.tokens, weighting, known, edits=edits, least=1)
        found = search.run()
        fewer = search.with_fewer_skips(found) if found.proven else found
        if fewer is found:
            return found
        if fewer.edits is None:
            return replace(found, status=fewer.status, proven=False)
        # A skip spared insertions that cost more than it: let it cost more than those of a plan with fewer.
        weighting, edits = replace(weighting, skip=ceil(search.inserted(fewer.edits)) + 1), fewer.edits


def cheapest(asked: Asked, known: ActionCosts, valid: Sequence[Step] | None) -> Answer:
    """Return the cheapest plan of the model, given a valid one or none."""
    edits = None if valid is None else aligned((), valid)
    return NumericSearch(asked, (), Weighting.own_costs(), known, edits=edits).run()


def nearest_of_cheapest(asked: Asked, known: ActionCosts, plan: Sequence[Step]) -> Answer:
    """Return the nearest of the cheapest plans, of which ``plan`` is one."""
    edits, least = aligned(asked.tokens, plan), asked.metric(tuple(plan))
    most = len(edits)
    while True:
        found = NumericSearch(asked, asked.tokens, Weighting.cheapest(most), known, edits=edits).run()
        assert found.plan is not None
        if asked.metric(found.plan) == least:
            return found
        most *= _FINER  # fewer changes made up for a slightly higher cost


class NumericSearch:
    """The searches for the cheapest edits under some weights.

    ``edits`` lead to a plan that is known already; ``least`` is what execution proves that each answer costs.
    """

    def __init__(
        self,
        asked: Asked,
        tokens: Sequence[Token],
        weighting: Weighting,
        known: ActionCosts,
        *,
        edits: tuple[Edit, ...] | None = None,
        least: int = 0,
    ) -> None:
        self.asked, self.tokens, self.weighting, self.known = asked, tokens, weighting, known
        self.lower = Fraction(least)
        self.best: Answer | None = None
        if edits is not None:
            self.best = Answer(status=Status.SOLVED, edits=edits, cost=self.cost(edits))
        self._steps: tuple[Step, ...] | Status | None = None

    def cost(self, edits: Sequence[Edit]) -> Fraction:
        """Return what edits to a plan that has the quality cost."""
        weighting = self.weighting
        total = Fraction(0)
        for edit in edits:
            total += {Move.KEEP: weighting.keep_extra, Move.SKIP: weighting.skip, Move.INSERT: 0}[edit.move]
            if edit.move is Move.INSERT and not weighting.keep:
                assert isinstance(edit.token, Step)
                price = weighting.insert * (self.known.of(edit.token) or 0) + weighting.insert_extra
                total += max(price, Fraction(weighting.insert_least))
            elif edit.move is Move.INSERT:
                total += weighting.insert_extra
        if weighting.keep:  # then it is what an insertion is multiplied by as well
            total += weighting.keep * ((self.asked.metric(kept_steps(edits)) or 0) - self.known.constant)
        return total

    def inserted(self, edits: Sequence[Edit]) -> Fraction:
        """Return what the insertions among edits cost."""
        return self.cost(edits) - self.weighting.skip * _skips(edits)

    def with_fewer_skips(self, answer: Answer) -> Answer:
        """Return a plan that skips fewer lines, the answer itself where none does, one without edits if unknown."""
        skips = _skips(answer.edits or ())
        if not skips:
            return answer
        search = self._exact(Weighting.fewest_skips())
        if isinstance(search, Status):
            return Answer(status=search)
        if skips == search.impossible:
            return answer
        search.bound = Fraction(skips)
        found = search.run(self.asked.limits)
        if found.edits is not None:
            return Answer(status=found.status, edits=found.edits)
        return answer if found.lower >= skips else Answer(status=found.status)

    def run(self) -> Answer:
        """Search until the best edits are proven, or the time is over."""
        limits = self.asked.limits.within(_ALMOST * self.asked.limits.seconds)
        found = Answer(status=Status.TIME_LIMIT)
        try:
            search = self._exact(self.weighting)
            if isinstance(search, Status):
                return self._answer(Answer(status=search))
            search.bound = None if self.best is None else self.best.cost
            found = search.run(limits.within(_HEAD_START))
            if found.status is not Status.TIME_LIMIT:
                return self._answer(found)
            if self.best is None or not (self.tokens or self._is_met()):
                self._first(search)
            if not self._is_met():
                search.bound = None if self.best is None else self.best.cost
                found = search.run(limits)
        except OutOfTime:  # in what does not look at the clock; what the search knew before is true all the same
            pass
        return self._answer(found)

    def _exact(self, weighting: Weighting) -> EditSearch | Status:
        """Return the exact search, or the limit that was met while the reachable steps were looked for."""
        if self._steps is None:
            self._steps = reachable_steps(self.asked.simulator.model, self.asked.limits)
        if isinstance(self._steps, Status):
            return self._steps
        return EditSearch(
            self.asked.simulator,
            self.tokens,
            weighting,
            self.known,
            self._steps,
            with_goal=self.asked.with_goal,
            accepted=self.asked.accepted,
        )

    def _is_met(self) -> bool:
        """Return whether what is known costs no more than anything does."""
        return self._upper <= self.lower

    @property
    def _upper(self) -> Fraction | float:
        return inf if self.best is None or self.best.cost is None else self.best.cost

    def _first(self, search: EditSearch) -> None:
        """Look for a plan by greedy search, near the lines where there are some."""
        asked, limits = self.asked, self.asked.limits.within(_SHARE * self.asked.limits.seconds)
        goal = asked.simulator.model.problem.goal if asked.with_goal else And(())

        def is_over() -> bool:
            return not limits.seconds

        try:
            greedy = Greedy(asked.simulator.model, [ground.step for ground in search.insertable], goal, is_over)
            lines = (bare(token) for token in self.tokens if isinstance(token, Step))
            observed = [step for step in lines if not asked.simulator.malformed(0, step)]
            plan = greedy.near(observed) if self.tokens else greedy.whole()
        except (TimeoutError, MemoryError):  # or no room for what it needs: the exact search goes on
            return
        if plan is None:
            return
        plan = plan if self.tokens else greedy.needed(plan)
        if (edits := minimal_edits(plan, self.tokens, asked.accepted, is_over)) is not None:
            self._better(edits)

    def _better(self, edits: tuple[Edit, ...]) -> None:
        """Take edits to a plan that is accepted, if they are cheaper than what is known."""
        cost = self.cost(edits)
        if cost < self._upper:
            self.best = Answer(status=Status.SOLVED, edits=edits, cost=cost, by=_GREEDY)
            self.asked.progress(0, int(cost))

    def _answer(self, found: Answer) -> Answer:
        """Put together what the searches know."""
        if found.cost is not None and found.cost < self._upper:
            self.best = replace(found, status=Status.SOLVED)
        lower, by = max((found.lower, EXACT), (self.lower, _EXECUTION), key=lambda bound: bound[0])
        if self.best is None:
            return replace(found, lower=lower, proven=found.status is Status.UNSOLVABLE)
        if self._upper <= lower and self.best.cost is not None:
            return replace(self.best, lower=self.best.cost, by=by, proven=True)
        return replace(self.best, lower=lower)


def _skips(edits: Sequence[Edit]) -> int:
    return sum(edit.move is Move.SKIP for edit in edits)
