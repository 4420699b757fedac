"""Attacks on which goals are the best, with what bounds: priors, both posteriors, margins, and limits that are met."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import replace
from fractions import Fraction
from math import exp

from benchmarks.attacks.kind import Kind, outcome
from tests.support.edit_oracle import CHEAP, DEAR, random_case
from tests.support.edit_oracle import KINDS as MODELS
from tests.support.recognition_oracle import RecognitionOracle, random_problem
from validator.checking.report import Interval
from validator.recognize import (
    Hypothesis,
    Method,
    Observation,
    Order,
    Posterior,
    Recognition,
    RecognitionProblem,
    Settings,
    Standing,
    recognize,
)

__all__ = ["KINDS"]

_PRIORS = (1, 1, 1, 0, 3, 40, 1000)

_NEAR = 1e-9
"""what is computed with logarithms may be off by"""


def _attack(seed: int) -> Iterator[str]:
    kind, number, draw = MODELS[seed % 4], seed // 4, random.Random(f"recognised {seed}")
    prices = (CHEAP, DEAR)[seed % 5 // 3]
    problem = random_problem(kind, number, prices)
    oracle = RecognitionOracle(*random_case(kind, number, prices)[:2])
    priors = [Fraction(draw.choice(_PRIORS), 7) for _ in problem.hypotheses[1:]]
    hypotheses = zip(problem.hypotheses, (Fraction(1), *priors), strict=True)
    problem = replace(problem, hypotheses=tuple(replace(one, prior=prior) for one, prior in hypotheses))
    for posterior in Posterior:
        seen = tuple(one for one in problem.observations if one.fact is None or posterior is Posterior.DIFFERENCE)
        settings = _settings(draw, posterior)
        yield _compared(replace(problem, observations=seen), settings, oracle)


def _settings(draw: random.Random, posterior: Posterior) -> Settings:
    is_plain = posterior is Posterior.RG2010
    found = Settings(
        posterior=posterior,
        discard_cost=Fraction(draw.choice((0, 1, 2, 4)), 2),
        missing_cost=Fraction(0) if is_plain else Fraction(draw.choice((0, 0, 1)), 2),
        beta=draw.choice((0.25, 1.0, 4.0)),
        margin=draw.choice((None, 0.0, 1.0)),
        method=draw.choice((Method.AUTO, Method.EXACT)) if is_plain else draw.choice((Method.SOFT, Method.EXACT)),
        workers=draw.choice((1, 2)),
    )
    if found.method is Method.SOFT and draw.random() < 0.5:
        found = replace(found, order=Order.NONE)
    match draw.randrange(4):
        case 0:
            return replace(found, time_limit=10 ** draw.uniform(-2.5, -0.3))
        case 1:
            return replace(found, cpu_limit=10 ** draw.uniform(-3, -1))
        case 2:
            return replace(found, search_limit=10 ** draw.uniform(-3, -1.5))
    return found


def _compared(problem: RecognitionProblem, settings: Settings, oracle: RecognitionOracle) -> str:
    found = recognize(problem, settings)
    costs = [_costs(oracle, one, problem.observations, found.method, settings) for one in problem.hypotheses]
    told = (settings, costs, found)
    for hypothesis, one, (base, total) in zip(problem.hypotheses, found.candidates, costs, strict=True):
        assert one.standing is not Standing.UNSOLVABLE or base is None, told
        assert one.standing is not Standing.UNEXPLAINED or total is None, told
        assert one.standing is not Standing.EXCLUDED or not hypothesis.prior, told
        if base is not None:
            assert _is_in(one.base, base), (told, one, base)
            assert total is None or _is_in(one.delta, total - base), (told, one)
        assert one.standing is not Standing.EXACT or (one.delta is not None and one.delta.is_exact), (told, one)
    if any(isinstance(part, Fraction) and part > 300 for pair in costs for part in pair):
        return outcome(found.exact)  # too far apart for the exponents here
    _probable(found, _weights(oracle, problem, costs, found.method, settings), told)
    return outcome(found.exact)


def _probable(found: Recognition, weights: Sequence[float], told: object) -> None:
    if found.exact and any(weights):
        best = tuple(at for at, one in enumerate(weights) if one >= max(weights) * (1 - _NEAR))
        assert found.best == best, (told, weights)
    for one, true in zip(found.candidates, weights, strict=True):
        if one.least is not None and one.most is not None and any(weights):
            assert one.least - _NEAR <= true / sum(weights) <= one.most + _NEAR, (told, weights, one)


def _is_in(bounds: Interval | None, cost: Fraction) -> bool:
    return bounds is None or (bounds.lower <= cost and (bounds.upper is None or cost <= bounds.upper))


def _costs(
    oracle: RecognitionOracle, one: Hypothesis, seen: Sequence[Observation], method: Method, settings: Settings
) -> tuple[Fraction | None, Fraction | None]:
    """Return what the cheapest plan costs without the observations, and with them."""
    own = settings.missing_cost
    base = oracle.without(one.goal, own)
    price = None if method is Method.EXACT else settings.discard_cost
    if settings.order is Order.NONE:
        assert price is not None
        return base, oracle.in_any_order(one.goal, seen, price, own)
    return base, oracle.explaining(one.goal, seen, price, own)


def _weights(
    oracle: RecognitionOracle,
    problem: RecognitionProblem,
    costs: Sequence[tuple[Fraction | None, Fraction | None]],
    method: Method,
    settings: Settings,
) -> list[float]:
    """Return how probable each goal is by the definition, before they are made to sum to 1."""
    found = []
    for one, (base, total) in zip(problem.hypotheses, costs, strict=True):
        if base is None or total is None:
            found.append(0.0)
        elif settings.posterior is Posterior.DIFFERENCE:
            found.append(float(one.prior) * exp(settings.beta * float(base - total)))
        else:
            other = oracle.avoiding(one.goal, problem.observations)
            found.append(
                float(one.prior) * (1.0 if other is None else 1 / (1 + exp(settings.beta * float(total - other))))
            )
    return found


KINDS = (
    Kind(
        name="recognition: best goals, bounds, limits",
        against="Dijkstra over states and observations",
        attack=_attack,
        share=8,
    ),
)
