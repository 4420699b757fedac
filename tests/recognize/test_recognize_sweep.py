"""One search for all goals: its costs beside the oracle's, and bounds that hold when it is ended."""

from __future__ import annotations

import time
from fractions import Fraction

import pytest

from tests.recognize.test_recognize_oracle import ONE, ZERO, oracle_of
from tests.support.depth import some
from tests.support.recognition_oracle import random_problem
from validator.grounding.planner import Limits
from validator.recognize.problem import Order
from validator.recognize.search.compile import Compiler
from validator.recognize.search.grounded import Grounded, ground_once
from validator.recognize.search.observed import observed
from validator.recognize.search.states.sweep import Sweep

pytestmark = pytest.mark.planner

CASES = [(kind, seed) for seed in range(5) for kind in ("strips", "adl")]


@pytest.mark.parametrize(("seconds", "left"), [(60.0, 60.0), (0.0, 60.0), (60.0, 0.0)])
@pytest.mark.parametrize("price", [ONE, None])
@pytest.mark.parametrize(("kind", "seed"), some(CASES, 3))
def test_all_costs_at_once(kind: str, seed: int, price: Fraction | None, seconds: float, left: float) -> None:
    problem = random_problem(kind, seed)
    seen = tuple(one for one in problem.observations if one.fact is None)
    grounded = ground_once(problem, (), Limits(deadline=time.monotonic() + 60, memory=2**31))
    assert isinstance(grounded, Grounded)
    found = observed(problem, grounded, seen, price=price, missing=ZERO, order=Order.TOTAL)
    sweep = Sweep(compiler=Compiler(grounded=grounded, observed=found))
    if not sweep.is_possible:
        return
    oracle, matched = oracle_of(kind, seed), tuple(seen[one.index] for one in found.seen)
    every = sweep.run(grounded.goals, seconds, deadline=time.monotonic() + left)
    for hypothesis, one in zip(problem.hypotheses, every, strict=True):
        base = oracle.without(hypothesis.goal, ZERO)
        total = oracle.explaining(hypothesis.goal, matched, price, ZERO)
        for is_met, cost, true in ((one.is_base_met, one.base, base), (one.is_total_met, one.total, total)):
            if is_met or cost is None:
                assert cost == true
            else:
                assert not (seconds and left) and (true is None or cost <= true)
