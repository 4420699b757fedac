"""Comparing candidate goals by searches that stop as soon as they have said enough.

Best first and side by side, the cost of each goal's cheapest plan is searched for, with and without the observations.
The planner's lower bounds are read as they come: a search ends when they meet the cost of a plan that is known already,
and when the goal is proven worse than the best one by more than the margin. For the goals that short searches leave
open linear programs give bounds, the order of all further searches, and what stands for a cost until it is proven. What
is not proven in its share of the time is searched again for twice as long, until the time is used.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from fractions import Fraction
from functools import partial
from math import inf
from pathlib import Path
from threading import Event

from validator.alarms import OutOfTime, alarm
from validator.grounding.limits import Limits, Status, deadline_of, hard_limit, left_until
from validator.recognize.dataset import read_texts
from validator.recognize.grounded import beyond, ground_once, observed
from validator.recognize.modified import written_edits
from validator.recognize.posterior import candidates
from validator.recognize.problem import Candidate, Method, Recognition, RecognitionProblem, Settings, Standing, Verdict
from validator.recognize.searches import GoalBounds, Searches
from validator.records import replace
from validator.resources import loading
from validator.texts import is_path, read_text

_FIRST_SHARE = 0.1
"""CPU seconds that a search has at first."""
_SECOND_SHARE = 0.5
"""CPU seconds that a search has once linear programs have said what they know."""
_REACH = 5.0
"""The margin, in units of 1 / beta: a goal that is worse by more has not a hundredth of the best one's weight."""


def recognize(problem: RecognitionProblem, settings: Settings | None = None) -> Recognition:
    """Return which of the candidate goals the observations point to.

    Raises PlannerError when the planner fails, ValueError for a model that it cannot be given.
    """
    return _Recognizer(problem, settings or Settings()).run()


def recognize_goals(
    domain: str | Path,
    problem: str | Path,
    observations: str | Path,
    goals: str | Path | None = None,
    settings: Settings | None = None,
) -> Recognition:
    """Return which of several goals observations point to, each one per line; without goals, the problem's own.

    Each is a text, or the path of a file that is there. Raises InputError for what cannot be read, OSError for a file,
    and what ``recognize`` raises.
    """
    settings = settings or Settings()
    latest = deadline_of(settings.time_limit, settings.memory_limit)  # reading takes its part
    given = (domain, problem, goals, observations)
    texts = [read_text(Path(one)) if isinstance(one, Path) or (one and is_path(one)) else one for one in given]
    read = read_texts(texts[0] or "", texts[1] or "", texts[2], texts[3] or "")
    return recognize(read, replace(settings, time_limit=left_until(latest)))


class _Recognizer:
    """One comparison: what is asked, and what is known of each goal by now."""

    def __init__(self, problem: RecognitionProblem, settings: Settings) -> None:
        self.problem, self.settings = problem, settings
        self.method = Method.SOFT if settings.method is Method.AUTO else settings.method
        self.margin = Fraction(settings.margin if settings.margin is not None else _REACH / settings.beta)
        self.limits = Limits.from_now(settings.time_limit, settings.memory_limit)
        self.goals = GoalBounds.nothing(problem.hypotheses, settings.beta)
        self.searches: Searches | None = None
        """None until it is known what the observations mean for each goal"""
        self._over = Event()

    def run(self) -> Recognition:
        """Compare the goals within the time limit; Ctrl-C ends the searches, and the answer is what they know."""
        try:
            with alarm(hard_limit(self.settings.time_limit)):
                reason = self._compared()
        except OutOfTime:  # in what does not look at the clock
            self._over.set()
            reason = "the time limit was met before the goals were compared" if self.searches is None else ""
        return self._no_answer(reason) if self.searches is None or reason else self._answer(self.searches)

    def _compared(self) -> str:
        """Find out about the goals what can be, or return why nothing can."""
        if why := beyond(self.problem):
            return why
        facts = dict.fromkeys(one.fact for one in self.problem.observations if one.fact is not None)
        grounded = ground_once(self.problem, tuple(facts), self.limits)
        if isinstance(grounded, Status):
            return f"the {grounded.value} was met while the model was grounded"
        price = None if self.method is Method.EXACT else self.settings.discard_cost
        seen = observed(self.problem, grounded, price=price, order=self.settings.order)
        searches = Searches(
            grounded=grounded, observed=seen, limits=self.limits, budget=self.settings.cpu_limit, over=self._over
        )
        for goal, ways in zip(self.goals, grounded.goals, strict=True):
            searches.begin(goal, ways)
        self.searches = searches
        try:
            if self.method is Method.LINEAR:
                self._count(searches, self.goals)
            else:
                self._rounds(searches)
        except KeyboardInterrupt:
            self._over.set()
        return ""

    # --- rounds ------------------------------------------------------------------------------------

    def _rounds(self, searches: Searches) -> None:
        """Search until everything is settled, or the time or each search's share is used."""
        most, reach = self.settings.search_limit or inf, self.margin
        share = min(most, _FIRST_SHARE)
        while not searches.is_over():
            waiting = [goal for goal in self._in_order() if not self._is_settled(goal)]
            if share > _FIRST_SHARE:
                if candidates(self.goals, self.settings, self.method, self.margin)[2]:
                    return  # the best goals are proven, though perhaps not what they cost
                waiting = list(self._contenders(waiting))
            todo = [goal for goal in waiting if goal.tried < share]
            if todo:
                self._reach = reach
                self._spread(partial(self._advance, searches, share=share), todo)
                reach *= 2
            elif any(goal.tried < inf for goal in waiting) and share < most:
                if share == _FIRST_SHARE:
                    self._count(searches, waiting)
                share = min(most, max(2 * share, _SECOND_SHARE))
            else:
                return

    def _contenders(self, goals: Sequence[GoalBounds]) -> Sequence[GoalBounds]:
        """Return those that may yet be among the best, if there are any: they decide which are."""
        best = self._best()
        return [goal for goal in goals if goal.handicapped(goal.least) <= best] or goals

    def _in_order(self) -> list[GoalBounds]:
        """Return the goals, first those that seem to be the best."""
        return sorted(self.goals, key=lambda goal: goal.handicapped(goal.estimate))

    def _count(self, searches: Searches, goals: Sequence[GoalBounds]) -> None:
        """Bound and estimate the costs of goals by linear programs, which share half of the time that is left."""
        try:
            with loading("numpy", "scipy"):
                from validator.recognize.counting import Counting  # scipy, which most recognitions never need
        except MemoryError:
            return
        counting = Counting(problem=searches.problem)
        limits = self.limits.half
        for number, goal in enumerate(goals):
            if goal.has_plan and goal.handicap < inf and limits.seconds and not searches.is_over():
                searches.count(goal, counting, limits.seconds / (len(goals) - number))

    def _spread(self, work: Callable[[GoalBounds], None], goals: Sequence[GoalBounds]) -> None:
        """Do some work for each of the goals, as many at a time as there are workers."""
        if self.settings.workers == 1:
            for goal in goals:
                work(goal)
            return
        with ThreadPoolExecutor(max_workers=self.settings.workers) as pool:
            try:
                for _ in pool.map(work, goals):
                    pass
            except BaseException:
                self._over.set()
                raise

    def _best(self) -> float:
        """Return the least that any goal's handicapped cost difference is known not to be above."""
        reached = (goal for goal in self.goals if goal.has_plan and goal.base_upper is not None)
        return min((goal.handicapped(goal.most) for goal in reached), default=inf)

    def _is_settled(self, goal: GoalBounds) -> bool:
        if goal.is_unsolvable or goal.is_unexplained or goal.is_exact or goal.handicap == inf:
            return True
        return goal.base_upper is not None and goal.handicapped(goal.least) > self._best() + self.margin

    def _advance(self, searches: Searches, goal: GoalBounds, share: float) -> None:
        """Search for a goal's cheapest plan without the observations, and then with them.

        What short searches do not prove is bounded from above as well, by plans that need not be cheapest.
        """
        is_hard = share > _FIRST_SHARE
        is_new = is_hard and goal.tried <= _FIRST_SHARE
        if not searches.is_over() and not goal.is_base_proven:
            searches.base(goal, share)
        if (
            not searches.is_over()
            and not goal.is_base_proven
            and (is_new or (goal.nothing_seen and not goal.is_reached))
        ):
            searches.from_above(goal, share, explains=False)
        if is_hard and not is_new and not goal.is_base_proven:
            return  # without its base no bound of the other cost says much; it is searched on for first
        if not searches.is_over() and goal.base_upper is not None and not self._is_settled(goal):
            searches.explaining(goal, share, lambda: self._reaches(goal))
        if is_new and not searches.is_over() and not self._is_settled(goal):
            searches.from_above(goal, share, explains=True)

    def _reaches(self, goal: GoalBounds) -> float:
        """Return the cost difference up to which a goal is of interest now."""
        return min(float(self._reach), self._best() + float(self.margin) - goal.handicap)

    # --- answers -----------------------------------------------------------------------------------

    def _answer(self, searches: Searches) -> Recognition:
        verdict, found, exact = candidates(self.goals, self.settings, self.method, self.margin)
        ranked = verdict is Verdict.RANKED
        found = tuple(
            one if one.edits is None else replace(one, edits=written_edits(self.problem, one.edits)) for one in found
        )
        return Recognition(
            method=self.method,
            verdict=verdict,
            candidates=found,
            best=tuple(index for index, one in enumerate(found) if ranked and one.rank == 1),
            exact=exact,
            observations=self.problem.observations,
            unmatchable=searches.observed.unmatchable,
            warnings=self.problem.warnings,
        )

    def _no_answer(self, reason: str) -> Recognition:
        unknown = tuple(
            Candidate(hypothesis=one, standing=Standing.BASE_UNKNOWN, rank=1) for one in self.problem.hypotheses
        )
        return Recognition(
            method=self.settings.method,
            verdict=Verdict.NO_ANSWER,
            candidates=unknown,
            best=(),
            exact=False,
            observations=self.problem.observations,
            reason=reason,
            warnings=self.problem.warnings,
        )
