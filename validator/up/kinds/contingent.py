"""Contingent plans and problems of unified-planning: trees, and what is said of hidden fluents."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

from validator.model.conditions import substituted
from validator.model.values import Formula, Model
from validator.nondeterminism.policy import Branch, PlanTree
from validator.nondeterminism.transitions import State
from validator.up.expressions import ExpressionReader
from validator.up.problems import step_of

if TYPE_CHECKING:
    from unified_planning.plans import ContingentPlan

__all__ = ["tree"]


def tree(plan: ContingentPlan, model: Model, holds: Callable[[Formula, State], bool]) -> PlanTree:
    """Return a contingent plan as a tree."""
    nodes: list[Any] = [] if plan.root_node is None else [plan.root_node]
    branches: list[Branch] = []
    for node in nodes:  # which grows
        step = step_of(node.action_instance)
        action = model.domain.actions[step.name]
        names = {parameter.name: value for parameter, value in zip(action.parameters, step.args, strict=True)}
        following = []
        for seen, child in node.children:
            nodes.append(child)
            following.append((tuple(_seen(seen)), len(nodes) - 1))
        observed = tuple(substituted(formula, names) for formula in action.observed)
        branches.append(Branch(step, observed, tuple(following)))
    return PlanTree(holds, tuple(branches), start=0 if branches else None)


def _seen(observation: dict[Any, Any]) -> Iterator[tuple[Formula, bool]]:
    read = ExpressionReader()
    for fluent, value in observation.items():
        if value.is_bool_constant():
            yield read.formula(fluent), value.is_true()
        else:
            yield read.formula(fluent.environment.expression_manager.Equals(fluent, value)), True
