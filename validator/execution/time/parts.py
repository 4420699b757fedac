"""What one act asks for and does: its conditions, effects, duration bounds, all that it reads."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

from validator.execution.time.effects import Update, collect
from validator.execution.time.happening import Act, Part
from validator.execution.time.interference import Planned, Reads
from validator.execution.trace import Kind
from validator.model.conditions import Binding, bindings
from validator.model.numeric import COMPARE, Missing, Situation, evaluate, truth
from validator.model.pddl.write import expression_text
from validator.model.temporal import DURATION, DurationBound, DurativeAction, Preference, When
from validator.model.values import Action, Effect, Formula
from validator.texts import decimal

_WHEN = {Part.START: When.START, Part.END: When.END, Part.INNER: None}
_KINDS = {
    Part.WHOLE: Kind.PRECONDITION,
    Part.START: Kind.AT_START,
    Part.END: Kind.AT_END,
    Part.INNER: Kind.PRECONDITION,
}


def condition_of(act: Act) -> tuple[Kind, tuple[Formula, ...]]:
    """Return the conditions of an act, and the kind of fault that it is when they are not satisfied."""
    if isinstance(act.action, Action):
        return _KINDS[act.part], (act.action.precondition,)
    if isinstance(act.action, DurativeAction):
        when = _WHEN[act.part]
        inner = (condition for number in act.inner for condition in act.action.inner[number].conditions)
        own = (timed.condition for timed in act.action.conditions if timed.when is when)
        return _KINDS[act.part], (*own, *dict.fromkeys(inner))
    return Kind.PRECONDITION, ()


def preferences_of(act: Act) -> tuple[Preference, ...]:
    """Return the preferences that are decided as an act takes place."""
    if isinstance(act.action, Action):
        return act.action.preferences
    if isinstance(act.action, DurativeAction):
        return tuple(found for found in act.action.preferences if found.when is _WHEN[act.part])
    return ()


def _effects(act: Act) -> Iterator[tuple[tuple[Effect, ...], Binding]]:
    """Yield the effects of an act with their bindings; those with an earlier condition only where it was met."""
    binding = act.binding or {}
    if act.fact is not None:
        yield (act.fact.effect,), {}
    elif isinstance(act.action, Action):
        yield act.action.effects, binding
    elif isinstance(act.action, DurativeAction):
        for effect in act.action.effects:
            if effect.when is _WHEN[act.part] and effect.earlier is None:
                yield effect.effects, binding
        for number in act.inner:
            yield act.action.inner[number].effects, binding
        if act.part is Part.END and act.run is not None:
            for number, inner in act.run.earlier:
                yield act.action.effects[number].effects, inner


def planned(act: Act, situation: Situation) -> Planned:
    """Return what an act reads and would do in a situation, whether its conditions hold or not."""
    binding, model = act.binding or {}, situation.model
    reads, update = Reads(), Update()
    reads.add(model, binding, *condition_of(act)[1])
    for preference in preferences_of(act):
        for inner in bindings(model, preference.parameters, binding):
            reads.add(model, inner, preference.condition)
    for effects, inner in _effects(act):
        reads.add_effects(situation, inner, effects)
        collect(effects, inner, situation, update)
    if isinstance(act.action, DurativeAction):
        reads.add(model, binding, *(bound.bound for bound in _bounds(act, act.action)))
        if act.part is Part.START:
            for effect in act.action.effects:
                for inner in bindings(model, effect.parameters, binding) if effect.earlier is not None else ():
                    assert effect.earlier is not None
                    reads.add(model, inner, effect.earlier)
    reads.values.discard((DURATION.function,))
    return Planned(act, reads, update)


def earlier_effects(act: Act, situation: Situation) -> tuple[tuple[int, Binding], ...]:
    """Return which effects at the end have met their condition at the start."""
    assert isinstance(act.action, DurativeAction)
    return tuple(
        (number, inner)
        for number, effect in enumerate(act.action.effects)
        if effect.earlier is not None
        for inner in bindings(situation.model, effect.parameters, act.binding or {})
        if truth(effect.earlier, inner, situation)
    )


# --- durations ---------------------------------------------------------------------------------


def _bounds(act: Act, action: DurativeAction) -> list[DurationBound]:
    return [bound for bound in action.durations if bound.when is _WHEN[act.part]]


def duration_faults(act: Act, situation: Situation, tolerance: Fraction) -> Iterator[str]:
    """Say of each bound that a duration breaks by more than the tolerance what it is and what the duration is."""
    assert isinstance(act.action, DurativeAction) and act.duration is not None
    if act.part is Part.START and act.duration < 0:
        yield f"the duration {decimal(act.duration)} is negative"
    for bound in _bounds(act, act.action):
        binding = act.binding or {}
        value = evaluate(bound.bound, binding, situation)
        text = f"({bound.comparator} ?duration {expression_text(bound.bound, binding)})"
        if isinstance(value, Missing):
            yield f"the duration {decimal(act.duration)} breaks {text}: {value}"
        elif not within(act.duration, bound.comparator, value, tolerance):
            shown = f"{decimal(act.duration)} {bound.comparator} {decimal(value)}"
            yield f"the duration {decimal(act.duration)} breaks {text}: {shown}"


def tolerated(act: Act, situation: Situation) -> Fraction | None:
    """Return the nearest duration within the bounds of an act whose duration breaks them; None where it does not."""
    assert isinstance(act.action, DurativeAction) and act.duration is not None
    found = None
    for bound in _bounds(act, act.action):
        value = evaluate(bound.bound, act.binding or {}, situation)
        if not isinstance(value, Missing) and not COMPARE[bound.comparator](act.duration, value):
            found = value
    return found


def within(duration: Fraction, comparator: str, bound: Fraction, tolerance: Fraction) -> bool:
    """Return whether a duration keeps a bound, or breaks it by no more than the tolerance; a strict one is kept."""
    if comparator in ("<", ">"):
        return COMPARE[comparator](duration, bound)
    if comparator == "=":
        return abs(duration - bound) <= tolerance
    return duration <= bound + tolerance if comparator == "<=" else duration >= bound - tolerance
