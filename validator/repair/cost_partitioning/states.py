"""States at a place of the plan, many at a time, as rows; and the operators that are worth a look in each."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Self, TypeAlias

import numpy as np
import numpy.typing as npt

from validator.records import dataclass, replace
from validator.repair.cost_partitioning.partition import NEVER, Numbers
from validator.repair.cost_partitioning.problem import FREE, Map

Bools: TypeAlias = npt.NDArray[np.bool_]

_CHUNK = 2**14
"""states that are looked at before it is asked whether the time is over"""

Rows: TypeAlias = npt.NDArray[np.int32]
"""The facts of states, one a row: of each variable the number of its fact, and then that of no variable."""


@dataclass(frozen=True, kw_only=True)
class Columns:
    """States as rows of fact numbers, what led to each costs, and more of each in columns of subclasses."""

    rows: Rows
    costs: Numbers

    def of(self, chosen: Numbers | Bools) -> Self:
        return replace(self, **{name: column[chosen] for name, column in vars(self).items()})

    @classmethod
    def joined(cls, parts: Sequence[Self]) -> Self:
        if len(parts) == 1:
            return parts[0]
        return cls(**{name: np.concatenate([vars(part)[name] for part in parts]) for name in vars(parts[0])})

    def __len__(self) -> int:
        return len(self.costs)


@dataclass(frozen=True, kw_only=True)
class States(Columns):
    """States with the number of each among all that were seen."""

    numbers: Numbers


@dataclass(frozen=True, kw_only=True)
class Inserted(Columns):
    """States behind insertions: the state before each, the operator, and the total with the rest."""

    parents: Numbers
    operators: Numbers
    totals: Numbers

    def best(self, most: int) -> Inserted:
        """Return as many as are wanted with the least totals."""
        return self.of(np.argsort(self.totals, kind="stable")[:most])


class Sorted:
    """Operators by one of the facts that each asks for, and by what they add at least: few suit a state."""

    def __init__(self, operators: Numbers, facts: Numbers, added: Numbers, most: int) -> None:
        """Sort operators; ``facts`` has one of each, of ``most`` facts, and ``added`` what each adds to a bound."""
        order = np.lexsort((added, facts))
        self._operators, self._added = operators[order], added[order]
        self._least, self._most = int(added.min()) - 1, int(added.max())
        self._counts = np.bincount(facts, minlength=most)
        self._ends = np.cumsum(self._counts)
        self._keys = self._key(facts[order], self._added)

    def _key(self, facts: Numbers, added: Numbers) -> Numbers:
        """Return numbers in the order of facts, and then of what is added, which is within what any adds."""
        return facts * (self._most - self._least + 1) + (added - self._least)

    def pairs(self, rows: Rows, slack: Numbers, most: int) -> tuple[Iterator[tuple[Numbers, Numbers]], int]:
        """Return the numbers of rows, and for each an operator whose fact it has and that adds no more than its slack.

        About ``most`` come in one go. The last one is by how much at least the others pass their slack.
        """
        places, columns = np.nonzero(self._counts[rows])
        facts, slack = rows[places, columns].astype(np.int64), slack[places]
        within = self._key(facts, np.clip(slack, self._least, self._most))
        ends = np.searchsorted(self._keys, within, side="right")
        left = ends < self._ends[facts]
        beyond = int((self._added[ends[left]] - slack[left]).min(initial=NEVER))
        starts = self._ends[facts] - self._counts[facts]
        return self._in_parts(places, starts, ends - starts, most), beyond

    def _in_parts(
        self, places: Numbers, starts: Numbers, lengths: Numbers, most: int
    ) -> Iterator[tuple[Numbers, Numbers]]:
        cuts = np.flatnonzero(np.diff(np.cumsum(lengths) // most)) + 1
        for part in np.split(np.arange(len(places)), cuts):
            of_each, behind = lengths[part], np.cumsum(lengths[part])
            lines = np.repeat(places[part], of_each)
            yield lines, self._operators[np.arange(len(lines)) + np.repeat(starts[part] - behind + of_each, of_each)]


def cheapest(rows: Rows, costs: Numbers, is_over: Callable[[], bool]) -> Numbers:
    """Return which rows to take so that each is there once, as cheap as it is. Raises TimeoutError when it is over."""
    order = np.argsort(costs, kind="stable")
    first: dict[bytes, int] = {}
    for end in range(len(order), 0, -_CHUNK):  # from the dearest on, so that the cheapest is left
        if is_over():
            raise TimeoutError
        start = max(0, end - _CHUNK)
        first.update(zip(reversed(keys_of(rows[order[start:end]])), range(end - 1, start - 1, -1), strict=True))
    return order[np.sort(np.fromiter(first.values(), dtype=np.intp, count=len(first)))]


def keys_of(rows: Rows) -> list[bytes]:
    """Return rows as what can be looked up."""
    data, size = rows.tobytes(), rows.shape[1] * rows.itemsize
    return [data[start : start + size] for start in range(0, len(data), size)]


def in_parts(states: States) -> list[States]:
    return [states.of(np.arange(start, min(start + _CHUNK, len(states)))) for start in range(0, len(states), _CHUNK)]


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
