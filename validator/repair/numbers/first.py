"""Plans of a model with numbers that are there soon: whole ones, and ones that keep to an observed plan.

The observed plan is executed from left to right. Where a step cannot take place, a greedy search looks for a short way
to a state in which it can; without one the step is left out. Behind the last step the search goes on to the goal. What
is found is then looked for again with one step of the observed plan left out, as a step that takes place may be the
one that is wrong. Beside that there are the longest beginning that executes with a plan from there, and a plan from the
initial state.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from math import inf

from validator.grounding.numbers.states import State
from validator.reading.plan import Step
from validator.repair.greedy.search import Greedy

__all__ = ["cheaper_plans", "near_plans", "without_each"]

_BRIDGE, _REST, _WHOLE = 60, 1000, 20_000
"""States that are looked at for a way to the next step, for the rest of a plan, and for a whole one at most."""

_PLAIN, _AHEAD = 500, 2000
"""States that are looked at first, and then with relaxed plans that are done as far as they go, at most."""

_WEIGHTS = (5, 3, 2, 1)
"""of the estimates, in searches for cheaper and cheaper plans"""


def near_plans(greedy: Greedy, observed: Sequence[Step], fewer: Iterable[Sequence[Step]]) -> Iterator[tuple[Step, ...]]:
    """Yield plans, those first that are likely to keep most of an observed one.

    ``fewer`` are the observed plans without one of their steps each.
    """
    for bridge in (_BRIDGE, 0):
        if (plan := _mended(greedy, observed, bridge)) is not None:
            yield plan
    start = greedy.states.start
    beginning, state = _beginning(greedy, observed)
    for begun, at in ((beginning, state), ((), start)):
        for rest in _first(greedy, at, _WHOLE):
            yield (*begun, *rest)
    for steps in fewer:
        if greedy.is_over():
            return
        if (plan := _mended(greedy, steps, _BRIDGE)) is not None:
            yield plan


def without_each(steps: Sequence[Step]) -> Iterator[Sequence[Step]]:
    """Yield some steps without one of them each."""
    for place in range(len(steps)):
        yield [*steps[:place], *steps[place + 1 :]]


def cheaper_plans(greedy: Greedy, prices: Sequence[float]) -> Iterator[tuple[Step, ...]]:
    """Yield a plan from the initial state, of few steps, then plans that are cheaper and cheaper by some prices."""
    start = greedy.states.start
    plans = list[tuple[Step, ...]]()
    for plan in _first(greedy, start, inf):
        yield plan
        plans.append(plan)
    if not plans:
        return
    price = {ground.step: each for ground, each in zip(greedy.steps, prices, strict=True)}
    bound = min(sum(map(price.__getitem__, plan)) for plan in plans)
    greedy = greedy.with_prices(prices)
    for weight in _WEIGHTS:
        for plan in greedy.plans(start, weight=weight, bound=bound):
            bound = sum(map(price.__getitem__, plan))
            yield plan


def _first(greedy: Greedy, start: State, nodes: float) -> Iterator[tuple[Step, ...]]:
    """Yield a plan from a state, if one is found, and another one where the first may have many needless steps.

    Relaxed plans that are done as far as they go lead to plans soon or never, and to long ones: they come second.
    At most so many ``nodes`` are looked at for a first plan without.
    """
    for most, ahead in ((_PLAIN, False), (_AHEAD, True)):
        plan = next(greedy.plans(start, nodes=most, ahead=ahead), None)
        if plan is not None:
            yield plan
            if not ahead:
                return
            nodes = _WHOLE
    yield from islice(greedy.plans(start, nodes=nodes), 1)


def _mended(greedy: Greedy, observed: Sequence[Step], bridge: int) -> tuple[Step, ...] | None:
    """Return the observed plan with a way to each step that cannot take place, as far as one is found, and to the goal.

    ``bridge`` is how many states are looked at for such a way.
    """
    state, found = greedy.states.start, list[Step]()
    for step in observed:
        way = _way_to(greedy, state, step, bridge)
        if way is not None:
            state = way[1]
            found += way[0]
        if greedy.is_over():
            return None
    rest = next(greedy.plans(state, nodes=_REST), None)
    return None if rest is None else (*found, *rest)


def _way_to(greedy: Greedy, state: State, step: Step, bridge: int) -> tuple[tuple[Step, ...], State] | None:
    """Return the steps up to and with one that is to take place, and the state behind it."""
    ground = greedy.states.ground(step)
    after = greedy.applied(state, ground)
    if after is not None:
        return (step,), after
    way = next(greedy.plans(state, greedy.enabling(ground), nodes=bridge), None)
    if way is None:
        return None
    for each in (*way, step):
        following = greedy.applied(state, greedy.states.ground(each))
        if following is None:
            return None
        state = following
    return (*way, step), state


def _beginning(greedy: Greedy, observed: Sequence[Step]) -> tuple[tuple[Step, ...], State]:
    state = greedy.states.start
    for place, step in enumerate(observed):
        after = greedy.applied(state, greedy.states.ground(step))
        if after is None:
            return tuple(observed[:place]), state
        state = after
    return tuple(observed), state
