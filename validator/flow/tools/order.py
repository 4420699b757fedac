"""The order of calls: which use which, few moves that put them in order, and how many calls change at least."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from graphlib import CycleError, TopologicalSorter
from heapq import heappop, heappush
from itertools import pairwise

from validator.flow.tools.calls import Labels, ToolCall, target
from validator.flow.tools.faults import Fault, Wrong, faults
from validator.flow.tools.schema import ANY
from validator.flow.tools.specifications import Tool

_OWN = (Wrong.TOOL, Wrong.EXTRA, Wrong.BROKEN, Wrong.UNDECLARED, Wrong.MISSING, Wrong.VALUE, Wrong.WHOLE)
"""faults that only a change of the call itself mends"""

_OF_TWO = (Wrong.LATER, Wrong.TWICE, Wrong.OUTPUT)
"""faults that a change of one of two calls mends"""


def fewest_changes(given: Sequence[ToolCall], tools: Mapping[str, Tool], goals: Collection[str]) -> int:
    """Return how many calls change at least.

    A call with a fault of its own changes; of two calls that stand in the wrong order, have one label, or of which one
    lacks the field that the other wants, one does. A change of a call may give it a label that is missing, and
    another value for one that it misses itself.
    """
    found, labels = list(faults(given, tools)), Labels(given)
    touched = {each.call for each in found if each.wrong in _OWN}
    least, missing, free = len(touched), set[str](), {*range(len(given))}
    for each in found:
        reference = each.reference
        other = target(reference, each.call, labels, tools) if reference is not None else None
        if each.wrong is Wrong.TWICE:
            other = labels.places[given[each.call].label][0]
        if each.wrong in _OF_TWO and other is not None and touched.isdisjoint((each.call, other)):
            touched |= {each.call, other}
            least += 1
        if each.wrong is Wrong.LABEL and reference is not None and reference.label not in missing:
            own = {one.call for one in found if one.reference and one.reference.label == reference.label}
            if own <= free:
                free -= own
                missing.add(reference.label)
    uncalled = sum(all(call.name != goal for call in given) for goal in goals)
    return max(least, (len(missing) + 1) // 2, uncalled, min(len(found), 1))


def needs_of(calls: Sequence[ToolCall], tools: Mapping[str, Tool]) -> list[set[int]]:
    """Return for each call the places of those whose results it uses, or that have to come before it."""
    labels = Labels(calls)
    places = {call.place: place for place, call in enumerate(calls) if call.place is not None}
    found = [{places[each] for each in call.after if each in places} for call in calls]
    for place, own in enumerate(found):
        meant = (target(each, place, labels, tools) for _, each in labels.in_call(place))
        own.update(each for each in meant if each is not None)
    return found


def circular(calls: Sequence[ToolCall], tools: Mapping[str, Tool]) -> Iterator[Fault]:
    """Yield the references that close a circle, as faults."""
    try:
        TopologicalSorter(dict(enumerate(needs_of(calls, tools)))).prepare()
    except CycleError as error:
        circle = {*error.args[1]}
    else:
        return
    labels = Labels(calls)
    for place in sorted(circle):
        for name, each in labels.in_call(place):
            if target(each, place, labels, tools) in circle:
                tool = tools.get(calls[place].name)
                wanted = tool.inputs[name].schema if tool is not None and name in tool.inputs else ANY
                yield Fault(call=place, wrong=Wrong.LATER, detail="", argument=name, reference=each, wanted=wanted)


def in_order(
    calls: Sequence[ToolCall], given: Sequence[ToolCall], tools: Mapping[str, Tool]
) -> tuple[tuple[ToolCall, ...], frozenset[int]]:
    """Return the calls in an order that runs, and the places in the given list of those that moved.

    Few move: first those that are changed in any case.
    """
    needs = needs_of(calls, tools)
    behind = _behind(needs, [place for place, call in enumerate(calls) if call.place is not None])
    changed = {at for at, call in enumerate(calls) if call.place is None or call != given[call.place]}
    moved = {place for place, others in behind.items() if others and place in changed}
    moved |= {each for others in behind.values() for each in others if each in changed}
    while pairs := [(one, each) for one, others in behind.items() for each in others if not {one, each} & moved]:
        moved.add(Counter(end for pair in pairs for end in pair).most_common(1)[0][0])
    kept = [place for place, call in enumerate(calls) if call.place is not None and place not in moved]
    order = _linear(needs, kept, [call.position for call in calls])
    origins = (calls[each].place for each in moved)
    return tuple(calls[place] for place in order), frozenset(each for each in origins if each is not None)


def _behind(needs: Sequence[set[int]], given: Sequence[int]) -> dict[int, set[int]]:
    """Return for each given call the later ones of the list that it needs, also through others."""
    reach: dict[int, int] = {}  # a bit for each call: of thousands of calls, sets would be too large
    for node in TopologicalSorter(dict(enumerate(needs))).static_order():
        reach[node] = 0
        for each in needs[node]:
            reach[node] |= reach[each] | (1 << each)
    return {node: {each for each in given if each > node and reach[node] >> each & 1} for node in given}


def _linear(needs: Sequence[set[int]], kept: Sequence[int], places: Sequence[float]) -> list[int]:
    """Return all calls in an order that has each after those it needs, and the kept ones as they stand."""
    before = [set(each) for each in needs]
    for one, other in pairwise(kept):
        before[other].add(one)
    sorter = TopologicalSorter(dict(enumerate(before)))
    sorter.prepare()
    ready: list[tuple[float, int]] = []
    found: list[int] = []
    while sorter.is_active():
        for node in sorter.get_ready():
            heappush(ready, (places[node], node))
        found.append(heappop(ready)[1])
        sorter.done(found[-1])
    return found
