(define (domain traj) (:requirements :strips :typing :negative-preconditions :constraints) (:types room)
  (:predicates (at ?r - room) (adj ?a ?b - room))
  (:action go :parameters (?a ?b - room) :precondition (and (at ?a) (adj ?a ?b)) :effect (and (not (at ?a)) (at ?b))))
