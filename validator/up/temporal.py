"""Durative actions, processes, events and timed effects of unified-planning as those of this package.

A condition on an interval of an action is one at its start, one over all, and one at its end, each where the interval
has it; conditions and effects at any other time of an action have no counterpart.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import Any

from validator.model.temporal import (
    ContinuousEffect,
    DurationBound,
    DurativeAction,
    Process,
    TimedCondition,
    TimedEffect,
    TimedFact,
    When,
)
from validator.model.values import Action, And, Fluent, Literal, Number, NumericEffect
from validator.up.expressions import ExpressionReader
from validator.up.numeric import note_bounds, within_bounds

__all__ = ["durative_action", "event", "process", "timed_facts"]

_WHEN = {"START": When.START, "END": When.END}


def durative_action(read: ExpressionReader, action: Any, costs: tuple[NumericEffect, ...]) -> DurativeAction:
    """Return a durative action; what it costs is added at its start."""
    read.feature("durative-actions", action.name)
    effects = [TimedEffect(when=When.START, effects=costs)] if costs else []
    conditions = list(_conditions(read, action))
    for timing, found in action.effects.items():
        when = _when(timing)
        if when is None:
            read.feature("intermediate-effects", f"{timing} of {action.name}")
            continue
        inside = within_bounds(read, found, action.name)
        conditions += [TimedCondition(when=when, condition=formula) for formula in inside]
        effects.append(TimedEffect(when=when, effects=tuple(part for effect in found for part in read.effect(effect))))
    if action.simulated_effects:
        read.feature("simulated-effects", action.name)
    return DurativeAction(
        name=action.name,
        parameters=read.parameters(action.parameters),
        durations=tuple(_durations(read, action.duration)),
        conditions=tuple(conditions),
        effects=tuple(effects),
        continuous=tuple(_continuous(read, action)),
    )


def _when(timing: Any) -> When | None:
    """Return whether a time is the start or the end of its action; None for any other."""
    return None if timing.delay or timing.timepoint.container else _WHEN.get(timing.timepoint.kind.name)


def _durations(read: ExpressionReader, span: Any) -> Iterator[DurationBound]:
    lower, upper = read.expression(span.lower), read.expression(span.upper)
    if span.lower == span.upper and not span.is_left_open() and not span.is_right_open():
        yield DurationBound(when=When.START, comparator="=", bound=lower)
        return
    yield DurationBound(when=When.START, comparator=">" if span.is_left_open() else ">=", bound=lower)
    yield DurationBound(when=When.START, comparator="<" if span.is_right_open() else "<=", bound=upper)


def _conditions(read: ExpressionReader, action: Any) -> Iterator[TimedCondition]:
    for interval, conditions in action.conditions.items():
        for when in _parts(read, action, interval):
            for condition in conditions:
                yield TimedCondition(when=when, condition=read.formula(condition))


def _parts(read: ExpressionReader, action: Any, interval: Any) -> tuple[When, ...]:
    lower, upper = _when(interval.lower), _when(interval.upper)
    if lower is not None and interval.lower == interval.upper:
        return (lower,)
    if (lower, upper) != (When.START, When.END):
        read.feature("intermediate-conditions", f"{interval} of {action.name}")
        return ()
    at_start = () if interval.is_left_open() else (When.START,)
    return (*at_start, When.ALL, *(() if interval.is_right_open() else (When.END,)))


def _continuous(read: ExpressionReader, action: Any) -> Iterator[ContinuousEffect]:
    for interval, effects in action.continuous_effects.items():
        if (_when(interval.lower), _when(interval.upper)) != (When.START, When.END):
            read.feature("intermediate-effects", f"{interval} of {action.name}")
            continue
        yield from (_rate(read, effect, action.name) for effect in effects)


def _rate(read: ExpressionReader, effect: Any, place: str) -> ContinuousEffect:
    read.feature("continuous-effects", place)
    note_bounds(read, (effect,), place)
    if not effect.condition.is_true():
        read.feature("conditional-continuous-effects", f"{effect.fluent} in {place}")
    return ContinuousEffect(
        parameters=read.parameters(effect.forall),
        fluent=Fluent(effect.fluent.fluent().name, tuple(map(read.term, effect.fluent.args))),
        rate=read.expression(effect.value),
        sign=1 if effect.is_continuous_increase() else -1,
    )


# --- what takes place by itself ------------------------------------------------------------------


def process(read: ExpressionReader, found: Any) -> Process:
    read.feature("processes", found.name)
    return Process(
        name=found.name,
        parameters=read.parameters(found.parameters),
        condition=And(tuple(map(read.formula, found.preconditions))),
        effects=tuple(_rate(read, effect, found.name) for effect in found.effects),
    )


def event(read: ExpressionReader, found: Any) -> Action:
    read.feature("events", found.name)
    note_bounds(read, found.effects, found.name)
    if found.simulated_effect is not None:
        read.feature("simulated-effects", found.name)
    return Action(
        name=found.name,
        parameters=read.parameters(found.parameters),
        precondition=And(tuple(map(read.formula, found.preconditions))),
        effects=tuple(part for effect in found.effects for part in read.effect(effect)),
    )


def timed_facts(read: ExpressionReader, problem: Any) -> Iterator[TimedFact]:
    """Yield the timed effects of a problem, one for each object of a quantifier; their times are from its start."""
    for timing, effects in problem.timed_effects.items():
        note_bounds(read, effects, str(timing))
        for effect in (part for found in effects for part in found.expand_effect(problem)):
            read.feature("timed-initial-literals", str(timing))
            if not effect.condition.is_true():
                read.feature("conditional-timed-effects", f"{effect} at {timing}")
            for change in read.effect(effect):
                if isinstance(change, Literal) or (isinstance(change, NumericEffect) and _is_fixed(change)):
                    yield TimedFact(time=Fraction(timing.delay), effect=change)
                else:
                    read.feature("timed-effects-that-read-values", f"{effect} at {timing}")


def _is_fixed(change: NumericEffect) -> bool:
    return change.operator == "assign" and isinstance(change.value, Number)
