"""Starts, ends and timed facts as steps of a relaxation (snap actions), which knows nothing of when they may happen.

The start of a durative step brings about that it runs, which its end needs. What must hold between them is needed by
the end, and by the start as far as that does not bring it about.
"""

from __future__ import annotations

from collections import ChainMap
from collections.abc import Iterator, Sequence
from fractions import Fraction

from validator.model.conditions import Binding
from validator.model.temporal import DURATION, DurativeAction, When
from validator.model.values import (
    TRUE,
    And,
    Conditional,
    Effect,
    Formula,
    GroundAtom,
    numeric_effects,
)
from validator.reading.plan import Step
from validator.records import replace
from validator.repair.greedy.needs import Known, Need, Requirements
from validator.repair.greedy.relaxation import Way, ways_to
from validator.repair.time.search.parts import Parts, Subject, facts_of

__all__ = ["SnapActions", "pending", "runs", "to_come"]


def runs(step: Step) -> GroundAtom:
    """Return the atom that holds while a durative step runs; no name of PDDL begins like it."""
    return (f"%runs-{step.name}", *step.args)


def pending(number: int) -> GroundAtom:
    """Return the atom that holds until an observed step starts."""
    return ("%pending", str(number))


def to_come(number: int) -> GroundAtom:
    """Return the atom that holds until some timed facts take place."""
    return ("%to-come", str(number))


class SnapActions:
    """The starts and ends of a model's steps, and its timed facts, in a relaxation."""

    def __init__(self, parts: Parts) -> None:
        self.parts = parts
        initial = parts.situation(parts.initial())
        self.requirements = Requirements(parts.model, initial.atoms, initial.values)

    def ways(self, steps: Sequence[Step], observed: Sequence[Subject]) -> Iterator[Way]:
        """Yield the ways of starts, numbered by the places of steps, of ends, and of what costs nothing.

        That are the starts of observed steps, and timed facts.
        """
        places = {subject.step: subject for subject in observed}
        places |= {step: Subject(number=0, step=step) for step in steps}
        for place, step in enumerate(steps):
            yield from self._starts(places[step], place)
        for place, subject in enumerate(places.values(), len(steps)):
            yield from self._ends(subject, place)
        for subject in observed:
            for way in self._starts(subject, -1):
                yield replace(way, needs=way.needs | {(pending(subject.number), True)})
        for number, group in enumerate(facts_of(self.parts.model)):
            needs = frozenset[Need](((to_come(number), True),))
            yield from ways_to(self.requirements, -1, needs, [fact.effect for fact in group], {})

    def start_of(self, subject: Subject) -> tuple[Formula, Binding]:
        """Return what the start of a step needs."""
        assert subject.step is not None
        action, binding = self.parts.durative(subject), self.parts.binding(subject)
        if action is None:
            return self.parts.model.domain.actions[subject.step.name].precondition, binding
        return _condition(action, When.START), binding

    def _starts(self, subject: Subject, place: int) -> Iterator[Way]:
        assert subject.step is not None
        action, (condition, binding) = self.parts.durative(subject), self.start_of(subject)
        duration = self._duration(subject)
        needs = self.requirements.of(condition, binding, duration)
        if action is None:
            plain = self.parts.model.domain.actions[subject.step.name]
            yield from ways_to(self.requirements, place, needs, plain.effects, binding)
            return
        inside = self.requirements.of(_condition(action, When.ALL), binding, duration)
        if needs is None or inside is None:
            return
        effects, known = _effects(action, When.START), self._known(subject)
        is_counting = any(numeric_effects(effects))
        for way in ways_to(self.requirements, place, needs, effects, binding, known):
            before = {need for need in inside - way.brought if isinstance(need, tuple) or not is_counting}
            yield replace(way, needs=way.needs | before, brought={*way.brought, (runs(subject.step), True)})

    def _ends(self, subject: Subject, place: int) -> Iterator[Way]:
        action, binding = self.parts.durative(subject), self.parts.binding(subject)
        if action is None or subject.step is None:
            return
        condition = And((_condition(action, When.END), _condition(action, When.ALL)))
        needs = self.requirements.of(condition, binding, self._duration(subject))
        for way in ways_to(self.requirements, place, needs, _effects(action, When.END), binding, self._known(subject)):
            yield replace(way, needs=way.needs | {(runs(subject.step), True)})

    def _duration(self, subject: Subject) -> Fraction | None:
        """Return the duration of a step that has the same one wherever it starts."""
        lasts = self.parts.lasts(subject)
        return lasts.least if lasts.least == lasts.greatest else None

    def _known(self, subject: Subject) -> Known:
        """Return the values that never change, and the duration: the least, as far as that is known."""
        least = self.parts.lasts(subject).least
        return ChainMap({(DURATION.function,): least or Fraction(1)}, self.requirements.known)


def _condition(action: DurativeAction, when: When) -> Formula:
    return And(tuple(timed.condition for timed in action.conditions if timed.when is when))


def _effects(action: DurativeAction, when: When) -> list[Effect]:
    found = list[Effect]()
    for timed in (each for each in action.effects if each.when is when):
        is_plain = not timed.parameters and timed.earlier is None
        found += timed.effects if is_plain else (Conditional(timed.parameters, timed.earlier or TRUE, timed.effects),)
    return found
