(define (domain boxes) (:requirements :adl) (:types box)
  (:predicates (full ?b - box) (sealed ?b - box) (checked ?b - box))
  (:action seal :parameters (?b - box) :precondition (not (sealed ?b)) :effect (sealed ?b))
  (:action empty-all :parameters () :precondition (and) :effect (forall (?b - box) (and (checked ?b) (when (not (sealed ?b)) (not (full ?b)))))))
