"""Lower bounds for the modified problem, from each variable by itself.

For every variable, place of the plan and value: the least cost of the steps before the place after which the variable
can have the value, when all other variables are forgotten (atomic projections; Edelkamp 2001 for pattern databases).
The backward search adds them up over windows; see ``regression``.
"""

from __future__ import annotations

import heapq
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence, Set
from functools import cached_property
from math import inf
from typing import NamedTuple

from validator.grounding.limits import checked
from validator.records import dataclass
from validator.repair.cost_partitioning.change import FREE, Change

__all__ = ["Profile", "Projections", "Row"]

_MANY = 32
"""values by themselves from which on it is looked whether most of them cost the same"""


class Row(NamedTuple):
    """The least cost after which a variable can have each value: those by themselves, and that of all others.

    Of a thousand parcels that a robot may carry all but one or two cost the same at a place.
    """

    others: float
    known: Mapping[int, float]

    def at(self, value: int) -> float:
        return self.known.get(value, self.others)

    @property
    def least(self) -> float:
        """Return the least cost of all; there is a value that is not known by itself."""
        return min(self.others, *self.known.values()) if self.known else self.others

    @property
    def most(self) -> float:
        """Return the highest cost of all."""
        return max(self.others, *self.known.values()) if self.known else self.others

    def raised(self, offset: float) -> Row:
        if not offset:
            return self
        return Row(self.others + offset, {value: cost + offset for value, cost in self.known.items()})

    @classmethod
    def of(cls, others: float, known: Mapping[int, float], size: int) -> Row:
        """Return costs with as few values by themselves as may be."""
        if len(known) == size:
            others = max(known.values())
        elif len(known) > _MANY and 2 * len(known) > size:
            usual, times = Counter(known.values()).most_common(1)[0]
            if times > size - len(known):
                known = {value: known.get(value, others) for value in range(size)}
                others = usual
        return cls(others, {value: cost for value, cost in known.items() if cost != others})

    @classmethod
    def highest(cls, rows: Sequence[Row]) -> Row:
        """Return of each value the highest cost; without any, nothing costs anything."""
        if len(rows) < 2:
            return rows[0] if rows else cls(0.0, {})
        values = {value for row in rows for value in row.known}
        return cls(max(row.others for row in rows), {value: max(row.at(value) for row in rows) for value in values})


@dataclass(frozen=True, kw_only=True)
class Projections:
    """The modified problem, variable by variable.

    ``steps`` are the variants of each token that can be kept, ``sizes`` the numbers of values of the variables.
    The values of ``forgotten`` variables cost nothing.
    """

    sizes: Sequence[int]
    init: Sequence[int]
    changes: Sequence[Change]
    steps: Sequence[Sequence[Change]]
    skip: int
    is_over: Callable[[], bool] = lambda: False
    forgotten: Set[int] = frozenset()

    @cached_property
    def _changing(self) -> list[Mapping[int, Mapping[int, int]]]:
        """Return for each variable the least cost of changing it from a value (or from any, -1) to another one."""
        found: list[dict[int, dict[int, int]]] = [{} for _ in self.sizes]
        for change in self.changes:
            for variable, value in change.gains:
                ways = found[variable].setdefault(change.need.get(variable, FREE), {})
                ways[value] = min(ways.get(value, change.cost), change.cost)
        return [dict(ways) for ways in found]

    @cached_property
    def _ways(self) -> list[Mapping[int, _Ways]]:
        """Return the same for each value with what most others cost from there, and those that cost another."""
        return [
            {value: _Ways.of(prices, size) for value, prices in ways.items()}
            for ways, size in zip(self._changing, self.sizes, strict=True)
        ]

    @cached_property
    def _cheapest(self) -> list[float]:
        """Return for each variable the least cost of changing it."""
        return [min((price for way in ways.values() for price in way.values()), default=inf) for ways in self._changing]

    def _close(self, variable: int, costs: Sequence[float], lowered: Iterable[int]) -> Row:
        """Return the costs of a variable's values after any insertions.

        Only the ``lowered`` values can make others cheaper: the others did so before.
        """
        best = list(costs)
        ways = self._changing[variable]
        heap = [(best[value], value) for value in lowered]
        heap.append((min(best), FREE))
        heapq.heapify(heap)
        while heap:
            cost, value = heapq.heappop(heap)
            if value != FREE and cost > best[value]:
                continue
            for target, price in ways.get(value, {}).items():
                if cost + price < best[target]:
                    best[target] = cost + price
                    heapq.heappush(heap, (cost + price, target))
        usual = Counter(best).most_common(1)[0][0]
        return Row(usual, {value: cost for value, cost in enumerate(best) if cost != usual})

    def _lowered(self, variable: int, row: Row, target: int, cost: float) -> Row:
        """Return the same as ``_close``, where one value got cheaper, without a look at each of the others."""
        ways, size = self._ways[variable], self.sizes[variable]
        others, known = row.others, {**row.known, target: cost}
        heap = sorted(((cost, target), (min(row.least, cost), FREE)))
        while heap:
            cost, value = heapq.heappop(heap)
            if value not in ways or (value != FREE and cost > known.get(value, others)):
                continue
            usual, known_prices = ways[value]
            cheaper = {v: cost + price for v, price in known_prices.items() if cost + price < known.get(v, others)}
            through = cost + usual
            if through < inf:
                cheaper |= {v: through for v, c in known.items() if through < c and v not in known_prices}
            if through < others:
                known = {**dict.fromkeys(known_prices, others), **known}
                others = through
            known |= cheaper
            for v, c in cheaper.items():
                heapq.heappush(heap, (c, v))
        if others < row.others and max(known.values()) > others + self._cheapest[variable]:
            every = range(size)  # one of the others may make it cheaper
            return self._close(variable, [known.get(value, others) for value in every], every)
        return Row.of(others, known, size)

    def _passed(self, variable: int, row: Row, steps: Sequence[Change]) -> Row:
        """Return the costs of a variable's values behind a step."""
        skipped = row.raised(self.skip)
        targets = [step.sets.get(variable, step.need.get(variable)) for step in steps]
        sources = [row.at(step.need[variable]) if variable in step.need else row.least for step in steps]
        if len(steps) == 1 and (target := targets[0]) is not None:
            is_lower = sources[0] < skipped.at(target)
            return self._lowered(variable, skipped, target, sources[0]) if is_lower else skipped
        size = self.sizes[variable]
        best = [skipped.at(value) for value in range(size)]
        for target, source in zip(targets, sources, strict=True):
            if target is None:
                best = [min(cost, row.at(value)) for value, cost in enumerate(best)]
            else:
                best[target] = min(best[target], source)
        return self._close(variable, best, range(size))

    def profile(self, start: int, end: int) -> Profile:
        """Return the costs of each variable's values at the places of a window; any state is accepted before it.

        Before the whole plan only the initial state is. Raises TimeoutError as soon as it is over.
        """
        rows = [Row(0.0, {})] * len(self.sizes) if start else list(map(self._first, range(len(self.sizes))))
        found = Profile(start=start, end=end, first=list(rows), least=[0.0], changed=[{}])
        for place in checked(range(start, end), self.is_over):
            steps = self.steps[place]
            touched = {variable for step in steps for variable in (*step.sets, *step.need)} - self.forgotten
            changed = {variable: self._passed(variable, rows[variable], steps) for variable in touched}
            for variable, row in changed.items():
                rows[variable] = row
            found.changed.append(changed)
            found.least.append(max([found.least[-1], *(row.least for row in changed.values())]))
        return found

    def _first(self, variable: int) -> Row:
        """Return the costs of a variable's values before the plan."""
        if variable in self.forgotten:
            return Row(0.0, {})
        init = self.init[variable]
        costs = [0.0 if value == init else inf for value in range(self.sizes[variable])]
        return self._close(variable, costs, (init,))


class _Ways(NamedTuple):
    """What it costs to change a variable from a value: to most values, and to those that cost another, or never."""

    usual: float
    known: Mapping[int, float]

    @classmethod
    def of(cls, prices: Mapping[int, int], size: int) -> _Ways:
        if 2 * len(prices) <= size:
            return cls(inf, dict(prices))
        usual = Counter(prices.values()).most_common(1)[0][0]
        every = ((other, prices.get(other, inf)) for other in range(size))
        return cls(usual, {other: price for other, price in every if price != usual})


@dataclass(frozen=True, slots=True, kw_only=True)
class Profile:
    """The costs of each variable's values at each place of a window, and the least that any state there costs.

    ``first`` are those at its beginning, ``changed`` those that may differ from the place before.
    """

    start: int
    end: int
    first: Sequence[Row]
    least: list[float]
    changed: list[Mapping[int, Row]]
