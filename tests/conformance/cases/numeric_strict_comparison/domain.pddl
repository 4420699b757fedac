(define (domain numstrict) (:requirements :strips :numeric-fluents) (:predicates (done)) (:functions (x))
  (:action use :parameters () :precondition (> (x) 0) :effect (and (decrease (x) 1) (done)))
  (:action get :parameters () :precondition (< (x) 1) :effect (and (increase (x) 1))))
