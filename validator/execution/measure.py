"""What the cost of a plan is: its length, or its total-cost."""

from __future__ import annotations

from enum import StrEnum

from validator.model.values import Fluent, Model

__all__ = ["Measure", "measure"]


class Measure(StrEnum):
    """What the cost of a plan is."""

    LENGTH = "length"
    """the number of steps: the model has no metric"""
    TOTAL_COST = "total-cost"
    """the value of total-cost at the end; where no action changes it, all plans cost the same"""


def measure(model: Model) -> Measure | None:
    """Return what the cost of a plan is; None for a metric whose cheapest value no planner is asked for."""
    metric = model.problem.metric
    if metric is None:
        return Measure.LENGTH
    if metric.optimization == "minimize" and metric.expression == Fluent("total-cost", ()):
        return Measure.TOTAL_COST
    return None
