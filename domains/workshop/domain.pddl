; A joiner builds a shelf with one tool at a time; or, imply, equality and constants.
(define (domain workshop)
  (:requirements :strips :typing :equality :negative-preconditions
                 :disjunctive-preconditions)

  (:types tool part)

  (:constants
    handsaw bandsaw oil-can drill screwdriver - tool)

  (:predicates
    (hand-free)
    (holding ?t - tool)
    (metal ?p - part)
    (sawn ?p - part)
    (oiled ?p - part)
    (drilled ?p - part)
    (joined ?a ?b - part))

  (:action fetch
    :parameters (?t - tool)
    :precondition (hand-free)
    :effect (and (holding ?t) (not (hand-free))))

  (:action swap
    :parameters (?old ?new - tool)
    :precondition (and (holding ?old) (not (= ?old ?new)))
    :effect (and (holding ?new) (not (holding ?old))))

  ; either saw will do, but metal needs the bandsaw
  (:action saw
    :parameters (?p - part)
    :precondition (and (or (holding handsaw) (holding bandsaw))
                       (imply (metal ?p) (holding bandsaw)))
    :effect (sawn ?p))

  (:action oil
    :parameters (?p - part)
    :precondition (holding oil-can)
    :effect (oiled ?p))

  ; metal must be oiled before it is drilled
  (:action bore
    :parameters (?p - part)
    :precondition (and (holding drill) (sawn ?p)
                       (imply (metal ?p) (oiled ?p)))
    :effect (drilled ?p))

  (:action join
    :parameters (?a ?b - part)
    :precondition (and (holding screwdriver)
                       (not (= ?a ?b))
                       (drilled ?a) (drilled ?b))
    :effect (joined ?a ?b)))
