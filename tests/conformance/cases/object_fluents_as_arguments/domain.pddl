(define (domain cargo) (:requirements :strips :typing :object-fluents :numeric-fluents) (:types truck place)
  (:functions (loc ?t - truck) - place (load ?p - place) - number)
  (:action drive :parameters (?t - truck ?p - place) :precondition (and) :effect (assign (loc ?t) ?p))
  (:action drop :parameters (?t - truck) :precondition (and) :effect (increase (load (loc ?t)) 1)))
