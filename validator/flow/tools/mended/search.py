"""The search for the nearest lists of calls that run: A* over edits, each of which mends one fault that is there.

Some edit of any list that runs mends a given fault, so that it is enough to branch over the ways for one fault at a
time. What is left then is order, for which the fewest moves are known (``order``), or a reference to an earlier call
instead. The bound is admissible: faults that no single edit mends together cost a change each. The cost that is found
first is the least, up to the limits, in which case nothing is called proven.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator, Mapping, Sequence
from heapq import heappop, heappush
from itertools import count, pairwise
from math import inf
from time import monotonic

from validator.execution.trace import Kind
from validator.flow.tools.declared.names import is_said
from validator.flow.tools.declared.specifications import Tool
from validator.flow.tools.listed.calls import ToolCall
from validator.flow.tools.listed.faults import Fault, Wrong, faults
from validator.flow.tools.listed.labels import Labels, target
from validator.flow.tools.listed.references import references, texts, within
from validator.flow.tools.mended.catalogue import Catalogue
from validator.flow.tools.mended.edits import CHANGE, Edited, State, added
from validator.flow.tools.mended.new_calls import MOST_CALLS
from validator.flow.tools.mended.order import conflicts, cycle, fewest_moves, kept_sets, linear
from validator.flow.tools.mended.ways import Ways
from validator.records import dataclass, field, replace
from validator.resources import OutOfTime

__all__ = ["Found", "Mended", "nearest_lists"]

_MOST_STATES = 20_000
_MOST_ANSWERS = 100
_SHARE = 0.8
"""of the time until the deadline; the rest is for a list that is found in haste"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Mended:
    """A list of calls that runs. ``moved`` are the places in the list that was given of those that moved."""

    calls: tuple[ToolCall, ...]
    cost: int
    moved: frozenset[int]
    doubt: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """The nearest lists, the likeliest first; ``is_proven`` says that none is nearer, ``is_all`` that these are all."""

    lists: tuple[Mended, ...]
    is_proven: bool
    is_all: bool


@dataclass(frozen=True, slots=True)
class _Node:
    """A state; ``is_ordered`` says that nothing but the order is left, the moves of which are paid for."""

    state: State
    is_ordered: bool = False


@dataclass
class _Search:
    tools: Mapping[str, Tool]
    given: tuple[ToolCall, ...]
    goals: Collection[str]
    deadline: float
    queue: list[tuple[int, int, float, int, _Node]] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.ways = Ways(Catalogue(self.tools), {call.label for call in self.given})
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
        lists: dict[str, Mended] = {}
        try:
            return self._run(lists)
        except OutOfTime:  # in what does not look at the clock
            if not lists:
                raise
            return self._found(lists, is_all=False)

    def _run(self, lists: dict[str, Mended]) -> Found:
        """Search; ``lists`` has what is found, all of the least cost."""
        self._push(State(calls=self.given))
        while self.queue:
            bound, _, _, _, node = heappop(self.queue)
            self.reached = bound
            best = next(iter(lists.values()), None)
            if best is not None and (bound > best.cost or len(lists) >= _MOST_ANSWERS):
                return self._found(lists, is_all=min(bound, self.left_out) > best.cost)
            if self._is_over():
                return self._found(lists, is_all=False) if lists else self._unproven(node)
            if node.is_ordered:
                for mended in self._ordered(node.state):
                    lists.setdefault(_text(mended.calls), mended)
            else:
                self._expand(node.state)
        return self._found(lists, is_all=True)

    def _is_over(self) -> bool:
        self.states += 1
        return self.states > _MOST_STATES or monotonic() > self.stop

    def _expand(self, state: State) -> None:
        for edited in self._next(state):
            self._push(_after(state, edited))
        if self._is_mended(state):
            self._settle(state)

    def _next(self, state: State) -> Iterator[Edited]:
        """Yield the edits for one fault of a state, or for what is not decided in it."""
        found = list(faults(state.calls, self.tools, order=False))
        first = min(found, key=_rank, default=None)
        uncalled = [goal for goal in self.goals if all(call.name != goal for call in state.calls)]
        if first is not None:
            yield from self.ways.of(state, first, found)
            for goal in uncalled if first.wrong in _OF_VALUES else ():
                yield from self._by_result(state, first, goal)
            return
        if uncalled:
            yield Edited(calls=self._with_goal(state, uncalled[0], self.ways.fresh(state)), cost=CHANGE)
            return
        opened = next(((place, name) for place, call in enumerate(state.calls) for name in call.open), None)
        if opened is not None:
            yield from self.ways.opened(state, *opened)

    def _with_goal(self, state: State, goal: str, label: str) -> tuple[ToolCall, ...]:
        needed = {name: each.required for name, each in self.tools[goal].inputs.items()}
        return added(state.calls, goal, label, len(self.given), needed)

    def _by_result(self, state: State, fault: Fault, goal: str) -> Iterator[Edited]:
        """Yield the edits that mend a fault by a result of a tool that is to be called, and call it."""
        label = self.ways.fresh(state)
        beside = replace(state, calls=self._with_goal(state, goal, label))
        for edited in self.ways.of(beside, fault, list(faults(beside.calls, self.tools, order=False))):
            value = edited.calls[fault.call].arguments.get(fault.argument)
            if any(each.label == label for each in within(value, {label})):
                yield replace(edited, cost=CHANGE + edited.cost)

    def _is_mended(self, state: State) -> bool:
        called = {call.name for call in state.calls}
        is_open = any(call.open for call in state.calls) or not called.issuperset(self.goals)
        return not is_open and next(faults(state.calls, self.tools, order=False), None) is None

    def _settle(self, state: State) -> None:
        """Pay for the moves that a state needs, or change references to later calls."""
        needs = self.needs(state.calls)
        circle = cycle(needs)
        moves = 0
        if circle is None:
            moves = fewest_moves(_conflicts(state.calls, needs))
            self._push(replace(state, cost=state.cost + moves * CHANGE), is_ordered=True)
        if circle is not None or moves > 1:
            late = [each for each in faults(state.calls, self.tools) if each.wrong is Wrong.LATER]
            for each in late if circle is None else self._within(state, circle):
                for edited in self.ways.other_call(state, each):
                    self._push(_after(state, edited))

    def _within(self, state: State, circle: Sequence[int]) -> Iterator[Fault]:
        """Yield the references that close a circle, as faults."""
        labels = Labels(state.calls)
        for place in circle:
            call = state.calls[place]
            for name, value in call.arguments.items():
                for text in texts(value):
                    for each in references(text, labels):
                        if target(each, place, labels, self.tools) in circle:
                            schema = self.tools[call.name].inputs[name].schema
                            yield Fault(
                                call=place,
                                wrong=Wrong.LATER,
                                kind=Kind.WRONG_ARGUMENT,
                                detail="",
                                argument=name,
                                reference=each,
                                wanted=schema,
                            )

    def _push(self, state: State, *, is_ordered: bool = False) -> None:
        is_late = bool(self.queue) and monotonic() > self.stop
        if is_late:
            self.left_out = min(self.left_out, self.reached)
        if is_late or (not is_ordered and self._is_circular(state)):
            return
        left = 0 if is_ordered else self._bound(state)
        entry = (state.cost + left, left, state.doubt, next(self.numbers), _Node(state, is_ordered))
        heappush(self.queue, entry)  # of the states with one bound first one of which little is left

    def _is_circular(self, state: State) -> bool:
        """Return whether a new call needs itself: its arguments were chosen so, and there are other choices."""
        if all(call.place is not None for call in state.calls):
            return False
        circle = cycle(self.needs(state.calls))
        return circle is not None and any(state.calls[place].place is None for place in circle)

    def _bound(self, state: State) -> int:
        """Return what the faults of a state cost at least."""
        found = list(faults(state.calls, self.tools, order=False))
        called = {call.name for call in state.calls}
        goals = sum(goal not in called for goal in self.goals)
        return CHANGE * _fewest(found, goals) + self.ways.open_bound(state, goals > 0 or any(map(_may_add, found)))

    # --- answers -------------------------------------------------------------------------------

    def needs(self, calls: Sequence[ToolCall]) -> list[set[int]]:
        """Return for each call the places of those whose results it uses, or that have to come before it."""
        labels = Labels(calls)
        places = {call.place: place for place, call in enumerate(calls) if call.place is not None}
        found = [{places[each] for each in call.after if each in places} for call in calls]
        for place, call in enumerate(calls):
            for text in texts(dict(call.arguments)):
                for each in references(text, labels):
                    meant = target(each, place, labels, self.tools)
                    if meant is not None:
                        found[place].add(meant)
        return found

    def _ordered(self, state: State) -> Iterator[Mended]:
        """Yield the lists that a state is with the fewest calls moved."""
        calls = state.calls
        needs = self.needs(calls)
        pairs = _conflicts(calls, needs)
        places = [call.slot - 0.5 if call.place is None else call.place for call in calls]
        found = []
        for moved in kept_sets(pairs, _MOST_ANSWERS):
            kept = [place for place, call in enumerate(calls) if call.place is not None and place not in moved]
            order = linear(needs, kept, places, [call.label for call in calls])
            inversions = sum(1 for one, other in pairwise(order) if places[one] > places[other])
            found.append((inversions, order, moved))
        for number, (_, order, moved) in enumerate(sorted(found, key=lambda each: each[0])):
            origins = frozenset(place for each in moved if (place := calls[each].place) is not None)
            ordered = tuple(calls[each] for each in order)
            yield Mended(calls=ordered, cost=state.cost, moved=origins, doubt=state.doubt + 0.01 * number)

    def _found(self, lists: Mapping[str, Mended], *, is_all: bool) -> Found:
        """Return the lists of the least cost, the likeliest first."""
        found = sorted(lists.values(), key=lambda mended: mended.doubt)
        is_cut = len(self.given) > MOST_CALLS and any(each.cost > self.least for each in found)
        return Found(lists=tuple(found), is_proven=bool(found) and not is_cut, is_all=is_all and not is_cut)

    def _unproven(self, node: _Node) -> Found:
        """Return a list that is found in haste when a limit is met."""
        starts = (node.state, State(calls=self.given))  # from a state that was reached, or else from the beginning
        lists = ({_text(each.calls): each for each in self._hasty(start)} for start in starts)
        found: dict[str, Mended] = next(filter(None, lists), {})
        is_least = any(each.cost <= min(self.reached, self.left_out) for each in found.values())
        return Found(lists=tuple(found.values()), is_proven=is_least, is_all=False)

    def _hasty(self, state: State) -> Iterator[Mended]:
        """Yield the lists to which the cheapest next edit leads each time; none from which it leads in circles."""
        for _ in range(10 * len(state.calls) + 100):
            ways = list(self._next(state))
            if not ways or monotonic() > self.deadline:
                break
            state = min((_after(state, edited) for edited in ways), key=lambda each: (each.cost, each.doubt))
        needs = self.needs(state.calls)
        if self._is_mended(state) and cycle(needs) is None:
            moves = fewest_moves(_conflicts(state.calls, needs))
            yield from self._ordered(replace(state, cost=state.cost + CHANGE * moves))


def nearest_lists(
    calls: tuple[ToolCall, ...], tools: Mapping[str, Tool], goals: Collection[str], deadline: float
) -> Found:
    """Return the nearest lists of calls that run and call the tools that are goals."""
    return _Search(tools, calls, goals, deadline).run()


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
    kinds: dict[Wrong, set[object]] = {}
    undeclared = {(each.call, each.argument) for each in found if each.wrong is Wrong.UNDECLARED}
    for each in found:
        place = (each.call, each.argument)
        if each.wrong is Wrong.UNDECLARED or place not in undeclared:
            key = each.reference.label if each.wrong is Wrong.LABEL and each.reference is not None else place
            kinds.setdefault(each.wrong, set()).add(key)
    size = {wrong: len(keys) for wrong, keys in kinds.items()}
    labelled = {(each.call, each.argument) for each in found if each.wrong is Wrong.LABEL}
    named = max(goals, size.get(Wrong.TOOL, 0) + max(size.get(Wrong.LABEL, 0), size.get(Wrong.TWICE, 0)))
    local = {
        place
        for wrong in (Wrong.VALUE, Wrong.OUTPUT, Wrong.BROKEN, Wrong.LATER)
        for place in kinds.get(wrong, ())
        if place not in labelled
    }
    return named + len(local) + _shapes(found) + size.get(Wrong.EXTRA, 0)


def _shapes(found: Sequence[Fault]) -> int:
    """Return how many arguments at least have to be renamed, left out or given."""
    number: dict[int, list[int]] = {}
    for each in found:
        if each.wrong in (Wrong.UNDECLARED, Wrong.MISSING):
            number.setdefault(each.call, [0, 0])[each.wrong is Wrong.MISSING] += 1
    return sum(map(max, number.values()))


def _after(state: State, edited: Edited) -> State:
    return State(calls=edited.calls, cost=state.cost + edited.cost, doubt=state.doubt + edited.doubt)


def _conflicts(calls: Sequence[ToolCall], needs: Sequence[set[int]]) -> dict[int, set[int]]:
    given = [place for place, call in enumerate(calls) if call.place is not None]
    return dict(zip(given, conflicts(needs, given), strict=True))


def _text(calls: Sequence[ToolCall]) -> str:
    return json.dumps([(call.name, dict(call.arguments), call.label) for call in calls], sort_keys=True, default=str)
