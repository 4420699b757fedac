"""Where a plan is cut into windows: around each fault, between the faults, and larger and larger ones.

Every change of a repair stands at one place. So the least changes that let a window through, from any state and to any
state, may be added up over windows that do not overlap, wherever the plan is cut; where only says how good the sum is.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise
from typing import TypeAlias

from validator.repair.regression.problem import Regression

__all__ = ["Bounds", "Window", "windows"]

Window: TypeAlias = tuple[int, int]
"""The places at which it begins and ends."""

_MARGINS = (6, 24, 96)
"""steps before and behind a fault"""


class Bounds:
    """What is proven of windows by now, and what that adds up to."""

    def __init__(self) -> None:
        self._proven: dict[Window, int] = {}

    def prove(self, window: Window, lower: int) -> None:
        self._proven[window] = max(lower, self._proven.get(window, 0))

    def up_to(self, start: int, end: int) -> Mapping[int, int]:
        """Return the cuts between two places, each with what is proven of the steps from the first one to it."""
        inside = [window for window in self._proven if start <= window[0] and window[1] <= end]
        found = {start: 0}
        for cut in sorted({start, end, *(place for window in inside for place in window)} - {start}):
            ending = (found[begin] + self._proven[begin, stop] for begin, stop in inside if stop == cut)
            found[cut] = max([*found.values(), *ending])
        return found


def windows(regression: Regression) -> list[Window]:
    """Return windows from small to large: faults, with more and more around, the whole, and several faults together.

    The whole stands before large windows, and behind all: what is around faults often says all that there is to say.
    """
    faults, length = _faults(regression), regression.length
    between = [(end + begin) // 2 for (_, end), (begin, _) in pairwise(faults)]
    cuts = sorted({0, *between, length})
    found = list(faults)
    for margin in _MARGINS:
        if 2 * margin < length:
            found += (_around(fault, cuts, margin) for fault in faults)
    found.append((0, length))
    size = 1
    while size < len(cuts) - 1:
        found += [(cuts[i], cuts[min(i + size, len(cuts) - 1)]) for i in range(0, len(cuts) - 1, size)]
        size *= 2
    return list(dict.fromkeys(found))


def _around(fault: Window, cuts: Sequence[int], margin: int) -> Window:
    """Return a fault with so many steps before and behind it, within the cuts around it."""
    start, end = fault
    before = max((cut for cut in cuts if cut <= start), default=start)
    behind = min((cut for cut in cuts if cut >= end), default=end)
    return max(start - margin, before), min(end + margin, behind)


def _faults(regression: Regression) -> list[Window]:
    """Return the shortest windows in which some step (or the goal) contradicts one before."""
    faults: list[Window] = []
    known = {variable: (value, 0) for variable, value in enumerate(regression.init)}
    for place in range(regression.length + 1):
        clash = _clash(regression, known, place)
        if clash is not None:
            faults.append((max(clash - 1, 0), min(place + 1, regression.length)))
            known = {}
        elif place < regression.length:
            first = regression.steps[place][0]
            known |= {variable: (value, place + 1) for variable, value in (*first.need.items(), *first.sets.items())}
    return faults


def _clash(regression: Regression, known: Mapping[int, tuple[int, int]], place: int) -> int | None:
    """Return the last place at which something became known that a step (or the goal) contradicts."""
    options: Iterable[Sequence[tuple[int, int]]]
    if place == regression.length:
        options = regression.targets
    else:
        options = [list(step.need.items()) for step in regression.steps[place]]
    clashes = []
    for option in options:
        wrong = [known[v][1] for v, x in option if v in known and known[v][0] != x]
        if not wrong:
            return None
        clashes.append(max(wrong))
    return max(clashes, default=None)
