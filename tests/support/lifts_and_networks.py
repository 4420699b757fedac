"""Models with axioms and conditional effects, of any size: a lift with rules for its passengers, and networks."""

from __future__ import annotations

import random

__all__ = ["corrupted", "lift", "network"]

LIFT = """
(define (domain lift) (:requirements :adl)
  (:types passenger floor)
  (:predicates (from ?p - passenger ?f - floor) (to ?p - passenger ?f - floor) (below ?f ?g - floor)
    (in ?p - passenger) (done ?p - passenger) (at ?f - floor) (vip ?p - passenger) (nonstop ?p - passenger)
    (attendant ?p - passenger) (needs-company ?p - passenger) (barred ?p - passenger ?f - floor)
    (team-a ?p - passenger) (team-b ?p - passenger) (up-only ?p - passenger) (down-only ?p - passenger))
  (:action halt :parameters (?f - floor) :precondition (and (at ?f)
      (imply (exists (?p - passenger) (and (team-a ?p) (or (and (not (done ?p)) (from ?p ?f))
                                                           (and (in ?p) (not (to ?p ?f))))))
             (forall (?q - passenger) (imply (team-b ?q) (and (or (to ?q ?f) (not (in ?q)))
                                                              (or (done ?q) (not (from ?q ?f)))))))
      (imply (exists (?p - passenger) (and (needs-company ?p) (or (and (from ?p ?f) (not (done ?p)))
                                                                  (and (in ?p) (not (to ?p ?f))))))
             (exists (?q - passenger) (and (attendant ?q) (or (and (in ?q) (not (to ?q ?f)))
                                                              (and (not (done ?q)) (from ?q ?f))))))
      (forall (?p - passenger) (imply (and (nonstop ?p) (in ?p)) (to ?p ?f)))
      (or (forall (?p - passenger) (imply (vip ?p) (done ?p)))
          (exists (?p - passenger) (and (vip ?p) (or (from ?p ?f) (to ?p ?f)))))
      (forall (?p - passenger) (imply (barred ?p ?f) (not (in ?p)))))
    :effect (and (forall (?p - passenger) (when (and (in ?p) (to ?p ?f)) (and (not (in ?p)) (done ?p))))
                 (forall (?p - passenger) (when (and (from ?p ?f) (not (done ?p))) (in ?p)))))
  (:action rise :parameters (?f ?g - floor)
    :precondition (and (at ?f) (below ?f ?g) (forall (?p - passenger) (imply (down-only ?p) (not (in ?p)))))
    :effect (and (at ?g) (not (at ?f))))
  (:action sink :parameters (?f ?g - floor)
    :precondition (and (at ?f) (below ?g ?f) (forall (?p - passenger) (imply (up-only ?p) (not (in ?p)))))
    :effect (and (at ?g) (not (at ?f)))))
"""


def lift(floors: int, passengers: int, seed: int) -> tuple[str, str]:
    """Return the domain and a problem of a lift that carries passengers under rules; not every one can be solved."""
    rng = random.Random(f"lift {floors} {passengers} {seed}")
    names, places = [f"p{n}" for n in range(passengers)], [f"f{n}" for n in range(floors)]
    facts = [f"(below f{low} f{high})" for low in range(floors) for high in range(low + 1, floors)]
    for name in names:
        start, end = rng.sample(range(floors), 2)
        facts += [f"(from {name} f{start})", f"(to {name} f{end})"]
        role = rng.choice(["vip", "nonstop", "attendant", "attendant", "needs-company", "team-a", "team-b", "", ""])
        facts += [f"({role} {name})"] if role else []
        facts += [f"(barred {name} {rng.choice(places)})"] if rng.random() < 0.3 else []
        facts += [f"({'up' if start < end else 'down'}-only {name})"] if rng.random() < 0.2 else []
    return LIFT, (
        f"(define (problem q) (:domain lift) (:objects {' '.join(names)} - passenger {' '.join(places)} - floor)"
        f" (:init (at f0) {' '.join(facts)}) (:goal (forall (?p - passenger) (done ?p))))"
    )


NETWORK = """
(define (domain network) (:requirements :adl :derived-predicates)
  (:types node)
  (:predicates (line ?a ?b - node) (closed ?a ?b - node) (source ?a - node) (fed ?a - node) (burnt ?a ?b - node)
    (tested ?a - node))
  (:derived (fed ?b - node) (or (source ?b) (exists (?a - node) (and (fed ?a) (line ?a ?b) (closed ?a ?b)))))
  (:action close :parameters (?a ?b - node)
    :precondition (and (line ?a ?b) (not (closed ?a ?b)) (not (burnt ?a ?b)) (not (fed ?b))) :effect (closed ?a ?b))
  (:action open :parameters (?a ?b - node) :precondition (closed ?a ?b) :effect (not (closed ?a ?b)))
  (:action mend :parameters (?a ?b - node) :precondition (and (burnt ?a ?b) (not (fed ?a)))
    :effect (not (burnt ?a ?b)))
  (:action test :parameters (?a - node) :precondition (fed ?a) :effect (tested ?a)))
"""


def network(nodes: int, seed: int) -> tuple[str, str]:
    """Return the domain and a problem of lines to be switched: what is fed is derived by recursion."""
    rng = random.Random(f"network {nodes} {seed}")
    lines = {(f"n{rng.randrange(node)}", f"n{node}") for node in range(1, nodes)}
    lines |= {(f"n{a}", f"n{b}") for a, b in (rng.sample(range(nodes), 2) for _ in range(nodes // 2))}
    facts = [f"(line {a} {b})" for a, b in sorted(lines)]
    facts += [f"(closed {a} {b})" for a, b in sorted(lines) if rng.random() < 0.4]
    facts += [f"(burnt {a} {b})" for a, b in sorted(lines) if rng.random() < 0.2]
    goals = " ".join(f"(tested n{node})" for node in range(nodes) if rng.random() < 0.6)
    names = " ".join(f"n{node}" for node in range(nodes))
    return NETWORK, (
        f"(define (problem q) (:domain network) (:objects {names} - node) (:init (source n0) {' '.join(facts)})"
        f" (:goal (and {goals} (not (fed n{nodes - 1})))))"
    )


def corrupted(steps: list[str], number: int, seed: int) -> list[str]:
    """Return a plan after some deletions, insertions of a step from elsewhere in it, and swaps of neighbours."""
    rng = random.Random(f"corrupt {number} {seed}")
    lines = list(steps)
    for _ in range(number):
        place = rng.randrange(len(lines))
        match rng.choice("dis"):
            case "d":
                del lines[place]
            case "i":
                lines.insert(place, rng.choice(steps))
            case _ if place + 1 < len(lines):
                lines[place : place + 2] = [lines[place + 1], lines[place]]
            case _:
                pass
    return lines
