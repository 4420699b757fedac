"""What operators make of the values of a variable, where each value becomes another one, for all states at once."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
import numpy.typing as npt

from validator.repair.cost_partitioning.atomic import Numbers
from validator.repair.cost_partitioning.change import FREE, Map

__all__ = ["Maps"]


class Maps:
    """Maps of facts, by number; number 0 leaves the last fact as it is, which is that of no variable."""

    def __init__(self, first: Sequence[int], used: Iterable[tuple[int, Map]]) -> None:
        """Write down maps of variables; ``first`` are the numbers of their first facts, and of that of no variable."""
        self._numbers = {each: number for number, each in enumerate(dict.fromkeys(used), 1)}
        none = first[-1]
        self.variables = np.array([len(first) - 1, *(variable for variable, _ in self._numbers)], dtype=np.intp)
        facts, offsets = [none], [-none]
        for variable, each in self._numbers:
            offsets.append(len(facts) - first[variable])
            facts += [FREE if new == FREE else first[variable] + new for new in each.behind]
        self._offsets = np.array(offsets, dtype=np.int64)
        self._facts = np.array(facts, dtype=np.int64)
        arcs = [[(none, none)]]
        arcs += [[(first[v] + old, first[v] + each.behind[old]) for old in each.before] for v, each in self._numbers]
        self._old, self._new = np.array([arc for of_map in arcs for arc in of_map], dtype=np.int64).T
        lengths = np.array([len(of_map) for of_map in arcs])
        self._applies = np.flatnonzero(lengths)
        self._firsts = (np.cumsum(lengths) - lengths)[self._applies]

    def number(self, variable: int, each: Map) -> int:
        return self._numbers[variable, each]

    def numbers(self, rows: Sequence[Iterable[tuple[int, Map]]]) -> Numbers:
        """Return the maps of each row as a column, filled with 0; without any line where there are none."""
        found = [[self._numbers[each] for each in row] for row in rows]
        lines = np.zeros((max(map(len, found), default=0), len(found)), dtype=np.int64)
        for column, numbers in enumerate(found):
            lines[: len(numbers), column] = numbers
        return lines

    def behind(self, numbers: int | Numbers, facts: npt.NDArray[np.signedinteger]) -> Numbers:
        """Return the facts behind maps; FREE where they do not apply."""
        found: Numbers = self._facts[self._offsets[numbers] + facts]
        return found

    def falls(self, rest: npt.NDArray[np.int32]) -> Numbers:
        """Return for each map what it adds to a bound at least."""
        found = np.zeros(len(self._offsets), dtype=np.int64)
        wide = rest.astype(np.int64)
        found[self._applies] = np.minimum.reduceat(wide[self._new] - wide[self._old], self._firsts)
        return found
