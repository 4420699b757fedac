"""The answer about a plan with numbers or over time: the nearest plan and, where it can be proven, the cheapest one."""

from __future__ import annotations

import time
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from validator.alarms import OutOfTime, alarm
from validator.automata.constraints import Directly, Starts, Window, WithinCost
from validator.automata.properties import Property
from validator.checking.check import check
from validator.checking.limits import with_patience
from validator.checking.prepared import Prepared, prepare
from validator.checking.report import Interval, Quality, Report
from validator.execution.faults import sentences
from validator.flow.plans.diffs import by_lines
from validator.foils.answer import Answer, Cheapest, Side
from validator.foils.changes import Change, Wish, changed
from validator.foils.constrained import constrained_model
from validator.foils.impossible.why import conflicts_among, why_impossible
from validator.foils.solve import Oracle, Worlds
from validator.grounding.limits import Limits
from validator.grounding.numbers.relaxed_reachability import loosened, relaxed_model
from validator.model.values import Model
from validator.reading.plan import Constraint, Plan, Step, TimedStep, Token
from validator.records import dataclass, replace
from validator.repair.diff import StepDiff

__all__ = ["answer_beyond"]

_EXCLUDED, _NEAREST, _CHEAPEST = 0.2, 0.6, 0.85
"""parts of the time limit by which it may be known that there is no plan, the nearest one, and the cheapest one"""

_MET = "the time limit was met before all was known"

_TIMED = (Property, Window, WithinCost)
"""what is not asked of an abstraction without time: the states between two acts of one moment are none of a plan"""
_NEXT = (Directly, Starts)
"""what is not asked of an abstraction in which more happens than steps: which step comes next"""


def answer_beyond(
    prepared: Prepared,
    wishes: tuple[Wish, ...],
    foil: Plan | None,
    plan: Plan | None,
    *,
    time_limit: float,
    memory_limit: int,
) -> Answer:
    """Answer questions about a plan of a model with numbers or time.

    Without a plan, and for what the searches over such models cannot decide, the answer is not known. Raises
    InputError for a question that cannot be asked of such a model.
    """
    plan = None if plan is None else _timed(plan)
    observed = plan if foil is None else _timed(foil)
    unanswered = Answer(constraints=wishes, possible=None, has_own_foil=foil is not None)
    if observed is None:
        return replace(unanswered, reason="a model with numbers or time is asked about a plan; none is given")
    so_far = [unanswered]
    inquiry = _Inquiry(prepared, wishes, observed, plan, time.monotonic(), time_limit, memory_limit, so_far)
    try:
        with alarm(with_patience(time_limit)):
            return inquiry.answer(unanswered)
    except OutOfTime:  # in what does not look at the clock
        known = so_far[-1]
        return replace(known, reason="; ".join(filter(None, (known.reason, _MET))))


@dataclass(frozen=True, slots=True)
class _Inquiry:
    prepared: Prepared
    wishes: tuple[Wish, ...]
    observed: Plan
    plan: Plan | None
    start: float
    time_limit: float
    memory_limit: int
    so_far: list[Answer]
    """what is known by now, the most at the end"""

    def answer(self, unanswered: Answer) -> Answer:
        own = None if self.plan is None else self._check(self.prepared, self.plan, 0.2, repair=False)
        facts: tuple[str, ...] = ()
        side = None
        if own is not None and self.plan is not None:
            side = Side(steps=self.plan.tokens, cost=own.cost if own.determination else None)
            if own.determination is False:
                facts = ("The plan is not valid.", *sentences(own.failures, self.plan.tokens))
        answer = replace(unanswered, plan=side, facts=facts)
        self.so_far.append(answer)
        asked = self._asked(self.wishes)
        why = self._excluded(answer)
        if why:
            return replace(answer, possible=False, **why)
        near = self._check(asked, self.observed, _NEAREST)
        if near.planner_response.no_solution:
            self.so_far.append(replace(answer, possible=False))
            return self._impossible(answer)
        found = _found(near, self.observed)
        reasons = [] if near.proven or near.determination else ["it is not proven that no fewer changes would do"]
        if found is not None:
            steps, changes, cost = found
            answer = replace(
                answer,
                possible=True,
                foil=Side(steps=steps, cost=cost),
                changes=changes,
                nearest=near.proven,
                diff=self._diff(steps, changes),
                reason="; ".join(reasons),
            )
            self.so_far.append(self._within_budget(answer))
        best, cheapest = self._best(asked)
        if found is None and best is None:
            return replace(answer, reason=near.reason)
        reasons += [] if best is not None else ["the cheapest plan that does this was not found"]
        answer = replace(answer, possible=True, best=best, cheapest=cheapest, reason="; ".join(reasons))
        return self._within_budget(answer)

    def _excluded(self, answer: Answer) -> dict[str, Any]:
        """Return why no plan does what is asked, where a classical model that allows more proves it; else nothing."""
        abstract = _abstraction(self.prepared.model)
        if abstract is None:
            return {}
        is_timed = any(isinstance(step, Step) and step.time is not None for step in self.observed.tokens)
        is_timed = is_timed or bool(self.prepared.model.features.keys() - {"numeric-fluents"})
        has_more = abstract.domain.actions.keys() != self.prepared.model.domain.actions.keys()
        excepted = (*(_TIMED if is_timed else (Window, WithinCost)), *(_NEXT if has_more else ()))
        wishes = [wish for wish in self.wishes if not isinstance(wish, excepted)]
        limits = Limits(deadline=self.start + _EXCLUDED * self.time_limit, memory=self.memory_limit)
        oracle = Oracle(
            worlds=Worlds(prepared=prepare(abstract), show=_show, limits=limits),
            limits=limits,
            seconds=_EXCLUDED / 2 * self.time_limit,
        )
        if oracle.possible(wishes) is not False:
            return {}
        self.so_far.append(replace(answer, possible=False))
        why = why_impossible(wishes, oracle)
        # What fits there need not fit here, and other wishes may be in conflict for numbers or time.
        return {"conflicts": why["conflicts"], "reasons": why["reasons"], "all_conflicts": False}

    def _asked(self, wishes: Sequence[Wish]) -> Prepared:
        changes = [wish for wish in wishes if isinstance(wish, Change)]
        rest = [wish for wish in wishes if not isinstance(wish, Change)]
        return prepare(constrained_model(changed(self.prepared.model, changes), rest))

    def _check(
        self, model: Prepared, plan: Plan, until: float, *, quality: Quality = Quality.VALID, repair: bool = True
    ) -> Report:
        seconds = max(0.01, self.start + until * self.time_limit - time.monotonic())
        return check(
            model,
            None,
            plan,
            quality=quality,
            repair=repair,
            time_limit=seconds,
            memory_limit=self.memory_limit,
            strict=True,
        )

    def _best(self, asked: Prepared) -> tuple[Cheapest | None, Interval | None]:
        """Return the nearest of the plans that are proven cheapest, if one is found, and what is known of the cost."""
        report = self._check(asked, self.observed, _CHEAPEST, quality=Quality.OPTIMAL)
        found = _found(report, self.observed)
        if found is None or report.optimal_cost is None or report.optimal_cost.upper != found[2]:
            return None, report.optimal_cost
        steps, changes, cost = found
        best = Cheapest(
            plan=Side(steps=steps, cost=cost),
            changes=changes,
            diff=self._diff(steps, changes),
            proven=report.optimal_cost.is_exact,
            nearest=report.proven,
        )
        return best, report.optimal_cost

    def _within_budget(self, answer: Answer) -> Answer:
        """Hold what was found against the most that a plan may cost."""
        most = min((wish.cost for wish in self.wishes if isinstance(wish, WithinCost)), default=None)
        if most is None:
            return answer
        if answer.best is not None and not _is_within(answer.best.plan, most):
            answer = replace(answer, best=None)
        if answer.foil is not None and not _is_within(answer.foil, most):
            reason = "of the plans within the cost, only those that are cheapest were looked at for the nearest"
            answer = replace(answer, foil=None, changes=(), nearest=False, diff=(), reason=reason)
        if answer.foil is not None or answer.best is not None:
            return answer
        is_dearer = answer.cheapest is not None and answer.cheapest.lower > most
        return replace(
            answer,
            possible=False if is_dearer else None,
            reason="" if is_dearer else "no plan within the cost was found",
        )

    def _diff(self, steps: Sequence[Token], changes: tuple[StepDiff, ...]) -> tuple[StepDiff, ...]:
        if self.plan is None:
            return ()
        return changes if self.plan is self.observed else tuple(by_lines(list(self.plan.tokens), list(steps), str))

    def _impossible(self, answer: Answer) -> Answer:
        def possible(chosen: frozenset[int]) -> bool | None:
            if time.monotonic() > self.start + self.time_limit:
                return None
            report = self._check(self._asked([self.wishes[number] for number in sorted(chosen)]), self.observed, 1)
            if report.planner_response.no_solution:
                return False
            return True if _found(report, self.observed) is not None else None

        found = conflicts_among(self.wishes, possible)
        return replace(
            answer,
            possible=False,
            conflicts=tuple(tuple(self.wishes[number] for number in sorted(each)) for each in found.sets),
            fitting=tuple(tuple(self.wishes[number] for number in sorted(each)) for each in found.fitting),
            all_conflicts=found.complete,
        )


def _timed(plan: Plan) -> Plan:
    """Return a plan whose steps are shown with their times, as those of the plans beside it are."""
    parts = (TimedStep.of(part) if type(part) is Step and part.time is not None else part for part in plan.parts)
    return replace(plan, parts=tuple(parts))


def _is_within(side: Side, most: Fraction) -> bool:
    """Return whether a plan is known to cost no more."""
    return side.cost is not None and side.cost <= most


def _found(report: Report, observed: Plan) -> tuple[tuple[Token, ...], tuple[StepDiff, ...], Fraction | None] | None:
    """Return the plan of a report, the changes that lead to it, and its cost."""
    if report.determination:
        return observed.tokens, tuple(StepDiff(diff_type=None, step=step) for step in observed.tokens), report.cost
    if report.repaired_plan is None:
        return None
    return report.repaired_plan, tuple(report.plan_diff_obj), report.repaired_cost


def _abstraction(model: Model) -> Model | None:
    """Return a classical model that allows more than one with numbers or time; None where that cannot be said."""
    domain = model.domain
    if (
        domain.processes
        or domain.events
        or any(each.condition != loosened(each.condition, True) for each in domain.axioms)
    ):
        return None
    abstract = relaxed_model(model, holds_throughout=False)
    problem = replace(abstract.problem, goal=loosened(model.problem.goal, True))
    return Model(domain=abstract.domain, problem=problem)


class _Happening(Constraint):
    """What happens in an abstraction and is no step of a plan: the end of an action, a fact at a given time."""

    def __str__(self) -> str:
        return self.text


def _show(step: Step) -> Step | Constraint:
    """Return a step of the abstraction as people see it."""
    if not step.name.startswith("%"):
        return step
    own = Step(name=step.name.removeprefix("%end"), args=step.args)
    return _Happening(text=f"the end of {own}" if own.name != step.name else "what happens by itself")
