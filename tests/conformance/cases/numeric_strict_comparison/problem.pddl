(define (problem numstrict-1) (:domain numstrict) (:init (= (x) 0)) (:goal (done)))
