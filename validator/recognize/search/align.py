"""The best explanation of observations by a plan that is already known."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import TypeAlias

from validator.reading.plan import Step
from validator.recognize.problem import Order
from validator.recognize.search.compile import placed
from validator.recognize.search.grounded import Grounded, Ways
from validator.recognize.search.observed import Observed, Seen
from validator.repair.edit import Edit, Move

__all__ = ["align"]

_Way: TypeAlias = tuple[Fraction, tuple[int, int], tuple[int | None, Edit]]


def align(grounded: Grounded, observed: Observed, plan: Sequence[Step]) -> tuple[Fraction, tuple[Edit, ...]] | None:
    """Match a plan's steps with observations, and return what is to be paid beyond the steps' own costs.

    That is the price of what stays unexplained, and what the steps cost that were not observed. None when something
    would stay unexplained that must not.
    """
    if observed.forced is None:
        return None
    states = _states(grounded, observed, plan)
    if observed.order is Order.NONE:
        found = _in_any_order(observed, plan, states)
    else:  # of a partial order one that it allows: an explanation, be it not the best one
        seen = tuple(sorted(observed.seen, key=lambda one: (len(one.after), one.index)))
        found = _in_order(replace(observed, seen=seen), plan, states)
    return None if found is None else (found[0] + observed.forced, placed(observed, found[1]))


def _states(grounded: Grounded, observed: Observed, plan: Sequence[Step]) -> list[tuple[int, ...]] | None:
    """Return the states that the plan goes through, if facts are to be looked up; None where that is not possible."""
    if grounded.task.has_axioms or all(one.ways is None for one in observed.seen):
        return None
    states = [tuple(grounded.task.init)]
    for step in plan:
        reached = (grounded.after(states[-1], number) for number in grounded.by_step[step])
        state = next((state for state in reached if state is not None), None)
        if state is None:
            return None
        states.append(state)
    return states


def _holds(ways: Ways | None, states: list[tuple[int, ...]] | None, place: int) -> bool:
    if ways is None or states is None:
        return False
    return any(all(states[place][variable] == value for variable, value in way) for way in ways)


def _in_order(
    observed: Observed, plan: Sequence[Step], states: list[tuple[int, ...]] | None
) -> tuple[Fraction, list[tuple[int | None, Edit]]] | None:
    """Find the cheapest matching that keeps the order, from the end of both to their beginning."""
    seen = observed.seen
    best: dict[tuple[int, int], _Way] = {}
    end = (len(plan), len(seen))
    for step in range(len(plan), -1, -1):
        for one in range(len(seen), -1, -1):
            if (step, one) == end:
                continue
            ways = [
                (cost + (best[after][0] if after != end else 0), after, edit)
                for cost, after, edit in _moves(observed, plan, states, step, one)
                if after == end or after in best
            ]
            if ways:
                best[step, one] = min(ways, key=lambda way: way[0])
    if end != (0, 0) and (0, 0) not in best:
        return None
    total = best[0, 0][0] if end != (0, 0) else Fraction(0)
    place, edits = (0, 0), []
    while place != end:
        _, place, edit = best[place]
        edits.append(edit)
    return total, edits


def _moves(
    observed: Observed, plan: Sequence[Step], states: list[tuple[int, ...]] | None, step: int, one: int
) -> Iterator[_Way]:
    """Yield what can be done next when so many steps and observations are behind: cost, place after it, edit."""
    seen = observed.seen[one] if one < len(observed.seen) else None
    if seen is not None:
        token = observed.tokens[seen.index]
        if _holds(seen.ways, states, step):
            yield Fraction(0), (step, one + 1), (seen.index, Edit(move=Move.KEEP, token=token))
        if step < len(plan) and plan[step] in seen.steps:
            yield Fraction(0), (step + 1, one + 1), (seen.index, Edit(move=Move.KEEP, token=plan[step]))
    if step < len(plan):
        yield observed.missing, (step + 1, one), (None, Edit(move=Move.INSERT, token=plan[step]))
    if seen is not None and seen.price is not None:
        yield seen.price, (step, one + 1), (seen.index, Edit(move=Move.SKIP, token=observed.tokens[seen.index]))


def _in_any_order(
    observed: Observed, plan: Sequence[Step], states: list[tuple[int, ...]] | None
) -> tuple[Fraction, list[tuple[int | None, Edit]]] | None:
    """Find the cheapest matching without an order: a greedy choice by price is best (a transversal matroid)."""
    explains: dict[int, Seen] = {}

    def find_step(one: Seen, tried: set[int]) -> bool:
        for step in (step for step, name in enumerate(plan) if name in one.steps and step not in tried):
            tried.add(step)
            if step not in explains or find_step(explains[step], tried):
                explains[step] = one
                return True
        return False

    places = range(len(plan) + 1)
    facts = {one.index for one in observed.seen if any(_holds(one.ways, states, place) for place in places)}
    dearest = sorted(observed.seen, key=lambda one: (one.price is None, one.price or 0), reverse=True)
    left = [one for one in dearest if one.index not in facts and not find_step(one, set())]
    if any(one.price is None for one in left):
        return None
    total = sum((one.price or Fraction(0) for one in left), observed.missing * (len(plan) - len(explains)))
    edits: list[tuple[int | None, Edit]] = []
    for step, name in enumerate(plan):
        index = explains[step].index if step in explains else None
        edits.append((index, Edit(move=Move.INSERT if index is None else Move.KEEP, token=name)))
    edits += [(index, Edit(move=Move.KEEP, token=observed.tokens[index])) for index in sorted(facts)]
    edits += [(one.index, Edit(move=Move.SKIP, token=observed.tokens[one.index])) for one in left]
    return total, edits
