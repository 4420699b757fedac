"""Several goals at once: sets of the candidates as candidates of their own."""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations
from math import comb, prod

from validator.model.values import And
from validator.recognize.inputs.reading import goal_key
from validator.recognize.problem import Hypothesis, RecognitionProblem
from validator.records import replace

__all__ = ["together"]

_MOST = 500
"""Candidates that are looked at: with more of them no search would have time for any."""


def together(problem: RecognitionProblem, number: int) -> RecognitionProblem:
    """Return the problem whose candidates are the sets of up to ``number`` goals.

    Each goal is pursued independently of the others, as often as its prior says: the prior of a set is the product of
    its members' shares. So a goal that explains nothing more is no part of the best set. Sets that mean the same, as a
    goal with one that it contains, are one candidate. Raises ValueError for more sets than can be compared.
    """
    goals = problem.hypotheses
    if number == 1 or len(goals) == 1:
        return problem
    sets = sum(comb(len(goals), size) for size in range(1, number + 1))
    if sets > _MOST:
        raise ValueError(f"there are {sets} sets of up to {number} of {len(goals)} goals; at most {_MOST} are compared")
    total = sum((one.prior for one in goals), Fraction(0))
    found: dict[object, Hypothesis] = {}
    true: set[object] = set()
    for size in range(1, number + 1):
        for places in combinations(range(len(goals)), size):
            one = _union([goals[place] for place in places], total)
            key = goal_key(one.goal)
            found.setdefault(key, one)  # the smaller set, which is the more probable one
            if problem.true_goals is not None and size == 1 and places[0] in problem.true_goals:
                true.add(key)
    kept = None if problem.true_goals is None else frozenset(at for at, key in enumerate(found) if key in true)
    return replace(problem, hypotheses=tuple(found.values()), true_goals=kept)


def _union(goals: list[Hypothesis], total: Fraction) -> Hypothesis:
    if len(goals) == 1:
        return replace(goals[0], prior=goals[0].prior / total)
    return Hypothesis(
        goal=And(tuple(one.goal for one in goals)),
        text=" + ".join(one.text for one in goals),
        prior=prod((one.prior / total for one in goals), start=Fraction(1)),
        lines=tuple(sorted({line for one in goals for line in one.lines})),
    )
