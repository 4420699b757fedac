"""When the next start or end may be: a simple temporal network with nothing in it but what is still to come.

A beginning of a plan bounds all later times by how far the ends of what runs are from its last start or end, which is
``now``, and from each other. In a network that states every constraint that it implies, a node can be left out and no
other loses a time that it may have (Dechter, Meiri and Pearl 1991): so what has passed is left out.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from math import inf
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from validator.reading.plan import Step
from validator.records import dataclass

__all__ = ["Clock"]

_Lags: TypeAlias = npt.NDArray[np.float64]
"""How much later each node (column) is than each other one (row) at least, in units of a grid; minus infinity where
nothing says so. Whole numbers, that are exact as floats."""


@dataclass(frozen=True, slots=True, eq=False)
class Clock:
    """What is still to come (``waiting``), and how much later each node is than each other one; the first one is now.

    Nothing that waits comes before now. The end of a step, or the timed facts of one time, stand for themselves.
    """

    waiting: tuple[Step, ...]
    lags: _Lags

    @classmethod
    def at_start(cls) -> Clock:
        return cls((), np.zeros((1, 1)))

    @property
    def key(self) -> Hashable:
        """Return what two clocks have in common that stand alike."""
        return self.waiting, self.lags.tobytes()

    def passed(self, gap: int) -> Clock | None:
        """Return the clock after something at least so much later than now; None where something cannot wait."""
        lags = _with_all_after(self.lags, 0, gap)
        if lags is None:
            return None
        lags[1:, 0] += gap
        lags[0, 1:] = lags[1:, 1:].max(axis=0, initial=-inf)
        return Clock(self.waiting, lags)

    def reached(self, what: Step, gap: int) -> Clock | None:
        """Return the clock when what waits has come, at least so much later than now; None where it cannot be next."""
        if what not in self.waiting:
            return None
        place = self.waiting.index(what) + 1
        lags = _with_later(self.lags, 0, place, gap)
        lags = None if lags is None else _with_all_after(lags, place, 0)
        if lags is None:
            return None
        left = [place, *range(1, place), *range(place + 1, len(lags))]
        return Clock((*self.waiting[: place - 1], *self.waiting[place:]), lags[np.ix_(left, left)])

    def waits_for(self, what: Step, least: int, greatest: int | None) -> Clock:
        """Return the clock with something that comes between two lags from now."""
        size = len(self.lags)
        lags = np.zeros((size + 1, size + 1))
        lags[:size, :size] = self.lags
        lags[:size, size] = self.lags[:, 0] + least
        lags[size, :size] = self.lags[0] - (inf if greatest is None else greatest)
        return Clock((*self.waiting, what), lags)

    def ordered(self, early: int, late: int) -> Clock | None:
        """Return the clock where one of two places that wait is not after the other; None where it must be."""
        lags = _with_later(self.lags, early + 1, late + 1, 0)
        return None if lags is None else Clock(self.waiting, lags)

    def greatest(self) -> Iterator[tuple[Step, float]]:
        """Yield what waits, with how much later than now it may come."""
        return zip(self.waiting, (-self.lags[1:, 0]).tolist(), strict=True)


def _with_later(lags: _Lags, early: int, late: int, gap: int) -> _Lags | None:
    """State that a node is so much later than another, and all that this implies; return None where it cannot be."""
    if lags[early, late] >= gap:
        return lags
    if lags[late, early] + gap > 0:
        return None
    found: _Lags = np.maximum(lags, lags[:, early, None] + (lags[late] + gap))
    return found


def _with_all_after(lags: _Lags, early: int, gap: int) -> _Lags | None:
    """State that all that waits is so much later than a node, and all that this implies; None where it cannot be."""
    later = np.maximum(lags[early], lags[1:].max(axis=0, initial=-inf) + gap)
    if later[early] > 0:
        return None
    found: _Lags = np.maximum(lags, lags[:, early, None] + later)
    return found
