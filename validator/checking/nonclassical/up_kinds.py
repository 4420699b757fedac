"""Plans of unified-planning that are neither sequences nor times: hierarchical and contingent ones."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import product
from typing import TYPE_CHECKING, Any

from validator.checking.prepared import Prepared, prepare
from validator.checking.report import Quality, Report
from validator.errors import ModelError
from validator.execution.time.execution import not_executed
from validator.model.conditions import bound, substituted
from validator.model.pddl.write import atom_text
from validator.reading.plan import Plan
from validator.records import replace

if TYPE_CHECKING:
    from validator.hierarchy.values import Hierarchy
    from validator.model.values import Formula, Model
    from validator.nondeterminism.policy import PlanTree
    from validator.nondeterminism.transitions import State


_MOST_UNDEFINED = 8
"""atoms without a value at first, of which all values are tried"""


def is_other(plan: object) -> bool:
    """Return whether a plan of unified-planning is neither a sequence nor one with times."""
    return getattr(getattr(plan, "kind", None), "name", "") not in ("SEQUENTIAL_PLAN", "TIME_TRIGGERED_PLAN", "")


def of_other_kind(
    problem: Any, plan: Any, quality: Quality, plain: Callable[[Prepared, Plan], Report], *, deadline: float
) -> Report:
    """Return the report on a plan of another kind; ``plain`` checks steps alone, without a repair.

    Raises ModelError for a problem that is none with actions.
    """
    if plan.kind.name == "HIERARCHICAL_PLAN":
        return _decomposed(problem, plan, quality, plain)
    if plan.kind.name == "CONTINGENT_PLAN" and hasattr(problem, "hidden_fluents"):
        return _in_every_outcome(problem, plan, quality, deadline)
    return _open(quality, f"plans of the kind {type(plan).__name__} are not executed")


def _open(quality: Quality, why: str) -> Report:
    return Report(report_type=quality, determination=None, reason=why)


# --- hierarchical plans ----------------------------------------------------------------------------


def _decomposed(problem: Any, plan: Any, quality: Quality, plain: Callable[[Prepared, Plan], Report]) -> Report:
    """Return the report on a hierarchical plan: on its steps, and on its decomposition."""
    from validator.checking.nonclassical.hierarchies import refused
    from validator.up.hierarchy import decomposed
    from validator.up.problems import plan_from_up

    if not hasattr(problem, "task_network"):
        raise ModelError("a HierarchicalPlan is judged with its HierarchicalProblem")
    prepared, flat = _of_actions(problem), plan_from_up(plan.action_plan)
    report = plain(prepared, flat)
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
    from validator.up.hierarchy import hierarchy_from_up

    model = _of_actions(problem).model
    if model.features:
        named = ", ".join(sorted(model.features))
        return f"whether steps have a decomposition is decided of classical models, not of one with {named}"
    hierarchy, opened = hierarchy_from_up(problem, model)
    return "; ".join(opened) if opened else hierarchy


def _of_actions(problem: Any) -> Prepared:
    """Return the model of a hierarchical problem as one of its actions alone."""
    return prepare(_without(prepare(problem).model, "other-problem-classes"))


def _without(model: Model, feature: str) -> Model:
    """Return a model without the name of something that it uses."""
    features = {name: place for name, place in model.features.items() if name != feature}
    domain, problem = replace(model.domain, features=features), replace(model.problem, features=features)
    return replace(model, domain=domain, problem=problem)


# --- contingent plans ------------------------------------------------------------------------------


def _in_every_outcome(problem: Any, plan: Any, quality: Quality, deadline: float) -> Report:
    """Return the report on a contingent plan, which has a quality where it has it in every outcome."""
    from validator.checking.nonclassical.nondeterministic import check_strategy, truth_in, unsupported
    from validator.nondeterminism.transitions import Transitions

    model = prepare(problem).model
    if why := unsupported(model):
        return _open(quality, why)
    transitions = Transitions(model)
    strategy = _tree(plan, model, truth_in(transitions))
    return check_strategy(transitions, strategy, _open(quality, ""), deadline)


def _tree(plan: Any, model: Model, holds: Callable[[Formula, State], bool]) -> PlanTree:
    """Return a contingent plan as a tree."""
    from validator.nondeterminism.policy import Branch, PlanTree
    from validator.up.problems import step_of

    nodes: list[Any] = [] if plan.root_node is None else [plan.root_node]
    branches: list[Branch] = []
    for node in nodes:  # which grows
        step = step_of(node.action_instance)
        action = model.domain.actions[step.name]
        names = bound(action.parameters, step.args)
        following = []
        for seen, child in node.children:
            nodes.append(child)
            following.append((tuple(_seen(seen)), len(nodes) - 1))
        observed = tuple(substituted(formula, names) for formula in action.observed)
        branches.append(Branch(step, observed, tuple(following)))
    return PlanTree(holds, tuple(branches), start=0 if branches else None)


def _seen(observation: dict[Any, Any]) -> Iterator[tuple[Formula, bool]]:
    from validator.up.expressions import ExpressionReader

    read = ExpressionReader()
    for fluent, value in observation.items():
        if value.is_bool_constant():
            yield read.formula(fluent), value.is_true()
        else:
            yield read.formula(fluent.environment.expression_manager.Equals(fluent, value)), True


# --- values that a problem does not give -----------------------------------------------------------


def completed(
    prepared: Prepared, plan: Plan, quality: Quality, plain: Callable[[Prepared, Plan], Report]
) -> Report | None:
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
        now = plain(prepare(replace(model, problem=replace(model.problem, init=init, undefined=()))), plan)
        if now.determination is None:
            return now
        if report is not None and now.determination is not report.determination:
            named = ", ".join(map(atom_text, atoms))
            return _open(quality, f"it depends on values that the problem does not give: {named}")
        report = now
    return report
