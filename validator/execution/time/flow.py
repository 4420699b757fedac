"""Time passes between happenings: processes and continuous effects run, events happen, invariants must hold.

Events and processes are those of PDDL+ (Fox and Long 2006): an event happens as soon as its condition holds, after the
happening or the continuous change that made it true, and a process runs while its condition holds. Change is exact
as long as values are polynomials of time between two happenings; where they are not, or where no first time of an event
exists, the rest of the execution is open and the reason says so.
"""

from __future__ import annotations

from collections import Counter, defaultdict, deque
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Set
from fractions import Fraction
from itertools import combinations

from validator.execution.time.curves import NonPolynomialError, pieces, polynomial, roots
from validator.execution.time.effects import Update, collect
from validator.execution.time.happening import Act, Part
from validator.execution.time.interference import Planned, Reads, interference
from validator.execution.time.polynomials import Point, Polynomial, Root, at, integral, near, plus, rational
from validator.execution.time.state import State
from validator.model.conditions import Binding, bindings
from validator.model.numeric import Missing, Situation, fluent_key, truth
from validator.model.pddl.write import atom_text
from validator.model.temporal import ContinuousEffect, Process
from validator.model.values import Action, Formula, GroundAtom
from validator.reading.plan import Step
from validator.records import dataclass, field
from validator.texts import MOST_LISTED, decimal

_MOST_EVENTS = 1000
"""events that may follow each other at one time, or times that one may happen then because its condition holds right
after it, before the model is taken for one without an end"""

_MOST_STRETCHES = 10_000
"""changes of what runs, and events, that may follow each other between two happenings (Zeno's models have no end)"""

_NOW: Point = Fraction(0)

_Active = tuple[tuple[ContinuousEffect, Binding, Fraction | None], ...]
_Rate = tuple[ContinuousEffect, Binding, Situation]


class OpenError(Exception):
    """The execution cannot be followed exactly from here; the message says why."""


@dataclass(slots=True, eq=False)
class Watch:
    """A condition that must hold over all of an action; ``broken`` is called with where it does not."""

    condition: Formula
    binding: Binding
    duration: Fraction | None
    broken: Callable[[Situation, Fraction, Fraction], None]


@dataclass(slots=True)
class Flow:
    """What goes on between happenings. ``now`` is the time reached."""

    state: State
    now: Fraction = Fraction(0)
    watches: list[Watch] = field(default_factory=list)
    running: dict[Hashable, _Active] = field(default_factory=dict)
    """the continuous effects of the durative actions that run, by their token, or by that and a stretch of theirs"""
    notes: list[str] = field(default_factory=list)
    """what was taken as happening at the border of when it may happen, or as not every semantics does"""
    sudden: Counter[tuple[Step, Fraction]] = field(default_factory=Counter)
    """how often an event happened at a time because its condition holds right after it"""

    # --- what there is -------------------------------------------------------------------------

    def _processes(self) -> Iterator[tuple[Process, Binding]]:
        model = self.state.model
        for process in model.domain.processes:
            for binding in bindings(model, process.parameters, {}):
                yield process, binding

    def _events(self) -> Iterator[tuple[Action, Binding]]:
        model = self.state.model
        for event in model.domain.events:
            for binding in bindings(model, event.parameters, {}):
                yield event, binding

    def _active(self, situation: Situation) -> _Active:
        """Return the continuous effects of the processes that run in a situation."""
        found: list[tuple[ContinuousEffect, Binding, Fraction | None]] = []
        for process, binding in self._processes():
            if truth(process.condition, binding, situation):
                found += [(effect, binding, None) for effect in process.effects]
        return tuple(found)

    def _curves(self, active: _Active, begin: Point = _NOW) -> dict[GroundAtom, Polynomial]:
        """Return how each value changes from ``begin`` on, in the time from now. Raises OpenError for no polynomial."""
        rates: dict[GroundAtom, list[_Rate]] = defaultdict(list)
        model = self.state.model
        durative = [effect for effects in self.running.values() for effect in effects]
        for effect, outer, duration in (*active, *durative):
            for binding in bindings(model, effect.parameters, outer):
                key = fluent_key(effect.fluent, binding)
                if key not in self.state.values:
                    raise OpenError(f"{atom_text(key)} changes continuously and has no value")
                rates[key].append((effect, binding, self.state.situation(duration)))
        self._settle(rates.keys(), begin)
        curves: dict[GroundAtom, Polynomial] = {}
        for key in rates:
            self._curve(key, rates, curves, (), begin)
        moving = {key: curve for key, curve in curves.items() if len(curve) > 1}
        if self.state.closure.reads_numbers and moving:
            raise OpenError(f"{atom_text(min(moving))} changes continuously, and derived predicates compare numbers")
        return moving

    def _curve(
        self,
        key: GroundAtom,
        rates: Mapping[GroundAtom, list[_Rate]],
        curves: dict[GroundAtom, Polynomial],
        path: tuple[GroundAtom, ...],
        begin: Point,
    ) -> None:
        """Find how a value changes, and first those that its rate reads."""
        if key in path:
            raise OpenError(f"the rate of {atom_text(key)} depends on itself, so that it is not a polynomial of time")
        if key in curves:
            return
        whole: Polynomial = ()
        for effect, binding, situation in rates[key]:
            reads = Reads()
            reads.add(situation.model, binding, effect.rate)
            for other in sorted(reads.values & rates.keys()):
                self._curve(other, rates, curves, (*path, key), begin)
            try:
                rate = polynomial(effect.rate, binding, situation, curves)
            except NonPolynomialError as error:
                raise OpenError(f"the rate of {atom_text(key)}, {error}, is not a polynomial of time") from None
            if isinstance(rate, Missing):
                raise OpenError(f"the rate of {atom_text(key)} is not known: {rate}")
            whole = plus(whole, rate, Fraction(effect.sign))
        curves[key] = self._through(key, integral(whole, Fraction(0)), begin)

    def _through(self, key: GroundAtom, curve: Polynomial, begin: Point) -> Polynomial:
        """Move a curve so that it has the value of now at ``begin``. Raises OpenError where no fraction does that."""
        value = self.state.values[key]
        if isinstance(begin, Fraction):
            return plus(curve, (value,))
        shift = rational(value - at(curve, begin))
        if shift is None:
            when = decimal(self.now + near(begin))
            raise OpenError(f"{atom_text(key)} changes in another way from an irrational time on, about {when}")
        return plus(curve, (shift,))

    def _settle(self, moving: Set[GroundAtom], begin: Point) -> None:
        """Make what an irrational time left of values that do not move fractions. Raises OpenError for what is none."""
        for key, value in self.state.values.items() if isinstance(begin, Root) else ():
            known = rational(value)
            if known is not None:
                self.state.values[key] = known
            elif key not in moving:
                when = decimal(self.now + near(begin))
                raise OpenError(f"{atom_text(key)} has an irrational value from about {when} on")

    # --- passing time --------------------------------------------------------------------------

    def advance(self, until: Fraction) -> None:
        """Let time pass until the next happening. Raises OpenError."""
        start = self.now
        for _ in range(_MOST_STRETCHES):
            if self.now >= until:
                return
            active = self._active(self.state.situation())
            curves = self._curves(active)
            if not curves:
                self._still(until)
                return
            self._stretch(active, curves, until)
        between = f"between {decimal(start)} and {decimal(until)}"
        raise OpenError(f"more than {_MOST_STRETCHES} events and changes of processes follow each other {between}")

    def _still(self, until: Fraction) -> None:
        """Let time pass in which no value changes."""
        for watch in self.watches:
            situation = self.state.situation(watch.duration)
            if truth(watch.condition, watch.binding, situation) is not True:
                watch.broken(situation, self.now, until)
        self.now = until

    def _stretch(self, active: _Active, curves: dict[GroundAtom, Polynomial], until: Fraction) -> None:
        """Let values change until the next happening, event, or change of what runs, whichever is first."""
        span, begin, end = until - self.now, _NOW, _NOW
        for _ in range(_MOST_STRETCHES):
            try:
                curves, end, sudden = self._next(active, curves, begin, span)
                self._watch(curves, begin, end, span)
            except NonPolynomialError as error:
                raise OpenError(f"{error} is not a polynomial of time from {decimal(self.now)} on") from None
            reached = self.now + near(end)
            if end is not begin:
                self.state.flow(reached, curves, end)
            if isinstance(end, Fraction):
                self.now = reached
            self.fire(reached, sudden)
            if isinstance(end, Fraction):
                return
            active = self._active(self.state.situation())
            curves, begin = self._curves(active, end), end
            if not curves:  # nothing moves, so that how near the time is does not matter
                self.now = reached if reached < until else self.now + end.low
                return
        raise OpenError(f"more than {_MOST_STRETCHES} events at irrational times follow each other")

    def _next(
        self, active: _Active, curves: dict[GroundAtom, Polynomial], begin: Point, span: Fraction
    ) -> tuple[dict[GroundAtom, Polynomial], Point, list[tuple[Action, Binding]]]:
        """Return how values change from ``begin`` on, until when, and which events may happen right after that."""
        cuts = self._cuts(curves, begin, span)
        first = next(pieces(cuts, span, begin))[2]
        after = self._active(self.state.later(curves, first))
        if after != active:
            # What runs just after now is not what the situation now says: a strict condition, or one at its border.
            curves = self._curves(after, begin)
            cuts = self._cuts(curves, begin, span)
            first = next(pieces(cuts, span, begin))[2]
            if self._active(self.state.later(curves, first)) != after:
                raise OpenError(f"a process starts and stops without end from {decimal(self.now)} on")
            active = after
        for low, high, middle in pieces(cuts, span, begin):
            inside = self.state.later(curves, middle)
            if low is not begin and self._active(inside) != active:
                return curves, low, []
            sudden = self._enabled(inside)
            if sudden:
                return curves, low, sudden
            if self._enabled(self.state.later(curves, high)):
                return curves, high, []
        return curves, span, []

    def _cuts(self, curves: dict[GroundAtom, Polynomial], begin: Point, span: Fraction) -> list[Point]:
        conditions = [(process.condition, binding) for process, binding in self._processes()]
        conditions += [(event.precondition, binding) for event, binding in self._events()]
        return [root for root in roots(conditions, self.state.situation(), curves, span) if begin < root < span]

    def _watch(self, curves: dict[GroundAtom, Polynomial], begin: Point, end: Point, span: Fraction) -> None:
        """Test the invariants in the open pieces of a stretch, and at their borders inside the actions."""
        for watch in self.watches if end is not begin else ():
            where = [(watch.condition, watch.binding)]
            found = roots(where, self.state.situation(watch.duration), curves, span)
            cuts = [root for root in found if begin < root < end]
            for low, high, middle in pieces(cuts, end, begin):
                is_inner = isinstance(high, Root) or high < span
                for moment, start in ((middle, low), (high, high)) if is_inner else ((middle, low),):
                    later = self.state.later(curves, moment)
                    situation = Situation(
                        model=later.model, atoms=later.atoms, values=later.values, duration=watch.duration
                    )
                    if truth(watch.condition, watch.binding, situation) is not True:
                        watch.broken(situation, self.now + near(start), self.now + near(high))
                        break

    # --- events --------------------------------------------------------------------------------

    def _enabled(self, situation: Situation) -> list[tuple[Action, Binding]]:
        return [found for found in self._events() if truth(found[0].precondition, found[1], situation)]

    def fire(self, now: Fraction | None = None, sudden: Iterable[tuple[Action, Binding]] = ()) -> None:
        """Let every event happen whose condition holds, until there is none. Raises OpenError.

        ``sudden`` are events whose condition holds right after now, with no first time for it: they happen now.
        """
        now, latest = self.now if now is None else now, deque[str](maxlen=MOST_LISTED)
        for _ in range(_MOST_EVENTS):
            situation = self.state.situation()
            enabled = self._enabled(situation)
            if not enabled:
                enabled, sudden = list(sudden), ()
                self._note_sudden(now, enabled)
            if not enabled:
                return
            acts = [self._event(event, binding, situation, now) for event, binding in enabled]
            self._check_independent(acts)
            latest += [str(each.act.step) for each in acts]
            conflicts = self.state.apply(now, [(each.act, each.update) for each in acts])
            if conflicts:
                raise OpenError(f"events conflict at {decimal(now)}: {'; '.join(conflicts)}")
        raise OpenError(f"events follow each other without end at {decimal(now)}: {_repeated(latest)}")

    def _note_sudden(self, now: Fraction, events: Iterable[tuple[Action, Binding]]) -> None:
        for event, binding in events:
            named = Step(name=event.name, args=tuple(binding[parameter.name] for parameter in event.parameters))
            self.sudden[named, now] += 1
            if self.sudden[named, now] > _MOST_EVENTS:
                raise OpenError(f"events follow each other without end at {decimal(now)}: {_repeated([str(named)])}")
            said = f"the condition of the event {named} holds right after {decimal(now)}, and at no first time"
            self.note(f"{said}; it happens then")

    def note(self, said: str) -> None:
        """Note what a reader should know of the course; the first few."""
        if len(self.notes) < MOST_LISTED and said not in self.notes:
            self.notes.append(said)

    def _event(self, event: Action, binding: Binding, situation: Situation, now: Fraction) -> Planned:
        update = collect(event.effects, binding, situation, Update())
        if update.undefined:
            raise OpenError(f"the event {event.name} reads a missing value: {update.undefined[0]}")
        reads = Reads()
        reads.add(situation.model, binding, event.precondition)
        reads.add_effects(situation, binding, event.effects)
        step = Step(name=event.name, args=tuple(binding[parameter.name] for parameter in event.parameters))
        return Planned(Act(part=Part.EVENT, time=now, step=step, action=event, binding=binding), reads, update)

    def _check_independent(self, acts: Iterable[Planned]) -> None:
        """Raise OpenError where events of one time interfere: in which order they happen is not settled."""
        for other, each in combinations(acts, 2):
            why = interference(other, each, self.state.closure)
            if why is not None:
                raise OpenError(f"{other.act} and {each.act} interfere at {decimal(self.now)}: {why}")


def _repeated(latest: Iterable[str]) -> str:
    """Name the events of a chain that has no end, each once, in the order in which they happen."""
    named = list(dict.fromkeys(latest))
    return f"{named[0]} makes itself possible again" if len(named) == 1 else " and ".join(named)
