(define (problem boxes-1) (:domain boxes) (:objects a b c - box) (:init (full a) (full b) (sealed b))
  (:goal (and (not (full a)) (full b) (checked c))))
