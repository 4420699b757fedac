"""Several goals at once, and bounds by linear programs, beside the definitions and the oracle's costs."""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations
from math import exp, prod

import pytest

from tests.support.depth import some
from tests.support.edit_oracle import KINDS, random_case
from tests.support.laws import is_in
from tests.support.recognition_oracle import RecognitionOracle, random_problem
from validator.model.values import And
from validator.recognize import Method, Settings, Standing, Verdict, recognize
from validator.recognize.goal_sets import together

pytestmark = pytest.mark.planner


@pytest.mark.parametrize(("kind", "seed"), some([(kind, seed) for seed in range(6) for kind in KINDS], 2))
def test_the_best_sets_are_the_most_probable(kind: str, seed: int) -> None:
    problem, oracle = random_problem(kind, seed), RecognitionOracle(*random_case(kind, seed)[:2])
    goals = problem.hypotheses
    total = sum(float(one.prior) for one in goals)
    weights = {}
    for size in (1, 2):
        for some_goals in combinations(goals, size):
            goal = And(tuple(one.goal for one in some_goals))
            base = oracle.without(goal)
            cost = oracle.explaining(goal, problem.observations, Fraction(2))
            prior = prod(float(one.prior) / total for one in some_goals)
            lines = tuple(sorted(line for one in some_goals for line in one.lines))
            weights[lines] = 0.0 if base is None or cost is None else prior * exp(base - cost)
    found = recognize(together(problem, 2), Settings())
    if not any(weights.values()):
        assert found.verdict is Verdict.NO_HYPOTHESIS_EXPLAINS
        return
    lines_of = [one.hypothesis.lines for one in found.candidates]
    expected = {lines for lines in lines_of if weights[lines] >= max(weights.values()) * (1 - 1e-9)}
    assert found.exact and {lines_of[at] for at in found.best} == expected


def test_too_many_sets_are_refused() -> None:
    problem = random_problem("strips", 3)
    assert together(problem, 1) is problem
    with pytest.raises(ValueError, match="at most 500 are compared"):
        together(type(problem)(model=problem.model, hypotheses=problem.hypotheses * 20), 5)


@pytest.mark.parametrize(("kind", "seed"), some([(kind, seed) for seed in range(5) for kind in KINDS], 4))
def test_the_bounds_of_linear_programs_hold(kind: str, seed: int) -> None:
    problem, oracle = random_problem(kind, seed), RecognitionOracle(*random_case(kind, seed)[:2])
    found = recognize(problem, Settings(method=Method.LINEAR, discard_cost=Fraction(1), margin=10.0**6))
    assert {one.standing for one in found.candidates} <= {Standing.NOT_SEARCHED, Standing.EXACT, Standing.UNSOLVABLE}
    for hypothesis, one in zip(problem.hypotheses, found.candidates, strict=True):
        base = oracle.without(hypothesis.goal)
        total = oracle.explaining(hypothesis.goal, problem.observations, Fraction(1))
        if base is not None and total is not None:
            assert is_in(one.base, base) and is_in(one.delta, total - base), (kind, seed, one)
