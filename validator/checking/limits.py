"""The limits that a check has by default, and by how much they may be overrun."""

from __future__ import annotations

import time

__all__ = ["DEFAULT_MEMORY_LIMIT", "DEFAULT_TIME_LIMIT", "LEAST", "left_until", "with_patience"]

DEFAULT_TIME_LIMIT = 30.0
DEFAULT_MEMORY_LIMIT = 4 * 2**30

LEAST = 0.5
"""Seconds that executing a plan has in any case, and by which every limit may be overrun"""

_SHARE = 0.1
"""of a limit by which it may be overrun, where that is more"""

_ENDED = 0.8
"""of that, by when all is ended: the rest is for telling what is known"""

_BEGINNING = 2.0
"""Seconds that reading and executing have at the least: a busy machine may take them to begin at all."""

_LITTLE = 0.01
"""Seconds that are left where none are, so that what is asked then says itself that the limit was met"""


def with_patience(seconds: float) -> float:
    """Return the seconds after which what has so many of them is ended, whatever it does."""
    return max(seconds + _ENDED * max(_SHARE * seconds, LEAST), _BEGINNING)


def left_until(latest: float) -> float:
    """Return the seconds until a time of ``time.monotonic``, or a little where it is over."""
    return max(latest - time.monotonic(), _LITTLE)
