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
        changed: list[Key] = []
        for early, late, least in constraints:
            self.times.setdefault(early, 0)
            self.times.setdefault(late, 0)
            known = self._later[early].get(late)
            if known is None or known < least:
                self._later[early][late] = least
                changed.append(early)
        return self._propagate(changed)

    def fits(self, constraints: Iterable[Constraint]) -> bool:
        """Return whether further constraints can be met as well."""
        return self.copy().add(constraints)

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

    def _propagate(self, changed: Iterable[Key]) -> bool:
        waiting = deque(dict.fromkeys(changed))
        queued = set(waiting)
        rounds: dict[Key, int] = defaultdict(int)
        while waiting:
            early = waiting.popleft()
            queued.discard(early)
            rounds[early] += 1
            if rounds[early] > len(self.times):
                return False  # only a circle raises a time more often than there are nodes, and it would do so for ever
            for late, least in self._later[early].items():
                if self.times[early] + least > self.times[late]:
                    self.times[late] = self.times[early] + least
                    if late == ORIGIN:
                        return False
                    if late not in queued:
                        queued.add(late)
                        waiting.append(late)
        return True
