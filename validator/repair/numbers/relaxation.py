"""How far a state is from the goal, where nothing is ever deleted and no value ever changes for the worse.

Each need is met on the cheapest way by itself, and what steps need adds up: h-add (Bonet and Geffner 2001), with as
many applications of a step as a gauge needs of it (Scala, Haslum and Thiébaux 2016). The steps of these ways are a
relaxed plan (Hoffmann 2003), whose cost is the estimate, and of which those that apply now are promising.

A way is a step, a part of one that depends on a condition, a rule of a derived atom, or one of the ways to choose from.
All ways are looked at in rounds, until no need gets cheaper: a round is some operations on whole arrays.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from fractions import Fraction
from functools import cache
from itertools import chain
from math import inf, nan
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from validator.grounding.limits import checked
from validator.grounding.states import GroundStep
from validator.model.conditions import Binding
from validator.model.numeric import Situation, Weights, linear
from validator.model.values import Effect, Formula, GroundAtom
from validator.records import dataclass
from validator.repair.numbers.needs import (
    CONTRARY,
    LATER,
    LEAST,
    Change,
    Gauge,
    Known,
    Need,
    Requirements,
    as_float,
    changes,
    gain_in,
    gain_of,
)

_Places = npt.NDArray[np.intp]
Floats: TypeAlias = npt.NDArray[np.float64]

_Weights: TypeAlias = tuple[tuple[GroundAtom, float], ...]

_NOTHING: Need = None
"""what a way needs that needs nothing"""


@dataclass(frozen=True, slots=True)
class Estimate:
    """``cost`` of a relaxed plan (infinite where there is none), and the steps that may apply and that it begins with.

    ``plan`` has the steps of the relaxed plan in the order of when they could take place, with how often each does.
    Steps are places in the sequence that the relaxation was made of.
    """

    cost: float
    applicable: Sequence[int]
    promising: Sequence[int]
    plan: Sequence[tuple[int, int]]


class Relaxation:
    """The relaxation of the ways of some steps, each of which costs 1, towards a goal.

    ``is_over`` ends the preparation with a TimeoutError.
    """

    def __init__(
        self,
        requirements: Requirements,
        ways: Iterable[Way],
        goal: Formula,
        is_over: Callable[[], bool],
    ) -> None:
        self.requirements = requirements
        requirements.of(goal, {})
        classes: dict[object, list[Way]] = {}
        for way in chain(checked(ways, is_over), _rules(requirements)):
            classes.setdefault((way.step < 0, frozenset(way.brought), way.done), []).append(way)
        ways = list(chain.from_iterable(classes.values()))
        needs = chain((_NOTHING,), requirements.of(goal, {}) or (), *(way.needs for way in ways))
        self._numbers: dict[Need, int] = {need: number for number, need in enumerate(dict.fromkeys(needs))}
        self._steps = np.array([way.step for way in ways], dtype=np.intp)
        self._class_ends = np.cumsum([0, *map(len, classes.values())], dtype=np.intp)
        self._prices = np.where(self._steps < 0, 0.0, 1.0)
        self._least = np.maximum(self._prices, LEAST)  # where ways cost nothing, needs could be each other's reason
        self._least_of_class = np.minimum.reduceat(self._least, self._class_ends[:-1])
        self._read_atoms()
        self._read_ways(ways)
        self._read_classes([group[0] for group in classes.values()])

    # --- preparation ---------------------------------------------------------------------------

    def _read_atoms(self) -> None:
        """Find the numbers of the atoms that must hold, and of those that must not."""
        pairs = [(need, number) for need, number in self._numbers.items() if isinstance(need, tuple)]
        self._wanted = {need[0]: number for need, number in pairs if need[1]}
        self._unwanted = {need[0]: number for need, number in pairs if not need[1]}
        self._absent = np.array(list(self._unwanted.values()), dtype=np.intp)
        self._told = frozenset(self._wanted.keys() | self._unwanted.keys())

    def _read_ways(self, ways: Sequence[Way]) -> None:
        """Write down what ways need, one way after the other, something each."""
        self._needs_of = [[self._numbers[need] for need in way.needs or (_NOTHING,)] for way in ways]
        self._needs = np.array(list(chain.from_iterable(self._needs_of)), dtype=np.intp)
        self._need_starts = np.cumsum([0, *map(len, self._needs_of)], dtype=np.intp)[:-1]

    def _read_classes(self, classes: Sequence[Way]) -> None:
        """Write down what ways that do the same bring about, one need after the other, and of gauges how much."""
        gauges = {number: need for need, number in self._numbers.items() if isinstance(need, Gauge)}
        gains, brought = Gains(gauges), list[tuple[int, int, int]]()
        for number, way in enumerate(classes):
            brought += ((self._numbers[need], number, -1) for need in way.brought if need in self._numbers)
            brought += ((gauge, number, gain) for gauge, gain in gains.of(way.done)) if way.done else ()
        brought.sort()
        self._brought, self._by, gain = np.array(brought, dtype=np.intp).reshape(-1, 3).T
        self._changing = np.flatnonzero(np.diff(self._brought, prepend=-1))
        self._met = self._brought[self._changing]
        self._counted = np.flatnonzero(gain >= 0)
        self._gain = gain[self._counted]
        self._rules = np.array([n for n, way in enumerate(classes) if way.step < 0], dtype=np.intp)
        self._keys = sorted(gains.reads)
        places = {key: place for place, key in enumerate(self._keys)}
        self._gains = gains
        gains.place(places)
        self._most = np.full(gains.size, -inf)
        """what is brought in any state that was looked at"""
        plain = {number: gauge for number, gauge in gauges.items() if gauge.weights is not None}
        self._plain = np.array(list(plain), dtype=np.intp)
        self._sums = Sums([(gauge.weights or (), gauge.constant) for gauge in plain.values()], places)
        self._hair = np.array([gauge.missing_at(0.0) for gauge in plain.values()])
        self._measured = np.array(list(gauges), dtype=np.intp)
        self._odd = {number: gauge for number, gauge in gauges.items() if gauge.weights is None}

    # --- estimates -----------------------------------------------------------------------------

    def needs(self, condition: Formula, binding: Binding) -> tuple[int, ...] | None:
        """Return the numbers of the needs of the goal, or of a step's condition; None for one that is never met."""
        found = self.requirements.of(condition, binding)
        if found is None or not found <= self._numbers.keys():
            return None
        return tuple(map(self._numbers.__getitem__, found))

    def estimate(self, situation: Situation, goal: Sequence[int] | None) -> Estimate:
        """Return how far a state is from one in which all needs of a goal are met."""
        with np.errstate(all="ignore"):
            costs, often = self._start(situation)
            begin = self._sums_of(costs) == 0
            applicable = sorted(set(self._steps[begin].tolist()) - {-1})
            if goal is None:
                return Estimate(inf, applicable, (), ())
            wanted, extra = np.array(goal, dtype=np.intp), (often - 1) * self._least_of_class[self._by]
            self._settle(costs, extra, wanted)
            if not np.isfinite(costs[wanted]).all():
                return Estimate(inf, applicable, (), ())
            plan = self._plan(goal, costs, extra, often)
        cost = sum(float(self._prices[number]) * often for number, often in plan.items())
        promising = {int(self._steps[number]) for number in plan if begin[number]}
        order = [(int(self._steps[number]), often) for number, often in plan.items()]
        order = [(step, often) for step, often in order if step >= 0]
        return Estimate(cost, applicable, sorted(promising - {-1}), order)

    def _start(self, situation: Situation) -> tuple[Floats, Floats]:
        """Return what each need costs before anything is done, and how often ways are gone for a need."""
        costs, values = np.full(len(self._numbers), inf), situation.values
        costs[self._numbers[_NOTHING]] = 0.0
        costs[self._absent] = 0.0
        for atom in self._told & situation.atoms:
            if (number := self._wanted.get(atom)) is not None:
                costs[number] = 0.0
            if (number := self._unwanted.get(atom)) is not None:
                costs[number] = inf
        often = np.ones(len(self._by))
        if self._keys:
            vector = np.array([nan if key not in values else as_float(values[key]) for key in self._keys])
            missing = np.full(len(self._numbers), -inf)
            missing[self._plain] = self._hair - self._sums.at(vector)
            for number, gauge in self._odd.items():
                missing[number] = gauge.missing(situation)
            missing[np.isnan(missing)] = inf
            costs[self._measured[missing[self._measured] <= 0]] = 0.0
            often[self._counted] = self._times(missing[self._brought[self._counted]], self._gains.at(vector, situation))
        self._follow_rules(costs)
        return costs, often

    def _times(self, missing: Floats, gains: Floats) -> Floats:
        """Return how often each way is gone for the gauge that it counts for.

        Where a way brings nothing now, it may later, as much as it brought in other states; one that makes more missing
        is gone last.
        """
        np.fmax(self._most, gains, out=self._most)
        gain, most = gains[self._gain], self._most[self._gain]
        is_idle = gain <= 0
        often = np.ceil(missing / np.where(is_idle, most, gain) - LEAST / 1000)  # as quotients are rounded
        often[(missing <= np.where(is_idle, most, gain)) | ~np.isfinite(often)] = 1.0
        often[is_idle & (most <= 0)] = 0.0
        often[is_idle] += np.where((gain < 0) & (most <= 0), CONTRARY, LATER)[is_idle]
        return often

    def _follow_rules(self, costs: Floats) -> None:
        """Let hold at once what follows from what holds."""
        while len(self._rules):
            held = self._rules[np.minimum.reduceat(self._sums_of(costs), self._class_ends[:-1])[self._rules] == 0]
            new = self._brought[np.isin(self._by, held)]
            if not costs[new].any():
                return
            costs[new] = 0.0

    def _sums_of(self, costs: Floats) -> Floats:
        """Return what the needs of each way cost."""
        found: Floats = np.add.reduceat(costs[self._needs], self._need_starts)
        return found

    def _offers(self, totals: Floats, extra: Floats) -> Floats:
        """Return for what each class of ways offers each need that it brings about, given what ways cost."""
        cheapest = np.minimum.reduceat(totals, self._class_ends[:-1])
        found: Floats = cheapest[self._by] + extra
        return found

    def _settle(self, costs: Floats, extra: Floats, goal: _Places) -> None:
        """Lower what needs cost to what their cheapest ways do."""
        while len(self._by):
            found = np.minimum.reduceat(self._offers(self._sums_of(costs) + self._least, extra), self._changing)
            lower = found < costs[self._met]
            if not lower.any() or found[lower].min() >= costs[goal].max(initial=0.0):
                return
            costs[self._met[lower]] = found[lower]

    def _plan(self, goal: Iterable[int], costs: Floats, extra: Floats, often: Floats) -> dict[int, int]:
        """Return the ways of a relaxed plan, with how often each is gone."""
        totals = self._sums_of(costs) + self._least
        found = np.flatnonzero(self._offers(totals, extra) <= costs[self._brought])[::-1]
        chosen = np.full(len(costs), -1)
        chosen[self._brought[found]] = found
        plan: dict[int, int] = {}
        waiting, seen = [need for need in goal if costs[need]], set(goal)
        while waiting:
            place = chosen[waiting.pop()]
            group = self._by[place]
            begin, end = self._class_ends[group], self._class_ends[group + 1]
            number = int(begin if end == begin + 1 else begin + totals[begin:end].argmin())
            plan[number] = max(int(often[place]), plan.get(number, 0))
            for need in self._needs_of[number]:
                if need not in seen and costs[need]:
                    seen.add(need)
                    waiting.append(need)
        return {number: plan[number] for number in sorted(plan, key=lambda one: (totals[one], one))}


# --- ways ---------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Way:
    """What a step needs and brings about, with its changes of values; ``step`` is -1 for what is no step."""

    step: int
    needs: frozenset[Need]
    brought: Set[Need] = frozenset()
    done: tuple[Change, ...] = ()


def ways_of(requirements: Requirements, steps: Iterable[GroundStep]) -> Iterator[Way]:
    """Yield the ways of steps, which are numbered by their places."""
    for place, step in enumerate(steps):
        needs = requirements.of(step.action.precondition, step.binding)
        yield from ways_to(requirements, place, needs, step.action.effects, step.binding)


def ways_to(
    requirements: Requirements,
    step: int,
    needs: frozenset[Need] | None,
    effects: Iterable[Effect],
    binding: Binding,
    known: Known | None = None,
) -> Iterator[Way]:
    """Yield the ways of a step with some needs, none where they are never met; ``known`` are values that are fixed."""
    if needs is None:
        return
    outcomes = list(requirements.outcomes(effects, binding))
    if not any(not more for more, *_ in outcomes):
        yield Way(step, needs)
    for more, brought, numbers, inner in outcomes:
        yield Way(step, needs | more, brought, tuple(changes(numbers, inner, known or requirements.known)))


def _rules(requirements: Requirements) -> Iterator[Way]:
    """Yield the ways of derived atoms and choices."""
    yield from (Way(-1, needs, {atom}) for needs, atom in requirements.rules())
    yield from (Way(-1, way, {number}) for number, choice in requirements.choices.items() for way in choice)


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

    def at(self, vector: Floats, situation: Situation) -> Floats:
        """Return all answers in a state, by their numbers; those that are no weighted sums of its values one by one."""
        found = self._sums.at(vector)
        for number, gauge, done in self.unlike:
            found[number] = gain_in(self._gauges[gauge], done, situation)
        return found
