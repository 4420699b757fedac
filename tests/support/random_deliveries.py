"""Random models of some hundred states and more in which plans are long, for searches that small ones never need.

Carriers on a directed graph bring parcels to places: with room for so many, with doors that keys open, with fuel, with
parcels that come along (conditional effects), with a rule of what is within reach (axioms), with dear roads.
"""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

from tests.support.edit_oracle import CHEAP
from tests.support.random_worlds import Texts


def random_delivery(seed: int, prices: Sequence[str] = CHEAP) -> Texts:
    """Return a model whose goal is that parcels are somewhere; what else it has depends on the seed."""
    draw = Random(f"delivery {seed}")
    places = [f"l{number}" for number in range(draw.randint(3, 5))]
    carriers = [f"c{number}" for number in range(draw.randint(1, 2))]
    parcels = [f"p{number}" for number in range(draw.randint(1, 4 - len(carriers)))]
    has_doors, has_fuel, has_room = draw.random() < 0.5, draw.random() < 0.3, draw.random() < 0.6
    comes_along, has_rule = draw.random() < 0.3, draw.random() < 0.25

    roads = {(one, places[number - 1]) for number, one in enumerate(places)}
    roads |= {(draw.choice(places), draw.choice(places)) for _ in range(draw.randint(1, len(places)))}
    roads |= {(b, a) for a, b in list(roads) if draw.random() < 0.5}

    def price(fixed: bool) -> str:
        return f" (increase (total-cost) {draw.choice(prices) if fixed else '(length ?a ?b)'})"

    conditions, effects = ["(is ?c ?a)", "(road ?a ?b)"], ["(not (is ?c ?a))", "(is ?c ?b)"]
    if has_doors:
        conditions.append("(or (not (door ?b)) (opened ?b))")
    if has_fuel:
        conditions.append("(fuel ?c)")
        effects.append("(when (steep ?a ?b) (not (fuel ?c)))" if draw.random() < 0.5 else "(not (fuel ?c))")
    if comes_along:
        effects.append("(forall (?p - parcel) (when (holds ?c ?p) (and (lies ?p ?b) (not (lies ?p ?a)))))")
    if has_rule:
        conditions.append("(not (blocked ?b))")
    actions = [
        f"(:action go :parameters (?c - carrier ?a ?b - place) :precondition (and {' '.join(conditions)})"
        f" :effect (and {' '.join(effects)}{price(draw.random() < 0.4)}))"
    ]
    needs, changes = ["(is ?c ?a)", "(lies ?p ?a)"], ["(holds ?c ?p)"]
    drops, leaves = ["(is ?c ?a)", "(holds ?c ?p)"], ["(not (holds ?c ?p))", "(lies ?p ?a)"]
    if comes_along:
        needs.append("(not (holds ?c ?p))")
    else:
        changes.append("(not (lies ?p ?a))")
    if has_room:
        needs.append("(room ?c)")
        changes.append("(not (room ?c))")
        leaves.append("(room ?c)")
    for name, asked, done in (("load", needs, changes), ("drop", drops, leaves)):
        actions.append(
            f"(:action {name} :parameters (?c - carrier ?p - parcel ?a - place) :precondition (and {' '.join(asked)})"
            f" :effect (and {' '.join(done)}{price(True)}))"
        )
    if has_doors:
        asked = "(exists (?p - parcel) (and (holds ?c ?p) (key ?p)))" if draw.random() < 0.5 else "(is ?c ?a)"
        actions.append(
            f"(:action open :parameters (?c - carrier ?a - place) :precondition (and {asked} (door ?a))"
            f" :effect (and (opened ?a){price(True)}))"
        )
    if has_fuel:
        actions.append(
            "(:action fill :parameters (?c - carrier ?a - place) :precondition (and (is ?c ?a) (pump ?a))"
            f" :effect (and (fuel ?c){price(True)}))"
        )
    rule = "(:derived (blocked ?a) (exists (?c - carrier) (and (is ?c ?a) (full ?a))))" if has_rule else ""
    domain = (
        "(define (domain delivery) (:requirements :adl :derived-predicates :action-costs)"
        " (:types thing place - object carrier parcel - thing) (:predicates (is ?c ?a) (lies ?p ?a) (holds ?c ?p)"
        " (road ?a ?b) (door ?a) (opened ?a) (key ?p) (fuel ?c) (steep ?a ?b) (pump ?a) (room ?c) (full ?a)"
        " (blocked ?a))"
        f" (:functions (total-cost) (length ?a ?b)) {rule} {' '.join(actions)})"
    )
    facts = [f"(is {one} {draw.choice(places)})" for one in carriers]
    facts += [f"(lies {one} {draw.choice(places)})" for one in parcels]
    facts += [f"(road {a} {b})" for a, b in sorted(roads)]
    facts += [f"({name} {one})" for name, share in (("door", 0.3), ("pump", 0.5), ("full", 0.5)) for one in places
              if draw.random() < share]  # fmt: skip
    facts += [f"(steep {a} {b})" for a, b in sorted(roads) if draw.random() < 0.6]
    facts += [f"(key {one})" for one in parcels if draw.random() < 0.7]
    facts += [f"({name} {one})" for name in ("fuel", "room") for one in carriers]
    facts += [f"(= (length {a} {b}) {draw.choice(prices)})" for a in places for b in places]
    goal = [f"(lies {one} {draw.choice(places)})" for one in parcels if draw.random() < 0.8]
    if draw.random() < 0.3:
        goal.append(f"(is {carriers[0]} {draw.choice(places)})")
    if has_doors and draw.random() < 0.3:
        goal.append(f"(not (opened {draw.choice(places)}))")
    if draw.random() < 0.15:
        goal = [f"(or (and {' '.join(goal)}) (holds {carriers[0]} {parcels[0]}))"]
    objects = f"{' '.join(places)} - place {' '.join(carriers)} - carrier {' '.join(parcels)} - parcel"
    return domain, (
        f"(define (problem one) (:domain delivery) (:objects {objects}) (:init {' '.join(facts)} (= (total-cost) 0))"
        f" (:goal (and {' '.join(goal)})) (:metric minimize (total-cost)))"
    )
