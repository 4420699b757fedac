"""Goals in models with numbers, against a search over places and fuel that knows nothing of PDDL."""

from __future__ import annotations

import heapq
import random
from dataclasses import replace
from fractions import Fraction
from itertools import count

import pytest

from tests.support.depth import some
from validator.errors import UnsupportedError
from validator.grounding.limits import Status
from validator.model.pddl import read_domain, read_problem
from validator.model.values import Model
from validator.recognize import (
    Method,
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
from validator.recognize.given.reading import read_goals, read_observations
from validator.recognize.search import numbers

DOMAIN = """
(define (domain drive) (:requirements :typing :numeric-fluents) (:types place)
  (:predicates (at ?x - place) (road ?x ?y - place)) (:functions (fuel) (spent))
  (:action go :parameters (?x ?y - place) :precondition (and (at ?x) (road ?x ?y) (>= (fuel) 2))
    :effect (and (not (at ?x)) (at ?y) (decrease (fuel) 2) (increase (spent) 1)))
  (:action refuel :parameters () :precondition (<= (fuel) 3)
    :effect (and (increase (fuel) 3) (increase (spent) 2))))
"""
PLACES = "abcd"
WIDE = 10**6
Roads = frozenset[tuple[str, str]]


def problem_of(roads: Roads, fuel: int, seen: str, goals: str) -> RecognitionProblem:
    facts = "".join(f"(road {x} {y})" for x, y in sorted(roads))
    text = f"""(define (problem p) (:domain drive) (:objects {" ".join(PLACES)} - place)
      (:init (at a) {facts} (= (fuel) {fuel}) (= (spent) 0)) (:goal (and)) (:metric minimize (spent)))"""
    domain = read_domain(DOMAIN)
    model = Model(domain=domain, problem=read_problem(text, domain))
    return RecognitionProblem(
        model=model, hypotheses=read_goals(goals, "goals", model), observations=read_observations(seen, "seen", model)
    )


def cheapest(
    roads: Roads, fuel: int, goal: str, seen: list[str], price: Fraction | None, missing: Fraction, *, ordered: bool
) -> Fraction | None:
    """Return the least cost of reaching a goal, with observations: ``go x y``, ``refuel`` or ``holds fuel >= n``."""
    every = (1 << len(seen)) - 1
    queue: list[tuple[Fraction, int, str, int, int]] = [(Fraction(0), 0, "a", fuel, 0)]
    number, done = count(1), set[tuple[str, int, int]]()
    while queue:
        cost, _, place, left, behind = heapq.heappop(queue)
        if (place, left, behind) in done:
            continue
        done.add((place, left, behind))
        if behind == every and (place == goal or (goal.isdigit() and left >= int(goal))):
            return cost
        moves = [(f"go {x} {y}", y, left - 2, 1) for x, y in roads if x == place and left >= 2]
        moves += [("refuel", place, left + 3, 2)] * (left <= 3)
        for name, after, fuel_after, price_of in moves:
            heapq.heappush(queue, (cost + price_of + missing, next(number), after, fuel_after, behind))
            for at, one in enumerate(seen):
                if one == name and not behind >> at & 1 and (not ordered or behind == (1 << at) - 1):
                    heapq.heappush(queue, (cost + price_of, next(number), after, fuel_after, behind | 1 << at))
        for at, one in enumerate(seen):
            if not behind >> at & 1 and (not ordered or behind == (1 << at) - 1):
                if one.startswith("holds") and left >= int(one.split()[-1]):
                    heapq.heappush(queue, (cost, next(number), place, left, behind | 1 << at))
                if price is not None:
                    heapq.heappush(queue, (cost + price, next(number), place, left, behind | 1 << at))
    return None


def case(seed: int) -> tuple[Roads, int, list[str], list[str]]:
    rng = random.Random(f"numbers {seed}")
    pairs = [(x, y) for x in PLACES for y in PLACES if x != y]
    roads = frozenset(rng.sample(pairs, rng.randint(3, 7)))
    kinds = [*(f"go {x} {y}" for x, y in pairs), "refuel", "refuel", "holds 4", "holds 5", "refuel", "holds 6"]
    seen = [rng.choice(kinds) for _ in range(rng.randint(0, 3))]
    return roads, rng.randint(0, 4), seen, rng.sample(["a", "b", "c", "d", "5", "6", "9"], 3)


@pytest.mark.deep
@pytest.mark.planner
@pytest.mark.parametrize("seed", some(range(12), 3))
@pytest.mark.parametrize(("method", "missing"), [(Method.SOFT, 0), (Method.EXACT, 0), (Method.SOFT, 1)])
@pytest.mark.parametrize("ordered", [True, False])
def test_costs_and_the_best_are_those_of_brute_force(seed: int, method: Method, missing: int, ordered: bool) -> None:
    roads, fuel, seen, goals = case(seed)
    lines = "".join(f"holds (>= (fuel) {one[6:]})\n" if one.startswith("holds") else f"({one})\n" for one in seen)
    wanted = "".join(f"(>= (fuel) {one})\n" if one.isdigit() else f"(at {one})\n" for one in goals)
    order = Order.TOTAL if ordered else Order.NONE
    settings = Settings(method=method, missing_cost=Fraction(missing, 2), order=order, margin=WIDE)
    found = recognize(problem_of(roads, fuel, lines, wanted), settings)
    price, each = Fraction(2) if method is Method.SOFT else None, settings.missing_cost
    weights = []
    for goal, one in zip(goals, found.candidates, strict=True):
        base = cheapest(roads, fuel, goal, [], price, each, ordered=ordered)
        total = cheapest(roads, fuel, goal, seen, price, each, ordered=ordered)
        weights.append(None if base is None or total is None else total - base)
        if base is None:
            # What can never be observed ends the search before it is known that a goal is out of reach too.
            allowed = (Standing.UNSOLVABLE,) if price else (Standing.UNSOLVABLE, Standing.UNEXPLAINED)
            assert one.standing in allowed
        elif total is None:
            assert one.standing is Standing.UNEXPLAINED
        else:
            assert one.base is not None and one.delta is not None
            assert (one.base.lower, one.base.upper) == (base, base)
            assert (one.delta.lower, one.delta.upper) == (total - base, total - base)
    least = min((weight for weight in weights if weight is not None), default=None)
    best = tuple(at for at, weight in enumerate(weights) if weight is not None and weight == least)
    assert found.exact and found.best == best


LINE = frozenset((("a", "b"), ("b", "c"), ("b", "a")))


@pytest.mark.planner
def test_observations_are_completed_to_a_plan() -> None:
    problem = problem_of(LINE, 2, "(refuel)\n(go c d)\n", "(at c)\n")
    found = complete(problem)
    assert found.plan is not None and found.proven
    assert sorted(map(str, found.plan)) == ["(go a b)", "(go b c)", "(refuel)"]
    assert (found.cost, found.explained, found.unexplained) == (4, 1, 1)
    assert not complete(problem, Settings(method=Method.EXACT)).plan


def test_a_limit_that_is_met_while_grounding_is_no_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(numbers, "reachable_steps", lambda *_: Status.TIME_LIMIT)
    problem = problem_of(LINE, 2, "(refuel)\n", "(at c)\n")
    found = complete(problem)
    assert (found.status, found.plan, found.proven) == (Status.TIME_LIMIT, None, False)
    assert recognize(problem).reason == "the time limit was met while the model was grounded"


@pytest.mark.planner
def test_observations_may_come_one_by_one() -> None:
    problem = problem_of(LINE, 4, "(go a b)\n(go b c)\n", "(at c)\n(at b)\n(at a)\n")
    answers = list(follow(replace(problem, observations=()), problem.observations, Settings()))
    assert [one.best for one in answers] == [(0, 1, 2), (0, 1), (0,)]


@pytest.mark.planner
def test_what_is_not_met_in_time_has_bounds() -> None:
    problem = problem_of(LINE, 2, "(refuel)\n", "(at c)\n(at d)\n(>= (fuel) 100)\n")
    free = problem.model.domain.actions["refuel"]
    domain = replace_action(problem.model, free)
    found = recognize(replace(problem, model=domain), Settings(cpu_limit=0.3))
    assert found.verdict is Verdict.RANKED and not found.exact and 0 in found.best
    assert found.candidates[1].standing is Standing.BASE_UNKNOWN
    assert found.candidates[1].base is not None and found.candidates[1].base.upper is None


def replace_action(model: Model, action: object) -> Model:
    """Return the model in which fuel has no limit, so that its states have no end."""
    text = DOMAIN.replace(":precondition (<= (fuel) 3)", "")
    assert text != DOMAIN and action is not None
    return Model(domain=read_domain(text), problem=model.problem)


def test_what_no_search_is_for_is_not_known_in_words_that_are_true() -> None:
    problem = problem_of(LINE, 2, "(refuel)\n", "(at c)\n(at b)\n")
    for settings in (Settings(method=Method.LANDMARKS), Settings(posterior=Posterior.RG2010)):
        found = recognize(problem, settings)
        assert found.verdict is Verdict.NO_ANSWER and "needs the planner: it searches classical models" in found.reason
    timed = DOMAIN.replace(
        "(:action refuel", "(:durative-action wait :parameters () :duration (= ?duration 1))\n(:action refuel"
    )
    domain = read_domain(timed.replace(":numeric-fluents", ":numeric-fluents :durative-actions"))
    over_time = replace(problem, model=Model(domain=domain, problem=problem.model.problem))
    found = recognize(over_time)
    assert found.verdict is Verdict.NO_ANSWER and "without time" in found.reason and "durative-actions" in found.reason
    with pytest.raises(UnsupportedError, match="durative-actions"):
        complete(over_time)
