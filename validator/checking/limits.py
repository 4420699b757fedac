"""The limits that a check has by default, and by how much they may be overrun."""

from __future__ import annotations

import time

__all__ = ["DEFAULT_MEMORY_LIMIT", "DEFAULT_TIME_LIMIT", "left_until", "until_told", "with_patience"]

DEFAULT_TIME_LIMIT = 30.0
DEFAULT_MEMORY_LIMIT = 4 * 2**30

_LEAST = 0.5
"""seconds by which every limit may be overrun"""

_SHARE = 0.1
"""of a limit by which it may be overrun, where that is more"""

_ENDED, _TOLD = 0.6, 0.8
"""of that, by when all is ended, and by when what is known is told: the rest is for what rings late, and for the end"""

_LITTLE = 0.01
"""Seconds that are left where none are, so that what is asked then says itself that the limit was met"""


def with_patience(seconds: float) -> float:
    """Return the seconds after which what has so many of them is ended, whatever it does."""
    return seconds + _ENDED * _overrun(seconds)


def until_told(seconds: float) -> float:
    """Return the seconds after which a program that has so many of them has told what is known, or is ended."""
    return seconds + _TOLD * _overrun(seconds)


def _overrun(seconds: float) -> float:
    return max(_SHARE * seconds, _LEAST)


def left_until(latest: float) -> float:
    """Return the seconds until a time of ``time.monotonic``, or a little where it is over."""
    return max(latest - time.monotonic(), _LITTLE)
