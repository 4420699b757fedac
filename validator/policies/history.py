"""The calls of a run that were made so far, by name and by time.

A history is extended call by call. Histories that go on from one another share what they have in common, so that a
long run costs no copies, and each of them is a value: equal where the same calls were made in the same order.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from enum import StrEnum

from validator.policies.events import Event
from validator.reading.values import canonical

__all__ = ["NO_HISTORY", "History", "Occurrence", "Phase"]


class Phase(StrEnum):
    """What of a call stands in a history: the call, or its request and its response where both are looked at."""

    CALL = "call"
    REQUEST = "request"
    RESPONSE = "response"


@dataclass(frozen=True, slots=True)
class Occurrence:
    """A call in a history, as what a condition sees of it."""

    event: Event
    phase: Phase = Phase.CALL
    _values: dict[str, object] = field(default_factory=dict, compare=False, repr=False)

    def value(self, path: str) -> object:
        """Return what ``Event.value`` does, which is asked again and again."""
        if path not in self._values:
            self._values[path] = self.event.value(path)
        return self._values[path]

    @property
    def key(self) -> tuple[object, ...]:
        """Return what tells it from others: name, arguments, whether it failed, and when it was made."""
        event = self.event
        values = canonical(dict(event.values)), repr(event.placed), event.is_known
        return event.key, values, event.failed, event.time, self.phase


@dataclass(slots=True)
class _Log:
    """Calls in order, which histories share; each sees the first of them."""

    calls: list[Occurrence] = field(default_factory=list)
    times: list[int] = field(default_factory=list)
    places: dict[str, list[int]] = field(default_factory=dict)
    in_order: int = 0
    """how many calls at the beginning have known times, none before the one in front of it"""

    def append(self, occurrence: Occurrence) -> None:
        time = occurrence.event.time
        if self.in_order == len(self.calls) and time is not None and (not self.times or self.times[-1] <= time):
            self.in_order += 1
        self.places.setdefault(occurrence.event.name, []).append(len(self.calls))
        self.calls.append(occurrence)
        self.times.append(-1 if time is None else time)


class History:
    """The first calls of a log."""

    __slots__ = ("_hash", "_log", "size")

    def __init__(self, log: _Log | None = None, size: int = 0, hashed: int = 0) -> None:
        self._log, self.size, self._hash = _Log() if log is None else log, size, hashed

    def __len__(self) -> int:
        return self.size

    def __getitem__(self, place: int) -> Occurrence:
        return self._log.calls[place]

    def __iter__(self) -> Iterator[Occurrence]:
        return iter(self._log.calls[: self.size])

    def __hash__(self) -> int:
        return self._hash

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, History):
            return NotImplemented
        if self._log is other._log:
            return self.size == other.size
        if self.size != other.size or self._hash != other._hash:
            return False
        return all(one.key == another.key for one, another in zip(self, other, strict=True))

    def extended(self, *occurrences: Occurrence) -> History:
        """Return the history behind further calls."""
        log = self._log
        if not self.size or len(log.calls) != self.size:  # another history may go on from here
            log = _Log()
            for each in self:
                log.append(each)
        hashed = self._hash
        for each in occurrences:
            log.append(each)
            hashed = hash((hashed, each.key))
        return History(log, self.size + len(occurrences), hashed)

    def is_in_order(self) -> bool:
        """Return whether the time of each call is known, and none is before the one in front of it."""
        return self._log.in_order >= self.size

    def first_from(self, time: int) -> int:
        """Return the first place whose time is not before a time; the history must be in order."""
        return bisect_left(self._log.times, time, 0, self.size)

    def places_of(self, is_meant: Callable[[str], bool], start: int, end: int) -> list[int]:
        """Return the places from ``start`` to ``end``, without it, of calls with some names, the last first."""
        found: list[int] = []
        for name, places in list(self._log.places.items()):  # which another thread may extend
            if is_meant(name):
                found += places[bisect_left(places, start) : bisect_left(places, min(end, self.size))]
        return sorted(found, reverse=True)


NO_HISTORY = History()
