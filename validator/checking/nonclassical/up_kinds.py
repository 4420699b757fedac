"""Plans of unified-planning that are neither sequences nor times: what each kind comes to is a plan of these."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import islice, product
from typing import TYPE_CHECKING, Any

from validator.checking.prepared import Prepared, prepare
from validator.checking.report import Quality, Report
from validator.errors import ModelError
from validator.execution.time.execution import not_executed
from validator.execution.trace import Failure, Kind
from validator.model.pddl.write import atom_text
from validator.reading.plan import Plan
from validator.records import replace

if TYPE_CHECKING:
    from validator.hierarchy.values import Hierarchy
    from validator.model.values import Model

__all__ = ["Again", "completed", "hierarchy_of", "is_other", "of_other_kind"]

Again = Callable[[Any, Plan, bool], Report]
"""checks a sequence of a problem, or steps with their times, with a repair or without"""

_MOST_ORDERS = 200
"""of a partial-order plan that differ, which are executed"""

_MOST_UNDEFINED = 8
"""atoms without a value at first, of which all values are tried"""


def is_other(plan: object) -> bool:
    """Return whether a plan of unified-planning is of a kind that is looked at here."""
    return getattr(getattr(plan, "kind", None), "name", "") not in ("SEQUENTIAL_PLAN", "TIME_TRIGGERED_PLAN", "")


def of_other_kind(
    problem: Any, plan: Any, quality: Quality, again: Again, *, with_repair: bool, deadline: float
) -> Report:
    """Return the report on a plan of another kind. Raises ModelError for a problem that is none with actions."""
    kind = plan.kind.name
    if kind == "PARTIAL_ORDER_PLAN":
        return _in_every_order(problem, plan, quality, again, with_repair=with_repair)
    if kind == "STN_PLAN":
        return _scheduled(problem, plan, quality, again, with_repair=with_repair)
    if kind == "HIERARCHICAL_PLAN":
        return _decomposed(problem, plan, quality, again)
    if kind == "SCHEDULE" and hasattr(problem, "activities"):
        return _schedule(problem, plan, quality)
    if kind == "CONTINGENT_PLAN" and hasattr(problem, "hidden_fluents"):
        return _in_every_outcome(problem, plan, quality, deadline)
    return _open(quality, f"plans of the kind {type(plan).__name__} are not executed")


def _open(quality: Quality, why: str) -> Report:
    return Report(report_type=quality, determination=None, reason=why)


def _refused(quality: Quality, said: list[str], why: str, plan: Plan | None = None) -> Report:
    failures = tuple(Failure(step=None, kind=Kind.CONSTRAINT, detail=each) for each in said)
    reference = () if plan is None else plan.tokens
    return Report(
        report_type=quality, determination=False, reason=why, failures=failures, reference=reference, proven=True
    )


def _in_every_order(problem: Any, plan: Any, quality: Quality, again: Again, *, with_repair: bool) -> Report:
    """Return the report on a partial-order plan, which has a quality where it has it in each order."""
    from validator.up.kinds.partial_order import orders

    prepared = prepare(problem)
    found: Iterator[Plan] = orders(prepared.model, plan)
    report: Report | None = None
    number = 0
    for number, order in enumerate(islice(found, _MOST_ORDERS), start=1):
        now = again(prepared, order, False)
        if now.determination is False:
            now = again(problem, order, True) if with_repair else now
            return now if number == 1 and next(found, None) is None else _of_an_order(now)
        if report is None or now.determination is None:
            report = now
        if report.determination is None:
            return report
    if report is None:
        return _refused(quality, ["the plan orders its steps in a circle"], "the plan has no order")
    if next(found, None) is not None:
        why = f"the plan has it in {number} of the orders that it leaves open and that differ; there are more"
        return replace(report, determination=None, proven=False, reason=why)
    return report


def _of_an_order(report: Report) -> Report:
    return replace(report, reason=f"in an order that the plan leaves open, {report.reason}")


def _scheduled(problem: Any, plan: Any, quality: Quality, again: Again, *, with_repair: bool) -> Report:
    """Return the report on a network of times: on its schedule where it has only one."""
    from validator.up.kinds.network import earliest

    found = earliest(plan)
    if found is None:
        why = "no times meet the constraints of the plan"
        return _refused(quality, [why], why)
    if found.untold:
        return _open(quality, found.untold)
    report = again(problem, found.plan, with_repair and found.is_only)
    if found.is_only or report.determination is None:
        return report
    how = "has it" if report.determination else f"has it not ({report.reason})"
    why = f"the schedule that does everything as early as it can {how}; the other schedules of the plan were not tried"
    return replace(report, determination=None, proven=False, reason=why)


def _decomposed(problem: Any, plan: Any, quality: Quality, again: Again) -> Report:
    """Return the report on a hierarchical plan: on its steps, and on its decomposition."""
    from validator.checking.nonclassical.hierarchies import refused
    from validator.up.kinds.hierarchy import decomposed
    from validator.up.problems import plan_from_up

    if not hasattr(problem, "task_network"):
        raise ModelError("a HierarchicalPlan is judged with its HierarchicalProblem")
    prepared, flat = _as_plain(prepare(problem)), plan_from_up(plan.action_plan)
    report = again(prepared, flat, False)
    if report.determination is False and not report.failures:
        return _open(quality, f"{report.reason}, which may have no decomposition")
    if report.determination is not True:
        return report
    found = decomposed(problem, plan, prepared.model, flat)
    if found.faults:
        return refused(report, found.faults, "the decomposition is not one of this problem")
    if found.open:
        return replace(report, determination=None, proven=False, reason="; ".join(found.open))
    return report


def hierarchy_of(problem: Any) -> Hierarchy | str:
    """Return a hierarchical problem as a hierarchy, or why plans of it are not judged without a decomposition."""
    from validator.up.kinds.hierarchy import hierarchy_from_up

    model = _as_plain(prepare(problem)).model
    if model.features:
        named = ", ".join(sorted(model.features))
        return f"whether steps have a decomposition is decided of classical models, not of one with {named}"
    hierarchy, opened = hierarchy_from_up(problem, model)
    return "; ".join(opened) if opened else hierarchy


def _schedule(problem: Any, plan: Any, quality: Quality) -> Report:
    """Return the report on a schedule, which has no steps: its faults are those of the whole plan."""
    from validator.up.kinds.schedule import scheduled

    found = scheduled(problem, plan)
    if found.faults:
        return _refused(quality, found.faults, "the schedule does not meet its problem")
    why = "; ".join(found.open)
    if not why and quality is Quality.OPTIMAL:
        why = "the best schedule is not looked for"
    if why:
        return replace(_open(quality, why), cost=found.makespan)
    return Report(report_type=quality, determination=True, cost=found.makespan, proven=True)


def _in_every_outcome(problem: Any, plan: Any, quality: Quality, deadline: float) -> Report:
    """Return the report on a contingent plan, which has a quality where it has it in every outcome."""
    from validator.checking.nonclassical.nondeterministic import check_strategy, truth_in, unsupported
    from validator.nondeterminism.transitions import Transitions
    from validator.up.kinds.contingent import tree

    model = prepare(problem).model
    if why := unsupported(model):
        return _open(quality, why)
    transitions = Transitions(model)
    strategy = tree(plan, model, truth_in(transitions))
    return check_strategy(transitions, strategy, Report(report_type=quality, determination=None), deadline)


def completed(prepared: Prepared, plan: Plan, quality: Quality, again: Again) -> Report | None:
    """Return the report on a plan of a problem that leaves open which of some atoms hold at first.

    It is decided where all their values agree on it. None where they are too many, or something else is not executed.
    """
    atoms = prepared.model.problem.undefined
    model = _without(prepared.model, "undefined-initial-values")
    if quality is Quality.OPTIMAL or len(atoms) > _MOST_UNDEFINED or not_executed(model):
        return None
    report: Report | None = None
    for values in product((False, True), repeat=len(atoms)):
        init = model.problem.init.union(atom for atom, holds in zip(atoms, values, strict=True) if holds)
        now = again(prepare(replace(model, problem=replace(model.problem, init=init, undefined=()))), plan, False)
        if now.determination is None:
            return now
        if report is not None and now.determination is not report.determination:
            named = ", ".join(map(atom_text, atoms))
            return _open(quality, f"it depends on values that the problem does not give: {named}")
        report = now
    return report


def _as_plain(prepared: Prepared) -> Prepared:
    """Return the model of a hierarchical problem as one of its actions alone."""
    return prepare(_without(prepared.model, "other-problem-classes"))


def _without(model: Model, *beyond: str) -> Model:
    """Return a model without some of the names of what it uses."""
    features = {name: place for name, place in model.features.items() if name not in beyond}
    return replace(
        model, domain=replace(model.domain, features=features), problem=replace(model.problem, features=features)
    )
