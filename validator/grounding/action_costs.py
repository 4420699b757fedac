"""What steps add to a metric: then a plan's cost is a sum over its steps.

That is so for the number of steps, and for a weighted sum of values that actions only increase and decrease, such as
``total-cost``, ``(fuel-used)`` or ``(+ (* 2 (fuel-used)) (walked))``.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from fractions import Fraction

from validator.execution.time.effects import ADDITIVE, Update
from validator.execution.time.metric import changed_functions
from validator.model.conditions import conjuncts
from validator.model.numeric import Weights, linear
from validator.model.values import (
    Compare,
    Conditional,
    Effect,
    Expression,
    Fluent,
    Formula,
    GroundAtom,
    Model,
    Number,
    NumericEffect,
)
from validator.records import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class ActionCosts:
    """The cost of a plan is ``constant`` and what its steps add; ``weights`` None means that each adds one."""

    weights: Mapping[GroundAtom, Fraction] | None = None
    constant: Fraction = Fraction(0)

    def by(self, update: Update) -> Fraction:
        """Return what a step adds that does so much."""
        if self.weights is None:
            return Fraction(1)
        total = Fraction(0)
        for key, weight in self.weights.items():
            for operator, value in update.changes.get(key, ()):
                total += weight * (value if operator == "increase" else -value)
        return total


def action_costs(model: Model) -> ActionCosts | str:
    """Return what the steps of a model without time add to its metric, or why it is no sum over steps."""
    if model.problem.metric is None:
        return ActionCosts()
    weights = metric_weights(model)
    if isinstance(weights, str):
        return weights
    if any(key and key[0] in ("is-violated", "total-time") for key in weights):
        return "the metric counts more than what steps add to values"
    actions = model.domain.actions.values()
    reason = lowered(model, weights, ((action.name, action.effects, action.precondition) for action in actions))
    constant = initial_value(model, weights)
    if reason or isinstance(constant, str):
        return reason or str(constant)
    return ActionCosts(weights={key: weight for key, weight in weights.items() if key}, constant=constant)


def metric_weights(model: Model) -> Weights | str:
    """Return the weights of the values of which the metric is a sum that is to be least, or why it is none."""
    metric = model.problem.metric
    weights = linear(metric.expression) if metric is not None and metric.optimization == "minimize" else None
    return "the metric is not the minimum of a weighted sum" if weights is None else weights


def initial_value(model: Model, weights: Weights) -> Fraction | str:
    """Return the sum of weighted initial values, or which one there is not."""
    total = Fraction(0)
    for key, weight in weights.items():
        value = model.problem.values.get(key, Fraction(0) if key == ("total-cost",) else None) if key else Fraction(1)
        if value is None and key[0] in model.domain.functions:
            return "the metric reads a value that is not defined"
        if value is None:
            return f"the metric is not computed: {key[0]}"
        total += weight * value
    return total


def lowered(model: Model, weights: Weights, parts: Iterable[tuple[str, tuple[Effect, ...], Formula]]) -> str:
    """Return why the metric may fall as steps take place, empty where it cannot.

    ``parts`` are names with effects that happen where a condition holds.
    """
    functions, changed = {key[0] for key in weights if key}, changed_functions(model)
    for name, effects, condition in parts:
        for effect, is_plain in changes_of(effects, functions):
            if effect.operator not in ADDITIVE:
                return f"'{name}' does not add to the metric, it sets a value of it"
            # Under a condition, a variable may be another one than outside.
            known = list(conjuncts(condition)) if is_plain else []
            signs = {weight > 0 for key, weight in weights.items() if key[:1] == (effect.fluent.function,) and weight}
            is_upwards = signs <= {effect.operator == "increase"}
            if not (is_upwards and _is_from_zero(effect.value, known, model, changed)):
                return f"'{name}' may lower the metric"
    return ""


def changes_of(
    effects: Iterable[Effect], functions: set[str], is_plain: bool = True
) -> Iterator[tuple[NumericEffect, bool]]:
    """Yield the effects on values of some functions, each with whether it depends on no condition."""
    for effect in effects:
        if isinstance(effect, NumericEffect) and effect.fluent.function in functions:
            yield effect, is_plain
        elif isinstance(effect, Conditional):
            yield from changes_of(effect.effects, functions, False)


def _is_from_zero(value: Expression, known: Sequence[Formula], model: Model, changed: set[str]) -> bool:
    """Return whether it is plain that an expression is not below zero where some conditions hold."""
    if isinstance(value, Number):
        return value.value >= 0
    if any(_says_from_zero(formula, value) for formula in known):
        return True
    if isinstance(value, Fluent):
        values = [known for key, known in model.problem.values.items() if key[0] == value.function]
        return value.function not in changed and min(values, default=Fraction(0)) >= 0
    return value.operator != "-" and all(_is_from_zero(part, known, model, changed) for part in value.operands)


def _says_from_zero(formula: Formula, value: Expression) -> bool:
    match formula:
        case Compare(">" | ">=", left, Number(least)):
            return left == value and least >= 0
        case Compare("<" | "<=", Number(least), right):
            return right == value and least >= 0
        case _:
            return False
