"""The race for a plan of a model with numbers: the exact search, greedy searches below it, engines beside it.

The exact search starts alone. What it has not proven in a second, a greedy search looks for: then there is an answer,
and the exact search goes on below it. A plan of an installed engine cuts off what the search would still look at, and a
bound of the search proves a plan of theirs. Every plan is executed before it counts.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from fractions import Fraction
from threading import Event
from typing import TypeAlias

from validator.alarms import OutOfTime
from validator.errors import PlannerError
from validator.grounding.limits import Status
from validator.grounding.numbers.action_costs import ActionCosts
from validator.grounding.numbers.relaxed_reachability import reachable_steps
from validator.model.values import And
from validator.reading.plan import Step, Token, bare
from validator.records import replace
from validator.repair.alignment import aligned, minimal_edits
from validator.repair.edit import Edit, Move, Weighting, kept_steps
from validator.repair.engines import WITH_MORE_TIME, Engine
from validator.repair.greedy.gauges import as_float
from validator.repair.greedy.search import Greedy
from validator.repair.numbers.answer import COUNTS, EXECUTION, GREEDY, OWN_SEARCH, Answer, Asked
from validator.repair.numbers.counting import least_cost
from validator.repair.numbers.first import cheaper_plans, near_plans, without_each
from validator.repair.numbers.search import EditSearch, Found
from validator.repair.proved import Proved
from validator.texts import decimal

__all__ = ["Race"]

_HEAD_START = 1.0
"""Seconds that our own search has for itself."""

_LEAST = 2.0
"""Seconds that are worth starting an engine: it takes about one to be there at all."""

_COUNTING = 0.2
"""of the time that is left, for counting steps, at most."""

_SHARE = 0.5
"""of the time that is left, for greedy searches, at most; where there is no plan yet, of CPU time: on a crowded machine
they go on, as an answer comes first."""

_ALMOST = 0.95
"""of the time that is left, for the exact search: what it found is put together behind it."""

_LEAST_PRICE = 1e-3
"""of a step in greedy searches"""

Choose: TypeAlias = Callable[[], tuple[list[Engine], tuple[str, ...]]]
"""Returns engines, and notes on why others are none."""


class Race:
    """Our own search, and engines beside it; ``best`` is what others have found, ``bound`` a cost that is no news."""

    def __init__(self, asked: Asked, tokens: Sequence[Token], weighting: Weighting, known: ActionCosts) -> None:
        self.asked = asked
        self.tokens = tokens
        self.weighting = weighting
        self.known = known
        self.bound: Fraction | None = None
        self.least = Fraction(0)
        """what execution proves that each answer costs at least"""
        self.counts = False
        """whether a bound by counting steps is looked for"""
        self.counted = Fraction(0)
        """what counting steps proves that each answer costs at least"""
        self.best: Answer | None = None
        self.notes: tuple[str, ...] = ()
        self.over = Event()
        self.steps: tuple[Step, ...] | None = None

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
        search = self._edit_search(Weighting.fewest_skips())
        if isinstance(search, Status):
            return Answer(status=search)
        if skips == search.impossible:
            return answer
        search.bound = Fraction(skips)
        found = search.run(self.asked.limits)
        if found.edits is not None:
            return Answer(status=found.status, edits=found.edits)
        return answer if found.lower >= skips else Answer(status=found.status)

    def run(self, choose: Choose) -> Answer:
        """Search, or let the one engine answer that the user has named."""
        return self._alone(choose) if self.asked.engines.is_named else self.search(choose)

    def search(self, choose: Choose) -> Answer:
        """Search, with engines beside it where it takes long."""
        limits = self.asked.limits.within(_ALMOST * self.asked.limits.seconds)
        found = Found(status=Status.TIME_LIMIT, edits=None, cost=None, lower=Fraction(0))
        try:
            search = self._edit_search(self.weighting)
            if isinstance(search, Status):
                return self._answer(replace(found, status=search))
            self._limit(search)
            found = search.run(limits.within(_HEAD_START))
            if found.status is Status.TIME_LIMIT:
                if self.bound is not None:  # there is a plan, which it may prove to be the cheapest
                    self._count(search)
                if not self._is_met():
                    self._first(search)
                    self._count(search)
                self._limit(search)
                if self._is_met():
                    return self._answer(found)
                engines, self.notes = choose() if limits.seconds >= _LEAST else ([], (WITH_MORE_TIME,))
                found = self._beside(search, engines) if engines else search.run(limits)
        except OutOfTime:  # in what does not look at the clock; what the search knew before is true all the same
            pass
        return self._answer(found)

    def _count(self, search: EditSearch) -> None:
        """Find out what any plan costs at least, as far as counting its steps tells."""
        if not self.counts:
            return
        self.counts = False
        ground, model = search.insertable, self.asked.simulator.model
        prices = [self.known.of(step.step) or Fraction(0) for step in ground]
        if ground and min(prices) >= 0:
            seconds = _COUNTING * self.asked.limits.seconds
            self.counted = least_cost(model, ground, prices, search.states.values, seconds)

    def _is_met(self) -> bool:
        """Return whether what is known costs no more than anything does."""
        costs = (self.bound, None if self.best is None else self.best.cost)
        return any(cost is not None and cost <= self.counted for cost in costs)

    def _first(self, search: EditSearch) -> None:
        """Look for plans by greedy searches; steps are counted, which takes a while, behind the first."""
        asked, steps = self.asked, self.steps or ()
        share = _SHARE * asked.limits.seconds
        limits, most = asked.limits.within(share), asked.limits.within(_ALMOST * asked.limits.seconds)
        model, goal = asked.simulator.model, asked.simulator.model.problem.goal if asked.with_goal else And(())
        due = time.thread_time() + share

        def is_over() -> bool:
            return not limits.seconds and (self.best is not None or not most.seconds or time.thread_time() > due)

        try:
            greedy = Greedy(model, steps, goal, is_over)
            if self.tokens:
                lines = (bare(token) for token in self.tokens if isinstance(token, Step))
                observed = [step for step in lines if not asked.simulator.malformed(0, step)]
                plans = near_plans(greedy, observed, without_each(observed))
            else:
                plans = cheaper_plans(greedy, self._prices(steps))
            for plan in plans:
                if (edits := self._edits(greedy, plan, is_over)) is not None:
                    self._better(edits, GREEDY)
                    self._count(search)
                if self._is_met():
                    return
        except (TimeoutError, MemoryError):  # or no room for what it needs: the exact search goes on
            return

    def _edits(self, greedy: Greedy, plan: Sequence[Step], is_over: Callable[[], bool]) -> tuple[Edit, ...] | None:
        """Return edits to a plan, without those that are not needed; None where it is not accepted."""
        if not self.tokens and self.asked.accepted(short := greedy.needed(plan)):
            return aligned((), short)
        return minimal_edits(plan, self.tokens, self.asked.accepted, is_over)

    def _prices(self, steps: Sequence[Step]) -> list[float]:
        """Return what steps cost, 1 where that depends on the state; none is for nothing, so that searches end."""
        prices = (self.known.of(step) if self.known.is_fixed else None for step in steps)
        return [1.0 if price is None else max(as_float(price), _LEAST_PRICE) for price in prices]

    def _edit_search(self, weighting: Weighting) -> EditSearch | Status:
        """Return our own search, or the limit that was met while the reachable steps were looked for."""
        steps = self.steps or reachable_steps(self.asked.simulator.model, self.asked.limits)
        if isinstance(steps, Status):
            return steps
        self.steps = steps
        return EditSearch(
            self.asked.simulator,
            self.tokens,
            weighting,
            self.known,
            steps,
            with_goal=self.asked.with_goal,
            accepted=self.asked.accepted,
        )

    def _alone(self, choose: Choose) -> Answer:
        """Let the one engine that the user has named answer. Raises PlannerError when it fails."""
        engines, notes = choose()
        if not engines:
            return Answer(status=Status.STOPPED, engine="", notes=notes)
        self._accept(found := engines[0].run(self.asked.limits, self.over.is_set), engines[0])
        if found.plan is not None and self.best is None:
            raise PlannerError(self.notes[0])
        status = Status.STOPPED if found.status is Status.UNSOLVABLE else found.status
        answer = self._answer(Found(status=status, edits=None, cost=None, lower=Fraction(0)))
        return answer if answer.edits or self.best else replace(answer, engine=engines[0].name)

    def _limit(self, search: EditSearch) -> None:
        """Let the search look only for what is cheaper than what is known."""
        costs = (self.bound, None if self.best is None else self.best.cost)
        search.bound = min((cost for cost in costs if cost is not None), default=None)

    def _beside(self, search: EditSearch, engines: Sequence[Engine]) -> Found:
        """Go on with the search, with engines beside it."""
        limits = self.asked.limits.within(_ALMOST * self.asked.limits.seconds)

        def seen() -> bool:
            for future in [future for future in running if future.done()]:
                self._take(future, running.pop(future))
                self._limit(search)
            return self.over.is_set()

        with ThreadPoolExecutor(max_workers=len(engines)) as pool:
            running = {pool.submit(engine.run, limits, self.over.is_set): engine for engine in engines}
            try:
                found = search.run(limits, seen)
                while found.status is Status.MEMORY_LIMIT and running and limits.seconds and not seen():
                    wait(running, timeout=limits.seconds, return_when=FIRST_COMPLETED)
            finally:
                self.over.set()
        seen()  # what came at the end
        return found

    def _take(self, future: Future[Proved], engine: Engine) -> None:
        """Take what an engine answers, if it executes and is cheaper than what is known."""
        try:
            found = future.result()
        except PlannerError as error:
            self.notes = (*self.notes, str(error))
            return
        self._accept(found, engine)

    def _accept(self, found: Proved, engine: Engine) -> None:
        if found.plan is not None:
            self._offer(found.plan, engine, claims=found.proven)
        elif found.status is Status.UNSOLVABLE:
            but = "" if self.bound is None and self.best is None else ", but there is one"
            self.notes = (*self.notes, f"the engine '{engine.name}' says that there is no plan{but}")

    def _offer(self, plan: Sequence[Step], engine: Engine, *, claims: bool) -> None:
        steps = [step for step in map(self.asked.simulator.resolve, plan) if isinstance(step, Step)]
        edits = minimal_edits(steps, self.tokens, self.asked.accepted)
        if edits is None:
            self.notes = (*self.notes, f"the answer of the engine '{engine.name}' does not execute")
            return
        claimed = self.cost(aligned(self.tokens, steps))
        self._better(edits, engine.name)
        assert self.best is not None
        known = min(cost for cost in (self.best.cost, self.bound) if cost is not None)
        if claims and known < claimed:
            said = f"nothing costs less than {decimal(claimed)}, but {decimal(known)} is enough"
            self.notes = (*self.notes, f"the engine '{engine.name}' says that {said}")
        elif claims:
            self.best = replace(self.best, claims=True)

    def _better(self, edits: tuple[Edit, ...], finder: str) -> None:
        """Take edits to a plan that is accepted, if they are cheaper than what is known."""
        cost = self.cost(edits)
        if self.best is None or self.best.cost is None or cost < self.best.cost:
            self.best = Answer(status=Status.SOLVED, edits=edits, cost=cost, engine=finder)
            self.asked.progress(0, int(cost))

    def _answer(self, found: Found) -> Answer:
        """Put together what the search and the engines know."""
        best = self.best
        if found.cost is not None and (best is None or best.cost is None or found.cost < best.cost):
            best = Answer(status=Status.SOLVED, edits=found.edits, cost=found.cost)
        found = replace(found, lower=max(found.lower, self.counted))
        if best is None:
            is_counted = self.bound is not None and self.counted >= self.bound
            prover = OWN_SEARCH if found.status is Status.UNSOLVABLE else COUNTS if is_counted else ""
            return Answer(status=found.status, lower=found.lower, prover=prover, notes=self.notes)
        if best.cost is not None and found.lower >= best.cost:
            best = replace(best, lower=best.cost, prover=COUNTS if self.counted >= best.cost else OWN_SEARCH)
        best = replace(best, lower=max(best.lower, min(found.lower, best.cost or found.lower)), notes=self.notes)
        if not best.prover and best.cost is not None and best.cost <= self.least:
            best = replace(best, lower=best.cost, prover=EXECUTION)
        if self.bound is not None and best.cost is not None and best.cost >= self.bound:
            return replace(best, edits=None, cost=None)  # it is no news
        return best


def _skips(edits: Sequence[Edit]) -> int:
    return sum(edit.move is Move.SKIP for edit in edits)
