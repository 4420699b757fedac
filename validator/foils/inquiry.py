"""One question: what is given, which searches answer it, in which order, and how much time each gets."""

from __future__ import annotations

import time
from collections.abc import Sequence
from fractions import Fraction

from validator.alarms import OutOfTime, alarm
from validator.automata.constraints import WithinCost
from validator.automata.properties import said
from validator.automata.world import World
from validator.checking.limits import with_patience
from validator.checking.prepared import Prepared, prepare
from validator.checking.report import Interval
from validator.execution.simulator import Simulator
from validator.flow.plans.diffs import by_lines
from validator.foils.answer import Answer, Cheapest, Side
from validator.foils.changes import Wish, WithoutObject, changed, changes_of, constraints_of, fallen_goals
from validator.foils.costs import Costs, Near, interval, nearest, nearest_of_cheapest
from validator.foils.impossible.why import why_impossible
from validator.foils.language.patterns import View
from validator.foils.questions import link_sentences
from validator.foils.solve import Oracle, Worlds
from validator.grounding.limits import Limits
from validator.reading.plan import Plan, Step, Token
from validator.records import dataclass, replace
from validator.repair.cheapest import Optimum
from validator.repair.diff import StepDiff

__all__ = ["Inquiry"]

_DECIDE = 0.5
"""the part of the time limit by which it is to be known whether there is a plan; most often that is known at once"""

_OPTIMUM, _NEAREST, _CHEAPEST, _BEST = 0.3, 0.55, 0.8, 0.95
"""parts of the time limit by which it is to be known what the cheapest plan of all costs, which plan is nearest, what
the cheapest one costs that does what is asked, and which of these is nearest; where it took long to know whether there
is a plan, of the time that is left"""

_SOON = 0.2
"""the part of the time limit that it may take to know whether there is a plan for the others to stay as they are"""

_LEAST = 0.1
"""seconds that there are in any case to say why"""

_MOST_FAULTS = 3
"""faults that are told of a plan in a changed model, or made of a question: it was not meant to be valid"""


@dataclass(frozen=True, slots=True)
class _Known:
    """A plan as it was given, and its steps and cost when it is valid."""

    tokens: tuple[Token, ...]
    steps: tuple[Step, ...] | None
    cost: Fraction | None
    faults: tuple[str, ...] = ()


def _first(faults: Sequence[str]) -> list[str]:
    """Return some faults, and how many more there are."""
    more = len(faults) - _MOST_FAULTS
    told = f"There {'are' if more > 1 else 'is'} {more} more fault{'s' if more > 1 else ''}."
    return [*faults[:_MOST_FAULTS], *([told] if more > 0 else [])]


class Inquiry:
    """One question: the model, what is asked, and the time that is left for it."""

    def __init__(
        self, prepared: Prepared, wishes: tuple[Wish, ...], view: View, time_limit: float, memory: int
    ) -> None:
        self.prepared = prepared
        self.wishes = wishes
        self.constraints = constraints_of(wishes)
        self.view = view
        self.memory = memory
        self.start, self.time_limit = time.monotonic(), time_limit
        self.spent = 0.0
        """seconds that it took to know whether there is a plan, where these were many"""
        self.facts: list[str] = []
        self.reasons: list[str] = []
        self.so_far = Answer(constraints=wishes, possible=None)
        """what is known by now"""
        self.shown: tuple[Step, ...] | None = None
        """the first plan that is shown, in the steps of the model"""
        self.worlds = Worlds(prepared=prepared, show=view.show, limits=self._until(1))

    def _until(self, part: float) -> Limits:
        seconds = self.spent + part * (self.time_limit - self.spent)
        return Limits(deadline=self.start + seconds, memory=self.memory)

    def _decided(self, oracle: Oracle) -> bool | None:
        """Return whether there is a plan; the searches behind it share the time that is left."""
        possible = oracle.possible(self.wishes)
        seconds, oracle.seconds = time.monotonic() - self.start, _SOON * self.time_limit
        if seconds > oracle.seconds:
            self.spent = min(seconds, self.time_limit)
        return possible

    def answer(self, foil: Plan | None, plan: Plan | None, *, is_made: bool = False) -> Answer:
        """Return the answer, or what is known of it where something does not look at the clock.

        ``is_made`` says that the foil is none of the user's, but made of a question.
        """
        try:
            with alarm(with_patience(self.time_limit)):
                return self._answer(foil, plan, is_made=is_made)
        except OutOfTime:
            self.reasons.append("the time limit was met before all was known")
            return self._told(self.so_far)

    def _told(self, answer: Answer) -> Answer:
        """Return an answer with what is said beside it."""
        reason, facts = "; ".join(dict.fromkeys(self.reasons)), tuple(self.facts)
        return replace(answer, optimum=self._bounded(answer), reason=reason, facts=facts)

    def _answer(self, foil: Plan | None, plan: Plan | None, *, is_made: bool) -> Answer:
        simulator = self.prepared.simulator
        given = None if plan is None else self._known(simulator, plan.tokens or plan.unread)
        own = None if foil is None else self._known(self._changed_simulator(), foil.tokens or foil.unread)
        self._note_changes()
        unanswered = Answer(
            constraints=self.wishes, possible=None, has_own_foil=own is not None, plan=self._side(given)
        )
        world, base = self.worlds.of(changes_of(self.wishes)), self.worlds.of()
        self.so_far = unanswered
        for each in (base, world):
            if isinstance(each, str):
                return replace(unanswered, reason=each, facts=tuple(self.facts))
        assert not isinstance(world, str) and not isinstance(base, str)
        if self.worlds.unpriced and any(isinstance(wish, WithinCost) for wish in self.wishes):
            return replace(unanswered, reason=self.worlds.unpriced, facts=tuple(self.facts))
        oracle = Oracle(
            worlds=self.worlds,
            limits=self._until(1),
            seconds=_DECIDE * self.time_limit,
            plans=[known.steps for known in (given, own) if known is not None and known.steps is not None],
        )
        optimum = None
        if given is None:
            optimum, given = self._cheapest_of_all(oracle, base)
        self.so_far = replace(unanswered, plan=self._side(given))
        self._note(own, given, world, is_made=is_made)
        self.so_far = answer = replace(self.so_far, possible=self._decided(oracle))
        if optimum is None:
            optimum = self._optimum(given, base)
        self.so_far = answer = replace(answer, optimum=None if optimum is None else interval(base, optimum))
        if answer.possible is not False:
            self.so_far = answer = self._plans(answer, oracle, world, own or given, given, optimum)
        if answer.possible is False:
            answer = self._explained(answer, oracle)
        if answer.possible is None:
            self.reasons.append("a limit was met before a plan was found or excluded")
        if self.worlds.unpriced:
            self.reasons.append(self.worlds.unpriced)
        return self._told(answer)

    def _explained(self, answer: Answer, oracle: Oracle) -> Answer:
        """Add why no plan does what is asked, as far as there is time: that none does is known without."""
        try:
            with alarm(max(oracle.limits.seconds, _LEAST)):
                return replace(answer, **why_impossible(self.wishes, oracle))
        except OutOfTime:
            self.reasons.append("the time limit was met before it was known why")
            return answer

    def _bounded(self, answer: Answer) -> Interval | None:
        """Return what the cheapest plan of all costs: no more than one that was found for the question."""
        found = answer.optimum
        if found is None or answer.cheapest is None or answer.cheapest.upper is None or changes_of(self.wishes):
            return found
        known = answer.cheapest.upper
        return replace(found, upper=known if found.upper is None else min(found.upper, known))

    # --- what is given -------------------------------------------------------------------------

    def _changed_simulator(self) -> Simulator:
        changes = changes_of(self.wishes)
        return prepare(changed(self.prepared.model, changes)).simulator if changes else self.prepared.simulator

    def _known(self, simulator: Simulator, tokens: Sequence[Token]) -> _Known:
        resolved = tuple(map(simulator.resolve, tokens))
        trace = simulator.run(Plan(parts=resolved))
        if trace.is_valid:
            steps = tuple(Step(name=each.name, args=each.args) for each in resolved if isinstance(each, Step))
            return _Known(resolved, steps, trace.cost)
        return _Known(resolved, None, None, tuple(self.view.sentences(simulator, trace.failures, resolved)))

    def _seen(self, token: Token) -> Token:
        return self.view.seen(self.prepared.simulator, token)

    def _side(self, known: _Known | None) -> Side | None:
        return None if known is None else Side(steps=tuple(map(self._seen, known.tokens)), cost=known.cost)

    def _note_changes(self) -> None:
        """Say which goals go with an object that is not there."""
        for change in changes_of(self.wishes):
            if isinstance(change, WithoutObject):
                for goal in fallen_goals(self.prepared.model, change):
                    self.facts.append(f"The goal {said(goal)} speaks of {change.name} and falls away.")

    def _note(self, own: _Known | None, given: _Known | None, world: World, *, is_made: bool) -> None:
        """Say of the foil, and of a plan at fault, whether it is valid."""
        if given is not None and given.steps is None:
            self.facts += ["The plan is not valid.", *given.faults]
        elif given is not None and given.steps is not None and changes_of(self.wishes):
            there = self._known(world.simulator, given.tokens)
            self.facts += ["There the plan is not valid.", *_first(there.faults)] if there.steps is None else []
        if own is not None:
            faults = _first(own.faults) if is_made else own.faults
            self.facts += ["The foil is not valid.", *faults] if own.steps is None else []
            steps = [Step(name=token.name, args=token.args) for token in own.tokens if isinstance(token, Step)]
            for constraint in self.constraints:
                if not world.keeps((constraint,), steps):
                    self.facts.append(f"The foil does not keep to this: {constraint}.")

    # --- searches ------------------------------------------------------------------------------

    def _cheapest_of_all(self, oracle: Oracle, base: World) -> tuple[Optimum | None, _Known | None]:
        """Return the model's optimum and its plan, or any plan when there are no costs or no time."""
        if not oracle.possible(()):
            return None, None
        known, optimum = next(oracle.keeping(())), None
        self.so_far = replace(self.so_far, plan=self._side(self._known(base.simulator, known)))
        if not self.worlds.unpriced:
            optimum = self.prepared.optimum(base.task, known, self._until(_OPTIMUM))
        return optimum, self._known(base.simulator, (optimum.plan if optimum is not None else None) or known)

    def _optimum(self, given: _Known | None, base: World) -> Optimum | None:
        if self.worlds.unpriced or given is None or given.steps is None:
            return None
        return self.prepared.optimum(base.task, given.steps, self._until(_OPTIMUM))

    def _plans(
        self,
        answer: Answer,
        oracle: Oracle,
        world: World,
        observed: _Known | None,
        given: _Known | None,
        optimum: Optimum | None,
    ) -> Answer:
        """Add the cheapest plan and the nearest one that do what is asked, and what each wish costs."""
        costs = Costs(oracle=oracle, reasons=self.reasons, lower=0 if optimum is None else optimum.lower)
        if observed is not None:
            self.so_far = answer = self._nearest(answer, oracle, world, observed, given)
        if answer.possible and self.wishes and not self.worlds.unpriced:
            found = costs.optimum(self.wishes, self._until(_CHEAPEST))
            self.so_far = answer = replace(answer, cheapest=interval(world, found))
            if observed is not None:
                self.so_far = answer = self._best(answer, world, found, observed, given)
            answer = replace(answer, prices=costs.prices(self.wishes, self._until(1)))
        if self.shown is not None and given is not None:
            before = self._known(world.simulator, given.tokens).steps
            links = link_sentences(world.simulator, before, self.shown, self._seen)
            answer = replace(answer, links=tuple(links))
        return answer

    def _best(self, answer: Answer, world: World, found: Optimum, observed: _Known, given: _Known | None) -> Answer:
        near = nearest_of_cheapest(world, self.constraints, observed.tokens, found, self._until(_BEST))
        if near is None:
            return answer
        if found.is_proven and not near.proven:
            self.reasons.append("the time limit was met before fewer changes were excluded")
        self.shown = near.steps  # before the nearest plan
        best = Cheapest(
            plan=self._plan_of(world, near.steps),
            changes=self._shown(near.changes),
            diff=self._from_plan(near, observed, given),
            proven=found.is_proven,
            nearest=near.proven,
        )
        return replace(answer, best=best)

    def _nearest(self, answer: Answer, oracle: Oracle, world: World, observed: _Known, given: _Known | None) -> Answer:
        """Add the plan nearest to the observed one that does what is asked."""
        # What is not even decided gets all the time that is left.
        limits = self._until(_NEAREST if answer.possible and not self.worlds.unpriced else 1)
        near = nearest(
            world, self.constraints, observed.tokens, lambda: next(oracle.keeping(self.wishes), None), limits
        )
        if near is False:
            return replace(answer, possible=False)
        if near is None:
            return answer
        most = min((each.cost for each in self.constraints if isinstance(each, WithinCost)), default=None)
        side = self._plan_of(world, near.steps)
        if most is not None and side.cost is not None and side.cost > most:
            self.reasons.append(
                "of the plans within the cost, only those that are cheapest were looked at for the nearest"
            )
            return answer
        if not near.proven:
            self.reasons.append("the time limit was met before fewer changes were excluded")
        oracle.plans.append(near.steps)
        self.shown = self.shown or near.steps
        return replace(
            answer,
            possible=True,
            foil=side,
            changes=self._shown(near.changes),
            nearest=near.proven,
            diff=self._from_plan(near, observed, given),
        )

    def _plan_of(self, world: World, steps: Sequence[Step]) -> Side:
        trace = world.simulator.run(Plan(parts=tuple(steps)))
        return Side(steps=tuple(map(self._seen, steps)), cost=trace.cost if trace.is_valid else None)

    def _shown(self, changes: Sequence[StepDiff]) -> tuple[StepDiff, ...]:
        return tuple(StepDiff(diff_type=diff.diff_type, step=self._seen(diff.step)) for diff in changes)

    def _from_plan(self, near: Near, observed: _Known, given: _Known | None) -> tuple[StepDiff, ...]:
        """Return the diff from the plan that is asked about, which is not always the observed one."""
        if given is None:
            return ()
        if given is observed:
            return self._shown(near.changes)
        return tuple(by_lines([*map(self._seen, given.tokens)], [*map(self._seen, near.steps)], str))
