"""First plans over time: a match that burns while a fuse is mended, cars that tidy a town."""

from __future__ import annotations

import time
from collections.abc import Sequence
from fractions import Fraction
from itertools import product

import pytest

from validator import check, solve
from validator.execution.simulator import Simulator
from validator.execution.time.happening import Part
from validator.grounding.limits import Limits
from validator.model.pddl import read_model
from validator.model.values import Model
from validator.reading.plan import Step, TimedStep
from validator.records import replace
from validator.repair.time.greedy import GreedyOrders
from validator.repair.time.nearest import nearest_over_time
from validator.repair.time.network import Grid, Key, Network
from validator.repair.time.nodes import Node, Nodes
from validator.repair.time.observed import TemporalQuestion
from validator.repair.time.parts import Subject

CELLAR = """(define (domain cellar) (:requirements :durative-actions :typing :numeric-fluents) (:types match fuse)
  (:predicates (new ?m - match) (lit ?m - match) (whole ?f - fuse) (free) (open) (dry))
  (:functions (burns ?m - match) (oil))
  (:durative-action light :parameters (?m - match) :duration (= ?duration (burns ?m))
    :condition (and (at start (new ?m)) (over all (dry)))
    :effect (and (at start (not (new ?m))) (at start (lit ?m)) (at end (not (lit ?m)))))
  (:durative-action mend :parameters (?f - fuse ?m - match) :duration (and (>= ?duration 4) (<= ?duration 6))
    :condition (and (at start (free)) (over all (lit ?m)) (at start (>= (oil) 1)) (over all (open)))
    :effect (and (at start (not (free))) (at end (free)) (at end (whole ?f)) (at end (decrease (oil) 1))))
  (:durative-action fetch :parameters () :duration (= ?duration 2) :effect (at end (increase (oil) 1))))"""


def cellar(burns: Sequence[int], fuses: int, facts: str = "(open)") -> str:
    """Return a problem with a match for each number, which burns so long."""
    names = [f"m{n}" for n in range(len(burns))]
    matches = " ".join(f"(new {name}) (= (burns {name}) {long})" for name, long in zip(names, burns, strict=True))
    return f"""(define (problem dark) (:domain cellar)
      (:objects {" ".join(names)} - match {" ".join(f"f{n}" for n in range(fuses))} - fuse)
      (:init (free) (dry) (= (oil) 9) {matches} {facts})
      (:goal (and {" ".join(f"(whole f{n})" for n in range(fuses))})))"""


def text(plan: Sequence[Step]) -> str:
    return "\n".join(str(TimedStep.of(step)) for step in plan)


def first(domain: str, problem: str, nodes: int | None = None) -> tuple[Step, ...] | None:
    """Return the steps of the first order, if one is found among so many nodes, at their earliest times."""
    model = read_model(domain, problem)
    grid = Grid.of([fact.time for fact in model.problem.timed], Fraction(1, 1000))
    looks = None if nodes is None else iter(range(nodes))

    def is_over() -> bool:
        return looks is not None and next(looks, None) is None

    try:
        search = GreedyOrders(Nodes(model, grid, (), model.problem.goal), steps_of(model), is_over)
        search.begin()
        found = next(search.run(is_over), None)
    except TimeoutError:
        return None
    return None if found is None else tuple(at_first(found[1].network, each, grid) for each in found[1].subjects)


def steps_of(model: Model) -> list[Step]:
    return [
        Step(name=action.name, args=args)
        for action in model.domain.actions.values()
        for args in product(*(model.objects_of(parameter.types) for parameter in action.parameters))
    ]


def at_first(network: Network, subject: Subject, grid: Grid) -> Step:
    start, end, whole = ((subject.number, part) for part in (Part.START, Part.END, Part.WHOLE))
    times: dict[Key, int] = network.times
    assert subject.step is not None
    if start not in times:
        return replace(subject.step, time=grid.time(times[whole]))
    return replace(subject.step, time=grid.time(times[start]), duration=grid.time(times[end] - times[start]))


# --- plans ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("burns", "facts"), [([3, 3], "(open)"), ([9], ""), ([9], "(at 1 (open)) (at 4 (not (open)))")]
)
def test_what_cannot_be_has_no_plan(burns: list[int], facts: str) -> None:
    assert first(CELLAR, cellar(burns, 1, facts)) is None


@pytest.mark.parametrize("when", ["at start", "over all", "at end"])
@pytest.mark.parametrize("duration", ["(= ?duration 3)", "(and (>= ?duration 3) (<= ?duration 9))"])
def test_what_is_asked_of_a_duration_is_no_obstacle(when: str, duration: str) -> None:
    domain = f"""(define (domain sprint) (:requirements :durative-actions :numeric-fluents) (:predicates (done))
      (:functions (power))
      (:durative-action run :parameters () :duration {duration}
        :condition ({when} (>= (power) (* 2 ?duration))) :effect (at end (done)))
      (:durative-action rest :parameters () :duration (= ?duration 1) :effect (at end (increase (power) 4))))"""
    problem = "(define (problem p) (:domain sprint) (:init (= (power) 1)) (:goal (done)))"
    plan = first(domain, problem, 100)
    assert plan is not None and check(domain, problem, text(plan)).determination


@pytest.mark.planner
@pytest.mark.parametrize(("burns", "fuses"), [([9], 1), ([9] * 4, 7)])
def test_plans_that_need_overlap_are_found(burns: list[int], fuses: int) -> None:
    found = solve(CELLAR, cellar(burns, fuses), time_limit=60)
    assert found.plan is not None and check(CELLAR, cellar(burns, fuses), text(found.plan)).determination


# --- towns that are tidied -----------------------------------------------------------------------

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


def town(cars: int, places: int) -> str:
    """Return a problem in which each place of a ring is to be tidied."""
    ring = [(f"p{n}", f"p{(n + 1) % places}") for n in range(places)]
    return f"""(define (problem ring) (:domain town)
      (:objects {" ".join(f"c{n}" for n in range(cars))} - car {" ".join(f"p{n}" for n in range(places))} - place)
      (:init {" ".join(f"(at c{n} p0) (free c{n}) (= (fuel c{n}) 0)" for n in range(cars))}
        {" ".join(f"(road {a} {b}) (= (way {a} {b}) 5)" for a, b in ring)})
      (:goal (and {" ".join(f"(tidy p{n})" for n in range(places))})))"""


@pytest.mark.planner
def test_a_plan_that_the_search_over_orders_does_not_find_is_there() -> None:
    found = solve(TOWN, town(1, 6), time_limit=10)
    assert found.plan is not None and found.lower_bound is not None and found.cost is not None
    assert 0 < found.lower_bound <= found.cost
    assert check(TOWN, town(1, 6), text(found.plan)).determination


@pytest.mark.planner
def test_a_plan_that_lacks_nearly_all_is_repaired() -> None:
    report = check(TOWN, town(1, 6), "0: (fill c0) [3]\n3.001: (sweep c0 p0) [2]", time_limit=60)
    assert report.determination is False and report.repaired_plan is not None
    assert check(TOWN, town(1, 6), "\n".join(map(str, report.repaired_plan))).determination
    assert "(fill c0)" in " ".join(map(str, report.repaired_plan)), "what fits stays"


def test_the_search_keeps_to_the_memory_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    model, looked, bound = read_model(TOWN, town(3, 8)), list[Node](), GreedyOrders.bound

    def counted(search: GreedyOrders, node: Node) -> Node | None:
        looked.append(node)
        return bound(search, node)

    monkeypatch.setattr(GreedyOrders, "bound", counted)
    asked = TemporalQuestion(
        simulator=Simulator(model),
        tokens=(),
        with_goal=True,
        epsilon=Fraction(1, 1000),
        limits=Limits(deadline=time.monotonic() + 60, memory=300_000),  # some ten nodes
        failures=(),
        happening=(),
        accepted=lambda plan: bool(check(TOWN, town(3, 8), text(plan)).determination),
        steps=tuple(steps_of(model)),
    )
    assert not nearest_over_time(asked).proven
    assert 0 < len(looked) < 20


@pytest.mark.parametrize("metric", ["(:metric maximize (total-time))", "(:metric minimize (fuel c0))"])
@pytest.mark.planner
def test_where_the_cheapest_cost_is_not_known_there_is_a_plan(metric: str) -> None:
    problem = town(1, 2).replace("(:goal", f"{metric} (:goal")
    found = solve(TOWN, problem, time_limit=60)
    assert found.plan is not None and (found.proven, found.lower_bound) == (False, None)
    assert found.reason.startswith("the cheapest cost is not known")
    assert check(TOWN, problem, "\n".join(map(str, found.plan))).cost == found.cost
