"""What the cost of a plan is: its length, or its total-cost."""

from __future__ import annotations

from enum import StrEnum

from validator.model.values import Fluent, Model, NumericEffect

__all__ = ["Measure", "measure"]


class Measure(StrEnum):
    """What the cost of a plan is."""

    LENGTH = "length"
    """the number of steps: the model has no metric, or its metric is total-cost and no action has a cost"""
    TOTAL_COST = "total-cost"


def measure(model: Model) -> Measure | None:
    """Return what the cost of a plan is; None for a metric whose cheapest value no planner is asked for."""
    metric = model.problem.metric
    effects = (effect for action in model.domain.actions.values() for effect in action.effects)
    if metric is None:
        return Measure.LENGTH
    if metric.optimization == "minimize" and metric.expression == Fluent("total-cost", ()):
        return Measure.TOTAL_COST if any(isinstance(effect, NumericEffect) for effect in effects) else Measure.LENGTH
    return None
