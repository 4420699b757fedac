(define (domain timed-traj) (:requirements :strips :typing :durative-actions :constraints) (:types room)
  (:predicates (at ?r - room) (adj ?a ?b - room))
  (:durative-action go :parameters (?a ?b - room) :duration (= ?duration 2)
    :condition (and (at start (at ?a)) (at start (adj ?a ?b))) :effect (and (at start (not (at ?a))) (at end (at ?b)))))
