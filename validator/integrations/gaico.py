"""Metrics for GAICO (0.4): classes for ``Experiment.register_metric``.

    experiment.register_metric("PlanF1", metric_class("f1"))
    experiment.register_metric("Plan", metric_class("states", "same-effect", model=prepare(domain, problem)))
    experiment.register_metric("Validity", validity_class(prepare(domain, problem)))

GAICO makes an instance of the class without arguments, so that the model is bound to the class. One name gives a
number, several names a column each, ``Plan_states`` and ``Plan_same-effect``; the registered name must not have a ``_``
itself, or GAICO does not find its thresholds. A value that is not known (the plan does not execute, the answer is
missing) is NaN, with a warning that says why.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable, Iterable, Mapping
from typing import Any, TypeAlias

from validator.errors import ValidatorError
from validator.metrics.compare import metrics_named
from validator.metrics.effects import unsound, valid_prefix
from validator.metrics.reading import ModelLike, Score, UnexecutedError, read, simulator_of

_Number: TypeAlias = float | int | bool
_Scores: TypeAlias = Callable[[Any, Any], Mapping[str, Score]]


def metric_class(*names: str, model: ModelLike | None = None) -> type:
    """Return a class derived from ``gaico.BaseMetric`` that computes metrics of ``validator.metrics.METRICS``.

    Raises ImportError without GAICO, ValueError for an unknown name or one that needs a model when there is none.
    """
    if not names:
        raise ValueError("at least one name of validator.metrics.METRICS is needed")
    metrics = metrics_named(names, with_model=model is not None)
    simulator = None if model is None else simulator_of(model)

    def scores(generated: Any, reference: Any) -> dict[str, Score]:
        one, other = read(generated, simulator), read(reference, simulator)
        return {name: metric.score(one, other) for name, metric in metrics.items()}

    return _class("PlanMetric", scores, names)


def validity_class(model: ModelLike) -> type:
    """Return a class derived from ``gaico.BaseMetric`` that executes each generated plan; the reference plays no part.

    Its columns: ``sound``, ``valid``, and ``prefix``, the share of the steps before the first fault. Raises ImportError
    without GAICO.
    """
    simulator = simulator_of(model)

    def scores(generated: Any, _: Any) -> dict[str, Score]:
        plan = read(generated, simulator)
        steps = len(plan.plan.steps)
        return {
            "sound": Score(value=plan.trace.is_sound, reason=unsound(plan)),
            "valid": Score(value=plan.trace.is_valid),
            "prefix": Score(value=valid_prefix(plan) / steps if steps else float(plan.trace.is_sound)),
        }

    return _class("PlanValidity", scores, ("sound", "valid", "prefix"))


def _class(name: str, scores: _Scores, columns: tuple[str, ...]) -> type:
    try:
        from gaico import BaseMetric
    except ImportError as error:
        raise ImportError("validator.integrations.gaico needs the package GAICo: pip install GAICo") from error

    def single(_: Any, generated_item: Any, reference_item: Any, **__: Any) -> _Number | dict[str, _Number]:
        found = _numbers(scores, columns, generated_item, reference_item)
        return found if len(columns) > 1 else found[columns[0]]

    def batch(self: Any, generated_items: Iterable[Any], reference_items: Iterable[Any], **_: Any) -> list[Any]:
        return [single(self, one, other) for one, other in zip(generated_items, reference_items, strict=True)]

    return type(name, (BaseMetric,), {"_single_calculate": single, "_batch_calculate": batch, "__module__": __name__})


def _numbers(scores: _Scores, columns: Iterable[str], generated: Any, reference: Any) -> dict[str, _Number]:
    try:
        found = scores(generated, reference)
    except (TypeError, ValidatorError, UnexecutedError) as error:
        warnings.warn(f"no score: {error}", stacklevel=4)
        return dict.fromkeys(columns, math.nan)
    for name, score in found.items():
        if score.value is None:
            warnings.warn(f"no {name}: {score.reason}", stacklevel=4)
    return {name: math.nan if score.value is None else score.value for name, score in found.items()}
