(define (problem fill-1) (:domain fill) (:init (= (level) 0)) (:goal (and (filled) (>= (level) 6))))
