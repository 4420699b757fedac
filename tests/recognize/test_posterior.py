"""Ranks and probabilities where some costs are not proven."""

from __future__ import annotations

from fractions import Fraction
from math import inf, log

import pytest

from validator.model.pddl import read_model
from validator.recognize import Hypothesis, Method, Settings, Standing
from validator.recognize.posterior import candidates
from validator.recognize.reading import read_goals
from validator.recognize.searches import GoalBounds


def known(low: int, high: int | None, *, base: bool = True, estimate: int | None = None, prior: int = 1) -> GoalBounds:
    """Return a goal whose cost difference lies between bounds."""
    goal = read_goals("(lamp)", "", MODEL)[0].goal
    found = GoalBounds(hypothesis=Hypothesis(goal=goal, text="(lamp)", prior=Fraction(prior)))
    found.estimate = None if estimate is None else Fraction(estimate)
    found.cap = Fraction(50)
    if base:
        found.base_lower = found.base_upper = Fraction(10)
        found.lower, found.upper = Fraction(10 + low), None if high is None else Fraction(10 + high)
    return found


def ranked(*goals: GoalBounds, method: Method = Method.SOFT) -> tuple[list[int], list[Standing], bool]:
    greatest = max(one.hypothesis.prior for one in goals)
    for one in goals:
        prior = one.hypothesis.prior
        one.handicap = log(greatest / prior) if prior else inf
    _, found, exact = candidates(goals, Settings(), method, Fraction(5))
    values = [one.probability for one in sorted(found, key=lambda one: one.rank)]
    assert None in values or values == sorted(values, reverse=True)  # type: ignore[type-var]
    return [one.rank for one in found], [one.standing for one in found], exact


E, C, T, B = Standing.EXACT, Standing.CUT, Standing.TIMEOUT, Standing.BASE_UNKNOWN

ROOMS = """
(define (domain rooms) (:requirements :strips) (:constants b)
  (:predicates (at ?x) (door ?x ?y) (lamp) (key))
  (:action go :parameters (?x ?y) :precondition (and (at ?x) (door ?x ?y)) :effect (and (at ?y) (not (at ?x))))
  (:action light :parameters () :precondition (key) :effect (lamp))
  (:action fetch :parameters () :precondition (at b) :effect (key)))
"""
HOUSE = """
(define (problem p) (:domain rooms) (:objects a c d e)
  (:init (at a) (door a b) (door b a) (door b c) (door c d)) (:goal (and)))
"""
MODEL = read_model(ROOMS, HOUSE)


@pytest.mark.parametrize(
    ("goals", "ranks", "standings", "exact"),
    [
        ([known(2, 2), known(3, 3), known(2, 2)], [1, 3, 1], [E, E, E], True),
        ([known(1, 1), known(7, 9)], [1, 2], [E, C], True),
        # It could be better than what is proven: the cost of the plan that is known counts, not the hope.
        ([known(1, 1), known(0, 9)], [1, 2], [E, T], False),
        # One of which nothing is known does not lead.
        ([known(1, 1), known(0, None, base=False)], [1, 2], [E, B], False),
        # It could be as good, and no better: what is proven stays.
        ([known(0, 0), known(0, 9), known(3, 3)], [1, 3, 2], [E, T, E], False),
        # It is not proven, and yet no other can beat it.
        ([known(1, 2), known(2, 2), known(2, 9)], [1, 2, 3], [T, E, T], False),
        ([known(1, 2), known(3, 3), known(4, 9)], [1, 2, 3], [T, E, T], True),
        # It is not proven, and worse all the same.
        ([known(0, 0), known(1, 9)], [1, 2], [E, T], True),
        # An estimate stands for what is not proven.
        ([known(1, 1), known(0, 9, estimate=0)], [2, 1], [E, T], False),
        ([known(1, 1), known(2, 9, estimate=0)], [1, 2], [E, T], True),
        # The prior counts as a cost does: ln 100 is between 4 and 5.
        ([known(0, 0), known(4, 4, prior=100)], [2, 1], [E, E], True),
        ([known(0, 0), known(5, 5, prior=100)], [1, 2], [E, E], True),
        ([known(0, 0), known(4, 9, prior=100)], [1, 2], [E, T], False),
        ([known(0, 9), known(4, 5, prior=10**6)], [2, 1], [C, T], True),
        ([known(5, 5), known(0, 0, prior=0)], [1, 2], [E, Standing.EXCLUDED], True),
    ],
)
def test_ranks(goals: list[GoalBounds], ranks: list[int], standings: list[Standing], exact: bool) -> None:
    assert ranked(*goals) == (ranks, standings, exact)


def test_the_settings_are_checked() -> None:
    for wrong in (
        {"beta": 0.0},
        {"beta": 1e-320},
        {"workers": 0},
        {"discard_cost": Fraction(-1)},
    ):
        with pytest.raises(ValueError):
            Settings(**wrong)  # type: ignore[arg-type]
