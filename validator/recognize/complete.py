"""One goal known: the observed steps completed to the cheapest plan for it that explains them."""

from __future__ import annotations

import time
from concurrent.futures import ThreadPoolExecutor, wait
from fractions import Fraction
from threading import Event

from validator.errors import UnsupportedError
from validator.grounding.limits import Limits, Outcome, Status
from validator.grounding.planner import search
from validator.reading.plan import Token
from validator.recognize.problem import Hypothesis, Method, RecognitionProblem, Settings, Unmatchable
from validator.recognize.search.compile import Compiler
from validator.recognize.search.grounded import Grounded, Ways, beyond, ground_once
from validator.recognize.search.known import Known
from validator.recognize.search.observed import Observed, observed
from validator.recognize.search.recheck import check_plan, plan_cost, steps_of, strategy, written_edits
from validator.recognize.search.states.numbers import number_search
from validator.records import dataclass, replace
from validator.repair.diff import StepDiff, step_diffs
from validator.repair.edit import LARGEST, Edit, Move
from validator.texts import decimal

__all__ = ["Completion", "complete"]

_KEEPING = Fraction(10**60)
"""A price that is more than any plan costs, in models with numbers, whose costs may have any size."""
_HEAD_START = 0.5
"""Seconds that the proof has for itself."""
_CLIMB = (
    ("let(h, ff(), lazy_greedy([h], preferred=[h]{bound}))", 0.4),
    ("let(h, ff(), lazy_wastar([h], preferred=[h], w=3{bound}))", 0.5),
    ("let(h, ff(), lazy_wastar([h], preferred=[h], w=1{bound}))", 1.0),
)
"""What looks for better and better plans beside the proof, each with its share of the time that is left."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Completion:
    """The plan that completes the observations.

    ``diffs`` lead from the observations to it: steps that stay are explained observations, added ones were not
    observed, deleted ones are observations that it does not explain. Without a plan, ``status`` says why: UNSOLVABLE
    is a proof that there is none. ``cost`` is the plan's own cost. ``proven``: no plan for the goal leaves fewer
    observations unexplained (or, where they have prices, is cheaper with them), and of those none is cheaper. It is not
    where not all was understood: there may be more that another plan explains.
    """

    hypothesis: Hypothesis
    status: Status
    diffs: tuple[StepDiff, ...] = ()
    plan: tuple[Token, ...] | None = None
    cost: Fraction | None = None
    proven: bool = False
    explained: int = 0
    unexplained: int = 0

    def _repr_html_(self) -> str:
        """Return the plan as a notebook shows it."""
        from validator.render.html.page import preformatted

        cost = "" if self.cost is None else f", cost {decimal(self.cost)}{' (proven)' if self.proven else ''}"
        return preformatted("\n".join((f"{self.hypothesis.text}: {self.status.value}{cost}", *map(str, self.diffs))))

    unmatchable: tuple[Unmatchable, ...] = ()
    warnings: tuple[str, ...] = ()


def complete(problem: RecognitionProblem, settings: Settings | None = None, hypothesis: int = 0) -> Completion:
    """Complete the observations to a plan for one of the hypotheses.

    With the method auto as many observations are explained as can be (the policy keep), then the plan is as cheap as
    possible; with ``exact`` all must be, with ``soft`` each that is not costs its price. Raises PlannerError when the
    planner fails, ValueError for a model that it cannot be given.
    """
    found = _completed(problem, settings or Settings(), hypothesis)
    return replace(found, proven=False) if problem.missed and found.plan is not None else found


def _completed(problem: RecognitionProblem, settings: Settings, hypothesis: int) -> Completion:
    settings = settings.scaled(problem.unit)
    limits = Limits(deadline=time.monotonic() + settings.time_limit, memory=settings.memory_limit)
    facts = tuple(dict.fromkeys(one.fact for one in problem.observations if one.fact is not None))
    wanted = problem.hypotheses[hypothesis]
    if beyond(problem):
        return _by_numbers(problem, settings, wanted, limits)
    grounded = ground_once(replace(problem, hypotheses=(wanted,)), facts, limits)
    if isinstance(grounded, Status):
        return Completion(hypothesis=wanted, status=grounded, warnings=problem.warnings)
    return _Completing(problem, settings, wanted, grounded, limits).run()


def _by_numbers(problem: RecognitionProblem, settings: Settings, wanted: Hypothesis, limits: Limits) -> Completion:
    """Complete the observations in a model with numbers. Raises UnsupportedError for one that has more than those."""
    keeps = settings.method not in (Method.EXACT, Method.SOFT)
    price = None if settings.method is Method.EXACT else settings.discard_cost
    seen = [replace(one, price=None) for one in problem.observations] if keeps else problem.observations
    found_by = number_search(problem, seen, settings, _KEEPING if keeps else price, limits)
    if isinstance(found_by, Status):
        return Completion(hypothesis=wanted, status=found_by, warnings=problem.warnings)
    if isinstance(found_by, str):
        raise UnsupportedError(found_by)
    goal = Known(hypothesis=wanted)
    found_by.begin(goal, settings.missing_cost)
    found_by.run([goal], limits, settings.cpu_limit, lambda: goal.edits is not None)
    found = Completion(
        hypothesis=wanted,
        status=Status.TIME_LIMIT,
        unmatchable=found_by.observed.unmatchable,
        warnings=problem.warnings,
    )
    if not goal.has_plan:
        return replace(found, status=Status.UNSOLVABLE, proven=True)
    if goal.edits is None or goal.upper is None:
        return found
    explained, unexplained = (sum(edit.move is move for edit in goal.edits) for move in (Move.KEEP, Move.SKIP))
    plan = steps_of(goal.edits)
    cost = found_by.cost(plan)
    return replace(
        found,
        status=Status.SOLVED,
        diffs=step_diffs(written_edits(problem, goal.edits)),
        plan=problem.written(plan),
        cost=cost,
        proven=not (keeps and cost >= _KEEPING),
        explained=explained,
        unexplained=unexplained,
    )


class _Completing:
    """The proof and the search for better plans, side by side."""

    def __init__(
        self,
        problem: RecognitionProblem,
        settings: Settings,
        wanted: Hypothesis,
        grounded: Grounded,
        limits: Limits,
    ) -> None:
        self.problem, self.settings, self.wanted, self.grounded, self.limits = (
            problem,
            settings,
            wanted,
            grounded,
            limits,
        )
        self.observed = self._observed()
        self.best: tuple[int, tuple[Edit, ...]] | None = None
        self._begin()

    def _begin(self) -> None:
        """Know no bound yet; costs are counted as the prices of the observations ask for."""
        self.compiler = Compiler(grounded=self.grounded, observed=self.observed)
        self.lower = 0
        self.over = Event()

    @property
    def _keeps(self) -> bool:
        return self.settings.method not in (Method.EXACT, Method.SOFT)

    def _observed(self) -> Observed:
        """Return the observations, with prices by the method: for the policy keep more than all else together."""
        settings = self.settings
        found = observed(
            self.problem,
            self.grounded,
            self.problem.observations,
            price=None if settings.method is Method.EXACT else settings.discard_cost,
            missing=settings.missing_cost,
            order=settings.order,
        )
        if not self._keeps:
            return found
        unit = Compiler(grounded=self.grounded, observed=found).unit
        most = min(int(10**6 * self.problem.unit), LARGEST // (4 * (len(found.seen) + 1)))
        return found.priced(Fraction(most, unit))

    def run(self) -> Completion:
        goal = self.grounded.goals[0]
        if not goal or self.observed.forced is None:
            return self._answer(Status.UNSOLVABLE)
        if not self.observed.seen and any(self.grounded.is_initial(way) for way in goal):
            self.best = (0, self.compiler.edits(()))
            return self._answer(Status.SOLVED)
        status = self._raced(goal)
        return self._fewest(goal) if status is Status.SOLVED and self._keeps else self._answer(status)

    def _raced(self, goal: Ways) -> Status:
        """Look for the cheapest plan, and say how that ended."""
        text = self.compiler.explaining(goal)
        with ThreadPoolExecutor(max_workers=2) as pool:
            try:
                proof = pool.submit(self._prove, text)
                wait([proof], timeout=min(_HEAD_START, self.limits.seconds))
                if not proof.done():
                    pool.submit(self._climb, text).result()
                outcome = proof.result()
            except KeyboardInterrupt:
                outcome = Outcome(status=Status.INTERRUPTED)
            finally:
                self.over.set()
        if outcome.status is Status.SOLVED:
            self._offer(outcome)
        return Status.SOLVED if self._is_met() else outcome.status

    def _fewest(self, goal: Ways) -> Completion:
        """Prove that no plan leaves fewer observations unexplained, or find the cheapest of those that leave fewest.

        In a sum a dear step outweighs an observation, whatever leaving that one unexplained costs; so the fewest are
        proven by themselves.
        """
        left, found = self._left(), self._answer(Status.SOLVED)
        if not left:
            return found
        counting = Compiler(grounded=self.grounded, observed=self.observed.priced(Fraction(1)), is_free=True)
        outcome = search(counting.explaining(goal), strategy(self.grounded), self.limits, lambda bound: bound >= left)
        if outcome.lower_bound >= left or (outcome.status is Status.SOLVED and outcome.cost == left):
            return found
        if outcome.status is not Status.SOLVED:
            return replace(found, status=outcome.status, proven=False)
        plan = steps_of(self.compiler.edits(outcome.plan))
        dearer = plan_cost(self.grounded, plan) + len(plan) * self.observed.missing + 1
        self.observed, self.best = self.observed.priced(dearer), None
        try:
            self._begin()
            again = self._answer(self._raced(goal))
        except ValueError:  # such a price is more than the search can hold
            return replace(found, status=Status.COST_LIMIT, proven=False)
        if again.plan is None:
            return replace(found, status=again.status, proven=False)
        return again if self._left() == outcome.cost else replace(again, proven=False)

    def _left(self) -> int:
        """Return how many observations the best plan leaves unexplained that some step or state could explain."""
        skipped = sum(edit.move is Move.SKIP for edit in self.best[1]) if self.best is not None else 0
        return skipped - len(self.observed.unmatchable)

    def _prove(self, text: str) -> Outcome:
        def stop(bound: int) -> bool:
            self.lower = max(self.lower, bound)
            return self.over.is_set() or self._is_met()

        outcome = search(text, strategy(self.grounded), self.limits, stop)
        if outcome.status is Status.SOLVED:
            self.lower = max(self.lower, outcome.cost or 0)
        if outcome.status in (Status.SOLVED, Status.UNSOLVABLE) or self._is_met():
            self.over.set()
        return outcome

    def _climb(self, text: str) -> None:
        for rung, share in _CLIMB:
            if self.over.is_set():
                return
            bound = "" if self.best is None else f", bound={self.best[0]}"
            within = replace(self.limits, deadline=time.monotonic() + share * self.limits.seconds)
            outcome = search(text, rung.format(bound=bound), within, lambda _: self.over.is_set())
            if outcome.status is Status.SOLVED:
                self._offer(outcome)
                if self._is_met():
                    self.over.set()

    def _is_met(self) -> bool:
        return self.best is not None and self.lower >= self.best[0]

    def _offer(self, outcome: Outcome) -> None:
        """Take a plan that is cheaper than the best one, after executing it."""
        edits = self.compiler.edits(outcome.plan)
        assert outcome.cost is not None
        check_plan(self.grounded, self.wanted, self.observed, edits)
        if self.best is None or outcome.cost < self.best[0]:
            self.best = (outcome.cost, edits)

    def _answer(self, status: Status) -> Completion:
        common = Completion(
            hypothesis=self.wanted,
            status=status,
            proven=status is Status.UNSOLVABLE,
            unmatchable=self.observed.unmatchable,
            warnings=self.problem.warnings,
        )
        if self.best is None:
            return common
        edits = self.best[1]
        plan = steps_of(edits)
        return replace(
            common,
            diffs=step_diffs(written_edits(self.problem, edits)),
            plan=self.problem.written(plan),
            cost=plan_cost(self.grounded, plan),
            proven=self._is_met() and self.compiler.fits(self.best[0]),
            explained=sum(edit.move is Move.KEEP for edit in edits),
            unexplained=sum(edit.move is Move.SKIP for edit in edits),
        )
