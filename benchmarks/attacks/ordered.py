"""Attacks on recognition where observations have a partial order or none, prices of their own, and by every method."""

from __future__ import annotations

import random
from collections.abc import Hashable, Iterator, Sequence
from dataclasses import replace
from fractions import Fraction

from benchmarks.attacks.kind import Kind, outcome
from tests.support.edit_oracle import CHEAP, DEAR, State, random_case
from tests.support.edit_oracle import KINDS as MODELS
from tests.support.recognition_oracle import RecognitionOracle, random_problem
from validator.checking.report import Interval
from validator.model.values import Formula
from validator.recognize import (
    Hypothesis,
    Method,
    Observation,
    Order,
    RecognitionProblem,
    Settings,
    Standing,
    Verdict,
    complete,
    recognize,
)

__all__ = ["KINDS", "Ordered", "compared", "completed", "least_of", "varied"]

_METHODS = (Method.SOFT, Method.SOFT, Method.EXACT, Method.AUTO, Method.LINEAR, Method.LANDMARKS, Method.UNIQUENESS)

Behind = frozenset[int]


class Ordered(RecognitionOracle):
    def with_all(
        self,
        goal: Formula,
        seen: Sequence[Observation],
        before: Sequence[Behind],
        prices: Sequence[Fraction | None],
        missing: Fraction,
    ) -> Fraction | None:
        """Return the least cost of a plan and of what it leaves unexplained; a price None allows that not to be."""
        every = frozenset(range(len(seen)))

        def moves(state: State, behind: Hashable) -> Iterator[tuple[Hashable, Fraction]]:
            assert isinstance(behind, frozenset)
            ready = [place for place in every - behind if before[place] <= behind]
            for step, after, cost in self.successors(state):
                yield (after, behind), cost + missing
                for place in ready:
                    wanted = seen[place].step
                    if wanted is not None and wanted.name == step.name:
                        yield (after, behind | {place}), cost
            for place in every - behind:
                price, fact = prices[place], seen[place].fact
                if place in ready and fact is not None and self.meets(fact, state):
                    yield (state, behind | {place}), Fraction(0)
                if price is not None:
                    yield (state, behind | {place}), price

        return self._cheapest(frozenset(), moves, lambda state, behind: behind == every and self.meets(goal, state))


def _attack(seed: int) -> Iterator[str]:
    kind, number, draw = MODELS[seed % 4], seed // 4, random.Random(f"ordered {seed}")
    dear = (CHEAP, DEAR)[seed % 5 // 3]
    problem = random_problem(kind, number, dear)
    oracle = Ordered(*random_case(kind, number, dear)[:2])
    problem, settings, order = varied(problem, draw)
    yield compared(problem, settings, oracle, order)
    if settings.method in (Method.SOFT, Method.EXACT):
        at = draw.randrange(len(problem.hypotheses))
        yield completed(problem, settings, oracle, order, at)


def varied(problem: RecognitionProblem, draw: random.Random) -> tuple[RecognitionProblem, Settings, Order]:
    """Give observations an order and prices of their own, and return how to compare the goals, and the true order."""
    seen = tuple(
        replace(one, price=Fraction(draw.choice((0, 1, 3)), 2) if draw.random() < 0.25 else None)
        for one in (
            *problem.observations,
            *draw.sample(problem.observations, draw.choice((0, 0, 1)) if problem.observations else 0),
        )
    )
    order = draw.choice((Order.TOTAL, Order.NONE, Order.PARTIAL, Order.PARTIAL))
    if order is Order.PARTIAL:
        places = draw.sample(range(len(seen)), len(seen))  # what comes first need not stand first
        earlier = {place: places[:at] for at, place in enumerate(places)}
        seen = tuple(
            replace(one, after=frozenset(draw.sample(earlier[at], draw.randint(0, min(2, len(earlier[at]))))))
            for at, one in enumerate(seen)
        )
        if not any(one.after for one in seen):
            order = Order.NONE
    settings = Settings(
        method=draw.choice(_METHODS),
        order=Order.NONE if order is Order.PARTIAL and draw.random() < 0.5 else order,
        discard_cost=Fraction(draw.choice((0, 1, 2, 4)), 2),
        missing_cost=Fraction(draw.choice((0, 0, 1)), 2),
        margin=draw.choice((None, 0.0, 1.0)),
        workers=draw.choice((1, 2)),
    )
    match draw.randrange(4):
        case 0:
            settings = replace(settings, time_limit=10 ** draw.uniform(-2.5, -0.3))
        case 1:
            settings = replace(settings, cpu_limit=10 ** draw.uniform(-3, -1))
    return replace(problem, observations=seen), settings, order


def _before(seen: Sequence[Observation], order: Order) -> list[Behind]:
    if order is Order.TOTAL:
        return [frozenset(range(at)) for at in range(len(seen))]
    found = [one.after if order is Order.PARTIAL else frozenset() for one in seen]
    for _ in seen:
        found = [own.union(*(found[place] for place in own)) for own in found]
    return found


def least_of(
    oracle: Ordered,
    problem: RecognitionProblem,
    one: Hypothesis,
    method: Method,
    settings: Settings,
    order: Order,
) -> tuple[Fraction | None, Fraction | None]:
    """Return what the cheapest plan costs without the observations, and with them."""
    seen = problem.observations
    prices = [
        None if method is Method.EXACT else settings.discard_cost if own.price is None else own.price for own in seen
    ]
    total = oracle.with_all(one.goal, seen, _before(seen, order), prices, settings.missing_cost)
    return oracle.without(one.goal, settings.missing_cost), total


def compared(problem: RecognitionProblem, settings: Settings, oracle: Ordered, order: Order) -> str:
    found = recognize(problem, settings)
    costs = [least_of(oracle, problem, one, found.method, settings, order) for one in problem.hypotheses]
    told = (settings, order, [(str(one), one.after, one.price) for one in problem.observations], costs, found)
    for one, (base, total) in zip(found.candidates, costs, strict=True):
        assert one.standing is not Standing.UNSOLVABLE or base is None, told
        assert one.standing is not Standing.UNEXPLAINED or total is None, told
        if base is not None:
            assert _is_in(one.base, base), (told, one, base)
            assert total is None or _is_in(one.delta, total - base), (told, one)
        assert one.standing is not Standing.EXACT or (one.delta is not None and one.delta.is_exact), (told, one)
    assert found.verdict is not Verdict.NO_HYPOTHESIS_EXPLAINS or all(None in pair for pair in costs), told
    if found.exact and found.verdict is Verdict.RANKED:
        deltas = [None if base is None or total is None else total - base for base, total in costs]
        least = min(delta for delta in deltas if delta is not None)
        assert found.best == tuple(at for at, delta in enumerate(deltas) if delta == least), told
    return outcome(found.exact)


def _is_in(bounds: Interval | None, cost: Fraction) -> bool:
    return bounds is None or (bounds.lower <= cost and (bounds.upper is None or cost <= bounds.upper))


def completed(problem: RecognitionProblem, settings: Settings, oracle: Ordered, order: Order, at: int) -> str:
    """Complete the observations to a plan for one goal, at their prices."""
    settings = replace(settings, missing_cost=Fraction(0))
    plain = replace(problem, observations=tuple(replace(one, price=None) for one in problem.observations))
    found = complete(plain, settings, at)
    _, least = least_of(oracle, plain, plain.hypotheses[at], settings.method, settings, order)
    told = (settings, order, [(str(one), one.after) for one in plain.observations], found, least)
    if found.plan is None:
        assert not found.proven or least is None, told
    else:
        assert found.cost is not None and least is not None, told
        cost = found.cost + found.unexplained * (settings.discard_cost if settings.method is Method.SOFT else 0)
        assert cost == least or (cost > least and not found.proven), told
        end = oracle.run(map(str, found.plan))
        assert end is not None and oracle.meets(plain.hypotheses[at].goal, end[0]), told
    return outcome(found.proven)


KINDS = (
    Kind(
        name="recognition: partial orders, own prices, every method",
        against="Dijkstra over states and sets of observations",
        attack=_attack,
        share=8,
    ),
)
