"""Operators that are alike for every variable by itself, in classes: what bounds say of one they say of all.

Bounds of single variables see of an operator what it changes and which values it changes; what else it asks for, of
variables that it leaves alone, they do not. So operators that differ only in that have one price in all of them (exact
label reduction, Sievers, Wehrle and Helmert 2014): some thousand classes in place of sixty thousand operators.

Of a class, an operator that asks for all that another one asks for is never inserted: the other one could be instead.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TypeAlias

from validator.grounding.limits import checked
from validator.records import dataclass, replace
from validator.repair.cost_partitioning.change import FREE, Change, Map

__all__ = ["Classes"]

_Asks: TypeAlias = frozenset[tuple[int, int | Map]]
"""The values that an operator asks for, of each variable one or what is made of each."""

_MOST_COMPARISONS = 1_000_000
"""of what operators ask for, some tenths of a second's; what is not compared is kept"""


@dataclass(frozen=True, kw_only=True)
class Classes:
    """The operators worth inserting, class by class; ``classes`` has one of each class, with the class's number."""

    operators: Sequence[Change]
    lengths: Sequence[int]
    classes: Sequence[Change]

    @classmethod
    def of(cls, changes: Iterable[Change], is_over: Callable[[], bool]) -> Classes:
        """Sort operators into classes. Raises TimeoutError as soon as it is over."""
        found: dict[object, list[Change]] = {}
        for change in checked(changes, is_over):
            turns = change.turns
            if change.gains or turns:
                gains = tuple(sorted((v, change.need.get(v, FREE), value) for v, value in change.gains))
                found.setdefault((change.cost, gains, tuple(sorted(turns))), []).append(change)
        left = _MOST_COMPARISONS
        members = []
        for alike in checked(found.values(), is_over):
            needed, compared = _needed(alike, left)
            members.append(needed)
            left -= compared
        return cls(
            operators=[change for alike in members for change in alike],
            lengths=[len(alike) for alike in members],
            classes=[replace(alike[0], number=number) for number, alike in enumerate(members)],
        )


def _needed(alike: Sequence[Change], most: int) -> tuple[Sequence[Change], int]:
    """Return the operators of a class that ask for less than others or for something else, and how many were compared.

    At most about so many are; those of one length ask for different values, or for the same.
    """
    if len(alike) == 1:
        return alike, 0
    by_length: dict[int, dict[_Asks, Change]] = {}
    for change in alike:
        asks: _Asks = frozenset((*change.need.items(), *change.maps.items()))
        by_length.setdefault(len(asks), {}).setdefault(asks, change)
    kept: dict[_Asks, Change] = {}
    compared = 0
    for _, same in sorted(by_length.items()):
        if kept and compared + len(kept) * len(same) <= most:
            compared += len(kept) * len(same)
            same = {asks: change for asks, change in same.items() if not any(asks > less for less in kept)}
        kept |= same
    return list(kept.values()), compared
