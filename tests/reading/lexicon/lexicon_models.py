"""Models that the tests of the lexicon share: blocks with and without colours, logistics with kinds as facts."""

from __future__ import annotations

from validator.model.pddl import read_model
from validator.reading.lexicon import Lexicon, read_templates

BLOCKS = read_model(
    """(define (domain blocks) (:predicates (clear ?x) (ontable ?x) (handempty) (holding ?x) (on ?x ?y))
  (:action pick-up :parameters (?ob) :precondition (and (clear ?ob) (ontable ?ob) (handempty))
    :effect (and (holding ?ob) (not (clear ?ob)) (not (ontable ?ob)) (not (handempty))))
  (:action put-down :parameters (?ob) :precondition (holding ?ob)
    :effect (and (clear ?ob) (handempty) (ontable ?ob) (not (holding ?ob))))
  (:action stack :parameters (?ob ?underob) :precondition (and (clear ?underob) (holding ?ob))
    :effect (and (handempty) (clear ?ob) (on ?ob ?underob) (not (clear ?underob)) (not (holding ?ob))))
  (:action unstack :parameters (?ob ?underob) :precondition (and (on ?ob ?underob) (clear ?ob) (handempty))
    :effect (and (holding ?ob) (clear ?underob) (not (on ?ob ?underob)) (not (clear ?ob)) (not (handempty)))))""",
    """(define (problem p) (:domain blocks) (:objects a b c)
  (:init (handempty) (ontable a) (clear b) (on b a) (ontable c) (clear c)) (:goal (on a b)))""",
)
LOGISTICS = read_model(
    """(define (domain logistics) (:predicates (obj ?o) (truck ?t) (location ?l) (airplane ?a) (city ?c) (airport ?l)
    (at ?obj ?loc) (in ?obj1 ?obj2) (in-city ?obj ?city))
  (:action load-truck :parameters (?obj ?truck ?loc)
    :precondition (and (obj ?obj) (truck ?truck) (location ?loc) (at ?truck ?loc) (at ?obj ?loc))
    :effect (and (not (at ?obj ?loc)) (in ?obj ?truck)))
  (:action load-airplane :parameters (?obj ?airplane ?loc)
    :precondition (and (obj ?obj) (airplane ?airplane) (location ?loc) (at ?obj ?loc) (at ?airplane ?loc))
    :effect (and (not (at ?obj ?loc)) (in ?obj ?airplane)))
  (:action unload-truck :parameters (?obj ?truck ?loc)
    :precondition (and (obj ?obj) (truck ?truck) (location ?loc) (at ?truck ?loc) (in ?obj ?truck))
    :effect (and (not (in ?obj ?truck)) (at ?obj ?loc)))
  (:action drive-truck :parameters (?truck ?loc-from ?loc-to ?city)
    :precondition (and (truck ?truck) (location ?loc-from) (location ?loc-to) (city ?city) (at ?truck ?loc-from)
      (in-city ?loc-from ?city) (in-city ?loc-to ?city))
    :effect (and (not (at ?truck ?loc-from)) (at ?truck ?loc-to)))
  (:action fly-airplane :parameters (?airplane ?loc-from ?loc-to)
    :precondition (and (airplane ?airplane) (airport ?loc-from) (airport ?loc-to) (at ?airplane ?loc-from))
    :effect (and (not (at ?airplane ?loc-from)) (at ?airplane ?loc-to))))""",
    """(define (problem p) (:domain logistics) (:objects a0 c0 c1 t0 t1 l0-0 l0-1 l1-0 l1-1 p0 p1)
  (:init (airplane a0) (city c0) (city c1) (truck t0) (truck t1) (location l0-0) (location l0-1) (location l1-0)
    (location l1-1) (in-city l0-0 c0) (in-city l0-1 c0) (in-city l1-0 c1) (in-city l1-1 c1) (airport l0-0)
    (airport l1-0) (obj p0) (obj p1) (at t0 l0-0) (at t1 l1-1) (at p0 l0-0) (at p1 l0-0) (at a0 l0-0))
  (:goal (at p0 l0-1)))""",
)
COLOURS = {
    "actions": {
        "pick-up": "pick up the {}",
        "put-down": "put down the {}",
        "stack": "stack the {} on top of the {}",
        "unstack": "unstack the {} from on top of the {}",
    },
    "predicates": {"on": "the {} is on top of the {}", "handempty": "the hand is empty"},
    "encoded_objects": {"a": "red block", "b": "blue block", "c": "orange block", "d": "yellow block"},
}
PACKAGES = {
    "actions": {
        "load-truck": "load {} into {} at {}",
        "load-airplane": "load {} into {} at {}",
        "drive-truck": "drive {} from {} to {} in {}",
    },
    "encoded_objects": {"p": "package_{}", "t": "truck_{}", "a": "airplane_{}", "l": "location_{}_{}", "c": "city_{}"},
}
PLAIN = Lexicon.of(BLOCKS)
COLOURED = Lexicon.of(BLOCKS, read_templates(COLOURS))
CARGO = Lexicon.of(LOGISTICS)
PACKED = Lexicon.of(LOGISTICS, read_templates(PACKAGES))
