(define (problem scale-1) (:domain scale) (:init (= (x) 1)) (:goal (done)))
