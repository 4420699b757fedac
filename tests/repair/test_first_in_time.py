"""Plans over time by greedy search."""

from __future__ import annotations

from fractions import Fraction

import pytest

from validator import check, solve

pytestmark = pytest.mark.planner

TOWN = """(define (domain town) (:requirements :durative-actions :typing :numeric-fluents) (:types car place)
  (:predicates (at ?c - car ?p - place) (road ?a ?b - place) (tidy ?p - place) (free ?c - car))
  (:functions (way ?a ?b - place) (fuel ?c - car))
  (:durative-action drive :parameters (?c - car ?a ?b - place) :duration (= ?duration (way ?a ?b))
    :condition (and (at start (at ?c ?a)) (at start (road ?a ?b)) (over all (>= (fuel ?c) 0))
      (at start (>= (fuel ?c) (way ?a ?b))))
    :effect (and (at start (not (at ?c ?a))) (at end (at ?c ?b)) (at end (decrease (fuel ?c) ?duration))))
  (:durative-action fill :parameters (?c - car) :duration (= ?duration 3) :condition (at start (free ?c))
    :effect (and (at start (not (free ?c))) (at end (free ?c)) (at end (increase (fuel ?c) 10))))
  (:durative-action sweep :parameters (?c - car ?p - place) :duration (= ?duration 2)
    :condition (over all (at ?c ?p)) :effect (at end (tidy ?p))))"""


def town(cars: int, places: int, fact: str = "") -> str:
    """Return a problem in which each place of a ring is to be tidied."""
    ring = [(f"p{n}", f"p{(n + 1) % places}") for n in range(places)]
    return f"""(define (problem ring) (:domain town)
      (:objects {" ".join(f"c{n}" for n in range(cars))} - car {" ".join(f"p{n}" for n in range(places))} - place)
      (:init {" ".join(f"(at c{n} p0) (free c{n}) (= (fuel c{n}) 0)" for n in range(cars))}
        {" ".join(f"(road {a} {b}) (= (way {a} {b}) 5)" for a, b in ring)} {fact})
      (:goal (and {" ".join(f"(tidy p{n})" for n in range(places))})))"""


def test_what_a_step_brings_about_at_its_start_it_does_not_need_before() -> None:
    lamp = """(define (domain lamp) (:requirements :durative-actions) (:predicates (lit) (done))
      (:durative-action burn :parameters () :duration (= ?duration 2)
        :condition (over all (lit)) :effect (and (at start (lit)) (at end (not (lit))) (at end (done)))))"""
    problem = "(define (problem p) (:domain lamp) (:init) (:goal (done)))"
    found = solve(lamp, problem)
    assert (found.cost, found.proven) == (2, True)


@pytest.mark.parametrize(("cars", "places"), [(1, 6), (3, 8)])
def test_a_plan_that_the_search_over_orders_does_not_find_is_there(cars: int, places: int) -> None:
    found = solve(TOWN, town(cars, places), time_limit=10)
    assert found.plan is not None and found.lower_bound is not None and found.cost is not None
    assert 0 < found.lower_bound <= found.cost
    assert check(TOWN, town(cars, places), "\n".join(map(str, found.plan))).determination


def test_a_plan_that_lacks_nearly_all_is_repaired() -> None:
    report = check(TOWN, town(1, 6), "0: (fill c0) [3]\n3.001: (sweep c0 p0) [2]", time_limit=10)
    assert report.determination is False and report.repaired_plan is not None
    assert check(TOWN, town(1, 6), "\n".join(map(str, report.repaired_plan))).determination
    assert "(fill c0)" in " ".join(map(str, report.repaired_plan)), "what fits stays"


def test_plans_begin_after_timed_facts_where_they_must() -> None:
    shut = town(1, 4).replace("(road p0 p1)", "(at 30 (road p0 p1))")
    found = solve(TOWN, shut, time_limit=10)
    assert found.plan is not None and found.cost is not None and found.cost > Fraction(30)


@pytest.mark.parametrize("metric", ["(:metric maximize (total-time))", "(:metric minimize (fuel c0))"])
def test_where_the_cheapest_cost_is_not_known_there_is_a_plan(metric: str) -> None:
    problem = town(1, 2).replace("(:goal", f"{metric} (:goal")
    found = solve(TOWN, problem, time_limit=10)
    assert found.plan is not None and (found.proven, found.lower_bound) == (False, None)
    assert found.reason.startswith("the cheapest cost is not known")
    assert check(TOWN, problem, "\n".join(map(str, found.plan))).cost == found.cost
