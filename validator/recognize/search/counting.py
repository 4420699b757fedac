"""Lower bounds of costs by linear programs that count operators, with the observations among their constraints.

How often each operator is used is a variable. What is produced of each value, less what is consumed, must lead from the
initial state to the goal (van den Briel et al. 2007, Bonet 2013); each landmark needs one that achieves it first; and
each observation is explained by one use of an operator that it can mean, or paid for (Santos, Meneguzzi, Pereira and
Pereira 2021, whose observations that are filtered out have here a price as in every other search). All constraints hold
for every plan (Pommerening, Roeger, Helmert and Bonet 2014), so that the least value is a lower bound.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction
from functools import cached_property
from math import ceil

import numpy as np
from scipy.optimize import Bounds, LinearConstraint, milp
from scipy.sparse import csr_array

from validator.grounding.operators import Value
from validator.recognize.search.compile import Compiler
from validator.recognize.search.grounded import Ways
from validator.recognize.search.landmarks import Landmarks, bits
from validator.records import dataclass, field

__all__ = ["Counting"]

_SLACK = 1e-4
"""What the optimum of a linear program may be wrong by before it is rounded up."""
_MOST_WAYS = 8
"""Ways to reach a goal for which a program each is solved."""


@dataclass(slots=True)
class _Rows:
    """Constraints ``least <= row`` of a program, an entry at a time."""

    least: list[float] = field(default_factory=list)
    most: list[float] = field(default_factory=list)
    rows: list[int] = field(default_factory=list)
    columns: list[int] = field(default_factory=list)
    values: list[float] = field(default_factory=list)

    def add(self, entries: Iterable[tuple[int, float]], least: float, most: float = np.inf) -> None:
        for column, value in entries:
            self.rows.append(len(self.least))
            self.columns.append(column)
            self.values.append(value)
        self.least.append(least)
        self.most.append(most)

    def constraint(self, width: int) -> LinearConstraint:
        shape = (len(self.least), width)
        return LinearConstraint(csr_array((self.values, (self.rows, self.columns)), shape=shape), self.least, self.most)


@dataclass(frozen=True, kw_only=True)
class Counting:
    """Programs for one set of observations; costs are integers in units of ``1 / compiler.unit``."""

    compiler: Compiler
    landmarks: Landmarks

    def base(self, goal: Ways, seconds: float) -> Fraction | None:
        """Return a lower bound of the cost of a goal, as if nothing was observed; None where none was found."""
        return self._bound(goal, seconds, explains=False)

    def explaining(self, goal: Ways, seconds: float) -> Fraction | None:
        """Return a lower bound of the cost of a plan and of what it leaves unexplained."""
        return self._bound(goal, seconds, explains=True)

    def _bound(self, goal: Ways, seconds: float, *, explains: bool) -> Fraction | None:
        if not 0 < len(goal) <= _MOST_WAYS:
            return None
        found = [self._least(way, seconds / len(goal), explains=explains) for way in goal]
        known = [value for value in found if value is not None]
        return Fraction(min(known), self.compiler.unit) if len(known) == len(found) else None

    def _least(self, way: Sequence[Value], seconds: float, *, explains: bool) -> int | None:
        """Return the optimum for one conjunction, rounded up to a cost that a plan can have."""
        wanted, costs = frozenset(way), self._costs
        rows = _Rows()
        for value, entries in self._flows.items():
            rows.add(entries, (value in wanted) - self._is_initial(value))
        for entries in self._landmark_rows(way):
            rows.add(entries, 1.0)
        if explains:
            costs = [*costs, *self._explain(rows)]
        if not costs:
            return None
        found = milp(
            costs,
            constraints=rows.constraint(len(costs)),
            bounds=Bounds(0, np.inf),
            options={"time_limit": max(seconds, 0.01)},
        )
        if found.status != 0:
            return None
        least = float(found.fun)
        return max(0, ceil(least - _SLACK - 1e-7 * abs(least)))

    # --- what every program has ---------------------------------------------------------------------

    @cached_property
    def _columns(self) -> dict[int, int]:
        return {number: at for at, number in enumerate(self.compiler.grounded.operators)}

    @cached_property
    def _costs(self) -> list[float]:
        return [float(self.compiler.cost(number, explained=False)) for number in self._columns]

    def _is_initial(self, value: Value) -> bool:
        return self.compiler.grounded.task.init[value[0]] == value[1]

    @cached_property
    def _flows(self) -> dict[Value, list[tuple[int, float]]]:
        """Return for each value what produces it at most, and consumes it at least."""
        found: dict[Value, dict[int, float]] = {}
        for number, column in self._columns.items():
            for effect in self.compiler.grounded.effects[number]:
                if effect.before == effect.after:
                    continue
                found.setdefault((effect.variable, effect.after), {})[column] = 1.0
                if effect.before is not None and not effect.conditions:
                    found.setdefault((effect.variable, effect.before), {}).setdefault(column, -1.0)
        return {value: list(entries.items()) for value, entries in found.items()}

    @cached_property
    def _values(self) -> dict[int, Value]:
        return {bit: value for value, bit in self.landmarks.bits.items()}

    @cached_property
    def _first(self) -> dict[Value, list[tuple[int, float]]]:
        """Return for each value the operators that can achieve it first: they do not need it to have held before."""
        found: dict[Value, set[int]] = {}
        for number, column in self._columns.items():
            needed = self.landmarks.needed(number)
            if needed is None:
                continue
            for effect in self.compiler.grounded.effects[number]:
                value = (effect.variable, effect.after)
                if not needed & self.landmarks.bits.get(value, 0):
                    found.setdefault(value, set()).add(column)
        return {value: [(column, 1.0) for column in columns] for value, columns in found.items()}

    def _landmark_rows(self, way: Sequence[Value]) -> Iterator[list[tuple[int, float]]]:
        """Yield for each landmark of a conjunction what can achieve it first."""
        yield from self._achievers(self.landmarks.of_goal((tuple(way),)) or 0)

    def _achievers(self, landmarks: int) -> Iterator[list[tuple[int, float]]]:
        for bit in bits(landmarks & ~self.landmarks.initial):
            if self._values[bit] in self._first:  # no operator's, if an axiom derives it
                yield self._first[self._values[bit]]

    # --- observations ------------------------------------------------------------------------------

    def _explain(self, rows: _Rows) -> list[float]:
        """Add the constraints of the observations, and return the costs of the variables that they bring with them."""
        grounded, unit = self.compiler.grounded, self.compiler.unit
        costs: list[float] = []
        uses: dict[int, list[int]] = {}
        for one in self.compiler.observed.seen:
            paid: list[tuple[int, float]] = []
            if one.price is not None:
                paid = [(len(self._costs) + len(costs), 1.0)]
                costs.append(float(one.price * unit))
            meant = [number for step in one.steps for number in grounded.by_step[step]]
            entries = []
            for number in meant:
                column = len(self._costs) + len(costs)
                costs.append(
                    float(self.compiler.cost(number, explained=True) - self.compiler.cost(number, explained=False))
                )
                uses.setdefault(self._columns[number], []).append(column)
                entries.append((column, 1.0))
            if meant:
                rows.add((*entries, *paid), 1.0, 1.0)
            for achievers in self._achievers(self.landmarks.seen_by(one)):
                rows.add((*achievers, *paid), 1.0)
        for column, explained in uses.items():
            rows.add(((column, 1.0), *((other, -1.0) for other in explained)), 0.0)
        return costs
