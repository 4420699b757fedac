"""Metrics for DeepEval beside plan adherence, each decided on a model or by a policy, without a language model.

    evaluate(test_cases, [GoalReached(planning_model=model), Permission(policy="never delete_*")])

A metric whose value is not known has no score and neither succeeds nor fails; in ``strict_mode`` it fails.
"""

from __future__ import annotations

import asyncio
from typing import Any

from validator.integrations.deepeval import BaseMetric, trace_of

__all__ = [
    "CostRatio",
    "GoalReached",
    "NoDeadEnd",
    "NoHarm",
    "NoLoop",
    "Permission",
    "PlanSound",
]


class _Figure(BaseMetric or object):  # type: ignore[misc]
    """One of ``validator.policies.figures`` as a metric. Raises ImportError without DeepEval."""

    _required_params: list[Any] = []  # noqa: RUF012  DeepEval's protocol
    figure = ""
    error: str | None
    score: float | None
    reason: str | None
    success: bool | None

    def __init__(
        self,
        planning_model: Any = None,
        policy: Any = None,
        plan: Any = None,
        threshold: float = 1.0,
        include_reason: bool = True,
        async_mode: bool = True,
        strict_mode: bool = False,
        verbose_mode: bool = False,
    ) -> None:
        if BaseMetric is None:
            raise ImportError("validator.integrations.deepeval_figures needs the package deepeval")
        # DeepEval copies a metric by giving its attributes to the parameters of the same names.
        self.planning_model, self.policy, self.plan = planning_model, policy, plan
        self.threshold = 1.0 if strict_mode else threshold
        self.include_reason, self.async_mode = include_reason, async_mode
        self.strict_mode, self.verbose_mode = strict_mode, verbose_mode
        self.requires_trace = True
        self.evaluation_model = "plan-validator, no language model"

    def measure(self, test_case: Any, *_: Any, **__: Any) -> float | None:
        """Score a test case; sets ``score``, ``reason`` and ``success``."""
        from validator.policies.figures import FIGURES

        self.error = self.score = self.reason = self.success = None
        given = {"model": self.planning_model, "policy": self.policy, "plan": self.plan}
        try:
            found = FIGURES[self.figure](trace_of(test_case), **{k: v for k, v in given.items() if v is not None})
        except Exception as error:
            self.error = str(error)
            self.is_successful()
            raise
        self.score = None if found.value is None else float(found.value)
        self.reason = found.reason if self.include_reason else None
        self.is_successful()
        return self.score

    async def a_measure(self, test_case: Any, *_: Any, **__: Any) -> float | None:
        """Score a test case beside others."""
        return await asyncio.to_thread(self.measure, test_case)

    def is_successful(self) -> bool | None:
        """Return whether the score reaches the threshold; None without a score, but False in strict mode."""
        if self.error is not None:
            self.success = False
        elif self.score is None:
            self.success = False if self.strict_mode else None
        else:
            self.success = self.score >= self.threshold
        return self.success

    @property
    def __name__(self) -> str:
        return f"Symbolic {self.figure}"


class GoalReached(_Figure):
    """1 where the calls reach the model's goal. DeepEval's TaskCompletion asks a language model for it."""

    figure = "goal reached"


class PlanSound(_Figure):
    """1 where every planned step can be executed. DeepEval's PlanQuality asks a language model how good a plan is."""

    figure = "plan sound"


class CostRatio(_Figure):
    """The cheapest cost by the executed one. DeepEval's StepEfficiency asks a language model for superfluous steps."""

    figure = "cost ratio"


class NoDeadEnd(_Figure):
    """0 where a call made the goal unreachable, proven by the planner. DeepEval has none of this kind."""

    figure = "no dead end"


class NoHarm(_Figure):
    """0 where a deviation from the plan did harm, proven by execution. DeepEval has none of this kind."""

    figure = "no harm"


class Permission(_Figure):
    """The share of calls that a policy permits. DeepEval's ToolPermission compares names with two lists."""

    figure = "permission"


class NoLoop(_Figure):
    """The share of calls that are not made again in the same state. DeepEval's AgentLoopDetection counts equal calls,
    and compares texts, whatever happened between them."""

    figure = "no loop"
