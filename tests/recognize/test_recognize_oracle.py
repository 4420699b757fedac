"""Costs with and without observations against the oracle, on random models; the laws that they obey."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from math import exp

import pytest
from hypothesis import given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

from tests.support.depth import deep, some
from tests.support.edit_oracle import CHEAP, DEAR, KINDS, random_case
from tests.support.recognition_oracle import RecognitionOracle, asked_of, random_problem
from validator.checking.prepared import prepare
from validator.checking.report import Interval
from validator.model.pddl import read_domain, read_problem
from validator.model.values import Formula, Model
from validator.recognize import (
    Candidate,
    Method,
    Observation,
    Order,
    Posterior,
    RecognitionProblem,
    Settings,
    Standing,
    Verdict,
    complete,
    follow,
    recognize,
)
from validator.repair.edit import Move

pytestmark = pytest.mark.planner

ZERO, HALF, ONE, TWO = Fraction(0), Fraction(1, 2), Fraction(1), Fraction(2)
WIDE = 10.0**6  # a margin that cuts nothing off


CASES = [(kind, seed) for kind in ("strips", "adl", "conditional", "axioms") for seed in range(4)]


def oracle_of(kind: str, seed: int, prices: Sequence[str] = CHEAP) -> RecognitionOracle:
    """Return the oracle for ``random_problem`` of the same."""
    domain, problem, _ = random_case(kind, seed, prices)
    return RecognitionOracle(domain, problem)


def exactly(value: Fraction) -> Interval:
    return Interval(lower=value, upper=value)


@pytest.mark.deep
@given(
    kind=st.sampled_from(["strips", "adl", "conditional", "axioms"]),
    seed=st.integers(0, 10**6),
    price=st.sampled_from([HALF, ONE, TWO]),
    missing=st.sampled_from([ZERO, HALF, ONE]),
)
@hypothesis_settings(max_examples=20)
def test_the_costs_are_the_oracles(kind: str, seed: int, price: Fraction, missing: Fraction) -> None:
    problem = random_problem(kind, seed)
    settings = Settings(method=Method.SOFT, discard_cost=price, missing_cost=missing, margin=WIDE)
    found, oracle = recognize(problem, settings), oracle_of(kind, seed)
    for hypothesis, one in zip(problem.hypotheses, found.candidates, strict=True):
        base = oracle.without(hypothesis.goal, missing)
        if base is None:
            assert one.standing is Standing.UNSOLVABLE
            continue
        total = oracle.explaining(hypothesis.goal, problem.observations, price, missing)
        assert total is not None
        assert (one.standing, one.base, one.delta) == (Standing.EXACT, exactly(base), exactly(total - base))
        check_edits(problem, one, price, missing)


def check_edits(problem: RecognitionProblem, one: Candidate, price: Fraction, missing: Fraction) -> None:
    """Check that the shown way explains what it says, at the price that it is said to have."""
    assert one.edits is not None and one.base is not None and one.delta is not None
    assert sum(edit.move is not Move.INSERT for edit in one.edits) == len(problem.observations)
    simulator = prepare(problem.model).simulator
    kept = [edit.token for edit in one.edits if edit.move is not Move.SKIP and edit.token.__class__.__name__ == "Step"]
    trace = simulator.run(kept)
    assert trace.is_sound and trace.cost is not None
    paid = sum(price for edit in one.edits if edit.move is Move.SKIP)
    paid += sum(missing for edit in one.edits if edit.move is Move.INSERT)
    assert trace.cost + paid == one.base.lower + one.delta.lower


@pytest.mark.parametrize(("kind", "seed"), some(CASES[::2], 2))
def test_every_observation_explained(kind: str, seed: int) -> None:
    problem = random_problem(kind, seed)
    found, oracle = recognize(problem, Settings(method=Method.EXACT, margin=WIDE)), oracle_of(kind, seed)
    for hypothesis, one in zip(problem.hypotheses, found.candidates, strict=True):
        base = oracle.without(hypothesis.goal, ZERO)
        total = oracle.explaining(hypothesis.goal, problem.observations, None, ZERO)
        if base is None:
            assert one.standing is Standing.UNSOLVABLE
        elif total is None:
            assert one.standing is Standing.UNEXPLAINED
            assert one.probability in (None, 0.0)
        else:
            assert (one.standing, one.delta) == (Standing.EXACT, exactly(total - base))


def _compare(problem: RecognitionProblem, settings: Settings, oracle: RecognitionOracle) -> None:
    """Compare costs of observations in any order, or a partial one, with the oracle's."""
    found = recognize(problem, settings)
    for hypothesis, one in zip(problem.hypotheses, found.candidates, strict=True):
        base = oracle.without(hypothesis.goal, HALF)
        if base is not None:
            total = oracle.in_any_order(hypothesis.goal, problem.observations, ONE, HALF)
            assert total is not None
            assert one.delta == exactly(total - base)


@pytest.mark.parametrize(("kind", "seed"), some(CASES[1::2], 2))
def test_observations_in_any_order(kind: str, seed: int) -> None:
    problem = random_problem(kind, seed)
    settings = Settings(method=Method.SOFT, order=Order.NONE, discard_cost=ONE, missing_cost=HALF, margin=WIDE)
    _compare(problem, settings, oracle_of(kind, seed))


@pytest.mark.parametrize(("kind", "seed"), some([(kind, seed) for seed in range(6) for kind in KINDS], 2))
def test_observations_in_a_partial_order(kind: str, seed: int) -> None:
    problem = random_problem(kind, seed)
    rng = random.Random(f"partial {kind} {seed}")
    places = list(range(len(problem.observations)))
    rng.shuffle(places)
    after = [frozenset(rng.sample(places[:at], rng.randint(0, at))) for at in range(len(places))]
    seen = tuple(replace(problem.observations[place], after=after[at]) for at, place in enumerate(places))
    renamed = {place: at for at, place in enumerate(places)}
    seen = tuple(replace(one, after=frozenset(renamed[place] for place in one.after)) for one in seen)
    problem = replace(problem, observations=seen)
    settings = Settings(method=Method.SOFT, order=Order.PARTIAL, discard_cost=ONE, missing_cost=HALF, margin=WIDE)
    _compare(problem, settings, oracle_of(kind, seed))


@pytest.mark.parametrize("seed", some(range(12), 3))
def test_the_posterior_of_2010(seed: int) -> None:
    problem = random_problem("strips", seed)
    problem = replace(problem, observations=tuple(one for one in problem.observations if one.fact is None))
    settings = Settings(posterior=Posterior.RG2010, margin=WIDE, beta=0.5)
    found, oracle = recognize(problem, settings), oracle_of("strips", seed)
    likelihoods = []
    for hypothesis in problem.hypotheses:
        total = oracle.explaining(hypothesis.goal, problem.observations, None, ZERO)
        other = oracle.avoiding(hypothesis.goal, problem.observations)
        if total is None:
            likelihoods.append(0.0)
        else:
            likelihoods.append(1.0 if other is None else 1 / (1 + 2.718281828459045 ** (0.5 * float(total - other))))
    if not any(likelihoods):
        assert found.verdict is Verdict.NO_HYPOTHESIS_EXPLAINS
        return
    weights = [one * float(goal.prior) for one, goal in zip(likelihoods, problem.hypotheses, strict=True)]
    shares = [weight / sum(weights) for weight in weights]
    assert [one.probability for one in found.candidates] == pytest.approx(shares)


@pytest.mark.parametrize("seed", some(range(8), 2))
@pytest.mark.parametrize("kind", KINDS)
def test_without_observations_the_goals_that_can_be_reached_are_equally_good(kind: str, seed: int) -> None:
    problem = replace(random_problem(kind, seed), observations=())
    found, oracle = recognize(problem, Settings(margin=WIDE)), oracle_of(kind, seed)
    reachable = [oracle.without(one.goal, ZERO) is not None for one in problem.hypotheses]
    assert [one.standing for one in found.candidates] == [
        Standing.EXACT if is_reachable else Standing.UNSOLVABLE for is_reachable in reachable
    ]
    assert found.best == tuple(index for index, is_reachable in enumerate(reachable) if is_reachable)
    assert found.exact


def test_the_posterior_of_2010_with_a_goal_that_always_holds_and_a_free_step() -> None:
    domain = read_domain(
        """(define (domain d) (:requirements :action-costs) (:predicates (p)) (:functions (total-cost))
        (:action free :parameters () :effect (and (p) (increase (total-cost) 0))))"""
    )
    text = "(define (problem q) (:domain d) (:init) (:goal (and)) (:metric minimize (total-cost)))"
    model = Model(domain=domain, problem=read_problem(text, domain))
    problem = asked_of("(or (p) (not (p)))\n(p)", "(free)", model)
    found = recognize(problem, Settings(posterior=Posterior.RG2010))
    assert [one.probability for one in found.candidates] == pytest.approx([1 / 3, 2 / 3])


# --- laws ------------------------------------------------------------------------------------------


def deltas(problem: RecognitionProblem, **settings: object) -> list[Fraction | None]:
    found = recognize(problem, Settings(margin=WIDE, **settings))  # type: ignore[arg-type]
    return [None if one.delta is None else one.delta.lower for one in found.candidates]


@pytest.mark.parametrize("seed", some(range(4, 8), 1))
def test_a_higher_price_never_costs_less_and_never_more_than_to_explain_all(seed: int) -> None:
    problem = random_problem("adl", seed)
    strict = deltas(problem, method=Method.EXACT)
    low = deltas(problem, method=Method.SOFT, discard_cost=HALF)
    high = deltas(problem, method=Method.SOFT, discard_cost=Fraction(1000))
    for most, small, great in zip(strict, low, high, strict=True):
        if small is None or great is None:
            assert most is None
            continue
        assert 0 <= small <= great
        assert small <= HALF * len(problem.observations)
        if most is not None:
            assert small <= most and great == most


@pytest.mark.parametrize("seed", some(range(4, 8), 1))
def test_an_observation_that_nothing_explains_costs_its_price_for_every_goal(seed: int) -> None:
    problem = random_problem("strips", seed)
    noise = Observation(text="(fly)", fault="unknown action 'fly'", price=Fraction(3, 2))
    noisy = replace(problem, observations=(noise, *problem.observations))
    before, after = deltas(problem, method=Method.SOFT), deltas(noisy, method=Method.SOFT)
    assert after == [None if delta is None else delta + Fraction(3, 2) for delta in before]


@pytest.mark.deep
@pytest.mark.parametrize(("kind", "seed"), [("strips", 9), ("adl", 10), ("conditional", 11), ("strips", 12)])
def test_following_says_the_same_as_beginning_anew(kind: str, seed: int) -> None:
    problem, settings = random_problem(kind, seed), Settings(method=Method.SOFT, margin=WIDE, missing_cost=HALF)
    answers = list(follow(replace(problem, observations=()), problem.observations, settings))
    assert len(answers) == len(problem.observations) + 1
    for number, answer in enumerate(answers):
        if number:
            anew = recognize(replace(problem, observations=problem.observations[:number]), settings)
            assert [one.delta for one in answer.candidates] == [one.delta for one in anew.candidates]
            assert answer.best == anew.best


@pytest.mark.parametrize("workers", [1, 3])
def test_the_order_of_the_goals_does_not_matter(workers: int) -> None:
    problem = random_problem("strips", 3)
    turned = replace(problem, hypotheses=tuple(reversed(problem.hypotheses)))
    one, other = (recognize(each, Settings(margin=WIDE, workers=workers)) for each in (problem, turned))
    assert [each.probability for each in one.candidates] == [each.probability for each in reversed(other.candidates)]
    assert sum(each.probability or 0.0 for each in one.candidates) == pytest.approx(1.0)


# --- priors ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("posterior", list(Posterior))
@pytest.mark.parametrize(("kind", "seed"), some([(kind, seed) for kind in KINDS for seed in range(4)], 2))
def test_the_best_are_the_most_probable(kind: str, seed: int, posterior: Posterior) -> None:
    problem = random_problem(kind, seed)
    rng = random.Random(f"priors {kind} {seed}")
    priors = [Fraction(rng.choice((0, 1, 3, 40, 1000)), 7) for _ in problem.hypotheses[1:]]
    priors.insert(0, Fraction(1))
    problem = replace(
        problem,
        hypotheses=tuple(replace(one, prior=prior) for one, prior in zip(problem.hypotheses, priors, strict=True)),
        observations=tuple(one for one in problem.observations if one.fact is None or posterior.value == "difference"),
    )
    found, oracle = recognize(problem, Settings(posterior=posterior)), oracle_of(kind, seed)
    weights = [weight(oracle, problem, one.goal, posterior) * float(one.prior) for one in problem.hypotheses]
    if not any(weights):
        assert found.verdict is Verdict.NO_HYPOTHESIS_EXPLAINS
        return
    assert found.exact
    assert found.best == tuple(at for at, one in enumerate(weights) if one >= max(weights) * (1 - 1e-9))
    for one, true in zip(found.candidates, weights, strict=True):
        assert one.least is not None and one.most is not None and one.probability is not None
        assert one.least - 1e-9 <= true / sum(weights) <= one.most + 1e-9
        assert one.probability == pytest.approx(true / sum(weights), abs=0.03)
    order = [found.candidates[at].probability for at in found.ranking()]
    assert order == sorted(order, key=lambda value: -(value or 0.0))


@pytest.mark.parametrize(("kind", "seed"), some([(kind, seed) for kind in KINDS for seed in range(4)], 2))
def test_ties_are_in_the_order_of_what_is_seen_of_a_plan(kind: str, seed: int) -> None:
    """The integral, over the share of steps that is seen, of seeing just these: summed over its hundredths."""
    problem = random_problem(kind, seed)
    found = recognize(problem, Settings())
    oracle, steps = oracle_of(kind, seed), sum(one.fact is None for one in problem.observations)
    chances = {}
    for at in found.best:
        base, delta = oracle.without(problem.hypotheses[at].goal, ZERO), found.candidates[at].delta
        assert base is not None and delta is not None and delta.is_exact
        seen = max(0.0, steps - float(delta.lower) / 2)
        missed = max(0.0, float(base) - seen)
        chances[at] = sum((share / 500) ** seen * (1 - share / 500) ** missed for share in range(1, 500)) / 500
    assert found.exact and {found.candidates[at].rank for at in found.best} <= {1}
    first = [chances[at] for at in found.ranking()[: len(found.best)]]
    if steps:
        assert first == pytest.approx(sorted(first, reverse=True), rel=1e-3)
        for at in found.best[1:] and found.best:
            assert found.candidates[at].tie_odds == pytest.approx(max(first) / chances[at], rel=0.05)


def weight(oracle: RecognitionOracle, problem: RecognitionProblem, goal: Formula, posterior: Posterior) -> float:
    """Return the likelihood of the observations by the definition."""
    if posterior is Posterior.DIFFERENCE:
        base = oracle.without(goal, ZERO)
        total = oracle.explaining(goal, problem.observations, TWO, ZERO)
        return 0.0 if base is None or total is None else exp(base - total)
    total, other = (
        oracle.explaining(goal, problem.observations, None, ZERO),
        oracle.avoiding(goal, problem.observations),
    )
    if total is None:
        return 0.0
    return 1.0 if other is None else 1 / (1 + exp(total - other))


@pytest.mark.parametrize(
    ("kind", "seed"), [("conditional", 47), *(deep(kind, seed) for kind in KINDS for seed in range(4))]
)
def test_a_completion_explains_as_much_as_can_be_whatever_that_costs(kind: str, seed: int) -> None:
    problem = random_problem(kind, seed, DEAR)
    oracle, dear = oracle_of(kind, seed, DEAR), Fraction(10**12)
    for number, hypothesis in enumerate(problem.hypotheses):
        found = complete(problem, hypothesis=number)
        least = oracle.explaining(hypothesis.goal, problem.observations, dear, ZERO)
        assert found.proven
        assert (found.plan is None) is (least is None)
        assert least is None or (found.unexplained, found.cost) == (least // dear, least % dear)
