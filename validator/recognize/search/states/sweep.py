"""One search from the initial state for the costs of all goals at once, a cost at a time (Dijkstra 1959).

The goals share the initial state, the operators and the observations; so one sweep over states, each with the number
of observations that are explained or paid for, meets every goal at its cost: first with any number, which is its cost
without the observations, then with all of them. A state that was met at no higher cost with as many or more
observations behind it is not looked at again. States are numbers in arrays, a whole layer of one cost at a time.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from fractions import Fraction
from functools import cached_property
from math import inf, log, prod

import numpy as np
import numpy.typing as npt

from validator.grounding.operators import Value
from validator.recognize.problem import Order
from validator.recognize.search.compile import Compiler
from validator.recognize.search.grounded import Ways
from validator.records import dataclass, field

__all__ = ["Found", "Sweep"]

_LARGEST = 2**62
"""The number of states above which they do not fit a word."""
_MOST = 3_000_000
"""States that are kept."""
_SORTED = 2_000_000
"""States that are sorted in a second, at the least: what takes longer than the time that is left is not begun."""
_ENOUGH = 3000
"""States of a layer from which on its growth tells whether any goal will be met."""

_Codes = npt.NDArray[np.int64]


@dataclass(slots=True)
class Found:
    """What is known of one goal: bounds of its cost without the observations and with them; None for no plan at all.

    A cost is proven where ``is_base_met``, ``is_total_met``; else it is a lower bound.
    """

    ways: Ways
    base: Fraction | None = Fraction(0)
    total: Fraction | None = Fraction(0)
    is_base_met: bool = False
    is_total_met: bool = False

    @property
    def is_done(self) -> bool:
        return self.is_base_met and self.is_total_met


@dataclass(kw_only=True)
class Sweep:
    """A sweep for one set of observations; costs are those of the compiler."""

    compiler: Compiler
    _seen: _Codes = field(init=False)
    _behind: _Codes = field(init=False)

    def __post_init__(self) -> None:
        self._seen, self._behind = np.empty(0, np.int64), np.empty(0, np.int64)

    @cached_property
    def is_possible(self) -> bool:
        """Return whether states fit a word, and operators and observations are of the plain kind."""
        task, observed = self.compiler.grounded.task, self.compiler.observed
        is_plain = not task.has_axioms and not task.has_conditional_effects
        in_order = observed.order is Order.TOTAL and not observed.missing and all(one.steps for one in observed.seen)
        return is_plain and in_order and prod(self._sizes) * (len(observed.seen) + 1) < _LARGEST

    def run(
        self, goals: Sequence[Ways], seconds: float, nearest: Fraction = Fraction(0), deadline: float = inf
    ) -> list[Found]:
        """Sweep for so many CPU seconds at most, and until a deadline, and return what is known of each goal.

        ``nearest`` is a cost below which no goal will be met: where too many states are cheaper, the sweep ends early.
        """
        found = [Found(ways=ways) for ways in goals]
        waiting: dict[int, list[_Codes]] = {0: [self._start]}
        until, unit = time.thread_time() + seconds, self.compiler.unit

        def left() -> float:
            return min(until - time.thread_time(), deadline - time.monotonic())

        before = (0, 1)
        while waiting and not all(one.is_done for one in found):
            cost = min(waiting)
            _raise(found, Fraction(cost, unit))
            many = len(self._seen) + sum(map(len, waiting[cost]))
            if len(self._seen) > _MOST or left() <= many / _SORTED:
                return found
            layer = self._fresh(np.concatenate(waiting.pop(cost)))
            if not len(layer):
                continue
            if _is_hopeless(before, (cost, len(layer)), float(nearest * unit)):
                return found
            before = (cost, len(layer))
            values = self._values(layer)
            self._meet(found, layer, values)
            for step, codes in self._after(layer, values):
                waiting.setdefault(cost + step, []).append(codes)
                if left() <= 0:
                    return found
        if not waiting:
            _raise(found, None)
        return found

    # --- states ------------------------------------------------------------------------------------

    @cached_property
    def _sizes(self) -> list[int]:
        return [max(1, len(text.splitlines()) - 5) for text in self.compiler.grounded.task.variables]

    @cached_property
    def _counts(self) -> int:
        return len(self.compiler.observed.seen) + 1

    @cached_property
    def _weights(self) -> list[int]:
        """Return what one step of each variable is worth; the number of observations is worth the least."""
        weights = [self._counts]
        for size in self._sizes[:-1]:
            weights.append(weights[-1] * size)
        return weights[: len(self._sizes)]

    @property
    def _start(self) -> _Codes:
        init = self.compiler.grounded.task.init
        return np.array([sum(value * weight for value, weight in zip(init, self._weights, strict=True))], np.int64)

    def _values(self, layer: _Codes) -> list[npt.NDArray[np.int16]]:
        return [
            ((layer // weight) % size).astype(np.int16) for weight, size in zip(self._weights, self._sizes, strict=True)
        ]

    def _fresh(self, codes: _Codes) -> _Codes:
        """Return the states that were not met with as many observations behind them, and note them."""
        codes = np.unique(codes)
        states, behind = codes // self._counts, codes % self._counts
        last = np.append(states[1:] != states[:-1], True)  # of one state the one with most behind it
        codes, states, behind = codes[last], states[last], behind[last]
        at = np.searchsorted(self._seen, states)
        known = at < len(self._seen)
        known[known] = self._seen[at[known]] == states[known]
        better = known.copy()
        better[known] = behind[known] > self._behind[at[known]]
        self._behind[at[better]] = behind[better]
        new = ~known
        self._seen = np.insert(self._seen, at[new], states[new])
        self._behind = np.insert(self._behind, at[new], behind[new])
        fresh: _Codes = codes[new | better]
        return fresh

    def _meet(self, found: list[Found], layer: _Codes, values: list[npt.NDArray[np.int16]]) -> None:
        """Note the goals that hold in a layer, whose costs are what they are at least by now."""
        all_behind = layer % self._counts == self._counts - 1
        for one in found:
            if one.is_done:
                continue
            holds = np.zeros(len(layer), bool)
            for way in one.ways:
                holds |= _all(values, way, len(layer))
            one.is_base_met = one.is_base_met or bool(holds.any())
            one.is_total_met = one.is_total_met or bool((holds & all_behind).any())

    # --- operators ---------------------------------------------------------------------------------

    def _after(self, layer: _Codes, values: list[npt.NDArray[np.int16]]) -> Iterator[tuple[int, _Codes]]:
        """Yield what each operator, and each observation that is paid for, makes of a layer, with what it costs."""
        behind = layer % self._counts
        where: dict[Value, npt.NDArray[np.intp]] = {}
        for needs, always, sometimes, explains, cost in self._operators:
            at = self._applicable(needs, values, where, len(layer))
            if not len(at):
                continue
            codes = layer[at] + always
            for variable, after in sometimes:
                codes += (after - values[variable][at].astype(np.int64)) * self._weights[variable]
            if explains is not None:
                codes += explains[behind[at]]
            yield cost, codes
        for place, one in enumerate(self.compiler.observed.seen):
            if one.price is not None:
                left = layer[behind == place]
                if len(left):
                    yield int(one.price * self.compiler.unit), left + 1

    def _applicable(
        self,
        needs: Sequence[Value],
        values: list[npt.NDArray[np.int16]],
        where: dict[Value, npt.NDArray[np.intp]],
        number: int,
    ) -> npt.NDArray[np.intp]:
        """Return the places in a layer where an operator applies; ``where`` keeps those of each value."""
        if not needs:
            return np.arange(number)
        for variable, value in needs:
            if (variable, value) not in where:
                where[variable, value] = np.flatnonzero(values[variable] == value)
        first, *others = sorted(needs, key=lambda need: len(where[need]))
        at = where[first]
        for variable, value in others:
            if not len(at):
                break
            at = at[values[variable][at] == value]
        return at

    @cached_property
    def _operators(self) -> list[tuple[tuple[Value, ...], int, list[Value], _Codes | None, int]]:
        """Return of each operator what it needs, what it adds to a state, what it sets, what it explains, its cost."""
        grounded, seen = self.compiler.grounded, self.compiler.observed.seen
        found = []
        for number in grounded.operators:
            step = grounded.task.encoding.step(grounded.task.operators[number].name)
            explains = np.array([*(int(step in one.steps) for one in seen), 0], np.int64)
            needs = dict(grounded.needs[number])
            always, sometimes = 0, []
            for effect in grounded.effects[number]:
                if effect.variable in needs:
                    always += (effect.after - needs[effect.variable]) * self._weights[effect.variable]
                else:
                    sometimes.append((effect.variable, effect.after))
            cost = self.compiler.cost(number, explained=False)
            found.append((tuple(needs.items()), always, sometimes, explains if explains.any() else None, cost))
        return found


def _is_hopeless(before: tuple[int, int], layer: tuple[int, int], nearest: float) -> bool:
    """Return whether layers, each a cost and how many states it has, will be too large before any goal is met.

    They grow by ever less; so for half the way only what they grow by now is counted on.
    """
    (last, fewer), (cost, many) = before, layer
    if many < _ENOUGH or many <= fewer:
        return False
    growth = (many / fewer) ** (1 / (cost - last)) if cost > last else 1.0
    return log(many) + log(growth) * (nearest - cost) / 2 > log(_MOST)


def _raise(found: list[Found], cost: Fraction | None) -> None:
    """Take a lower bound for everything that was not met; None when it never will be."""
    for one in found:
        if not one.is_base_met:
            one.base = cost
        if not one.is_total_met:
            one.total = cost


def _all(values: list[npt.NDArray[np.int16]], way: Sequence[Value], number: int) -> npt.NDArray[np.bool_]:
    holds = np.ones(number, bool)
    for variable, value in way:
        holds &= values[variable] == value
    return holds
