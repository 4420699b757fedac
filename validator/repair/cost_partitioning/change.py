"""What an operator or an observed step needs and does, as cost partitioning reads it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from itertools import chain
from typing import TypeAlias

from validator.records import dataclass

__all__ = ["FREE", "Change", "Choice", "Map"]

FREE = -1
"""no value in particular"""


@dataclass(frozen=True)
class Map:
    """What becomes of each value of a variable; FREE for those at which the operator does not apply."""

    behind: tuple[int, ...]

    @cached_property
    def before(self) -> Sequence[int]:
        """Return the values at which it applies."""
        return tuple(old for old, new in enumerate(self.behind) if new != FREE)

    @cached_property
    def turns(self) -> bool:
        """Return whether it changes some value."""
        return any(new not in (FREE, old) for old, new in enumerate(self.behind))


Choice: TypeAlias = "Sequence[tuple[int, int | Map]]"
"""Variables, and what each must be: a value, or one of those at which a map applies."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """An operator: what it needs, and what it sets that it does not need already.

    ``maps`` are of the variables of which it asks for, or to which it does, more than one value can tell.
    """

    number: int
    cost: int
    need: Mapping[int, int]
    sets: Mapping[int, int]
    maps: Mapping[int, Map] = {}

    @classmethod
    def of(
        cls, number: int, cost: int, need: Mapping[int, int], sets: Mapping[int, int], maps: Mapping[int, Map]
    ) -> Change:
        """Return an operator; what it sets may be what it needs."""
        changing = {variable: value for variable, value in sets.items() if need.get(variable) != value}
        return cls(number=number, cost=cost, need=need, sets=changing, maps=maps)

    @property
    def turns(self) -> Sequence[tuple[int, Map]]:
        """Return the maps that change a value, and not only ask for some."""
        return [(variable, each) for variable, each in self.maps.items() if each.turns] if self.maps else ()

    @property
    def changed(self) -> Iterable[int]:
        """Return the variables whose value it may change."""
        return chain(self.sets, (variable for variable, _ in self.turns))

    @property
    def touched(self) -> Iterable[int]:
        """Return the variables that it reads or sets."""
        return chain(self.need, self.sets, self.maps)
