"""What an operator or an observed step needs and does, as cost partitioning reads it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import lru_cache
from itertools import chain, islice
from typing import NamedTuple, TypeAlias

from validator.grounding.limits import checked
from validator.grounding.operators import Operator, Value
from validator.records import dataclass

__all__ = ["FREE", "Change", "Choice", "Map"]

FREE = -1
"""no value in particular"""

_MOST_MAPS = 2**14
"""of which it is remembered what they do"""

_CHUNK = 256
"""operators that are read together"""


class Map(NamedTuple):
    """What becomes of each value of a variable; FREE for those at which the operator does not apply."""

    behind: tuple[int, ...]

    @property
    def before(self) -> Sequence[int]:
        """Return the values at which it applies."""
        return _before(self.behind)

    @property
    def turns(self) -> bool:
        """Return whether it changes some value."""
        return _turns(self.behind)


@lru_cache(maxsize=_MOST_MAPS)
def _before(behind: tuple[int, ...]) -> Sequence[int]:
    return tuple(old for old, new in enumerate(behind) if new != FREE)


@lru_cache(maxsize=_MOST_MAPS)
def _turns(behind: tuple[int, ...]) -> bool:
    return any(new not in (FREE, old) for old, new in enumerate(behind))


Choice: TypeAlias = "Sequence[tuple[int, int | Map]]"
"""Variables, and what each must be: a value, or one of those at which a map applies."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """An operator: what it needs, what it sets, and what of that changes something.

    ``maps`` are of the variables of which it asks for, or to which it does, more than one value can tell.
    """

    number: int
    cost: int
    need: Mapping[int, int]
    sets: Mapping[int, int]
    gains: tuple[Value, ...]
    maps: Mapping[int, Map] = {}

    @property
    def turns(self) -> Sequence[tuple[int, Map]]:
        """Return the maps that change a value, and not only ask for some."""
        return [(variable, each) for variable, each in self.maps.items() if each.turns] if self.maps else ()

    @property
    def changed(self) -> Iterable[int]:
        """Return the variables whose value it may change."""
        return chain((variable for variable, _ in self.gains), (variable for variable, _ in self.turns))

    @property
    def touched(self) -> Iterable[int]:
        """Return the variables that it reads or sets."""
        return chain(self.need, self.sets, self.maps)

    @staticmethod
    def all(operators: Sequence[Operator], prices: Callable[[int], int], is_over: Callable[[], bool]) -> list[Change]:
        """Read operators without conditional effects, ``prices`` of what they cost; many of them at a time.

        Raises TimeoutError as soon as it is over.
        """
        found: list[Change] = []
        for start in checked(range(0, len(operators), _CHUNK), is_over):
            chunk = operators[start : start + _CHUNK]
            prevails = map(int, "".join([operator.prevail for operator in chunk]).split())
            effects = map(int, "".join([operator.effects for operator in chunk]).split())
            for number, operator in enumerate(chunk, start):
                need = {next(prevails): next(prevails) for _ in range(operator.prevails)}
                sets: dict[int, int] = {}
                gains = []
                for _, variable, before, value in zip(*[islice(effects, 4 * operator.effect_count)] * 4, strict=True):
                    sets[variable] = value
                    if before != FREE:
                        need[variable] = before
                    if before != value:
                        gains.append((variable, value))
                cost = prices(operator.cost)
                found.append(Change(number=number, cost=cost, need=need, sets=sets, gains=tuple(gains)))
        return found
