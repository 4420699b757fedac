"""A metric for DeepEval (4.1 to 4.3): plan adherence without a language model.

    evaluate(test_cases, [SymbolicPlanAdherence(threshold=0.8)])

It runs wherever DeepEval runs a metric: ``evaluate()``, ``assert_test()``, ``evals_iterator()``, ``measure()``. It
reads the trace of the test case, or without one the called tools, and aligns it with the plan; see
``validator.adherence``.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

try:
    from deepeval.metrics import BaseMetric
except ImportError:
    BaseMetric = None

if TYPE_CHECKING:
    from validator.adherence.requirements import Met
    from validator.checking.prepared import Prepared
    from validator.reading.plan import Plan


class SymbolicPlanAdherence(BaseMetric or object):  # type: ignore[misc]
    """How far the executed tool calls follow the plan, from 0 to 1, by alignment.

    ``plan`` is the plan to follow; without one, the plan that the trace states. A trace without a plan has no score
    (None) and neither succeeds nor fails; in ``strict_mode`` it fails. ``planning_model`` (``validator.prepare``)
    has each deviation judged by execution as well. ``strict_mode`` asks for 1, and gives 0 for anything less.
    ``require`` names what a success needs beside the threshold, of ``plan``, ``followed``, ``sound``, ``goal`` and
    ``no-harm``; by default nothing, with a ``planning_model`` a sound execution that reaches the goal. What is required
    and not known is no success. ``score_breakdown`` is the whole result as JSON. Raises ImportError without DeepEval,
    ValueError for a requirement that is none, or that needs a model and has none.
    """

    _required_params: list[Any] = []  # noqa: RUF012  DeepEval's protocol
    error: str | None
    score: float | None
    reason: str | None
    success: bool | None
    score_breakdown: dict[str, Any] | None

    def __init__(
        self,
        plan: str | Plan | Sequence[object] | None = None,
        planning_model: Prepared | None = None,
        threshold: float | None = 0.5,
        include_reason: bool = True,
        async_mode: bool = True,
        strict_mode: bool = False,
        verbose_mode: bool = False,
        require: Sequence[str] | None = None,
    ) -> None:
        if BaseMetric is None:
            raise ImportError("validator.integrations.deepeval needs the package deepeval: pip install deepeval")
        from validator.adherence.requirements import Requirement, required

        # DeepEval copies a metric by giving its attributes to the parameters of the same names.
        self.plan = plan
        self.planning_model = planning_model
        self.threshold = 1.0 if strict_mode else threshold
        self.include_reason = include_reason
        self.async_mode = async_mode
        self.strict_mode = strict_mode
        self.verbose_mode = verbose_mode
        self.require = require
        needed = required(require, with_model=planning_model is not None)
        self._required = [each for each in needed if require is not None or each is not Requirement.FOLLOWED]
        self._met: Met | None = None
        self.requires_trace = True
        self.evaluation_model = "plan-validator, no language model"

    def measure(
        self, test_case: Any, *_: Any, _show_indicator: bool = True, _in_component: bool = False
    ) -> float | None:
        """Score a test case; sets ``score``, ``reason``, ``success`` and ``score_breakdown``."""
        return _measure(self, test_case)

    async def a_measure(
        self, test_case: Any, *_: Any, _show_indicator: bool = True, _in_component: bool = False
    ) -> float | None:
        """Score a test case beside others."""
        return await asyncio.to_thread(_measure, self, test_case)

    def is_successful(self) -> bool | None:
        """Return whether the score reaches the threshold and what is required holds; None without a score."""
        if self.error is not None or (self._met is not None and self._met.holds is not True):
            self.success = False
        elif self.threshold is None:
            self.success = None
        elif self.score is None:
            self.success = False if self.strict_mode else None
        else:
            self.success = self.score >= self.threshold
        return self.success

    @property
    def __name__(self) -> str:
        return "Symbolic Plan Adherence"


def _measure(metric: SymbolicPlanAdherence, test_case: Any) -> float | None:
    from deepeval.metrics.utils import construct_verbose_logs

    from validator.adherence import adhere
    from validator.adherence.requirements import met

    metric._met = None
    metric.error = metric.score = metric.reason = metric.score_breakdown = metric.success = None
    try:
        found = adhere(metric.plan, trace_of(test_case), model=metric.planning_model)
    except Exception as error:
        metric.error = str(error)
        metric.is_successful()
        raise
    metric.score = 0.0 if metric.strict_mode and found.score is not None and found.score < 1 else found.score
    metric._met = met(found, metric._required)
    said = "\n".join(filter(None, (found.reason, metric._met.said)))
    metric.reason = said if metric.include_reason else None
    metric.score_breakdown = {**found.to_json(), "required": metric._met.to_json()}
    metric.is_successful()
    steps = [f"Reason: {found.reason}", f"Score: {metric.score}"]
    metric.verbose_logs = str(construct_verbose_logs(metric, steps=steps))
    return metric.score


def trace_of(test_case: Any) -> dict[str, Any]:
    """Return the trace of a test case; for one that was not traced, its called tools as the calls of one span."""
    trace = getattr(test_case, "_trace_dict", None)
    if trace is not None:
        found: dict[str, Any] = trace
        return found
    return {
        "name": "test case",
        "type": "agent",
        "input": test_case.input,
        "output": test_case.actual_output,
        "tools_called": [call.model_dump(mode="json") for call in test_case.tools_called or ()],
        "children": [],
    }
