"""Durative actions, processes, events and timed effects of unified-planning as those of this package.

A condition on an interval of an action is one at its start, one over all, and one at its end, each where the interval
has it; what lies at other times of an action are inner parts and stretches of it, which PDDL does not have.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import Any

from validator.model.temporal import (
    ContinuousEffect,
    DurationBound,
    DurativeAction,
    Inner,
    Instant,
    Process,
    Stretch,
    TimedCondition,
    TimedEffect,
    TimedFact,
    TimedGoal,
    When,
)
from validator.model.values import TOTAL_COST, Action, And, Expression, Fluent, Formula, NumericEffect
from validator.up.expressions import ExpressionReader
from validator.up.numeric import note_bounds, within_bounds

_START, _END = Instant(delay=Fraction(0)), Instant(delay=Fraction(0), is_from_end=True)

_WHEN = {_START: When.START, _END: When.END}


def durative_action(read: ExpressionReader, action: Any, cost: Expression | None) -> DurativeAction:
    """Return a durative action; what it costs is added at its start."""
    read.feature("durative-actions", action.name)
    read.within = action.name
    added = () if cost is None else (NumericEffect("increase", TOTAL_COST, cost),)
    effects = [TimedEffect(when=When.START, effects=added)] if added else []
    inner: list[Inner] = []
    conditions: list[TimedCondition] = []
    stretches: list[Stretch] = []
    for interval, asked in action.conditions.items():
        formulas = tuple(map(read.formula, asked))
        for part in _parts(read, action, interval, formulas):
            if isinstance(part, TimedCondition):
                conditions.append(part)
            elif isinstance(part, Inner):
                inner.append(part)
            else:
                stretches.append(part)
    for timing, found in action.effects.items():
        at = _instant(read, timing, action.name)
        if at is None:
            continue
        note_bounds(read, found, action.name)  # another action of the same time may take a number further
        inside = tuple(within_bounds(read, found, action.name))
        parts = read.effects(found, f"{timing} of {action.name}")
        if at in _WHEN:
            conditions += [TimedCondition(when=_WHEN[at], condition=formula) for formula in inside]
            effects.append(TimedEffect(when=_WHEN[at], effects=parts))
        else:
            read.feature("intermediate-effects", f"{timing} of {action.name}")
            inner.append(Inner(at=at, conditions=inside, effects=parts))
    continuous: list[ContinuousEffect] = []
    for begin, end, rates in _continuous(read, action):
        if (begin, end) == (_START, _END):
            continuous += rates
        else:
            stretches.append(Stretch(begin=begin, end=end, continuous=rates))
    if action.simulated_effects:
        read.feature("simulated-effects", action.name)
    parameters = read.parameters(action.parameters)
    durations = tuple(_durations(read, action.duration))
    read.within = ""
    return DurativeAction(
        name=action.name,
        parameters=parameters,
        durations=durations,
        conditions=tuple(conditions),
        effects=tuple(effects),
        continuous=tuple(continuous),
        inner=tuple(inner),
        stretches=tuple(stretches),
    )


def _instant(read: ExpressionReader, timing: Any, place: str) -> Instant | None:
    """Return a time of an action as this package has it; None, and a feature, for one that is none of it.

    What is later than the end takes place then; what is earlier than the start, no execution could undo.
    """
    point = timing.timepoint
    is_own = point.container is None and point.kind.name in ("START", "END")
    if not is_own or (point.kind.name == "START" and timing.delay < 0):
        read.feature("times-outside-of-actions", f"{timing} of {place}")
        return None
    return Instant(delay=Fraction(timing.delay), is_from_end=point.kind.name == "END")


def _durations(read: ExpressionReader, span: Any) -> Iterator[DurationBound]:
    lower, upper = read.expression(span.lower), read.expression(span.upper)
    if span.lower == span.upper and not span.is_left_open() and not span.is_right_open():
        yield DurationBound(when=When.START, comparator="=", bound=lower)
        return
    yield DurationBound(when=When.START, comparator=">" if span.is_left_open() else ">=", bound=lower)
    yield DurationBound(when=When.START, comparator="<" if span.is_right_open() else "<=", bound=upper)


def _parts(
    read: ExpressionReader, action: Any, interval: Any, formulas: tuple[Formula, ...]
) -> Iterator[TimedCondition | Inner | Stretch]:
    """Yield what conditions on an interval of an action ask for: at its ends where they belong to it, and between."""
    lower, upper = (_instant(read, timing, action.name) for timing in (interval.lower, interval.upper))
    if lower is None or upper is None:
        return
    if lower not in _WHEN or upper not in _WHEN or (lower, upper) == (_END, _START):
        read.feature("intermediate-conditions", f"{interval} of {action.name}")
    if interval.lower == interval.upper:
        yield from _at(lower, formulas)
        return
    is_left_open, is_right_open = interval.is_left_open(), interval.is_right_open()
    yield from () if is_left_open else _at(lower, formulas)
    if (lower, upper) == (_START, _END):
        yield from (TimedCondition(when=When.ALL, condition=formula) for formula in formulas)
    else:
        is_closed = not (is_left_open or is_right_open)
        yield Stretch(begin=lower, end=upper, conditions=formulas, is_closed=is_closed)
    yield from () if is_right_open else _at(upper, formulas)


def _at(instant: Instant, formulas: tuple[Formula, ...]) -> Iterator[TimedCondition | Inner]:
    if instant in _WHEN:
        yield from (TimedCondition(when=_WHEN[instant], condition=formula) for formula in formulas)
    else:
        yield Inner(at=instant, conditions=formulas)


def _continuous(read: ExpressionReader, action: Any) -> Iterator[tuple[Instant, Instant, tuple[ContinuousEffect, ...]]]:
    for interval, effects in action.continuous_effects.items():
        begin, end = (_instant(read, timing, action.name) for timing in (interval.lower, interval.upper))
        if begin is None or end is None:
            continue
        if (begin, end) != (_START, _END):
            read.feature("intermediate-effects", f"{interval} of {action.name}")
        yield begin, end, tuple(_rate(read, effect, action.name) for effect in effects)


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
        effects=read.effects(found.effects, found.name),
    )


def timed_facts(read: ExpressionReader, problem: Any) -> Iterator[TimedFact]:
    """Yield the timed effects of a problem, one for each object of a quantifier; their times are from its start."""
    for timing, effects in problem.timed_effects.items():
        if timing.is_from_end() or timing.delay < 0:
            read.feature("timed-effects-before-the-start", str(timing))
            continue
        note_bounds(read, effects, str(timing))
        for effect in (part for found in effects for part in found.expand_effect(problem)):
            read.feature("timed-initial-literals", str(timing))
            if not effect.condition.is_true():
                read.feature("conditional-timed-effects", f"{effect} at {timing}")
            for change in read.effect(effect):
                fact = TimedFact(time=Fraction(timing.delay), effect=change)
                if effect.condition.is_true() and not fact.is_fixed:
                    read.feature("timed-effects-that-read-values", f"{effect} at {timing}")
                yield fact


def timed_goals(read: ExpressionReader, problem: Any) -> Iterator[TimedGoal]:
    """Yield the timed goals of a problem; their times are from the start or the end of the plan."""
    for interval, goals in problem.timed_goals.items():
        read.feature("timed-goals", str(interval))
        ends = [timing for timing in (interval.lower, interval.upper) if timing.is_from_end()]
        if any(timing.delay for timing in ends) or interval.lower.is_from_end() > interval.upper.is_from_end():
            read.feature("timed-goals-before-the-end", str(interval))
            continue
        begin, end = (
            Instant(delay=Fraction(timing.delay), is_from_end=timing.is_from_end())
            for timing in (interval.lower, interval.upper)
        )
        for goal in goals:
            yield TimedGoal(
                begin=begin,
                end=end,
                condition=read.formula(goal),
                is_left_open=interval.is_left_open(),
                is_right_open=interval.is_right_open(),
            )
