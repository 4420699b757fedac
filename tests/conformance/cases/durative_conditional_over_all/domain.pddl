(define (domain lamp) (:requirements :strips :durative-actions :conditional-effects :negative-preconditions)
  (:predicates (on) (read))
  (:durative-action study :parameters () :duration (= ?duration 4) :condition (and) :effect (when (over all (on)) (at end (read))))
  (:durative-action switch-off :parameters () :duration (= ?duration 1) :condition (at start (on)) :effect (at start (not (on)))))
