"""One question: what is given, which searches answer it, in which order, and how much time each gets.

What is asked is written beside the model, whose valid plans are then those that do it: the nearest plan and the nearest
of the cheapest are found by ``check``, as for any model.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from functools import cached_property

from validator.alarms import OutOfTime, alarm
from validator.automata.properties import said
from validator.checking.check import check
from validator.checking.nonclassical.constrained import constrained
from validator.checking.prepared import Prepared, prepare
from validator.checking.report import Interval, Quality, Report
from validator.foils.answers import Answer, Cheapest, Side
from validator.foils.changes import Wish, WithoutObject, changed, changes_of, constraints_of, fallen_goals
from validator.foils.conflicts import why_impossible
from validator.foils.questions import fault_sentences, link_sentences, without_times
from validator.foils.solve import Oracle, budget
from validator.grounding.limits import Limits, hard_limit, left_until
from validator.reading.plan import Plan, Step, Token, bare
from validator.records import dataclass, replace
from validator.repair.cheapest import Optimum
from validator.repair.diff import StepDiff, line_diffs
from validator.texts import MOST_LISTED, counted

_DEARER = "of the plans within the cost, only those that are cheapest were looked at for the nearest"


@dataclass(frozen=True, slots=True)
class GivenPlan:
    """A plan as it was given, and its cost when it is valid."""

    tokens: tuple[Token, ...]
    is_valid: bool | None
    cost: Fraction | None = None
    faults: tuple[str, ...] = ()

    @property
    def steps(self) -> tuple[Step, ...] | None:
        """Return the steps of a valid plan without what stands beside them."""
        return _bare(self.tokens) if self.is_valid else None


@dataclass(frozen=True, slots=True, kw_only=True)
class NearPlan:
    """A plan, the changes that lead to it, and whether it is proven that no fewer would do."""

    steps: tuple[Token, ...]
    changes: tuple[StepDiff, ...]
    cost: Fraction | None
    proven: bool = False

    @classmethod
    def of(cls, report: Report) -> NearPlan | None:
        """Return what a check found: the plan itself where it has the quality, or the repaired one."""
        if report.determination:
            unchanged = tuple(StepDiff(diff_type=None, step=step) for step in report.reference)
            return cls(steps=report.reference, changes=unchanged, cost=report.cost, proven=True)
        if report.repaired_plan is None:
            return None
        changes, cost = tuple(report.plan_diff_obj), report.repaired_cost
        return cls(steps=report.repaired_plan, changes=changes, cost=cost, proven=report.proven)


def _first(faults: Sequence[str]) -> list[str]:
    """Return some faults, and how many more there are."""
    more = len(faults) - MOST_LISTED
    told = f"There {'are' if more > 1 else 'is'} {counted(more, 'more fault')}."
    return [*faults[:MOST_LISTED], *([told] if more > 0 else [])]


class Inquiry:
    """One question about a classical model: what is asked, and the time that is left for it."""

    not_nearest = "the time limit was met before fewer changes were excluded"
    unfound = "a limit was met before a plan was found or excluded"

    def __init__(self, prepared: Prepared, wishes: tuple[Wish, ...], time_limit: float, memory: int) -> None:
        self.prepared, self.wishes = prepared, wishes
        self.constraints, self.changes = constraints_of(wishes), changes_of(wishes)
        self.time_limit = time_limit
        self.limits = Limits.from_now(time_limit, memory)
        self.facts: list[str] = []
        self.so_far = Answer(constraints=wishes, possible=None)
        """what is known by now"""
        self.shown: tuple[Token, ...] | None = None
        """the first plan that is shown, in the steps of the model"""
        self.oracle = Oracle(prepared=prepared, limits=self.limits)
        self.reasons = self.oracle.reasons
        self.there = prepare(changed(prepared.model, self.changes)) if self.changes else prepared
        """the model after the changes that are asked for"""
        self.given: GivenPlan | None = None
        """the plan that is asked about"""
        self.observed: GivenPlan | None = None
        """the plan to which the others shall be near: the foil, or else the one that is asked about"""
        self._of_model: Optimum | None = None

    def _share(self, searches: int) -> Limits:
        """Return the limits of the first of some searches, which share what time is left."""
        return self.limits.within(self.limits.seconds / searches)

    def answer(self, foil: Plan | None, plan: Plan | None, *, is_made: bool = False) -> Answer:
        """Return the answer, or what is known of it where something does not look at the clock.

        ``is_made`` says that the foil is none of the user's, but made of a question.
        """
        try:
            with alarm(hard_limit(self.time_limit)):
                self._answer(foil, plan, is_made=is_made)
        except OutOfTime:
            self.reasons.append("the time limit was met before all was known")
        reason = "; ".join(dict.fromkeys(self.reasons))
        return replace(self.so_far, optimum=self._bounded(self.so_far), reason=reason, facts=tuple(self.facts))

    def _tell(self, **found: object) -> None:
        """Add to what is known."""
        self.so_far = replace(self.so_far, **found)  # type: ignore[arg-type]

    def _answer(self, foil: Plan | None, plan: Plan | None, *, is_made: bool) -> None:
        own = None if foil is None else self._known(self.there, foil)
        self.given = None if plan is None else self._known(self.prepared, plan)
        self.observed = own or self.given
        self._note_changes()
        self._tell(has_own_foil=own is not None, plan=self._side(self.given))
        if refused := self._refused():
            self.reasons.append(refused)
            return
        known = (each.steps for each in (self.given, own) if each is not None)
        self.oracle.plans += [steps for steps in known if steps is not None]
        if self.given is None:
            self.given = self._some_plan()
            self.observed = own or self.given
            self._tell(plan=self._side(self.given))
        self._note(own, is_made=is_made)
        self._tell(possible=self._decided())
        self._tell(optimum=self._of_all())
        if self.so_far.possible is not False:
            self._plans()
        if self.so_far.possible is False:
            self._explain()
        self.reasons += [each for each in (self.unfound if self.so_far.possible is None else "", self.unpriced) if each]

    @property
    def unpriced(self) -> str:
        """Return why the costs of plans cannot be compared; empty where they can."""
        return self.oracle.unpriced

    def _bounded(self, answer: Answer) -> Interval | None:
        """Return what the cheapest plan of all costs: no more than one that was found for the question."""
        found, upper = answer.optimum, None if answer.cheapest is None else answer.cheapest.upper
        if found is None or found.is_exact or upper is None or self.changes:
            return found
        known = max(found.lower, upper)
        return replace(found, upper=known if found.upper is None else min(found.upper, known))

    # --- what is given -------------------------------------------------------------------------

    def _known(self, model: Prepared, plan: Plan) -> GivenPlan:
        simulator = model.simulator
        tokens = tuple(map(simulator.resolve, plan.tokens or plan.unread))
        trace = simulator.run(Plan(parts=tokens))
        if trace.is_valid:
            return GivenPlan(tokens, True, trace.cost)
        return GivenPlan(tokens, False, None, tuple(fault_sentences(simulator, trace.failures, tokens)))

    def _seen(self, token: Token) -> Token:
        return without_times(self.prepared.simulator, token)

    def _side(self, known: GivenPlan | None) -> Side | None:
        return None if known is None else Side(steps=tuple(map(self._seen, known.tokens)), cost=known.cost)

    def _refused(self) -> str:
        """Return why the question cannot be answered; empty where it can."""
        refused = next((each for each in map(self.oracle.after, ((), self.changes)) if isinstance(each, str)), "")
        return refused or ("" if budget(self.constraints) is None else self.unpriced)

    def _note_changes(self) -> None:
        """Say which goals go with an object that is not there."""
        for change in self.changes:
            if isinstance(change, WithoutObject):
                for goal in fallen_goals(self.prepared.model, change):
                    self.facts.append(f"The goal {said(goal)} speaks of {change.name} and falls away.")

    def _note(self, own: GivenPlan | None, *, is_made: bool) -> None:
        """Say of the foil, and of a plan at fault, whether it is valid."""
        given = self.given
        if given is not None and given.is_valid is False:
            self.facts += ["The plan is not valid.", *given.faults]
        elif given is not None and given.is_valid and self.changes:
            known = self._known(self.there, Plan(parts=given.tokens))
            self.facts += ["There the plan is not valid.", *_first(known.faults)] if known.is_valid is False else []
        if own is not None:
            faults = _first(own.faults) if is_made else own.faults
            self.facts += ["The foil is not valid.", *faults] if own.is_valid is False else []
            self.facts += (f"The foil does not keep to this: {each}." for each in self._broken(own))

    def _broken(self, own: GivenPlan) -> Iterator[Wish]:
        """Yield the constraints to which the foil does not keep."""
        world, steps = self.oracle.world(self.wishes), _bare(own.tokens)
        return (constraint for constraint in self.constraints if not world.keeps((constraint,), steps))

    # --- whether there is a plan ------------------------------------------------------------------

    def _decided(self) -> bool | None:
        """Return whether there is a plan."""
        return self.oracle.possible(self.wishes)

    def _explain(self) -> None:
        """Add why no plan does what is asked, as far as there is time: that none does is known without."""
        try:
            with alarm(left_until(self.oracle.limits.deadline)):
                self.so_far = why_impossible(self.so_far, self.wishes, self.oracle)
        except OutOfTime:
            self.reasons.append("the time limit was met before it was known why")

    # --- plans ------------------------------------------------------------------------------------

    def _asked(self, wishes: Sequence[Wish]) -> Prepared:
        """Return a model whose valid plans are those that keep to wishes, whatever they cost."""
        return constrained(self.oracle.world(wishes), constraints_of(wishes))

    @cached_property
    def asked(self) -> Prepared:
        """Return the model whose valid plans are those that do what is asked."""
        return self._asked(self.wishes)

    def _check(
        self, model: Prepared, plan: Plan, limits: Limits, quality: Quality = Quality.VALID, *, repair: bool = True
    ) -> Report:
        return check(
            model,
            None,
            plan,
            quality=quality,
            repair=repair,
            strict=True,
            time_limit=max(0.01, limits.seconds),
            memory_limit=limits.memory,
        )

    def _plans(self) -> None:
        """Add the nearest plan and the cheapest one that do what is asked."""
        if self.observed is not None:
            self._nearest(self.observed)
        if self.so_far.possible and self._has_price:
            self._cheapest()
        if self.shown is not None and self.given is not None:
            before = self._known(self.there, Plan(parts=self.given.tokens)).steps
            self._tell(links=tuple(link_sentences(self.there.simulator, before, _bare(self.shown))))

    @property
    def _has_price(self) -> bool:
        """Return whether it is asked what the cheapest plan costs that does something."""
        return bool(self.wishes) and not self.unpriced

    def _nearest(self, observed: GivenPlan) -> None:
        """Add the plan nearest to the observed one that does what is asked."""
        # What is not even decided gets all the time that is left.
        limits = self._share(3 if self.so_far.possible and self._has_price else 1)
        report = self._check(self.asked, Plan(parts=observed.tokens), limits)
        near = NearPlan.of(report) or self._seen_before(observed)
        if report.planner_response.no_solution:
            self._tell(possible=False)
        elif near is None:
            self._not_found(report)
        elif self._is_dear(near.cost):
            self.reasons.append(_DEARER)
        else:
            self.reasons += [] if near.proven else [self.not_nearest]
            self.oracle.plans.append(_bare(near.steps))
            self.shown = near.steps
            foil, diff = self._found(near), self._from_plan(near)
            self._tell(possible=True, foil=foil, changes=self._shown(near.changes), nearest=near.proven, diff=diff)

    def _not_found(self, report: Report) -> None:
        """Say why no plan was found where more can be said than that a limit was met."""

    def _cheapest(self) -> None:
        """Add the cheapest plan that does what is asked and, of these, the nearest to the observed one."""
        found = self.oracle.optimum(self.wishes, self._share(2))
        self._tell(cheapest=self.oracle.interval(found, self.wishes))
        near = None if self.observed is None else self._nearest_of_cheapest(self.observed, found)
        if near is not None:
            self.reasons += [self.not_nearest] if found.is_proven and not near.proven else []
            self.shown = near.steps
            self._tell(best=self._best(near, is_proven=found.is_proven))

    def _nearest_of_cheapest(self, observed: GivenPlan, found: Optimum) -> NearPlan | None:
        """Return the nearest of the cheapest plans; where it is not proven cheapest, or too late, the one known."""
        limits, near = self._share(1), None
        if found.is_proven and found.plan is not None and not limits.is_over():
            model = replace(self.asked, _optimum=found)
            near = NearPlan.of(self._check(model, Plan(parts=observed.tokens), limits, Quality.OPTIMAL))
        return near or self._aligned(found.plan, observed)

    def _seen_before(self, observed: GivenPlan) -> NearPlan | None:
        """Return a plan that does what is asked and was found for something else."""
        return self._aligned(next(self.oracle.keeping(self.wishes), None), observed)

    def _aligned(self, plan: Sequence[Step] | None, observed: GivenPlan) -> NearPlan | None:
        """Return a plan that was found without looking for the nearest one."""
        if plan is None:
            return None
        changes = tuple(line_diffs(list(observed.tokens), list(plan)))
        return NearPlan(steps=tuple(plan), changes=changes, cost=self.there.simulator.run(Plan(parts=tuple(plan))).cost)

    def _is_dear(self, cost: Fraction | None) -> bool:
        """Return whether a plan costs more than it may."""
        most = budget(self.constraints)
        return most is not None and (cost is None or cost > most)

    def _found(self, near: NearPlan) -> Side:
        return Side(steps=tuple(map(self._seen, near.steps)), cost=near.cost)

    def _best(self, near: NearPlan, *, is_proven: bool) -> Cheapest:
        changes, diff = self._shown(near.changes), self._from_plan(near)
        return Cheapest(plan=self._found(near), changes=changes, diff=diff, proven=is_proven, nearest=near.proven)

    def _shown(self, changes: Sequence[StepDiff]) -> tuple[StepDiff, ...]:
        return tuple(StepDiff(diff_type=diff.diff_type, step=self._seen(diff.step)) for diff in changes)

    def _from_plan(self, near: NearPlan) -> tuple[StepDiff, ...]:
        """Return the diff from the plan that is asked about, which is not always the observed one."""
        if self.given is None:
            return ()
        if self.given is self.observed:
            return self._shown(near.changes)
        return tuple(line_diffs([*map(self._seen, self.given.tokens)], [*map(self._seen, near.steps)]))

    # --- costs ------------------------------------------------------------------------------------

    def _some_plan(self) -> GivenPlan | None:
        """Return a cheapest plan of the model, or any plan where there are no costs or no time."""
        if not self.oracle.possible(()):
            return None
        plan = next(self.oracle.keeping(()))
        if not self.unpriced:
            self._tell(plan=self._side(self._known(self.prepared, Plan(parts=plan))))
            plan = self._model_optimum(plan).plan or plan
        return self._known(self.prepared, Plan(parts=plan))

    def _of_all(self) -> Interval | None:
        """Return what the cheapest plan of all costs."""
        steps = None if self.given is None else self.given.steps
        if self.unpriced or steps is None:
            return None
        found = self._model_optimum(steps)
        self.oracle.lower = found.lower
        return self.oracle.interval(found)

    def _model_optimum(self, known: Sequence[Step]) -> Optimum:
        if self._of_model is None:
            self._of_model = self.prepared.optimum(self.oracle.world(()).task, known, self._share(4))
        return self._of_model


def _bare(steps: Sequence[Token]) -> tuple[Step, ...]:
    """Return the steps of a plan without times."""
    return tuple(bare(step) for step in steps if isinstance(step, Step))
