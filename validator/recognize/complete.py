"""One goal known: the observed steps completed to the cheapest plan for it that explains them."""

from __future__ import annotations

from fractions import Fraction
from math import inf

from validator.grounding.limits import HEAD_START, Limits, Status
from validator.reading.plan import Step
from validator.recognize.grounded import Grounded, Observed, ground_once, observed
from validator.recognize.modified import Modified, written_edits
from validator.recognize.problem import Hypothesis, Method, RecognitionProblem, Settings, Unmatchable
from validator.recognize.searches import GoalBounds, Searches
from validator.records import dataclass, replace
from validator.render.printed import Printed
from validator.repair.diff import StepDiff, step_diffs
from validator.repair.edit import LARGEST, Edit, Move, kept_steps


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Completion(Printed):
    """The plan that completes the observations.

    ``diffs`` lead from the observations to it: steps that stay are explained observations, added ones were not
    observed, deleted ones are observations that it does not explain. Without a plan, ``status`` says why: UNSOLVABLE
    is a proof that there is none. ``cost`` is the plan's own cost. ``proven``: no plan for the goal leaves fewer
    observations unexplained (or, where they have prices, is cheaper with them), and of those none is cheaper.
    """

    printer = "validator.recognize.output:completion_text"

    hypothesis: Hypothesis
    status: Status
    diffs: tuple[StepDiff, ...] = ()
    plan: tuple[Step, ...] | None = None
    cost: Fraction | None = None
    proven: bool = False
    explained: int = 0
    unexplained: int = 0

    unmatchable: tuple[Unmatchable, ...] = ()
    warnings: tuple[str, ...] = ()


def complete(problem: RecognitionProblem, settings: Settings | None = None) -> Completion:
    """Complete the observations to a plan for the first hypothesis.

    With the method auto as many observations are explained as can be (the policy keep), then the plan is as cheap as
    possible; with ``exact`` all must be, with ``soft`` each that is not costs its price. Raises PlannerError when the
    planner fails, UnsupportedError for a model beyond it, ValueError for one that it cannot be given.
    """
    return _Completing(problem, settings or Settings()).run()


class _Completing:
    """What one completion is made of."""

    def __init__(self, problem: RecognitionProblem, settings: Settings) -> None:
        self.wanted = problem.hypotheses[0]
        self.problem = replace(problem, hypotheses=(self.wanted,))
        self.limits = Limits.from_now(settings.time_limit, settings.memory_limit)
        self.keeps = settings.method not in (Method.EXACT, Method.SOFT)
        self.price = None if settings.method is Method.EXACT else settings.discard_cost
        self.order = settings.order

    def run(self) -> Completion:
        facts = tuple(dict.fromkeys(one.fact for one in self.problem.observations if one.fact is not None))
        grounded = ground_once(self.problem, facts, self.limits)
        if isinstance(grounded, Status):
            return self._ended(grounded)
        seen = observed(self.problem, grounded, price=self.price, order=self.order)
        if not self.keeps:
            return self._searched(grounded, seen)
        unit = Modified(grounded=grounded, observed=seen).unit
        most = min(10**6, LARGEST // (4 * (len(seen.seen) + 1)))
        seen = seen.priced(Fraction(most, unit))
        found = self._searched(grounded, seen)
        return self._with_fewest_skips(grounded, seen, found) if found.status is Status.SOLVED else found

    def _searches(self, grounded: Grounded, seen: Observed, *, is_free: bool = False) -> tuple[Searches, GoalBounds]:
        searches = Searches(grounded=grounded, observed=seen, limits=self.limits, budget=inf, is_free=is_free)
        # The difference to nothing is the cost itself.
        return searches, GoalBounds(hypothesis=self.wanted, ways=grounded.goals[0], base_upper=Fraction(0))

    def _searched(self, grounded: Grounded, seen: Observed) -> Completion:
        """Look for the cheapest plan: a proof, and where that takes long first any plan."""
        searches, goal = self._searches(grounded, seen)
        if not goal.ways or seen.forced is None:
            return self._ended(Status.UNSOLVABLE, seen)
        try:
            status = searches.explaining(goal, HEAD_START)
            if status is Status.TIME_LIMIT and not searches.is_over():
                searches.from_above(goal, self.limits.half.seconds, explains=True)
                status = searches.explaining(goal, inf)
        except KeyboardInterrupt:
            status = Status.INTERRUPTED
        is_met = goal.upper is not None and goal.lower >= goal.upper
        status = Status.SOLVED if is_met else Status.TIME_LIMIT if status is Status.STOPPED else status
        if goal.edits is None or goal.upper is None:
            return self._ended(status, seen)
        fits = searches.problem.fits(int((goal.upper - seen.forced) * searches.problem.unit))
        cost = searches.problem.cost(kept_steps(goal.edits))
        return self._found(status, seen, goal.edits, cost, proven=is_met and fits)

    def _with_fewest_skips(self, grounded: Grounded, seen: Observed, found: Completion) -> Completion:
        """Prove that no plan leaves fewer observations unexplained, or find the cheapest of those that leave fewest.

        In a sum a dear step outweighs an observation, whatever leaving that one unexplained costs; so the fewest are
        proven by themselves.
        """
        left = found.unexplained - len(seen.unmatchable)
        if not left:
            return found
        searches, counting = self._searches(grounded, seen.priced(Fraction(1)), is_free=True)
        status = searches.explaining(counting, inf, lambda: left - 1)
        if counting.lower >= left:
            return found
        if status is not Status.SOLVED or counting.edits is None or counting.upper is None:
            status = Status.TIME_LIMIT if status is Status.STOPPED else status
            return replace(found, status=status, proven=False)
        plan = kept_steps(counting.edits)
        dearer = searches.problem.cost(plan) + 1
        try:
            again = self._searched(grounded, seen.priced(dearer))
        except ValueError:  # such a price is more than the search can hold
            return replace(found, status=Status.COST_LIMIT, proven=False)
        if again.plan is None:
            return replace(found, status=again.status, proven=False)
        is_fewest = again.unexplained - len(seen.unmatchable) == counting.upper
        return again if is_fewest else replace(again, proven=False)

    # --- answers -----------------------------------------------------------------------------------

    def _ended(self, status: Status, seen: Observed | None = None) -> Completion:
        return Completion(
            hypothesis=self.wanted,
            status=status,
            proven=status is Status.UNSOLVABLE,
            unmatchable=() if seen is None else seen.unmatchable,
            warnings=self.problem.warnings,
        )

    def _found(
        self, status: Status, seen: Observed, edits: tuple[Edit, ...], cost: Fraction, *, proven: bool
    ) -> Completion:
        return replace(
            self._ended(status, seen),
            diffs=step_diffs(written_edits(self.problem, edits)),
            plan=self.problem.written(kept_steps(edits)),
            cost=cost,
            proven=proven,
            explained=sum(edit.move is Move.KEEP for edit in edits),
            unexplained=sum(edit.move is Move.SKIP for edit in edits),
        )
