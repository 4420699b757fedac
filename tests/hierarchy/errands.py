"""A hierarchical model of our own, with a plan and its decomposition."""

from __future__ import annotations

DOMAIN = """\
(define (domain errands)
  (:requirements :typing :hierarchy :method-preconditions :negative-preconditions :equality)
  (:types place parcel - object)
  (:predicates (at ?l - place) (road ?a ?b - place) (lies ?p - parcel ?l - place) (held ?p - parcel))
  (:task deliver :parameters (?p - parcel ?to - place))
  (:task get-to :parameters (?to - place))
  (:method fetch :parameters (?p - parcel ?from ?to - place) :task (deliver ?p ?to)
    :precondition (lies ?p ?from)
    :ordered-subtasks (and (get-to ?from) (take ?p ?from) (get-to ?to) (leave ?p ?to)))
  (:method here :parameters (?to - place) :task (get-to ?to)
    :precondition (at ?to)
    :subtasks ())
  (:method walk-there :parameters (?a ?b ?to - place) :task (get-to ?to)
    :precondition (and (at ?a) (road ?a ?b))
    :subtasks (and (t1 (walk ?a ?b)) (t2 (get-to ?to)))
    :ordering (and (< t1 t2))
    :constraints (and (not (= ?a ?to))))
  (:action walk :parameters (?a ?b - place)
    :precondition (and (at ?a) (road ?a ?b)) :effect (and (not (at ?a)) (at ?b)))
  (:action take :parameters (?p - parcel ?l - place)
    :precondition (and (at ?l) (lies ?p ?l)) :effect (and (held ?p) (not (lies ?p ?l))))
  (:action leave :parameters (?p - parcel ?l - place)
    :precondition (and (at ?l) (held ?p)) :effect (and (lies ?p ?l) (not (held ?p)))))
"""

PROBLEM = """\
(define (problem two-parcels) (:domain errands)
  (:objects home shop post - place book mug - parcel)
  (:htn :subtasks (and (b (deliver book post)) (m (deliver mug home))))
  (:init (at home) (road home shop) (road shop home) (road shop post) (road post shop)
    (lies book home) (lies mug post)))
"""
ORDERED = PROBLEM.replace(":subtasks", ":ordered-subtasks")

PLAN = """\
(take book home)
(walk home shop)
(walk shop post)
(leave book post)
(take mug post)
(walk post shop)
(walk shop home)
(leave mug home)
"""

LISTING = """\
==>
1 take book home
2 walk home shop
3 walk shop post
4 leave book post
5 take mug post
6 walk post shop
7 walk shop home
8 leave mug home
root 10 20
10 deliver book post -> fetch 11 1 12 4
11 get-to home -> here
12 get-to post -> walk-there 2 13
13 get-to post -> walk-there 3 14
14 get-to post -> here
20 deliver mug home -> fetch 21 5 22 8
21 get-to post -> here
22 get-to home -> walk-there 6 23
23 get-to home -> walk-there 7 24
24 get-to home -> here
<==
"""
