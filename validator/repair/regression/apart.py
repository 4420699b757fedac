"""Goals that nothing observed brings about, and that are nobody else's business: each costs an insertion of its own.

A variable is *apart* where every operator that reads or sets it changes nothing else. What is inserted for it is of no
use to any other variable, and asks of the others what it asks with or without it. So what any repair inserts for such
variables may be added to what it changes at least when they are forgotten, as costs of independent parts of a task add
up (Katz and Domshlak 2010): images that nobody takes, in a plan with other faults. Only variables with a goal that no
observed step brings about are looked at: of all others it would be 0.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from math import inf

from validator.grounding.operators import Value
from validator.repair.cost_partitioning.change import Change

__all__ = ["Apart"]


class Apart:
    """The variables that are apart, and what it costs at least to bring about their values before a place."""

    def __init__(
        self,
        changes: Sequence[Change],
        steps: Sequence[Sequence[Change]],
        init: Sequence[int],
        goals: Iterable[Value],
    ) -> None:
        """Find them; ``steps`` are the variants of each observed step, ``goals`` what may be needed behind all."""
        supplied = set(enumerate(init))
        supplied.update(value for variants in steps for step in variants for value in step.sets.items())
        wanted = {variable for variable, value in goals if (variable, value) not in supplied}
        self.variables = frozenset(_apart(changes, wanted) if wanted else ())
        self.prices: Mapping[Value, int] = self._prices(changes)
        """what it costs at least to insert something that brings about a value"""
        self.first = self._first(steps, init)
        """the first place at which each value may hold with nothing inserted; none where it never does"""

    def _prices(self, changes: Sequence[Change]) -> Mapping[Value, int]:
        found: dict[Value, int] = {}
        if self.variables:
            for change in changes:
                for value in change.gains:
                    if value[0] in self.variables:
                        found[value] = min(change.cost, found.get(value, change.cost))
        return found

    def _first(self, steps: Sequence[Sequence[Change]], init: Sequence[int]) -> Mapping[Value, float]:
        found: dict[Value, float] = {(variable, init[variable]): 0 for variable in self.variables}
        for place, variants in enumerate(steps if self.variables else ()):
            for step in variants:
                for value in step.sets.items():
                    if value[0] in self.variables:
                        found.setdefault(value, place + 1)
        return found

    def costs(self) -> Iterable[tuple[Value, int, float]]:
        """Yield each value that costs something, with the last place before which it does."""
        for value, price in self.prices.items():
            last = self.first.get(value, inf) - 1
            if last >= 0:
                yield value, price, last


def _apart(changes: Sequence[Change], wanted: set[int]) -> set[int]:
    """Return those variables that no operator reads or sets which changes another one."""
    found = set(wanted)
    for change in changes:
        touched = [variable for variable in (*change.need, *change.sets) if variable in found]
        for variable in touched:
            if any(other != variable for other, _ in change.gains):
                found.discard(variable)
    return found
