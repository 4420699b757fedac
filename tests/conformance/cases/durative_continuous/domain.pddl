(define (domain fill) (:requirements :strips :durative-actions :duration-inequalities :numeric-fluents :continuous-effects)
  (:predicates (filled)) (:functions (level))
  (:durative-action fill :parameters () :duration (and (>= ?duration 1) (<= ?duration 9))
    :condition (over all (<= (level) 10)) :effect (and (increase (level) (* #t 2)) (at end (filled)))))
