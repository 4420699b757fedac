"""The nearest lists of calls that run: A* over edits, each of which mends one fault that is there.

Some edit of any list that runs mends a given fault, so that it is enough to branch over the edits for one fault at a
time. What is left then is order, for which the fewest moves are known (``order``), or a reference to an earlier call
instead. The bound is admissible: faults that no single edit mends together cost a change each. The cost that is found
first is the least, up to the limits, in which case nothing is called proven.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from heapq import heappop, heappush
from itertools import count, pairwise
from math import inf
from time import monotonic

from validator.alarms import OutOfTime
from validator.execution.trace import Kind
from validator.flow.tools.calls import Labels, State, ToolCall, target
from validator.flow.tools.faults import Fault, Wrong, faults
from validator.flow.tools.references import within
from validator.flow.tools.repair.catalogue import CHANGE, is_said
from validator.flow.tools.repair.edits import MOST_CALLS, Edits
from validator.flow.tools.repair.order import conflicts, cycle, fewest_moves, kept_sets, linear
from validator.flow.tools.specifications import Tool
from validator.records import dataclass, field, replace

__all__ = ["Found", "State", "nearest_lists"]

_MOST_STATES = 20_000
_MOST_ANSWERS = 100
_SHARE = 0.8
"""of the time until the deadline; the rest is for a list that is found in haste"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """The nearest lists, the likeliest first; ``is_proven`` says that none is nearer, ``is_all`` that these are all."""

    lists: tuple[State, ...]
    is_proven: bool
    is_all: bool


def nearest_lists(
    calls: tuple[ToolCall, ...], tools: Mapping[str, Tool], goals: Collection[str], deadline: float
) -> Found:
    """Return the nearest lists of calls that run and call the tools that are goals."""
    return _Search(tools, calls, goals, deadline).run()


@dataclass
class _Search:
    tools: Mapping[str, Tool]
    given: tuple[ToolCall, ...]
    goals: Collection[str]
    deadline: float
    queue: list[tuple[int, int, float, int, State]] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.edits = Edits(self.tools, {call.label for call in self.given})
        self.numbers = count()
        self.states = 0
        self.reached = 0
        """what all lists cost at least that are not found yet, but for those that were left out"""
        self.left_out = inf
        """what those cost at least"""
        is_at_fault = next(faults(self.given, self.tools), None) is not None
        self.least = max(self._bound(State(calls=self.given)), CHANGE * is_at_fault)
        self.stop = monotonic() + _SHARE * (self.deadline - monotonic())

    # --- the search ----------------------------------------------------------------------------

    def run(self) -> Found:
        lists: dict[str, State] = {}
        try:
            return self._run(lists)
        except OutOfTime:  # in what does not look at the clock
            if not lists:
                raise
            return self._found(lists, is_all=False)

    def _run(self, lists: dict[str, State]) -> Found:
        """Search; ``lists`` has what is found, all of the least cost."""
        self._push(State(calls=self.given))
        while self.queue:
            bound, _, _, _, state = heappop(self.queue)
            self.reached = bound
            best = next(iter(lists.values()), None)
            if best is not None and (bound > best.cost or len(lists) >= _MOST_ANSWERS):
                return self._found(lists, is_all=min(bound, self.left_out) > best.cost)
            if self._is_over():
                return self._found(lists, is_all=False) if lists else self._unproven(state)
            if state.moved is None:
                self._expand(state)
                continue
            for ordered in self._ordered(state):
                lists.setdefault(_text(ordered.calls), ordered)
        return self._found(lists, is_all=True)

    def _is_over(self) -> bool:
        self.states += 1
        return self.states > _MOST_STATES or monotonic() > self.stop

    def _expand(self, state: State) -> None:
        following = self._next(state)
        for each in following or ():
            self._push(each)
        if following is None:
            self._settle(state)

    def _next(self, state: State) -> Iterator[State] | None:
        """Return the states that mend one fault of a state, or decide what is open; None where only the order is."""
        found = list(faults(state.calls, self.tools, order=False))
        called = {call.name for call in state.calls}
        uncalled = [goal for goal in self.goals if goal not in called]
        if found:
            return self._mended(state, min(found, key=_rank), found, uncalled)
        if uncalled:
            return iter((self._with_goal(state, uncalled[0]),))
        opened = ((place, name) for place, call in enumerate(state.calls) for name in call.open)
        first = next(opened, None)
        return None if first is None else self.edits.opened(state, *first)

    def _mended(self, state: State, fault: Fault, found: Sequence[Fault], uncalled: Sequence[str]) -> Iterator[State]:
        """Yield the states that correct a fault, also by a result of a tool that must still be called."""
        yield from self.edits.of(state, fault, found)
        for goal in uncalled if fault.wrong in _OF_VALUES else ():
            beside = self._with_goal(state, goal)
            label = beside.calls[-1].label
            for each in self.edits.of(beside, fault, list(faults(beside.calls, self.tools, order=False))):
                value = each.calls[fault.call].arguments.get(fault.argument)
                if any(reference.label == label for reference in within(value, {label})):
                    yield each

    def _with_goal(self, state: State, goal: str) -> State:
        return state.inserted(self.tools[goal], self.edits.fresh(state), len(self.given), CHANGE)

    def _settle(self, state: State) -> None:
        """Pay for the moves that a state needs, or change references to later calls."""
        needs = self._needs(state.calls)
        circle = cycle(needs)
        if circle is not None:
            late = self._within(state, circle)
        else:
            moves = fewest_moves(_conflicts(state.calls, needs))
            self._push(replace(state, cost=state.cost + moves * CHANGE, moved=frozenset()))
            found = faults(state.calls, self.tools) if moves > 1 else ()
            late = (each for each in found if each.wrong is Wrong.LATER)
        for fault in late:
            for each in self.edits.other_call(state, fault):
                self._push(each)

    def _within(self, state: State, circle: Sequence[int]) -> Iterator[Fault]:
        """Yield the references that close a circle, as faults."""
        labels = Labels(state.calls)
        for place in circle:
            for name, each in labels.in_call(place):
                if target(each, place, labels, self.tools) in circle:
                    yield Fault(
                        call=place,
                        wrong=Wrong.LATER,
                        kind=Kind.WRONG_ARGUMENT,
                        detail="",
                        argument=name,
                        reference=each,
                        wanted=self.tools[state.calls[place].name].inputs[name].schema,
                    )

    def _push(self, state: State) -> None:
        is_late = bool(self.queue) and monotonic() > self.stop
        if is_late:
            self.left_out = min(self.left_out, self.reached)
        if is_late or (state.moved is None and self._is_circular(state)):
            return
        left = self._bound(state) if state.moved is None else 0
        heappush(self.queue, (state.cost + left, left, state.doubt, next(self.numbers), state))

    def _is_circular(self, state: State) -> bool:
        """Return whether a new call needs itself: its arguments were chosen so, and there are other choices."""
        if all(call.place is not None for call in state.calls):
            return False
        circle = cycle(self._needs(state.calls))
        return circle is not None and any(state.calls[place].place is None for place in circle)

    def _bound(self, state: State) -> int:
        """Return what the faults of a state cost at least."""
        found = list(faults(state.calls, self.tools, order=False))
        goals = len(set(self.goals).difference(call.name for call in state.calls))
        is_growing = goals > 0 or any(map(_may_add, found))
        return CHANGE * _fewest(found, goals) + self.edits.open_bound(state, is_growing)

    # --- answers -------------------------------------------------------------------------------

    def _needs(self, calls: Sequence[ToolCall]) -> list[set[int]]:
        """Return for each call the places of those whose results it uses, or that have to come before it."""
        labels = Labels(calls)
        places = {call.place: place for place, call in enumerate(calls) if call.place is not None}
        found = [{places[each] for each in call.after if each in places} for call in calls]
        for place, own in enumerate(found):
            meant = (target(each, place, labels, self.tools) for _, each in labels.in_call(place))
            own.update(each for each in meant if each is not None)
        return found

    def _ordered(self, state: State) -> Iterator[State]:
        """Yield the lists that a state is with the fewest calls moved."""
        calls = state.calls
        needs = self._needs(calls)
        places = [call.slot - 0.5 if call.place is None else call.place for call in calls]
        found = []
        for moved in kept_sets(_conflicts(calls, needs), _MOST_ANSWERS):
            kept = [place for place, call in enumerate(calls) if call.place is not None and place not in moved]
            order = linear(needs, kept, places, [call.label for call in calls])
            inversions = sum(1 for one, other in pairwise(order) if places[one] > places[other])
            found.append((inversions, order, moved))
        for number, (_, order, moved) in enumerate(sorted(found, key=lambda each: each[0])):
            origins = frozenset(place for each in moved if (place := calls[each].place) is not None)
            ordered = tuple(calls[each] for each in order)
            yield State(calls=ordered, cost=state.cost, moved=origins, doubt=state.doubt + 0.01 * number)

    def _found(self, lists: Mapping[str, State], *, is_all: bool) -> Found:
        """Return the lists of the least cost, the likeliest first."""
        found = sorted(lists.values(), key=lambda each: each.doubt)
        is_cut = len(self.given) > MOST_CALLS and any(each.cost > self.least for each in found)
        return Found(lists=tuple(found), is_proven=bool(found) and not is_cut, is_all=is_all and not is_cut)

    def _unproven(self, state: State) -> Found:
        """Return a list that is found in haste when a limit is met: from the state that was reached, or the first."""
        lists = ({_text(each.calls): each for each in self._hasty(one)} for one in (state, State(calls=self.given)))
        found: dict[str, State] = next(filter(None, lists), {})
        is_least = any(each.cost <= min(self.reached, self.left_out) for each in found.values())
        return Found(lists=tuple(found.values()), is_proven=is_least, is_all=False)

    def _hasty(self, state: State) -> Iterator[State]:
        """Yield the lists to which the cheapest next edit leads each time; none from which it leads in circles."""
        for _ in range(10 * len(state.calls) + 100):
            following = self._next(state)
            if following is None:
                needs = self._needs(state.calls)
                if cycle(needs) is None:
                    moves = fewest_moves(_conflicts(state.calls, needs))
                    yield from self._ordered(replace(state, cost=state.cost + CHANGE * moves))
                return
            states = list(following)
            if not states or monotonic() > self.deadline:
                return
            state = min(states, key=lambda each: (each.cost, each.doubt))


_ORDER = (
    *(Wrong.TOOL, Wrong.EXTRA, Wrong.BROKEN, Wrong.TWICE, Wrong.LABEL, Wrong.UNDECLARED, Wrong.MISSING),
    *(Wrong.VALUE, Wrong.OUTPUT, Wrong.LATER, Wrong.WHOLE),
)
"""which faults are mended first: those on which others depend"""

_OF_VALUES = (Wrong.LABEL, Wrong.MISSING, Wrong.VALUE, Wrong.OUTPUT, Wrong.LATER)
"""which faults a result of another call may mend"""


def _rank(fault: Fault) -> tuple[int, bool, int]:
    """Return which fault comes first; of references to one label one with a field, by which its tool is known."""
    has_field = fault.reference is not None and bool(fault.reference.path)
    return _ORDER.index(fault.wrong), not has_field, fault.call


def _may_add(fault: Fault) -> bool:
    """Return whether a new call may mend a fault, so that arguments that are open may get its results."""
    return fault.wrong in (Wrong.LABEL, Wrong.LATER, Wrong.TOOL) or not is_said(fault.argument)


def _fewest(found: Sequence[Fault], goals: int) -> int:
    """Return how many edits faults need at least: an edit mends faults of one argument, one label or one tool."""
    places = {wrong: {(each.call, each.argument) for each in found if each.wrong is wrong} for wrong in Wrong}
    undeclared, labelled = places[Wrong.UNDECLARED], places[Wrong.LABEL]
    labels = {
        each.reference.label
        for each in found
        if each.wrong is Wrong.LABEL and each.reference and (each.call, each.argument) not in undeclared
    }
    named = max(goals, len(places[Wrong.TOOL]) + max(len(labels), len(places[Wrong.TWICE])))
    local = places[Wrong.VALUE] | places[Wrong.OUTPUT] | places[Wrong.BROKEN] | places[Wrong.LATER]
    undeclared_in, missing_in = (
        Counter(call for call, _ in places[each]) for each in (Wrong.UNDECLARED, Wrong.MISSING)
    )
    shapes = (undeclared_in | missing_in).total()  # a new name for the one may give the other
    return named + len(local - labelled - undeclared) + shapes + len(places[Wrong.EXTRA])


def _conflicts(calls: Sequence[ToolCall], needs: Sequence[set[int]]) -> dict[int, set[int]]:
    return conflicts(needs, [place for place, call in enumerate(calls) if call.place is not None])


def _text(calls: Sequence[ToolCall]) -> str:
    return json.dumps([(call.name, dict(call.arguments), call.label) for call in calls], sort_keys=True, default=str)
