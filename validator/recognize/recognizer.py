"""Comparing candidate goals by searches that stop as soon as they have said enough.

First the landmarks, which rank all goals at once; then, best first and side by side, for each goal the cost of its
cheapest plan with and without the observations. The planner's lower bounds are read as they come: a search ends when
they meet the cost of a plan that is known already, and when the goal is proven worse than the best one by more than
the margin. For the goals that short searches leave open linear programs give bounds, the order of all further searches,
and what stands for a cost until it is proven. What is not proven in its share of the time is searched again for twice
as long, until the time is used.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from fractions import Fraction
from math import inf
from pathlib import Path
from threading import Event

from validator.alarms import OutOfTime, alarm
from validator.checking.limits import left_until, with_patience
from validator.grounding.limits import Limits, Status
from validator.recognize.inputs.dataset import read_texts
from validator.recognize.posterior import candidates
from validator.recognize.problem import (
    Candidate,
    Method,
    Observation,
    Posterior,
    Recognition,
    RecognitionProblem,
    Settings,
    Standing,
    Verdict,
)
from validator.recognize.search.bounds import Known
from validator.recognize.search.grounded import Grounded, Observed, beyond, ground_once, observed
from validator.recognize.search.landmarks import Landmarks, find_landmarks
from validator.recognize.search.modified import written_edits
from validator.recognize.search.numbers import number_search
from validator.recognize.search.searches import Searches
from validator.records import replace
from validator.resources import loading
from validator.texts import read_text

__all__ = ["Recognizer", "recognize", "recognize_goals"]

_FIRST_SHARE = 0.1
"""CPU seconds that a search has at first."""
_SECOND_SHARE = 0.5
"""CPU seconds that a search has once linear programs have said what they know."""
_PROGRAM, _PROGRAMS = 2.0, 0.3
"""Seconds that a linear program may take, and the part of the time that is left that they may take together."""
_SEARCH = 0.03
"""Seconds that two short searches take at least: with less time than that for each goal, none is begun."""
_REACH = 5.0
"""The margin, in units of 1 / beta: a goal that is worse by more has not a hundredth of the best one's weight."""


def recognize(problem: RecognitionProblem, settings: Settings | None = None) -> Recognition:
    """Say which of the candidate goals the observations speak for.

    Raises PlannerError when the planner fails, ValueError for a model that it cannot be given.
    """
    recognizer = Recognizer(problem, settings or Settings())
    return recognizer.recognize(problem.observations)


def recognize_goals(
    domain: str | Path,
    problem: str | Path,
    observations: str | Path,
    goals: str | Path | None = None,
    settings: Settings | None = None,
) -> Recognition:
    """Say which of several goals, one a line, observations speak for, one a line; without goals, the problem's own.

    Each is the ``Path`` of a file, or a text; ``validator.recognize_goals`` is this function. Raises InputError for
    what cannot be read, OSError for a file, and what ``recognize`` raises.
    """
    settings = settings or Settings()
    latest = time.monotonic() + settings.time_limit  # reading takes its part
    texts = [read_text(one) if isinstance(one, Path) else one for one in (domain, problem, goals, observations)]
    read = read_texts(texts[0] or "", texts[1] or "", texts[2], texts[3] or "")
    return recognize(read, replace(settings, time_limit=left_until(latest)))


class Recognizer:
    """Recognition on one model: grounding, landmarks and costs are kept from one set of observations to the next."""

    def __init__(
        self,
        problem: RecognitionProblem,
        settings: Settings,
        *,
        answers_interrupted: bool = True,
    ) -> None:
        self.problem = problem
        self.settings = settings = settings.scaled(problem.unit)
        self._answers_interrupted = answers_interrupted
        """whether Ctrl-C ends the searches alone, and the answer is what they know by then"""
        self.margin = Fraction(settings.margin if settings.margin is not None else _REACH / settings.beta)
        self._forget()
        self.method: Method = settings.method
        self.observed: Observed
        self._over = Event()
        self._has_begun = False
        """whether what the observations mean for each goal is known"""

    def _forget(self) -> None:
        """Begin as if nothing had been observed and nothing were known."""
        self.goals = Known.nothing(self.problem.hypotheses, self.settings.beta)
        self.observations: tuple[Observation, ...] = ()
        self._grounded: tuple[Grounded, Landmarks] | None = None

    def recognize(self, observations: Sequence[Observation]) -> Recognition:
        """Compare the goals in the light of these observations.

        When they continue those of the call before, what is known of each goal is used again.
        """
        self._over.clear()
        self._has_begun = False
        self.limits = Limits(deadline=time.monotonic() + self.settings.time_limit, memory=self.settings.memory_limit)
        observations = tuple(observations)
        try:
            with alarm(with_patience(self.settings.time_limit)):
                reason = self._compared(observations)
        except OutOfTime:  # in what does not look at the clock
            self._over.set()
            if not self._has_begun:
                self._forget()  # what is half done would be taken for what is known
                return self.passed_over(observations)
            reason = ""
        return self._no_answer(observations, reason) if reason else self._answer()

    def _compared(self, observations: tuple[Observation, ...]) -> str:
        """Find out about the goals what can be, or return why nothing can."""
        settings = self.settings
        if self.problem.missed and settings.posterior is Posterior.RG2010:
            return f"not all was understood: {self.problem.missed[0]}"
        if why := beyond(self.problem):
            return self._by_numbers(observations, why)
        grounded = self._ground(observations)
        if isinstance(grounded, Status):
            return f"the {grounded.value} was met while the model was grounded"
        self._begin(*grounded, observations)
        if self.method is Method.LANDMARKS:
            return ""
        try:
            if self.method is Method.LINEAR:
                self._count(self.goals)
            else:
                self._rounds()
            if settings.posterior is Posterior.RG2010:
                todo = [goal for goal in self.goals if goal.needs_avoiding and not goal.cannot_avoid]
                self._spread(self._searches.avoiding, todo, settings.search_limit or _SECOND_SHARE)
        except KeyboardInterrupt:
            self._over.set()
            if not self._answers_interrupted:
                raise
        return ""

    def _by_numbers(self, observations: tuple[Observation, ...], why: str) -> str:
        """Compare the goals of a model beyond the planner, which ``why`` tells, by a search of our own where it can."""
        settings = self.settings
        if settings.method not in (Method.AUTO, Method.SOFT, Method.EXACT) or settings.posterior is Posterior.RG2010:
            asked = settings.posterior if settings.posterior is Posterior.RG2010 else settings.method
            return f"{asked.value} needs the planner: {why}"
        self.method = Method.SOFT if settings.method is Method.AUTO else settings.method
        search = number_search(self.problem, observations, settings, self._price, self.limits)
        if isinstance(search, Status):
            return f"the {search.value} was met while the model was grounded"
        if isinstance(search, str):
            return search
        self.observations, self.observed = observations, search.observed
        for goal in self.goals:
            search.begin(goal)
        self._has_begun = True
        search.run(self.goals, self.limits, settings.cpu_limit, lambda: all(map(self._is_settled, self.goals)))
        return ""

    # --- preparations ------------------------------------------------------------------------------

    @property
    def _price(self) -> Fraction | None:
        """Return what it costs to leave an observation unexplained; None where that is not allowed."""
        return None if self.method is Method.EXACT else self.settings.discard_cost

    def _ground(self, observations: Sequence[Observation]) -> tuple[Grounded, Landmarks] | Status:
        """Return the grounding; a fact that was not observed before has to be grounded with the rest."""
        facts = {one.fact: None for one in observations if one.fact is not None}
        known = {} if self._grounded is None else self._grounded[0].facts
        if self._grounded is None or not known.keys() >= facts.keys():
            grounded = ground_once(self.problem, tuple({**known, **facts}), self.limits)
            if isinstance(grounded, Status):
                return grounded
            self._grounded = grounded, find_landmarks(grounded)
        return self._grounded

    def _begin(self, grounded: Grounded, landmarks: Landmarks, observations: tuple[Observation, ...]) -> None:
        """Take new observations into account: bounds that still hold, plans that explain them too."""
        settings = self.settings
        self.method = self._method()
        is_2010 = self.method is Method.EXACT and settings.posterior is Posterior.RG2010
        if is_2010 and any(one.fact or one.after for one in observations):
            raise ValueError("the posterior rg2010 is defined for observed steps in order only, not for facts")
        self.observed = observed(
            self.problem,
            grounded.task.by_step,
            grounded.facts,
            observations,
            price=self._price,
            order=settings.order,
        )
        self._searches = Searches(
            grounded=grounded,
            observed=self.observed,
            limits=self.limits,
            budget=settings.cpu_limit,
            over=self._over,
        )
        continues = observations[: len(self.observations)] == self.observations
        known = len(self.observations) if continues else None
        self.observations = observations
        scores = landmarks.scores(self.observed.seen)
        for goal, ways, score in zip(self.goals, grounded.goals, scores, strict=True):
            goal.landmark_score = score
            goal.begin(self.observed, known)
            goal.ways, goal.is_unsolvable = ways, goal.is_unsolvable or not ways
            self._searches.begin(goal)
        self._has_begun = True

    def _method(self) -> Method:
        if self.settings.method is not Method.AUTO:
            return self.settings.method
        if self.settings.posterior is Posterior.RG2010:
            return Method.EXACT
        needed = _SEARCH * len(self.goals) / self.settings.workers
        return Method.LANDMARKS if self.limits.seconds < needed else Method.SOFT

    # --- rounds ------------------------------------------------------------------------------------

    def _rounds(self) -> None:
        """Search until everything is settled, or the time or each search's share is used."""
        most, reach = self.settings.search_limit or inf, self.margin
        share = min(most, _FIRST_SHARE)
        while not self._searches.is_over():
            waiting = [goal for goal in self._in_order() if not self._is_settled(goal)]
            if share > _FIRST_SHARE:
                if self._is_decided():
                    return
                waiting = list(self._contenders(waiting))
            todo = [goal for goal in waiting if goal.tried < share]
            if todo:
                self._reach = reach
                self._spread(self._advance, todo, share)
                reach *= 2
            elif any(goal.tried < inf for goal in waiting) and share < most:
                if share == _FIRST_SHARE:
                    self._count(waiting)
                share = min(most, max(2 * share, _SECOND_SHARE))
            else:
                return

    def _is_decided(self) -> bool:
        """Return whether the best goals are proven, though perhaps not what they cost."""
        return candidates(self.goals, self.settings, self.method, self.margin)[2]

    def _contenders(self, goals: Sequence[Known]) -> Sequence[Known]:
        """Return those that may yet be among the best, if there are any: they decide which are."""
        best = self._best()
        return [goal for goal in goals if goal.handicapped(goal.least) <= best] or goals

    def _in_order(self) -> list[Known]:
        """Return the goals, first those that seem to be the best: by their costs, then by their landmarks."""
        return sorted(self.goals, key=lambda goal: (goal.handicapped(goal.estimate), -(goal.landmark_score or 0.0)))

    def _count(self, goals: Sequence[Known]) -> None:
        """Bound and estimate the costs of goals by linear programs."""
        try:
            with loading("numpy", "scipy"):
                from validator.recognize.search.counting import Counting  # scipy, which most recognitions never need
        except MemoryError:
            return
        assert self._grounded is not None
        counting = Counting(problem=self._searches.problem, landmarks=self._grounded[1])
        until = time.monotonic() + _PROGRAMS * self.limits.seconds
        for goal in goals:
            seconds = min(_PROGRAM, until - time.monotonic())
            if seconds <= 0 or self._searches.is_over():
                break
            if goal.has_plan and goal.handicap < inf:
                self._searches.count(goal, counting, seconds)

    def _spread(self, work: Callable[[Known, float], None], goals: Sequence[Known], share: float) -> None:
        """Do some work for each of the goals, as many at a time as there are workers."""
        if self.settings.workers == 1:
            for goal in goals:
                work(goal, share)
            return
        with ThreadPoolExecutor(max_workers=self.settings.workers) as pool:
            try:
                for _ in pool.map(lambda goal: work(goal, share), goals):
                    pass
            except BaseException:
                self._over.set()
                raise

    def _best(self) -> float:
        """Return the least that any goal's handicapped cost difference is known not to be above."""
        reached = (goal for goal in self.goals if goal.has_plan and goal.base_upper is not None)
        return min((goal.handicapped(goal.most) for goal in reached), default=inf)

    def _is_settled(self, goal: Known) -> bool:
        if goal.is_unsolvable or goal.is_unexplained or goal.is_exact or goal.handicap == inf:
            return True
        return goal.base_upper is not None and goal.handicapped(goal.least) > self._best() + self.margin

    def _advance(self, goal: Known, share: float) -> None:
        """Search for a goal's cheapest plan without the observations, and then with them.

        What short searches do not prove is bounded from above as well, by plans that need not be cheapest.
        """
        searches, is_hard = self._searches, share > _FIRST_SHARE
        is_new = is_hard and goal.tried <= _FIRST_SHARE
        if not searches.is_over() and not goal.is_base_proven:
            searches.base(goal, share)
        if not searches.is_over() and not goal.is_base_proven and (is_new or (goal.nothing_seen and not goal.plans)):
            searches.from_above(goal, share, explains=False)
        if is_hard and not is_new and not goal.is_base_proven:
            return  # without its base no bound of the other cost says much; it is searched on for first
        if not searches.is_over() and goal.base_upper is not None and not self._is_settled(goal):
            searches.explaining(goal, share, lambda: self._reaches(goal))
        if is_new and not searches.is_over() and not self._is_settled(goal):
            searches.from_above(goal, share, explains=True)

    def _reaches(self, goal: Known) -> float:
        """Return the cost difference up to which a goal is of interest now."""
        return min(float(self._reach), self._best() + float(self.margin) - goal.handicap)

    # --- answers -----------------------------------------------------------------------------------

    def _answer(self) -> Recognition:
        verdict, found, exact = candidates(self._known, self.settings, self.method, self.margin)
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
            observations=self.observations,
            unmatchable=self.observed.unmatchable,
            warnings=self.problem.warnings,
        )

    @property
    def _known(self) -> Sequence[Known]:
        """Return what is known of the goals whatever is in the pieces that were not understood."""
        if not self.problem.missed:
            return self.goals
        return [goal.with_more() for goal in self.goals]

    def passed_over(self, observations: tuple[Observation, ...]) -> Recognition:
        """Return what is said of observations in whose light there was no time to compare the goals."""
        return self._no_answer(observations, "the time limit was met before the goals were compared")

    def _no_answer(self, observations: tuple[Observation, ...], reason: str) -> Recognition:
        unknown = tuple(
            Candidate(hypothesis=one, standing=Standing.BASE_UNKNOWN, rank=1) for one in self.problem.hypotheses
        )
        return Recognition(
            method=self.settings.method,
            verdict=Verdict.NO_ANSWER,
            candidates=unknown,
            best=(),
            exact=False,
            observations=observations,
            reason=reason,
            warnings=self.problem.warnings,
        )
