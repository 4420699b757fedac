"""Recognition: goals, costs and odds with orders, prices and priors of their own, under limits."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from math import exp
from random import Random

import pytest

from tests.support.edit_oracle import CHEAP, DEAR, KINDS, random_case
from tests.support.laws import is_in, law
from tests.support.recognition_oracle import RecognitionOracle, random_problem
from validator.recognize import (
    Method,
    Observation,
    Order,
    Recognition,
    RecognitionProblem,
    Settings,
    Standing,
    Verdict,
    complete,
    recognize,
)

pytestmark = pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")  # alarms in destructors

NEAR = 1e-9  # what is computed with logarithms may be off by
METHODS = (Method.SOFT, Method.SOFT, Method.EXACT, Method.AUTO, Method.LINEAR)

Costs = tuple[Fraction | None, Fraction | None]
"""of the cheapest plan without the observations, and with them"""


@dataclass(frozen=True)
class Asked:
    """What is asked, the order that observations truly have, and the oracle."""

    problem: RecognitionProblem
    settings: Settings
    order: Order
    oracle: RecognitionOracle

    def costs(self, method: Method) -> list[Costs]:
        seen = self.problem.observations
        if self.order is Order.TOTAL:
            before = [frozenset(range(at)) for at in range(len(seen))]
        else:
            before = [frozenset()] * len(seen)
        paid = [self.settings.discard_cost if one.price is None else one.price for one in seen]
        prices = [None if method is Method.EXACT else price for price in paid]
        return [
            (
                self.oracle.without(one.goal),
                self.oracle.with_all(one.goal, seen, before, prices),
            )
            for one in self.problem.hypotheses
        ]


# --- what is asked ---------------------------------------------------------------------------------


def drawn(seed: int) -> tuple[Asked, Random]:
    """Return a question: observations with an order and prices of their own, goals with priors, any settings."""
    draw = Random(f"recognition {seed}")
    case = draw.choice(KINDS), draw.randrange(10**6), draw.choice((CHEAP, DEAR))
    problem, oracle = random_problem(*case), RecognitionOracle(*random_case(*case)[:2])
    if draw.random() < 0.5:
        priors = [Fraction(1), *(Fraction(draw.choice((1, 1, 0, 3, 40, 1000)), 7) for _ in problem.hypotheses[1:])]
        hypotheses = zip(problem.hypotheses, priors, strict=True)
        problem = replace(problem, hypotheses=tuple(replace(one, prior=prior) for one, prior in hypotheses))
    settings = Settings(
        discard_cost=Fraction(draw.choice((0, 1, 2, 4)), 2),
        beta=draw.choice((0.25, 1.0, 4.0)),
        margin=draw.choice((None, 0.0, 1.0)),
        workers=draw.choice((1, 2)),
    )
    limit = draw.choice(
        ({}, {}, {"time_limit": 10 ** draw.uniform(-2.5, -0.3)}, {"cpu_limit": 10 ** draw.uniform(-3, -1)})
    )
    settings = replace(settings, **limit)
    seen, order = ordered(problem, draw)
    method = draw.choice(METHODS)
    return Asked(
        replace(problem, observations=seen), replace(settings, method=method, order=order), order, oracle
    ), draw


def ordered(problem: RecognitionProblem, draw: Random) -> tuple[tuple[Observation, ...], Order]:
    """Return observations, one perhaps twice, with an order."""
    more = draw.sample(problem.observations, draw.choice((0, 0, 1)) if problem.observations else 0)
    seen = tuple(
        replace(one, price=Fraction(draw.choice((0, 1, 3)), 2) if draw.random() < 0.25 else None)
        for one in (*problem.observations, *more)
    )
    return seen, draw.choice(tuple(Order))


# --- what is said ----------------------------------------------------------------------------------


@law(6, quick=3)
def test_goals_costs_and_odds_are_those_of_every_plan(seed: int) -> None:
    asked, draw = drawn(seed)
    found = recognize(asked.problem, asked.settings)
    compare(asked, asked.problem, found, asked.costs(found.method))
    if asked.settings.method in (Method.SOFT, Method.EXACT):
        compare_completion(asked, draw)


def compare(asked: Asked, problem: RecognitionProblem, found: Recognition, costs: Sequence[Costs]) -> None:
    """Compare each goal's standing and bounds, the best goals, and what their odds lie between."""
    seen = [(str(one), one.price) for one in problem.observations]
    told = (asked.settings, asked.order, seen, costs, found)
    compare_bounds(problem, found, costs, told)
    assert found.verdict is not Verdict.NO_HYPOTHESIS_EXPLAINS or not any(
        None not in pair and one.prior for pair, one in zip(costs, problem.hypotheses, strict=True)
    ), told
    if found.verdict is Verdict.NO_ANSWER or any(part is not None and part > 300 for pair in costs for part in pair):
        return  # too far apart for the exponents here
    weights = [weight(asked, problem, at, *pair) for at, pair in enumerate(costs)]
    if not any(weights):
        return
    if found.exact and found.verdict is Verdict.RANKED:
        best = tuple(at for at, one in enumerate(weights) if one >= max(weights) * (1 - NEAR))
        assert found.best == best, (told, weights)
    for one, true in zip(found.candidates, weights, strict=True):
        if one.least is not None and one.most is not None:
            assert one.least - NEAR <= true / sum(weights) <= one.most + NEAR, (told, weights, one)


def compare_bounds(problem: RecognitionProblem, found: Recognition, costs: Sequence[Costs], told: object) -> None:
    for hypothesis, one, (base, total) in zip(problem.hypotheses, found.candidates, costs, strict=True):
        assert one.standing is not Standing.UNSOLVABLE or base is None, told
        assert one.standing is not Standing.UNEXPLAINED or total is None, told
        assert one.standing is not Standing.EXCLUDED or not hypothesis.prior, told
        assert base is None or is_in(one.base, base), (told, one, base)
        assert base is None or total is None or is_in(one.delta, total - base), (told, one)
        assert one.standing is not Standing.EXACT or (one.delta is not None and one.delta.is_exact), (told, one)


def weight(asked: Asked, problem: RecognitionProblem, at: int, base: Fraction | None, total: Fraction | None) -> float:
    """Return how probable a goal is by the definition, before all are made to sum to 1."""
    one, beta = problem.hypotheses[at], asked.settings.beta
    if base is None or total is None:
        return 0.0
    return float(one.prior) * exp(beta * float(base - total))


def compare_completion(asked: Asked, draw: Random) -> None:
    """Complete observations to a plan for one goal."""
    at, seen = draw.randrange(len(asked.problem.hypotheses)), asked.problem.observations
    problem = replace(asked.problem, observations=tuple(replace(one, price=None) for one in seen))
    asked = replace(asked, problem=problem)
    found = complete(replace(problem, hypotheses=problem.hypotheses[at:]), asked.settings)
    _, least = asked.costs(asked.settings.method)[at]
    told = (asked.settings, asked.order, list(map(str, seen)), found, least)
    if found.plan is None:
        assert not found.proven or least is None, told
        return
    state, paid = asked.oracle.init, Fraction(0)
    for step in found.plan:
        state, price = next(way[1:] for way in asked.oracle.successors(state) if str(way[0]) == str(step))
        paid += price
    assert asked.oracle.meets(problem.hypotheses[at].goal, state), told
    cost = paid + found.unexplained * (asked.settings.discard_cost if asked.settings.method is Method.SOFT else 0)
    assert found.cost == paid and least is not None and cost >= least, told
    assert cost == least or not found.proven, told
