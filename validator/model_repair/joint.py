"""Which of the two is wrong, the plan or the model: the fewest edits of both together.

Three answers stand side by side: the domain alone is edited, the plans alone are edited, and, where that is cheaper
than either, both are.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from math import lcm
from pathlib import Path
from time import monotonic
from typing import Any

from validator.checking.check import check
from validator.checking.limits import with_patience
from validator.model.values import Problem
from validator.model_repair.cases import Case, Given, PlanSource
from validator.model_repair.costs import Costs
from validator.model_repair.encoding.editable import (
    MOST_OCCURRENCES,
    Ground,
    PlanEdits,
    encode_editable,
    number_of_occurrences,
)
from validator.model_repair.encoding.maxsat import Cheapest
from validator.model_repair.encoding.unrolled import OutOfTimeError
from validator.model_repair.repair import OVER, Search, given_cases, search_of
from validator.model_repair.result import Blame, EditedPlan, JointRepair, Mixed, ModelRepair, Status
from validator.reading.plan import Plan, Step
from validator.records import dataclass, replace
from validator.repair.diff import DiffAction, StepDiff, unified
from validator.resources import OutOfTime, alarm
from validator.texts import decimal, exact

__all__ = ["Mixture", "cheapest_mixture", "repair_jointly", "verdict"]

_SLOTS_WITHOUT_BOUND = 2
"""steps that may be put into each gap where neither the domain alone nor the plans alone can be repaired"""


def repair_jointly(
    domain: str | Path,
    problem: str | Path | Problem | None = None,
    plan: PlanSource | Sequence[PlanSource] | None = None,
    *,
    must_fail: Sequence[PlanSource] = (),
    cases: Sequence[Given] = (),
    protect: Sequence[str] = (),
    costs: Mapping[str, Any] | None = None,
    facts: bool = False,
    weights: tuple[Any, Any] = (1, 1),
    alternatives: int = 5,
    time_limit: float = 30.0,
) -> JointRepair:
    """Find the cheapest edits of a domain and its plans together.

    ``weights`` are what an edit of the domain and a changed line of a plan weigh; the rest is as for ``repair_model``.
    Raises as it does.
    """
    deadline = monotonic() + time_limit
    for_model, for_plan = (exact(weight) for weight in weights)
    if for_model <= 0 or for_plan <= 0:
        raise ValueError("weights are numbers above 0")
    given = given_cases(problem, plan, must_fail, cases)
    try:
        with alarm(with_patience(time_limit)):
            search = search_of(domain, given, protect, costs, deadline, facts=facts)
            return _Joint(search, for_model, for_plan).result(alternatives)
    except OutOfTime:
        return JointRepair(blame=Blame.UNKNOWN, model=OVER, reason=OVER.reason)


@dataclass(frozen=True, slots=True)
class Mixture:
    """The cheapest edits of both kinds: ``cost`` in whole units, None where there are none."""

    cost: int | None
    edits: frozenset[Any] = frozenset()
    plans: tuple[tuple[tuple[str, Ground], ...], ...] = ()
    is_open: bool = False


def cheapest_mixture(search: Search, costs: Costs, price: int, slots: int) -> Mixture:
    """Return the cheapest edits of a domain and its plans with at most so many steps put into each gap."""
    cases = [case for case in search.cases if not (case.must_fail and case.malformed)]
    try:
        instance, edits = encode_editable(search.domain, cases, costs, price, slots, search.deadline)
    except OutOfTimeError:
        return Mixture(None, is_open=True)
    if instance.impossible:
        return Mixture(None)
    with Cheapest(instance.circuit.clauses, instance.choices.costs, search.deadline) as cheapest:
        answer = cheapest.next()
    if answer.true is None:
        return Mixture(None, is_open=answer.is_open)
    return Mixture(answer.cost, instance.choices.chosen(answer.true), tuple(_plans(edits, cases, answer.true)))


def _plans(edits: PlanEdits, cases: Sequence[Case], true: frozenset[int]) -> Iterator[tuple[tuple[str, Ground], ...]]:
    for number, case in enumerate(cases):
        yield tuple(edits.plan(number, case, true))


@dataclass(frozen=True, slots=True)
class _Joint:
    search: Search
    for_model: Fraction
    for_plan: Fraction

    def result(self, alternatives: int) -> JointRepair:
        search = self.search
        model = search.result(alternatives)
        if model.status in (Status.NOTHING_TO_DO, Status.UNSUPPORTED):
            blame = Blame.NEITHER if model.status is Status.NOTHING_TO_DO else Blame.UNKNOWN
            return JointRepair(blame=blame, proven=model.proven, model=model, reason=model.reason, cost=model.cost)
        plans = tuple(self._alone(case) for case in search.cases if not case.must_fail)
        by_model = None if model.cost is None else model.cost * self.for_model
        by_plans = self._by_plans(plans)
        known = [cost for cost in (by_model, by_plans) if cost is not None]
        best = min(known, default=None)
        alone_proven = self._is_settled(model, plans, best)
        mixed, is_exact = self._mixed(best)
        return JointRepair(
            blame=_blame(by_model, by_plans) if mixed is None else Blame.BOTH,
            model=model,
            plans=plans,
            mixed=mixed,
            cost=best if mixed is None else mixed.cost,
            proven=is_exact and alone_proven,
        )

    def _by_plans(self, plans: Sequence[EditedPlan]) -> Fraction | None:
        """Return what repairing the plans alone costs; None where that is not known to be possible."""
        if any(plan.changes is None for plan in plans) or any(
            case.must_fail and not case.is_right for case in self.search.cases
        ):
            return None
        return self.for_plan * sum(plan.changes or 0 for plan in plans)

    def _is_settled(self, model: ModelRepair, plans: Sequence[EditedPlan], best: Fraction | None) -> bool:
        """Return whether no repair of one kind alone can cost less than the best one."""
        least_plans = self.for_plan * sum(plan.at_least for plan in plans)
        plans_settled = all(plan.proven for plan in plans) or (best is not None and least_plans >= best)
        return model.proven and plans_settled

    def _alone(self, case: Case) -> EditedPlan:
        """Repair one plan on the domain as it is."""
        if case.is_right:
            return EditedPlan(name=case.name, changes=0, at_least=0, proven=True)
        steps = tuple(Step(name=name, args=args) for name, args in case.steps)
        left = self.search.deadline - monotonic()
        if left <= 0:
            return EditedPlan(name=case.name, changes=None, at_least=1, proven=False, reason="the time was over")
        report = check(case.model, None, Plan(parts=steps), time_limit=left)
        changed = [diff for diff in report.plan_diff_obj if diff.diff_type is not None]
        if report.repaired_plan is None:
            never = report.planner_response.no_solution
            return EditedPlan(name=case.name, changes=None, at_least=0, proven=never, reason=report.reason)
        lower = report.planner_response.lower_bound
        at_least = len(changed) if report.proven else lower if isinstance(lower, int) else 1
        return EditedPlan(
            name=case.name,
            changes=len(changed),
            at_least=at_least,
            proven=report.proven,
            diff=unified(report.plan_diff_obj, 3, case.name),
        )

    # --- both --------------------------------------------------------------------------------

    def _mixed(self, best: Fraction | None) -> tuple[Mixed | None, bool]:
        """Return a mixture that costs less than the best repair of one kind, and whether that was decided."""
        if any(case.model.features for case in self.search.cases):
            return None, False  # another step would change the numbers
        if monotonic() > self.search.deadline:
            return None, False
        try:
            return self._cheaper(best)
        except OutOfTime:  # in what does not look at the clock; what each kind costs alone is known
            return None, False

    def _cheaper(self, best: Fraction | None) -> tuple[Mixed | None, bool]:
        """Return a mixture as ``_mixed`` does, where there is time to look for one."""
        scale = lcm(self.for_model.denominator, self.for_plan.denominator)
        factor, weight = int(self.for_model * scale), int(self.for_plan * scale)
        costs = self.search.costs
        units = {kind: unit * factor for kind, unit in costs.units.items()}
        weighted = replace(costs, units=units, scale=costs.scale * factor)
        price, whole = costs.scale * weight, costs.scale * scale
        least = min((*units.values(), weighted.scale))
        slots = _SLOTS_WITHOUT_BOUND if best is None else int((best * whole - least - 1) // price)
        if best is not None and slots < 1:
            return None, True  # one edit of the domain and one of a plan cost as much already
        wanted, slots = slots, min(slots, self._most_slots())
        found = cheapest_mixture(self.search, weighted, price, slots)
        is_exact = best is not None and slots == wanted and not found.is_open
        if found.cost is None or (best is not None and found.cost >= best * whole):
            return None, is_exact
        return self._verified(found, Fraction(found.cost, whole)), is_exact

    def _most_slots(self) -> int:
        """Return how many slots a gap may have within the limit."""
        per_slot = sum(
            (len(case.steps) + 1) * number_of_occurrences(case) for case in self.search.cases if not case.must_fail
        )
        return MOST_OCCURRENCES // max(1, per_slot)

    def _verified(self, found: Mixture, cost: Fraction) -> Mixed:
        """Write the edits into the domain, the plans anew, and execute these on that."""
        cases = [case for case in self.search.cases if not (case.must_fail and case.malformed)]
        edited = [
            replace(case, steps=tuple(ground for sign, ground in lines if sign != "-"), malformed="")
            for case, lines in zip(cases, found.plans, strict=True)
        ]
        repair = replace(self.search, changed=tuple(edited)).written(found.edits)
        plans = tuple(
            _edited(case, lines) for case, lines in zip(cases, found.plans, strict=True) if not case.must_fail
        )
        return Mixed(repair=repair, plans=plans, cost=cost)


def _edited(case: Case, lines: Sequence[tuple[str, Ground]]) -> EditedPlan:
    kinds = {" ": None, "-": DiffAction.DELETE, "+": DiffAction.ADD}
    diffs = [StepDiff(diff_type=kinds[sign], step=Step(name=name, args=args)) for sign, (name, args) in lines]
    changes = sum(sign != " " for sign, _ in lines)
    return EditedPlan(name=case.name, changes=changes, at_least=0, proven=False, diff=unified(diffs, 3, case.name))


def _blame(by_model: Fraction | None, by_plans: Fraction | None) -> Blame:
    if by_model is None or by_plans is None:
        return Blame.UNKNOWN if by_model == by_plans else Blame.PLAN if by_model is None else Blame.MODEL
    return Blame.EITHER if by_model == by_plans else Blame.MODEL if by_model < by_plans else Blame.PLAN


def verdict(found: JointRepair) -> str:
    """Say in one sentence what stands against what."""
    if found.blame in (Blame.NEITHER, Blame.UNKNOWN):
        return found.reason or {Blame.NEITHER: "neither is wrong", Blame.UNKNOWN: "no repair was found"}[found.blame]
    wrong = [plan for plan in found.plans if plan.changes != 0]
    model = _model_side(found)
    if any(plan.changes is None for plan in wrong):
        plans = "the plans cannot be repaired alone"
    else:
        lines = sum(plan.changes or 0 for plan in wrong)
        plans = f"without that {len(wrong)} of {len(found.plans)} plans need {lines} changed line{'s' * (lines != 1)}"
    if found.mixed is None:
        return f"{model}; {plans}"
    changes = sum(plan.changes or 0 for plan in found.mixed.plans)
    edits = len(found.mixed.repair.edits)
    both = f"{edits} of the domain and {changes} of the plans do it together, for {decimal(found.mixed.cost)}"
    return f"{both}; {model}; {plans}"


def _model_side(found: JointRepair) -> str:
    edits = len(found.model.edits)
    if found.model.status is not Status.REPAIRED:
        return "no edit of the domain alone makes the plans what they must be"
    return f"{edits} edit{'s' * (edits != 1)} of the domain make{'s' * (edits == 1)} all plans what they must be"
