"""How far a state is from the goal, where nothing is ever deleted and no value ever changes for the worse.

Each need is met on the cheapest way by itself, and what steps need adds up: h-add (Bonet and Geffner 2001), with as
many applications of a step as a gauge needs of it (Scala, Haslum and Thiébaux 2016). The steps of these ways are a
relaxed plan (Hoffmann 2003), whose cost is the estimate, and of which those that apply now are promising.

A way is a step, a part of one that depends on a condition, a rule of a derived atom, or one of the ways to choose from.
The cheapest ways are found as shortest paths are (Knuth 1977, a generalization of Dijkstra's algorithm).
"""

from __future__ import annotations

import heapq
from collections.abc import Callable, Iterable, Iterator, Sequence
from fractions import Fraction
from itertools import chain
from math import inf

from validator.grounding.limits import checked
from validator.grounding.states import GroundStep
from validator.model.conditions import Binding
from validator.model.numeric import Situation
from validator.model.values import Formula, GroundAtom
from validator.records import dataclass
from validator.repair.numbers.needs import Change, Gauge, Need, Requirements, Way

_LATER = 8
"""How often a step is taken to be needed that brings nothing now, and may bring something once values have changed."""

_CONTRARY = 10_000
"""How often a step is taken to be needed that has only made more missing so far: rather than to go on, others do."""


@dataclass(frozen=True, slots=True)
class Estimate:
    """``cost`` of a relaxed plan (infinite where there is none), and the steps that may apply and that it begins with.

    ``plan`` has the steps of the relaxed plan in the order of when they could take place, with how often each does.
    Steps are places in the sequence that the relaxation was made of.
    """

    cost: float
    applicable: Sequence[int] = ()
    promising: Sequence[int] = ()
    plan: Sequence[tuple[int, int]] = ()


class Relaxation:
    """The relaxation of the ways of some steps, each of which costs 1, towards a goal.

    ``is_over`` ends the preparation with a TimeoutError.
    """

    def __init__(
        self, requirements: Requirements, ways: Iterable[Way], goal: Formula, is_over: Callable[[], bool]
    ) -> None:
        self._requirements = requirements
        wanted = requirements.of(goal, {}) or frozenset()
        found = [*checked(ways, is_over), *requirements.rules()]
        needs = dict.fromkeys(chain(wanted, *(way.needs for way in found)))
        self._numbers: dict[Need, int] = {need: number for number, need in enumerate(needs)}
        self.atoms = [(need[0], need[1], number) for need, number in self._numbers.items() if isinstance(need, tuple)]
        self.gauges = {number: need for need, number in self._numbers.items() if isinstance(need, Gauge)}
        self.steps = [way.step for way in found]
        self.needs_of = [[self._numbers[need] for need in way.needs] for way in found]
        self.users: list[list[int]] = [[] for _ in needs]
        for way, of_way in enumerate(self.needs_of):
            for need in of_way:
                self.users[need].append(way)
        self.brought = [[self._numbers[need] for need in way.brought if need in self._numbers] for way in found]
        readers: dict[GroundAtom, list[int]] = {}
        for number, gauge in self.gauges.items():
            for key in gauge.reads:
                readers.setdefault(key, []).append(number)
        self.kinds: dict[object, _Gain] = {}
        """what ways bring of gauges, each different gain once: many ways bring the same"""
        self.gains = [self._gains_of(way.done, readers) for way in checked(found, is_over)]

    def _gains_of(self, done: Sequence[Change], readers: dict[GroundAtom, list[int]]) -> list[_Gain]:
        """Return the gauges of which some changes may bring something."""
        found = []
        for number in dict.fromkeys(gauge for change in done for gauge in readers.get(change.key, ())):
            gauge = self.gauges[number]
            fixed = gauge.fixed_gain(done)
            if fixed is None or fixed > 0:
                kind = (number, done if fixed is None else fixed)
                found.append(self.kinds.setdefault(kind, _Gain(number, gauge, done, fixed)))
        return found

    def needs(self, condition: Formula, binding: Binding) -> tuple[int, ...] | None:
        """Return the numbers of the needs of the goal, or of a step's condition; None for one that is never met."""
        found = self._requirements.of(condition, binding)
        if found is None or not found <= self._numbers.keys():
            return None
        return tuple(map(self._numbers.__getitem__, found))

    def estimate(self, situation: Situation, goal: Sequence[int] | None) -> Estimate:
        """Return how far a state is from one in which all needs of a goal are met."""
        if goal is None:
            return Estimate(inf)
        found = _Exploration(self, situation, goal)
        applicable = sorted({self.steps[way] for way in found.first} - {-1})
        if not found.costs.keys() >= set(goal):
            return Estimate(inf, applicable)
        plan = found.plan(goal)
        promising = sorted({self.steps[way] for way in found.first if way in plan} - {-1})
        steps = [(self.steps[way], often) for way, often in plan.items() if self.steps[way] >= 0]
        return Estimate(sum(often for _, often in steps), applicable, promising, steps)


class _Exploration:
    """What each need costs from one state on, cheapest first, until all that is wanted is known.

    ``first`` are the ways that nothing must be done for.
    """

    def __init__(self, relaxation: Relaxation, situation: Situation, wanted: Iterable[int]) -> None:
        self._relaxation, self._situation = relaxation, situation
        self.costs: dict[int, int] = {}
        self.first: list[int] = []
        self._reasons: dict[int, tuple[int, int]] = {}
        """by need, the way that meets it, and how often that is gone"""
        self._totals = [0] * len(relaxation.steps)
        self._values: dict[int, Fraction | None] = {}
        """of the gauges that do not hold; None where there is none"""
        self._times: dict[int, int] = {}
        self._queue = [(0, need) for need in self._holding()]
        self._least = {need: 0 for _, need in self._queue}
        heapq.heapify(self._queue)
        self._run(set(wanted))

    def _holding(self) -> Iterator[int]:
        """Yield the needs that are met in the state."""
        for atom, is_wanted, number in self._relaxation.atoms:
            if (atom in self._situation.atoms) is is_wanted:
                yield number
        for number, gauge in self._relaxation.gauges.items():
            value = gauge.value(self._situation)
            if value is not None and gauge.holds_at(value):
                yield number
            else:
                self._values[number] = value

    def _run(self, wanted: set[int]) -> None:
        left = list(map(len, self._relaxation.needs_of))
        for way, number in enumerate(left):
            if not number:
                self._go(way)
        while self._queue:
            cost, need = heapq.heappop(self._queue)
            if cost and not wanted:
                return
            if need in self.costs:
                continue
            self.costs[need] = cost
            wanted.discard(need)
            for way in self._relaxation.users[need]:
                left[way] -= 1
                self._totals[way] += cost
                if not left[way]:
                    self._go(way)

    def _go(self, way: int) -> None:
        """Go a way whose needs are met."""
        relaxation, total = self._relaxation, self._totals[way]
        if not total:
            self.first.append(way)
        price = int(relaxation.steps[way] >= 0)
        for need in relaxation.brought[way]:
            self._offer(need, total + price, way, 1)
        for gain in relaxation.gains[way]:
            if gain.number in self._values:
                self._offer(gain.number, total + price * self._often(gain), way, self._often(gain))

    def _often(self, gain: _Gain) -> int:
        """Return how often ways of a gain are gone for its gauge."""
        found = self._times.get(id(gain))
        if found is None:
            found = self._times[id(gain)] = gain.times(self._values[gain.number], self._situation)
        return found

    def _offer(self, need: int, cost: int, way: int, often: int) -> None:
        if cost < self._least.get(need, inf):
            self._least[need], self._reasons[need] = cost, (way, often)
            heapq.heappush(self._queue, (cost, need))

    def plan(self, goal: Iterable[int]) -> dict[int, int]:
        """Return the ways of a relaxed plan in the order of what they cost, with how often each is gone."""
        plan: dict[int, int] = {}
        waiting = [need for need in goal if self.costs[need]]
        seen = set(waiting)
        while waiting:
            way, often = self._reasons[waiting.pop()]
            plan[way] = max(often, plan.get(way, 0))
            more = [need for need in self._relaxation.needs_of[way] if self.costs[need] and need not in seen]
            seen.update(more)
            waiting += more
        return {way: plan[way] for way in sorted(plan, key=lambda way: (self._totals[way], way))}


@dataclass(slots=True)
class _Gain:
    """What a way brings of a gauge, which has a ``number``; ``most`` is that in any state that was looked at."""

    number: int
    gauge: Gauge
    done: Sequence[Change]
    fixed: Fraction | None
    most: Fraction = Fraction(0)

    def times(self, value: Fraction | None, situation: Situation) -> int:
        """Return how often the way is gone until the gauge holds, which has a value now, or none.

        Where a way brings nothing now, it may later, as much as it brought in other states; one that makes more missing
        is gone last.
        """
        gain = self.gauge.gain(self.done, situation) if self.fixed is None else self.fixed
        if value is None or gain is None:
            return 1
        self.most = max(self.most, gain)
        if gain > 0:
            return self.gauge.times(value, gain)
        later = self.gauge.times(value, self.most) if self.most else 0
        return later + (_CONTRARY if gain < 0 and not self.most else _LATER)


def ways_of(requirements: Requirements, steps: Iterable[GroundStep]) -> Iterator[Way]:
    """Yield the ways of steps, which are numbered by their places."""
    for place, step in enumerate(steps):
        needs = requirements.of(step.action.precondition, step.binding)
        yield from requirements.ways(place, needs, step.action.effects, step.binding)
