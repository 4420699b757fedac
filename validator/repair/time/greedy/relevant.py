"""The steps that plans over time may need: those that change what the goal, or another one of them, reads."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence

from validator.execution.time.acts.interference import Reads
from validator.grounding.limits import checked
from validator.model.conditions import Binding, bindings, ground
from validator.model.numeric import fluent_key
from validator.model.values import Conditional, Effect, Formula, GroundAtom, Literal, Model
from validator.reading.plan import Step
from validator.repair.time.greedy.states import Moments

__all__ = ["changed_by", "relevant"]


def relevant(
    moments: Moments, steps: Sequence[Step], goal: Formula, observed: Iterable[Step], is_over: Callable[[], bool]
) -> list[Step]:
    """Return the steps that a plan for a goal, or one that keeps to observed steps, may need; all with axioms.

    Raises TimeoutError when it is over.
    """
    if moments.model.domain.axioms:
        return list(steps)
    parts = {step: [moments.ground(part) for part in moments.parts(step)] for step in checked(steps, is_over)}
    changing: dict[GroundAtom, list[Step]] = {}
    for step, snaps in parts.items():
        for snap in snaps:
            for key, _ in changed_by(moments.model, snap.action.effects, snap.binding):
                changing.setdefault(key, []).append(step)
    wanted = Reads()
    wanted.add(moments.model, {}, goal)
    found = set(observed)
    waiting = list(wanted.atoms | wanted.values | {key for step in found for key in _read(moments, step)})
    seen = set(waiting)
    while waiting:
        for step in changing.get(waiting.pop(), ()):
            if step not in found:
                found.add(step)
                new = _read(moments, step) - seen
                seen |= new
                waiting += new
    return [step for step in parts if step in found]


def _read(moments: Moments, step: Step) -> set[GroundAtom]:
    reads = Reads()
    for part in moments.parts(step):
        snap = moments.ground(part)
        reads.add(moments.model, snap.binding, snap.action.precondition)
        reads.add_effects(moments.model, snap.binding, snap.action.effects)
    return reads.atoms | reads.values


def changed_by(model: Model, effects: Iterable[Effect], binding: Binding) -> Iterator[tuple[GroundAtom, bool]]:
    """Yield the atoms and values that effects may change, with whether they are atoms that come to hold."""
    for effect in effects:
        if isinstance(effect, Literal):
            yield ground(effect.atom, binding), effect.positive
        elif isinstance(effect, Conditional):
            for inner in bindings(model, effect.parameters, binding):
                yield from changed_by(model, effect.effects, inner)
        else:
            yield fluent_key(effect.fluent, binding), False
