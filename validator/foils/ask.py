"""Questions about a plan: why not this one, what if a step must, must not, or may not so often, happen.

Contrastive questions (Fox, Long and Magazzeni 2017) become constraints on plans, compiled into the task; the answer is
the plan nearest to the user's that keeps to them, its cost beside the plan's own, and what each constraint costs
(Eifler et al. 2020).
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence
from fractions import Fraction
from pathlib import Path

from validator.checking.check import check
from validator.checking.limits import DEFAULT_MEMORY_LIMIT
from validator.checking.prepared import Prepared
from validator.checking.report import Quality, Report
from validator.errors import InputError
from validator.flow.plans.diffs import by_lines
from validator.foils.answer import Answer, Side
from validator.foils.compiled.compile import constrained
from validator.foils.compiled.conflicts import minimal_conflicts
from validator.foils.compiled.constraints import Constraint, violations
from validator.foils.compiled.costs import Costs
from validator.foils.compiled.solve import Oracle
from validator.foils.links import link_sentences
from validator.foils.view import PDDL, View
from validator.grounding.limits import Limits, Status
from validator.grounding.task import Task
from validator.reading.plan import Plan, Step, Token
from validator.reading.tokens import tokenize
from validator.records import dataclass, replace
from validator.repair.diff import StepDiff
from validator.repair.nearest import Optimum
from validator.texts import read_plan_text

__all__ = ["PlanLike", "why_not"]

_DEFAULT_SECONDS = 10.0

_DECIDE, _NEAREST, _OPTIMUM, _CHEAPEST = 0.2, 0.6, 0.75, 0.9
"""parts of the time limit by which it is to be known whether there is a plan, the nearest one, the cheapest ones"""

PlanLike = str | Path | Plan


def why_not(
    prepared: Prepared,
    foil: PlanLike | None = None,
    *,
    plan: PlanLike | None = None,
    constraints: Sequence[Constraint] = (),
    facts: Iterable[str] = (),
    view: View = PDDL,
    time_limit: float = _DEFAULT_SECONDS,
    memory_limit: int = DEFAULT_MEMORY_LIMIT,
) -> Answer:
    """Say what would come of the user's own plan, of constraints on the plan, or of both.

    ``foil`` is the user's plan; without one, the nearest plan to ``plan`` is looked for. Without ``plan``, a cheapest
    plan of the model takes its place, or the best one found in time. ``facts`` are sentences that come first.
    ``view`` is how the steps of the model are seen, of which the constraints speak. ``time_limit`` is in seconds of
    wall clock, ``memory_limit`` in bytes for each planner process.

    Raises InputError when there is neither a foil nor a constraint, PlannerError when a planner fails.
    """
    if foil is None and not constraints:
        raise InputError("a question needs a foil or a constraint")
    model = prepared.model
    if model.features:
        used = ", ".join(f"{name} ({place})" for name, place in model.features.items())
        return Answer(
            constraints=tuple(constraints), possible=None, reason=f"the model uses what is not executed: {used}"
        )
    inquiry = _Inquiry(prepared, tuple(constraints), view, time_limit, memory_limit)
    own = None if foil is None else _read(prepared, foil)
    answer = inquiry.answer(own, None if plan is None else _read(prepared, plan))
    return replace(answer, facts=(*facts, *answer.facts))


def _read(prepared: Prepared, plan: PlanLike) -> Plan:
    return plan if isinstance(plan, Plan) else tokenize(read_plan_text(plan), prepared.vocabulary)


@dataclass(frozen=True, slots=True)
class _Known:
    """A plan as it was given, and its steps and cost when it is valid."""

    tokens: tuple[Token, ...]
    steps: tuple[Step, ...] | None
    cost: Fraction | None
    faults: tuple[str, ...] = ()


class _Inquiry:
    """One question: the model, what is asked, and the time that is left for it."""

    def __init__(
        self, prepared: Prepared, constraints: tuple[Constraint, ...], view: View, time_limit: float, memory: int
    ) -> None:
        self.prepared = prepared
        self.simulator = prepared.simulator
        self.constraints = constraints
        self.view = view
        self.memory = memory
        self.start, self.time_limit = time.monotonic(), time_limit
        self.facts: list[str] = []
        self.reasons: list[str] = []
        self.unpriced = ""
        """why the planner's costs are not the model's"""
        if self.simulator.measure is None:
            self.unpriced = "the metric is not the minimum of total-cost, the only one whose cheapest value is known"

    def _until(self, part: float) -> Limits:
        return Limits(deadline=self.start + part * self.time_limit, memory=self.memory)

    def answer(self, foil: Plan | None, plan: Plan | None) -> Answer:
        given = None if plan is None else self._known(plan.tokens or plan.unread)
        own = None if foil is None else self._known(foil.tokens or foil.unread)
        unanswered = Answer(
            constraints=self.constraints, possible=None, has_own_foil=own is not None, plan=self._side(given)
        )
        task = self._ground()
        if isinstance(task, str):
            return replace(unanswered, reason=task, facts=tuple(self.facts))
        oracle = Oracle(
            task=task,
            simulator=self.simulator,
            show=self.view.show,
            limits=self._until(1),
            seconds=_DECIDE * self.time_limit,
            plans=[known.steps for known in (given, own) if known is not None and known.steps is not None],
        )
        optimum = None
        if given is None:
            optimum, given = self._cheapest_of_all(oracle)
        self._note(own, given)
        answer = replace(unanswered, plan=self._side(given), possible=oracle.possible(self.constraints))
        if answer.possible is False:
            answer = self._impossible(answer, oracle)
        elif (observed := own or given) is not None:
            answer = self._nearest(answer, observed, given, oracle)
        answer = self._costs(answer, oracle, optimum, given)
        if answer.possible is None:
            self.reasons.append("a limit was met before a plan was found or excluded")
        return replace(answer, reason="; ".join(dict.fromkeys(self.reasons)), facts=tuple(self.facts))

    # --- what is given -------------------------------------------------------------------------

    def _known(self, tokens: Sequence[Token]) -> _Known:
        resolved = tuple(map(self.simulator.resolve, tokens))
        trace = self.simulator.run(Plan(parts=resolved))
        if trace.is_valid:
            steps = tuple(Step(name=each.name, args=each.args) for each in resolved if isinstance(each, Step))
            return _Known(resolved, steps, trace.cost)
        return _Known(resolved, None, None, tuple(self.view.sentences(self.simulator, trace.failures, resolved)))

    def _seen(self, token: Token) -> Token:
        return self.view.seen(self.simulator, token)

    def _side(self, known: _Known | None) -> Side | None:
        return None if known is None else Side(steps=tuple(map(self._seen, known.tokens)), cost=known.cost)

    def _note(self, own: _Known | None, given: _Known | None) -> None:
        """Say of the foil, and of a plan at fault, whether it is valid."""
        if given is not None and given.steps is None:
            self.facts += ["The plan is not valid.", *given.faults]
        if own is not None:
            self.facts += ["The foil is not valid.", *own.faults] if own.steps is None else []
            shown = [step for step in map(self._seen, own.tokens) if isinstance(step, Step)]
            for constraint in self.constraints:
                if any(True for _ in violations(constraint, shown)):
                    self.facts.append(f"The foil does not keep to this: {constraint}.")

    def _ground(self) -> Task | str:
        """Return the grounded task, or why there is none; without costs when those cannot be given to the planner."""
        limits = self._until(1)
        try:
            task = self.prepared.task(limits)
        except ValueError as error:
            self.unpriced = f"the planner cannot be given the model's costs: {error}"
            task = self.prepared.task(limits, costs_matter=False)
        if isinstance(task, Status):
            return f"the {task.value} was met while the model was grounded"
        return task

    # --- searches ------------------------------------------------------------------------------

    def _cheapest_of_all(self, oracle: Oracle) -> tuple[Optimum | None, _Known | None]:
        """Return the model's optimum and its plan, or any plan when there are no costs or no time."""
        if not oracle.possible(()):
            return None, None
        known, optimum = next(oracle.keeping(())), None
        if not self.unpriced:
            optimum = self.prepared.optimum(oracle.task, known, self._until(_DECIDE * 2))
        return optimum, self._known((optimum.plan if optimum is not None else None) or known)

    def _costs(self, answer: Answer, oracle: Oracle, optimum: Optimum | None, given: _Known | None) -> Answer:
        """Add what the cheapest plans cost: of all, of those that do what is asked, and without each constraint."""
        if self.unpriced:
            self.reasons.append(self.unpriced)
            return answer
        if optimum is None and given is not None and given.steps is not None:
            optimum = self.prepared.optimum(oracle.task, given.steps, self._until(_OPTIMUM))
        costs = Costs(oracle=oracle, initial=self.simulator.initial_cost, reasons=self.reasons)
        if optimum is not None:
            costs.lower = optimum.lower
            answer = replace(answer, optimum=costs.interval(optimum))
        if not answer.possible or not self.constraints:
            return answer
        return replace(
            answer,
            cheapest=costs.cheapest(self.constraints, self._until(_CHEAPEST)),
            prices=costs.prices(self.constraints, self._until(1)),
        )

    def _nearest(self, answer: Answer, observed: _Known, given: _Known | None, oracle: Oracle) -> Answer:
        """Add the plan nearest to the observed one that does what is asked."""
        model = constrained(self.prepared, oracle.task, self.constraints, self.view.show)
        # What is not even decided gets the time that costs would have had.
        seconds = max(0.01, self._until(_NEAREST if answer.possible else 1).seconds)
        report = check(
            model,
            None,
            Plan(parts=observed.tokens),
            quality=Quality.VALID,
            time_limit=seconds,
            memory_limit=self.memory,
        )
        if report.planner_response.no_solution:
            return self._impossible(replace(answer, possible=False), oracle)
        steps, diffs = self._found(report, observed, oracle)
        if steps is None:
            return answer
        foil = self._known(steps)
        changes = tuple(StepDiff(diff_type=diff.diff_type, step=self._seen(diff.step)) for diff in diffs)
        diff = changes if given is observed else ()
        if given is not None and given is not observed:
            diff = tuple(by_lines([*map(self._seen, given.tokens)], [*map(self._seen, steps)], str))
        if not report.proven:
            self.reasons.append("the time limit was met before fewer changes were excluded")
        oracle.plans.append(steps)
        return replace(
            answer,
            possible=True,
            foil=self._side(foil),
            changes=changes,
            nearest=report.proven,
            diff=diff,
            links=tuple(link_sentences(self.simulator, None if given is None else given.steps, steps, self._seen)),
        )

    def _found(
        self, report: Report, observed: _Known, oracle: Oracle
    ) -> tuple[tuple[Step, ...] | None, Sequence[StepDiff]]:
        """Return the steps of the nearest plan, and the diff to it; when none was found, any plan that will do."""
        if report.determination:
            same = tuple(Step(name=each.name, args=each.args) for each in observed.tokens if isinstance(each, Step))
            return same, ()
        if report.repaired_plan is not None:
            steps = tuple(step for step in report.repaired_plan if isinstance(step, Step))
            return steps, report.plan_diff_obj
        plan = next(oracle.keeping(self.constraints), None)
        if plan is None:
            return None, ()
        return plan, tuple(by_lines(observed.tokens, plan, str))

    def _impossible(self, answer: Answer, oracle: Oracle) -> Answer:
        """Add the minimal conflicts among the constraints."""

        def possible(wishes: frozenset[int]) -> bool | None:
            return (
                None if oracle.limits.seconds == 0 else oracle.possible([self.constraints[i] for i in sorted(wishes)])
            )

        found = minimal_conflicts(len(self.constraints), possible)
        conflicts = tuple(tuple(self.constraints[i] for i in sorted(conflict)) for conflict in found.sets)
        return replace(answer, conflicts=conflicts, all_conflicts=found.complete)
