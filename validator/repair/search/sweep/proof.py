"""A proof by looking at all repairs up to a cost, for dearer and dearer ones, with bounds that add up."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from concurrent.futures import Future
from contextlib import suppress
from typing import TypeAlias

from validator.repair.search.backward.search import Found
from validator.repair.search.sweep.equation import Equation
from validator.repair.search.sweep.layers import Layers, Swept
from validator.repair.search.sweep.partition import Partition, Partitions, prices_of
from validator.repair.search.sweep.problem import Problem
from validator.repair.search.sweep.projection import NEVER

__all__ = ["SOLVE_AFTER", "prove", "suits"]

SOLVE_AFTER = 2000
"""States that are looked at before the linear program is solved, which takes a second or some"""

_MOST_COLUMNS = 400_000
"""of a linear program that is worth its seconds"""

_MOST_PRICES = 2**27
"""prices, of which there is one for each class of operators at each place: some seconds for an order of variables"""

_BOUND, _DIFFERENCE = 16, 24
"""Bytes for the bounds of a fact at a place, and for what an operator on the variable at hand takes there."""

_ORDERS, _MOST_TRIED = 8, 2**20
"""Orders of variables that are tried at first, fewer where all their prices are more than so many."""

_STATES_ORDER, _MOST_ORDERS = 1000, 16
"""Later one more for so many states that were looked at, and for a state more by so many prices; up to so many."""

_WIDTH, _WIDER = 4, 4
"""States at a time on the way to a first repair, and how many times as many on the way to the next one."""

_FACT, _ROW = 4, 200
"""Bytes of a fact of a state, and of a state beside its facts."""

Solve: TypeAlias = Callable[[bytes], "Future[bytes | None]"]
"""Begins to solve what ``linear`` reads; the answer is what it writes, None where there is none."""


def suits(problem: Problem, memory: int) -> bool:
    """Return whether there is room for the prices, in a quarter of the memory."""
    places = problem.length + 1
    classes = problem.alike.classes
    prices = places * len(classes)
    changing = Counter(variable for change in classes for variable in change.changed)
    dearest = _DIFFERENCE * max(changing.values(), default=0) + _BOUND * sum(problem.sizes)
    needed = prices * prices_of(classes).itemsize + places * dearest
    return prices <= _MOST_PRICES and needed <= memory // 4


def prove(
    problem: Problem,
    bound: Callable[[], float],
    go_on: Callable[[int], bool],
    memory: int,
    better: Callable[[tuple[str, ...]], None] = lambda names: None,
    solve: Solve | None = None,
    solve_after: int = SOLVE_AFTER,
) -> Found:
    """Raise the lower bound until it meets ``bound()``, the cost of the best plan so far, or find a cheapest plan.

    ``go_on`` is told each lower bound and says whether there is time left; ``memory`` is in bytes. Costs are without
    those of the tokens that can only be skipped. ``better`` is given the edits of good repairs, early: before all
    repairs up to a cost are looked at, a few that may cost a little more are, more and more of them. After so many
    states ``solve`` solves a linear program beside it, whose bounds are taken as soon as they are there. Raises
    TimeoutError as soon as it is over, if that comes before.
    """
    partitions = Partitions(problem)
    prices = (problem.length + 1) * len(problem.alike.classes)
    chosen = partitions.best(min(_ORDERS, _MOST_TRIED // max(prices, 1)), lambda: go_on(0))
    if chosen[0].total >= NEVER:
        return Found(lower=0)
    layers = Layers(problem, memory // 4 // (_FACT * len(problem.sizes) + _ROW))
    solving = _Solving(partitions, solve, solve_after)
    lower, step, slack, width, states = chosen[0].total, 1, 1, _WIDTH, 0
    near = Swept(lower=NEVER)
    solving.begin(states)
    with suppress(TimeoutError):
        while lower < min(bound(), near.lower) and go_on(lower):
            layers.guide([*solving.found, *chosen])
            try:
                swept = layers.run(
                    int(min(lower + step, bound(), near.lower)) - 1, lambda: go_on(0) and not solving.is_done
                )
            except TimeoutError:
                if not solving.is_done:
                    raise
                lower = max(lower, solving.take())
                continue
            if swept.names is not None:
                return Found(lower=swept.lower, names=swept.names, nodes=states + swept.states)
            if swept.lower >= NEVER:  # no repair at all, which others prove
                break
            states += swept.states
            lower = max(lower, swept.lower)
            limit = int(min(lower + slack, bound(), near.lower)) - 1
            if limit >= lower and (found := layers.run(limit, lambda: go_on(0), width)).names is not None:
                near, width = found, width * _WIDER
                better(found.names)
            chosen = partitions.best(_orders(swept.states, prices), lambda: go_on(0))
            lower = max(lower, chosen[0].total, solving.take())
            solving.begin(states)
            step, slack = (1, slack + 1) if problem.is_unit else (2 * step, 2 * slack)
    names = near.names if lower >= near.lower else None
    return Found(lower=min(lower, near.lower), names=names, nodes=states)


class _Solving:
    """The linear program, which is solved by another process while the sweep goes on."""

    def __init__(self, partitions: Partitions, solve: Solve | None, after: int) -> None:
        self.found: list[Partition] = []
        self._partitions, self._solve, self._after = partitions, solve, after
        self._equation: Equation | None = None
        self._answer: Future[bytes | None] | None = None

    @property
    def is_done(self) -> bool:
        """Return whether there is an answer that was not taken."""
        return self._answer is not None and self._answer.done()

    def begin(self, states: int) -> None:
        """Begin after so many states, where the program is small and a change costs one."""
        if self._solve is None or states < self._after or self._equation is not None:
            return
        if self._partitions.problem.is_unit and Equation.columns(self._partitions) <= _MOST_COLUMNS:
            self._equation = Equation(self._partitions)
            self._answer = self._solve(self._equation.program())
        else:
            self._solve = None

    def take(self) -> int:
        """Take the bounds of an answer; return what any repair costs at least by them."""
        if self._answer is not None and self._answer.done() and self._equation is not None:
            answer, self._answer = self._answer.result(), None
            partition = None if answer is None else self._equation.partition(answer)
            self.found = [] if partition is None else [partition]
        return self.found[0].total if self.found else 0


def _orders(states: int, prices: int) -> int:
    """Return how many orders of variables are tried after a sweep through so many states."""
    return min(states // (_STATES_ORDER + prices // _STATES_ORDER), _MOST_ORDERS)
