"""How far a state is from the goal, where nothing is ever deleted and no value ever changes for the worse.

Each need is met on the cheapest way by itself, and what steps need adds up: h-add (Bonet and Geffner 2001), with as
many applications of a step as a gauge needs of it (Scala, Haslum and Thiébaux 2016). The steps of these ways are a
relaxed plan (Hoffmann 2003), whose cost is the estimate, and of which those that apply now are promising.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from copy import copy
from itertools import chain
from math import inf

from validator.grounding.numbers.states import GroundStep
from validator.model.conditions import Binding
from validator.model.values import Formula, GroundAtom
from validator.records import dataclass, replace
from validator.repair.greedy.gauges import Change, Gauge, Values, changes, fixed_gain, gain_in, times
from validator.repair.greedy.requirements import Need, Requirements
from validator.repair.search.backward.projection import checked

__all__ = ["Estimate", "Relaxation"]


@dataclass(frozen=True, slots=True)
class Estimate:
    """``cost`` of a relaxed plan (infinite where there is none), and the steps that may apply and that it begins with.

    Steps are places in the sequence that the relaxation was made of.
    """

    cost: float
    applicable: Sequence[int]
    promising: Sequence[int]


@dataclass(frozen=True, slots=True)
class _Way:
    """A step, or a part of one that depends on a condition; -1 for what is no step."""

    step: int
    price: float
    needs: tuple[int, ...]
    adds: tuple[int, ...]
    gains: tuple[tuple[int, float], ...]
    varying: tuple[tuple[int, tuple[Change, ...]], ...]


@dataclass(frozen=True, slots=True)
class _Draft:
    """The same before needs have numbers: what it needs, brings about and changes of values."""

    step: int
    price: float
    needs: frozenset[Need]
    brought: Set[Need] = frozenset()
    done: tuple[Change, ...] = ()


class Relaxation:
    """The relaxation of some ground steps, each of which costs 1, towards a goal.

    ``is_over`` ends the preparation with a TimeoutError.
    """

    def __init__(
        self,
        requirements: Requirements,
        steps: Sequence[GroundStep],
        goal: Formula,
        is_over: Callable[[], bool],
    ) -> None:
        self.requirements = requirements
        wanted = requirements.of(goal, {}) or ()
        drafts = [
            *(draft for place, step in enumerate(checked(steps, is_over)) for draft in self._drafts(place, step)),
            *(_Draft(-1, 0.0, needs, {atom}) for needs, atom in requirements.rules()),
        ]
        drafts += (_Draft(-1, 0.0, way, {number}) for number, ways in requirements.choices.items() for way in ways)
        needs = chain(wanted, *(draft.needs for draft in drafts))
        self._numbers: dict[Need, int] = {need: number for number, need in enumerate(dict.fromkeys(needs))}
        self._gauges = {number: need for need, number in self._numbers.items() if isinstance(need, Gauge)}
        self._atoms = [(need[0], need[1], number) for need, number in self._numbers.items() if isinstance(need, tuple)]
        self._readers: dict[GroundAtom, set[int]] = {}
        for number, gauge in self._gauges.items():
            for key in gauge.reads:
                self._readers.setdefault(key, set()).add(number)
        self._ways = list(map(self._way, drafts))
        self._needed_by: list[list[int]] = [[] for _ in self._numbers]
        for number, way in enumerate(self._ways):
            for need in way.needs:
                self._needed_by[need].append(number)
        self._left = [len(way.needs) for way in self._ways]
        self._prices = [way.price for way in self._ways]
        self._free = [number for number, way in enumerate(self._ways) if not way.needs]

    def with_prices(self, prices: Sequence[float]) -> Relaxation:
        """Return the same relaxation with other prices of the steps."""
        other = copy(self)
        other._ways = [replace(way, price=prices[way.step]) if way.step >= 0 else way for way in self._ways]
        other._prices = [way.price for way in other._ways]
        return other

    # --- preparation ---------------------------------------------------------------------------

    def _drafts(self, place: int, step: GroundStep) -> Iterator[_Draft]:
        needs = self.requirements.of(step.action.precondition, step.binding)
        if needs is None:
            return
        outcomes = list(self.requirements.outcomes(step.action.effects, step.binding))
        if not any(not more for more, *_ in outcomes):
            yield _Draft(place, 1.0, needs)
        for more, brought, numbers, binding in outcomes:
            done = tuple(changes(numbers, binding, self.requirements.known))
            yield _Draft(place, 1.0, needs | more, brought, done)

    def _way(self, draft: _Draft) -> _Way:
        """Return a way with what it brings of atoms and gauges."""
        gains, varying = list[tuple[int, float]](), list[tuple[int, tuple[Change, ...]]]()
        for number in set().union(*(self._readers.get(change.key, ()) for change in draft.done)):
            gain = fixed_gain(self._gauges[number], draft.done, self.requirements.changing)
            if gain is None:
                varying.append((number, draft.done))
            elif gain > 0:
                gains.append((number, gain))
        needs = tuple(map(self._numbers.__getitem__, draft.needs))
        adds = tuple(self._numbers[need] for need in draft.brought if need in self._numbers)
        return _Way(draft.step, draft.price, needs, adds, tuple(gains), tuple(varying))

    # --- estimates -----------------------------------------------------------------------------

    def needs(self, condition: Formula, binding: Binding) -> tuple[int, ...] | None:
        """Return the numbers of the needs of the goal, or of a step's condition; None for one that is never met."""
        found = self.requirements.of(condition, binding)
        if found is None or not found <= self._numbers.keys():
            return None
        return tuple(map(self._numbers.__getitem__, found))

    def estimate(self, atoms: Set[GroundAtom], values: Values, goal: Sequence[int] | None) -> Estimate:
        """Return how far a state is from one in which all needs of a goal are met."""
        missing = {number: gauge.missing(values) for number, gauge in self._gauges.items()}
        costs, by, free = self._costs(atoms, values, missing, set(goal or ()))
        applicable = [step for step in dict.fromkeys(self._ways[number].step for number in free) if step >= 0]
        if goal is None or any(costs[need] == inf for need in goal):
            return Estimate(inf, applicable, ())
        plan = self._plan(goal, by)
        cost = sum(self._ways[number].price * often for number, often in plan.items())
        promising = {self._ways[number].step for number in plan if not any(costs[n] for n in self._ways[number].needs)}
        return Estimate(cost, applicable, sorted(promising - {-1}))

    def _costs(
        self, atoms: Set[GroundAtom], values: Values, missing: Mapping[int, float], open_goals: set[int]
    ) -> tuple[list[float], dict[int, tuple[int, int]], list[int]]:
        """Return what each need costs, and for those that cost something the way to it and how often it is gone.

        Then the ways whose needs are all met.
        """
        costs = [inf] * len(self._numbers)
        left, sums, ways, free = list(self._left), list(self._prices), self._ways, list(self._free)
        by: dict[int, tuple[int, int]] = {}
        queue = [(0.0, number) for atom, wanted, number in self._atoms if (atom in atoms) is wanted]
        queue += ((0.0, number) for number, lack in missing.items() if lack <= 0)
        for _, number in queue:
            costs[number] = 0.0
        done = [False] * len(costs)

        def reach(number: int) -> None:
            way, cost = ways[number], sums[number]
            for need in way.adds:
                if cost < costs[need]:
                    costs[need], by[need] = cost, (number, 1)
                    heapq.heappush(queue, (cost, need))
            for need, gain in way.gains:
                if cost < costs[need]:
                    gain_by(need, gain, number, cost - way.price, way.price)
            for need, changed in way.varying:
                if cost < costs[need]:
                    gain_by(need, gain_in(self._gauges[need], changed, values), number, cost - way.price, way.price)

        def gain_by(need: int, gain: float, number: int, before: float, price: float) -> None:
            often = times(missing[need], gain)
            cost = before + often * price
            if cost < costs[need]:
                costs[need], by[need] = cost, (number, often)
                heapq.heappush(queue, (cost, need))

        heapq.heapify(queue)
        for number in self._free:
            reach(number)
        needed_by, prices = self._needed_by, self._prices
        while queue:
            cost, need = heapq.heappop(queue)
            if done[need] or cost > costs[need]:
                continue
            done[need] = True
            open_goals.discard(need)
            if cost and not open_goals:
                break
            for number in needed_by[need]:
                left[number] -= 1
                sums[number] += cost
                if not left[number]:
                    reach(number)
                    if sums[number] == prices[number]:
                        free.append(number)
        return costs, by, free

    def _plan(self, goal: Iterable[int], by: Mapping[int, tuple[int, int]]) -> dict[int, int]:
        """Return the ways of a relaxed plan, with how often each is gone."""
        plan: dict[int, int] = {}
        waiting, seen = list(goal), set(goal)
        while waiting:
            found = by.get(waiting.pop())
            if found is None:
                continue
            number, often = found
            plan[number] = max(often, plan.get(number, 0))
            for need in self._ways[number].needs:
                if need not in seen:
                    seen.add(need)
                    waiting.append(need)
        return plan
