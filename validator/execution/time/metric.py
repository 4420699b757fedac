"""What a plan costs: the value of the metric, and which functions it depends on."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from fractions import Fraction

from validator.execution.time.happening import Part, is_temporal
from validator.execution.time.machine import Machine
from validator.model.numeric import Missing, evaluate
from validator.model.temporal import ContinuousEffect
from validator.model.values import Effect, Fluent, Model, NumericEffect, numeric_effects
from validator.records import replace


def metric_value(machine: Machine, end: Fraction, warnings: list[str]) -> Fraction | None:
    """Return what an executed plan that ends at ``end`` costs; None, and a warning, where the metric has no value."""
    model, metric = machine.model, machine.model.problem.metric
    if metric is None and is_temporal(model):
        return end
    if metric is None:
        return Fraction(sum(act.part in (Part.WHOLE, Part.START) for act in machine.executed))
    values = {**machine.state.values, ("total-time",): end}
    for name in set(_preference_names(model)):
        values["is-violated", name] = Fraction(machine.violated.get(name, 0))
    value = evaluate(metric.expression, {}, replace(machine.state.situation(), values=values))
    if isinstance(value, Missing):
        warnings.append(f"the metric has no value: {value}")
        return None
    return value


def _preference_names(model: Model) -> Iterator[str]:
    for preference in (*model.domain.preferences, *model.problem.preferences):
        yield preference.name
    for action in model.domain.actions.values():
        yield from (preference.name for preference in action.preferences)
    for durative in model.domain.durative.values():
        yield from (preference.name for preference in durative.preferences)


def changed_functions(model: Model) -> set[str]:
    """Return the functions that something in the model changes."""
    found = {effect.fluent.function for effect in numeric_effects(effects_of(model))}
    return found | {effect.fluent.function for effect in continuous_effects(model)}


def effects_of(model: Model) -> list[Effect]:
    """Return all that happens at some time in a model, but for what changes continuously."""
    domain = model.domain
    effects: list[Effect] = [effect for action in domain.actions.values() for effect in action.effects]
    effects += [effect for event in domain.events for effect in event.effects]
    for durative in domain.durative.values():
        effects += [effect for timed in durative.effects for effect in timed.effects]
        effects += [effect for inner in durative.inner for effect in inner.effects]
    return effects + [fact.effect for fact in model.problem.timed]


def continuous_effects(model: Model) -> Iterator[ContinuousEffect]:
    """Yield all that changes values with time: by actions, in parts of their course, and by processes."""
    for durative in model.domain.durative.values():
        yield from durative.continuous
        for stretch in durative.stretches:
            yield from stretch.continuous
    for process in model.domain.processes:
        yield from process.effects


def counting_functions(model: Model) -> set[str]:
    """Return the functions that effects count up and only the metric reads: they decide nothing.

    A value that is set is read: it may have had none before. What an effect reads decides whether that has a value.
    """
    domain, problem = model.domain, model.problem
    parts = (domain.actions, domain.durative, domain.axioms, domain.events, domain.processes, domain.constraints)
    read: set[str] = set()
    kept: set[str] = set()
    waiting: list[object] = [*parts, domain.preferences, problem.goal, problem.timed]
    waiting += [problem.constraints, problem.preferences, problem.timed_goals, problem.bounds]
    while waiting:
        match waiting.pop():
            case Fluent(function):
                read.add(function)
            case NumericEffect(operator, fluent, value):
                (read if operator == "assign" else kept).add(fluent.function)
                waiting.append(value)
            case Mapping() as each:
                waiting += each.values()
            case tuple() as each:
                waiting += each
            case each:  # a record: its fields, without the standard library's function, whose import takes long
                waiting += [getattr(each, name) for name in getattr(each, "__dataclass_fields__", ())]
    return kept - read
