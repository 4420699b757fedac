"""Who has the processors while there is no plan yet: the searches for any plan, or those of this program."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from math import inf

from validator.grounding.limits import Limits
from validator.grounding.processes.turns import Turns
from validator.repair.search.standing import Standing
from validator.repair.search.sweep.joined import Joined

__all__ = ["Sharing"]

_TO_ANSWER = 0.25
"""of the time that is left, after which searches for any plan have all processors where there is none: on variables
joined each layer of the searches of this program takes many times the one before, and what is not proven yet is late"""

_TO_TELL, _CROWDED = 0.5, 0.6
"""Seconds by the clock after which the searches of this program can tell how crowded the machine is, and their CPU
seconds in each of these where it is."""

_LOOK = 0.02
"""seconds of rest before they look again whether to rest"""


class Sharing:
    """What both sides of a race ask: a search for any plan when its turn is, those of this program whether to rest."""

    def __init__(self, standing: Standing) -> None:
        """Prepare it for the searches of a race."""
        self.turns = Turns(self._places)
        """of the searches for any plan"""
        self._standing = standing
        self._is_looking = self._is_own_running = self._is_own_free = False
        self._began, self._rested, self._due = inf, 0.0, inf

    @property
    def is_answer_wanted(self) -> bool:
        """Return whether any plan would do for now."""
        standing = self._standing
        return standing.best is None and standing.with_goal and not standing.is_done()

    @contextmanager
    def looking(self) -> Iterator[None]:
        """Have any plan looked for within."""
        self._is_looking = True
        try:
            yield
        finally:
            self._is_looking = False

    @contextmanager
    def own(self, limits: Limits) -> Iterator[None]:
        """Have the searches of this program run within, which ask ``rest`` now and then."""
        self._is_own_running = True
        self._began = time.monotonic()
        self._due = self._began + _TO_ANSWER * limits.seconds
        try:
            yield
        finally:
            self._is_own_running = False

    def rest(self, spent: float, limits: Limits) -> None:
        """Return when the searches of this program may go on, which had so many CPU seconds."""
        began = time.monotonic()
        had = began - self._began - self._rested
        is_crowded = had > _TO_TELL and spent < _CROWDED * had
        while self._does_answer_come_first(is_crowded=is_crowded) and limits.seconds > 0:
            self._is_own_free = not is_crowded
            time.sleep(_LOOK)
        self._rested += time.monotonic() - began
        self._is_own_free = False

    def _does_answer_come_first(self, *, is_crowded: bool) -> bool:
        if not self._is_looking or not self.is_answer_wanted:
            return False
        return is_crowded or (time.monotonic() > self._due and Joined.suits(self._standing.edit_task))

    def _places(self) -> int:
        """Return how many searches for any plan run at once; on a crowded machine others have the rest."""
        return max(1, len(os.sched_getaffinity(0)) - (self._is_own_running and not self._is_own_free))
