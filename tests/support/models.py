"""Models and tasks of several tests: some small ones, one too deep to search, one too hard to prove."""

from __future__ import annotations

import time
from random import Random

from validator.checking.prepared import Prepared
from validator.grounding.limits import Limits
from validator.grounding.task import Task

WALK = """(define (domain walk) (:requirements :strips :typing :action-costs) (:types place)
  (:predicates (at ?x - place) (next ?a ?b - place) (seen ?x - place))
  (:functions (total-cost) - number)
  (:action go :parameters (?a ?b - place) :precondition (and (at ?a) (next ?a ?b))
    :effect (and (not (at ?a)) (at ?b) (increase (total-cost) 2)))
  (:action look :parameters (?x - place) :precondition (at ?x) :effect (and (seen ?x) (increase (total-cost) 1))))"""
WALK_PROBLEM = """(define (problem w) (:domain walk) (:objects a b c - place)
  (:init (at a) (next a b) (next b a) (next b c) (next c b) (= (total-cost) 0))
  (:goal (and (seen b) (at a))) (:metric minimize (total-cost)))"""

TWO_STEPS = """
(define (domain d) (:predicates (p) (q))
  (:action a :parameters () :effect (p))
  (:action b :parameters () :precondition (p) :effect (q)))
"""
BOTH_STEPS = "(define (problem x) (:domain d) (:init) (:goal (q)))"

HANDS = """
(define (domain hands) (:predicates (free) (held ?x) (lies ?x) (on ?x ?y))
  (:action grasp :parameters (?x) :precondition (and (free) (lies ?x))
    :effect (and (held ?x) (not (free)) (not (lies ?x))))
  (:action stack :parameters (?x ?y) :precondition (held ?x) :effect (and (on ?x ?y) (free) (not (held ?x)))))
"""
HANDS_ON = """
(define (problem one) (:domain hands) (:objects a b) (:init (free) (lies a) (lies b)) (:goal (on a b)))
"""

FUEL = """(define (domain n) (:requirements :typing :numeric-fluents) (:types loc)
  (:predicates (at ?x - loc) (road ?x ?y - loc)) (:functions (fuel))
  (:action go :parameters (?x ?y - loc) :precondition (and (at ?x) (road ?x ?y) (>= (fuel) 1))
    :effect (and (not (at ?x)) (at ?y) (decrease (fuel) 1)))
  (:action refuel :parameters () :effect (increase (fuel) 5)))"""
FUEL_TRIP = """(define (problem p) (:domain n) (:objects a b c - loc)
  (:init (at a) (road a b) (road b c) (road b a) (= (fuel) 2)) (:goal (at c)))"""

TANK = """(define (domain tank) (:requirements :numeric-fluents) (:predicates (done)) (:functions (level) (used))
  (:action pump :parameters () :precondition (<= (level) 7) :effect (and (increase (level) 2) (increase (used) 3)))
  (:action drip :parameters () :precondition (<= (level) 8) :effect (and (increase (level) 1) (increase (used) 1)))
  (:action finish :parameters () :precondition (= (level) 5) :effect (done)))"""
FULL = """(define (problem full) (:domain tank) (:init (= (level) 0) (= (used) 0)) (:goal (done))
  (:metric minimize (used)))"""

WIDE = "".join(f"(x{number}) " for number in range(9))
DEEP = f"""(define (domain deep) (:requirements :numeric-fluents) (:predicates (done)) (:functions {WIDE})
  {"".join(f"(:action up{n} :parameters () :effect (increase (x{n}) 1))" for n in range(9))}
  (:action finish :parameters () :precondition (and {" ".join(f"(>= (x{n}) 3)" for n in range(9))}) :effect (done)))"""
BOTTOM = f"""(define (problem bottom) (:domain deep) (:init {" ".join(f"(= (x{n}) 0)" for n in range(9))})
  (:goal (done)))"""
"""a plan needs 27 steps before the last, in any order: more than the search looks at in some seconds"""


def limits(seconds: float = 60, memory: int = 4 * 2**30) -> Limits:
    return Limits(deadline=time.monotonic() + seconds, memory=memory)


def task_of(prepared: Prepared) -> Task:
    """Return the grounded model."""
    found = prepared.task(limits())
    assert isinstance(found, Task)
    return found


def hard_task(balls: int = 14) -> str:
    """Return a task on which A* does not end soon: gripper, written in the finite-domain format."""
    variables = ["begin_variable\nv0\n-1\n2\na\nb\nend_variable\n"]
    variables += [f"begin_variable\nv{n + 1}\n-1\n4\nl\nr\nx\ny\nend_variable\n" for n in range(balls)]
    variables += [f"begin_variable\nv{balls + 1 + n}\n-1\n2\nfree\nfull\nend_variable\n" for n in range(2)]
    operators = [f"begin_operator\nm{n}\n0\n1\n0 0 {n} {1 - n}\n1\nend_operator\n" for n in range(2)]
    for ball in range(1, balls + 1):
        for hand in range(2):
            for room in range(2):
                free = balls + 1 + hand
                for kind, before, after, old, new in (("p", room, 2 + hand, 0, 1), ("d", 2 + hand, room, 1, 0)):
                    operators.append(
                        f"begin_operator\n{kind}{ball}-{hand}-{room}\n1\n0 {room}\n2\n"
                        f"0 {ball} {before} {after}\n0 {free} {old} {new}\n1\nend_operator\n"
                    )
    goal = "".join(f"{ball} 1\n" for ball in range(1, balls + 1))
    init = "0\n" * len(variables)
    return (
        f"begin_version\n3\nend_version\nbegin_metric\n1\nend_metric\n{len(variables)}\n{''.join(variables)}0\n"
        f"begin_state\n{init}end_state\nbegin_goal\n{balls}\n{goal}end_goal\n"
        f"{len(operators)}\n{''.join(operators)}0\n"
    )


def gripper(balls: int) -> tuple[str, str]:
    """Return a model whose cheapest plan takes long to prove."""
    domain = """
    (define (domain gripper) (:predicates (room ?r) (ball ?b) (hand ?g) (robot ?r) (at ?b ?r) (free ?g) (carry ?b ?g))
      (:action move :parameters (?a ?b) :precondition (and (room ?a) (room ?b) (robot ?a))
        :effect (and (robot ?b) (not (robot ?a))))
      (:action pick :parameters (?b ?r ?g)
        :precondition (and (ball ?b) (room ?r) (hand ?g) (at ?b ?r) (robot ?r) (free ?g))
        :effect (and (carry ?b ?g) (not (at ?b ?r)) (not (free ?g))))
      (:action drop :parameters (?b ?r ?g) :precondition (and (ball ?b) (room ?r) (hand ?g) (carry ?b ?g) (robot ?r))
        :effect (and (at ?b ?r) (free ?g) (not (carry ?b ?g)))))
    """
    names = [f"b{number}" for number in range(balls)]
    facts = " ".join(f"(ball {name}) (at {name} x)" for name in names)
    goal = " ".join(f"(at {name} y)" for name in names)
    problem = (
        f"(define (problem q) (:domain gripper) (:objects x y l r {' '.join(names)})"
        f" (:init (room x) (room y) (hand l) (hand r) (free l) (free r) (robot x) {facts}) (:goal (and {goal})))"
    )
    return domain, problem


def carry(balls: int) -> str:
    return "".join(f"(pick b{number} x l)\n(move x y)\n(drop b{number} y l)\n(move y x)\n" for number in range(balls))


SACKS = """\
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


def sacks(size: int) -> tuple[str, str]:
    """Return a model in which carts bring sacks of different weight, and its problem of so many."""
    draw, carts = Random(size), [f"c{number}" for number in range(size // 12 + 1)]
    places, sacks = [f"p{number}" for number in range(size // 4 + 3)], [f"s{number}" for number in range(size)]
    init = [f"(at {cart} p0) (= (load {cart}) 0) (= (most {cart}) 10)" for cart in carts]
    goal = list[str]()
    for sack in sacks:
        start, end = draw.sample(places, 2)
        init.append(f"(lies {sack} {start}) (= (weight {sack}) {draw.randint(1, 9)})")
        goal.append(f"(lies {sack} {end})")
    objects = f"{' '.join(carts)} - cart {' '.join(sacks)} - sack {' '.join(places)} - place"
    parts = f"(:domain sacks) (:objects {objects}) (:init {' '.join(init)}) (:goal (and {' '.join(goal)}))"
    return SACKS, f"(define (problem p) {parts})"
