"""Linear programs that count operators: bounds that hold, beside the oracle's costs on random models."""

from __future__ import annotations

from fractions import Fraction
from math import exp

import pytest

from tests.recognize.test_recognize_oracle import HALF, ONE, TWO, WIDE, ZERO, oracle_of
from tests.support.depth import some
from tests.support.recognition_oracle import random_problem
from validator.recognize import Method, Order, Settings, Standing, Verdict, recognize

pytestmark = pytest.mark.planner

CASES = [(kind, seed) for seed in range(5) for kind in ("strips", "adl", "conditional", "axioms")]


@pytest.mark.parametrize("missing", [ZERO, HALF])
@pytest.mark.parametrize(("kind", "seed"), some(CASES, 4))
def test_the_bounds_hold(kind: str, seed: int, missing: Fraction) -> None:
    problem, oracle = random_problem(kind, seed), oracle_of(kind, seed)
    order = Order.NONE if seed % 3 == 0 else Order.TOTAL
    settings = Settings(method=Method.LINEAR, discard_cost=ONE, missing_cost=missing, order=order, margin=WIDE)
    found = recognize(problem, settings)
    for hypothesis, one in zip(problem.hypotheses, found.candidates, strict=True):
        base = oracle.without(hypothesis.goal, missing)
        if base is None:
            continue
        explaining = oracle.in_any_order if order is Order.NONE else oracle.explaining
        total = explaining(hypothesis.goal, problem.observations, ONE, missing)
        assert one.base is not None and one.delta is not None and total is not None
        assert one.base.lower <= base and (one.base.upper is None or base <= one.base.upper)
        assert one.delta.lower <= total - base
        assert one.delta.upper is None or total - base <= one.delta.upper


@pytest.mark.parametrize(("kind", "seed"), some(CASES, 3))
def test_searches_that_end_at_once_leave_true_bounds_and_the_truth_about_them(kind: str, seed: int) -> None:
    problem, oracle = random_problem(kind, seed), oracle_of(kind, seed)
    found = recognize(problem, Settings(method=Method.SOFT, search_limit=1e-6))
    costs = []
    for hypothesis, one in zip(problem.hypotheses, found.candidates, strict=True):
        base = oracle.without(hypothesis.goal, ZERO)
        total = oracle.explaining(hypothesis.goal, problem.observations, TWO, ZERO)
        costs.append(None if base is None or total is None else total - base)
        if base is not None and total is not None and one.delta is not None:
            assert one.delta.lower <= total - base
            assert one.delta.upper is None or total - base <= one.delta.upper
    if found.exact and found.verdict is Verdict.RANKED:
        priors = [float(one.prior) for one in problem.hypotheses]
        weights = [0.0 if cost is None else prior * exp(-cost) for cost, prior in zip(costs, priors, strict=True)]
        assert found.best == tuple(at for at, one in enumerate(weights) if one >= max(weights) * (1 - 1e-9))


def test_the_method_itself_searches_for_nothing() -> None:
    problem = random_problem("strips", 3)
    found = recognize(problem, Settings(method=Method.LINEAR))
    assert {one.standing for one in found.candidates} <= {Standing.NOT_SEARCHED, Standing.EXACT, Standing.UNSOLVABLE}
