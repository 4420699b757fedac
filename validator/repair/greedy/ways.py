"""What a relaxation is made of: ways from some needs to others, and how much of a gauge a way brings in a state.

A way is a step, a part of one that depends on a condition, a rule of a derived atom, or one of the ways to choose from.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence, Set
from fractions import Fraction
from functools import cache
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from validator.grounding.limits import checked
from validator.grounding.numbers.states import GroundStep
from validator.model.linear import Weights, linear
from validator.model.values import Formula, GroundAtom
from validator.records import dataclass
from validator.repair.greedy.gauges import Change, Gauge, Values, as_float, changes, gain_in, gain_of
from validator.repair.greedy.requirements import Need, Requirements

__all__ = ["Floats", "Gains", "Sums", "Way", "ways_of"]

Floats: TypeAlias = npt.NDArray[np.float64]

_Weights: TypeAlias = tuple[tuple[GroundAtom, float], ...]


@dataclass(frozen=True, slots=True)
class Way:
    """What a step needs and brings about, with its changes of values; ``step`` is -1 for what is no step."""

    step: int
    needs: frozenset[Need]
    brought: Set[Need] = frozenset()
    done: tuple[Change, ...] = ()


def ways_of(
    requirements: Requirements, steps: Sequence[GroundStep], goal: Formula, is_over: Callable[[], bool]
) -> list[Way]:
    """Return the ways of some steps, then rules and choices. Raises TimeoutError when it is over."""
    requirements.of(goal, {})
    ways = [way for place, step in enumerate(checked(steps, is_over)) for way in _of_step(requirements, place, step)]
    ways += (Way(-1, needs, {atom}) for needs, atom in requirements.rules())
    ways += (Way(-1, way, {number}) for number, choice in requirements.choices.items() for way in choice)
    return ways


def _of_step(requirements: Requirements, place: int, step: GroundStep) -> Iterator[Way]:
    needs = requirements.of(step.action.precondition, step.binding)
    if needs is None:
        return
    outcomes = list(requirements.outcomes(step.action.effects, step.binding))
    if not any(not more for more, *_ in outcomes):
        yield Way(place, needs)
    for more, brought, numbers, binding in outcomes:
        yield Way(place, needs | more, brought, tuple(changes(numbers, binding, requirements.known)))


# --- weighted sums of values -------------------------------------------------------------------


class Sums:
    """Weighted sums of values: ``places`` in a vector of values, by which ``weights``, and constants."""

    def __init__(self, rows: Sequence[tuple[_Weights, float]], places: Mapping[GroundAtom, int]) -> None:
        self._constants = np.array([constant for _, constant in rows], dtype=np.float64)
        self._varying = np.array([row for row, (weights, _) in enumerate(rows) if weights], dtype=np.intp)
        found = [(places[key], weight) for weights, _ in rows for key, weight in weights]
        self._places = np.array([place for place, _ in found], dtype=np.intp)
        self._weights = np.array([weight for _, weight in found], dtype=np.float64)
        sizes = [len(rows[row][0]) for row in self._varying]
        self._starts = np.cumsum([0, *sizes[:-1]]) if sizes else self._varying

    def at(self, values: Floats) -> Floats:
        """Return the sums, nan for one that has no value."""
        found = self._constants.copy()
        if len(self._varying):
            found[self._varying] += np.add.reduceat(self._weights * values[self._places], self._starts)
        return found


class Gains:
    """How much of gauges steps bring in a state, each different answer once: many steps bring the same."""

    def __init__(self, gauges: Mapping[int, Gauge]) -> None:
        """Take gauges by the numbers of their needs."""
        self._gauges = gauges
        self._readers: dict[GroundAtom, set[int]] = {}
        for number, gauge in gauges.items():
            for key in gauge.reads:
                self._readers.setdefault(key, set()).add(number)
        self._rows: dict[object, tuple[_Weights, float]] = {}
        self._numbers: dict[object, int] = {}
        self.unlike: list[tuple[int, int, tuple[Change, ...]]] = []
        """answers that are no weighted sums, each with its gauge and changes"""
        self._linear = cache(linear)
        self.of = cache(self._of)

    @property
    def reads(self) -> set[GroundAtom]:
        """Return the values that are looked at."""
        read = {key for weights, _ in self._rows.values() for key, _ in weights}
        return read.union(*(gauge.reads for gauge in self._gauges.values()))

    @property
    def size(self) -> int:
        """Return how many answers there are."""
        return len(self._rows)

    def _of(self, done: tuple[Change, ...]) -> tuple[tuple[int, int], ...]:
        """Return the gauges of which some changes may bring something, each with the number of how much."""
        touched = set().union(*(self._readers.get(change.key, ()) for change in done))
        found = [(gauge, self._number(gauge, done)) for gauge in touched]
        return tuple((gauge, number) for gauge, number in found if number is not None)

    def _number(self, gauge: int, done: tuple[Change, ...]) -> int | None:
        total: Weights = {}
        for change in done:
            more = gain_of(self._gauges[gauge], change, self._linear)
            if more is None:
                self.unlike.append((len(self._rows), gauge, done))
                return self._row((gauge, done), ((), 0.0))
            for key, weight in more.items():
                total[key] = total.get(key, Fraction(0)) + weight
        constant = as_float(total.pop((), Fraction(0)))
        row = tuple(sorted((key, as_float(weight)) for key, weight in total.items() if weight)), constant
        return self._row(row, row) if row[0] or constant > 0 else None

    def _row(self, key: object, row: tuple[_Weights, float]) -> int:
        if key not in self._rows:
            self._rows[key] = row
            self._numbers[key] = len(self._numbers)
        return self._numbers[key]

    def place(self, places: Mapping[GroundAtom, int]) -> None:
        """Make answers ready for vectors of values at some places."""
        self._sums = Sums(list(self._rows.values()), places)

    def at(self, vector: Floats, values: Values) -> Floats:
        """Return all answers in a state, by their numbers; ``values`` are needed where there are ``unlike`` ones."""
        found = self._sums.at(vector)
        for number, gauge, done in self.unlike:
            found[number] = gain_in(self._gauges[gauge], done, values)
        return found
