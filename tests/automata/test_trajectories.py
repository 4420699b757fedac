"""Classical models with trajectory constraints: planned, repaired and proven by the searches for classical models."""

from __future__ import annotations

import pytest

from tests.support.depth import some
from validator import check, prepare, solve
from validator.automata.properties import trajectories

pytestmark = pytest.mark.planner

DOMAIN = """(define (domain post) (:requirements :typing :constraints :negative-preconditions :derived-predicates :adl)
  (:types van parcel place)
  (:predicates (at ?v - van ?p - place) (road ?a ?b - place) (lies ?x - parcel ?p - place) (in ?x - parcel ?v - van)
    (busy ?v - van) (gone ?x - parcel))
  (:derived (gone ?x - parcel) (exists (?v - van) (in ?x ?v)))
  (:action drive :parameters (?v - van ?a ?b - place) :precondition (and (at ?v ?a) (road ?a ?b))
    :effect (and (not (at ?v ?a)) (at ?v ?b)))
  (:action load :parameters (?x - parcel ?v - van ?p - place)
    :precondition (and (at ?v ?p) (lies ?x ?p) (not (busy ?v)))
    :effect (and (not (lies ?x ?p)) (in ?x ?v) (busy ?v)))
  (:action drop :parameters (?x - parcel ?v - van ?p - place) :precondition (and (at ?v ?p) (in ?x ?v))
    :effect (and (lies ?x ?p) (not (in ?x ?v)) (not (busy ?v)))))"""


def post(constraints: str = "", places: int = 4, parcels: int = 2) -> str:
    """Return a problem on a ring of places, with a parcel for each of the last ones, all at the first."""
    ring = [(f"p{n}", f"p{(n + 1) % places}") for n in range(places)]
    roads = " ".join(f"(road {a} {b}) (road {b} {a})" for a, b in ring)
    lying = " ".join(f"(lies x{n} p0)" for n in range(parcels))
    goal = " ".join(f"(lies x{n} p{places - 1 - n})" for n in range(parcels))
    return f"""(define (problem ring) (:domain post)
      (:objects v1 v2 - van {" ".join(f"x{n}" for n in range(parcels))} - parcel
        {" ".join(f"p{n}" for n in range(places))} - place)
      (:init (at v1 p0) (at v2 p0) {roads} {lying}) (:goal (and {goal}))
      {f"(:constraints (and {constraints}))" if constraints else ""})"""


PLAN = """(load x0 v1 p0)
(drive v1 p0 p1)
(drive v1 p1 p2)
(drive v1 p2 p3)
(drop x0 v1 p3)
(load x1 v2 p0)
(drive v2 p0 p1)
(drive v2 p1 p2)
(drop x1 v2 p2)
"""

SETS = [
    ("(always (not (at v1 p3)))", 7, 6),
    ("(always (forall (?v - van) (not (and (at ?v p1) (busy ?v)))))", 7, 8),
    ("(sometime (at v2 p3))", 7, 1),
    ("(sometime (gone x0)) (sometime (and (gone x0) (gone x1)))", 7, 2),
    ("(forall (?v - van) (at-most-once (at ?v p0)))", 7, 0),
    ("(at-most-once (or (at v1 p1) (at v2 p1)))", 7, 4),
    ("(sometime-before (at v1 p2) (and (at v1 p1) (at v2 p3)))", 7, 2),
    ("(forall (?v - van) (sometime-after (busy ?v) (at ?v p1)))", 9, 3),
    ("(at end (forall (?v - van) (at ?v p0)))", 10, 3),
    ("(sometime-before (at v1 p0) (at v1 p1))", None, None),
    (
        "(sometime-before (lies x0 p3) (at v2 p1)) (always (imply (at v1 p1) (not (at v2 p1)))) (sometime (at v1 p1))",
        9,
        2,
    ),
]
"""constraints, what the cheapest plan costs, and in how many lines the nearest one differs, by a search by hand"""


@pytest.mark.parametrize(("constraints", "least", "edits"), some(SETS, 6))
def test_cheapest_and_nearest_plans_keep_constraints(constraints: str, least: int | None, edits: int | None) -> None:
    found = solve(DOMAIN, post(constraints), time_limit=60)
    assert (found.cost, found.proven) == (least, True)
    report = check(DOMAIN, post(constraints), PLAN, time_limit=60)
    assert report.determination is (edits == 0)
    if edits:
        assert (report.planner_response.cost, report.proven) == (edits, True)
        assert check(DOMAIN, post(constraints), "\n".join(map(str, report.repaired_plan or ()))).determination
    elif edits is None:
        assert report.planner_response.no_solution and report.proven


def test_preferences_of_the_way_are_weighed_against_each_other() -> None:
    weights = {"(sometime-after (at v1 p3) (at v2 p3))": 1, "(always (not (at v1 p3)))": 4, "(always (lies x0 p0))": 9}
    soft = " ".join(f"(preference w{n} {text})" for n, text in enumerate(weights))
    metric = " ".join(f"(* {weight} (is-violated w{n}))" for n, weight in enumerate(weights.values()))
    problem = post(soft).replace("(:constraints", f"(:metric minimize (+ {metric})) (:constraints")
    domain = DOMAIN.replace(":constraints", ":constraints :preferences")
    found = solve(domain, problem, time_limit=60)
    assert (found.cost, found.proven) == (9, True)
    report = check(domain, problem, PLAN, quality="optimal", time_limit=60)
    assert (report.determination, report.cost, report.repaired_cost) == (False, 14, 9)


def test_always_of_all_objects_is_one_automaton_each() -> None:
    model = prepare(DOMAIN, post("(always (forall (?v - van) (and (at ?v p0) (not (busy ?v)))))")).model
    found = trajectories(model)
    assert not isinstance(found, str)
    assert [(dict(each.objects)["?v"], str(each)) for each in found] == [
        ("v1", "(at ?v p0) must always hold"),
        ("v1", "(busy ?v) must never hold"),
        ("v2", "(at ?v p0) must always hold"),
        ("v2", "(busy ?v) must never hold"),
    ]


@pytest.mark.parametrize("constraint", ["(within 9 (lies x0 p2))", "(always-within 3 (at v1 p1) (at v1 p0))"])
def test_what_counts_steps_is_left_to_the_search_of_histories(constraint: str) -> None:
    problem = post(constraint, places=3, parcels=1)
    assert isinstance(trajectories(prepare(DOMAIN, problem).model), str)
    report = check(DOMAIN, problem, "(load x0 v1 p0)\n(drive v1 p0 p2)", time_limit=20)
    assert (report.planner_response.cost, report.proven) == (1, True)


@pytest.mark.parametrize("quality", ["valid", "optimal"])
def test_an_axiom_says_nothing_of_objects_that_its_types_leave_out(quality: str) -> None:
    domain = """(define (domain d) (:types t) (:predicates (p) (d ?x)) (:derived (d ?x - t) (p))
      (:action a :parameters () :effect (p)))"""
    problem = """(define (problem q) (:domain d) (:objects o - object x - t) (:init) (:goal (and (p) (d x)))
      (:constraints (always (not (d o)))))"""
    report = check(domain, problem, "; empty plan", quality=quality)
    assert (list(map(str, report.repaired_plan or ())), report.proven) == (["(a)"], True)
    assert check(domain, problem, "(a)\n", quality=quality).determination
