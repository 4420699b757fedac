(define (domain scale) (:requirements :strips :numeric-fluents) (:predicates (done)) (:functions (x))
  (:action double :parameters () :precondition (and) :effect (scale-up (x) 2))
  (:action third :parameters () :precondition (and) :effect (scale-down (x) 3))
  (:action finish :parameters () :precondition (= (* 3 (x)) 2) :effect (done)))
