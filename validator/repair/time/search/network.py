"""Simple temporal networks (Dechter, Meiri and Pearl 1991) over whole numbers: earliest times, and what fits in.

A constraint ``(u, v, w)`` says that ``v`` is at least ``w`` later than ``u``. ``ORIGIN`` is at time 0, so that
``(v, ORIGIN, -w)`` says that ``v`` is at ``w`` at the latest.
"""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Iterable, Mapping
from typing import TypeAlias

from validator.execution.time.acts.happening import Part

__all__ = ["ORIGIN", "Constraint", "Key", "Network"]

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
