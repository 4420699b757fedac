; Two small towers (c on a, b on d) become one: a on b on c on d.
(define (problem one-tower)
  (:domain blocks)
  (:objects a b c d)
  (:init
    (hand-empty)
    (on-table a) (on c a) (clear c)
    (on-table d) (on b d) (clear b))
  (:goal (and (on a b) (on b c) (on c d))))
