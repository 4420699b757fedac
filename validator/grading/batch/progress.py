"""One line on a terminal: how much is done, how fast, how long yet."""

from __future__ import annotations

import sys
import time
from typing import TextIO

__all__ = ["Progress", "duration"]

_EVERY = 0.2
_WIDTH = 24


class Progress:
    """Shows how many of ``total`` bytes of records are done; says nothing where the stream is no terminal.

    ``total`` None means that the end is not known.
    """

    def __init__(self, total: int | None, stream: TextIO | None = None) -> None:
        self._stream = sys.stderr if stream is None else stream
        self._shows = self._stream.isatty()
        self._total = total
        self._start = self._last = time.monotonic()
        self._skipped = 0
        self.records = self.size = 0

    def skip(self, size: int) -> None:
        """Count a record that was done by an earlier run: no part of the rate."""
        self._skipped += size

    def add(self, records: int, size: int) -> None:
        """Count records that are done."""
        self.records += records
        self.size += size
        now = time.monotonic()
        if self._shows and now - self._last >= _EVERY:
            self._last = now
            self._stream.write(f"\r{self.text(now - self._start)}\033[K")
            self._stream.flush()

    def text(self, seconds: float) -> str:
        """Return the line, given the seconds since the start."""
        rate = self.records / seconds if seconds > 0 else 0.0
        shown = f"{self.records:,} records, {rate:,.{0 if rate >= 10 else 1}f}/s"
        if not self._total:
            return shown
        done = min(1.0, (self.size + self._skipped) / self._total)
        left = (self._total - self._skipped - self.size) / self.size * seconds if self.size else None
        bar = "#" * round(done * _WIDTH)
        time_left = "" if left is None else f", {duration(left)} left"
        return f"[{bar:-<{_WIDTH}}] {done:4.0%}  {shown}{time_left}"

    def clear(self) -> None:
        """Take the line off the terminal."""
        if self._shows:
            self._stream.write("\r\033[K")
            self._stream.flush()


def duration(seconds: float) -> str:
    """Return seconds as ``1:02:03`` or ``2:03``."""
    whole = max(0, round(seconds))
    minutes, rest = divmod(whole, 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"
