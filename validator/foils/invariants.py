"""Values that never hold at once, proven by a weighted sum of values that no step makes larger.

The weights come from a linear program: no operator may raise the sum, and it is to be larger wherever the values hold
than it is initially (potentials, Pommerening, Helmert, Roeger and Seipp 2015). What the program answers is a guess: it
is rounded to integers, and all inequalities are checked again exactly. "The free cells and the cards in cells are two
together" is such a sum, which neither mutexes of pairs nor what is reachable without deletes can tell.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property

import numpy as np
from scipy.optimize import linprog
from scipy.sparse import csr_array

from validator.grounding.operators import Value
from validator.grounding.task import Task
from validator.records import dataclass

_SCALES = (1, 2, 3, 4, 6, 12, 60)
"""by what weights are multiplied before they are rounded"""


@dataclass(frozen=True, kw_only=True)
class Invariants:
    """The sums of one task without axioms and conditional effects."""

    task: Task

    def exclude(self, values: Mapping[int, int], seconds: float) -> bool:
        """Return whether it is proven that no reachable state has all the values (variables and theirs)."""
        if not self._column.keys() >= values.items():
            return True  # no operator makes such a value
        weights = self._weights(values, seconds)
        return weights is not None and any(
            self._proves([round(scale * weight) for weight in weights], values) for scale in _SCALES
        )

    def _weights(self, values: Mapping[int, int], seconds: float) -> Sequence[float] | None:
        """Return weights of the values of the task that may prove it."""
        gain = np.zeros(self._width)
        for variable in range(len(self.task.init)):
            gain[self._held(variable, values)] += 1
            gain[self._column[variable, self.task.init[variable]]] -= 1
        rows, most = self._program
        options = {"time_limit": max(0.01, seconds)}
        found = linprog(-gain, A_ub=rows, b_ub=most, bounds=(-1, 1), method="highs", options=options)
        return [float(weight) for weight in found.x[: len(self._column)]] if found.status == 0 else None

    def _proves(self, weights: Sequence[int], values: Mapping[int, int]) -> bool:
        """Return whether no operator raises the sum of integers, and it is larger where the values hold."""
        least = [min(weights[self._column[value]] for value in of) for of in self._values]
        every = [*weights, *least]
        held = sum(every[self._held(variable, values)] for variable in range(len(self.task.init)))
        first = sum(every[self._column[variable, value]] for variable, value in enumerate(self.task.init))
        return held > first and all(sum(factor * every[column] for column, factor in row) <= 0 for row in self._steps)

    def _held(self, variable: int, values: Mapping[int, int]) -> int:
        """Return the column of a variable's value; that of its least weight where the value is open."""
        if variable in values:
            return self._column[variable, values[variable]]
        return len(self._column) + variable

    # --- the program, which all values share --------------------------------------------------------

    @cached_property
    def _values(self) -> list[list[Value]]:
        """Return the values that each variable has at first, or that an operator gives it or needs."""
        found = [{value} for value in self.task.init]
        for operator in self.task.operators:
            for variable, value in (*operator.needed.items(), *operator.effect.items()):
                found[variable].add(value)
        return [[(variable, value) for value in sorted(values)] for variable, values in enumerate(found)]

    @cached_property
    def _column(self) -> dict[Value, int]:
        return {value: at for at, value in enumerate(value for of in self._values for value in of)}

    @property
    def _width(self) -> int:
        """Return how many columns there are: the weights, and the least weight of each variable."""
        return len(self._column) + len(self.task.init)

    @cached_property
    def _steps(self) -> list[tuple[tuple[int, int], ...]]:
        """Return what each operator does to the sum at most: columns and how often they count."""
        found: dict[tuple[tuple[int, int], ...], None] = {}
        for operator in self.task.operators:
            row: dict[int, int] = {}
            for variable, value in operator.effect.items():
                after, before = self._column[variable, value], self._held(variable, operator.needed)
                row[after] = row.get(after, 0) + 1
                row[before] = row.get(before, 0) - 1
            found[tuple(sorted(row.items()))] = None
        return list(found)

    @cached_property
    def _program(self) -> tuple[csr_array, np.ndarray]:
        """Return ``rows x <= most``: the operators, and that a variable's least weight is none of its others."""
        least = [
            ((len(self._column) + variable, 1), (self._column[value], -1))
            for variable, of in enumerate(self._values)
            for value in of
        ]
        rows = [*self._steps, *least]
        entries = [(at, column, float(factor)) for at, row in enumerate(rows) for column, factor in row]
        places, columns, factors = zip(*entries, strict=True)
        return csr_array((factors, (places, columns)), shape=(len(rows), self._width)), np.zeros(len(rows))
