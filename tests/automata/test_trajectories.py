"""Classical models with trajectory constraints: planned, repaired and proven by the searches for classical models."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from heapq import heappop, heappush
from itertools import count, product
from random import Random

import pytest

from tests.support.depth import some
from validator import check, prepare, solve
from validator.automata.properties import trajectories
from validator.checking.about.redundant import redundant_steps
from validator.reading.tokens import tokenize

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


# --- the same by hand ------------------------------------------------------------------------------

World = tuple[tuple[int, int], tuple[int, ...]]
"""Where the vans are, and the parcels: in the first van, in the second one (-1, -2), or at a place."""

Holds = Callable[[World], bool]

Rule = tuple[str, Holds, Holds | None]
"""An operator of PDDL 3 with its conditions."""

SETS: dict[str, list[Rule]] = {
    "(always (not (at v1 p3)))": [("always", lambda w: w[0][0] != 3, None)],
    "(always (forall (?v - van) (not (and (at ?v p1) (busy ?v)))))": [
        ("always", lambda w: not any(place == 1 and -1 - n in w[1] for n, place in enumerate(w[0])), None)
    ],
    "(sometime (at v2 p3))": [("sometime", lambda w: w[0][1] == 3, None)],
    "(sometime (and (at v1 p2) (at v2 p2)))": [("sometime", lambda w: w[0] == (2, 2), None)],
    "(sometime (gone x0)) (sometime (and (gone x0) (gone x1)))": [
        ("sometime", lambda w: w[1][0] < 0 and w[1][1] < 0, None)
    ],
    "(at-most-once (at v1 p0))": [("at-most-once", lambda w: w[0][0] == 0, None)],
    "(forall (?v - van) (at-most-once (at ?v p0)))": [
        ("at-most-once", lambda w: w[0][0] == 0, None),
        ("at-most-once", lambda w: w[0][1] == 0, None),
    ],
    "(at-most-once (or (at v1 p1) (at v2 p1)))": [("at-most-once", lambda w: 1 in w[0], None)],
    "(sometime-before (lies x1 p2) (lies x0 p3))": [
        ("sometime-before", lambda w: w[1][1] == 2, lambda w: w[1][0] == 3)
    ],
    "(sometime-before (at v1 p2) (and (at v1 p1) (at v2 p3)))": [
        ("sometime-before", lambda w: w[0][0] == 2, lambda w: w[0] == (1, 3))
    ],
    "(sometime-after (at v1 p3) (at v2 p3))": [("sometime-after", lambda w: w[0][0] == 3, lambda w: w[0][1] == 3)],
    "(forall (?v - van) (sometime-after (busy ?v) (at ?v p1)))": [
        ("sometime-after", lambda w: -1 in w[1], lambda w: w[0][0] == 1),
        ("sometime-after", lambda w: -2 in w[1], lambda w: w[0][1] == 1),
    ],
    "(at end (forall (?v - van) (at ?v p0)))": [("at end", lambda w: w[0] == (0, 0), None)],
    "(always (not (at v1 p0)))": [("always", lambda w: w[0][0] != 0, None)],
    "(always (lies x0 p0))": [("always", lambda w: w[1][0] == 0, None)],
    "(sometime-before (at v1 p0) (at v1 p1))": [("sometime-before", lambda w: w[0][0] == 0, lambda w: w[0][0] == 1)],
    "(sometime-before (lies x0 p3) (at v2 p1)) (always (imply (at v1 p1) (not (at v2 p1)))) (sometime (at v1 p1))": [
        ("sometime-before", lambda w: w[1][0] == 3, lambda w: w[0][1] == 1),
        ("always", lambda w: w[0] != (1, 1), None),
        ("sometime", lambda w: w[0][0] == 1, None),
    ],
}


def remembered(rules: Sequence[Rule], world: World, before: Sequence[int] | None) -> tuple[int, ...] | None:
    """Return what is to be remembered of each rule behind a state; None where one is broken for good."""
    found = []
    for number, (operator, first, second) in enumerate(rules):
        old, holds = 0 if before is None else before[number], first(world)
        then = second is not None and second(world)
        if operator == "always":
            new = 0 if holds else -1
        elif operator == "sometime":
            new = int(old or holds)
        elif operator == "at end":
            new = int(holds)
        elif operator == "at-most-once":  # 1: it holds, 2: it held
            new = (1, 1, -1)[old] if holds else (0, 2, 2)[old]
        elif operator == "sometime-before":
            new = -1 if holds and not old else int(old or then)
        else:
            new = 0 if then else int(old or holds)
        if new < 0:
            return None
        found.append(new)
    return tuple(found)


def is_kept(rules: Sequence[Rule], memory: Sequence[int]) -> bool:
    wanted = {"sometime": (1,), "at end": (1,), "sometime-after": (0,)}
    return all(kept in wanted.get(rule[0], (0, 1, 2)) for rule, kept in zip(rules, memory, strict=True))


def steps_from(world: World, places: int) -> Iterator[tuple[str, World]]:
    vans, parcels = world
    for van, at in enumerate(vans):
        for to in {(at + 1) % places, (at - 1) % places}:
            moved = tuple(to if n == van else place for n, place in enumerate(vans))
            yield f"(drive v{van + 1} p{at} p{to})", ((moved[0], moved[1]), parcels)
        for parcel, where in enumerate(parcels):
            if where == at and -1 - van not in parcels:
                new = (*parcels[:parcel], -1 - van, *parcels[parcel + 1 :])
                yield f"(load x{parcel} v{van + 1} p{at})", (vans, new)
            elif where == -1 - van:
                yield f"(drop x{parcel} v{van + 1} p{at})", (vans, (*parcels[:parcel], at, *parcels[parcel + 1 :]))


def fewest(rules: Sequence[Rule], plan: Sequence[str] | None, places: int = 4, parcels: int = 2) -> int | None:
    """Return the fewest edits of a plan, or without one the fewest steps, by Dijkstra; None where there are none."""
    world: World = ((0, 0), (0,) * parcels)
    memory = remembered(rules, world, None)
    goal = tuple(places - 1 - n for n in range(parcels))
    number, lines = count(), plan or ()
    queue = [] if memory is None else [(0, next(number), world, memory, 0)]
    known = set()
    while queue:
        cost, _, world, memory, place = heappop(queue)
        if (world, memory, place) in known:
            continue
        known.add((world, memory, place))
        if place == len(lines) and world[1] == goal and is_kept(rules, memory):
            return cost
        if place < len(lines):
            heappush(queue, (cost + 1, next(number), world, memory, place + 1))
        for name, behind in steps_from(world, places):
            after = remembered(rules, behind, memory)
            if after is not None:
                heappush(queue, (cost + 1, next(number), behind, after, place))
                if place < len(lines) and lines[place] == name:
                    heappush(queue, (cost, next(number), behind, after, place + 1))
    return None


def observed(rules: Sequence[Rule], draw: Random) -> list[str]:
    """Return a walk of some steps, with steps left out, exchanged and put in anywhere."""
    world, plan = ((0, 0), (0, 0)), list[str]()
    for _ in range(draw.randrange(4, 12)):
        name, world = draw.choice([*steps_from(world, 4)])
        plan.append(name)
    for _ in range(draw.randrange(3)):
        place = draw.randrange(len(plan))
        plan[place : place + 1] = draw.choice([[], plan[place : place + 1] * 2, [draw.choice(plan)]])
    return plan


@pytest.mark.parametrize("constraints", some(SETS, 4))
def test_the_cheapest_plan_is_found_and_proven(constraints: str) -> None:
    least = fewest(SETS[constraints], None)
    found = solve(DOMAIN, post(constraints))
    assert (found.cost, found.proven) == (least, True)
    if found.plan is not None:
        report = check(DOMAIN, post(constraints), "\n".join(map(str, found.plan)), quality="optimal")
        assert (report.determination, report.proven) == (True, True)


@pytest.mark.parametrize(("constraints", "seed"), some(product(SETS, range(4)), 9))
def test_the_nearest_plan_is_the_one_of_a_search_by_hand(constraints: str, seed: int) -> None:
    rules, plan = SETS[constraints], observed(SETS[constraints], Random(f"{constraints} {seed}"))
    least = fewest(rules, plan)
    report = check(DOMAIN, post(constraints), "\n".join(plan), time_limit=60)
    assert report.determination is (least == 0)
    if least:
        assert (report.planner_response.cost, report.proven) == (least, True)
        assert check(DOMAIN, post(constraints), "\n".join(map(str, report.repaired_plan or ()))).determination
    elif least is None:
        assert report.planner_response.no_solution and report.proven


@pytest.mark.parametrize("constraints", ["(sometime (at v2 p3))", "(at-most-once (or (at v1 p1) (at v2 p1)))"])
def test_the_nearest_of_the_cheapest_plans_keeps_them(constraints: str) -> None:
    plan = "(drive v2 p0 p1)\n" + "\n".join(map(str, solve(DOMAIN, post(constraints)).plan or ()))
    report = check(DOMAIN, post(constraints), plan, quality="optimal")
    assert (report.determination, report.proven) == (False, True)
    assert report.repaired_cost == fewest(SETS[constraints], None)


# --- preferences -----------------------------------------------------------------------------------

SOFT = [
    {"(always (not (at v1 p3)))": 2, "(sometime-before (lies x1 p2) (lies x0 p3))": 3, "(sometime (at v2 p3))": 1},
    {"(at-most-once (at v1 p0))": 1, "(at end (forall (?v - van) (at ?v p0)))": 5},
    {
        "(sometime-after (at v1 p3) (at v2 p3))": 1,
        "(sometime (and (at v1 p2) (at v2 p2)))": 4,
        "(always (lies x0 p0))": 9,
    },
]


def least_violated(weights: dict[str, int]) -> int:
    """Return what violated preferences weigh together at least in any plan, by looking at all that can be reached."""
    rules = [SETS[text][0] for text in weights]

    def seen(world: World, before: Sequence[int] | None) -> tuple[int, ...]:
        found = []
        for number, rule in enumerate(rules):
            old = None if before is None else (before[number],)
            new = None if old == (-1,) else remembered([rule], world, old)
            found.append(-1 if new is None else new[0])
        return tuple(found)

    start: World = ((0, 0), (0, 0))
    reached = {(start, seen(start, None))}
    waiting = [*reached]
    while waiting:
        world, memory = waiting.pop()
        for _, behind in steps_from(world, 4):
            if (node := (behind, seen(behind, memory))) not in reached:
                reached.add(node)
                waiting.append(node)
    return min(
        sum(
            weight
            for rule, kept, weight in zip(rules, memory, weights.values(), strict=True)
            if kept < 0 or not is_kept([rule], (kept,))
        )
        for world, memory in reached
        if world[1] == (3, 2)
    )


@pytest.mark.parametrize("weights", some(SOFT, 1))
def test_preferences_of_the_way_are_weighed_against_each_other(weights: dict[str, int]) -> None:
    soft = " ".join(f"(preference w{n} {text})" for n, text in enumerate(weights))
    metric = " ".join(f"(* {weight} (is-violated w{n}))" for n, weight in enumerate(weights.values()))
    problem = post(soft).replace("(:constraints", f"(:metric minimize (+ {metric})) (:constraints")
    domain, least = DOMAIN.replace(":constraints", ":constraints :preferences"), least_violated(weights)
    found = solve(domain, problem, time_limit=60)
    assert (found.cost, found.proven) == (least, True)
    assert check(domain, problem, "\n".join(map(str, found.plan or ())), quality="optimal").determination
    plain = "\n".join(map(str, solve(DOMAIN, post()).plan or ()))
    report = check(domain, problem, plain, quality="optimal", time_limit=60)
    assert report.determination is (report.cost == least)
    if report.cost != least:
        assert report.repaired_cost == least and report.plan_diff_obj


def test_a_plan_that_is_not_valid_is_repaired_to_a_cheapest_one_with_preferences() -> None:
    soft = post("(preference w (sometime (at v2 p3)))").replace(
        "(:constraints", "(:metric minimize (is-violated w)) (:constraints"
    )
    report = check(
        DOMAIN.replace(":constraints", ":constraints :preferences"), soft, "(drive v1 p0 p1)", quality="optimal"
    )
    assert (report.determination, report.repaired_cost) == (False, 0)


def test_plans_too_long_for_a_search_of_histories_are_repaired() -> None:
    plain = solve(DOMAIN, post(places=6, parcels=4)).plan
    assert plain is not None
    problem = post("(at-most-once (at v1 p3)) (sometime (and (at v1 p3) (at v2 p2)))", places=6, parcels=4)
    report = check(DOMAIN, problem, "\n".join(map(str, plain)), time_limit=60)
    assert report.determination is False and report.repaired_plan is not None
    assert check(DOMAIN, problem, "\n".join(map(str, report.repaired_plan))).determination


@pytest.mark.parametrize(
    ("constraints", "gone"),
    [
        ("(sometime (at v2 p1))", (4,)),
        ("(sometime (at v1 p1))", (2, 4)),
        ("(at end (at v2 p0)) (sometime (at v2 p1))", ()),
    ],
)
def test_steps_that_only_a_constraint_needs_are_not_redundant(constraints: str, gone: tuple[int, ...]) -> None:
    lines = ("load x0 v1 p0", "drive v1 p0 p1", "drive v2 p0 p1", "drive v1 p1 p2", "drive v2 p1 p0", "drop x0 v1 p2")
    prepared = prepare(DOMAIN, post(constraints, places=3, parcels=1))
    plan = tokenize("\n".join(f"({line})" for line in lines), prepared.vocabulary)
    found = redundant_steps(prepared, plan)
    assert (found.steps, found.proven) == (gone, True)


def test_sound_plans_need_not_keep_them() -> None:
    report = check(DOMAIN, post("(always (not (at v1 p1)))"), "(drive v1 p0 p1)", quality="sound")
    assert report.determination is True


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
