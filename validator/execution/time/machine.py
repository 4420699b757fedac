"""Executing plans with numbers and time: every fault, every state.

A plan is a sequence of happenings (Fox and Long 2003, section 5; Howey, Long and Fox 2004). All acts of a happening
read the situation before it, and take effect together. An act at fault changes nothing, and the execution goes on:
a durative action whose start is at fault does not take place, one whose end is has no effects at its end.
"""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Callable, Hashable
from fractions import Fraction
from typing import TypeAlias

from validator.execution.time.flow import Flow, OpenError, Watch
from validator.execution.time.happening import Act, Happening, Part, Separation, is_temporal
from validator.execution.time.interference import Planned, conflicts, interference
from validator.execution.time.parts import (
    condition_of,
    duration_faults,
    earlier_effects,
    planned,
    preferences_of,
    tolerated,
)
from validator.execution.time.state import State
from validator.execution.trace import Cause, Failure, Kind
from validator.model.conditions import Binding, bindings
from validator.model.numeric import Gap, Situation, first_gap, truth, unsatisfied
from validator.model.pddl.write import atom_text, formula_text
from validator.model.temporal import DurativeAction, When
from validator.model.values import Formula
from validator.records import dataclass
from validator.texts import decimal

_Breaker: TypeAlias = Callable[[Situation, Fraction, Fraction], None]


@dataclass(slots=True)
class _Broken:
    """Where a part of an invariant does not hold: why at first, and the intervals."""

    cause: Cause
    intervals: list[tuple[Fraction, Fraction]]


class Machine:
    """Executes happenings one after the other; ``violated`` counts the preferences of actions that are violated."""

    def __init__(self, state: State, apart: Separation) -> None:
        self.state = state
        self.model = state.model
        self.apart = apart
        self.flow = Flow(state)
        self.failures: list[Failure] = []
        self.violated: dict[str, int] = defaultdict(int)
        self.executed: list[Act] = []
        self.tolerated: dict[int, Fraction] = {}
        """by tokens whose durations are outside of their bounds, the nearest ones within"""
        self.is_temporal = is_temporal(state.model)
        self.open: list[str] = []
        """reasons for which the answer is open where no fault is found"""
        self._broken: dict[Act, dict[str, _Broken]] = defaultdict(dict)
        self._watches: dict[Hashable, list[Watch]] = defaultdict(list)
        self._recent: deque[Planned] = deque()

    def start(self) -> None:
        """Let the events happen that the initial state allows. Raises OpenError, as what follows does."""
        for bounds in self.model.problem.bounds:
            self.flow.watches.append(Watch(bounds, {}, None, self._out_of_bounds(bounds)))
        self.flow.fire()

    def happen(self, happening: Happening) -> None:
        """Let time pass until a happening, and execute it. Raises OpenError."""
        if self.is_temporal:
            self.flow.advance(happening.time)
        borders = [act for act in happening.acts if act.part is Part.GOAL]
        for act in borders:
            self._border(act)
        acts = [act for act in happening.acts if _takes_place(act) or _ends_at_once(act)]
        for act in acts:
            if act.part is Part.START and act.run is not None and _is_instant(act):
                act.run.earlier = earlier_effects(act, self.state.situation(act.duration))
        self._check_parted(acts, happening)
        found = [planned(act, self.state.situation(act.duration)) for act in acts]
        rivals = self._rivals(found)
        taken: list[Planned] = []
        for each in found:
            is_lost = _ends_at_once(each.act) and not any(other.act.run is each.act.run for other in taken)
            if not is_lost and not self._faults(each) and each not in rivals:
                taken.append(each)
        self._leave(found)
        for each in taken:
            self._enter(each.act)
        if taken:
            self._conflicts(self.state.apply(happening.time, [(each.act, each.update) for each in taken]), happening)
        self.executed += [each.act for each in taken]
        for each in taken:
            if each.act.part is Part.START and not _is_instant(each.act):
                self._run(each.act)
        for each in found:
            if each.act.run is not None and each.act.run.has_begun:
                self._begin_stretches(each.act)
        for act in borders:
            self._watch_goals(act)
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
            broken = list(duration_faults(act, situation, self.apart.tolerance))
            for said in broken:
                self._fail(Failure(step=act.place, kind=Kind.DURATION, detail=said, time=time))
            nearest = None if broken else tolerated(act, situation)
            if nearest is not None and act.index is not None:
                self.tolerated[act.index] = nearest
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
        if undefined and act.place is None:
            raise OpenError(f"{act} at {decimal(act.time)} reads a value that is not defined: {', '.join(undefined)}")
        if undefined:
            self._fail(Failure(step=act.place, kind=Kind.UNDEFINED_VALUE, unmet=undefined, time=time))
        _, clashes = each.update.values(self.state.values)
        if clashes and act.place is None:
            raise OpenError(f"timed values conflict at {decimal(act.time)}: {'; '.join(clashes)}")
        for said in clashes:
            self._fail(Failure(step=act.place, kind=Kind.CONFLICT, detail=said, time=time))
        has_no_course = act.part is Part.START and act.duration is not None and act.duration < 0
        return bool(unmet or undefined or clashes or has_no_course)

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
        for number, each in enumerate(found):
            while self._recent and each.act.time - self._recent[0].act.time >= self.apart.epsilon:
                self._recent.popleft()
            near = list(self._recent) if self.is_temporal else []
            for other in (*near, *found[:number]):
                if _are_ordered_facts(other.act, each.act):
                    continue
                why = interference(other, each, self.state.closure)
                if self.model.problem.is_from_up:
                    why = self._as_unified_planning(other, each, why)
                if why is not None:
                    rivals.append(self._blame(other, each, why))
        self._recent += found
        return rivals

    def _as_unified_planning(self, one: Planned, other: Planned, why: str | None) -> str | None:
        """Return why two acts may not take place as unified-planning reads a problem, of which PDDL says ``why``.

        An act reads the state before its time, whatever else happens then, and no acts are kept apart otherwise (its
        validator, and its tests of simultaneity). Two acts of one time that change one atom are a conflict to it, to
        PDDL not where both make it true: that alone leaves the answer open.
        """
        is_at_once = one.act.time == other.act.time
        alike = (one.update.adds & other.update.adds) | (one.update.deletes & other.update.deletes)
        if is_at_once and alike and why is None:
            self.open.append(
                f"{other.act} and {one.act} happen at the same time, and both change {atom_text(min(alike))}:"
                " a conflict to unified-planning's validator, and none in PDDL"
            )
        if is_at_once and (alike or any(conflicts(one.update, other.update))):
            return why
        if why is not None:
            when = "at one time" if is_at_once else f"less than {decimal(self.apart.epsilon)} apart"
            said = f"{other.act} and {one.act} happen {when}, as unified-planning allows and PDDL does not"
            self.flow.note(f"{said}: {why}")
        return None

    def _blame(self, one: Planned, other: Planned, why: str) -> Planned:
        """Note that two acts interfere, at the later step of the two; return its act."""
        if other.act.place is None or (one.act.place is not None and one.act.place > other.act.place):
            one, other = other, one
        early, late = one.act, other.act
        if late.place is None:
            raise OpenError(f"two timed literals interfere at {decimal(late.time)}: {why}")
        apart = abs(late.time - early.time)
        too_near = f"{decimal(apart)} apart, less than {decimal(self.apart.epsilon)}"
        when = too_near if apart else "at the same time"
        if self.is_temporal and not apart:
            when += f" ({decimal(late.time)})"
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
        run.is_running = run.has_begun = True
        end = act.time + act.duration
        for stretch in action.stretches:
            begins, ends = stretch.begin.of(act.time, end), stretch.end.of(act.time, end)
            if begins > ends or (begins == ends and not stretch.is_closed):
                raise OpenError(f"{act}: a part of it from {decimal(begins)} to {decimal(ends)} is not an interval")
        for timed in action.conditions:
            if timed.when is When.ALL:
                self._watch(act, timed.condition, binding, self._breaker(act, timed.condition, binding))
        self._watch_preferences(act, action, binding)
        self.flow.running[act.index] = tuple((effect, binding, act.duration) for effect in action.continuous)

    def _begin_stretches(self, act: Act) -> None:
        """Let the stretches of a durative action begin that do so now, whether this part of it is at fault or not."""
        assert isinstance(act.action, DurativeAction)
        for number in act.begins:
            stretch, key, binding = act.action.stretches[number], (act.index, number), act.binding or {}
            for condition in stretch.conditions:
                self._watch(act, condition, binding, self._breaker(act, condition, binding), key)
            self.flow.running[key] = tuple((effect, binding, act.duration) for effect in stretch.continuous)

    def _watch(
        self, act: Act, condition: Formula, binding: Binding, broken: _Breaker, key: Hashable | None = None
    ) -> None:
        """Watch a condition until what has the key ends: the action, or a part of it, or a timed goal."""
        watch = Watch(condition, binding, act.duration, broken)
        self._watches[act.index if key is None else key].append(watch)
        self.flow.watches.append(watch)

    def _unwatch(self, key: Hashable) -> None:
        over = self._watches.pop(key, [])
        self.flow.watches = [watch for watch in self.flow.watches if watch not in over]
        self.flow.running.pop(key, None)

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
        """Let the durative actions stop that end now, and their stretches, whether these parts are at fault or not."""
        for act in (each.act for each in found):
            if act.part is Part.END:
                assert act.index is not None and act.run is not None
                act.run.is_running = False
                self._unwatch(act.index)
            for number in act.ends:
                self._unwatch((act.index, number))

    # --- timed goals and bounds ----------------------------------------------------------------

    def _border(self, act: Act) -> None:
        """Test the timed goals whose interval begins or ends now, in the state before, where it is closed there."""
        if act.time < 0:
            raise OpenError(f"a timed goal has the time {decimal(act.time)}, before the plan begins")
        goals = self.model.problem.timed_goals
        for number in act.begins:
            if not goals[number].is_left_open:
                self._test_goal(goals[number].condition, act.time)
        for number in act.ends:
            self._unwatch(("goal", number))
            goal = goals[number]
            if not (goal.is_right_open or goal.end.is_from_end or number in act.begins):
                self._test_goal(goal.condition, act.time)

    def _test_goal(self, condition: Formula, time: Fraction) -> None:
        situation = self.state.situation()
        unmet = list(unsatisfied(condition, {}, situation))
        if unmet:
            causes = tuple(self.state.cause(part, inner, situation) for part, inner in unmet)
            literals = tuple(cause.literal for cause in causes)
            at = f"at {decimal(time)}"
            self._fail(Failure(step=None, kind=Kind.GOAL, unmet=literals, causes=causes, detail=at, time=time))

    def _watch_goals(self, act: Act) -> None:
        for number in act.begins:
            if number not in act.ends:
                condition = self.model.problem.timed_goals[number].condition
                self._watch(act, condition, {}, self._breaker(act, condition, {}), ("goal", number))

    def test_at_the_end(self) -> None:
        """Test the timed goals that must hold at the end of the plan, in the last state, and the bounds of numbers."""
        for goal in self.model.problem.timed_goals:
            if goal.end.is_from_end and not goal.end.delay and not goal.is_right_open:
                self._test_goal(goal.condition, self.flow.now)
        for bounds in self.model.problem.bounds:
            if truth(bounds, {}, self.state.situation()) is not True:
                self._out_of_bounds(bounds)(self.state.situation(), self.flow.now, self.flow.now)

    def _out_of_bounds(self, bounds: Formula) -> _Breaker:
        """Return what leaves the execution open where a number leaves its bounds."""

        def broken(situation: Situation, start: Fraction, end: Fraction) -> None:
            if truth(bounds, {}, situation) is None:  # a number without a value has left nothing
                return
            said = ", ".join(formula_text(part, inner) for part, inner in unsatisfied(bounds, {}, situation))
            raise OpenError(
                f"a number leaves the bounds of its type at {decimal(start)}, or soon after: {said} is false; that no"
                " step is refused for it, and whether such a plan is valid, unified-planning does not settle"
            )

        return broken

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
                    kind=Kind.GOAL if act.part is Part.GOAL else Kind.OVER_ALL,
                    unmet=tuple(parts),
                    causes=causes,
                    detail=f"from {decimal(start)} to {decimal(end)}"
                    if act.part is Part.GOAL
                    else "; ".join(f"{literal} {_intervals(broken)}" for literal, broken in parts.items()),
                    time=start,
                    until=end,
                )
            )
        return found


def _takes_place(act: Act) -> bool:
    """Return whether an act is one of the state, of an action that has not failed at its start. Raises OpenError."""
    if act.part is Part.INNER:
        assert act.run is not None and act.step is not None
        if act.step.time is not None and act.time < act.step.time:
            raise OpenError(f"{act} at {decimal(act.time)} is before the start of its action")
        return act.run.has_begun
    return act.part is not Part.GOAL and (act.part is not Part.END or bool(act.run and act.run.is_running))


def _is_instant(act: Act) -> bool:
    """Return whether an act is of an action over time that takes none. Raises OpenError where that has parts inside."""
    if act.duration != 0 or not isinstance(act.action, DurativeAction):
        return False
    if act.action.inner or act.action.stretches:
        raise OpenError(f"{act}: an action with parts between its start and its end has the duration 0")
    return True


def _ends_at_once(act: Act) -> bool:
    """Return whether an act is the end of a durative action that is at its start: both read the state before."""
    return act.part is Part.END and _is_instant(act)


def _are_ordered_facts(one: Act, other: Act) -> bool:
    """Return whether two acts are timed literals at two times: the model says which is first, however near."""
    return one.part is Part.FACT and other.part is Part.FACT and one.time != other.time


def _intervals(broken: _Broken) -> str:
    return ", ".join(f"from {decimal(start)} to {decimal(end)}" for start, end in broken.intervals)


def _divides(part: Formula, binding: Binding, situation: Situation) -> bool:
    gap = first_gap(part, binding, situation)
    return gap is not None and gap.gap is Gap.DIVISION and truth(part, binding, situation) is None
