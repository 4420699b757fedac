"""Attacks on recognition where not all that was seen was understood: what is claimed holds whatever the rest means.

Observations are taken out of what is asked, and a piece that was not understood is told instead; the brute force knows
them all.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from fractions import Fraction
from math import exp
from random import Random

from benchmarks.attacks.kind import Kind, outcome
from benchmarks.attacks.measured import TooManyStatesError, measured_case
from benchmarks.attacks.ordered import Ordered, least_of, varied
from tests.support.edit_oracle import CHEAP, DEAR, random_case
from tests.support.edit_oracle import KINDS as MODELS
from tests.support.recognition_oracle import random_problem
from validator.checking.report import Interval
from validator.reading.plan import Step
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
    follow,
    recognize,
)

__all__ = ["KINDS"]

_NEAR = 1e-9
"""what is computed with logarithms may be off by"""

_COSTLY = (Method.SOFT, Method.EXACT)


def _attack(seed: int) -> Iterator[str]:
    kind, number, draw = MODELS[seed % 4], seed // 4, Random(f"glimpsed {seed}")
    dear = (CHEAP, DEAR)[seed % 5 // 3]
    oracle = Ordered(*random_case(kind, number, dear)[:2])
    yield from _asked(draw, *varied(random_problem(kind, number, dear), draw), oracle)


def _measured(seed: int) -> Iterator[str]:
    draw = Random(f"glimpsed numbers {seed}")
    case = measured_case(seed, draw)
    if case is None:
        return
    problem, settings, oracle, order = case
    try:
        yield from _asked(draw, problem, settings, order, oracle)
    except TooManyStatesError:
        return


def _asked(
    draw: Random, problem: RecognitionProblem, settings: Settings, order: Order, oracle: Ordered
) -> Iterator[str]:
    """Ask without what was not understood, and compare with all that was seen."""
    whole = replace(problem, observations=_with_more(draw, problem, order))
    part = replace(problem, missed=("a piece",))
    if order is not Order.PARTIAL and problem.observations and draw.random() < 0.2:
        *_, found = follow(replace(problem, observations=()), _arriving(draw, problem.observations), settings)
    else:
        found = recognize(part, settings)
    yield _compared(whole, found, settings, oracle, order)
    if settings.method in _COSTLY:
        at = draw.randrange(len(problem.hypotheses))
        yield _completed(part, whole, settings, oracle, order, at)


def _with_more(draw: Random, problem: RecognitionProblem, order: Order) -> tuple[Observation, ...]:
    """Return the observations with others between them; behind them where each says which came before."""
    found = list(problem.observations)
    for _ in range(draw.choice((0, 1, 1, 2))):
        name = draw.choice(list(problem.model.domain.actions))
        known = [replace(one, after=frozenset(), price=None) for one in problem.observations]
        more = draw.choice([*known, *[Observation(text=f"({name})", step=Step(name=name))] * 3])
        found.insert(len(found) if order is Order.PARTIAL else draw.randint(0, len(found)), more)
    return tuple(found)


def _arriving(draw: Random, seen: Sequence[Observation]) -> Iterator[Observation | str]:
    """Yield observations one by one, with a piece that was not understood before the last one at the latest."""
    place = draw.randrange(len(seen))
    for at, one in enumerate(seen):
        if at == place:
            yield "a piece"
        yield one


def _compared(whole: RecognitionProblem, found: Recognition, settings: Settings, oracle: Ordered, order: Order) -> str:
    costs = [least_of(oracle, whole, one, found.method, settings, order) for one in whole.hypotheses]
    told = (settings, order, [(str(one), one.after, one.price) for one in whole.observations], costs, found)
    for one, (base, total) in zip(found.candidates, costs, strict=True):
        assert one.standing is not Standing.UNSOLVABLE or base is None, told
        assert one.standing is not Standing.UNEXPLAINED or total is None, told
        if base is not None:
            assert _is_in(one.base, base), (told, one, base)
            assert total is None or _is_in(one.delta, total - base), (told, one)
        if one.standing is Standing.EXACT:
            assert one.delta is not None and total is not None and base is not None, told
            assert one.delta == Interval(lower=total - base, upper=total - base), (told, one)
    assert found.verdict is not Verdict.NO_HYPOTHESIS_EXPLAINS or all(None in pair for pair in costs), told
    if found.verdict is Verdict.NO_ANSWER:
        return outcome(False)
    deltas = [None if base is None or total is None else total - base for base, total in costs]
    if found.exact and found.verdict is Verdict.RANKED:
        least = min(delta for delta in deltas if delta is not None)
        assert found.best == tuple(at for at, delta in enumerate(deltas) if delta == least), told
    if all(delta is None or abs(delta) < 300 for delta in deltas):
        weights = [0.0 if delta is None else exp(-settings.beta * float(delta)) for delta in deltas]
        for one, weight in zip(found.candidates, weights, strict=True):
            if one.least is not None and one.most is not None and any(weights):
                assert one.least - _NEAR <= weight / sum(weights) <= one.most + _NEAR, (told, weights, one)
    is_told = [one.standing in (Standing.UNSOLVABLE, Standing.UNEXPLAINED, Standing.EXACT) for one in found.candidates]
    return outcome(found.exact or any(is_told))


def _is_in(bounds: Interval | None, cost: Fraction) -> bool:
    return bounds is None or (bounds.lower <= cost and (bounds.upper is None or cost <= bounds.upper))


def _completed(
    part: RecognitionProblem, whole: RecognitionProblem, settings: Settings, oracle: Ordered, order: Order, at: int
) -> str:
    """Complete the observations that were understood to a plan for one goal."""
    settings = replace(settings, missing_cost=Fraction(0))
    part, whole = (
        replace(one, observations=tuple(replace(seen, price=None) for seen in one.observations))
        for one in (part, whole)
    )
    found = complete(part, settings, at)
    _, least = least_of(oracle, whole, whole.hypotheses[at], settings.method, settings, order)
    told = (settings, order, [(str(one), one.after) for one in whole.observations], found, least)
    if found.plan is None:
        assert not found.proven or least is None, told
        return outcome(found.proven)
    end = oracle.run(map(str, found.plan))
    assert end is not None and oracle.meets(part.hypotheses[at].goal, end[0]), told
    if found.proven:
        cost = sum(end[1]) + found.unexplained * (settings.discard_cost if settings.method is Method.SOFT else 0)
        assert cost == least, told
    return outcome(found.proven)


KINDS = (
    Kind(
        name="recognition: not all understood",
        against="Dijkstra over states and all observations",
        attack=_attack,
        share=5,
    ),
    Kind(
        name="recognition: numbers, not all understood",
        against="an interpreter of its own, all states and all observations",
        attack=_measured,
        share=4,
    ),
)
