"""Simple temporal networks (Dechter, Meiri and Pearl 1991) over the times of a grid: earliest times, and what fits in.

All times of a plan and a model are multiples of one power of ten, and so whole numbers.
A constraint ``(u, v, w)`` says that ``v`` is at least ``w`` later than ``u``. ``ORIGIN`` is at time 0, so that
``(v, ORIGIN, -w)`` says that ``v`` is at ``w`` at the latest.
"""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Iterable, Mapping
from fractions import Fraction
from math import ceil, floor
from typing import TypeAlias

from validator.execution.time.happening import Part
from validator.execution.time.parts import within
from validator.records import dataclass

Key: TypeAlias = tuple[int, Part]
"""The number of a subject, and which part of it."""

Constraint: TypeAlias = tuple[Key, Key, int]
ORIGIN: Key = (-(10**9), Part.FACT)


class Network:
    """A consistent set of constraints with the earliest times under them; no time is before the origin.

    ``times`` are the earliest ones under ``constraints``, where these are known already.
    """

    def __init__(self, times: Mapping[Key, int] | None = None, constraints: Iterable[Constraint] = ()) -> None:
        self.times: dict[Key, int] = dict(times or {ORIGIN: 0})
        self._later: dict[Key, dict[Key, int]] = defaultdict(dict)
        for early, late, least in constraints:
            self._later[early][late] = max(least, self._later[early].get(late, least))

    def copy(self) -> Network:
        found = Network(self.times)
        found._later = defaultdict(dict, {node: dict(later) for node, later in self._later.items()})
        return found

    def add(self, constraints: Iterable[Constraint]) -> bool:
        """Add constraints; return whether they can all be met. Where they cannot, the network is of no more use."""
        for early, late, least in constraints:
            self.times.setdefault(early, 0)
            self.times.setdefault(late, 0)
            known = self._later[early].get(late)
            if known is None or known < least:
                self._later[early][late] = least
                if self.times[early] + least > self.times[late] and not self._raised(early, late, least):
                    return False
        return True

    def _raised(self, early: Key, late: Key, least: int) -> bool:
        """Raise the times that a new constraint raises; return False where it closes a circle that would never end."""
        if late in (early, ORIGIN):
            return False
        self.times[late] = self.times[early] + least
        waiting = deque((late,))
        queued = {late}
        while waiting:
            node = waiting.popleft()
            queued.discard(node)
            for after, gap in self._later[node].items():
                if self.times[node] + gap > self.times[after]:
                    if after in (early, ORIGIN):  # each circle has the new constraint in it
                        return False
                    self.times[after] = self.times[node] + gap
                    if after not in queued:
                        queued.add(after)
                        waiting.append(after)
        return True

    def latest(self, node: Key) -> int | None:
        """Return the latest time of a node; None where there is none."""
        # The latest time of a node is the shortest way from the origin against the constraints.
        best: dict[Key, int] = {ORIGIN: 0}
        for _ in range(len(self.times)):
            changed = False
            for early, laters in self._later.items():
                for late, least in laters.items():
                    if late in best and best[late] - least < best.get(early, best[late] - least + 1):
                        best[early] = best[late] - least
                        changed = True
            if not changed:
                break
        return best.get(node)


# --- times as whole numbers -----------------------------------------------------------------------

_FEWEST, _MOST = 3, 6
"""Decimals of a grid."""
FINEST = 10**_MOST
"""units of a time of 1, at most"""


@dataclass(frozen=True, slots=True)
class Bounds:
    """What a duration may be: comparisons with values, all of which hold."""

    limits: tuple[tuple[str, Fraction], ...] = ()

    @property
    def least(self) -> Fraction:
        return max((Fraction(0), *(value for comparator, value in self.limits if comparator in (">=", ">", "="))))

    @property
    def greatest(self) -> Fraction | None:
        """Return the greatest duration; None means that there is none."""
        return min((value for comparator, value in self.limits if comparator in ("<=", "<", "=")), default=None)

    @property
    def open_ends(self) -> tuple[bool, bool]:
        """Return whether the least and the greatest duration are not to be met themselves."""
        return (">", self.least) in self.limits, ("<", self.greatest) in self.limits

    def are_on(self, scale: int) -> bool:
        """Return whether a duration between times of a grid can be had wherever any can: none is ruled out just there.

        Where all times that a plan must keep are those of a grid, and none is open, so is some plan that keeps them.
        """
        known = (self.least, self.greatest or Fraction(0))
        return not any(self.open_ends) and all(scale % each.denominator == 0 for each in known)

    def tolerate(self, duration: Fraction, epsilon: Fraction) -> bool:
        """Return whether a duration that a plan states is taken to keep the bounds."""
        return all(within(duration, comparator, value, epsilon) for comparator, value in self.limits)


@dataclass(frozen=True, slots=True)
class Grid:
    """``scale`` units are one unit of time; ``epsilon`` is the distance of parts that interfere.

    ``is_coarse`` says that not all times that are known are times of the grid.
    """

    scale: int
    epsilon: Fraction
    is_coarse: bool = False

    @classmethod
    def of(cls, times: Iterable[Fraction], epsilon: Fraction) -> Grid:
        """Return the coarsest grid of three decimals or more that has all times, as far as six decimals do."""
        known, decimals = (*times, epsilon), _FEWEST
        for time in known:
            while decimals < _MOST and (time * 10**decimals).denominator != 1:
                decimals += 1
        scale = 10**decimals
        return cls(scale, epsilon, any((time * scale).denominator != 1 for time in known))

    @property
    def is_exact(self) -> bool:
        """Return whether all times that are known are times of the grid, and parts that interfere as far apart."""
        return not self.is_coarse and self.apart == self.epsilon * self.scale

    @property
    def apart(self) -> int:
        """Return the units between parts that interfere, one at least."""
        return max(1, ceil(self.epsilon * self.scale))

    def units(self, time: Fraction) -> int:
        """Return the nearest time of the grid."""
        return round(time * self.scale)

    def time(self, units: int) -> Fraction:
        return Fraction(units, self.scale)

    def durations(self, bounds: Bounds, known: int | None) -> tuple[int, int | None] | None:
        """Return the least and the greatest duration within bounds; a known one that they tolerate is among them.

        Where no time of the grid is within the bounds, both are the nearest one if that is tolerated. None for none.
        """
        least, greatest = bounds.least * self.scale, None if bounds.greatest is None else bounds.greatest * self.scale
        is_open_below, is_open_above = bounds.open_ends
        low = max(1, floor(least) + 1 if is_open_below else ceil(least))
        high = None if greatest is None else ceil(greatest) - 1 if is_open_above else floor(greatest)
        if high is not None and high < low:
            low = high = max(1, round(least))
            if not greatest or not bounds.tolerate(self.time(low), self.epsilon):
                return None
        if known is not None and known > 0 and bounds.tolerate(self.time(known), self.epsilon):
            return min(low, known), None if high is None else max(high, known)
        return low, high

    def nearest(self, known: int | None, least: int, greatest: int | None) -> int:
        """Return the duration between two bounds that is nearest to a known one."""
        if known is None or known < least:
            return least
        return known if greatest is None else min(known, greatest)
