"""What a plan over time costs, where that never falls as it goes on: time, and values that only grow."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from fractions import Fraction

from validator.execution.time.metric import changed_functions, continuous_effects
from validator.grounding.action_costs import initial_value, lowered, metric_weights
from validator.model.numeric import Missing, evaluate, fluent_key
from validator.model.temporal import When
from validator.model.values import (
    TRUE,
    Effect,
    Formula,
    GroundAtom,
    Model,
    NumericEffect,
    functions_of,
    numeric_effects,
)
from validator.reading.plan import Step
from validator.records import dataclass
from validator.repair.time.parts import Parts, Subject

_TIME: GroundAtom = ("total-time",)


@dataclass(frozen=True, slots=True, kw_only=True)
class TimePrice:
    """A plan costs ``constant``, ``time`` for each unit of its makespan, and ``weights`` times its last values."""

    time: Fraction
    weights: Mapping[GroundAtom, Fraction]
    constant: Fraction

    def of(self, time: Fraction, values: Mapping[GroundAtom, Fraction]) -> Fraction:
        """Return what a plan costs that has come so far, at least."""
        return self.constant + self.time * time + sum(weight * values[key] for key, weight in self.weights.items())


@dataclass(frozen=True, slots=True, kw_only=True)
class Budget:
    """What a plan may cost at most."""

    price: TimePrice
    most: Fraction

    def covers(self, time: Fraction, values: Mapping[GroundAtom, Fraction]) -> bool:
        """Return whether a plan that has come so far may still cost no more."""
        return self.price.of(time, values) <= self.most

    def latest(self, values: Mapping[GroundAtom, Fraction]) -> Fraction | None:
        """Return when a plan with such last values must end, None where that costs nothing."""
        if not self.price.time:
            return None
        return (self.most - self.price.of(Fraction(0), values)) / self.price.time


def time_price(model: Model) -> TimePrice | str:
    """Return what plans of a model over time cost, or why that may fall as they go on."""
    metric, changed = model.problem.metric, changed_functions(model)
    if metric is None:
        return TimePrice(time=Fraction(1), weights={}, constant=Fraction(0))
    weights = metric_weights(model)
    if isinstance(weights, str):
        return weights
    if any(key and key[0] == "is-violated" for key in weights) or weights.get(_TIME, Fraction(0)) < 0:
        return "the metric counts more than time and what steps add to values"
    time = weights.pop(_TIME, Fraction(0))
    grown = {key: weight for key, weight in weights.items() if key and key[0] in changed}
    if {key[0] for key in grown}.intersection(_others(model)):
        return "the metric reads values that change by themselves"
    reason, every = lowered(model, grown, _of_steps(model)), initial_value(model, weights)
    start = initial_value(model, grown)
    if reason or isinstance(every, str) or isinstance(start, str):
        return reason or str(every)
    return TimePrice(time=time, weights=grown, constant=every - start)


def _of_steps(model: Model) -> Iterator[tuple[str, tuple[Effect, ...], Formula]]:
    """Yield the effects of each part of a step, with what holds when it takes place."""
    for action in model.domain.actions.values():
        if action.name not in model.domain.durative:
            yield action.name, action.effects, action.precondition
    for durative in model.domain.durative.values():
        for timed in durative.effects:
            yield durative.name, timed.effects, TRUE


def _others(model: Model) -> Iterator[str]:
    """Yield the functions that change otherwise than at the starts and ends of steps."""
    domain = model.domain
    for event in domain.events:
        yield from (effect.fluent.function for effect in numeric_effects(event.effects))
    for fact in model.problem.timed:
        yield from (effect.fluent.function for effect in numeric_effects((fact.effect,)))
    for durative in domain.durative.values():
        for inner in durative.inner:
            yield from (effect.fluent.function for effect in numeric_effects(inner.effects))
    yield from (effect.fluent.function for effect in continuous_effects(model))


def fixed_prices(parts: Parts, price: TimePrice, step: Step) -> tuple[Fraction, Fraction]:
    """Return what the start and the end of a step add to the price, whatever the state is; an action only starts."""
    subject = Subject(number=0, step=step)
    durative, changed = parts.durative(subject), changed_functions(parts.model)
    if durative is None:
        groups = [(When.START, parts.model.domain.actions[step.name].effects)]
    else:
        groups = [(timed.when, timed.effects) for timed in durative.effects if not timed.parameters]
    found = {When.START: Fraction(0), When.END: Fraction(0)}
    situation, binding = parts.situation(parts.initial()), parts.binding(subject)
    for when, effects in groups:
        for effect in effects:
            if not isinstance(effect, NumericEffect) or functions_of(effect.value) & changed:
                continue
            weight = price.weights.get(fluent_key(effect.fluent, binding), Fraction(0))
            value = evaluate(effect.value, binding, situation) if weight else Fraction(0)
            if not isinstance(value, Missing):
                found[when] += weight * (value if effect.operator == "increase" else -value)
    return found[When.START], found[When.END]
