"""States of a model over time in which steps run: what holds, and when what runs may end.

One more start, end, or group of timed facts comes no earlier than the one before, and epsilon later where it may not
happen at the same time as what was at that time (Fox and Long 2003). What must hold while a step runs is looked at
behind each of them.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Set
from fractions import Fraction

from validator.execution.time.acts.effects import Update
from validator.execution.time.acts.happening import Act, Part
from validator.execution.time.acts.interference import Reads, interference
from validator.execution.time.acts.parts import planned
from validator.grounding.numbers.states import GroundStep, State, States, ground_step
from validator.model.conditions import ground
from validator.model.numeric import Situation
from validator.model.values import GroundAtom, Literal, Model
from validator.reading.plan import Step
from validator.records import dataclass, field
from validator.repair.time.greedy.clock import Clock
from validator.repair.time.greedy.snap_actions import (
    durations,
    end_of,
    fact_number,
    fact_step,
    invariant_of,
    snap_model,
    whole_of,
)
from validator.repair.time.grid import Grid
from validator.repair.time.search.parts import facts_of, mentions_duration

__all__ = ["Lag", "Moment", "Moments"]


@dataclass(frozen=True, slots=True)
class _Snap:
    """A start, an end, a step without time, or the facts of one time.

    ``reads`` are what it reads at its time, ``undone`` what is false behind it in any case.
    """

    ground: GroundStep
    part: Part
    reads: Reads
    undone: frozenset[GroundAtom]


@dataclass(frozen=True, slots=True)
class Lag:
    """When a snap comes: how much later than the one before at least; where it is a start, what its step may last."""

    gap: int
    least: int = 0
    greatest: int | None = None


@dataclass(frozen=True, slots=True)
class Moment(State):
    """A state in which steps run.

    What tells it from others is what holds and runs, what of this holds for how long (``lasts``), and with ``exact``
    the whole clock. ``has_acted`` is false behind timed facts, where no plan ends: it would have ended before them.
    ``recent`` are what may happen at the same time as the last start or end, with that itself.
    """

    has_acted: bool
    lasts: frozenset[GroundAtom]
    exact: Hashable
    clock: Clock = field(compare=False)
    recent: tuple[tuple[Reads, Update], ...] = field(compare=False)


_MOMENT = 4096
"""bytes of a state beside the lags of its clock, roughly, with its node in the search"""


class Moments(States):
    """The moments of plans of a model over time, at times of a grid.

    ``lasting`` says what holds for how long as a clock stands. With ``is_exact`` moments are told apart by their clocks
    too; without it there are many fewer, and the first one stands for all.
    """

    def __init__(self, model: Model, grid: Grid) -> None:
        super().__init__(snap_model(model))
        self.timed = model
        self.grid = grid
        self.is_exact = False
        self.size = 0
        """bytes that all moments take, roughly"""
        self.lasting: Callable[[Clock], frozenset[GroundAtom]] = lambda _: frozenset()
        self._snaps: dict[Step, _Snap] = {}
        self._invariants: dict[Step, GroundStep] = {}
        self._facts = facts_of(model)
        self._times = [grid.units(group[0].time) for group in self._facts]
        clock = Clock.at_start()
        if self._facts:
            clock = clock.waits_for(fact_step(0), self._times[0], self._times[0])
        self.start: Moment = self._moment(State(self.start.atoms, self.start.values), clock, ())

    def parts(self, step: Step) -> tuple[Step, ...]:
        """Return the snaps of a step."""
        return (step, end_of(step)) if step.name in self.timed.domain.durative else (step,)

    def facts(self) -> Iterator[tuple[Fraction, Step]]:
        """Yield the snaps of timed facts, with their times."""
        for number, group in enumerate(self._facts):
            yield group[0].time, fact_step(number)

    def ground(self, step: Step) -> GroundStep:
        return self._snap(step).ground

    def _snap(self, step: Step) -> _Snap:
        known = self._snaps.get(step)
        if known is None:
            known = self._snaps[step] = self._made(super().ground(step))
        return known

    def _made(self, step: GroundStep) -> _Snap:
        durative = self.timed.domain.durative
        part, acts = Part.WHOLE, [Act(part=Part.WHOLE, time=Fraction(0), action=step.action, binding=step.binding)]
        name = whole_of(step.step).name
        if name in durative:
            part = Part.START if name == step.step.name else Part.END
            acts = [Act(part=part, time=Fraction(0), action=durative[name], binding=step.binding)]
            if part is Part.END:
                self._invariants[step.step] = ground_step(step.step, invariant_of(durative[name]))
        elif name not in self.timed.domain.actions:
            part = Part.FACT
            acts = [Act(part=part, time=fact.time, fact=fact) for fact in self._facts[fact_number(step.step)]]
        reads, situation = Reads(), self.situation(self.start)
        for act in acts:
            found = planned(act, situation).reads
            reads.atoms |= found.atoms
            reads.values |= found.values
        literals = [effect for effect in step.action.effects if isinstance(effect, Literal)]
        true, false = (
            {ground(effect.atom, step.binding) for effect in literals if effect.positive is value}
            for value in (True, False)
        )
        return _Snap(step, part, reads, frozenset(false - true))

    def undone(self, step: Step) -> frozenset[GroundAtom]:
        """Return what is false behind a snap in any case."""
        return self._snap(step).undone

    def invariant(self, end: Step) -> frozenset[GroundAtom]:
        """Return the atoms that must hold until an end; none for another snap."""
        self._snap(end)
        return self._invariants[end].needs if end in self._invariants else frozenset()

    # --- one more start or end -----------------------------------------------------------------

    def after(self, state: State, situation: Situation, step: GroundStep) -> tuple[State, Update] | None:
        found = self.lagged(state, situation, step)
        return None if found is None else found[:2]

    def lagged(self, state: State, situation: Situation, step: GroundStep) -> tuple[Moment, Update, Lag] | None:
        """Return the moment after a snap, what that did, and when it may be; None where it cannot take place.

        A step does not run twice at one time.
        """
        assert isinstance(state, Moment)
        if end_of(step.step) in state.clock.waiting:
            return None
        found = super().after(state, situation, step)
        if found is None:
            return None
        (after, update), snap = found, self._snap(step.step)
        act = snap.reads, update
        lag = Lag(self.grid.apart if self._interferes(act, state) else 0)
        if snap.part is Part.START:
            between = self._durations(step, situation)
            if between is None:
                return None
            lag = Lag(lag.gap, *between)
        clock = self._clock(state.clock, snap, lag)
        if clock is None:
            return None
        moment = self._moment(after, clock, (act,) if lag.gap else (*state.recent, act), snap.part)
        if self._breaks(moment, update):
            return None
        self.size += _MOMENT + clock.lags.nbytes
        return moment, update, lag

    def _clock(self, clock: Clock, snap: _Snap, lag: Lag) -> Clock | None:
        step = snap.ground.step
        comes = snap.part in (Part.END, Part.FACT)
        after = clock.reached(step, lag.gap) if comes else clock.passed(lag.gap)
        if after is not None and snap.part is Part.START:
            return self._begun(step, after, lag)
        if after is not None and snap.part is Part.FACT:
            return self._next_fact(step, after)
        return after

    def may_end(self, moment: Moment) -> bool:
        """Return whether a plan can end: nothing runs, and the next timed facts come later than the last end."""
        clock = moment.clock
        later = all(clock.reached(step, self.grid.apart) is not None for step in clock.waiting)
        return moment.has_acted and self._invariants.keys().isdisjoint(clock.waiting) and later

    def behind(self, moment: Moment) -> Iterator[Situation]:
        """Yield the situations behind each of the timed facts that are left, if nothing else happens."""
        state = State(moment.atoms, moment.values)
        for _, fact in self.facts():
            found = super().after(state, self.situation(state), self.ground(fact))
            if found is not None:
                state = found[0]
                yield self.situation(state)

    def _moment(
        self, state: State, clock: Clock, recent: tuple[tuple[Reads, Update], ...], part: Part = Part.WHOLE
    ) -> Moment:
        exact = clock.key if self.is_exact else None
        return Moment(state.atoms, state.values, part is not Part.FACT, self.lasting(clock), exact, clock, recent)

    def _interferes(self, act: tuple[Reads, Update], state: Moment) -> bool:
        """Return whether something may not happen at the time of the last start or end; with axioms, anything."""
        if self._closure.predicates:
            return bool(state.recent)
        return any(interference(other, act, _is_not_derived, _derived) is not None for other in state.recent)

    def _durations(self, step: GroundStep, situation: Situation) -> tuple[int, int | None] | None:
        """Return how long a step may last; only the least where what it does depends on that."""
        between, action = durations(self.timed, step, situation, self.grid), self.timed.domain.durative[step.step.name]
        depends = action.continuous or mentions_duration((action.conditions, action.effects))
        return (between[0], between[0]) if between is not None and depends else between

    def _begun(self, step: Step, clock: Clock, lag: Lag) -> Clock | None:
        """Return the clock with the end of a step; what undoes an invariant comes when what needs it has ended."""
        end = end_of(step)
        found: Clock | None = clock.waits_for(end, lag.least, lag.greatest)
        last, (needs, undone) = len(clock.waiting), (self.invariant(end), self.undone(end))
        for place, other in enumerate(clock.waiting):
            if found is not None and not needs.isdisjoint(self.undone(other)):
                found = found.ordered(last, place)
            if found is not None and not undone.isdisjoint(self.invariant(other)):
                found = found.ordered(place, last)
        return found

    def _next_fact(self, step: Step, clock: Clock) -> Clock:
        number = fact_number(step) + 1
        if number == len(self._facts):
            return clock
        lag = self._times[number] - self._times[number - 1]
        return clock.waits_for(fact_step(number), lag, lag)

    def _breaks(self, moment: Moment, update: Update) -> bool:
        """Return whether what was done breaks an invariant of what runs."""
        gone, situation = update.deletes - update.adds, None
        for end in moment.clock.waiting:
            invariant = self._invariants.get(end)
            if invariant is None:
                continue
            if invariant.rest or self._closure.predicates:
                situation = situation or self.situation(moment)
                if not self.applies(situation, invariant):
                    return True
            elif not invariant.needs.isdisjoint(gone) or not invariant.forbids.isdisjoint(update.adds):
                return True
        return False


def _is_not_derived(_: str) -> bool:
    return False


def _derived(_: Update) -> tuple[Set[GroundAtom], Set[GroundAtom]]:
    raise AssertionError("no atom is derived")
