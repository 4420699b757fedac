"""Executing plans with numbers and time: every fault, every state.

A plan is a sequence of happenings (Fox and Long 2003, section 5; Howey, Long and Fox 2004). All acts of a happening
read the situation before it, and take effect together. An act at fault changes nothing, and the execution goes on:
a durative action whose start is at fault does not take place, one whose end is has no effects at its end.
"""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Callable, Set
from fractions import Fraction
from typing import TypeAlias

from validator.execution.time.acts.effects import Update, combined
from validator.execution.time.acts.happening import Act, Apart, Happening, Part, is_temporal
from validator.execution.time.acts.interference import interference
from validator.execution.time.acts.parts import (
    Planned,
    condition_of,
    duration_faults,
    earlier_effects,
    planned,
    preferences_of,
)
from validator.execution.time.flow import Flow, OpenError, Watch
from validator.execution.time.state import State
from validator.execution.trace import Cause, Failure, Kind
from validator.model.conditions import Binding, bindings
from validator.model.numeric import Gap, Situation, first_gap, truth, unsatisfied
from validator.model.pddl.write import atom_text, formula_text
from validator.model.temporal import DurativeAction, When
from validator.model.values import Formula, GroundAtom
from validator.records import dataclass
from validator.texts import decimal

__all__ = ["Machine"]


_Breaker: TypeAlias = Callable[[Situation, Fraction, Fraction], None]


@dataclass(slots=True)
class _Broken:
    """Where a part of an invariant does not hold: why at first, and the intervals."""

    cause: Cause
    intervals: list[tuple[Fraction, Fraction]]


class Machine:
    """Executes happenings one after the other; ``violated`` counts the preferences of actions that are violated."""

    def __init__(self, state: State, apart: Apart, *, is_measured: bool = False) -> None:
        self.state = state
        self.model = state.model
        self.apart = apart
        self.flow = Flow(state)
        self.failures: list[Failure] = []
        self.violated: dict[str, int] = defaultdict(int)
        self.executed: list[Act] = []
        self.is_temporal = is_temporal(state.model)
        self._broken: dict[Act, dict[str, _Broken]] = defaultdict(dict)
        self._watches: dict[int, list[Watch]] = defaultdict(list)
        self._recent: deque[Planned] = deque()
        self._derived: dict[int, tuple[Set[GroundAtom], Set[GroundAtom]]] = {}
        self.nearest: Fraction | None = None
        """how near the nearest two acts are that interfere and do not happen at one time, where that is measured"""
        self._past: list[Planned] | None = [] if is_measured else None

    def start(self) -> None:
        """Let the events happen that the initial state allows."""
        self.flow.fire()

    def happen(self, happening: Happening) -> None:
        """Let time pass until a happening, and execute it. Raises OpenError."""
        if self.is_temporal:
            self.flow.advance(happening.time)
        acts = [act for act in happening.acts if act.part is not Part.END or (act.run and act.run.is_running)]
        self._check_parted(acts, happening)
        found = [planned(act, self.state.situation(act.duration)) for act in acts]
        rivals = self._rivals(found)
        taken = [each for each in found if not self._faults(each) and each not in rivals]
        self._leave(found)
        for each in taken:
            self._enter(each.act)
        if taken:
            self._conflicts(self.state.apply(happening.time, [(each.act, each.update) for each in taken]), happening)
        self.executed += [each.act for each in taken]
        for each in taken:
            if each.act.part is Part.START:
                self._run(each.act)
        if self.is_temporal:
            self.flow.fire()

    def _check_parted(self, acts: list[Act], happening: Happening) -> None:
        """Raise OpenError where an action would start and end in one happening."""
        started = {id(act.run) for act in acts if act.part is Part.START and act.duration and act.duration > 0}
        for act in happening.acts if self.apart.together and started else ():
            if act.part is Part.END and id(act.run) in started:
                raise OpenError(
                    f"{act} is no more than {decimal(self.apart.together)} after its start, as one happening"
                )

    # --- faults --------------------------------------------------------------------------------

    def _faults(self, each: Planned) -> bool:
        """Note what is wrong with an act in the situation before it; return whether it cannot take place."""
        act = each.act
        situation = self.state.situation(act.duration)
        time = act.time if self.is_temporal else None
        if isinstance(act.action, DurativeAction):
            for said in duration_faults(act, situation, self.apart.tolerance):
                self._fail(Failure(step=act.place, kind=Kind.DURATION, detail=said, time=time))
        kind, conditions = condition_of(act)
        binding = act.binding or {}
        unmet = [part for condition in conditions for part in unsatisfied(condition, binding, situation)]
        divided = [part for part in unmet if _divides(*part, situation)]
        plain = [part for part in unmet if part not in divided]
        for of_kind, parts in ((kind, plain), (Kind.UNDEFINED_VALUE, divided)):
            if parts:
                causes = tuple(self.state.cause(part, inner, situation) for part, inner in parts)
                literals = tuple(dict.fromkeys(cause.literal for cause in causes))
                self._fail(Failure(step=act.place, kind=of_kind, unmet=literals, causes=causes, time=time))
        undefined = tuple(dict.fromkeys(str(missing) for missing in each.update.undefined))
        if undefined:
            self._fail(Failure(step=act.place, kind=Kind.UNDEFINED_VALUE, unmet=undefined, time=time))
        clashes = self._own_conflicts(each)
        for said in clashes:
            self._fail(Failure(step=act.place, kind=Kind.CONFLICT, detail=said, time=time))
        has_no_course = act.part is Part.START and act.duration is not None and act.duration <= 0
        return bool(unmet or undefined or clashes or has_no_course)

    def _own_conflicts(self, each: Planned) -> list[str]:
        """Return the values that one act alone changes in two ways."""
        values = self.state.values
        found = (combined(key, changes, values.get(key)) for key, changes in each.update.changes.items())
        return [value for value in found if isinstance(value, str)]

    def _conflicts(self, conflicts: list[str], happening: Happening) -> None:
        """Two acts that change one value in two ways interfere, so that only timed values can still conflict."""
        if conflicts:
            raise OpenError(f"timed values conflict at {decimal(happening.time)}: {'; '.join(conflicts)}")

    def _fail(self, failure: Failure) -> None:
        self.failures.append(failure)

    # --- what may not take place together ------------------------------------------------------

    def _rivals(self, found: list[Planned]) -> list[Planned]:
        """Note every pair of acts that interfere, at one time or closer than epsilon; return the later ones."""
        rivals: list[Planned] = []
        if self.state.closure.predicates:
            # What an act changes by axioms is seen in the state before it, not in that of a later rival.
            self._derived |= {id(each.update): self.state.derive(each.update) for each in found}
        for number, each in enumerate(found):
            while self._recent and each.act.time - self._recent[0].act.time >= self.apart.epsilon:
                self._derived.pop(id(self._recent.popleft().update), None)
            near = list(self._recent) if self.is_temporal else []
            for other in (*near, *found[:number]):
                if _are_ordered_facts(other.act, each.act):
                    continue
                why = self._interfere(other, each)
                if self.model.problem.is_from_up:
                    why = self._as_unified_planning(other, each, why)
                if why is not None:
                    rivals.append(self._blame(other, each, why))
        self._recent += found
        if self._past is not None:
            self._measure(found, self._past)
        return rivals

    def _measure(self, found: list[Planned], past: list[Planned]) -> None:
        for each in found:
            for other in reversed(past):
                apart = each.act.time - other.act.time
                if self.nearest is not None and apart >= self.nearest:
                    break
                if not _are_ordered_facts(other.act, each.act) and self._interfere(other, each) is not None:
                    self.nearest = apart
        past += found

    def _as_unified_planning(self, one: Planned, other: Planned, why: str | None) -> str | None:
        """Return why two acts may not take place as unified-planning reads a problem, of which PDDL says ``why``.

        An act reads the state before its time, whatever else happens then, and no acts are kept apart otherwise (its
        validator, and its tests of simultaneity). Two acts of one time that change one atom are a conflict to it, to
        PDDL not where both make it true: that alone raises OpenError.
        """
        is_at_once = one.act.time == other.act.time
        alike = (one.update.adds & other.update.adds) | (one.update.deletes & other.update.deletes)
        if is_at_once and alike and why is None:
            raise OpenError(
                f"{other.act} and {one.act} happen at the same time, and both change {atom_text(min(alike))}:"
                " a conflict to unified-planning's validator, and none in PDDL"
            )
        if is_at_once and (alike or _change_one_thing(one.update, other.update)):
            return why
        if why is not None:
            when = "at one time" if is_at_once else f"less than {decimal(self.apart.epsilon)} apart"
            said = f"{other.act} and {one.act} happen {when}, as unified-planning allows and PDDL does not"
            self.flow.note(f"{said}: {why}")
        return None

    def _interfere(self, one: Planned, other: Planned) -> str | None:
        derived = self.state.closure.predicates.__contains__
        return interference((one.reads, one.update), (other.reads, other.update), derived, self._derive)

    def _derive(self, update: Update) -> tuple[Set[GroundAtom], Set[GroundAtom]]:
        return self._derived[id(update)]

    def _blame(self, one: Planned, other: Planned, why: str) -> Planned:
        """Note that two acts interfere, at the later step of the two; return its act."""
        if other.act.place is None or (one.act.place is not None and one.act.place > other.act.place):
            one, other = other, one
        early, late = one.act, other.act
        if late.place is None:
            raise OpenError(f"two timed literals interfere at {decimal(late.time)}: {why}")
        apart = abs(late.time - early.time)
        too_near = f"{decimal(apart)} apart, less than {decimal(self.apart.epsilon)}"
        when = too_near if apart else f"at {decimal(late.time)}"
        if not self.is_temporal:
            when = "at the same time"
        detail = f"{late} and {early} may not happen {when}: {why}"
        time = late.time if self.is_temporal else None
        self._fail(Failure(step=late.place, kind=Kind.MUTEX, detail=detail, time=time, rival=early.place))
        return other

    # --- durative actions ----------------------------------------------------------------------

    def _run(self, act: Act) -> None:
        """Let a durative action run from now on."""
        action, run, binding = act.action, act.run, act.binding
        assert isinstance(action, DurativeAction) and run is not None and binding is not None
        assert act.index is not None and act.duration is not None
        run.is_running = True
        for timed in action.conditions:
            if timed.when is When.ALL:
                self._watch(act, timed.condition, binding, self._breaker(act, timed.condition, binding))
        self._watch_preferences(act, action, binding)
        self.flow.running[act.index] = tuple((effect, binding, act.duration) for effect in action.continuous)

    def _watch(self, act: Act, condition: Formula, binding: Binding, broken: _Breaker) -> None:
        assert act.index is not None and act.duration is not None
        watch = Watch(condition, binding, act.duration, broken)
        self._watches[act.index].append(watch)
        self.flow.watches.append(watch)

    def _breaker(self, act: Act, condition: Formula, binding: Binding) -> _Breaker:
        def broken(situation: Situation, start: Fraction, end: Fraction) -> None:
            for part, inner in unsatisfied(condition, binding, situation):
                known = self._broken[act].get(formula_text(part, inner))
                if known is not None and known.intervals[-1][1] == start:
                    known.intervals[-1] = (known.intervals[-1][0], end)
                elif known is not None:
                    known.intervals.append((start, end))
                else:
                    cause = self.state.cause(part, inner, situation)
                    self._broken[act][cause.literal] = _Broken(cause, [(start, end)])

        return broken

    def _leave(self, found: list[Planned]) -> None:
        """Let the durative actions stop that end now, whether their end is at fault or not."""
        for act in (each.act for each in found if each.act.part is Part.END):
            assert act.index is not None and act.run is not None
            act.run.is_running = False
            over = self._watches.pop(act.index, [])
            self.flow.watches = [watch for watch in self.flow.watches if watch not in over]
            self.flow.running.pop(act.index, None)

    # --- preferences ---------------------------------------------------------------------------

    def _enter(self, act: Act) -> None:
        """Count the preferences that an act violates as it takes place; note what the end of its action depends on."""
        situation = self.state.situation(act.duration)
        binding = act.binding or {}
        if isinstance(act.action, DurativeAction) and act.part is Part.START and act.run is not None:
            act.run.earlier = earlier_effects(act, situation)
        for preference in preferences_of(act):
            for inner in bindings(self.model, preference.parameters, binding):
                if truth(preference.condition, inner, situation) is not True:
                    self.violated[preference.name] += 1

    def _watch_preferences(self, act: Act, action: DurativeAction, binding: Binding) -> None:
        for preference in action.preferences:
            if preference.when is When.ALL:
                for inner in bindings(self.model, preference.parameters, binding):
                    self._watch(act, preference.condition, inner, self._counter(preference.name))

    def _counter(self, name: str) -> _Breaker:
        """Return what counts a violation once, however many intervals it has."""
        seen: list[Fraction] = []

        def broken(situation: Situation, start: Fraction, end: Fraction) -> None:
            if not seen:
                self.violated[name] += 1
            seen.append(start)

        return broken

    def invariants(self) -> list[Failure]:
        """Return the faults of the invariants, one for each action: all parts, the intervals of the first."""
        found = []
        for act, parts in self._broken.items():
            start, end = min(interval for broken in parts.values() for interval in broken.intervals)
            causes = tuple(broken.cause for broken in parts.values())
            found.append(
                Failure(
                    step=act.place,
                    kind=Kind.OVER_ALL,
                    unmet=tuple(parts),
                    causes=causes,
                    detail="; ".join(f"{literal} {_intervals(broken)}" for literal, broken in parts.items()),
                    time=start,
                    until=end,
                )
            )
        return found


def _change_one_thing(one: Update, other: Update) -> bool:
    """Return whether two updates change one atom in two ways, or one value unless both only add to it."""
    if one.adds & other.deletes or one.deletes & other.adds:
        return True
    shared = one.changes.keys() & other.changes.keys()
    return any(not (one.only_adds_to(key) and other.only_adds_to(key)) for key in shared)


def _are_ordered_facts(one: Act, other: Act) -> bool:
    """Return whether two acts are timed literals at two times: the model says which is first, however near."""
    return one.part is Part.FACT and other.part is Part.FACT and one.time != other.time


def _intervals(broken: _Broken) -> str:
    return ", ".join(f"from {decimal(start)} to {decimal(end)}" for start, end in broken.intervals)


def _divides(part: Formula, binding: Binding, situation: Situation) -> bool:
    gap = first_gap(part, binding, situation)
    return gap is not None and gap.gap is Gap.DIVISION and truth(part, binding, situation) is None
