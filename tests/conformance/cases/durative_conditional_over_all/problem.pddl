(define (problem lamp-1) (:domain lamp) (:init (on)) (:goal (read)))
