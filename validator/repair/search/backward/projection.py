"""Lower bounds for the modified problem, from each variable by itself.

For every variable, place of the plan and value: the least cost of the steps before the place after which the variable
can have the value, when all other variables are forgotten (atomic projections; Edelkamp 2001 for pattern databases).
The backward search adds them up over windows; see ``regression``.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from math import inf
from typing import TypeAlias, TypeVar

from validator.grounding.operators import Operator, Value
from validator.records import dataclass

__all__ = ["FREE", "Change", "Profile", "Projections", "checked"]

FREE = -1
"""no value in particular"""

_PULSE = 64
"""Items after which is asked whether it is over."""

_Row: TypeAlias = tuple[float, ...]
"""For each value of a variable the least cost after which it can have it, and 0 for no value, which is -1."""


_Item = TypeVar("_Item")


def checked(items: Iterable[_Item], is_over: Callable[[], bool]) -> Iterator[_Item]:
    """Yield items until it is over, which raises TimeoutError: what takes long asks as it goes."""
    for index, item in enumerate(items):
        if index % _PULSE == 0 and is_over():
            raise TimeoutError
        yield item


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """An operator as the search reads it: what it needs, what it sets, and what of that changes something."""

    number: int
    cost: int
    need: Mapping[int, int]
    sets: Mapping[int, int]
    gains: tuple[Value, ...]

    @classmethod
    def of(cls, number: int, operator: Operator, cost: int) -> Change:
        need, sets = operator.needed, operator.effect
        gains = tuple(value for value in sets.items() if need.get(value[0]) != value[1])
        return cls(number=number, cost=cost, need=need, sets=sets, gains=gains)


@dataclass(frozen=True, kw_only=True)
class Projections:
    """The modified problem, variable by variable.

    ``steps`` are the variants of each token that can be kept, ``sizes`` the numbers of values of the variables.
    """

    sizes: Sequence[int]
    init: Sequence[int]
    changes: Sequence[Change]
    steps: Sequence[Sequence[Change]]
    skip: int
    is_over: Callable[[], bool] = lambda: False

    @cached_property
    def _closed(self) -> dict[tuple[int, _Row], _Row]:
        return {}

    @cached_property
    def _changing(self) -> list[Mapping[int, Mapping[int, int]]]:
        """Return for each variable the least cost of changing it from a value (or from any, -1) to another one."""
        found: list[dict[int, dict[int, int]]] = [{} for _ in self.sizes]
        for change in self.changes:
            for variable, value in change.gains:
                ways = found[variable].setdefault(change.need.get(variable, FREE), {})
                ways[value] = min(ways.get(value, change.cost), change.cost)
        return [dict(ways) for ways in found]

    def _close(self, variable: int, costs: Sequence[float], lowered: Sequence[int]) -> _Row:
        """Return the costs of a variable's values after any insertions.

        Only the ``lowered`` values can make others cheaper: the others did so before.
        """
        key = (variable, tuple(costs))
        if key not in self._closed:
            best = list(costs)
            ways = self._changing[variable]
            least = min(best)
            heap = [(best[value], value) for value in lowered]
            for value, price in ways.get(FREE, {}).items():
                if least + price < best[value]:
                    best[value] = least + price
                    heap.append((best[value], value))
            heapq.heapify(heap)
            while heap:
                cost, value = heapq.heappop(heap)
                if cost > best[value]:
                    continue
                for target, price in ways.get(value, {}).items():
                    if cost + price < best[target]:
                        best[target] = cost + price
                        heapq.heappush(heap, (cost + price, target))
            self._closed[key] = (*best, 0.0)
        return self._closed[key]

    def _passed(self, variable: int, row: _Row, steps: Sequence[Change]) -> _Row:
        """Return the costs of a variable's values behind a step."""
        before = row[:-1]
        best = [cost + self.skip for cost in before]
        lowered = []
        for step in steps:
            need, sets = step.need.get(variable), step.sets.get(variable)
            target = need if sets is None else sets
            if target is None:
                best, lowered = list(map(min, best, before)), list(range(len(best)))
            else:
                best[target] = min(best[target], min(before) if need is None else before[need])
                lowered.append(target)
        return self._close(variable, best, lowered)

    def profile(self, start: int, end: int) -> Profile:
        """Return the costs of each variable's values at the places of a window; any state is accepted before it.

        Before the whole plan only the initial state is. Raises TimeoutError as soon as it is over.
        """
        init = self.init
        rows = [
            self._close(v, [0.0 if start or value == init[v] else inf for value in range(size)], (init[v],))
            for v, size in enumerate(self.sizes)
        ]
        table, least, changed = [rows], [0.0], [frozenset[int]()]
        for place in checked(range(start, end), self.is_over):
            touched = {variable for step in self.steps[place] for variable in (*step.sets, *step.need)}
            rows = list(rows)
            for variable in touched:
                rows[variable] = self._passed(variable, rows[variable], self.steps[place])
            table.append(rows)
            changed.append(frozenset(touched))
            least.append(max([least[-1], *(min(rows[variable][:-1]) for variable in touched)]))
        return Profile(start=start, end=end, table=table, least=least, changed=changed)


@dataclass(frozen=True, slots=True, kw_only=True)
class Profile:
    """The costs of each variable's values at each place of a window, and the least that any state there costs.

    ``changed`` are the variables whose costs may differ from those at the place before.
    """

    start: int
    end: int
    table: Sequence[Sequence[_Row]]
    least: Sequence[float]
    changed: Sequence[frozenset[int]]
