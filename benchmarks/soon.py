"""First plans of models over time and with numbers, of growing size: how soon there is any, grounding included.

The models are of this program's own: dishes that bake while an oven burns down, parcels that are driven between rooms,
boxes that are lifted to the same height, sacks of different weight that carts bring, and flowers on a grid that are
watered from one well.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterable, Iterator
from fractions import Fraction
from functools import partial
from math import inf
from random import Random

from benchmarks.measure import cost_of
from benchmarks.options import Options
from benchmarks.table import Cell, Table
from validator import check
from validator.execution.time.acts.happening import is_temporal
from validator.grounding.limits import Limits, Status
from validator.grounding.numbers.relaxed_reachability import reachable_steps
from validator.model.pddl import read_model
from validator.model.values import Model
from validator.reading.plan import Step
from validator.repair.greedy.search import Greedy
from validator.repair.numbers.first import cheaper_plans
from validator.repair.time.first import searches
from validator.repair.time.grid import Grid

__all__ = ["MODELS", "run"]

SIZES, SECONDS = (4, 12, 36), 10
"""of the models; of CPU time for a first plan"""

_OVENS = """\
(define (domain ovens) (:requirements :typing :durative-actions) (:types oven dish)
  (:predicates (hot ?o - oven) (cold ?o - oven) (free ?o - oven) (mixed ?d - dish) (baked ?d - dish) (served ?d - dish))
  (:durative-action burn :parameters (?o - oven) :duration (= ?duration 30) :condition (at start (cold ?o))
    :effect (and (at start (not (cold ?o))) (at start (hot ?o)) (at end (not (hot ?o))) (at end (cold ?o))))
  (:durative-action mix :parameters (?d - dish) :duration (= ?duration 5) :effect (at end (mixed ?d)))
  (:durative-action bake :parameters (?d - dish ?o - oven) :duration (= ?duration 12)
    :condition (and (at start (mixed ?d)) (at start (free ?o)) (over all (hot ?o)))
    :effect (and (at start (not (free ?o))) (at end (free ?o)) (at end (baked ?d))))
  (:durative-action serve :parameters (?d - dish) :duration (= ?duration 2) :condition (at start (baked ?d))
    :effect (at end (served ?d))))
"""
_DRIVES = """\
(define (domain drives) (:requirements :typing :durative-actions :numeric-fluents) (:types van parcel place)
  (:predicates (at ?v - van ?p - place) (lies ?b - parcel ?p - place) (in ?b - parcel ?v - van) (way ?p ?q - place))
  (:functions (room ?v - van) (far ?p ?q - place))
  (:durative-action drive :parameters (?v - van ?p ?q - place) :duration (= ?duration (far ?p ?q))
    :condition (and (at start (at ?v ?p)) (over all (way ?p ?q)))
    :effect (and (at start (not (at ?v ?p))) (at end (at ?v ?q))))
  (:durative-action load :parameters (?b - parcel ?v - van ?p - place) :duration (= ?duration 1)
    :condition (and (at start (lies ?b ?p)) (over all (at ?v ?p)) (at start (>= (room ?v) 1)))
    :effect (and (at start (not (lies ?b ?p))) (at start (decrease (room ?v) 1)) (at end (in ?b ?v))))
  (:durative-action unload :parameters (?b - parcel ?v - van ?p - place) :duration (= ?duration 1)
    :condition (and (at start (in ?b ?v)) (over all (at ?v ?p)))
    :effect (and (at start (not (in ?b ?v))) (at end (lies ?b ?p)) (at end (increase (room ?v) 1)))))
"""
_HEIGHTS = """\
(define (domain heights) (:requirements :typing :numeric-fluents) (:types box)
  (:functions (height ?b - box) (top))
  (:action lift :parameters (?b - box) :precondition (< (height ?b) (top)) :effect (increase (height ?b) 1))
  (:action lower :parameters (?b - box) :precondition (> (height ?b) 0) :effect (decrease (height ?b) 1)))
"""
_SACKS = """\
(define (domain sacks) (:requirements :typing :numeric-fluents) (:types cart sack place)
  (:predicates (at ?c - cart ?p - place) (lies ?s - sack ?p - place) (on ?s - sack ?c - cart))
  (:functions (weight ?s - sack) (load ?c - cart) (most ?c - cart))
  (:action move :parameters (?c - cart ?p ?q - place) :precondition (at ?c ?p)
    :effect (and (not (at ?c ?p)) (at ?c ?q)))
  (:action lift :parameters (?s - sack ?c - cart ?p - place)
    :precondition (and (at ?c ?p) (lies ?s ?p) (<= (+ (load ?c) (weight ?s)) (most ?c)))
    :effect (and (not (lies ?s ?p)) (on ?s ?c) (increase (load ?c) (weight ?s))))
  (:action drop :parameters (?s - sack ?c - cart ?p - place) :precondition (and (at ?c ?p) (on ?s ?c))
    :effect (and (lies ?s ?p) (not (on ?s ?c)) (decrease (load ?c) (weight ?s)))))
"""
_FLOWERS = """\
(define (domain flowers) (:requirements :typing :numeric-fluents) (:types flower)
  (:functions (x) (y) (side) (water) (can) (x-of ?f - flower) (y-of ?f - flower) (drunk ?f - flower))
  (:action east :parameters () :precondition (< (x) (side)) :effect (increase (x) 1))
  (:action west :parameters () :precondition (> (x) 0) :effect (decrease (x) 1))
  (:action north :parameters () :precondition (< (y) (side)) :effect (increase (y) 1))
  (:action south :parameters () :precondition (> (y) 0) :effect (decrease (y) 1))
  (:action draw :parameters () :precondition (and (= (x) 0) (= (y) 0) (< (water) (can))) :effect (increase (water) 1))
  (:action pour :parameters (?f - flower)
    :precondition (and (= (x) (x-of ?f)) (= (y) (y-of ?f)) (>= (water) 1))
    :effect (and (decrease (water) 1) (increase (drunk ?f) 1))))
"""


def run(options: Options) -> list[Table]:
    """Look for a first plan of each model and size."""
    rows = [row for name in MODELS if options.only in (None, name) for row in _rows(name)]
    return [
        Table(
            title="soon",
            about=f"first plans of models over time and with numbers, at most {SECONDS} CPU seconds each",
            columns=("model", "size", "ground steps", "steps of the plan", "cpu s"),
            rows=tuple(rows),
            notes=("size: dishes, parcels, boxes, sacks or flowers", "cpu s: grounding included; each plan is valid"),
        )
    ]


def _rows(name: str) -> Iterator[tuple[Cell, ...]]:
    for size in SIZES:
        domain, problem = MODELS[name](size)
        cost, (steps, plan) = cost_of(partial(_first, read_model(domain, problem)))
        if plan is not None and not check(domain, problem, "\n".join(map(_told, plan))).determination:
            raise AssertionError(f"no plan of {name} {size}")
        print(f"soon: {name} {size} done", file=sys.stderr, flush=True)
        yield name, size, steps, None if plan is None else len(plan), cost.cpu


def _first(model: Model) -> tuple[int, tuple[Step, ...] | None]:
    """Return how many ground steps there are, and the first plan that is found, None for none."""
    due = time.process_time() + SECONDS
    limits = Limits(deadline=inf, memory=4 * 2**30, is_over=lambda: time.process_time() > due)
    steps = reachable_steps(model, limits)
    if isinstance(steps, Status):
        return 0, None
    if not is_temporal(model):
        greedy = Greedy(model, steps, model.problem.goal, lambda: not limits.seconds)
        return len(steps), next(cheaper_plans(greedy, greedy.prices), None)
    found = (
        search.quick()
        for search in searches(model, Grid(1000, Fraction(1, 1000)), steps, with_goal=True, limits=limits)
    )
    return len(steps), next((plan for plans in found for plan in plans), None)


def _told(step: Step) -> str:
    if step.time is None:
        return str(step)
    lasts = "" if step.duration is None else f" [{float(step.duration)}]"
    return f"{float(step.time)}: ({' '.join((step.name, *step.args))}){lasts}"


# --- models ------------------------------------------------------------------------------------


def _problem(domain: str, objects: str, init: Iterable[str], goal: Iterable[str]) -> str:
    parts = f"(:domain {domain}) (:objects {objects}) (:init {' '.join(init)}) (:goal (and {' '.join(goal)}))"
    return f"(define (problem p) {parts})"


def _ovens(size: int) -> tuple[str, str]:
    ovens, dishes = [f"o{number}" for number in range(size // 8 + 1)], [f"d{number}" for number in range(size)]
    init = [f"(cold {oven}) (free {oven})" for oven in ovens]
    goal = [f"(served {dish})" for dish in dishes]
    return _OVENS, _problem("ovens", f"{' '.join(ovens)} - oven {' '.join(dishes)} - dish", init, goal)


def _drives(size: int) -> tuple[str, str]:
    """Return vans with room for two on a ring of places, and parcels that lie anywhere."""
    draw, vans = Random(size), [f"v{number}" for number in range(size // 8 + 1)]
    places, parcels = [f"p{number}" for number in range(size // 2 + 2)], [f"b{number}" for number in range(size)]
    init, goal = list[str](), list[str]()
    for one, other in zip(places, (*places[1:], places[0]), strict=True):
        init += (f"(way {one} {other}) (way {other} {one})", f"(= (far {one} {other}) {draw.randint(2, 9)})")
        init.append(f"(= (far {other} {one}) {draw.randint(2, 9)})")
    init += (f"(at {van} {draw.choice(places)}) (= (room {van}) 2)" for van in vans)
    for parcel in parcels:
        start, end = draw.sample(places, 2)
        init.append(f"(lies {parcel} {start})")
        goal.append(f"(lies {parcel} {end})")
    objects = f"{' '.join(vans)} - van {' '.join(parcels)} - parcel {' '.join(places)} - place"
    return _DRIVES, _problem("drives", objects, init, goal)


def _heights(size: int) -> tuple[str, str]:
    """Return pairs of boxes that come to one height, each lower than the pair before."""
    draw, boxes = Random(size), [f"b{number}" for number in range(size)]
    init = ["(= (top) 50)", *(f"(= (height {box}) {draw.randint(0, 50)})" for box in boxes)]
    goal = [f"(= (height {one}) (height {other}))" for one, other in zip(boxes[::2], boxes[1::2], strict=True)]
    goal += (f"(> (height {one}) (height {other}))" for one, other in zip(boxes[::2], boxes[2::2], strict=False))
    return _HEIGHTS, _problem("heights", f"{' '.join(boxes)} - box", init, goal)


def _sacks(size: int) -> tuple[str, str]:
    draw, carts = Random(size), [f"c{number}" for number in range(size // 12 + 1)]
    places, sacks = [f"p{number}" for number in range(size // 4 + 3)], [f"s{number}" for number in range(size)]
    init = [f"(at {cart} p0) (= (load {cart}) 0) (= (most {cart}) 10)" for cart in carts]
    goal = list[str]()
    for sack in sacks:
        start, end = draw.sample(places, 2)
        init.append(f"(lies {sack} {start}) (= (weight {sack}) {draw.randint(1, 9)})")
        goal.append(f"(lies {sack} {end})")
    objects = f"{' '.join(carts)} - cart {' '.join(sacks)} - sack {' '.join(places)} - place"
    return _SACKS, _problem("sacks", objects, init, goal)


def _flowers(size: int) -> tuple[str, str]:
    draw, flowers, side = Random(size), [f"f{number}" for number in range(size)], size + 4
    init = [f"(= (x) 0) (= (y) 0) (= (side) {side}) (= (water) 0) (= (can) 6)"]
    goal = list[str]()
    for flower in flowers:
        init.append(f"(= (x-of {flower}) {draw.randint(0, side)}) (= (y-of {flower}) {draw.randint(0, side)})")
        init.append(f"(= (drunk {flower}) 0)")
        goal.append(f"(= (drunk {flower}) {draw.randint(1, 4)})")
    return _FLOWERS, _problem("flowers", f"{' '.join(flowers)} - flower", init, goal)


MODELS: dict[str, Callable[[int], tuple[str, str]]] = {
    "ovens": _ovens,
    "drives": _drives,
    "heights": _heights,
    "sacks": _sacks,
    "flowers": _flowers,
}
