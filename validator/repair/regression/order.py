"""The one order in which repairs are looked at that differ only in the order of steps that do not matter to each other.

Of two steps next to each other that commute, either order does the same. So every repair becomes one in which each
inserted step stands as late as it can, before something that it does not commute with, and inserted steps that commute
stand by their numbers: exchanging neighbours that stand otherwise ends, as inserted steps only move towards the end, or
come in order. (Compare Foata and lexicographic normal forms of traces, Diekert 1997; move pruning, Burch and Holte
2012.) What else is cut off depends on the step behind, which therefore belongs to a node.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TypeAlias

from validator.repair.cost_partitioning.change import Change

__all__ = ["ANY", "NONE", "Behind", "Order"]

Behind: TypeAlias = int
"""What stands behind a place: an inserted operator by its number, a kept one by its number below -2, or these."""

ANY, NONE = -1, -2
"""The end of a window, before which anything may be inserted; a skipped step, before which nothing is."""


class Order:
    """Tells which operators may be inserted before what stands behind."""

    def __init__(self, changes: Sequence[Change]) -> None:
        self._changes = changes
        self._known: dict[int, tuple[int, int]] = {}
        """the variables that an operator sets, and those that it reads or sets, as bits"""

    @staticmethod
    def kept(number: int) -> Behind:
        return -3 - number

    def allows(self, index: int, behind: Behind) -> bool:
        """Return whether an operator may be inserted there."""
        if behind in (ANY, NONE):
            return behind == ANY
        if 0 <= index <= behind:
            return True
        sets, reads = self._variables(index)
        other_sets, other_reads = self._variables(behind if behind >= 0 else -3 - behind)
        return bool(sets & other_reads or reads & other_sets)

    def _variables(self, number: int) -> tuple[int, int]:
        found = self._known.get(number)
        if found is None:
            change = self._changes[number]
            sets = _bits(change.sets)
            found = self._known[number] = sets, _bits(change.need) | sets
        return found


def _bits(variables: Iterable[int]) -> int:
    found = 0
    for variable in variables:
        found |= 1 << variable
    return found
